/*
 * key_estimate.c
 *	  Estimates how many rows have the partition key of a key condition, from
 *	  the statistics of the key columns, as for column = constant.  Partitions
 *	  can differ greatly in size.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/jsonb.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "expr/expr.h"
#include "item/item.h"
#include "planner/key_estimate.h"

HeapTuple
SearchColumnStatistics(Relation rel, AttrNumber attnum)
{
	bool		inherited = rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;

	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(RelationGetRelid(rel)),
						   Int16GetDatum(attnum), BoolGetDatum(inherited));
}

/* The value of an argument if the planner knows it, otherwise NULL. */
static const Const *
FindKnownArgument(PlannerInfo *root, Node *arg)
{
	if (arg == NULL)
		return NULL;
	arg = estimate_expression_value(root, arg);
	return IsA(arg, Const) && !((Const *) arg)->constisnull ? (const Const *) arg : NULL;
}

/* Whether a key column can contain a value. */
static bool
IsKeyValue(const AttributeDef *attr, ValueRef v)
{
	if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
		return false;
	return attr->type != VALUE_S ||
		memchr(ValuePayload(v).data, '\0', ValuePayload(v).len) == NULL;
}

/* The fraction of rows in which a key column has a value. */
static double
FractionOfValue(Relation rel, const AttributeDef *attr, ValueRef v, double tuples)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attr->attnum - 1);
	Oid			equal = lookup_type_cache(att->atttypid, TYPECACHE_EQ_OPR)->eq_opr;
	VariableStatData column = {0};
	double		result;

	column.rel = makeNode(RelOptInfo);
	column.rel->tuples = tuples;
	column.var = (Node *) makeVar(1, attr->attnum, att->atttypid, att->atttypmod,
								  att->attcollation, 0);
	column.vartype = column.atttype = att->atttypid;
	column.atttypmod = att->atttypmod;
	column.acl_ok = true;
	column.statsTuple = SearchColumnStatistics(rel, attr->attnum);
	if (!HeapTupleIsValid(column.statsTuple))
		return -1.0;
	result = var_eq_const(&column, equal, att->attcollation, KeyValueToDatum(attr, v),
						  false, true, false);
	ReleaseSysCache(column.statsTuple);
	return result;
}

double
KeyFraction(const KeyArguments *key, Relation rel, const TableDef *def,
			const int *attributes, int n, double tuples)
{
	const Const *values;
	const Const *names;
	ValueRef	root;
	double		result = 1.0;

	if (key->root == NULL || key->condition == NULL)
		return -1.0;
	values = FindKnownArgument(key->root, key->values);
	names = FindKnownArgument(key->root, key->names);
	if (values == NULL)
		return -1.0;
	root = ItemRoot(PG_DETOAST_DATUM_PACKED(values->constvalue));

	for (int i = 0; i < n; i++)
	{
		const AttributeDef *attr = &def->attributes[attributes[i]];
		Slice		placeholder =
			KeyConditionGlance((Slice) {key->condition, strlen(key->condition)}, attr->name,
							   NameInJsonb, names == NULL ? NULL : &DatumGetJsonbP(names->constvalue)->root);
		ValueRef	v = placeholder.data == NULL ? MISSING_VALUE :
			AttributeFind(root, placeholder.data, placeholder.len);
		double		fraction = IsKeyValue(attr, v) ? FractionOfValue(rel, attr, v, tuples) : -1.0;

		if (fraction < 0)
			return -1.0;
		result *= fraction;
	}
	return result;
}
