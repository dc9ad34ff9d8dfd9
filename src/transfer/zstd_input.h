/*
 * zstd_input.h
 *	  Decompresses zstd, if libzstd is built in (WITH_ZSTD in the Makefile).
 */
#ifndef DYNAMO_ZSTD_INPUT_H
#define DYNAMO_ZSTD_INPUT_H

typedef struct ZstdInput ZstdInput;

/* Whether libzstd is built in. */
extern bool ZstdIsBuilt(void);

/*
 * Begins a file; an error ends it with the current memory context.  Raises
 * ERRCODE_FEATURE_NOT_SUPPORTED if libzstd is not built in.
 */
extern ZstdInput *ZstdInputBegin(void);
extern void ZstdInputEnd(ZstdInput *z);

/*
 * Decompresses some of the bytes from *position on, which it advances, into a buffer, and
 * sets *length to the number of bytes in it, and *ended if a frame has ended.  Returns false for
 * bytes that are damaged.
 */
extern bool ZstdInputSome(ZstdInput *z, const char *bytes, size_t *position, size_t end,
						  char *buffer, size_t size, size_t *length, bool *ended);

#endif							/* DYNAMO_ZSTD_INPUT_H */
