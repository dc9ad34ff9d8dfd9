/*
 * output.h
 *	  Writes files that are complete and on disk when they are closed, with
 *	  their checksum, and optionally compressed with gzip.
 */
#ifndef DYNAMO_OUTPUT_H
#define DYNAMO_OUTPUT_H

struct pg_cryptohash_ctx;
struct z_stream_s;

#define OUTPUT_MD5_LENGTH	16

typedef struct OutputFile
{
	FILE	   *file;
	char	   *name;
	struct z_stream_s *deflate; /* NULL if the file is not compressed */
	struct pg_cryptohash_ctx *md5;
	int64		bytes;			/* written to the file */
} OutputFile;

/* Creates a file; an existing one is an error.  palloc'd. */
extern OutputFile *OutputCreate(const char *name, bool compress);

extern void OutputWrite(OutputFile *output, const char *data, size_t len);

/* Writes everything to disk; md5 is OUTPUT_MD5_LENGTH bytes, or NULL. */
extern void OutputClose(OutputFile *output, uint8 *md5);

#endif							/* DYNAMO_OUTPUT_H */
