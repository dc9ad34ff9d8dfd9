/*
 * input.h
 *	  Reads the lines of a file, which may be compressed with gzip or zstd.
 */
#ifndef DYNAMO_INPUT_H
#define DYNAMO_INPUT_H

#include "lib/stringinfo.h"

struct z_stream_s;
struct ZstdInput;

typedef enum InputCompression
{
	INPUT_PLAIN,
	INPUT_GZIP,
	INPUT_ZSTD,
	INPUT_DETECTED				/* by the first bytes of the file */
} InputCompression;

#define INPUT_BUFFER	(64 * 1024)

typedef struct InputFile
{
	FILE	   *file;
	const char *name;			/* for messages */
	InputCompression compression;
	struct z_stream_s *inflate; /* NULL if the file is not compressed with gzip */
	struct ZstdInput *zstd;		/* NULL if it is not compressed with zstd */
	bool		member_ended;	/* at the end of a gzip member or a zstd frame, or before the first */
	int64		bytes;			/* read from the file */
	size_t		raw_position;
	size_t		raw_length;
	char		raw[INPUT_BUFFER];	/* as in the file */
	size_t		position;
	size_t		length;
	char		buffer[INPUT_BUFFER];	/* decompressed */
} InputFile;

/* Returns the compression that the service's name tells: GZIP, ZSTD, or NONE, which NULL means, too. */
extern InputCompression InputCompressionOf(const char *name);

/*
 * Starts reading an open file.  palloc'd.  Raises an error if the file is
 * compressed and the compression is INPUT_PLAIN.
 */
extern InputFile *InputBegin(FILE *file, const char *name, InputCompression compression);

/*
 * Appends the next line with its newline, which may contain any bytes; false at
 * the end of the file.
 */
extern bool InputLine(InputFile *input, StringInfo line);

/* Frees the memory; the caller closes the file. */
extern void InputEnd(InputFile *input);

#endif							/* DYNAMO_INPUT_H */
