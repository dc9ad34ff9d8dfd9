/*
 * manifest.c
 *	  Verifies the files of an export before they are imported.
 *
 * A copy of an export may be incomplete: a download that ended early leaves
 * files that import without an error.  The manifest of the export tells how many
 * there are, and their checksums.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "common/cryptohash.h"
#include "miscadmin.h"
#include "storage/fd.h"

#include "item/base64.h"
#include "item/json_reader.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/manifest.h"

#define CHUNK	(64 * 1024)

/* A data file as its manifest describes it. */
typedef struct DataFile
{
	char	   *path;
	char	   *checksum;		/* MD5 in base64; NULL if the manifest has none */
} DataFile;

typedef struct Manifest
{
	const char *path;
	int			nfiles;
	DataFile   *files;			/* in the order of their paths */
} Manifest;

/* ---- files ---- */

static bool
FileExists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* Reads up to CHUNK bytes; returns 0 at the end of the file. */
static size_t
ReadChunk(FILE *file, const char *path, char *chunk)
{
	size_t		n = fread(chunk, 1, CHUNK, file);

	CHECK_FOR_INTERRUPTS();
	if (n == 0 && ferror(file))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": %m", path)));
	return n;
}

static void
ReadWhole(const char *path, StringInfo text)
{
	FILE	   *file = OpenRegularFile(path);
	char	   *chunk = palloc(CHUNK);
	size_t		n;

	initStringInfo(text);
	while ((n = ReadChunk(file, path, chunk)) > 0)
		appendBinaryStringInfo(text, chunk, (int) n);
	pfree(chunk);
	FreeFile(file);
}

/* The MD5 checksum of a file in base64; palloc'd. */
static char *
ChecksumOf(const char *path)
{
	pg_cryptohash_ctx *md5 = pg_cryptohash_create(PG_MD5);
	uint8		sum[16];
	FILE	   *file = OpenRegularFile(path);
	char	   *chunk = palloc(CHUNK);
	bool		valid = md5 != NULL && pg_cryptohash_init(md5) >= 0;
	StringInfoData text;
	size_t		n;

	while (valid && (n = ReadChunk(file, path, chunk)) > 0)
		valid = pg_cryptohash_update(md5, (uint8 *) chunk, n) >= 0;
	if (!valid || pg_cryptohash_final(md5, sum, sizeof(sum)) < 0)
		ereport(ERROR,
				(errmsg("could not compute the MD5 checksum of file \"%s\"", path)));
	pg_cryptohash_free(md5);
	pfree(chunk);
	FreeFile(file);
	initStringInfo(&text);
	Base64Append(&text, (char *) sum, sizeof(sum));
	return text.data;
}

/* ---- reading a manifest ---- */

/* Reads a line of manifest-files.json; the file is beside the manifest, in data. */
static void
ReadDataFile(const char *export, const char *line, size_t len, DataFile *file)
{
	JsonReader	r;
	Slice		name;

	*file = (DataFile) {0};
	JsonReaderInit(&r, line, len);
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		bool		text = JsonPeek(&r) == JSON_STRING;

		if (text && SliceIs(name, "dataFileS3Key"))
		{
			Slice		s = JsonString(&r);
			char	   *key = pnstrdup(s.data, s.len);
			char	   *slash = strrchr(key, '/');

			file->path = psprintf("%s/" TREE_DATA "/%s", export, slash != NULL ? slash + 1 : key);
		}
		else if (text && SliceIs(name, "md5Checksum"))
		{
			Slice		s = JsonString(&r);

			file->checksum = pnstrdup(s.data, s.len);
		}
		else
			JsonSkipValue(&r);
	}
	JsonEnd(&r);
}

static int
CompareDataFiles(const void *a, const void *b)
{
	return strcmp(((const DataFile *) a)->path, ((const DataFile *) b)->path);
}

static void
ReadLines(Manifest *m, const char *export, const StringInfoData *text)
{
	const char *end = text->data + text->len;
	int			allocated = 64;

	m->files = palloc(sizeof(DataFile) * allocated);
	for (const char *line = text->data; line < end;)
	{
		const char *newline = memchr(line, '\n', end - line);
		const char *next = newline != NULL ? newline : end;

		if (m->nfiles == allocated)
			m->files = repalloc_huge(m->files, sizeof(DataFile) * (allocated *= 2));
		if (strspn(line, " \t\r") < (size_t) (next - line))
		{
			ReadDataFile(export, line, next - line, &m->files[m->nfiles]);
			m->nfiles += m->files[m->nfiles].path != NULL;
		}
		line = next + 1;
	}
	qsort(m->files, m->nfiles, sizeof(DataFile), CompareDataFiles);
}

/*
 * Reads the manifest of an export; false if the directory has none.  A summary
 * without it belongs to an incomplete copy.
 */
static bool
ReadManifest(Manifest *m, const char *export)
{
	char	   *checksum = psprintf("%s/manifest-files.checksum", export);
	StringInfoData text;

	m->path = psprintf("%s/manifest-files.json", export);
	m->nfiles = 0;
	if (!FileExists(m->path) && !FileExists(psprintf("%s/manifest-summary.json", export)))
		return false;
	ReadWhole(m->path, &text);
	ReadLines(m, export, &text);
	if (FileExists(checksum))
	{
		ReadWhole(checksum, &text);
		if (strncmp(text.data, ChecksumOf(m->path), 24) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("manifest \"%s\" does not have its checksum", m->path)));
	}
	return true;
}

/* ---- checks ---- */

static void
CheckFilesExist(const Manifest *m)
{
	for (int i = 0; i < m->nfiles; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!FileExists(m->files[i].path))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FILE),
					 errmsg("data file \"%s\" of the export is missing", m->files[i].path),
					 errdetail("The manifest \"%s\" names %d data files.", m->path, m->nfiles),
					 errhint("Copy the export again, with all of its files.")));
	}
}

static void
CheckFile(const Manifest *m, char *path)
{
	DataFile	wanted = {.path = path};
	DataFile   *file = bsearch(&wanted, m->files, m->nfiles, sizeof(DataFile), CompareDataFiles);

	if (file == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" is not in the manifest of its export", path),
				 errdetail("The manifest is \"%s\".", m->path)));
	if (file->checksum != NULL && strcmp(file->checksum, ChecksumOf(path)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("data file \"%s\" does not have the checksum that the manifest of its export tells", path),
				 errhint("Copy the export again, with all of its files.")));
}

/* The directory of the export to which a file in its data directory belongs; otherwise NULL. */
static char *
ExportOfFile(const char *path)
{
	char	   *directory = pstrdup(path);
	char	   *slash = strrchr(directory, '/');
	size_t		len;

	if (slash == NULL)
		return NULL;
	*slash = '\0';
	len = strlen(directory);
	if (len < strlen("/" TREE_DATA) || strcmp(directory + len - strlen("/" TREE_DATA), "/" TREE_DATA) != 0)
		return NULL;
	directory[len - strlen("/" TREE_DATA)] = '\0';
	return directory;
}

void
ManifestCheck(const List *files)
{
	char	   *current = NULL;
	bool		has_manifest = false;
	Manifest	m;
	ListCell   *cell;

	/* the files of a directory follow each other */
	foreach(cell, files)
	{
		char	   *export = ExportOfFile(lfirst(cell));

		if (export == NULL)
			continue;
		if (current == NULL || strcmp(current, export) != 0)
		{
			has_manifest = ReadManifest(&m, export);
			if (has_manifest)
				CheckFilesExist(&m);
			current = export;
		}
		if (has_manifest)
			CheckFile(&m, lfirst(cell));
	}
}
