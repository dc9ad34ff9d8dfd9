/*
 * export_tree.c
 *	  The files of an export, as the service writes them.
 */
#include "postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "common/hashfn.h"
#include "datatype/timestamp.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "errors.h"
#include "item/base64.h"
#include "item/json.h"
#include "security/settings_owner.h"
#include "transfer/export_tree.h"

/* A data file is closed after this many bytes of lines. */
#define DATA_FILE_BYTES		(128 * 1024 * 1024)

/* Characters in the name of a data file. */
#define NAME_LENGTH			26

#define MANIFEST_VERSION	"2020-06-30"
#define INCREMENTAL_VERSION "2023-08-01"

/* More than the path of any file has in the directory of a tree: AWSDynamoDB/<id>/<directory>/<name>. */
#define PATH_ROOM			128

/* Characters of a time, with the end. */
#define MAX_TIME			64

/* ---- names ---- */

static void
DrawRandomBytes(void *bytes, size_t len)
{
	if (!pg_strong_random(bytes, len))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a random name")));
}

bool
IsTreeId(const char *text)
{
	return strlen(text) == TREE_ID_LENGTH && strspn(text, "0123456789") == 14 && text[14] == '-' &&
		strspn(text + 15, "0123456789abcdef") == TREE_ID_LENGTH - 15;
}

char *
TreeNewId(int64 time)
{
	uint32		number;

	DrawRandomBytes(&number, sizeof(number));
	return psprintf("%014lld-%08x", (long long) (time / 1000), number);
}

/*
 * Returns the name of a data file of an export, lower-case letters and digits.  It is told by
 * the id, so that the files of one that was interrupted are found among those of others.
 */
static char *
DataName(const char *id, int number)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
	char	   *name = palloc(NAME_LENGTH + 1);

	for (int i = 0; i < NAME_LENGTH; i++)
		name[i] = alphabet[hash_bytes_extended((const unsigned char *) id, (int) strlen(id), (uint64) number * NAME_LENGTH + i) % 32];
	name[NAME_LENGTH] = '\0';
	return name;
}

/* ---- directories ---- */

static void
CheckIsDirectory(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", path)));
	if (!S_ISDIR(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a directory", path)));
}

/*
 * Makes a directory whose name is on disk as the files in it will be.  Returns false if it
 * exists, which is an error unless it may.
 */
static bool
MakeDirectory(const char *path, bool may_exist)
{
	char	   *parent = pstrdup(path);

	if (MakePGDirectory(path) != 0)
	{
		if (may_exist && errno == EEXIST)
			return false;
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create directory \"%s\": %m", path)));
	}
	get_parent_directory(parent);
	fsync_fname(parent, true);
	return true;
}

void
TreeDirectory(const char *path)
{
	if (!MakeDirectory(path, true))
		CheckIsDirectory(path);
}

bool
TreePathFits(const char *path)
{
	return strlen(path) + PATH_ROOM < MAXPGPATH;
}

void
CheckTreePath(const char *directory)
{
	if (!TreePathFits(directory))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("the path of the directory \"%s\" is too long", directory),
				 errdetail("It may have %d bytes.", MAXPGPATH - PATH_ROOM - 1)));
}

/* ---- small files ---- */

static void
WriteFile(const char *path, const char *data, int len, uint8 *md5)
{
	OutputFile *output = OutputCreate(path, false);

	OutputWrite(output, data, len);
	OutputClose(output, md5);
}

void
TreeFile(const ExportTree *tree, const char *name, const char *data, int len)
{
	WriteFile(psprintf("%s/%s", tree->path, name), data, len, NULL);
}

/* Writes a manifest beside its checksum; it appears with all of its contents. */
static void
WriteManifest(const ExportTree *tree, const char *name, const StringInfoData *text)
{
	char	   *path = psprintf("%s/%s.json", tree->path, name);
	char	   *temporary = psprintf("%s.tmp", path);
	StringInfoData checksum;
	uint8		md5[OUTPUT_MD5_LENGTH];

	WriteFile(temporary, text->data, text->len, md5);
	initStringInfo(&checksum);
	Base64Append(&checksum, (char *) md5, sizeof(md5));
	TreeFile(tree, psprintf("%s.checksum", name), checksum.data, checksum.len);
	(void) durable_rename(temporary, path, ERROR);
}

/* ---- JSON ---- */

static void
AppendManifestMember(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
	if (value == NULL)
		appendStringInfoString(out, "null");
	else
		JsonAppendString(out, value, strlen(value));
}

static void
AppendInteger(StringInfo out, const char *name, int64 value)
{
	appendStringInfo(out, ",\"%s\":" INT64_FORMAT, name, value);
}

/* 2026-11-23T00:48:03.123Z, from microseconds since 1970. */
static char *
IsoTime(int64 time)
{
	pg_time_t	seconds = (pg_time_t) (time / USECS_PER_SEC);
	char		text[MAX_TIME];

	pg_strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", pg_gmtime(&seconds));
	return psprintf("%s.%03dZ", text, (int) (time / 1000 % 1000));
}

/* ---- data files ---- */

static void
OpenData(ExportTree *tree)
{
	char	   *name = DataName(strrchr(tree->path, '/') + 1, list_length(tree->names));

	tree->data = OutputCreate(psprintf("%s/" TREE_DATA "/%s.json.gz", tree->path, name), true);
	tree->data_key = psprintf("%s/" TREE_DATA "/%s.json.gz", tree->shares_data ? tree->top_key : tree->key, name);
	tree->names = lappend(tree->names, name);
	tree->data_items = 0;
	tree->data_bytes = 0;
}

static void
CloseData(ExportTree *tree)
{
	StringInfo	out = &tree->files;
	StringInfoData base64;
	StringInfoData etag;
	uint8		md5[OUTPUT_MD5_LENGTH];

	OutputClose(tree->data, md5);
	tree->data = NULL;
	initStringInfo(&base64);
	Base64Append(&base64, (char *) md5, sizeof(md5));
	initStringInfo(&etag);
	for (size_t i = 0; i < sizeof(md5); i++)
		appendStringInfo(&etag, "%02x", md5[i]);
	appendStringInfo(out, "{\"itemCount\":" INT64_FORMAT, tree->data_items);
	AppendManifestMember(out, "md5Checksum", base64.data);
	AppendManifestMember(out, "etag", etag.data);
	AppendManifestMember(out, "dataFileS3Key", tree->data_key);
	appendStringInfoString(out, "}\n");
}

/* ---- the tree ---- */

void
TreeBegin(ExportTree *tree, const char *directory, const char *key_prefix, const char *id, bool shares_data)
{
	memset(tree, 0, sizeof(*tree));
	CheckTreePath(directory);
	tree->shares_data = shares_data;
	initStringInfo(&tree->files);
	TreeDirectory(psprintf("%s/" TREE_TOP, directory));
	tree->path = psprintf("%s/" TREE_TOP "/%s", directory, id);
	tree->top_key = psprintf("%s" TREE_TOP, key_prefix);
	tree->key = psprintf("%s/%s", tree->top_key, id);
	(void) MakeDirectory(tree->path, false);
	tree->made = true;
	(void) MakeDirectory(psprintf("%s/" TREE_DATA, tree->path), false);
	TreeFile(tree, "_started", "", 0);
	OpenData(tree);
}

void
TreeLine(ExportTree *tree, const char *line, int len)
{
	if (tree->data_bytes >= DATA_FILE_BYTES)
	{
		CloseData(tree);
		OpenData(tree);
	}
	OutputWrite(tree->data, line, len);
	tree->data_items++;
	tree->data_bytes += len;
	tree->items++;
	tree->bytes += len;
}

static void
AppendExportTime(StringInfo out, const TreeSummary *summary)
{
	if (summary->since == 0)
	{
		AppendManifestMember(out, "exportTime", IsoTime(summary->exported));
		return;
	}
	AppendManifestMember(out, "exportFromTime", IsoTime(summary->since));
	AppendManifestMember(out, "exportToTime", IsoTime(summary->exported));
	AppendManifestMember(out, "outputView", summary->images);
}

static void
AppendSummary(StringInfo out, const ExportTree *tree, const TreeSummary *summary)
{
	appendStringInfoChar(out, '{');
	AppendManifestMember(out, "version", summary->since != 0 ? INCREMENTAL_VERSION : MANIFEST_VERSION);
	AppendManifestMember(out, "exportArn", summary->export_arn);
	AppendManifestMember(out, "startTime", IsoTime(summary->started));
	AppendManifestMember(out, "endTime", IsoTime(SettingsTime()));
	AppendManifestMember(out, "tableArn", summary->table_arn);
	AppendManifestMember(out, "tableId", summary->table_id);
	AppendExportTime(out, summary);
	AppendManifestMember(out, "s3Bucket", summary->bucket);
	AppendManifestMember(out, "s3Prefix", summary->prefix);
	AppendManifestMember(out, "s3SseAlgorithm", summary->sse_algorithm);
	AppendManifestMember(out, "s3SseKmsKeyId", NULL);
	AppendManifestMember(out, "manifestFilesS3Key", psprintf("%s/manifest-files.json", tree->key));
	AppendInteger(out, "billedSizeBytes", tree->bytes);
	AppendInteger(out, "itemCount", tree->items);
	AppendManifestMember(out, "outputFormat", "DYNAMODB_JSON");
	AppendManifestMember(out, "exportType", summary->since != 0 ? "INCREMENTAL_EXPORT" : "FULL_EXPORT");
	appendStringInfoString(out, "}\n");
}

static char *
SharedPath(const ExportTree *tree, const char *name)
{
	return psprintf("%s/../" TREE_DATA "/%s.json.gz", tree->path, name);
}

/* Moves the data files to the directory that incremental exports share, in the order of their numbers. */
static void
ShareData(ExportTree *tree)
{
	char	   *own = psprintf("%s/" TREE_DATA, tree->path);
	ListCell   *cell;

	TreeDirectory(psprintf("%s/../" TREE_DATA, tree->path));
	foreach(cell, tree->names)
	{
		(void) durable_rename(psprintf("%s/%s.json.gz", own, (char *) lfirst(cell)), SharedPath(tree, lfirst(cell)), ERROR);
		tree->nmoved++;
	}
	if (rmdir(own) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not remove directory \"%s\": %m", own)));
}

void
TreeEnd(ExportTree *tree, const TreeSummary *summary)
{
	StringInfoData text;

	CloseData(tree);
	fsync_fname(psprintf("%s/" TREE_DATA, tree->path), true);
	if (tree->shares_data)
		ShareData(tree);
	WriteManifest(tree, "manifest-files", &tree->files);
	initStringInfo(&text);
	AppendSummary(&text, tree, summary);
	WriteManifest(tree, "manifest-summary", &text);
}

/* Raises no error. */
void
TreeRemoveShared(const char *data, const char *id)
{
	char		path[MAXPGPATH];
	int			number = 0;

	do
		snprintf(path, sizeof(path), "%s/%s.json.gz", data, DataName(id, number++));
	while (unlink(path) == 0);
}

void
TreeRemove(const ExportTree *tree)
{
	for (int i = 0; i < tree->nmoved; i++)
		(void) unlink(SharedPath(tree, list_nth(tree->names, i)));
	if (tree->made && !rmtree(tree->path, true))
		ereport(WARNING,
				(errmsg("could not remove the files of the failed export in \"%s\"", tree->path)));
}
