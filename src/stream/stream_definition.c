/*
 * stream_definition.c
 *	  Streams in the system catalogs: definitions, relations and triggers.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "ddl/ddl.h"
#include "extension_objects.h"
#include "security/settings_owner.h"
#include "stream/stream_definition.h"
#include "table/definition.h"
#include "table/distribution.h"
#include "table/link.h"
#include "table/object_names.h"
#include "table/placement.h"
#include "table/table_slot.h"

#define STREAM_DEFINITION_VERSION	1	/* checked by CheckVersion */

/* The time between PostgreSQL's epoch and the Unix epoch. */
#define EPOCH_SHIFT ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* ---- times ---- */

char *
StreamTimeText(int64 microseconds)
{
	pg_time_t	seconds = (pg_time_t) (microseconds / 1000000);
	char		text[64];

	pg_strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", pg_gmtime(&seconds));
	return psprintf("%s.%03d", text, (int) (microseconds % 1000000 / 1000));
}

int64
StreamTimeFromText(const char *text)
{
	Datum		time = DirectFunctionCall3(timestamp_in, CStringGetDatum(text),
										   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return DatumGetTimestamp(time) + EPOCH_SHIFT;
}

#define TIME_TEXT_LENGTH	strlen("2026-11-21T11:20:47.123")

/*
 * A time has only one valid form: labels are compared as text, and views cast
 * times.
 */
static bool
IsTimeText(const char *text)
{
	return strlen(text) == TIME_TEXT_LENGTH &&
		strspn(text, "0123456789-T:.") == TIME_TEXT_LENGTH &&
		strcmp(StreamTimeText(StreamTimeFromText(text)), text) == 0;
}

/* ---- views ---- */

static const char *const stream_views[] = {
	"NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY", NULL
};

bool
IsStreamView(const char *view)
{
	for (const char *const *name = stream_views; *name != NULL; name++)
	{
		if (strcmp(*name, view) == 0)
			return true;
	}
	return false;
}

bool
StreamViewHasNew(const char *view)
{
	return strcmp(view, "NEW_IMAGE") == 0 || strcmp(view, "NEW_AND_OLD_IMAGES") == 0;
}

bool
StreamViewHasOld(const char *view)
{
	return strcmp(view, "OLD_IMAGE") == 0 || strcmp(view, "NEW_AND_OLD_IMAGES") == 0;
}

/* ---- the text of a definition ---- */

static void InvalidDefinition(const char *relation_name, const char *detail)
			pg_attribute_noreturn();

static void
InvalidDefinition(const char *relation_name, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid definition of stream \"%s\"", relation_name),
			 errdetail("%s", detail)));
}

/* The state of reading a definition. */
typedef struct DefinitionReader
{
	JsonbContainer *object;
	const char *relation_name;
	uint32		members;		/* number of members found */
} DefinitionReader;

/* Returns a string of 1 to max bytes; NULL if it is absent or null. */
static const char *
OptionalMember(DefinitionReader *r, const char *name, int max)
{
	JsonbValue	value;

	if (getKeyJsonValueFromContainer(r->object, name, strlen(name), &value) == NULL)
		return NULL;
	r->members++;
	if (value.type == jbvNull)
		return NULL;
	if (value.type != jbvString || value.val.string.len == 0 || value.val.string.len > max)
		InvalidDefinition(r->relation_name,
						  psprintf("Member \"%s\" is not a string of 1 to %d bytes.", name, max));
	return pnstrdup(value.val.string.val, value.val.string.len);
}

static const char *
RequiredMember(DefinitionReader *r, const char *name, int max)
{
	const char *value = OptionalMember(r, name, max);

	if (value == NULL)
		InvalidDefinition(r->relation_name, psprintf("Member \"%s\" is missing.", name));
	return value;
}

/*
 * The extension writes version 1.  Earlier code did not check the version, so
 * it may be absent.
 */
static void
CheckVersion(DefinitionReader *r)
{
	JsonbValue	value;

	if (getKeyJsonValueFromContainer(r->object, "version", strlen("version"), &value) == NULL)
		return;
	r->members++;
	if (value.type != jbvNumeric ||
		strcmp(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric))),
			   "1") != 0)
		InvalidDefinition(r->relation_name,
						  "The version of the definition is unknown to this version of the extension.");
}

static void
CheckTime(const char *text, const char *relation_name)
{
	if (text != NULL && !IsTimeText(text))
		InvalidDefinition(relation_name, psprintf("\"%s\" is not a time.", text));
}

static void
CheckView(const char *view, const char *relation_name)
{
	if (!IsStreamView(view))
		InvalidDefinition(relation_name, psprintf("\"%s\" is not a view of a stream.", view));
}

static void
ReadStreamMembers(DefinitionReader *r, StreamDef *def)
{
	CheckVersion(r);
	def->table = RequiredMember(r, "table", KEY_MAX_NAME);
	def->label = RequiredMember(r, "label", NAMEDATALEN);
	def->view = RequiredMember(r, "view", NAMEDATALEN);
	def->partition = RequiredMember(r, "partition", KEY_MAX_NAME);
	def->sort = OptionalMember(r, "sort", KEY_MAX_NAME);
	def->closed = OptionalMember(r, "closed", NAMEDATALEN);
}

static Jsonb *
ReadDefinition(const char *text, const char *relation_name, StreamDef *def)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	DefinitionReader r = {&json->root, relation_name, 0};

	memset(def, 0, sizeof(*def));
	if (!JB_ROOT_IS_OBJECT(json))
		InvalidDefinition(relation_name, "The definition is not a JSON object.");
	ReadStreamMembers(&r, def);
	if (r.members != JsonContainerSize(r.object))
		InvalidDefinition(relation_name,
						  "The definition has a member that is unknown to this version of the extension.");
	CheckTime(def->label, relation_name);
	CheckTime(def->closed, relation_name);
	CheckView(def->view, relation_name);
	if (def->sort != NULL && strcmp(def->partition, def->sort) == 0)
		InvalidDefinition(relation_name, "The key contains an attribute twice.");
	return json;
}

void
StreamDefParse(const char *text, const char *relation_name, StreamDef *def)
{
	(void) ReadDefinition(text, relation_name, def);
}

static void *
ReadStreamText(const char *text, void *def)
{
	return ReadDefinition(text, "", def);
}

/* Reads a definition; returns false for an invalid one. */
static bool
StreamDefTryParse(const char *text, StreamDef *def)
{
	return DefinitionTry(ReadStreamText, text, def) != NULL;
}

bool
StreamDefToJsonb(const char *definition, Datum *json)
{
	StreamDef	def;
	Jsonb	   *jsonb = DefinitionTry(ReadStreamText, definition, &def);

	*json = JsonbPGetDatum(jsonb);
	return jsonb != NULL;
}

void
CaptureArgumentsCheck(const Trigger *trigger)
{
	if (trigger->tgnargs != 3)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.capture_changes must be called with a stream, a view and a label")));
	CheckView(trigger->tgargs[1], trigger->tgargs[0]);
	CheckTime(trigger->tgargs[2], trigger->tgargs[0]);
}

static void
AppendStreamMember(StringInfo out, const char *name, const char *value)
{
	if (value == NULL)
		return;
	appendStringInfo(out, ", \"%s\": ", name);
	escape_json(out, value);
}

static char *
PrintStreamDef(const StreamDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{\"version\": %d", STREAM_DEFINITION_VERSION);
	AppendStreamMember(&out, "table", def->table);
	AppendStreamMember(&out, "label", def->label);
	AppendStreamMember(&out, "view", def->view);
	AppendStreamMember(&out, "partition", def->partition);
	AppendStreamMember(&out, "sort", def->sort);
	AppendStreamMember(&out, "closed", def->closed);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* ---- definitions of relations ---- */

static const Trigger *
FindStreamTrigger(Relation rel, const char *function_name, int nargs)
{
	Oid			function;

	if (rel->trigdesc == NULL)
		return NULL;
	function = SystemFunctionOid(function_name);
	for (int i = 0; i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function && trigger->tgnargs == nargs)
			return trigger;
	}
	return NULL;
}

bool
StreamDefOf(Relation stream, StreamDef *def)
{
	const Trigger *trigger = FindStreamTrigger(stream, FUNCTION_GUARD_STREAM, 1);

	if (trigger == NULL)
		return false;
	StreamDefParse(trigger->tgargs[0], RelationGetRelationName(stream), def);
	return true;
}

bool
StreamDefTryOf(Relation stream, StreamDef *def)
{
	const Trigger *trigger = FindStreamTrigger(stream, FUNCTION_GUARD_STREAM, 1);

	return trigger != NULL && StreamDefTryParse(pstrdup(trigger->tgargs[0]), def);
}

bool
TableStreamOf(Relation rel, TableStream *stream)
{
	const Trigger *trigger = FindStreamTrigger(rel, FUNCTION_CAPTURE_CHANGES, 3);

	if (trigger == NULL)
		return false;
	stream->relation = pstrdup(trigger->tgargs[0]);
	stream->view = pstrdup(trigger->tgargs[1]);
	stream->label = pstrdup(trigger->tgargs[2]);
	return true;
}

/* ---- relations and triggers ---- */

Oid
FindStreamRelation(Oid table, const char *relation)
{
	Oid			stream = FindLinked(table, relation);

	return OidIsValid(stream) && get_rel_relkind(stream) == RELKIND_RELATION &&
		HaveSameOwner(stream, table) ? stream : InvalidOid;
}

/* The stream that was found last for a definition. */
typedef struct FoundStream
{
	const char *relation;		/* the name by which it was found; NULL if none was */
	Oid			stream;
	uint64		found_at;		/* linked_table_changes then */
} FoundStream;

static TableSlot found_stream = {sizeof(FoundStream)};

static Oid
FindStreamOfShard(Relation shard, Oid table, const char *relation)
{
	Oid			stream = FindStreamRelation(table, relation);

	return OidIsValid(stream) ? placement->colocated_shard(ShardNumberOf(shard), stream) : InvalidOid;
}

static Oid
FindWrittenStream(Relation rel, const TableDef *def, const char *relation)
{
	Oid			table = DistributedTableOf(rel);

	return OidIsValid(table) ? FindStreamOfShard(rel, table, relation) :
		FindStreamRelation(TableDefRoot(def), relation);
}

Oid
FindStreamOf(Relation rel, const TableDef *def, const char *relation)
{
	FoundStream *known = TableSlotGet(def, &found_stream);
	uint64		changes = linked_table_changes;
	Oid			stream;

	if (def->cached && known->relation != NULL && strcmp(known->relation, relation) == 0 && known->found_at == changes)
		return known->stream;
	stream = FindWrittenStream(rel, def, relation);
	if (!OidIsValid(stream) || !def->cached)
		return stream;
	WatchLinkedTable(stream);
	known->relation = MemoryContextStrdup(def->context, relation);
	known->stream = stream;
	known->found_at = changes;
	return stream;
}

static char *
StreamRelationText(Oid relid)
{
	return QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
}

/* Chooses a name for a stream's table that no relation has. */
static char *
ChooseStreamRelation(Oid relid)
{
	Oid			schema = get_rel_namespace(relid);
	char	   *base = IndexRelationNameFor(get_rel_name(relid), "stream");
	char	   *name = base;

	for (int suffix = 2; IsNameTaken(schema, relid, name); suffix++)
		name = IndexRelationNameFor(base, psprintf("%d", suffix));
	return name;
}

#define STREAM_COLUMNS \
	"created_at pg_catalog.timestamptz NOT NULL, " \
	"horizon pg_catalog.xid8 NOT NULL, " \
	"event pg_catalog.\"char\" NOT NULL, " \
	"keys " DYNAMO_SCHEMA ".item, " \
	"new_item " DYNAMO_SCHEMA ".item, " \
	"old_item " DYNAMO_SCHEMA ".item"

static const char *const stream_columns =
"(number pg_catalog.int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, " STREAM_COLUMNS ")";

/* Each shard counts for itself; the column that distributes it must be in the key. */
static char *
DistributedColumns(const AttributeDef *partition)
{
	AttributeDef column = *partition;

	column.column = STREAM_PARTITION_COLUMN;
	return psprintf("(number pg_catalog.int8, " STREAM_COLUMNS ", %s, PRIMARY KEY (number, %s))",
					ColumnClause(&column), column.column);
}

char *
CreateStreamTable(Oid relid, const StreamDef *def, const AttributeDef *partition)
{
	char	   *name = ChooseStreamRelation(relid);
	Oid			stream = CreateTableBeside(relid, name, partition != NULL ? DistributedColumns(partition) :
										   stream_columns);

	StoreStreamDef(stream, def);
	StoreLink(stream, relid, name);
	return name;
}

void
StoreStreamDef(Oid stream, const StreamDef *def)
{
	char	   *table = StreamRelationText(stream);
	char	   *argument = quote_literal_cstr(PrintStreamDef(def));
	int			level = DistributedDdlBegin(stream);

	StoreTrigger(table, TRIGGER_GUARD_STREAM,
				 "BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
				 FUNCTION_GUARD_STREAM, argument);
	StoreTrigger(table, TRIGGER_GUARD_STREAM_TRUNCATE,
				 "BEFORE TRUNCATE ON %s FOR EACH STATEMENT",
				 FUNCTION_GUARD_STREAM, argument);
	DistributedDdlEnd(level);
}

void
StoreCapture(Oid relid, const TableStream *stream)
{
	char	   *table = StreamRelationText(relid);
	char	   *arguments = psprintf("%s, %s, %s", quote_literal_cstr(stream->relation),
									 quote_literal_cstr(stream->view),
									 quote_literal_cstr(stream->label));
	int			level = DistributedDdlBegin(relid);

	StoreTrigger(table, TRIGGER_CAPTURE_CHANGES,
				 "AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
				 FUNCTION_CAPTURE_CHANGES, arguments);
	StoreTrigger(table, TRIGGER_CAPTURE_TRUNCATE,
				 "BEFORE TRUNCATE ON %s FOR EACH STATEMENT",
				 FUNCTION_CAPTURE_CHANGES, arguments);
	DistributedDdlEnd(level);
}

void
DropCapture(Oid relid)
{
	char	   *table = StreamRelationText(relid);
	int			level = DistributedDdlBegin(relid);

	DropTrigger(relid, table, TRIGGER_CAPTURE_CHANGES);
	DropTrigger(relid, table, TRIGGER_CAPTURE_TRUNCATE);
	DistributedDdlEnd(level);
}

void
CloseStream(Oid stream)
{
	Relation	rel = try_table_open(stream, AccessShareLock);
	StreamDef	def;
	bool		found = rel != NULL && StreamDefTryOf(rel, &def);

	if (rel != NULL)
		table_close(rel, NoLock);
	if (!found || def.closed != NULL)
		return;
	def.closed = StreamTimeText(SettingsTime());
	StoreStreamDef(stream, &def);
}
