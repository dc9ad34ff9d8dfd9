/*
 * migrate_state.c
 *	  The progress of migrations: rows of dynamo_internal.migrations.
 *
 * A row is written in the transaction of the batch that it describes.  If it is lost, as in a
 * dump, the items are looked at from the beginning.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "ddl/feature.h"
#include "migrate/migrate.h"
#include "security/settings_owner.h"

#define MAX_PARAMETERS	9

/* The parameters of a statement: the table, the entity, and others. */
typedef struct Parameters
{
	int			n;
	Oid			types[MAX_PARAMETERS];
	Datum		values[MAX_PARAMETERS];
	char		nulls[MAX_PARAMETERS + 1];
} Parameters;

static void
AddStateParameter(Parameters *p, Oid type, Datum value, bool isnull)
{
	p->types[p->n] = type;
	p->values[p->n] = value;
	p->nulls[p->n++] = isnull ? 'n' : ' ';
}

static void
BeginParameters(Parameters *p, Oid relid, const char *entity_name)
{
	p->n = 0;
	AddStateParameter(p, OIDOID, ObjectIdGetDatum(relid), false);
	AddStateParameter(p, TEXTOID, CStringGetTextDatum(entity_name), false);
}

static void
ExecuteState(const char *sql, Parameters *p)
{
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	ExecuteLatestAsSettingsOwner(sql, p->n, p->types, p->values, p->nulls);
	PopActiveSnapshot();
	SPI_finish();
}

/* Executes a statement with one parameter more than the table and the entity. */
static void
ExecuteStateWith(Oid relid, const char *entity_name, Oid type, Datum value, const char *sql)
{
	Parameters	p;

	BeginParameters(&p, relid, entity_name);
	AddStateParameter(&p, type, value, false);
	ExecuteState(sql, &p);
}

#define WHERE_KEY " WHERE relation OPERATOR(pg_catalog.=) $1 AND entity_name OPERATOR(pg_catalog.=) $2"

void
MigrateStateStart(Oid relid, const char *entity_name)
{
	Parameters	p;

	BeginParameters(&p, relid, entity_name);
	ExecuteState("INSERT INTO dynamo_internal.migrations (relation, entity_name) VALUES ($1, $2) "
				 "ON CONFLICT (relation, entity_name) DO UPDATE SET phase = 'preparing', paused = false, file = 0, block = 0, "
				 "blocks = 0, moved = 0, passes = 0, error = NULL, started_at = pg_catalog.clock_timestamp(), "
				 "updated_at = pg_catalog.clock_timestamp()", &p);
}

/* A phase begins with the first page of the table. */
void
MigrateStatePhase(Oid relid, const char *entity_name, const char *phase)
{
	ExecuteStateWith(relid, entity_name, TEXTOID, CStringGetTextDatum(phase),
					 "INSERT INTO dynamo_internal.migrations (relation, entity_name, phase) VALUES ($1, $2, $3) "
					 "ON CONFLICT (relation, entity_name) DO UPDATE SET phase = $3, file = 0, "
					 "passes = 0, error = NULL, updated_at = pg_catalog.clock_timestamp()");
}

void
MigrateStateWrite(Oid relid, const char *entity_name, const MigrationState *state)
{
	Parameters	p;

	BeginParameters(&p, relid, entity_name);
	AddStateParameter(&p, OIDOID, ObjectIdGetDatum(state->file), false);
	AddStateParameter(&p, INT8OID, Int64GetDatum(state->block), false);
	AddStateParameter(&p, INT8OID, Int64GetDatum(state->blocks), false);
	AddStateParameter(&p, INT8OID, Int64GetDatum(state->moved), false);
	AddStateParameter(&p, INT4OID, Int32GetDatum(state->passes), false);
	ExecuteState("INSERT INTO dynamo_internal.migrations (relation, entity_name, phase, file, block, blocks, moved, passes) "
				 "VALUES ($1, $2, 'moving', $3, $4, $5, $6, $7) "
				 "ON CONFLICT (relation, entity_name) DO UPDATE SET file = $3, block = $4, blocks = $5, moved = $6, passes = $7, "
				 "error = NULL, updated_at = pg_catalog.clock_timestamp()", &p);
}

void
MigrateStatePause(Oid relid, const char *entity_name, bool paused)
{
	ExecuteStateWith(relid, entity_name, BOOLOID, BoolGetDatum(paused),
					 "INSERT INTO dynamo_internal.migrations (relation, entity_name, phase, paused) VALUES ($1, $2, 'moving', $3) "
					 "ON CONFLICT (relation, entity_name) DO UPDATE SET paused = $3, error = NULL, "
					 "updated_at = pg_catalog.clock_timestamp()");
}

void
MigrateStateError(Oid relid, const char *entity_name, const char *error)
{
	ExecuteStateWith(relid, entity_name, TEXTOID, CStringGetTextDatum(error),
					 "INSERT INTO dynamo_internal.migrations (relation, entity_name, phase, error) VALUES ($1, $2, 'moving', $3) "
					 "ON CONFLICT (relation, entity_name) DO UPDATE SET error = $3, updated_at = pg_catalog.clock_timestamp()");
}

/* ---- reading ---- */

static Datum
StateColumn(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

static char *
StateText(int column, MemoryContext context)
{
	bool		isnull;
	Datum		value = StateColumn(column, &isnull);

	return isnull ? NULL : MemoryContextStrdup(context, TextDatumGetCString(value));
}

static int64
StateNumber(int column)
{
	bool		isnull;

	return DatumGetInt64(StateColumn(column, &isnull));
}

static void
StateOfRow(MigrationState *state, MemoryContext context)
{
	bool		isnull;

	state->phase = StateText(1, context);
	state->paused = DatumGetBool(StateColumn(2, &isnull));
	state->file = (Oid) StateNumber(3);
	state->block = (BlockNumber) StateNumber(4);
	state->blocks = (BlockNumber) StateNumber(5);
	state->moved = StateNumber(6);
	state->passes = (int32) StateNumber(7);
	state->error = StateText(8, context);
	state->started = DatumGetTimestampTz(StateColumn(9, &isnull));
}

bool
MigrateStateRead(Oid relid, const char *entity_name, MigrationState *state)
{
	MemoryContext context = CurrentMemoryContext;
	Parameters	p;
	bool		found;

	memset(state, 0, sizeof(*state));
	BeginParameters(&p, relid, entity_name);
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	ExecuteLatestAsSettingsOwner("SELECT phase, paused, file::pg_catalog.int8, block, blocks, moved, passes::pg_catalog.int8, error, started_at "
								 "FROM dynamo_internal.migrations" WHERE_KEY, p.n, p.types, p.values, p.nulls);
	found = SPI_processed > 0;
	if (found)
		StateOfRow(state, context);
	PopActiveSnapshot();
	SPI_finish();
	return found;
}

/* ---- dropped tables ---- */

static void
ForgetMigrations(Oid table)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(table);

	ExecuteAsSettingsOwner("DELETE FROM dynamo_internal.migrations WHERE relation OPERATOR(pg_catalog.=) $1", 1, &type, &value, NULL);
}

static const DdlFeature migrations = {.forget_table = ForgetMigrations};

void
MigrateStateInit(void)
{
	DdlFeatureRegister(&migrations);
}
