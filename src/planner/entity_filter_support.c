/*
 * entity_filter_support.c
 *	  Planner support of dynamo.entity_filter, which stands in the WHERE of
 *	  entity views.
 *
 * A view of an entity shows attributes; the indexes are on keys composed of
 * them.  The view's condition names, for each attribute that is a part of a
 * key, the expression that shows it:
 *
 *		entity_filter(t.tableoid, 'order', t.item, 'order_id', <expression>, ...)
 *
 * When the planner simplifies it, the view has been pulled up: what the query
 * compares its columns with stands beside or above it in the same join tree,
 * as comparisons of these very expressions.  Where such comparisons give all
 * parts of a key, or its leading ones, conditions on the key's column are added:
 *
 *		"PK" = compose_key('CUSTOMER#{customer_id}', 'customer_id', <value>)
 *
 * (or, for an attribute that is compared with an array, = ANY (compose_keys(...)))
 * to the quals that the comparisons are in, so that whatever may be compared
 * with there (constants, parameters, columns of other tables) may become an
 * index condition.  They are implied: nothing that satisfies the filter and the
 * comparisons fails them.  The key of an index that is kept in an index table is
 * that of its entries, which are joined to the rows (entity_entries.h).
 *
 * The comparisons stay, except in a query of this table alone where the key of
 * the table is compared with a whole key that tells the compared values: the
 * filter tests that an item's key is what its attributes make, so they would
 * test the same again, in each row.
 *
 * Implied they are because an item of the entity has the key that its parts
 * make, in one way: the filter tests it for the table's key, and writing sees
 * to it for those of indexes, if the entity was there before the items
 * ("applied").  Of an index with a condition, items may be absent: it counts
 * only if comparisons with constants imply the condition.  So they may of an
 * index table, which has no entry of an item that lacks any attribute of the
 * index's key: it counts only if none can lack one.  Only types whose equality
 * is that of the composed text take part.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "entity/entity.h"
#include "item/builder.h"
#include "planner/begins_with.h"
#include "planner/entity_entries.h"
#include "table/objects.h"
#include "table/table.h"

#define FIRST_PART_ARGUMENT	3	/* arguments before it: table, entity and item */

/* A comparison of a part with another value. */
typedef struct Comparison
{
	const char *part;
	int			strategy;		/* btree strategy: less, ..., greater */
	bool		array;			/* equal to an element of an array */
	bool		empty;			/* with an empty text */
	Node	   *shown;			/* the view's expression for the part */
	Expr	   *value;
	Node	   *qual;			/* the whole comparison */
	Node	  **quals;			/* the quals that contain it */
	int			depth;			/* position of these quals; 0 for the filter's own */
} Comparison;

typedef struct Filter
{
	PlannerInfo *root;
	const FuncExpr *call;		/* the call before it was simplified */
	Index		varno;
	const TableDef *def;
	const Entity *entity;
	FromExpr   *from;			/* whose quals contain the filter; NULL for those of a join */
	List	   *path;			/* of Node **: quals that must hold, from the filter outwards */
	List	   *comparisons;
	const IndexDef *entries;	/* index table with the keys to compare; NULL for the table */
} Filter;

/* A condition to add, and the position of its quals. */
typedef struct Addition
{
	Expr	   *clause;
	Node	  **quals;
	int			depth;
	List	   *implies;		/* of Node *: comparisons that it makes redundant */
} Addition;

/* ---- the filter's place in the join tree ---- */

static const FuncExpr *
AsFilter(Node *node, Oid function, Index varno)
{
	FuncExpr   *call = (FuncExpr *) node;
	Var		   *table;

	if (node == NULL || !IsA(node, FuncExpr) || call->funcid != function ||
		list_length(call->args) <= FIRST_PART_ARGUMENT || !IsA(linitial(call->args), Var))
		return NULL;
	table = linitial(call->args);
	return table->varno == (int) varno && table->varlevelsup == 0 &&
		table->varattno == TableOidAttributeNumber ? call : NULL;
}

/* Quals are an expression before preprocessing and a list after it. */
static List *
Conjuncts(Node *quals)
{
	List	   *result = NIL;
	List	   *members = quals == NULL ? NIL :
		IsA(quals, List) ? (List *) quals :
		is_andclause(quals) ? ((BoolExpr *) quals)->args : NIL;
	ListCell   *cell;

	if (quals == NULL)
		return NIL;
	if (members == NIL)
		return list_make1(quals);
	foreach(cell, members)
		result = list_concat(result, Conjuncts(lfirst(cell)));
	return result;
}

static bool
FindInQuals(Filter *f, Node **quals, Oid function)
{
	ListCell   *cell;

	foreach(cell, Conjuncts(*quals))
	{
		f->call = AsFilter(lfirst(cell), function, f->varno);
		if (f->call == NULL)
			continue;
		f->path = list_make1(quals);
		return true;
	}
	return false;
}

static bool FindFilter(Filter *f, Node *node, Oid function, bool *closed);

/*
 * Determines whether the quals of a join apply to the filter's rows, and
 * whether quals further out do: a join extends rows of its nullable side.
 */
static bool
FindInJoin(Filter *f, JoinExpr *join, Oid function, bool *closed)
{
	bool		left;

	if (FindInQuals(f, &join->quals, function))
		return true;
	left = FindFilter(f, join->larg, function, closed);
	if (!left && !FindFilter(f, join->rarg, function, closed))
		return false;
	if (*closed)
		return true;
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI ||
		(left && join->jointype == JOIN_RIGHT) ||
		(!left && (join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI)))
		f->path = lappend(f->path, &join->quals);
	*closed = join->jointype == JOIN_FULL || (left ? join->jointype == JOIN_RIGHT : join->jointype != JOIN_INNER);
	if (!left && join->jointype == JOIN_RIGHT)
		*closed = false;
	return true;
}

/*
 * Sets call and path.  closed: no quals further out apply to the filter's
 * rows.
 */
static bool
FindFilter(Filter *f, Node *node, Oid function, bool *closed)
{
	FromExpr   *from = (FromExpr *) node;
	ListCell   *cell;

	if (node == NULL || IsA(node, RangeTblRef))
		return false;
	if (IsA(node, JoinExpr))
		return FindInJoin(f, (JoinExpr *) node, function, closed);
	if (FindInQuals(f, &from->quals, function))
	{
		f->from = from;
		return true;
	}
	foreach(cell, from->fromlist)
	{
		if (!FindFilter(f, lfirst(cell), function, closed))
			continue;
		if (!*closed)
			f->path = lappend(f->path, &from->quals);
		return true;
	}
	return false;
}

/* ---- comparisons ---- */

/*
 * Returns the name of the part that an expression shows; NULL if there is
 * none.
 */
static const char *
PartShown(const Filter *f, Node *expression)
{
	while (expression != NULL && IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	for (int i = FIRST_PART_ARGUMENT; i + 1 < list_length(f->call->args); i += 2)
	{
		Const	   *name = list_nth(f->call->args, i);
		Node	   *shown = list_nth(f->call->args, i + 1);

		while (IsA(shown, RelabelType))
			shown = (Node *) ((RelabelType *) shown)->arg;
		if (IsA(name, Const) && !name->constisnull && equal(shown, expression))
			return TextDatumGetCString(name->constvalue);
	}
	return NULL;
}

static Oid
ComparedType(const Comparison *c)
{
	Oid			type = exprType((Node *) c->value);

	return c->array ? get_element_type(type) : type;
}

/*
 * Whether a numeric(p, s) shows every number that a part can be without
 * rounding.
 */
static bool
ShowsAllDecimals(const TemplatePart *part, int32 typmod)
{
	int			scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

	return part->kind == PART_NUMBER && part->decimals <= scale;
}

/*
 * Whether two values of the compared types are equal exactly if they compose
 * the same text of a part, as the entity declares it.
 */
static bool
EqualityIsOfText(const Filter *f, const TemplatePart *part, const Comparison *c)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, part->name);
	int			holds = declared == NULL ? -1 : declared->holds;
	int32		typmod = exprTypmod(c->shown);
	Oid			value_type = ComparedType(c);

	if (typmod >= 0 && !(exprType(c->shown) == NUMERICOID && ShowsAllDecimals(part, typmod)))
		return false;
	switch (exprType(c->shown))
	{
		case UUIDOID:
			return declared != NULL && declared->uuid && value_type == UUIDOID;
		case TEXTOID:
		case VARCHAROID:
			return holds == VALUE_S && (value_type == TEXTOID || value_type == VARCHAROID);
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return holds == VALUE_N && (value_type == INT2OID || value_type == INT4OID || value_type == INT8OID);
		case NUMERICOID:
			return holds == VALUE_N && value_type == NUMERICOID;
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
			return holds < 0 && part->kind == PART_TIME && value_type == exprType(c->shown);
		case DATEOID:
			return holds < 0 && part->kind == PART_TIME && part->unit == TIME_DATE && value_type == DATEOID;
	}
	return false;
}

/* Whether a constant is an empty text, or an array that contains one. */
static bool
HasEmptyText(const Const *value)
{
	Datum	   *texts;
	bool	   *nulls;
	int			n;
	bool		empty = false;

	if (value->constisnull)
		return false;
	if (value->consttype == TEXTOID || value->consttype == VARCHAROID)
		return VARSIZE_ANY_EXHDR(DatumGetPointer(value->constvalue)) == 0;
	if (value->consttype != TEXTARRAYOID && value->consttype != VARCHARARRAYOID)
		return false;
	deconstruct_array(DatumGetArrayTypeP(value->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &n);
	for (int i = 0; i < n && !empty; i++)
		empty = !nulls[i] && VARSIZE_ANY_EXHDR(DatumGetPointer(texts[i])) == 0;
	return empty;
}

/*
 * Whether a value is known to be an empty text, which an item can have although
 * it is missing in a key.
 */
static bool
IsEmptyText(const Filter *f, Node *value)
{
	Node	   *known = eval_const_expressions(f->root, copyObject(value));

	return IsA(known, Const) && HasEmptyText((Const *) known);
}

/* Whether a value can be compared with a key instead. */
static bool
IsUsableValue(const Filter *f, Node *value)
{
	return !contain_subplans(value) && !contain_volatile_functions(value) &&
		!contain_agg_clause(value) && !bms_is_member(f->varno, pull_varnos(f->root, value));
}

/*
 * Returns the btree strategy by which an operator compares values of a type; 0
 * if there is none.
 */
static int
StrategyOf(Oid operator, Oid collation, Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return 0;
	return OidIsValid(entry->btree_opf) ? get_op_opfamily_strategy(operator, entry->btree_opf) : 0;
}

/* The position of an operator, and whether its right operand is an array. */
typedef struct OperatorPlace
{
	Oid			collation;
	bool		array;
	Node	   *qual;
	Node	  **quals;
	int			depth;
} OperatorPlace;

/* Adds a comparison if the left operand is a part and the right one a value. */
static bool
AddComparison(Filter *f, const OperatorPlace *place, Oid operator, Node *shown, Node *value)
{
	Comparison	c = {
		.part = OidIsValid(operator) ? PartShown(f, shown) : NULL,
		.array = place->array,
		.shown = shown,
		.value = (Expr *) value,
		.qual = place->qual,
		.quals = place->quals,
		.depth = place->depth
	};

	if (c.part == NULL || !IsUsableValue(f, value))
		return false;
	c.strategy = StrategyOf(operator, place->collation, exprType(shown));
	if (c.strategy == 0 || (c.array && c.strategy != BTEqualStrategyNumber))
		return false;
	c.empty = IsEmptyText(f, value);
	f->comparisons = lappend(f->comparisons, memcpy(palloc(sizeof(c)), &c, sizeof(c)));
	return true;
}

/* Adds a comparison if a qual is one. */
static void
AddQual(Filter *f, Node *qual, Node **quals, int depth)
{
	OperatorPlace place = {.qual = qual, .quals = quals, .depth = depth};

	if (IsA(qual, OpExpr) && list_length(((OpExpr *) qual)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) qual;

		place.collation = op->inputcollid;
		if (!AddComparison(f, &place, op->opno, linitial(op->args), lsecond(op->args)))
			(void) AddComparison(f, &place, get_commutator(op->opno), lsecond(op->args), linitial(op->args));
	}
	else if (IsA(qual, ScalarArrayOpExpr) && ((ScalarArrayOpExpr *) qual)->useOr)
	{
		ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) qual;

		place.collation = op->inputcollid;
		place.array = true;
		(void) AddComparison(f, &place, op->opno, linitial(op->args), lsecond(op->args));
	}
}

static void
CollectComparisons(Filter *f)
{
	ListCell   *place;
	int			depth = 0;

	foreach(place, f->path)
	{
		Node	  **quals = lfirst(place);
		ListCell   *cell;

		foreach(cell, Conjuncts(*quals))
			AddQual(f, lfirst(cell), quals, depth);
		depth++;
	}
}

/*
 * Finds the comparison of a part.  One with an empty text counts only for the
 * table's key, which every item has.
 */
static const Comparison *
FindComparison(const Filter *f, const TemplatePart *part, int strategy, bool array, bool base)
{
	ListCell   *cell;

	foreach(cell, f->comparisons)
	{
		const Comparison *c = lfirst(cell);

		if (c->strategy == strategy && c->array == array && (base || !c->empty) &&
			SliceIs(part->name, c->part) && EqualityIsOfText(f, part, c))
			return c;
	}
	return NULL;
}

/* ---- conditions on keys ---- */

static Expr *
TextConst(Slice s)
{
	return (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							  PointerGetDatum(cstring_to_text_with_len(s.data, s.len)), false, false);
}

/*
 * Returns the function with this name and these arguments in a schema of the
 * extension.
 */
static Oid
FunctionOid(const char *schema, const char *name, Oid *types, int n)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, n)),
						   ObjectIdGetDatum(get_namespace_oid(schema, true)));
}

/*
 * Creates compose_key(template, name, value, ...) of the known parts, or
 * compose_keys(...) if one value is an array; NULL if the function does not
 * exist.
 */
static Expr *
ComposeCall(const Template *t, List *parts, bool array)
{
	Oid			types[] = {TEXTOID, ANYOID};
	Oid			function = FunctionOid(INTERNAL_SCHEMA, array ? "compose_keys" : "compose_key", types, 2);

	if (!OidIsValid(function))
		return NULL;
	return (Expr *) makeFuncExpr(function, array ? TEXTARRAYOID : TEXTOID, lcons(TextConst(t->source), parts),
								 DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/*
 * Moves an addition out to the quals of a comparison that it is derived from.
 */
static void
MoveOut(Addition *a, const Comparison *c)
{
	if (a->quals == NULL || c->depth > a->depth)
	{
		a->quals = c->quals;
		a->depth = c->depth;
	}
}

/* A key whose comparisons are being collected. */
typedef struct KeyPlan
{
	const ComposedKey *key;
	Var		   *column;
	Addition	place;
	List	   *parts;			/* arguments of compose_key: names and values */
	List	   *told;			/* of Comparison *: those whose values the whole key determines */
	int			known;			/* number of known leading pieces */
	bool		array;			/* one of the values is an array */
} KeyPlan;

/*
 * Finds the comparison that gives a part; an array is used if no other part of
 * the key has one.
 */
static const Comparison *
FindEquality(const Filter *f, const KeyPlan *plan, const TemplatePart *part, bool arrays)
{
	bool		base = plan->key->base;
	const Comparison *c = part->nsteps != 1 ? NULL : FindComparison(f, part, BTEqualStrategyNumber, false, base);

	if (c == NULL && part->nsteps == 1 && arrays && !plan->array)
		c = FindComparison(f, part, BTEqualStrategyNumber, true, base);
	return c;
}

/*
 * Whether equal keys have equal attributes, which is false for truncated
 * times.
 */
static bool
KeyTells(const Template *t, int piece)
{
	return t->pieces[piece].part->kind != PART_TIME && PieceTellsAttribute(t, piece);
}

/* Finds the values of leading parts; returns whether they are the whole key. */
static bool
PlanParts(const Filter *f, const Template *t, KeyPlan *plan, bool arrays)
{
	for (plan->known = 0; plan->known < t->npieces; plan->known++)
	{
		const TemplatePart *part = t->pieces[plan->known].part;
		const Comparison *c;

		if (part == NULL)
			continue;
		c = FindEquality(f, plan, part, arrays);
		if (c == NULL)
			return false;
		plan->array |= c->array;
		plan->parts = lappend(plan->parts, TextConst(part->name));
		plan->parts = lappend(plan->parts, copyObject(c->value));
		if (KeyTells(t, plan->known))
			plan->told = lappend(plan->told, unconstify(Comparison *, c));
		MoveOut(&plan->place, c);
	}
	return true;
}

/* Returns the column of a key attribute, of the table or of the entries. */
static Var *
KeyColumn(const Filter *f, int attribute)
{
	const Var  *table = linitial(f->call->args);
	Var		   *column;

	if (f->entries != NULL)
		return EntryColumn(f->root, f->def, f->entries, attribute, table);
	column = copyObject(unconstify(Var *, table));
	column->varattno = column->varattnosyn = f->def->attributes[attribute].attnum;
	column->vartype = TEXTOID;
	column->varcollid = C_COLLATION_OID;
	return column;
}

/*
 * Finds the known parts of a key.  An array is used only if the whole key is
 * known.
 */
static bool
PlanKey(const Filter *f, const ComposedKey *key, KeyPlan *plan)
{
	int			attribute = TableDefAttribute(f->def, key->attribute);
	KeyPlan		whole;

	plan->key = key;
	if (attribute < 0 || f->def->attributes[attribute].type != VALUE_S)
		return false;
	plan->column = KeyColumn(f, attribute);
	whole = *plan;
	if (!PlanParts(f, key->template, &whole, true))
		return PlanParts(f, key->template, plan, false);
	*plan = whole;
	return true;
}

static void
AddCondition(List **additions, KeyPlan *plan, Expr *clause)
{
	Addition   *a = palloc(sizeof(Addition));

	*a = plan->place;
	a->clause = clause;
	*additions = lappend(*additions, a);
}

static Expr *
CompareKey(KeyPlan *plan, Oid operator, Expr *bound)
{
	return make_opclause(operator, BOOLOID, false, (Expr *) copyObject(plan->column), bound,
						 InvalidOid, plan->column->varcollid);
}

/* Returns the literal with which a template begins, which may be empty. */
static Slice
Beginning(const Template *t)
{
	return t->pieces[0].part == NULL ? t->pieces[0].text : (Slice) {"", 0};
}

/* Creates column = ANY (keys). */
static Expr *
CompareWithKeys(const KeyPlan *plan, Expr *keys)
{
	ScalarArrayOpExpr *any = makeNode(ScalarArrayOpExpr);

	any->opno = TextEqualOperator;
	any->opfuncid = get_opcode(TextEqualOperator);
	any->useOr = true;
	any->inputcollid = plan->column->varcollid;
	any->args = list_make2(copyObject(plan->column), keys);
	any->location = -1;
	return (Expr *) any;
}

/*
 * Whether the query reads only the filter's table, so that no join can use a
 * comparison.
 */
static bool
IsOnlyTable(const Filter *f)
{
	Node	   *node = (Node *) f->root->parse->jointree;

	while (IsA(node, FromExpr) && list_length(((FromExpr *) node)->fromlist) == 1)
		node = linitial(((FromExpr *) node)->fromlist);
	return IsA(node, RangeTblRef);
}

/*
 * Whether the query sorts or groups by the compared expression, which is
 * unnecessary if it is constant.
 */
static bool
IsSortedBy(const Filter *f, Node *shown)
{
	ListCell   *cell;

	foreach(cell, f->root->parse->targetList)
	{
		TargetEntry *entry = lfirst(cell);

		if (entry->ressortgroupref != 0 && equal(entry->expr, shown))
			return true;
	}
	return false;
}

/*
 * Collects the comparisons that an equality of a key replaces.  Those beside
 * the filter cannot be replaced, because the planner may have simplified them
 * already.
 */
static List *
ImpliedComparisons(const Filter *f, const KeyPlan *plan)
{
	List	   *implied = NIL;
	ListCell   *cell;

	if (!plan->key->base || plan->array || plan->place.depth == 0 || !IsOnlyTable(f))
		return NIL;
	foreach(cell, plan->told)
	{
		const Comparison *c = lfirst(cell);

		if (c->quals == plan->place.quals && !IsA(*c->quals, List) && !IsSortedBy(f, c->shown))
			implied = lappend(implied, c->qual);
	}
	return implied;
}

/*
 * Adds the condition on a key whose parts are all known.  A constant key
 * replaces the comparisons.
 */
static void
AddEquality(const Filter *f, List **additions, KeyPlan *plan)
{
	Expr	   *key = plan->parts == NIL ? TextConst(plan->key->template->pieces[0].text) :
		ComposeCall(plan->key->template, plan->parts, plan->array);

	if (key == NULL)
		return;
	plan->place.implies = ImpliedComparisons(f, plan);
	AddCondition(additions, plan, plan->array ? CompareWithKeys(plan, key) : CompareKey(plan, TextEqualOperator, key));
}

/*
 * Returns the prefix of a key that the known parts determine; NULL if it is
 * empty.
 */
static Expr *
KnownBeginning(const KeyPlan *plan)
{
	Slice		literal = Beginning(plan->key->template);

	if (plan->parts != NIL)
		return ComposeCall(plan->key->template, copyObject(plan->parts), false);
	return literal.len > 0 ? TextConst(literal) : NULL;
}

/* Adds begins_with(column, prefix). */
static void
AddPrefix(List **additions, KeyPlan *plan)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Oid			function = FunctionOid(DYNAMO_SCHEMA, "begins_with", types, 2);
	Expr	   *prefix = KnownBeginning(plan);

	if (prefix != NULL && OidIsValid(function))
		AddCondition(additions, plan,
					 (Expr *) makeFuncExpr(function, BOOLOID, list_make2(copyObject(plan->column), prefix),
										   InvalidOid, plan->column->varcollid, COERCE_EXPLICIT_CALL));
}

static Expr *
PrefixUpper(Expr *prefix)
{
	Oid			types[] = {TEXTOID};
	Oid			function = FunctionOid(DYNAMO_SCHEMA, "prefix_upper", types, 1);

	return !OidIsValid(function) ? NULL :
		(Expr *) makeFuncExpr(function, TEXTOID, list_make1(prefix), DEFAULT_COLLATION_OID,
							  DEFAULT_COLLATION_OID, PREFIX_UPPER_IN_PLAN);
}

/*
 * Adds a bound of an ordered part: the prefix with the value or, if the value
 * does not fit the format, without it.
 */
static void
AddBound(const Filter *f, List **additions, KeyPlan *plan, const TemplatePart *part, int strategy)
{
	const Comparison *c = FindComparison(f, part, strategy, false, plan->key->base);
	bool		lower = strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
	KeyPlan		bounded = *plan;
	Expr	   *with;
	Expr	   *without;
	CoalesceExpr *bound;

	if (c == NULL)
		return;
	MoveOut(&bounded.place, c);
	with = ComposeCall(plan->key->template,
					   lappend(lappend(copyObject(plan->parts), TextConst(part->name)), copyObject(c->value)), false);
	without = plan->parts == NIL ? TextConst(Beginning(plan->key->template)) : KnownBeginning(plan);
	if (with == NULL || without == NULL)
		return;
	bound = makeNode(CoalesceExpr);
	bound->coalescetype = TEXTOID;
	bound->coalescecollid = DEFAULT_COLLATION_OID;
	bound->args = list_make2(with, without);
	bound->location = -1;
	if (lower != part->descending)
		AddCondition(additions, &bounded, CompareKey(plan, TextGreaterEqualOperator, (Expr *) bound));
	else if (PrefixUpper((Expr *) bound) != NULL)
		AddCondition(additions, &bounded, CompareKey(plan, TextLessOperator, PrefixUpper((Expr *) bound)));
}

/*
 * Adds conditions on a key whose leading parts are known: a prefix or a range.
 * Returns whether a comparison was used.
 */
static bool
AddRange(const Filter *f, List **additions, KeyPlan *plan)
{
	const TemplatePart *part = plan->key->template->pieces[plan->known].part;
	int			before = list_length(*additions);
	int			bounds;

	if (PartIsOrdered(part) && part->nsteps == 1)
	{
		for (int strategy = BTLessStrategyNumber; strategy <= BTGreaterStrategyNumber; strategy++)
		{
			if (strategy != BTEqualStrategyNumber)
				AddBound(f, additions, plan, part, strategy);
		}
	}
	bounds = list_length(*additions) - before;
	if (bounds < 2)				/* the unbounded side gets the prefix */
		AddPrefix(additions, plan);
	return bounds > 0 || plan->parts != NIL;
}

static const ComposedKey *
KeyOf(const Entity *entity, Slice attribute)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, attribute))
			return &entity->keys[i];
	}
	return NULL;
}

/* ---- conditions of indexes ---- */

/* The constants that the query compares attributes with. */
typedef struct KnownAttributes
{
	const Filter *filter;
	ItemBuilder *item;
	bool		complete;		/* all names in the condition are among them */
} KnownAttributes;

/*
 * Returns a comparison with a constant that determines an attribute of the
 * item exactly; NULL if there is none.
 */
static const Comparison *
ExactlyKnown(const Filter *f, Slice name)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, name);
	TemplatePart part = {.name = name, .nsteps = 1};
	const Comparison *c;

	if (declared == NULL || declared->holds < 0 || EntityKeyTells(f->entity, name))
		return NULL;
	c = FindComparison(f, &part, BTEqualStrategyNumber, false, false);
	return c != NULL && IsA(c->value, Const) && !((Const *) c->value)->constisnull ? c : NULL;
}

/* Adds a constant text, number or uuid to an item. */
static void
AddConst(ItemBuilder *item, const Const *value)
{
	Oid			output;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(value->consttype, &output, &varlena);
	text = OidOutputFunctionCall(output, value->constvalue);
	if (value->consttype == TEXTOID || value->consttype == VARCHAROID || value->consttype == UUIDOID)
		ItemBuilderString(item, text, strlen(text));
	else
		ItemBuilderNumberText(item, text, strlen(text));
}

/* A PathVisitor. */
static bool
AddKnown(Slice name, bool nested, void *arg)
{
	KnownAttributes *known = arg;
	const Comparison *c = nested ? NULL : ExactlyKnown(known->filter, name);

	known->complete &= c != NULL;
	if (c != NULL)
	{
		ItemBuilderName(known->item, name.data, name.len);
		AddConst(known->item, (Const *) c->value);
	}
	return known->complete;
}

/* Whether all items that the query can return meet the condition of a key. */
static bool
ConditionIsImplied(const Filter *f, const ComposedKey *key)
{
	KnownAttributes known = {.filter = f, .complete = true};

	if (key->condition == NULL)
		return true;
	known.item = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ItemBuilderBeginMap(known.item);
	ConditionVisitPaths(key->condition, AddKnown, &known);
	ItemBuilderEnd(known.item);
	return known.complete && ConditionMatches(key->condition, ItemRoot(ItemBuilderFinish(known.item)));
}

/* ---- keys ---- */

/*
 * Whether all items that the query can return have a part: it is in the table's
 * key, required, or compared.
 */
static bool
IsSurelyThere(const Filter *f, const TemplatePart *part)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, part->name);
	bool		there = EntityKeyTells(f->entity, part->name) || (declared != NULL && declared->required) ||
		FindComparison(f, part, BTEqualStrategyNumber, false, false) != NULL ||
		FindComparison(f, part, BTEqualStrategyNumber, true, false) != NULL;

	for (int strategy = BTLessStrategyNumber; strategy <= BTGreaterStrategyNumber && PartIsOrdered(part); strategy++)
		there |= FindComparison(f, part, strategy, false, false) != NULL;
	return there;
}

/*
 * Whether all items that the query can return have an attribute of the index's
 * key.  One without a template must be an attribute of the item itself.
 */
static bool
HaveKey(const Filter *f, Slice attribute)
{
	const ComposedKey *key = KeyOf(f->entity, attribute);
	const TemplatePart plain = {.name = attribute, .nsteps = 1};

	for (int i = 0; i < KeyCount(&f->def->key); i++)
	{
		if (SliceEqual(f->def->key.attributes[i].name, attribute))
			return true;
	}
	if (key == NULL)
		return !EntityKeyTells(f->entity, attribute) && IsSurelyThere(f, &plain);
	if (!ConditionIsImplied(f, key))
		return false;
	for (int i = 0; i < key->template->npieces; i++)
	{
		const TemplatePart *part = key->template->pieces[i].part;

		if (part != NULL && (part->nsteps != 1 || !IsSurelyThere(f, part)))
			return false;
	}
	return true;
}

/*
 * Returns conditions on the key of the table or of an index; NIL if its
 * partition is not known, or no comparison can be used.  narrow is greater,
 * the fewer items remain.
 */
static List *
ConditionsOnKey(const Filter *f, const KeySchema *schema, int *narrow)
{
	List	   *additions = NIL;
	bool		used = false;

	*narrow = 0;

	for (int i = 0; i < KeyCount(schema); i++)
	{
		const ComposedKey *key = KeyOf(f->entity, schema->attributes[i].name);
		KeyPlan		plan = {0};
		bool		complete = key != NULL && ConditionIsImplied(f, key) && PlanKey(f, key, &plan);

		if (!complete && i < schema->npartition)
			return NIL;
		if (complete)
			AddEquality(f, &additions, &plan);
		if (complete ? plan.parts != NIL :
			plan.column != NULL && HaveKey(f, schema->attributes[i].name) && AddRange(f, &additions, &plan))
		{
			*narrow += complete ? 2 : 1;
			used = true;
		}
		if (!complete)
			break;
	}
	return used ? additions : NIL;
}

/* ---- index tables ---- */

/*
 * Whether the query can read the entries of an index instead of searching the
 * table: all items that it can return have one.
 */
static bool
CanReadEntries(const Filter *f, const IndexDef *index)
{
	for (int i = 0; i < KeyCount(&index->key); i++)
	{
		if (!HaveKey(f, index->key.attributes[i].name))
			return false;
	}
	return f->from != NULL && EntriesAreReadable(f->root, f->def, index);
}

/* Adds the entries to the query, and conditions that join them to the rows. */
static List *
JoinEntries(const Filter *f, List *additions)
{
	ListCell   *cell;

	foreach(cell, EntriesJoin(f->root, f->from, f->def, f->entries, linitial(f->call->args)))
	{
		Addition   *a = palloc0(sizeof(Addition));

		a->clause = lfirst(cell);
		additions = lappend(additions, a);
	}
	return additions;
}

/* ---- the choice ---- */

/* The conditions that restrict the query most. */
typedef struct Choice
{
	List	   *additions;
	int			narrow;
	const IndexDef *entries;	/* index table whose key they are on; NULL for the table */
} Choice;

/*
 * Considers the conditions on the key of an index.  One that is being built
 * lacks columns of older items, or entries.  Of those that restrict the query
 * equally, an index table comes last.
 */
static void
ConsiderIndex(Filter *f, const IndexDef *index, Choice *best)
{
	Choice		other = {0};

	if (index->status != INDEX_ACTIVE)
		return;
	f->entries = other.entries = index->storage == STORAGE_TABLE ? index : NULL;
	other.additions = ConditionsOnKey(f, &index->key, &other.narrow);
	if (other.additions == NIL ||
		(best->additions != NIL && other.narrow <= best->narrow &&
		 (other.narrow < best->narrow || best->entries == NULL || other.entries != NULL)))
		return;
	if (other.entries == NULL || CanReadEntries(f, index))
		*best = other;
}

/* Returns conditions on what the table's key begins with. */
static List *
KeyPrefixes(const Filter *f)
{
	List	   *additions = NIL;

	for (int i = 0; i < f->entity->nbase; i++)
	{
		KeyPlan		plan = {0};

		if (PlanKey(f, &f->entity->keys[i], &plan))
			AddEquality(f, &additions, &plan);
		else if (plan.column != NULL)
			AddPrefix(&additions, &plan);
	}
	return additions;
}

/*
 * Returns conditions on the key of the table or an index, whichever they
 * restrict most, or at least on the prefix of the table's key.
 */
static List *
ConditionsOnKeys(Filter *f)
{
	Choice		best = {0};

	best.additions = ConditionsOnKey(f, &f->def->key, &best.narrow);
	for (int i = 0; f->entity->applied && i < f->def->nindexes; i++)
		ConsiderIndex(f, &f->def->indexes[i], &best);
	f->entries = best.entries;
	if (best.entries != NULL)
		return JoinEntries(f, best.additions);
	return best.additions != NIL ? best.additions : KeyPrefixes(f);
}

/* ---- the request ---- */

/* Returns the filter as a test without a support function. */
static Expr *
PlainTest(const FuncExpr *call)
{
	Oid			types[] = {OIDOID, TEXTOID, ItemTypeOid()};
	Oid			function = FunctionOid(DYNAMO_SCHEMA, "is_entity", types, 3);

	if (!OidIsValid(function))
		return NULL;
	return (Expr *) makeFuncExpr(function, BOOLOID, list_copy_head(call->args, FIRST_PART_ARGUMENT),
								 InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* Removes conjuncts from quals, which are an expression. */
static void
RemoveConjuncts(Node **quals, List *removed)
{
	List	   *kept = list_difference_ptr(Conjuncts(*quals), removed);

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
		if (f->entity != NULL && FindFilter(f, (Node *) f->root->parse->jointree, function, &closed))
		{
			CollectComparisons(f);
			here = PlaceAdditions(f, ConditionsOnKeys(f));
		}
		TableDefRelease(def);
	}
	table_close(rel, NoLock);
	return here;
}

static Node *
Simplify(SupportRequestSimplify *request)
{
	FuncExpr   *call = request->fcall;
	Filter		f = {.root = request->root};
	Var		   *table = linitial(call->args);
	Const	   *name;
	RangeTblEntry *rte;
	Expr	   *test;

	if (list_length(call->args) <= FIRST_PART_ARGUMENT)
		return NULL;
	name = lsecond(call->args);
	test = PlainTest(call);
	if (request->root == NULL || test == NULL || !IsA(table, Var) || table->varlevelsup > 0 ||
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
	PG_RETURN_POINTER(Simplify((SupportRequestSimplify *) request));
}
