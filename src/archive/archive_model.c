/*
 * archive_model.c
 *	  What a backup keeps of the model of its table.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "archive/archive_model.h"
#include "copy/copy.h"
#include "ddl/ddl.h"

#define NO_COPIES	"[]"

char *
ModelRead(Relation rel, TableDef *def)
{
	const CopySet *copies;

	if (def->entities_text == NULL)
		return NULL;
	copies = CopySetOf(rel, def);
	return psprintf("{\"entities\": %s, \"copies\": %s}", def->entities_text,
					copies != NULL ? copies->text : "null");
}

bool
ModelsEqual(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Returns a list of a model as text; NULL if it is absent. */
static char *
ModelList(const char *model, const char *name)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model)));
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(json) ||
		getKeyJsonValueFromContainer(&json->root, name, strlen(name), &value) == NULL ||
		value.type != jbvBinary)
		return NULL;
	return JsonbToCString(NULL, value.val.binary.data, value.val.binary.len);
}

static void
StoreChanged(Oid relid, const TableDef *def)
{
	SPI_connect();
	StoreDefinition(relid, def);
	SPI_finish();
	CommandCounterIncrement();
}

void
MarkRestoring(const char *table_name)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, ShareRowExclusiveLock, &relid);

	def->restoring = true;
	StoreChanged(relid, def);
}

bool
AwaitsRestore(const TableDef *def)
{
	return def->restoring || def->distributed;
}

/* entities is the text of the list; NULL for none.  Stores them in a table that is not marked. */
static void
StoreEntities(const char *table_name, const char *entities)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, ShareRowExclusiveLock, &relid);

	def->entities_text = entities;
	def->restoring = false;
	StoreChanged(relid, def);
}

void
ModelWrite(const char *table_name, const char *model)
{
	char	   *copies = ModelList(model, "copies");

	StoreEntities(table_name, ModelList(model, "entities"));
	if (copies != NULL)
		CopiesStore(table_name, copies);
}

/* Triggers without copies remain: to drop one would lock out readers. */
void
ModelSetAside(const char *table_name, const char *model)
{
	if (model != NULL && ModelList(model, "copies") != NULL)
		CopiesStore(table_name, NO_COPIES);
	StoreEntities(table_name, NULL);
}
