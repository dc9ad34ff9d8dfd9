/*
 * entity_filter_support.c
 *	  Planner support of dynamo_system.entity_filter, which stands in the WHERE of
 *	  entity views.
 *
 * A view of an entity shows attributes; the indexes are on keys composed of
 * them.  The view's condition names, for each attribute that is a part of a
 * key, the expression that shows it:
 *
 *		entity_filter(t.tableoid, 'order', t.item, 'order_id', <expression>, ...)
 *
 * When the planner simplifies the filter, it has already pulled up the view: the
 * query's comparisons of the view's columns are in the same join tree, beside the
 * filter or above it, as comparisons of these expressions.  If they determine all
 * parts of a key, or its leading parts, conditions on the key's column are added:
 *
 *		"PK" = compose_key('CUSTOMER#{customer_id}', 'customer_id', <value>)
 *
 * (or, for an attribute that is compared with an array, = ANY (compose_keys(...)))
 * They are added to the quals that contain the comparisons, so that constants,
 * parameters and columns of other tables can become index conditions.  They are
 * implied: no row that satisfies the filter and the comparisons fails them.  If the
 * index has an index table, the conditions are on the key of its entries, which are
 * joined to the rows (entity_entries.h).
 *
 * The comparisons remain, with one exception.  In a query that reads only this table,
 * a comparison of the table's key with a whole key replaces the comparisons whose
 * values this key determines.  The filter tests that an item's key is the one that
 * its attributes compose, so they would test the same again in each row.
 *
 * They are implied because the parts of an item determine its key.  The filter
 * tests this for the table's key.  Writing ensures it for the keys of indexes if
 * the entity is older than its items ("applied").  An index with a condition may
 * lack items: it counts only if comparisons with constants imply the condition.
 * An index table has no entry of an item that lacks an attribute of the index's
 * key: it counts only if no item that the query can return lacks one.
 *
 * An item with an empty text has no key with this part.  A comparison with a
 * constant '' is therefore not used for an index.  Where a value may turn out
 * to be one only when the plan runs, the conditions become
 *
 *		("GSI1PK" = compose_key(...)) OR may_lack_key("PK", <value>)
 *
 * whose second arm reads nothing unless a value is empty (may_lack_key.c).
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"

#include "compat.h"
#include "extension_objects.h"
#include "planner/entity_filter.h"

/* ---- the test ---- */

/*
 * Returns the table that a test names by a row's tableoid; for a written table, as a
 * constant.  When PostgreSQL evaluates the condition again for a row that another
 * transaction has changed, and the table has BEFORE triggers, tableoid is 0, and the
 * row would not be written.
 */
static Node *
TestedTable(const PlannerInfo *root, Node *arg)
{
	const Var  *var = (const Var *) arg;
	const RangeTblEntry *rte;

	if (root == NULL || !IsA(arg, Var) || var->varlevelsup > 0 || var->varattno != TableOidAttributeNumber ||
		(int) var->varno != root->parse->resultRelation)
		return arg;
	rte = rt_fetch(var->varno, root->parse->rtable);
	if (rte->relkind != RELKIND_PARTITIONED_TABLE && has_subclass(rte->relid))
		return arg;
	/* no cast to oid, which would be folded, so that EXPLAIN shows the name */
	return (Node *) makeConst(REGCLASSOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(rte->relid), false, true);
}

/* Returns the filter as a test that is not simplified further; NULL if it is one. */
static Expr *
PlainTest(const PlannerInfo *root, const FuncExpr *call)
{
	Oid			types[] = {OIDOID, TEXTOID, ItemTypeOid()};
	Oid			function = ExtensionFunctionOid(SYSTEM_SCHEMA, "is_entity", types, 3);
	List	   *args = list_copy_head(call->args, FIRST_PART_ARGUMENT);

	linitial(args) = TestedTable(root, linitial(args));
	if (!OidIsValid(function) || (call->funcid == function && linitial(args) == linitial(call->args)))
		return NULL;
	return (Expr *) makeFuncExpr(function, BOOLOID, args, InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* ---- conditions on keys ---- */

/* Removes conjuncts from quals, which are an expression. */
static void
RemoveConjuncts(Node **quals, List *removed)
{
	List	   *kept = list_difference_ptr(QualConjuncts(*quals), removed);

	*quals = kept == NIL ? NULL : (Node *) make_ands_explicit(kept);
}

/*
 * Adds each condition to its quals; returns those that belong to the filter's
 * own.
 */
static List *
PlaceAdditions(const Filter *f, List *additions)
{
	List	   *here = NIL;
	ListCell   *cell;

	foreach(cell, additions)
	{
		Addition   *a = lfirst(cell);

		if (a->quals == NULL || a->depth == 0)
			here = lappend(here, eval_const_expressions(f->root, (Node *) a->clause));
		else
		{
			if (a->implies != NIL)
				RemoveConjuncts(a->quals, a->implies);
			*a->quals = make_and_qual(*a->quals, (Node *) a->clause);
		}
	}
	return here;
}

/* Finds the conditions that a filter and its neighbors imply. */
static List *
ImpliedConditions(Filter *f, Oid function, Oid relid, const char *entity_name)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	List	   *here = NIL;
	bool		closed = false;

	if (rel == NULL)
		return NIL;
	if (RelationIsDynamoTable(rel))
	{
		TableDef   *def = TableDefAcquire(rel);

		f->def = def;
		f->entity = EntitySetFind(def->entities, SliceOf(entity_name));
		if (f->entity != NULL && FilterFind(f, (Node *) f->root->parse->jointree, function, &closed))
		{
			FilterCollectComparisons(f);
			here = PlaceAdditions(f, FilterConditions(f));
		}
		TableDefRelease(def);
	}
	table_close(rel, NoLock);
	return here;
}

static Node *
SimplifyCall(SupportRequestSimplify *request)
{
	FuncExpr   *call = request->fcall;
	Filter		f = {.root = request->root};
	Var		   *table = linitial(call->args);
	Const	   *name;
	RangeTblEntry *rte;
	Expr	   *test;

	if (list_length(call->args) < FIRST_PART_ARGUMENT)
		return NULL;
	name = lsecond(call->args);
	test = PlainTest(request->root, call);
	if (list_length(call->args) == FIRST_PART_ARGUMENT || request->root == NULL || test == NULL || !IsA(table, Var) || table->varlevelsup > 0 ||
		!IsA(name, Const) || name->constisnull)
		return (Node *) test;
	rte = rt_fetch(table->varno, request->root->parse->rtable);
	if (rte->rtekind != RTE_RELATION)
		return (Node *) test;
	f.varno = table->varno;
	return (Node *) make_ands_explicit(lcons(test, ImpliedConditions(&f, call->funcid, rte->relid,
																	  TextDatumGetCString(name->constvalue))));
}

DYNAMO_FUNCTION(dynamo_entity_filter_support);
Datum
dynamo_entity_filter_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(SimplifyCall((SupportRequestSimplify *) request));
}
