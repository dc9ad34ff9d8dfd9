/*
 * build_state.c
 *	  The progress of index builds: rows of dynamo_internal.index_builds.
 *
 * A row is written in the transaction of the batch it describes, so that a
 * crash keeps both or neither.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "ddl/feature.h"
#include "index/build.h"
#include "security/settings_owner.h"

static const char *const phase_names[] = {"filling", "building", "waiting", "complete"};

#define KEY_PARAMETERS	2

static void
SetBuildKey(Oid relid, const char *index_name, Oid *types, Datum *values)
{
	types[0] = OIDOID;
	values[0] = ObjectIdGetDatum(relid);
	types[1] = TEXTOID;
	values[1] = CStringGetTextDatum(index_name);
}

/*
 * Executes a statement with a new snapshot.  A builder has no snapshot between
 * its steps, but SPI needs one.  A transaction that drops an index, and that
 * began before the builder's last batch, has stopped the builder and must not
 * fail because of the batch.
 */
static void
ExecuteWithNewSnapshot(const char *sql, int n, Oid *types, Datum *values, const char *nulls)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	ExecuteLatestAsSettingsOwner(sql, n, types, values, nulls);
	PopActiveSnapshot();
}

/* Runs a statement with the key and one text as parameters. */
static void
ExecuteWithText(const char *sql, Oid relid, const char *index_name, const char *text)
{
	Oid			types[KEY_PARAMETERS + 1];
	Datum		values[KEY_PARAMETERS + 1];
	char		nulls[] = "  ";

	SetBuildKey(relid, index_name, types, values);
	types[KEY_PARAMETERS] = TEXTOID;
	values[KEY_PARAMETERS] = text != NULL ? CStringGetTextDatum(text) : (Datum) 0;
	SPI_connect();
	ExecuteWithNewSnapshot(sql, text != NULL ? KEY_PARAMETERS + 1 : KEY_PARAMETERS,
						   types, values, nulls);
	SPI_finish();
}

void
BuildStateForget(Oid relid, const char *index_name)
{
	ExecuteWithText("DELETE FROM dynamo_internal.index_builds WHERE relation OPERATOR(pg_catalog.=) $1 "
					"AND index_name OPERATOR(pg_catalog.=) $2", relid, index_name, NULL);
}

void
BuildStateStart(Oid relid, const char *index_name, BuildPhase phase)
{
	BuildState	state = {.phase = phase, .skipped_items = "[]"};

	BuildStateForget(relid, index_name);
	BuildStateWrite(relid, index_name, &state);
}

void
BuildStatePhase(Oid relid, const char *index_name, BuildPhase phase)
{
	ExecuteWithText("UPDATE dynamo_internal.index_builds SET phase = $3, attempts = 0, updated_at = pg_catalog.clock_timestamp() "
					"WHERE relation OPERATOR(pg_catalog.=) $1 AND index_name OPERATOR(pg_catalog.=) $2",
					relid, index_name, phase_names[phase]);
}

void
BuildStateForgetErrors(Oid relid)
{
	ExecuteWithText("UPDATE dynamo_internal.index_builds SET error = NULL, cancelled = false "
					"WHERE relation OPERATOR(pg_catalog.=) $1 AND $2 IS NOT NULL AND error IS NOT NULL",
					relid, "", NULL);
}

/*
 * The row may not exist: a definition can come from a dump or be written by
 * hand.
 */
#define ENSURE_STATE(column, value, update) \
	"INSERT INTO dynamo_internal.index_builds AS b (relation, index_name, phase, file, block, \"offset\", " \
	"blocks, rows_done, skipped, skipped_items, started_at, updated_at, " column ") " \
	"VALUES ($1, $2, 'filling', 0, 0, 0, 0, 0, 0, '[]', pg_catalog.clock_timestamp(), " \
	"pg_catalog.clock_timestamp(), " value ") " \
	"ON CONFLICT (relation, index_name) DO UPDATE SET " update

void
BuildStateAttempt(Oid relid, const char *index_name)
{
	ExecuteWithText(ENSURE_STATE("attempts", "1", "attempts = b.attempts OPERATOR(pg_catalog.+) 1"),
					relid, index_name, NULL);
}

void
BuildStateError(Oid relid, const char *index_name, const char *error)
{
	ExecuteWithText(ENSURE_STATE("error", "$3", "error = $3, cancelled = false, attempts = 0, "
								 "updated_at = pg_catalog.clock_timestamp()"),
					relid, index_name, error);
}

/*
 * If the row does not exist, the session that drops the index has canceled the
 * build.
 */
void
BuildStateCancelled(Oid relid, const char *index_name, const char *error)
{
	ExecuteWithText("UPDATE dynamo_internal.index_builds SET error = $3, cancelled = true, "
					"updated_at = pg_catalog.clock_timestamp() "
					"WHERE relation OPERATOR(pg_catalog.=) $1 AND index_name OPERATOR(pg_catalog.=) $2",
					relid, index_name, error);
}

/*
 * Gives up a build that several times ended together with the server, without
 * an error and without progress: it may be the cause.
 */
static const char *const give_up =
"UPDATE dynamo_internal.index_builds SET cancelled = true, "
"error = pg_catalog.format('the build ended %s times without an error', attempts) "
"WHERE relation OPERATOR(pg_catalog.=) $1 AND $2 IS NOT NULL "
"AND attempts OPERATOR(pg_catalog.>=) " CppAsString2(BUILD_MAX_ATTEMPTS) " AND NOT cancelled";

bool
BuildStateMayResume(Oid relid)
{
	BuildState	state;

	ExecuteWithText(give_up, relid, "", NULL);
	BuildStateReadLatest(relid, &state);
	return !state.cancelled;
}

/* ---- reading and writing ---- */

static Datum
ResultValue(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

static int64
ResultInteger(int column)
{
	bool		isnull;
	Datum		value = ResultValue(column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/* Returns a result in the given memory context, because SPI frees its own. */
static char *
ResultText(int column, MemoryContext context)
{
	char	   *text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);

	return text != NULL ? MemoryContextStrdup(context, text) : NULL;
}

static BuildPhase
PhaseFromName(const char *name)
{
	for (size_t i = 0; i < lengthof(phase_names); i++)
	{
		if (strcmp(phase_names[i], name) == 0)
			return (BuildPhase) i;
	}
	return PHASE_FILLING;
}

#define STATE_COLUMNS \
	"phase, file::pg_catalog.int8, block, \"offset\", blocks, rows_done, skipped, " \
	"skipped_items, error, cancelled, updated_at, index_name"

/* Reads the columns of a row that a statement has returned. */
static void
StateFromRow(BuildState *state, MemoryContext context)
{
	bool		isnull;

	state->phase = PhaseFromName(ResultText(1, context));
	state->file = (Oid) ResultInteger(2);
	state->block = (BlockNumber) ResultInteger(3);
	state->offset = (OffsetNumber) ResultInteger(4);
	state->blocks = (BlockNumber) ResultInteger(5);
	state->rows = ResultInteger(6);
	state->skipped = ResultInteger(7);
	state->skipped_items = ResultText(8, context);
	state->error = ResultText(9, context);
	state->cancelled = DatumGetBool(ResultValue(10, &isnull));
	state->updated = DatumGetTimestampTz(ResultValue(11, &isnull));
	state->index_name = ResultText(12, context);
}

/* Long values are fetched from another place, for which there must be a snapshot, too. */
static void
ReadState(const char *sql, int n, Oid *types, Datum *values, BuildState *state)
{
	MemoryContext context = CurrentMemoryContext;

	memset(state, 0, sizeof(*state));
	state->skipped_items = "[]";
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	ExecuteLatestAsSettingsOwner(sql, n, types, values, NULL);
	if (SPI_processed > 0)
		StateFromRow(state, context);
	PopActiveSnapshot();
	SPI_finish();
}

void
BuildStateRead(Oid relid, const char *index_name, BuildState *state)
{
	Oid			types[KEY_PARAMETERS];
	Datum		values[KEY_PARAMETERS];

	SetBuildKey(relid, index_name, types, values);
	ReadState("SELECT " STATE_COLUMNS " FROM dynamo_internal.index_builds "
			  "WHERE relation OPERATOR(pg_catalog.=) $1 AND index_name OPERATOR(pg_catalog.=) $2",
			  KEY_PARAMETERS, types, values, state);
}

void
BuildStateReadLatest(Oid relid, BuildState *state)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(relid);

	ReadState("SELECT " STATE_COLUMNS " FROM dynamo_internal.index_builds "
			  "WHERE relation OPERATOR(pg_catalog.=) $1 "
			  "ORDER BY error IS NULL, updated_at DESC LIMIT 1", 1, &type, &value, state);
}

void
BuildStateWrite(Oid relid, const char *index_name, const BuildState *state)
{
	Oid			types[KEY_PARAMETERS + 8] = {0, 0, TEXTOID, OIDOID, INT8OID, INT8OID,
	INT8OID, INT8OID, INT8OID, TEXTOID};
	Datum		values[KEY_PARAMETERS + 8];

	SetBuildKey(relid, index_name, types, values);
	values[2] = CStringGetTextDatum(phase_names[state->phase]);
	values[3] = ObjectIdGetDatum(state->file);
	values[4] = Int64GetDatum(state->block);
	values[5] = Int64GetDatum(state->offset);
	values[6] = Int64GetDatum(state->blocks);
	values[7] = Int64GetDatum(state->rows);
	values[8] = Int64GetDatum(state->skipped);
	values[9] = CStringGetTextDatum(state->skipped_items);
	SPI_connect();
	ExecuteWithNewSnapshot("INSERT INTO dynamo_internal.index_builds (relation, index_name, phase, file, block, \"offset\", "
						   "blocks, rows_done, skipped, skipped_items, started_at, updated_at) "
						   "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::pg_catalog.jsonb, "
						   "pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp()) "
						   "ON CONFLICT (relation, index_name) DO UPDATE SET phase = $3, file = $4, block = $5, "
						   "\"offset\" = $6, blocks = $7, rows_done = $8, skipped = $9, "
						   "skipped_items = $10::pg_catalog.jsonb, error = NULL, cancelled = false, "
						   "attempts = 0, updated_at = pg_catalog.clock_timestamp()",
						   lengthof(types), types, values, NULL);
	SPI_finish();
}

/* ---- dropped tables ---- */

static void
ForgetBuilds(Oid table)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(table);

	ExecuteAsSettingsOwner("DELETE FROM dynamo_internal.index_builds "
						   "WHERE relation OPERATOR(pg_catalog.=) $1", 1, &type, &value, NULL);
}

static const DdlFeature builds_feature = {.forget_table = ForgetBuilds};

void
BuildStateInit(void)
{
	DdlFeatureRegister(&builds_feature);
}
