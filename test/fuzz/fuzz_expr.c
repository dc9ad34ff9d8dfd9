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
Bindings(void)
{
	ExprBindings *b = ExprBindingsCreate(Parsed(values_text));

	ExprBindingsAddName(b, Text("#s"), Text("s"));
	ExprBindingsAddName(b, Text("#l"), Text("l"));
	ExprBindingsAddName(b, Text("#k"), Text("k"));
	ExprBindingsAddName(b, Text("#n"), Text("name with spaces"));
	ExprBindingsCheck(b, true);
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
	const Expr *expr;

	if (memchr(text.data, '\0', text.len) || text.len > EXPR_MAX_SIZE - 6)
		return;
	/* May raise: redundant parentheses, one operator too many. */
	expr = ExprParseText(kind, Text(negated));
	FUZZ_CHECK(ConditionMatches(ConditionBind(kind, expr, Bindings()), item) != matches);
}

static bool
VisitPath(Slice name, bool nested, void *arg)
{
	FUZZ_CHECK(name.len > 0);
	return true;
}

static void
TestCondition(ExprKind kind, Slice text, const Expr *expr, ExprBindings *b)
{
	const Condition *cond = ConditionBind(kind, expr, b);
	ValueRef	item = Parsed(item_text);

	ConditionVisitPaths(cond, VisitPath, NULL);
	(void) ConditionMatches(cond, MISSING_VALUE);
	CheckNegation(kind, text, ConditionMatches(cond, item), item);
}

static void
TestKeyCondition(const Expr *expr, ExprBindings *b)
{
	static const ValueType types[] = {VALUE_S, VALUE_N, VALUE_B, VALUE_S};
	static const char *const names[] = {"s", "n", "b", "k"};
	KeySchema	schema = {expr->text.len % 2 + 1, expr->text.len % 3};
	KeyCondition *key;
	ValueRef	item = Parsed(item_text);

	for (int i = 0; i < schema.npartition + schema.nsort; i++)
		schema.attributes[i] = (KeyAttribute) {Text(names[i]), types[i]};
	key = KeyConditionMatch(KeyConditionClauses(expr, ConditionBind(EXPR_KEY_CONDITION, expr, b)),
							&schema);
	for (int i = 0; i < key->ntests; i++)
	{
		ValueRef	v = AttributeFind(item, names[i], 1);

		if (!ValueIsMissing(v))
			(void) KeyTestMatches(&key->tests[i], v);
	}
}

static void
TestProjection(const Expr *expr, ExprBindings *b)
{
	const Projection *proj = ProjectionBind(expr, b);

	ProjectionVisitPaths(proj, VisitPath, NULL);
	CheckItem(ProjectionApply(proj, Parsed(item_text)));
	CheckItem(ProjectionApply(proj, MISSING_VALUE));
}

static void
TestUpdate(const Expr *expr, ExprBindings *b)
{
	const Update *update = UpdateBind(expr, b);
	ValueRef	item = Parsed(item_text);
	struct varlena *updated;

	UpdateVisitTargets(update, VisitPath, NULL);
	CheckItem(UpdateTargetsIn(update, item));
	updated = UpdateApply(update, item, MISSING_VALUE, NULL);
	FUZZ_CHECK(updated != NULL);
	CheckItem(updated);
	CheckItem(UpdateTargetsIn(update, ItemRoot(updated)));
	CheckItem(UpdateApply(update, MISSING_VALUE, MISSING_VALUE, NULL));
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

/* An update may fail both ways, but then it fails both ways. */
static void
CheckBuiltUpdate(int which, Slice a, const char *name, ValueRef v)
{
	UpdateAction action = (UpdateAction) (which % ACTION_COUNT);
	char	   *text = psprintf(built_actions[action], a.data, name);
	Update	   *built = UpdateBuild(1);
	ValueRef	item = Parsed(item_text);
	const Expr *expr = ExprParseText(EXPR_UPDATE, Text(text));
	Update	   *bound = UpdateBind(expr, Bindings());
	struct varlena *x = UpdateApply(bound, item, MISSING_VALUE, NULL);
	struct varlena *y;

	UpdateBuildAction(built, action, a, v);
	y = UpdateApply(built, item, MISSING_VALUE, NULL);
	FUZZ_CHECK(ValueEqual(ItemRoot(x), ItemRoot(y)));
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
	char	   *text;
	const Expr *expr;

	ContainerOpen(Parsed(values_text), &values);
	v = MapEntry(&values, data[3] % values.count, &name);
	text = psprintf(built_texts[which], a.data, pnstrdup(name.data, name.len));
	if (data[1] >= 128)
	{
		CheckBuiltUpdate(which, a, pnstrdup(name.data, name.len), v);
		return;
	}
	expr = ExprParseText(EXPR_CONDITION, Text(text));
	/* May raise: types that an expression does not accept. */
	FUZZ_CHECK(ConditionMatches(ConditionBind(EXPR_CONDITION, expr, Bindings()), item) ==
			   ConditionMatches(BuildCondition(which, a, v), item));
}

static void
Test(const uint8 *data, size_t size)
{
	ExprKind	kind = (ExprKind) (data[0] % (EXPR_PROJECTION + 1));
	/* a copy of exactly this size, so that a read beyond its end is seen */
	Slice		text = {memcpy(palloc(size - 1), data + 1, size - 1), (uint32) size - 1};
	ExprBindings *b = Bindings();
	const Expr *expr = ExprParseText(kind, text);

	if (kind == EXPR_UPDATE)
		TestUpdate(expr, b);
	else if (kind == EXPR_PROJECTION)
		TestProjection(expr, b);
	else if (kind == EXPR_KEY_CONDITION)
		TestKeyCondition(expr, b);
	else
		TestCondition(kind, text, expr, b);
	ExprBindingsCheckUnused(b);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	if (size == BUILT_SIZE && data[0] == BUILT)
		(void) FuzzTry(TestBuilt, data, size);
	else if (size > 0)
		(void) FuzzTry(Test, data, size);
	return 0;
}
