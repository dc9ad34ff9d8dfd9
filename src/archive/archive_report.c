/*
 * archive_report.c
 *	  The reports of a bulk operation.
 */
#include "postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include "storage/fd.h"

#include "archive/archive.h"
#include "archive/archive_report.h"
#include "item/json.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/input.h"
#include "transfer/output.h"

bool
ReportIsWanted(const Job *job, const char *category)
{
	return job->outputs != NULL && strstr(job->outputs, psprintf("%s,", category)) != NULL;
}

static char *
LinesFile(const char *directory, const char *report)
{
	return psprintf("%s/%s.lines", directory, report);
}

static void ReportFileError(const char *path) pg_attribute_noreturn();

static void
ReportFileError(const char *path)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not write file \"%s\": %m", path)));
}

void
ReportAppend(const char *directory, const char *report, int64 *length, const StringInfoData *text)
{
	char	   *path = LinesFile(directory, report);
	struct stat status;
	FILE	   *file;

	if (text->len == 0)
		return;
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a regular file", path)));
	file = AllocateFile(path, *length > 0 ? "r+b" : "wb");
	if (file == NULL || ftruncate(fileno(file), (off_t) *length) != 0 || fseeko(file, (off_t) *length, SEEK_SET) != 0 ||
		fwrite(text->data, 1, text->len, file) != (size_t) text->len || fflush(file) != 0 || pg_fsync(fileno(file)) != 0)
		ReportFileError(path);
	if (FreeFile(file) != 0)
		ReportFileError(path);
	*length += text->len;
}

/* Makes the compressed file of a report; an earlier worker may have begun it. */
static void
CompressReport(const char *directory, const char *report, int64 length)
{
	char	   *own = psprintf("%s/%s", directory, report);
	char	   *path = psprintf("%s/1.json.gz", own);
	char	   *chunk = palloc(INPUT_BUFFER);
	OutputFile *output;
	FILE	   *file;

	if (length == 0)
		return;
	TreeDirectory(own);
	if (unlink(path) != 0 && errno != ENOENT)
		ReportFileError(path);
	file = OpenRegularFile(LinesFile(directory, report));
	output = OutputCreate(path, true);
	while (length > 0)
	{
		size_t		n = fread(chunk, 1, (size_t) Min(length, INPUT_BUFFER), file);

		if (n == 0)
			ReportFileError(LinesFile(directory, report));
		OutputWrite(output, chunk, n);
		length -= (int64) n;
	}
	OutputClose(output, NULL);
	FreeFile(file);
}

static void
WriteBulkManifest(const Job *job, const char *directory)
{
	char	   *path = psprintf("%s/manifest-summary.json", directory);
	StringInfoData out;
	OutputFile *output;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"bulkOperationArn\":");
	JsonAppendString(&out, job->arn, strlen(job->arn));
	appendStringInfo(&out, ",\"processedItemCount\":" INT64_FORMAT ",\"failedItemCount\":" INT64_FORMAT
					 ",\"conditionCheckFailureCount\":" INT64_FORMAT "}\n",
					 job->processed, job->errors, job->processed - job->items - job->errors);
	if (unlink(path) != 0 && errno != ENOENT)
		ReportFileError(path);
	output = OutputCreate(path, false);
	OutputWrite(output, out.data, out.len);
	OutputClose(output, NULL);
}

void
ReportsFinish(const Job *job, const char *directory)
{
	CompressReport(directory, ERROR_REPORT, job->error_bytes);
	CompressReport(directory, CONDITION_REPORT, job->condition_bytes);
	WriteBulkManifest(job, directory);
}

void
ReportsRemoveLines(const char *directory)
{
	(void) unlink(LinesFile(directory, ERROR_REPORT));
	(void) unlink(LinesFile(directory, CONDITION_REPORT));
}
