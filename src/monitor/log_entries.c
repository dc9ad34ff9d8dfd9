/*
 * log_entries.c
 *	  Finds the entries of the server log about a request.
 *
 * The log must be written by the server itself (logging_collector).  An entry of
 * the format stderr begins with a line that has a severity, and one of jsonlog with
 * an object; the lines up to the next such line belong to it.  An entry of csvlog
 * ends with a line break outside quotes.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_authid.h"
#include "common/string.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "errors.h"

/* The largest number of bytes that are returned of an entry. */
#define MAX_ENTRY		(1024 * 1024)
#define LINE_PIECE		8192

/* Shorter texts would match unrelated entries. */
#define MIN_ID_LEN		20

static const char *const severities[] = {
	"LOG:  ", "ERROR:  ", "WARNING:  ", "FATAL:  ", "PANIC:  ", "NOTICE:  ", "INFO:  ", "DEBUG"
};

static void
CheckRequestId(const char *id)
{
	if (strlen(id) < MIN_ID_LEN || strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != strlen(id))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a request id", id),
				 errhint("Responses contain the request id in the header x-amzn-RequestId.")));
}

static void
CheckMayReadLog(void)
{
	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to read the server log"),
				 errhint("Only superusers and members of pg_read_server_files may do so.")));
}

static bool
BeginsEntry(const char *line)
{
	if (line[0] == '{')
		return true;
	if (isspace((unsigned char) line[0]))
		return false;
	for (size_t i = 0; i < lengthof(severities); i++)
	{
		if (strstr(line, severities[i]) != NULL)
			return true;
	}
	return false;
}

/* A search through one file. */
typedef struct LogSearch
{
	const char *id;
	bool		csv;
	bool		quoted;			/* a quoted field goes on in the next line */
	StringInfoData entry;
	bool		found;			/* the entry has the id */
	ReturnSetInfo *result;
} LogSearch;

/* The log may contain bytes that are invalid in the encoding of this database. */
static void
MakeText(StringInfo entry)
{
	if (pg_verifymbstr(entry->data, entry->len, true))
		return;
	for (int i = 0; i < entry->len; i++)
	{
		if (IS_HIGHBIT_SET(entry->data[i]))
			entry->data[i] = '?';
	}
}

static void
EndEntry(LogSearch *s)
{
	if (s->found)
	{
		Datum		value;
		bool		isnull = false;

		while (s->entry.len > 0 && s->entry.data[s->entry.len - 1] == '\n')
			s->entry.data[--s->entry.len] = '\0';
		MakeText(&s->entry);
		value = CStringGetTextDatum(s->entry.data);
		tuplestore_putvalues(s->result->setResult, s->result->setDesc, &value, &isnull);
	}
	resetStringInfo(&s->entry);
	s->found = false;
}

/* Quotes within a quoted field are doubled. */
static void
NoteQuotes(LogSearch *s, const char *line)
{
	for (; *line != '\0'; line++)
		s->quoted ^= *line == '"';
}

static void
AddLogLine(LogSearch *s, const char *line)
{
	if (s->csv ? !s->quoted : BeginsEntry(line))
		EndEntry(s);
	if (s->csv)
		NoteQuotes(s, line);
	if (s->entry.len + strlen(line) < MAX_ENTRY)
		appendStringInfoString(&s->entry, line);
	s->found |= strstr(line, s->id) != NULL;
}

static void
SearchFile(LogSearch *s, const char *name)
{
	FILE	   *file = AllocateFile(name, PG_BINARY_R);
	StringInfoData line;
	char		piece[LINE_PIECE];

	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\" for reading: %m", name)));
	/* the server names files by their formats */
	s->csv = pg_str_endswith(name, ".csv");
	initStringInfo(&line);
	while (fgets(piece, sizeof(piece), file) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfoString(&line, piece);
		/* a piece that begins with a zero byte adds nothing */
		if (line.len == 0 || (line.data[line.len - 1] != '\n' && line.len < MAX_ENTRY))
			continue;
		AddLogLine(s, line.data);
		resetStringInfo(&line);
	}
	if (line.len > 0)
		AddLogLine(s, line.data);
	EndEntry(s);
	FreeFile(file);
}

/* log_entries(request_id text, file text) returns setof text */
DYNAMO_FUNCTION(dynamo_log_entries);

Datum
dynamo_log_entries(PG_FUNCTION_ARGS)
{
	LogSearch	s = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	CheckMayReadLog();
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	s.id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	CheckRequestId(s.id);
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the server does not write log files"),
				 errhint("Set \"logging_collector\" to on, or search for the request id in the destination of the log.")));
	initStringInfo(&s.entry);
	SearchFile(&s, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	return (Datum) 0;
}
