/*
 * stream_label.c
 *	  The label of a table's latest stream, which the next stream must differ from.
 *
 * It is kept in the table's row of settings, where it outlives the stream.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "security/settings_owner.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/table_id.h"

/* Labels are times in milliseconds. */
#define LABEL_STEP	1000

static const char *const read_label =
"SELECT stream_label FROM dynamo_internal.table_settings WHERE table_id OPERATOR(pg_catalog.=) $1";

static const char *const write_label =
"INSERT INTO dynamo_internal.table_settings (table_id, relation, on_demand, stream_label) "
"VALUES ($1, $2, true, $3) "
"ON CONFLICT (table_id) DO UPDATE SET relation = EXCLUDED.relation, stream_label = EXCLUDED.stream_label";

/* The time in the label of the latest stream; 0 if there was none. */
static int64
ReadLabelTime(char *id)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(id);
	char	   *label = NULL;

	ExecuteAsSettingsOwner(read_label, 1, &type, &value, NULL);
	if (SPI_processed > 0)
		label = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	return label != NULL ? StreamTimeFromText(label) : 0;
}

static void
StoreLabel(Oid relid, char *id, char *label)
{
	Oid			types[] = {TEXTOID, OIDOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(id), ObjectIdGetDatum(relid), CStringGetTextDatum(label)};

	ExecuteAsSettingsOwner(write_label, lengthof(types), types, values, NULL);
}

char *
StreamNewLabel(Relation rel)
{
	int64		time = SettingsTime();
	char	   *id;

	CheckSettingsAreHere(rel);
	id = TableIdOf(rel);
	SPI_connect();
	time = Max(time, ReadLabelTime(id) + LABEL_STEP);
	StoreLabel(RelationGetRelid(rel), id, StreamTimeText(time));
	SPI_finish();
	return StreamTimeText(time);
}
