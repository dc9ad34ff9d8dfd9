/*
 * reference_validate.c
 *	  Checks the existing items when a reference is added.
 *
 * Each table is read as its owner.  All rows are visible, even if row security
 * is forced on the owner, and no owner's code runs as the caller.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "constraint/reference.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "store/plan.h"

/* Number of keys that one statement looks up. */
#define KEYS_AT_ONCE	10000

typedef struct Validation
{
	const Reference *ref;
	Oid			referencing_relid;
	Oid			referenced_relid;
	const TableDef *referencing;
	const TableDef *referenced;
} Validation;

/* The query for the distinct keys that items reference. */
static char *
MakeKeysQuery(const Validation *v)
{
	bool		first = true;
	StringInfoData columns;
	StringInfoData sql;
	StringInfoData present;

	initStringInfo(&columns);
	initStringInfo(&present);
	initStringInfo(&sql);
	for (int i = 0; i < KeyCount(&v->referenced->key); i++)
	{
		char	   *key = psprintf("dynamo.render_key(t.item, %s)",
								   SliceLiteral(ReferenceTemplate(v->ref, v->referenced, i)));

		appendStringInfo(&columns, "%s%s", i == 0 ? "" : ", ", key);
		appendStringInfo(&present, " AND %s IS NOT NULL", key);
	}
	appendStringInfo(&sql, "SELECT DISTINCT %s FROM %s t", columns.data, RelationSqlName(v->referencing_relid));
	AppendKindTests(&sql, &first, "t.", v->referencing, v->ref->kind);
	appendStringInfo(&sql, "%s%s", first ? " WHERE true" : "", present.data);
	return sql.data;
}

/* The query for keys in the arrays $1, $2 that the referenced table lacks. */
static char *
MakeMissingKeysQuery(const Validation *v)
{
	bool		one = KeyCount(&v->referenced->key) == 1;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT k.* FROM ROWS FROM (pg_catalog.unnest($1)%s) k(%s) "
					 "WHERE NOT EXISTS (SELECT 1 FROM %s r WHERE true",
					 one ? "" : ", pg_catalog.unnest($2)", one ? "k1" : "k1, k2",
					 RelationSqlName(v->referenced_relid));
	for (int i = 0; i < KeyCount(&v->referenced->key); i++)
		appendStringInfo(&sql, " AND r.%s OPERATOR(pg_catalog.=) k.k%d",
						 quote_identifier(TableKeyAttribute(v->referenced, i)->column),
						 i + 1);
	appendStringInfoString(&sql, ") LIMIT 1");
	return sql.data;
}

/* Reports the first row of the last SPI query. */
static void
RaiseMissingKey(const Validation *v)
{
	HeapTuple	row = SPI_tuptable->vals[0];
	TupleDesc	desc = SPI_tuptable->tupdesc;
	bool		two = KeyCount(&v->referenced->key) > 1;

	ereport(ERROR,
			(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
			 errmsg("table \"%s\" violates reference \"%s\"",
					get_rel_name(v->referencing_relid), v->ref->name),
			 errdetail("Key (%s%s%s) is not present in table \"%s\".",
					   SPI_getvalue(row, desc, 1), two ? ", " : "", two ? SPI_getvalue(row, desc, 2) : "",
					   get_rel_name(v->referenced_relid)),
			 errdetail_log("A key is not present in table \"%s\".",
						   get_rel_name(v->referenced_relid))));
}

/* Returns one column of the fetched rows. */
static Datum
GetFetchedTexts(int column)
{
	Datum	   *texts = palloc(sizeof(Datum) * SPI_processed);

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		texts[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, column, &isnull);
	}
	return PointerGetDatum(construct_array(texts, (int) SPI_processed, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Checks the fetched keys as the owner of the referenced table. */
static void
CheckFetchedKeys(const Validation *v, const char *query)
{
	Oid			types[REFERENCE_MAX_KEYS] = {TEXTARRAYOID, TEXTARRAYOID};
	Datum		keys[REFERENCE_MAX_KEYS];
	OwnerScope	scope;

	for (int i = 0; i < KeyCount(&v->referenced->key); i++)
		keys[i] = GetFetchedTexts(i + 1);
	OwnerScopeEnter(&scope, RelationOwner(v->referenced_relid));
	if (SPI_execute_with_args(query, KeyCount(&v->referenced->key), types, keys, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not validate a reference between items");
	if (SPI_processed > 0)
		RaiseMissingKey(v);
	OwnerScopeLeave(&scope);
	SPI_freetuptable(SPI_tuptable);
	for (int i = 0; i < KeyCount(&v->referenced->key); i++)
		pfree(DatumGetPointer(keys[i]));
}

void
ReferenceValidate(const Reference *ref, Oid relid, const TableDef *table,
				  Oid referenced_relid, const TableDef *referenced)
{
	const Validation v = {ref, relid, referenced_relid, table, referenced};
	char	   *query = MakeMissingKeysQuery(&v);
	OwnerScope	scope;
	Portal		cursor;

	OwnerScopeEnter(&scope, RelationOwner(relid));
	cursor = SPI_cursor_open_with_args(NULL, MakeKeysQuery(&v), 0, NULL, NULL, NULL, false, 0);
	for (;;)
	{
		SPITupleTable *fetched;

		SPI_cursor_fetch(cursor, true, KEYS_AT_ONCE);
		fetched = SPI_tuptable;
		if (SPI_processed == 0)
			break;
		CheckFetchedKeys(&v, query);
		SPI_freetuptable(fetched);
	}
	SPI_cursor_close(cursor);
	OwnerScopeLeave(&scope);
}
