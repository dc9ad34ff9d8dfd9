/*
 * bulk.c
 *	  Lines, server files and progress reporting of import and export.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "catalog/pg_authid.h"
#include "commands/progress.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"

#include "compat.h"
#include "item/json.h"
#include "stat/progress.h"
#include "transfer/bulk.h"

#define LINE_PREFIX "{\"Item\":"

/* ---- lines ---- */

void
SkipByteOrderMark(const char **line, Size *len)
{
	static const char mark[] = "\xEF\xBB\xBF";

	if (*len >= strlen(mark) && memcmp(*line, mark, strlen(mark)) == 0)
	{
		*line += strlen(mark);
		*len -= strlen(mark);
	}
}

struct varlena *
ItemFromExportLine(const char *line, uint32 len)
{
	ItemBuilder builder;
	bool		found = false;
	bool		change = false;
	struct varlena *item;
	JsonReader	reader;
	Slice		name;

	ItemBuilderInit(&builder, 0, DUPLICATE_NAME_LAST);
	JsonReaderInit(&reader, line, len);
	JsonBeginObject(&reader);
	while (JsonNextMember(&reader, &name))
	{
		if (!found && SliceIs(name, "Item"))
		{
			ReadItemJson(&reader, &builder);
			found = true;
		}
		else
		{
			change |= SliceIs(name, "Keys");
			JsonSkipValue(&reader);
		}
	}
	JsonEnd(&reader);

	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("line has no member \"Item\""),
				 change ?
				 errhint("It is a line of an incremental export. Import the directory of the export, which has its manifests.") :
				 errhint("An example of a valid line is {\"Item\":{\"PK\":{\"S\":\"a\"}}}.")));
	item = ItemBuilderFinish(&builder);
	ItemBuilderRelease(&builder);
	return item;
}

void
ItemToExportLine(StringInfo out, ValueRef item)
{
	appendStringInfoString(out, LINE_PREFIX);
	ItemToJson(out, item);
	appendStringInfoChar(out, '}');
}

DYNAMO_FUNCTION(dynamo_import_line);
Datum
dynamo_import_line(PG_FUNCTION_ARGS)
{
	text	   *argument = PG_GETARG_TEXT_PP(0);
	const char *line = VARDATA_ANY(argument);
	Size		len = VARSIZE_ANY_EXHDR(argument);

	SkipByteOrderMark(&line, &len);
	PG_RETURN_POINTER(ItemFromExportLine(line, len));
}

DYNAMO_FUNCTION(dynamo_export_line);
Datum
dynamo_export_line(PG_FUNCTION_ARGS)
{
	StringInfoData line;

	initStringInfo(&line);
	ItemToExportLine(&line, PG_GETARG_VALUE(0));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}

/* ---- files ---- */

void
CheckServerFilePrivilege(bool for_writing)
{
	Oid			role = for_writing ? ROLE_PG_WRITE_SERVER_FILES : ROLE_PG_READ_SERVER_FILES;

	if (!has_privs_of_role(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser or have privileges of the %s role to use a server file",
						for_writing ? "pg_write_server_files" : "pg_read_server_files"),
				 for_writing ?
				 errhint("Every user can select dynamo.export_line(item) from a table.") :
				 errhint("Every user can call dynamo.import_lines.")));
}

FILE *
OpenServerFile(const char *name, bool for_writing)
{
	struct stat status;
	FILE	   *volatile file;

	if (!is_absolute_path(name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("relative path not allowed for a server file")));

	if (for_writing)
	{
		/* The umask is the process's: it must be restored after an error, too. */
		mode_t		oumask = umask(S_IWGRP | S_IWOTH);

		PG_TRY();
		{
			file = AllocateFile(name, PG_BINARY_W);
		}
		PG_FINALLY();
		{
			umask(oumask);
		}
		PG_END_TRY();
	}
	else
		file = AllocateFile(name, PG_BINARY_R);
	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", name)));

	if (fstat(fileno(file), &status) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", name)));
	if (S_ISDIR(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a directory", name)));
	return file;
}

void
CloseServerFile(FILE *file, const char *name)
{
	if (FreeFile(file) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not close file \"%s\": %m", name)));
}

/* ---- progress ---- */

void
BulkProgressStart(Oid relid, bool import, bool file, int64 bytes_total)
{
	ProgressBegin(import ? PROGRESS_IMPORT : PROGRESS_EXPORT, relid, 0);
	pgstat_progress_update_param(PROGRESS_COPY_COMMAND,
								 import ? PROGRESS_COPY_COMMAND_FROM : PROGRESS_COPY_COMMAND_TO);
	pgstat_progress_update_param(PROGRESS_COPY_TYPE,
								 file ? PROGRESS_COPY_TYPE_FILE : PROGRESS_COPY_TYPE_CALLBACK);
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_TOTAL, bytes_total);
}

void
BulkProgressUpdate(int64 bytes, int64 items, int64 skipped)
{
	const int	params[] = {
		PROGRESS_COPY_BYTES_PROCESSED,
		PROGRESS_COPY_TUPLES_PROCESSED,
		PROGRESS_COPY_TUPLES_EXCLUDED
	};
	const int64 values[] = {bytes, items, skipped};

	pgstat_progress_update_multi_param(lengthof(params), params, values);
}
