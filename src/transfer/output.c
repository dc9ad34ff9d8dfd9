/*
 * output.c
 *	  Writes files that are complete and on disk when they are closed, with
 *	  their checksum, and optionally compressed with gzip.
 */
#include "postgres.h"

#include <unistd.h>

#include "common/cryptohash.h"
#include "storage/fd.h"

#include "transfer/output.h"
#include "transfer/zstream.h"

#define MEMORY_LEVEL	8

/* ---- bytes of the file ---- */

static void
Md5Failed(const OutputFile *output)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("could not compute the MD5 checksum of file \"%s\": %s",
					output->name, pg_cryptohash_error(output->md5))));
}

static void
WriteBytes(OutputFile *output, const void *data, size_t len)
{
	errno = 0;
	if (fwrite(data, 1, len, output->file) != len)
	{
		if (errno == 0)
			errno = ENOSPC;		/* as PostgreSQL assumes */
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not write to file \"%s\": %m", output->name)));
	}
	if (pg_cryptohash_update(output->md5, data, len) < 0)
		Md5Failed(output);
	output->bytes += (int64) len;
}

/* ---- compression ---- */

static void
BeginDeflate(OutputFile *output)
{
	output->deflate = ZStreamCreate();
	if (deflateInit2(output->deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
					 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		elog(ERROR, "could not initialize zlib");
}

static void
WriteDeflated(OutputFile *output, const char *data, size_t len, int flush)
{
	z_stream   *z = output->deflate;
	char		buffer[16 * 1024];

	z->next_in = (Bytef *) data;
	z->avail_in = (uInt) len;
	do
	{
		z->next_out = (Bytef *) buffer;
		z->avail_out = sizeof(buffer);
		if (deflate(z, flush) == Z_STREAM_ERROR)
			elog(ERROR, "could not compress file \"%s\"", output->name);
		WriteBytes(output, buffer, sizeof(buffer) - z->avail_out);
	} while (z->avail_out == 0);
}

/* ---- files ---- */

/*
 * "x" refuses a file that exists, also one that a symbolic link leads to.  The
 * file is readable only as the server's umask allows.
 */
OutputFile *
OutputCreate(const char *name, bool compress)
{
	OutputFile *output = palloc0(sizeof(OutputFile));

	output->name = pstrdup(name);
	output->file = AllocateFile(name, "wbx");
	if (output->file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create file \"%s\": %m", name)));
	output->md5 = pg_cryptohash_create(PG_MD5);
	if (output->md5 == NULL || pg_cryptohash_init(output->md5) < 0)
		Md5Failed(output);
	if (compress)
		BeginDeflate(output);
	return output;
}

void
OutputWrite(OutputFile *output, const char *data, size_t len)
{
	if (output->deflate != NULL)
		WriteDeflated(output, data, len, Z_NO_FLUSH);
	else
		WriteBytes(output, data, len);
}

static void
CloseFailed(const OutputFile *output)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not write file \"%s\" to disk: %m", output->name)));
}

void
OutputClose(OutputFile *output, uint8 *md5)
{
	uint8		sum[OUTPUT_MD5_LENGTH];

	if (output->deflate != NULL)
	{
		WriteDeflated(output, NULL, 0, Z_FINISH);
		deflateEnd(output->deflate);
		pfree(output->deflate);
	}
	if (fflush(output->file) != 0 || pg_fsync(fileno(output->file)) != 0)
		CloseFailed(output);
	if (FreeFile(output->file) != 0)
		CloseFailed(output);
	if (pg_cryptohash_final(output->md5, sum, sizeof(sum)) < 0)
		Md5Failed(output);
	pg_cryptohash_free(output->md5);
	if (md5 != NULL)
		memcpy(md5, sum, sizeof(sum));
	pfree(output->name);
	pfree(output);
}
