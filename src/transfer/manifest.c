/*
 * manifest.c
 *	  The manifests of an export.
 *
 * A copy of an export may be incomplete: a download that ended early leaves
 * files that import without an error.  The summary of an export tells how many
 * items it has, its other manifest the data files, how many items each of them
 * has, and their checksums.  Both manifests are written last, and are as well
 * copied last: without them an export is not complete.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "common/cryptohash.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "item/base64.h"
#include "item/json_reader.h"
#include "security/settings_owner.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/manifest.h"

#define CHUNK	(64 * 1024)

#define MD5_LENGTH		16
#define CHECKSUM_LENGTH	24		/* of MD5 in base64 */

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

/* Computes the MD5 checksum of a file. */
static void
Md5Of(const char *path, uint8 *sum)
{
	pg_cryptohash_ctx *md5 = pg_cryptohash_create(PG_MD5);
	FILE	   *file = OpenRegularFile(path);
	char	   *chunk = palloc(CHUNK);
	bool		valid = md5 != NULL && pg_cryptohash_init(md5) >= 0;
	size_t		n;

	while (valid && (n = ReadChunk(file, path, chunk)) > 0)
		valid = pg_cryptohash_update(md5, (uint8 *) chunk, n) >= 0;
	if (!valid || pg_cryptohash_final(md5, sum, MD5_LENGTH) < 0)
		ereport(ERROR,
				(errmsg("could not compute the MD5 checksum of file \"%s\"", path)));
	pg_cryptohash_free(md5);
	pfree(chunk);
	FreeFile(file);
}

static char *
ChecksumText(const uint8 *sum)
{
	StringInfoData text;

	initStringInfo(&text);
	Base64Append(&text, (const char *) sum, MD5_LENGTH);
	return text.data;
}

/* ---- reading JSON ---- */

/* Reads a string; NULL for any other value. */
static char *
ReadText(JsonReader *r)
{
	Slice		s;

	if (JsonPeek(r) != JSON_STRING)
	{
		JsonSkipValue(r);
		return NULL;
	}
	s = JsonString(r);
	return pnstrdup(s.data, s.len);
}

/* Reads a number of items; -1 for any other value. */
static int64
ReadCount(JsonReader *r)
{
	Slice		s;
	char	   *end;
	int64		n;

	if (JsonPeek(r) != JSON_NUMBER)
	{
		JsonSkipValue(r);
		return -1;
	}
	s = JsonNumber(r);
	errno = 0;
	n = strtoll(pnstrdup(s.data, s.len), &end, 10);
	return errno != 0 || *end != '\0' || n < 0 ? -1 : n;
}

/* "2026-11-23T00:48:03.123Z" to microseconds since 1970. */
static int64
TimeOf(const char *path, const char *name, const char *text)
{
	if (text == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("manifest \"%s\" has no member \"%s\"", path, name)));
	return DatumGetTimestampTz(DirectFunctionCall3(timestamptz_in, CStringGetDatum(text),
												   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))) + EPOCH_SHIFT;
}

/* ---- the list of data files ---- */

/*
 * Returns the path of a data file with a key of the bucket.  The directory in the key
 * tells whether the file is in the export or beside it.  Only the name counts
 * besides, so that a key cannot lead elsewhere.
 */
static char *
PathOfKey(const char *export, const char *key)
{
	const char *slash = strrchr(key, '/');
	const char *name = slash != NULL ? slash + 1 : key;
	const char *shared = TREE_TOP "/" TREE_DATA "/";
	size_t		before = name - key;
	const char *parent = strrchr(export, '/');

	if (before >= strlen(shared) && strncmp(name - strlen(shared), shared, strlen(shared)) == 0 &&
		(before == strlen(shared) || name[-(int) strlen(shared) - 1] == '/') && parent != NULL)
		return psprintf("%.*s/" TREE_DATA "/%s", (int) (parent - export), export, name);
	return psprintf("%s/" TREE_DATA "/%s", export, name);
}

/* Reads a line of manifest-files.json. */
static void
ReadDataFile(const char *export, const char *line, size_t len, DataFile *file)
{
	JsonReader	r;
	Slice		name;
	char	   *key = NULL;

	*file = (DataFile) {.items = -1};
	JsonReaderInit(&r, line, len);
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		if (SliceIs(name, "dataFileS3Key"))
			key = ReadText(&r);
		else if (SliceIs(name, "md5Checksum"))
			file->checksum = ReadText(&r);
		else if (SliceIs(name, "etag"))
			file->etag = ReadText(&r);
		else if (SliceIs(name, "itemCount"))
			file->items = ReadCount(&r);
		else
			JsonSkipValue(&r);
	}
	JsonEnd(&r);
	if (key != NULL)
		file->path = PathOfKey(export, key);
}

static int
CompareDataFiles(const void *a, const void *b)
{
	return strcmp(((const DataFile *) a)->path, ((const DataFile *) b)->path);
}

static void
ReadFileLines(Manifest *m, const StringInfoData *text)
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
			ReadDataFile(m->directory, line, next - line, &m->files[m->nfiles]);
			m->nfiles += m->files[m->nfiles].path != NULL;
		}
		line = next + 1;
	}
	qsort(m->files, m->nfiles, sizeof(DataFile), CompareDataFiles);
}

/* ---- a manifest ---- */

/* Reads a manifest that must exist, and compares it with its checksum if that exists. */
static char *
ReadChecked(const char *directory, const char *name, StringInfo text)
{
	char	   *path = psprintf("%s/%s.json", directory, name);
	char	   *checksum = psprintf("%s/%s.checksum", directory, name);
	uint8		sum[MD5_LENGTH];
	StringInfoData wanted;

	if (!FileExists(path))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FILE),
				 errmsg("manifest \"%s\" of the export is missing", path),
				 errdetail("It is the last file that an export writes, so the export or its copy is not complete."),
				 errhint("Copy the export again, with all of its files. To import data files without their manifests, copy them to another directory.")));
	ReadWhole(path, text);
	if (!FileExists(checksum))
		return path;
	ReadWhole(checksum, &wanted);
	Md5Of(path, sum);
	if (strncmp(wanted.data, ChecksumText(sum), CHECKSUM_LENGTH) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("manifest \"%s\" does not have its checksum", path),
				 errhint("Copy the export again, with all of its files.")));
	return path;
}

/* What the summary tells; NULL and -1 if it does not. */
typedef struct Summary
{
	char	   *type;
	char	   *format;
	char	   *exported;
	char	   *from;
	char	   *to;
	char	   *table_arn;
	int64		items;
} Summary;

static void
ReadSummary(const StringInfoData *text, Summary *summary)
{
	const struct
	{
		const char *name;
		char	  **value;
	}			texts[] = {
		{"exportType", &summary->type},
		{"outputFormat", &summary->format},
		{"exportTime", &summary->exported},
		{"exportFromTime", &summary->from},
		{"exportToTime", &summary->to},
		{"tableArn", &summary->table_arn},
	};
	JsonReader	r;
	Slice		name;

	*summary = (Summary) {.items = -1};
	JsonReaderInit(&r, text->data, text->len);
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		int			i = 0;

		while (i < (int) lengthof(texts) && !SliceIs(name, texts[i].name))
			i++;
		if (i < (int) lengthof(texts))
			*texts[i].value = ReadText(&r);
		else if (SliceIs(name, "itemCount"))
			summary->items = ReadCount(&r);
		else
			JsonSkipValue(&r);
	}
	JsonEnd(&r);
}

static void
TakeSummary(Manifest *m, const char *path, const Summary *summary)
{
	if (summary->format != NULL && strcmp(summary->format, "DYNAMODB_JSON") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the export \"%s\" has the format %s, which is not supported", m->directory, summary->format),
				 errhint("Export the table with the format DYNAMODB_JSON.")));
	m->incremental = summary->type != NULL && strcmp(summary->type, "INCREMENTAL_EXPORT") == 0;
	m->table_arn = summary->table_arn;
	m->from = m->incremental ? TimeOf(path, "exportFromTime", summary->from) : TimeOf(path, "exportTime", summary->exported);
	m->to = m->incremental ? TimeOf(path, "exportToTime", summary->to) : m->from;
	m->items = summary->items;
}

static void
CheckCounts(const Manifest *m, const char *summary)
{
	int64		items = 0;

	for (int i = 0; i < m->nfiles; i++)
	{
		if (m->files[i].items < 0 || m->items < 0)
			return;
		items += m->files[i].items;
	}
	if (m->items >= 0 && m->items != items)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the data files of the export have " INT64_FORMAT " items instead of " INT64_FORMAT, items, m->items),
				 errdetail("The manifest \"%s\" names %d data files; the number of all items is from \"%s\".",
						   m->path, m->nfiles, summary),
				 errhint("Copy the export again, with all of its files.")));
}

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

/* The server's own files are where their directories are, not where a link leads. */
static void
CheckNoLink(const Manifest *m)
{
	for (int i = 0; i < m->nfiles; i++)
	{
		char	   *directory = pstrdup(m->files[i].path);
		struct stat status;

		*strrchr(directory, '/') = '\0';
		if (lstat(directory, &status) == 0 && S_ISLNK(status.st_mode))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("\"%s\" is a symbolic link", directory)));
		pfree(directory);
	}
}

static bool
IsExportName(const char *directory)
{
	const char *slash = strrchr(directory, '/');
	const char *name = slash != NULL ? slash + 1 : directory;

	return IsTreeId(name);
}

bool
IsExport(const char *directory)
{
	return IsExportName(directory) ||
		FileExists(psprintf("%s/manifest-summary.json", directory)) ||
		FileExists(psprintf("%s/manifest-files.json", directory)) ||
		FileExists(psprintf("%s/_started", directory));
}

/* Its folder has the name of one of an export, and a summary of its own.  ManifestRead tells what is wrong with others. */
bool
IsBulkReport(const char *directory)
{
	char	   *path = psprintf("%s/manifest-summary.json", directory);
	Problem		problem = NO_PROBLEM;
	StringInfoData text;
	JsonReader	r;
	Slice		name;
	bool		found = false;

	if (!FileExists(path))
		return false;
	ReadWhole(path, &text);
	JsonReaderInit(&r, text.data, text.len);
	r.problem = &problem;
	if (JsonPeek(&r) != JSON_OBJECT)
		return false;
	JsonBeginObject(&r);
	while (!found && JsonNextMember(&r, &name))
	{
		found = SliceIs(name, "bulkOperationArn");
		JsonSkipValue(&r);
	}
	return found;
}

Manifest *
ManifestRead(const char *directory)
{
	Manifest   *m = palloc0(sizeof(Manifest));
	StringInfoData text;
	Summary		summary;
	char	   *path;

	m->directory = directory;
	path = ReadChecked(directory, "manifest-summary", &text);
	ReadSummary(&text, &summary);
	TakeSummary(m, path, &summary);
	m->path = ReadChecked(directory, "manifest-files", &text);
	ReadFileLines(m, &text);
	CheckCounts(m, path);
	CheckFilesExist(m);
	CheckNoLink(m);
	return m;
}

/* ---- checks of data files ---- */

const DataFile *
ManifestFind(const Manifest *m, const char *path)
{
	DataFile	wanted = {.path = unconstify(char *, path)};

	return bsearch(&wanted, m->files, m->nfiles, sizeof(DataFile), CompareDataFiles);
}

/* The service's etag is another checksum if it has a dash. */
static bool
IsMd5InHex(const char *etag)
{
	return etag != NULL && strlen(etag) == 2 * MD5_LENGTH && strspn(etag, "0123456789abcdef") == 2 * MD5_LENGTH;
}

static bool
HasChecksum(const DataFile *file)
{
	uint8		sum[MD5_LENGTH];
	char		hex[2 * MD5_LENGTH + 1];

	if (file->checksum == NULL && !IsMd5InHex(file->etag))
		return true;
	Md5Of(file->path, sum);
	if (file->checksum != NULL)
		return strcmp(file->checksum, ChecksumText(sum)) == 0;
	for (int i = 0; i < MD5_LENGTH; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	return strcmp(file->etag, hex) == 0;
}

void
ManifestVerify(const Manifest *m)
{
	for (int i = 0; i < m->nfiles; i++)
	{
		if (!HasChecksum(&m->files[i]))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("data file \"%s\" does not have the checksum in the manifest of its export",
							m->files[i].path),
					 errhint("Copy the export again, with all of its files.")));
	}
}
