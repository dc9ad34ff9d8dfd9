/*
 * hot_keys.c
 *	  Which partition keys are used most: contributor insights.
 *
 * Operations tell of each access to an item or a partition (op/note_key.h).  This
 * module counts it in the sketch of the table or index (stat/key_sketch.h), if
 * the setting says so or insights of the table are enabled.  What was found out
 * about a table is kept in the slot of its definition, which is new when
 * UpdateContributorInsights changes something.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/skey.h"
#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "ddl/table_settings.h"
#include "extension_objects.h"
#include "item/json.h"
#include "monitor/hot_keys.h"
#include "op/note_key.h"
#include "security/settings_owner.h"
#include "stat/key_sketch.h"
#include "table/table_slot.h"

typedef enum TrackKeys
{
	TRACK_OFF,
	TRACK_INSIGHTS,
	TRACK_ALL
} TrackKeys;

static const struct config_enum_entry track_values[] = {
	{"off", TRACK_OFF, false},
	{"insights", TRACK_INSIGHTS, false},
	{"all", TRACK_ALL, false},
	{NULL, 0, false}
};

static int	track_keys = TRACK_INSIGHTS;

/* The sketch of a table or index; sketch is NULL if it has none. */
typedef struct Tracked
{
	KeySketch  *sketch;
	uint64		generation;
} Tracked;

/* What is known of a definition. */
typedef struct HotSlot
{
	bool		known;
	int			setting;		/* at that time */
	Tracked		table;
	Tracked    *indexes;		/* one for each index */
} HotSlot;

static TableSlot hot_slot = {sizeof(HotSlot)};

/* ---- which tables and indexes ---- */

static void
Track(const TableDef *def, Tracked *tracked, const char *index)
{
	tracked->sketch = KeySketchMake(def->relid, index, &tracked->generation);
}

static void
TrackIndexNamed(const TableDef *def, HotSlot *slot, const char *name)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (strcmp(def->indexes[i].name, name) == 0)
			Track(def, &slot->indexes[i], name);
	}
}

/*
 * Tracks what the rows of enabled insights name.  The table of these rows is read
 * as a catalog is: without privileges of the user, and without statements.
 */
static void
TrackEnabled(const TableDef *def, HotSlot *slot)
{
	Oid			attachments = OwnTableOid("table_attachments");
	ScanKeyData keys[2];
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	row;

	if (!OidIsValid(attachments) || def->id == NULL)
		return;
	rel = try_table_open(attachments, AccessShareLock);
	if (rel == NULL)
		return;
	ScanKeyEntryInitialize(&keys[0], 0, 1, BTEqualStrategyNumber, TEXTOID, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(def->id));
	ScanKeyEntryInitialize(&keys[1], 0, 2, BTEqualStrategyNumber, TEXTOID, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(ATTACHED_INSIGHTS));
	/* the snapshot of catalogs, which can also be taken in a parallel operation */
	scan = systable_beginscan(rel, PrimaryKeyIndex(rel), true, NULL, 2, keys);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		isnull;
		char	   *name = TextDatumGetCString(heap_getattr(row, 3, RelationGetDescr(rel), &isnull));
		char	   *mode = TextDatumGetCString(heap_getattr(row, 4, RelationGetDescr(rel), &isnull));

		if (strcmp(mode, INSIGHTS_OF_ACCESSES) != 0)
			continue;			/* of throttled keys, which there are not */
		if (*name == '\0')
			Track(def, &slot->table, NULL);
		else
			TrackIndexNamed(def, slot, name);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

static void
TrackAll(const TableDef *def, HotSlot *slot)
{
	Track(def, &slot->table, NULL);
	for (int i = 0; i < def->nindexes; i++)
		Track(def, &slot->indexes[i], def->indexes[i].name);
}

static void
FillHotSlot(const TableDef *def, HotSlot *slot)
{
	if (slot->indexes == NULL)
		slot->indexes = MemoryContextAlloc(def->context, Max(def->nindexes, 1) * sizeof(Tracked));
	memset(slot->indexes, 0, def->nindexes * sizeof(Tracked));
	slot->table.sketch = NULL;
	if (track_keys == TRACK_ALL)
		TrackAll(def, slot);
	else
		TrackEnabled(def, slot);
	slot->setting = track_keys;
	slot->known = true;
}

/* ---- counting ---- */

static void
CountKey(const TableDef *def, const IndexDef *index, const ValueRef *values, int n)
{
	HotSlot    *slot;
	Tracked    *tracked;
	KeyPart		parts[KEY_MAX_ATTRIBUTES];

	if (track_keys == TRACK_OFF || !KeySketchIsActive())
		return;
	slot = TableSlotGet(def, &hot_slot);
	if (unlikely(!slot->known || slot->setting != track_keys))
		FillHotSlot(def, slot);
	tracked = index == NULL ? &slot->table : &slot->indexes[index - def->indexes];
	if (tracked->sketch == NULL)
		return;
	for (int i = 0; i < n; i++)
		parts[i] = (KeyPart) {values[i].data, values[i].len};
	if (!KeySketchAdd(tracked->sketch, tracked->generation, HashOfPartition(values, n), parts, n))
		slot->known = false;	/* forgotten, such as by a reset */
}

void
HotKeysInit(void)
{
	DefineCustomEnumVariable("dynamo.track_keys",
							 "Of which tables the hottest partition keys are counted: none, those with contributor insights, or all.",
							 NULL, &track_keys, TRACK_INSIGHTS, track_values, PGC_SUSET, 0, NULL, NULL, NULL);
	key_hook = CountKey;
}

/* ---- dynamo.stat_keys ---- */

/* Appends the JSON of a key: a value, or a list of several; returns false if it is not known. */
static bool
AppendKeyJson(StringInfo out, const KeyCounter *counter)
{
	const char *at = counter->bytes;
	const char *end = counter->bytes + counter->nbytes;
	int			n = 0;

	while (at < end)
	{
		uint16		len;

		memcpy(&len, at, sizeof(len));
		if (n++ > 0)
			appendStringInfoChar(out, ',');
		ValueToJson(out, (ValueRef) {(const uint8 *) at + sizeof(len), len});
		at += sizeof(len) + len;
	}
	if (n > 1)
	{
		char	   *list = psprintf("[%s]", out->data);

		resetStringInfo(out);
		appendStringInfoString(out, list);
	}
	return n > 0;
}

#define KEY_COLUMNS	7

static void
PutKeyRow(ReturnSetInfo *result, const KeySketchRow *row, const KeyCounter *counter, bool visible)
{
	Datum		values[KEY_COLUMNS];
	bool		nulls[KEY_COLUMNS] = {false};
	StringInfoData key;

	initStringInfo(&key);
	values[0] = ObjectIdGetDatum(row->relation);
	nulls[1] = row->index[0] == '\0';
	values[1] = CStringGetTextDatum(row->index);
	values[2] = CStringGetTextDatum(psprintf("%016llx", (unsigned long long) counter->hash));
	nulls[3] = !visible || !AppendKeyJson(&key, counter);
	values[3] = CStringGetTextDatum(key.data);
	values[4] = Int64GetDatum((int64) counter->count);
	values[5] = Int64GetDatum((int64) counter->max_error);
	values[6] = Int64GetDatum((int64) row->accesses);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* stat_keys(): see the view dynamo.stat_keys */
DYNAMO_FUNCTION(dynamo_stat_keys);
Datum
dynamo_stat_keys(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	KeySketchRow *rows;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	rows = KeySketchRows(&n);
	for (int i = 0; i < n; i++)
	{
		bool		exists = get_rel_name(rows[i].relation) != NULL;
		bool		visible = exists && MaySeeAllRows(rows[i].relation);

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; exists && j < KEY_SKETCH_SETS * KEY_SKETCH_WAYS; j++)
		{
			if (rows[i].counters[j].count > 0)
				PutKeyRow(result, &rows[i], &rows[i].counters[j], visible);
		}
	}
	return (Datum) 0;
}
