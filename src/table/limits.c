/*
 * limits.c
 *	  Limits on index entries: the service's limits on keys, and that of a
 *	  btree entry.
 *
 * The column of a key attribute holds values up to the maximum size of any
 * key, whatever its indexes.  Indexes that share an attribute can have
 * different limits: a sort key may be half as long as a partition key, several
 * attributes share one limit, and a btree entry has its own.  New items that
 * exceed a limit of an index are refused.  Items older than the index are left
 * out of it:
 *
 * - An index table has no entries for them.
 * - The btree of an inline index is partial.  If such items exist when it is
 *   built, its predicate also tests the limits, with dynamo_system.fits_index; the
 *   btree is then "limited".  The planner uses a limited btree only for
 *   statements that repeat the test.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "access/itup.h"
#include "access/nbtree.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "catalog/namespace.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "storage/bufpage.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "table/limits.h"

#define FUNCTION_FITS_INDEX	"fits_index"

/* BTMaxItemSize, which needs a page as argument. */
#define INDEX_ENTRY_MAX \
	MAXALIGN_DOWN((BLCKSZ - \
				   MAXALIGN(SizeOfPageHeaderData + \
							3 * sizeof(ItemIdData) + \
							3 * sizeof(ItemPointerData)) - \
				   MAXALIGN(sizeof(BTPageOpaqueData))) / 3)

/* Values of key columns, in the order of a btree. */
typedef struct KeyColumns
{
	int			npartition;		/* by the service's rules */
	int			nsort;
	int			n;
	ValueType	types[KEY_MAX_ATTRIBUTES + 2];
	char		methods[KEY_MAX_ATTRIBUTES + 2];	/* of compression; only for IsTooLong */
	Datum		values[KEY_MAX_ATTRIBUTES + 2];
	bool		nulls[KEY_MAX_ATTRIBUTES + 2];
	Size		others;			/* bytes of other columns */
} KeyColumns;

/* ---- one entry of a btree ---- */

/*
 * Returns the size of a key value in a btree entry, where long text is
 * compressed.  It must not depend on the header, which is shorter in a row than in a
 * value that was just derived.
 */
static Size
PackedSize(ValueType type, Datum datum, char method)
{
	struct varlena *v = PG_DETOAST_DATUM_PACKED(datum);
	Size		size = VARHDRSZ + VARSIZE_ANY_EXHDR(v);

	if (type != VALUE_N && size > TOAST_INDEX_TARGET)
	{
		Datum		compressed = toast_compress_datum(PointerGetDatum(v), method);

		if (DatumGetPointer(compressed) != NULL)
		{
			size = VARSIZE_ANY(DatumGetPointer(compressed));
			pfree(DatumGetPointer(compressed));
		}
	}
	return size;
}

#define NOT_PACKED	'\0'
#define OWN_METHODS	'*'

/*
 * Returns the size of an entry whose values are compressed by a method, each by that of its
 * column, or not.
 */
static Size
EntrySize(const KeyColumns *key, char method)
{
	Size		size = key->others;
	bool		has_null = false;

	for (int i = 0; i < key->n; i++)
	{
		has_null |= key->nulls[i];
		if (!key->nulls[i])
			size += INTALIGN(method == NOT_PACKED ? toast_raw_datum_size(key->values[i]) :
							 PackedSize(key->types[i], key->values[i],
										method == OWN_METHODS ? key->methods[i] : method));
	}
	return MAXALIGN(sizeof(IndexTupleData) + (has_null ? sizeof(IndexAttributeBitMapData) : 0)) + MAXALIGN(size);
}

/* ---- the service's limits ---- */

static Size
KeyColumnBytes(const KeyColumns *key, int from, int to)
{
	Size		bytes = 0;

	for (int i = from; i < to; i++)
	{
		if (!key->nulls[i] && key->types[i] != VALUE_N)
			bytes += toast_raw_datum_size(key->values[i]) - VARHDRSZ;
	}
	return bytes;
}

/*
 * Whether an entry is within the limits.  Indexes depend on the result, so the
 * compression method must not depend on a setting.
 */
static bool
IsAdmitted(const KeyColumns *key)
{
	return KeyColumnBytes(key, 0, key->npartition) <= KEY_MAX_PARTITION &&
		KeyColumnBytes(key, key->npartition, key->npartition + key->nsort) <= KEY_MAX_SORT &&
		(EntrySize(key, NOT_PACKED) <= INDEX_ENTRY_MAX ||
		 EntrySize(key, TOAST_PGLZ_COMPRESSION) <= INDEX_ENTRY_MAX);
}

/* ---- indexes ---- */

/*
 * Whether all values together are shorter than any limit, which is nearly
 * always true.  values and nulls are indexed by attnum - 1.
 */
static bool
AreShort(const TableDef *def, const int *attributes, int n,
		 const Datum *values, const bool *nulls)
{
	Size		size = 0;

	for (int i = 0; i < n; i++)
	{
		int			column = def->attributes[attributes[i]].attnum - 1;

		if (!nulls[column])
			size += toast_raw_datum_size(values[column]);
	}
	return size <= KEY_MAX_SORT;
}

/* values and nulls are indexed by attnum - 1. */
static void
GatherColumns(const TableDef *def, const int *attributes, int n,
			  const Datum *values, const bool *nulls, KeyColumns *key)
{
	key->n = n;
	key->others = 0;
	for (int i = 0; i < n; i++)
	{
		const AttributeDef *attr = &def->attributes[attributes[i]];

		key->types[i] = attr->type;
		key->methods[i] = attr->compression;
		key->values[i] = values[attr->attnum - 1];
		key->nulls[i] = nulls[attr->attnum - 1];
	}
}

static void
SetIndex(const IndexDef *index, KeyColumns *key)
{
	key->npartition = index->key.npartition;
	key->nsort = index->key.nsort;
	key->others = index->kind->in_parts ? sizeof(int32) : 0;
}

bool
IndexAdmits(const TableDef *def, const IndexDef *index, const Datum *keys, const bool *nulls)
{
	KeyColumns	key;
	Size		size = 0;

	for (int i = 0; i < index->nentry; i++)
	{
		if (nulls == NULL || !nulls[i])
			size += toast_raw_datum_size(keys[i]);
	}
	if (likely(size <= KEY_MAX_SORT))
		return true;
	key.n = index->nentry;
	SetIndex(index, &key);
	for (int i = 0; i < key.n; i++)
	{
		key.types[i] = EntryAttribute(def, index, i)->type;
		key.values[i] = keys[i];
		key.nulls[i] = nulls != NULL && nulls[i];
	}
	return IsAdmitted(&key);
}

bool
IndexAdmitsRow(const TableDef *def, const IndexDef *index, const Datum *values, const bool *nulls)
{
	KeyColumns	key;

	if (AreShort(def, index->entry, index->nentry, values, nulls))
		return true;
	GatherColumns(def, index->entry, index->nentry, values, nulls, &key);
	SetIndex(index, &key);
	return IsAdmitted(&key);
}

/*
 * Whether an entry is too long for a btree.  This depends on the method of
 * IsAdmitted and on those of the columns, which the entry will be compressed
 * with.  Columns that the extension has created have the former; others can have any, or
 * the default of the moment.
 */
static bool
IsTooLong(const KeyColumns *key)
{
	return EntrySize(key, NOT_PACKED) > INDEX_ENTRY_MAX &&
		(EntrySize(key, TOAST_PGLZ_COMPRESSION) > INDEX_ENTRY_MAX ||
		 EntrySize(key, OWN_METHODS) > INDEX_ENTRY_MAX);
}

bool
RowHasEntry(const TableDef *def, const IndexDef *index, const bool *nulls)
{
	int			n = index->key.npartition + (index->kind->own_entries ? index->key.nsort : 0);

	for (int i = 0; i < n; i++)
	{
		if (nulls[def->attributes[index->attributes[i]].attnum - 1])
			return false;
	}
	return true;
}

bool
EntryIsTooLong(const TableDef *def, const IndexDef *index, const Datum *values, const bool *nulls)
{
	KeyColumns	key;

	if (likely(AreShort(def, index->entry, index->nentry, values, nulls)))
		return false;
	GatherColumns(def, index->entry, index->nentry, values, nulls, &key);
	SetIndex(index, &key);
	return IsTooLong(&key) && RowHasEntry(def, index, nulls);
}

bool
PrimaryKeyIsTooLong(const TableDef *def, const Datum *values, const bool *nulls)
{
	int			n = KeyCount(&def->key);
	KeyColumns	key;

	if (likely(AreShort(def, def->key_attributes, n, values, nulls)))
		return false;
	GatherColumns(def, def->key_attributes, n, values, nulls, &key);
	return IsTooLong(&key);
}

void
EntryTooLongError(const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the key of an item is too long for %s%s",
					index != NULL ? "index " : "the primary key", index != NULL ? index->name : ""),
			 errdetail("Its key attributes together may have at most %d bytes in a PostgreSQL index, after compression.",
					   (int) INDEX_ENTRY_MAX),
			 errhint("The service allows 2048 bytes for a partition key and 1024 for a sort key, but one index entry must contain both.")));
}

/* ---- limited btrees ---- */

void
AppendLimits(StringInfo out, const TableDef *def, const IndexDef *index)
{
	appendStringInfo(out, SYSTEM_SCHEMA "." FUNCTION_FITS_INDEX "(%d, %d",
					 index->key.npartition, index->key.nsort);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(out, ", %s", quote_identifier(EntryAttribute(def, index, i)->column));
	appendStringInfoChar(out, ')');
}

bool
ClauseTestsLimits(const Node *clause)
{
	Oid			function;

	if (!IsA(clause, FuncExpr))
		return false;
	function = ((const FuncExpr *) clause)->funcid;
	return strcmp(get_func_name(function), FUNCTION_FITS_INDEX) == 0 &&
		get_func_namespace(function) == get_namespace_oid(SYSTEM_SCHEMA, true);
}

/*
 * Returns the predicate as it is stored: simplifying it would evaluate
 * functions of the table's owner.
 */
static List *
StoredPredicate(Oid btree)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(btree));
	List	   *predicate = NIL;
	Datum		stored;
	bool		isnull = true;

	if (!HeapTupleIsValid(tuple))
		return NIL;
	stored = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indpred, &isnull);
	if (!isnull)
		predicate = make_ands_implicit(stringToNode(TextDatumGetCString(stored)));
	ReleaseSysCache(tuple);
	return predicate;
}

/*
 * Whether a clause tests that a partition attribute of an index is not null.
 */
static bool
IsPresenceTest(const Node *clause, Oid table, const TableDef *def, const IndexDef *index)
{
	const NullTest *test = (const NullTest *) clause;

	if (!IsA(clause, NullTest) || test->nulltesttype != IS_NOT_NULL || !IsA(test->arg, Var))
		return false;
	for (int i = 0; i < index->key.npartition; i++)
	{
		if (castNode(Var, test->arg)->varattno ==
			get_attnum(table, def->attributes[index->attributes[i]].column))
			return true;
	}
	return false;
}

static bool
IsInteger(const Node *node, int value)
{
	return IsA(node, Const) && DatumGetInt32(((const Const *) node)->constvalue) == value;
}

/*
 * Whether a clause tests the limits of an index with the same numbers of key
 * attributes.
 */
static bool
IsTestOfLimits(const Node *clause, const IndexDef *index)
{
	List	   *args = ClauseTestsLimits(clause) ? ((const FuncExpr *) clause)->args : NIL;

	return list_length(args) > 1 && IsInteger(linitial(args), index->key.npartition) &&
		IsInteger(lsecond(args), index->key.nsort);
}

bool
HasIndexPredicate(Oid btree, Oid table, const TableDef *def, const IndexDef *index)
{
	ListCell   *cell;

	foreach(cell, StoredPredicate(btree))
	{
		if (!IsPresenceTest(lfirst(cell), table, def, index) && !IsTestOfLimits(lfirst(cell), index))
			return false;
	}
	return true;
}

bool
InlineIndexIsLimited(Oid btree)
{
	ListCell   *cell;

	foreach(cell, StoredPredicate(btree))
	{
		if (ClauseTestsLimits(lfirst(cell)))
			return true;
	}
	return false;
}

/* ---- dynamo_system.fits_index ---- */

static ValueType
KeyTypeOfArgument(FunctionCallInfo fcinfo, int arg)
{
	switch (get_fn_expr_argtype(fcinfo->flinfo, arg))
	{
		case TEXTOID:
			return VALUE_S;
		case NUMERICOID:
			return VALUE_N;
		case BYTEAOID:
			return VALUE_B;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument %d of dynamo_system.fits_index must be of type text, numeric or bytea", arg + 1)));
}

#define FIRST_COLUMN	2

DYNAMO_FUNCTION(dynamo_fits_index);

Datum
dynamo_fits_index(PG_FUNCTION_ARGS)
{
	KeyColumns	key;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	key.others = 0;
	key.npartition = PG_GETARG_INT32(0);
	key.nsort = PG_GETARG_INT32(1);
	key.n = PG_NARGS() - FIRST_COLUMN;
	if (get_fn_expr_variadic(fcinfo->flinfo) || key.n > (int) lengthof(key.values) ||
		key.npartition < 0 || key.nsort < 0 || key.npartition > key.n || key.nsort > key.n - key.npartition)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dynamo_system.fits_index takes the number of partition and of sort attributes and at most %d columns",
						(int) lengthof(key.values))));
	for (int i = 0; i < key.n; i++)
	{
		key.types[i] = KeyTypeOfArgument(fcinfo, i + FIRST_COLUMN);
		key.nulls[i] = PG_ARGISNULL(i + FIRST_COLUMN);
		key.values[i] = PG_GETARG_DATUM(i + FIRST_COLUMN);
	}
	PG_RETURN_BOOL(IsAdmitted(&key));
}
