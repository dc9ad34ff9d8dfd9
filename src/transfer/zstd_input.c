/*
 * zstd_input.c
 *	  Decompresses zstd, if libzstd is built in.
 *
 * libzstd allocates with malloc; a callback of the memory context frees its memory after
 * an error.
 */
#include "postgres.h"

#include "transfer/zstd_input.h"

#ifdef DYNAMO_ZSTD

#include <zstd.h>

#include "utils/memutils.h"

struct ZstdInput
{
	ZSTD_DStream *stream;		/* NULL after the end */
	MemoryContextCallback end;
};

static void
FreeStream(void *arg)
{
	ZstdInput  *z = arg;

	(void) ZSTD_freeDStream(z->stream);
	z->stream = NULL;
}

bool
ZstdIsBuilt(void)
{
	return true;
}

ZstdInput *
ZstdInputBegin(void)
{
	ZstdInput  *z = palloc0(sizeof(ZstdInput));

	z->end.func = FreeStream;
	z->end.arg = z;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &z->end);
	z->stream = ZSTD_createDStream();
	if (z->stream == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return z;
}

/* The callback is registered, so the memory around the stream remains. */
void
ZstdInputEnd(ZstdInput *z)
{
	FreeStream(z);
}

bool
ZstdInputSome(ZstdInput *z, const char *bytes, size_t *position, size_t end,
			  char *buffer, size_t size, size_t *length, bool *ended)
{
	ZSTD_inBuffer in = {bytes, end, *position};
	ZSTD_outBuffer out = {buffer, size, 0};
	size_t		result = ZSTD_decompressStream(z->stream, &out, &in);

	*position = in.pos;
	*length = out.pos;
	*ended = result == 0;
	return !ZSTD_isError(result);
}

#else							/* !DYNAMO_ZSTD */

bool
ZstdIsBuilt(void)
{
	return false;
}

ZstdInput *
ZstdInputBegin(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("files that are compressed with zstd cannot be read"),
			 errdetail("The extension is built without libzstd.")));
}

void
ZstdInputEnd(ZstdInput *z)
{
}

bool
ZstdInputSome(ZstdInput *z, const char *bytes, size_t *position, size_t end,
			  char *buffer, size_t size, size_t *length, bool *ended)
{
	return false;
}

#endif							/* DYNAMO_ZSTD */
