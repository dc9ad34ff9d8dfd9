/*
 * export.c
 *	  An export to S3, copied to a directory: its manifests, and the items in its files.
 *
 * The directory is that of one export (AWSDynamoDB/<id>), with manifest-summary.json,
 * manifest-files.json, and the data files below it.  Sizes are not trusted: every file must
 * have the MD5 checksum of the manifest.  A manifest of which the end is missing has fewer
 * items than the summary.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "move.h"

/* An item of 400 KB is some megabytes of JSON. */
#define LARGEST_LINE	(64 * 1024 * 1024)

#define ITEMS_OF_A_PAGE	2000
#define BYTES_OF_A_PAGE	(1024 * 1024)

static char *
Md5Of(const char *path)
{
	FILE	   *file = fopen(path, "rb");
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char buffer[65536],
				hash[EVP_MAX_MD_SIZE];
	char	   *text = MoveAlloc(2 * EVP_MAX_MD_SIZE);
	unsigned	len = 0;
	size_t		n;

	if (file == NULL)
		MoveFail("cannot read \"%s\": %s", path, strerror(errno));
	if (context == NULL || EVP_DigestInit_ex(context, EVP_md5(), NULL) != 1)
		MoveFail("cannot compute MD5");
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
	{
		if (move_stop)
			MoveFail("stopped while the files of the export were checked");
		EVP_DigestUpdate(context, buffer, n);
	}
	if (ferror(file))
		MoveFail("cannot read \"%s\": %s", path, strerror(errno));
	EVP_DigestFinal_ex(context, hash, &len);
	EVP_EncodeBlock((unsigned char *) text, hash, (int) len);
	EVP_MD_CTX_free(context);
	fclose(file);
	return text;
}

static char *
ReadLine(gzFile file, const char *path, Text *line)
{
	char		buffer[65536];

	TextClear(line);
	for (;;)
	{
		z_off_t		begin = gztell(file);

		if (gzgets(file, buffer, sizeof(buffer)) == NULL)
			break;
		/* a zero byte does not end a line */
		TextAdd(line, buffer, (size_t) (gztell(file) - begin));
		if (line->len > LARGEST_LINE)
			MoveFail("\"%s\" has a line of more than %d MB", path, LARGEST_LINE / 1024 / 1024);
		if (line->data[line->len - 1] == '\n')
			return line->data;
	}
	return line->len > 0 ? line->data : NULL;
}

static gzFile
OpenLines(const char *path)
{
	gzFile		file = gzopen(path, "rb");

	if (file == NULL)
		MoveFail("cannot read \"%s\": %s", path, strerror(errno));
	gzbuffer(file, 262144);
	return file;
}

static void
CloseLines(gzFile file, const char *path)
{
	int			code;

	gzerror(file, &code);
	if (code != Z_OK && code != Z_STREAM_END)
		MoveFail("\"%s\" is damaged", path);
	gzclose(file);
}

/* One line of manifest-files.json: the file must be there, and as it was. */
static void
CheckFile(const char *directory, json_t *entry, json_t *files)
{
	const char *key = JsonString(entry, "dataFileS3Key"),
			   *expected = JsonString(entry, "md5Checksum"),
			   *name = key != NULL ? strrchr(key, '/') : NULL;
	char	   *path,
			   *md5;

	if (name == NULL || expected == NULL)
		MoveFail("manifest-files.json has a line without dataFileS3Key or md5Checksum");
	path = MoveFormat("%s/data%s", directory, name);
	md5 = Md5Of(path);
	if (strcmp(md5, expected) != 0)
		MoveFail("\"%s\" does not have the checksum of the manifest", path);
	json_array_append_new(files, json_string(path));
	free(md5);
	free(path);
}

static double
ReadTime(const char *text)
{
	struct tm	tm = {0};

	const char *rest = text != NULL ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	double		time;

	if (rest != NULL && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (rest == NULL || strcmp(rest, "Z") != 0)
		MoveFail("manifest-summary.json has no exportTime");
	time = (double) timegm(&tm);
	/* the changes until then would be left out */
	if (time > MoveNow() + 900)
		MoveFail("the export is of the future: %s", text);
	return time;
}

/* The export must be of this table, in the format that is read. */
static void
CheckSummary(json_t *summary, const char *table_id)
{
	const char *format = JsonString(summary, "outputFormat"),
			   *type = JsonString(summary, "exportType"),
			   *id = JsonString(summary, "tableId");

	if (format != NULL && strcmp(format, "DYNAMODB_JSON") != 0)
		MoveFail("the export has the format \"%s\"; only DYNAMODB_JSON is read", format);
	if (type != NULL && strcmp(type, "FULL_EXPORT") != 0)
		MoveFail("only full exports are read");
	if (id != NULL && table_id != NULL && strcmp(id, table_id) != 0)
		MoveFail("the export is of another table, or of one that was dropped and created again since: %s", id);
}

/* Checks an export, and fills the list of its files' paths.  Returns its time. */
double
ExportOpen(const char *directory, const char *table_id, json_t *files)
{
	char	   *summary_path = MoveFormat("%s/manifest-summary.json", directory),
			   *files_path = MoveFormat("%s/manifest-files.json", directory);
	Text		line = {0};
	json_t	   *summary;
	gzFile		file = OpenLines(summary_path);
	double		time,
				items = 0;

	if (ReadLine(file, summary_path, &line) == NULL)
		MoveFail("\"%s\" is empty", summary_path);
	summary = JsonParse(line.data, line.len, "manifest-summary.json");
	gzclose(file);
	CheckSummary(summary, table_id);
	time = ReadTime(JsonString(summary, "exportTime"));
	file = OpenLines(files_path);
	while (ReadLine(file, files_path, &line) != NULL)
	{
		json_t	   *entry = JsonParse(line.data, line.len, "manifest-files.json");

		CheckFile(directory, entry, files);
		items += JsonNumber(entry, "itemCount");
		json_decref(entry);
	}
	CloseLines(file, files_path);
	if (json_is_number(json_object_get(summary, "itemCount")) && JsonNumber(summary, "itemCount") != items)
		MoveFail("the files of the export have %.0f items instead of %.0f; manifest-files.json is not complete", items, JsonNumber(summary, "itemCount"));
	json_decref(summary);
	TextFree(&line);
	free(summary_path);
	free(files_path);
	return time;
}

/*
 * Reads the items of a file in pages, after some lines.  The function gets the number of
 * lines read so far; false: it wants no more.
 */
bool
ExportRead(const char *path, long skip, bool (*take) (void *arg, json_t *items, long lines), void *arg)
{
	gzFile		file = OpenLines(path);
	Text		line = {0};
	json_t	   *items = json_array();
	size_t		bytes = 0;
	long		lines = 0;
	bool		wanted = true;

	while (wanted && ReadLine(file, path, &line) != NULL)
	{
		json_t	   *value,
				   *item;

		if (++lines <= skip)
			continue;
		value = JsonParse(line.data, line.len, path);
		item = json_object_get(value, "Item");
		if (!json_is_object(item))
			MoveFail("line %ld of \"%s\" has no Item", lines, path);
		json_array_append(items, item);
		json_decref(value);
		bytes += line.len;
		if (json_array_size(items) >= ITEMS_OF_A_PAGE || bytes >= BYTES_OF_A_PAGE)
		{
			wanted = take(arg, items, lines);
			json_array_clear(items);
			bytes = 0;
		}
	}
	if (wanted)
	{
		CloseLines(file, path);
		if (json_array_size(items) > 0)
			wanted = take(arg, items, lines);
	}
	else
		gzclose(file);
	json_decref(items);
	TextFree(&line);
	return wanted;
}
