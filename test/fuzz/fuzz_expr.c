/*
 * fuzz_expr.c
 *	  Any bytes as an expression: the first byte chooses its kind, the rest is
 *	  its text.  Of one more kind, three bytes choose a condition that is
 *	  built without text.
 *
 * Names, values and items are fixed, rich enough for most texts to mean
 * something.  What comes out must be well-formed, and a condition must be
 * false where its negation is true.  What is built must do as what is parsed.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "expr/build_tree.h"
#include "expr/tree.h"
#include "fuzz.h"
#include "item/json.h"

#define BUILT		0xFF		/* instead of a kind */
#define BUILT_SIZE	4

static const char values_text[] =
"{\":s\":{\"S\":\"abc\"},\":t\":{\"S\":\"S\"},\":n\":{\"N\":\"1\"},\":m\":{\"N\":\"-2.5\"},"
"\":b\":{\"B\":\"YWI=\"},\":o\":{\"BOOL\":true},\":z\":{\"NULL\":true},\":l\":{\"L\":[{\"N\":\"1\"},{\"S\":\"x\"}]},"
"\":p\":{\"M\":{\"k\":{\"L\":[]}}},\":x\":{\"SS\":[\"a\",\"b\"]},\":y\":{\"NS\":[\"1\",\"2\"]},\":w\":{\"BS\":[\"YQ==\"]}}";

static const char item_text[] =
"{\"s\":{\"S\":\"abcd\"},\"n\":{\"N\":\"1\"},\"b\":{\"B\":\"YWJj\"},\"o\":{\"BOOL\":true},\"z\":{\"NULL\":true},"
"\"l\":{\"L\":[{\"N\":\"1\"},{\"M\":{\"k\":{\"N\":\"2\"}}},{\"L\":[{\"S\":\"x\"}]}]},"
"\"m\":{\"M\":{\"k\":{\"L\":[{\"N\":\"3\"}]},\"l\":{\"M\":{\"k\":{\"S\":\"deep\"}}}}},"
"\"x\":{\"SS\":[\"a\",\"b\",\"c\"]},\"y\":{\"NS\":[\"1\"]},\"w\":{\"BS\":[\"YQ==\",\"Yg==\"]}}";

int
pg_mbstrlen_with_len(const char *string, int limit)
{
	return (int) strnlen(string, limit);
}

static Slice
Text(const char *text)
{
	return (Slice) {text, (uint32) strlen(text)};
}

static ValueRef
Parsed(const char *json)
{
	return ItemRoot(ItemFromJson(json, strlen(json), NULL));
}

static ExprBindings *
Bindings(Problem *problem)
{
	ExprBindings *b = ExprBindingsCreate(Parsed(values_text), problem);

	ExprBindingsAddName(b, Text("#s"), Text("s"));
	ExprBindingsAddName(b, Text("#l"), Text("l"));
	ExprBindingsAddName(b, Text("#k"), Text("k"));
	ExprBindingsAddName(b, Text("#n"), Text("name with spaces"));
	FUZZ_CHECK(ExprBindingsCheck(b, true));
	return b;
}

static void
CheckItem(const struct varlena *item)
{
	if (item != NULL)
		FUZZ_CHECK(ValueFormatProblem(ItemRoot(item), 0) == NULL);
}

/* The text with NOT before it, if it is then still an expression. */
static void
CheckNegation(ExprKind kind, Slice text, bool matches, ValueRef item)
{
	char	   *negated = psprintf("NOT (%.*s)", (int) text.len, text.data);
	Problem		problem = NO_PROBLEM;
	const ExprTree *expr;
	const Condition *cond;

	if (memchr(text.data, '\0', text.len) || text.len > EXPR_MAX_SIZE - 6)
		return;
	/* A problem: redundant parentheses, one operator too many. */
	expr = ExprParseText(kind, Text(negated), &problem);
	if (expr == NULL)
		return;
	cond = ConditionBind(kind, expr, Bindings(&problem));
	FUZZ_CHECK(cond != NULL && ConditionMatches(cond, item) != matches);
}

static bool
VisitPath(Slice name, bool nested, void *arg)
{
	FUZZ_CHECK(name.len > 0);
	return true;
}

static void
TestCondition(ExprKind kind, Slice text, const ExprTree *expr, ExprBindings *b)
{
	const Condition *cond = ConditionBind(kind, expr, b);
	ValueRef	item = Parsed(item_text);

	if (cond == NULL)
		return;
	ConditionVisitPaths(cond, VisitPath, NULL);
	(void) ConditionMatches(cond, MISSING_VALUE);
	CheckNegation(kind, text, ConditionMatches(cond, item), item);
}

static void
TestKeyCondition(const ExprTree *expr, ExprBindings *b, Problem *problem)
{
	static const ValueType types[] = {VALUE_S, VALUE_N, VALUE_B, VALUE_S};
	static const char *const names[] = {"s", "n", "b", "k"};
	KeySchema	schema = {expr->text.len % 2 + 1, expr->text.len % 3};
	const Condition *cond = ConditionBind(EXPR_KEY_CONDITION, expr, b);
	const KeyClauses *clauses = cond != NULL ? KeyConditionClauses(expr, cond, problem) : NULL;
	const KeyCondition *key;
	ValueRef	item = Parsed(item_text);

	for (int i = 0; i < schema.npartition + schema.nsort; i++)
		schema.attributes[i] = (KeyAttribute) {Text(names[i]), types[i]};
	key = clauses != NULL ? KeyConditionMatch(clauses, &schema) : NULL;
	FUZZ_CHECK((key != NULL) == !ProblemIsNoted(problem));
	for (int i = 0; key != NULL && i < key->ntests; i++)
	{
		ValueRef	v = AttributeFind(item, names[i], 1);

		if (!ValueIsMissing(v))
			(void) KeyTestMatches(&key->tests[i], v);
	}
}

static void
TestProjection(const ExprTree *expr, ExprBindings *b)
{
	const Projection *proj = ProjectionBind(expr, b);

	if (proj == NULL)
		return;
	ProjectionVisitPaths(proj, VisitPath, NULL);
	CheckItem(ProjectionApply(proj, Parsed(item_text)));
	CheckItem(ProjectionApply(proj, MISSING_VALUE));
}

static void
TestUpdate(const ExprTree *expr, ExprBindings *b)
{
	const Update *update = UpdateBind(expr, b);
	ValueRef	item = Parsed(item_text);
	Problem		problem = NO_PROBLEM;
	struct varlena *updated;

	if (update == NULL)
		return;
	UpdateVisitTargets(update, VisitPath, NULL);
	CheckItem(UpdateTargetsIn(update, item));
	updated = UpdateApply(update, item, MISSING_VALUE, &problem);
	FUZZ_CHECK((updated != NULL) == !ProblemIsNoted(&problem));
	if (updated == NULL)
		return;
	CheckItem(updated);
	CheckItem(UpdateTargetsIn(update, ItemRoot(updated)));
	CheckItem(UpdateApply(update, MISSING_VALUE, MISSING_VALUE, &problem));
}

/* ---- built without text ---- */

static Condition *
BuildCondition(int which, Slice a, ValueRef v)
{
	Condition **parts = palloc(2 * sizeof(Condition *));

	switch (which)
	{
		case 6:
			return ConditionBuildBetween(a, v, v);
		case 7:
			return ConditionBuildIn(a, &v, 1);
		case 8:
			return ConditionBuildExists(a, true);
		case 9:
			return ConditionBuildExists(a, false);
		case 10:
			return ConditionBuildBeginsWith(a, v);
		case 11:
			return ConditionBuildContains(a, v);
		case 12:
			parts[0] = ConditionBuildExists(a, true);
			parts[1] = ConditionBuildNot(ConditionBuildContains(a, v));
			return ConditionBuildJoin(true, parts, 2);
		default:
			return ConditionBuildCompare(a, (CompareOp) which, v);
	}
}

static const char *const built_texts[] = {
	"%s = %s", "%s <> %s", "%s < %s", "%s <= %s", "%s > %s", "%s >= %s",
	"%1$s BETWEEN %2$s AND %2$s", "%s IN (%s)", "attribute_exists(%s)",
	"attribute_not_exists(%s)", "begins_with(%s, %s)", "contains(%s, %s)",
	"attribute_exists(%1$s) AND NOT contains(%1$s, %2$s)"
};

static const char *const built_actions[] = {
	"SET %s = %s", "REMOVE %s", "ADD %s %s", "DELETE %s %s"
};

/* What is built does as what is parsed, if that has no problem. */
static void
CheckBuiltUpdate(int which, Slice a, const char *name, ValueRef v)
{
	UpdateAction action = (UpdateAction) (which % ACTION_COUNT);
	char	   *text = psprintf(built_actions[action], a.data, name);
	Update	   *built = UpdateBuild(1);
	ValueRef	item = Parsed(item_text);
	Problem		problem = NO_PROBLEM;
	Problem		built_problem = NO_PROBLEM;
	const ExprTree *expr = ExprParseText(EXPR_UPDATE, Text(text), &problem);
	Update	   *bound = expr != NULL ? UpdateBind(expr, Bindings(&problem)) : NULL;
	struct varlena *x = bound != NULL ? UpdateApply(bound, item, MISSING_VALUE, &problem) : NULL;
	struct varlena *y;

	if (x == NULL)
		return;
	UpdateBuildAction(built, action, a, v);
	y = UpdateApply(built, item, MISSING_VALUE, &built_problem);
	FUZZ_CHECK(y != NULL && ValueEqual(ItemRoot(x), ItemRoot(y)));
}

static void
TestBuilt(const uint8 *data, size_t size)
{
	static const char *const names[] = {"s", "n", "b", "o", "z", "l", "m", "x", "y", "w", "q"};
	int			which = data[1] % lengthof(built_texts);
	Slice		a = Text(names[data[2] % lengthof(names)]);
	Container	values;
	Slice		name;
	ValueRef	v;
	ValueRef	item = Parsed(item_text);
	Problem		problem = NO_PROBLEM;
	char	   *text;
	const ExprTree *expr;
	const Condition *cond;

	ContainerOpen(Parsed(values_text), &values);
	v = MapEntry(&values, data[3] % values.count, &name);
	text = psprintf(built_texts[which], a.data, pnstrdup(name.data, name.len));
	if (data[1] >= 128)
	{
		CheckBuiltUpdate(which, a, pnstrdup(name.data, name.len), v);
		return;
	}
	expr = ExprParseText(EXPR_CONDITION, Text(text), &problem);
	FUZZ_CHECK(expr != NULL);
	cond = ConditionBind(EXPR_CONDITION, expr, Bindings(&problem));
	/* A problem: types that an expression does not accept. */
	FUZZ_CHECK(cond == NULL || ConditionMatches(cond, item) ==
			   ConditionMatches(BuildCondition(which, a, v), item));
}

static void
Test(const uint8 *data, size_t size)
{
	ExprKind	kind = (ExprKind) (data[0] % (EXPR_PROJECTION + 1));
	/* a copy of exactly this size, so that a read beyond its end is seen */
	Slice		text = {memcpy(palloc(size - 1), data + 1, size - 1), (uint32) size - 1};
	Problem		problem = NO_PROBLEM;
	ExprBindings *b = Bindings(&problem);
	const ExprTree *expr = ExprParseText(kind, text, &problem);

	FUZZ_CHECK((expr != NULL) == !ProblemIsNoted(&problem));
	if (expr == NULL)
		return;
	if (kind == EXPR_UPDATE)
		TestUpdate(expr, b);
	else if (kind == EXPR_PROJECTION)
		TestProjection(expr, b);
	else if (kind == EXPR_KEY_CONDITION)
		TestKeyCondition(expr, b, &problem);
	else
		TestCondition(kind, text, expr, b);
	(void) ExprBindingsCheckUnused(b);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	if (size == BUILT_SIZE && data[0] == BUILT)
		FuzzRun(TestBuilt, data, size);
	else if (size > 0)
		FuzzRun(Test, data, size);
	return 0;
}
