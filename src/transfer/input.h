/*
 * input.h
 *	  Reads the lines of a file, which may be compressed with gzip.
 */
#ifndef DYNAMO_INPUT_H
#define DYNAMO_INPUT_H

#include "lib/stringinfo.h"

struct z_stream_s;

typedef enum InputCompression
{
	INPUT_PLAIN,
	INPUT_GZIP,
	INPUT_DETECTED				/* by the first bytes of the file */
} InputCompression;

#define INPUT_BUFFER	(64 * 1024)

typedef struct InputFile
{
	FILE	   *file;
	const char *name;			/* for messages */
	InputCompression compression;
	struct z_stream_s *inflate; /* NULL if the file is not compressed */
	bool		member_ended;	/* at the end of a gzip member, or before the first */
	int64		bytes;			/* read from the file */
	size_t		raw_position;
	size_t		raw_length;
	char		raw[INPUT_BUFFER];	/* as in the file */
	size_t		position;
	size_t		length;
	char		buffer[INPUT_BUFFER];	/* decompressed */
} InputFile;

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
