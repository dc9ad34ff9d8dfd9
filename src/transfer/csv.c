/*
 * csv.c
 *	  Items from comma-separated values.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "errors.h"
#include "item/base64.h"
#include "item/builder.h"
#include "transfer/csv.h"

/* No item has as many attributes.  A small compressed file would take gigabytes of memory for its header. */
#define MAX_NAMES	(200 * 1024)

/* ---- fields ---- */

typedef struct Record
{
	const char *at;
	const char *end;
	char		delimiter;
	bool		ended;			/* no field follows */
} Record;

static bool
IsLineEnd(const Record *record, const char *at)
{
	return at == record->end || ((*at == '\n' || *at == '\r') &&
								 (at + 1 == record->end || at[1] == '\n'));
}

static void BadQuotes(void) pg_attribute_noreturn();

static void
BadQuotes(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid quoting in a CSV record"),
			 errhint("A quote in a quoted field is written twice.")));
}

/* Reads a field whose opening quote has been skipped. */
static void
ReadQuoted(Record *record, StringInfo field)
{
	for (;;)
	{
		if (record->at == record->end)
			BadQuotes();
		if (*record->at == '"')
		{
			record->at++;
			if (record->at == record->end || *record->at != '"')
				return;
		}
		appendStringInfoChar(field, *record->at++);
	}
}

static void
ReadUnquoted(Record *record, StringInfo field)
{
	while (!IsLineEnd(record, record->at) && *record->at != record->delimiter)
		appendStringInfoChar(field, *record->at++);
}

static void
ReadCsvField(Record *record, StringInfo field)
{
	resetStringInfo(field);
	if (!IsLineEnd(record, record->at) && *record->at == '"')
	{
		record->at++;
		ReadQuoted(record, field);
	}
	else
		ReadUnquoted(record, field);
	if (IsLineEnd(record, record->at))
		record->ended = true;
	else if (*record->at != record->delimiter)
		BadQuotes();
	else
		record->at++;
}

/* As fields are read: a quote opens a field only at its beginning. */
bool
CsvIsOpen(const CsvFormat *format, const char *text, int len, bool open)
{
	bool		begins = !open;
	bool		quoted = open;

	for (int i = 0; i < len; i++)
	{
		if (text[i] == '"' && (begins || quoted))
		{
			quoted = true;
			open = !open;
		}
		else if (text[i] == format->delimiter && !open)
			quoted = false;
		begins = text[i] == format->delimiter && !open;
	}
	return open;
}

/* ---- names ---- */

void
CsvReadNames(CsvFormat *format, const char *text, uint32 len)
{
	Record		record = {text, text + len, format->delimiter, false};
	StringInfoData field;
	int			capacity = 16;

	initStringInfo(&field);
	format->nnames = 0;
	format->names = palloc(capacity * sizeof(char *));
	while (!record.ended)
	{
		ReadCsvField(&record, &field);
		pg_verify_mbstr(PG_UTF8, field.data, field.len, false);
		if (field.len == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("the header of a CSV file has an empty attribute name")));
		if (format->nnames == MAX_NAMES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the header of a CSV file has more than %d attribute names", MAX_NAMES)));
		if (format->nnames == capacity)
		{
			capacity *= 2;
			format->names = repalloc(format->names, capacity * sizeof(char *));
		}
		format->names[format->nnames++] = pstrdup(field.data);
	}
}

/* ---- items ---- */

static ValueType
CsvTypeOf(const CsvFormat *format, Slice name)
{
	int			attribute = TableDefAttribute(format->def, name);

	return attribute >= 0 ? format->def->attributes[attribute].type : VALUE_S;
}

static void
AddBinary(ItemBuilder *builder, const StringInfoData *field)
{
	char	   *bytes = palloc(BASE64_DECODED_MAX((Size) field->len) + 1);
	uint32		len;
	Base64Status status = Base64Decode(field->data, (uint32) field->len, bytes, &len);

	if (status != BASE64_OK)
		InvalidRequest("%s", Base64Problem(status, (Slice) {field->data, (uint32) field->len}));
	ItemBuilderBinary(builder, bytes, len);
}

static void
AddCsvField(const CsvFormat *format, ItemBuilder *builder, const char *name,
			const StringInfoData *field)
{
	ItemBuilderName(builder, name, strlen(name));
	switch (CsvTypeOf(format, SliceOf(name)))
	{
		case VALUE_N:
			ItemBuilderNumberText(builder, field->data, field->len);
			break;
		case VALUE_B:
			AddBinary(builder, field);
			break;
		default:
			pg_verify_mbstr(PG_UTF8, field->data, field->len, false);
			ItemBuilderString(builder, field->data, field->len);
			break;
	}
}

struct varlena *
CsvItem(const CsvFormat *format, const char *text, uint32 len)
{
	Record		record = {text, text + len, format->delimiter, false};
	ItemBuilder *builder = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	StringInfoData field;
	int			n = 0;

	initStringInfo(&field);
	ItemBuilderBeginMap(builder);
	for (; !record.ended; n++)
	{
		ReadCsvField(&record, &field);
		if (n >= format->nnames)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("CSV record has more fields than the header")));
		if (field.len > 0)
			AddCsvField(format, builder, format->names[n], &field);
	}
	ItemBuilderEnd(builder);
	return ItemBuilderFinish(builder);
}
