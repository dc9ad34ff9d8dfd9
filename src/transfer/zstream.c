/*
 * zstream.c
 *	  zlib streams in memory contexts, for files in gzip format.
 */
#include "postgres.h"

#include "transfer/zstream.h"

static voidpf
Allocate(voidpf context, uInt items, uInt size)
{
	return MemoryContextAlloc(context, (Size) items * size);
}

static void
Free(voidpf context, voidpf address)
{
	pfree(address);
}

z_stream *
ZStreamCreate(void)
{
	z_stream   *z = palloc0(sizeof(z_stream));

	z->zalloc = Allocate;
	z->zfree = Free;
	z->opaque = CurrentMemoryContext;
	return z;
}
