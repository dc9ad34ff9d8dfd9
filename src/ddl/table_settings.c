/*
 * table_settings.c
 *	  Settings of the API that are not part of a table's definition.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "ddl/feature.h"
#include "security/settings_owner.h"
#include "ddl/table_settings.h"
#include "table/distribution.h"
#include "table/table_id.h"

/* ---- columns ---- */

typedef enum ColumnKind
{
	COLUMN_TEXT,
	COLUMN_BOOLEAN,
	COLUMN_BIGINT,
	COLUMN_OID,
	COLUMN_TIME
} ColumnKind;

typedef struct Column
{
	const char *name;
	ColumnKind	kind;
	size_t		offset;			/* offset in the settings struct */
} Column;

/* The columns of a Throughput at this offset. */
#define THROUGHPUT_COLUMNS(base) \
	{"read_capacity_units", COLUMN_BIGINT, (base) + offsetof(Throughput, read_units)}, \
	{"write_capacity_units", COLUMN_BIGINT, (base) + offsetof(Throughput, write_units)}, \
	{"increased_at", COLUMN_TIME, (base) + offsetof(Throughput, increased)}, \
	{"decreased_at", COLUMN_TIME, (base) + offsetof(Throughput, decreased)}, \
	{"decreases", COLUMN_BIGINT, (base) + offsetof(Throughput, decreases)}, \
	{"max_read_request_units", COLUMN_BIGINT, (base) + offsetof(Throughput, max_read_units)}, \
	{"max_write_request_units", COLUMN_BIGINT, (base) + offsetof(Throughput, max_write_units)}, \
	{"warm_read_units", COLUMN_BIGINT, (base) + offsetof(Throughput, warm_read_units)}, \
	{"warm_write_units", COLUMN_BIGINT, (base) + offsetof(Throughput, warm_write_units)}

static const Column table_columns[] = {
	{"relation", COLUMN_OID, offsetof(TableSettings, relation)},
	{"created_at", COLUMN_TIME, offsetof(TableSettings, created)},
	{"on_demand", COLUMN_BOOLEAN, offsetof(TableSettings, on_demand)},
	{"on_demand_since", COLUMN_TIME, offsetof(TableSettings, on_demand_since)},
	THROUGHPUT_COLUMNS(offsetof(TableSettings, throughput)),
	{"stream_label", COLUMN_TEXT, offsetof(TableSettings, stream_label)},
	{"deletion_protection", COLUMN_BOOLEAN, offsetof(TableSettings, deletion_protection)},
	{"table_class", COLUMN_TEXT, offsetof(TableSettings, table_class)},
	{"table_class_changed_at", COLUMN_TIME, offsetof(TableSettings, class_changed)},
	{"sse_type", COLUMN_TEXT, offsetof(TableSettings, sse_type)},
	{"sse_key", COLUMN_TEXT, offsetof(TableSettings, sse_key)},
	{"time_to_live_changed_at", COLUMN_TIME, offsetof(TableSettings, ttl_changed)},
	{"recovery_period_days", COLUMN_BIGINT, offsetof(TableSettings, recovery_days)},
	{"recovery_since", COLUMN_TIME, offsetof(TableSettings, recovery_since)},
	{"recovery_stream", COLUMN_TEXT, offsetof(TableSettings, recovery_stream)},
};

static const Column index_columns[] = {
	THROUGHPUT_COLUMNS(0)
};

/* A table of settings; its key columns precede these columns. */
typedef struct SettingsTable
{
	const char *name;
	int			nkeys;
	int			ncolumns;
	const Column *columns;
} SettingsTable;

static const SettingsTable table_settings = {
	"dynamo_internal.table_settings", 1, lengthof(table_columns), table_columns
};
static const SettingsTable index_settings = {
	"dynamo_internal.index_settings", 2, lengthof(index_columns), index_columns
};

static const char *const key_columns[] = {"table_id", "index_name"};

#define MAX_COLUMNS ((int) lengthof(table_columns))

static const Oid column_types[] = {
	[COLUMN_TEXT] = TEXTOID,
	[COLUMN_BOOLEAN] = BOOLOID,
	[COLUMN_BIGINT] = INT8OID,
	[COLUMN_OID] = OIDOID,
	[COLUMN_TIME] = TIMESTAMPTZOID,
};

static void *
ColumnField(const void *settings, const Column *column)
{
	return unconstify(char *, (const char *) settings) + column->offset;
}

/* Returns a column's value; sets *null. */
static Datum
ColumnDatum(const void *settings, const Column *column, char *null)
{
	void	   *field = ColumnField(settings, column);

	*null = ' ';
	switch (column->kind)
	{
		case COLUMN_BOOLEAN:
			return BoolGetDatum(*(bool *) field);
		case COLUMN_BIGINT:
			return Int64GetDatum(*(int64 *) field);
		case COLUMN_OID:
			return ObjectIdGetDatum(*(Oid *) field);
		case COLUMN_TIME:
			if (*(int64 *) field != 0)
				return TimestampTzGetDatum(*(int64 *) field - EPOCH_SHIFT);
			break;
		case COLUMN_TEXT:
			if (*(char **) field != NULL)
				return CStringGetTextDatum(*(char **) field);
			break;
	}
	*null = 'n';
	return (Datum) 0;
}

static void
SetColumnField(void *settings, const Column *column, Datum value)
{
	void	   *field = ColumnField(settings, column);

	switch (column->kind)
	{
		case COLUMN_BOOLEAN:
			*(bool *) field = DatumGetBool(value);
			break;
		case COLUMN_BIGINT:
			*(int64 *) field = DatumGetInt64(value);
			break;
		case COLUMN_OID:
			*(Oid *) field = DatumGetObjectId(value);
			break;
		case COLUMN_TIME:
			*(int64 *) field = DatumGetTimestampTz(value) + EPOCH_SHIFT;
			break;
		case COLUMN_TEXT:
			*(char **) field = TextDatumGetCString(value);
			break;
	}
}

/* ---- statements, as the owner of the settings ---- */

/* The parameters of a statement; the first is always the table's id. */
typedef struct Parameters
{
	int			n;
	Oid			types[MAX_COLUMNS + (int) lengthof(key_columns)];
	Datum		values[MAX_COLUMNS + (int) lengthof(key_columns)];
	char		nulls[MAX_COLUMNS + (int) lengthof(key_columns)];
} Parameters;

static void
AddSettingParameter(Parameters *p, Oid type, Datum value, char null)
{
	p->types[p->n] = type;
	p->values[p->n] = value;
	p->nulls[p->n++] = null;
}

static void
AddTextParameter(Parameters *p, const char *text)
{
	AddSettingParameter(p, TEXTOID, CStringGetTextDatum(text), ' ');
}

static void
ExecuteAsOwner(const char *sql, Parameters *p)
{
	ExecuteAsSettingsOwner(sql, p->n, p->types, p->values, p->nulls);
}

/* Executes a statement that returns nothing; the caller must own the table. */
static void
ChangeAsOwner(Relation rel, const char *sql, Parameters *p)
{
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	SPI_connect();
	ExecuteAsOwner(sql, p);
	SPI_finish();
}

static void
InitParameters(Parameters *p, Relation rel)
{
	CheckSettingsAreHere(rel);
	p->n = 0;
	AddTextParameter(p, TableIdOf(rel));
}

/* ---- settings of tables ---- */

TableSettings *
TableSettingsNew(void)
{
	TableSettings *settings = palloc0(sizeof(TableSettings));

	settings->created = SettingsTime();
	settings->on_demand = true;
	settings->on_demand_since = settings->created;
	return settings;
}

/*
 * Appends a format for a column: @ is replaced by its name, # by its number.
 */
static void
AppendSettingColumns(StringInfo out, const char *format, const char *column, int number)
{
	for (const char *f = format; *f != '\0'; f++)
	{
		if (*f == '@')
			appendStringInfoString(out, column);
		else if (*f == '#')
			appendStringInfo(out, "$%d", number);
		else
			appendStringInfoChar(out, *f);
	}
}

static char *
KeyList(const SettingsTable *t, const char *format, const char *separator)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < t->nkeys; i++)
	{
		appendStringInfoString(&out, i > 0 ? separator : "");
		AppendSettingColumns(&out, format, key_columns[i], i + 1);
	}
	return out.data;
}

static char *
SettingColumnList(const SettingsTable *t, const char *format)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < t->ncolumns; i++)
	{
		appendStringInfoString(&out, i > 0 ? ", " : "");
		AppendSettingColumns(&out, format, t->columns[i].name, t->nkeys + i + 1);
	}
	return out.data;
}

/* Returns WHERE for the key in the first parameters. */
static char *
KeyWhereClause(const SettingsTable *t)
{
	return psprintf("WHERE %s", KeyList(t, "@ OPERATOR(pg_catalog.=) #", " AND "));
}

/*
 * Reads the row that SPI has found into settings, in the given memory context.
 */
static void
SettingsFromRow(const SettingsTable *t, void *settings, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	for (int i = 0; i < t->ncolumns; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
										  i + 1, &isnull);

		if (!isnull)
			SetColumnField(settings, &t->columns[i], value);
	}
	MemoryContextSwitchTo(old);
}

/*
 * Reads the row with the key in p.  If there is none, settings does not
 * change.
 */
static void
ReadSettings(const SettingsTable *t, Parameters *p, void *settings)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_connect();
	ExecuteAsOwner(psprintf("SELECT %s FROM %s %s", SettingColumnList(t, "@"), t->name, KeyWhereClause(t)), p);
	if (SPI_processed > 0)
		SettingsFromRow(t, settings, context);
	SPI_finish();
}

static void
WriteSettings(const SettingsTable *t, Relation rel, Parameters *p, const void *settings)
{
	for (int i = 0; i < t->ncolumns; i++)
	{
		char		null;
		Datum		value = ColumnDatum(settings, &t->columns[i], &null);

		AddSettingParameter(p, column_types[t->columns[i].kind], value, null);
	}
	ChangeAsOwner(rel,
				  psprintf("INSERT INTO %s (%s, %s) VALUES (%s, %s) "
						   "ON CONFLICT (%s) DO UPDATE SET %s",
						   t->name, KeyList(t, "@", ", "), SettingColumnList(t, "@"),
						   KeyList(t, "#", ", "), SettingColumnList(t, "#"),
						   KeyList(t, "@", ", "), SettingColumnList(t, "@ = EXCLUDED.@")),
				  p);
}

TableSettings *
TableSettingsRead(Relation rel)
{
	TableSettings *settings = palloc0(sizeof(TableSettings));
	Parameters	p;

	settings->on_demand = true;
	InitParameters(&p, rel);
	settings->table_id = TextDatumGetCString(p.values[0]);
	ReadSettings(&table_settings, &p, settings);
	return settings;
}

void
TableSettingsWrite(Relation rel, const TableSettings *settings)
{
	TableSettings written = *settings;
	Parameters	p;

	written.relation = RelationGetRelid(rel);
	InitParameters(&p, rel);
	WriteSettings(&table_settings, rel, &p, &written);
}

#define OF_TABLE "WHERE table_id OPERATOR(pg_catalog.=) $1"

/* dynamo.create_table has created a table. */
static void
BeginSettings(Oid table)
{
	Relation	rel = table_open(table, NoLock);

	TableSettingsWrite(rel, TableSettingsNew());
	table_close(rel, NoLock);
}

/* dynamo.drop_table is about to drop a table. */
static void
ForgetSettings(Oid table)
{
	Relation	rel = table_open(table, NoLock);
	Parameters	p;

	InitParameters(&p, rel);
	ChangeAsOwner(rel, "DELETE FROM dynamo_internal.table_settings " OF_TABLE, &p);
	ChangeAsOwner(rel, "DELETE FROM dynamo_internal.index_settings " OF_TABLE, &p);
	ChangeAsOwner(rel, "DELETE FROM dynamo_internal.table_tags " OF_TABLE, &p);
	ChangeAsOwner(rel, "DELETE FROM dynamo_internal.table_attachments " OF_TABLE, &p);
	table_close(rel, NoLock);
}

static void
IndexParameters(Parameters *p, Relation rel, const char *index_name)
{
	InitParameters(p, rel);
	AddTextParameter(p, index_name);
}

/* dynamo.drop_index has dropped an index; another one of its name begins without settings. */
static void
ForgetIndexSettings(Oid table, const char *index_name)
{
	Relation	rel = table_open(table, NoLock);
	Parameters	p;

	IndexParameters(&p, rel, index_name);
	ChangeAsOwner(rel, psprintf("DELETE FROM %s %s", index_settings.name,
								KeyWhereClause(&index_settings)), &p);
	TableAttachmentRemove(rel, ATTACHED_INSIGHTS, index_name);
	table_close(rel, NoLock);
}

static const char *const forget_dropped =
"WITH gone AS (DELETE FROM dynamo_internal.table_settings WHERE relation OPERATOR(pg_catalog.=) $1 RETURNING table_id), "
"tags AS (DELETE FROM dynamo_internal.table_tags t USING gone g "
"WHERE t.table_id OPERATOR(pg_catalog.=) g.table_id), "
"attachments AS (DELETE FROM dynamo_internal.table_attachments a USING gone g "
"WHERE a.table_id OPERATOR(pg_catalog.=) g.table_id) "
"DELETE FROM dynamo_internal.index_settings i USING gone g "
"WHERE i.table_id OPERATOR(pg_catalog.=) g.table_id";

/* A table was dropped; the id in its definition is gone with it. */
static void
ForgetDroppedSettings(Oid relid)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(relid);

	ExecuteAsSettingsOwner(forget_dropped, 1, &type, &value, NULL);
}

static const DdlFeature settings_feature = {
	.begin_table = BeginSettings,
	.leave_table = ForgetSettings,
	.forget_index = ForgetIndexSettings,
	.forget_table = ForgetDroppedSettings
};

void
TableSettingsInit(void)
{
	DdlFeatureRegister(&settings_feature);
}

/* ---- settings of indexes ---- */

Throughput
IndexThroughputRead(Relation rel, const char *index_name)
{
	Throughput	throughput = {0};
	Parameters	p;

	IndexParameters(&p, rel, index_name);
	ReadSettings(&index_settings, &p, &throughput);
	return throughput;
}

void
IndexThroughputWrite(Relation rel, const char *index_name, const Throughput *throughput)
{
	Parameters	p;

	IndexParameters(&p, rel, index_name);
	WriteSettings(&index_settings, rel, &p, throughput);
}

/* ---- tags ---- */

TableTag *
TableTagsRead(Relation rel, int *n)
{
	MemoryContext context = CurrentMemoryContext;
	TableTag   *tags;
	Parameters	p;

	InitParameters(&p, rel);
	SPI_connect();
	ExecuteAsOwner("SELECT tag_key, tag_value FROM dynamo_internal.table_tags " OF_TABLE
				   " ORDER BY tag_key", &p);
	*n = (int) SPI_processed;
	tags = MemoryContextAlloc(context, Max(*n, 1) * sizeof(TableTag));
	for (int i = 0; i < *n; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];

		tags[i].key = MemoryContextStrdup(context, SPI_getvalue(row, SPI_tuptable->tupdesc, 1));
		tags[i].value = MemoryContextStrdup(context, SPI_getvalue(row, SPI_tuptable->tupdesc, 2));
	}
	SPI_finish();
	return tags;
}

void
TableTagWrite(Relation rel, const TableTag *tag)
{
	Parameters	p;

	InitParameters(&p, rel);
	AddTextParameter(&p, tag->key);
	AddTextParameter(&p, tag->value);
	ChangeAsOwner(rel,
				  "INSERT INTO dynamo_internal.table_tags VALUES ($1, $2, $3) "
				  "ON CONFLICT (table_id, tag_key) DO UPDATE SET "
				  "tag_value = EXCLUDED.tag_value", &p);
}

void
TableTagRemove(Relation rel, const char *key)
{
	Parameters	p;

	InitParameters(&p, rel);
	AddTextParameter(&p, key);
	ChangeAsOwner(rel,
				  "DELETE FROM dynamo_internal.table_tags " OF_TABLE
				  " AND tag_key OPERATOR(pg_catalog.=) $2", &p);
}

/* ---- attachments ---- */

#define OF_KIND OF_TABLE " AND kind OPERATOR(pg_catalog.=) $2"

static void
AttachmentParameters(Parameters *p, Relation rel, const char *kind)
{
	InitParameters(p, rel);
	AddTextParameter(p, kind);
}

TableAttachment *
TableAttachmentsRead(Relation rel, const char *kind, int *n)
{
	MemoryContext context = CurrentMemoryContext;
	TableAttachment *all;
	Parameters	p;

	AttachmentParameters(&p, rel, kind);
	SPI_connect();
	ExecuteAsOwner("SELECT name, value, changed_at FROM dynamo_internal.table_attachments " OF_KIND
				   " ORDER BY name", &p);
	*n = (int) SPI_processed;
	all = MemoryContextAlloc(context, Max(*n, 1) * sizeof(TableAttachment));
	for (int i = 0; i < *n; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;

		all[i].name = MemoryContextStrdup(context, SPI_getvalue(row, SPI_tuptable->tupdesc, 1));
		all[i].value = MemoryContextStrdup(context, SPI_getvalue(row, SPI_tuptable->tupdesc, 2));
		all[i].changed = DatumGetTimestampTz(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &isnull)) + EPOCH_SHIFT;
	}
	SPI_finish();
	return all;
}

TableAttachment *
TableAttachmentRead(Relation rel, const char *kind, const char *name)
{
	int			n;
	TableAttachment *all = TableAttachmentsRead(rel, kind, &n);

	for (int i = 0; i < n; i++)
	{
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	}
	return NULL;
}

void
TableAttachmentWrite(Relation rel, const char *kind, const TableAttachment *attachment)
{
	Parameters	p;

	AttachmentParameters(&p, rel, kind);
	AddTextParameter(&p, attachment->name);
	AddTextParameter(&p, attachment->value);
	AddSettingParameter(&p, TIMESTAMPTZOID, TimestampTzGetDatum(attachment->changed - EPOCH_SHIFT), ' ');
	ChangeAsOwner(rel,
				  "INSERT INTO dynamo_internal.table_attachments VALUES ($1, $2, $3, $4, $5) "
				  "ON CONFLICT (table_id, kind, name) DO UPDATE SET "
				  "value = EXCLUDED.value, changed_at = EXCLUDED.changed_at", &p);
}

void
TableAttachmentRemove(Relation rel, const char *kind, const char *name)
{
	Parameters	p;

	AttachmentParameters(&p, rel, kind);
	AddTextParameter(&p, name);
	ChangeAsOwner(rel,
				  "DELETE FROM dynamo_internal.table_attachments " OF_KIND
				  " AND name OPERATOR(pg_catalog.=) $3", &p);
}
