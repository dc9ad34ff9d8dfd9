/*
 * input.c
 *	  Reads the lines of a file, which may be compressed with gzip or zstd.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "compat.h"
#include "transfer/input.h"
#include "transfer/zstd_input.h"
#include "transfer/zstream.h"

/*
 * An item has at most 400 KB, and its JSON is some times larger.  The limit keeps a
 * small compressed file from taking gigabytes of memory as one line.
 */
#define MAX_LINE_BYTES	(32 * 1024 * 1024)

/* ---- the bytes of the file ---- */

static void
FillRaw(InputFile *input)
{
	CHECK_FOR_INTERRUPTS();
	input->raw_position = 0;
	input->raw_length = fread(input->raw, 1, sizeof(input->raw), input->file);
	if (ferror(input->file))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": %m", input->name)));
	input->bytes += (int64) input->raw_length;
}

static void
FillPlain(InputFile *input)
{
	if (input->raw_position == input->raw_length)
		FillRaw(input);
	input->length = input->raw_length - input->raw_position;
	memcpy(input->buffer, input->raw + input->raw_position, input->length);
	input->raw_position = input->raw_length;
}

/* ---- decompression ---- */

static void FailOnDamage(const InputFile *input) pg_attribute_noreturn();

static void
FailOnDamage(const InputFile *input)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("could not decompress file \"%s\"", input->name),
			 errdetail("The file is damaged, incomplete or not a %s file.", input->zstd != NULL ? "zstd" : "gzip")));
}

static void
BeginInflate(InputFile *input)
{
	input->inflate = ZStreamCreate();
	input->member_ended = true;
	if (inflateInit2(input->inflate, GZIP_WINDOW) != Z_OK)
		elog(ERROR, "could not initialize zlib");
}

/* Decompresses some of the raw bytes into an empty buffer. */
static void
InflateSome(InputFile *input)
{
	z_stream   *z = input->inflate;
	int			result;

	if (input->member_ended && inflateReset(z) != Z_OK)
		elog(ERROR, "could not reset zlib");
	input->member_ended = false;
	z->next_in = (Bytef *) input->raw + input->raw_position;
	z->avail_in = (uInt) (input->raw_length - input->raw_position);
	z->next_out = (Bytef *) input->buffer;
	z->avail_out = sizeof(input->buffer);
	result = inflate(z, Z_NO_FLUSH);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		FailOnDamage(input);
	input->raw_position = input->raw_length - z->avail_in;
	input->length = sizeof(input->buffer) - z->avail_out;
	input->member_ended = result == Z_STREAM_END;
}

static void
DecompressSome(InputFile *input)
{
	if (input->zstd == NULL)
		InflateSome(input);
	else if (!ZstdInputSome(input->zstd, input->raw, &input->raw_position, input->raw_length,
							input->buffer, sizeof(input->buffer), &input->length, &input->member_ended))
		FailOnDamage(input);
}

/* At the end of the file there may be decompressed bytes that zstd has not returned yet. */
static void
EndDecompression(InputFile *input)
{
	if (!input->member_ended && input->zstd != NULL)
		DecompressSome(input);
	if (!input->member_ended && input->length == 0)
		FailOnDamage(input);
}

static void
FillDecompressed(InputFile *input)
{
	while (input->length == 0)
	{
		if (input->raw_position == input->raw_length)
			FillRaw(input);
		if (input->raw_length == 0)
		{
			EndDecompression(input);
			return;
		}
		DecompressSome(input);
	}
}

/* ---- lines ---- */

InputCompression
InputCompressionOf(const char *name)
{
	if (name != NULL && strcmp(name, "GZIP") == 0)
		return INPUT_GZIP;
	return name != NULL && strcmp(name, "ZSTD") == 0 ? INPUT_ZSTD : INPUT_PLAIN;
}

/* By the first bytes of a file. */
static InputCompression
DetectCompression(const InputFile *input)
{
	if (input->raw_length >= 2 && memcmp(input->raw, "\x1F\x8B", 2) == 0)
		return INPUT_GZIP;
	if (input->raw_length >= 4 && memcmp(input->raw, "\x28\xB5\x2F\xFD", 4) == 0)
		return INPUT_ZSTD;
	return INPUT_PLAIN;
}

InputFile *
InputBegin(FILE *file, const char *name, InputCompression compression)
{
	InputFile  *input = palloc0(sizeof(InputFile));
	InputCompression detected;

	input->file = file;
	input->name = name;
	input->compression = compression;
	FillRaw(input);
	detected = DetectCompression(input);
	if (compression == INPUT_PLAIN && detected != INPUT_PLAIN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("file \"%s\" is compressed", name)));
	if (compression == INPUT_DETECTED)
		compression = detected;
	if (compression == INPUT_GZIP)
		BeginInflate(input);
	else if (compression == INPUT_ZSTD)
	{
		input->zstd = ZstdInputBegin();
		input->member_ended = true;
	}
	return input;
}

static bool
FillBuffer(InputFile *input)
{
	/* some bytes of the file can be gigabytes of empty lines */
	CHECK_FOR_INTERRUPTS();
	input->position = 0;
	input->length = 0;
	if (input->inflate != NULL || input->zstd != NULL)
		FillDecompressed(input);
	else
		FillPlain(input);
	return input->length > 0;
}

/* pg_get_line would append the next line to a line with a zero byte. */
bool
InputLine(InputFile *input, StringInfo line)
{
	for (;;)
	{
		const char *start;
		const char *newline;
		size_t		n;

		if (input->position == input->length && !FillBuffer(input))
			return line->len > 0;
		start = input->buffer + input->position;
		newline = memchr(start, '\n', input->length - input->position);
		n = newline != NULL ? (size_t) (newline - start) + 1 : input->length - input->position;
		if (line->len + n > MAX_LINE_BYTES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("file \"%s\" has a line or record of more than %d MB",
							input->name, MAX_LINE_BYTES / (1024 * 1024))));
		appendBinaryStringInfo(line, start, (int) n);
		input->position += n;
		if (newline != NULL)
			return true;
	}
}

void
InputEnd(InputFile *input)
{
	if (input->inflate != NULL)
	{
		inflateEnd(input->inflate);
		pfree(input->inflate);
	}
	if (input->zstd != NULL)
		ZstdInputEnd(input->zstd);
	pfree(input);
}
