/*
 * zstream.c
 *	  zlib streams in memory contexts.
 */
#include "postgres.h"

#include "transfer/zstream.h"

/* An error does not return to zlib; its memory is freed with the context. */
static voidpf
AllocateForZlib(voidpf context, uInt items, uInt size)
{
	return MemoryContextAlloc(context, (Size) items * size);
}

static void
FreeForZlib(voidpf context, voidpf address)
{
	pfree(address);
}

z_stream *
ZStreamCreate(void)
{
	z_stream   *z = palloc0(sizeof(z_stream));

	z->zalloc = AllocateForZlib;
	z->zfree = FreeForZlib;
	z->opaque = CurrentMemoryContext;
	return z;
}
