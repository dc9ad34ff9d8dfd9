/*
 * fuzz_partiql.c
 *	  Any bytes as a PartiQL statement.
 *
 * Parameters, items and keys are fixed, rich enough for most statements to
 * mean something.  What comes out must be well-formed; and what the planner
 * makes of a condition (a key, or ranges of keys with a filter) must be true
 * of the same items as the condition.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "fuzz.h"
#include "item/json.h"
#include "partiql/partiql_tree.h"

static const char *const parameter_texts[] = {
	"{\"S\":\"s\"}", "{\"N\":\"1\"}", "{\"B\":\"YWI=\"}", "{\"NULL\":true}", "{\"L\":[{\"N\":\"1\"}]}",
	"{\"M\":{\"s\":{\"S\":\"abcd\"},\"n\":{\"N\":\"2\"}}}", "{\"SS\":[\"a\",\"b\"]}", "{\"S\":\"abcd\"}"
};

static const char *const item_texts[] = {
	"{\"s\":{\"S\":\"abcd\"},\"n\":{\"N\":\"1\"},\"b\":{\"B\":\"YWJj\"},\"k\":{\"S\":\"x\"},\"l\":{\"L\":[{\"N\":\"1\"},{\"M\":{\"k\":{\"N\":\"2\"}}}]}}",
	"{\"s\":{\"S\":\"s\"},\"n\":{\"N\":\"2\"},\"b\":{\"B\":\"YWI=\"},\"k\":{\"S\":\"y\"},\"x\":{\"SS\":[\"a\",\"c\"]},\"z\":{\"NULL\":true}}",
	"{\"s\":{\"S\":\"a\"},\"n\":{\"N\":\"-2.5\"},\"b\":{\"B\":\"\"},\"k\":{\"S\":\"\"},\"m\":{\"M\":{\"k\":{\"L\":[]}}},\"y\":{\"NS\":[\"1\"]}}",
};

static const KeySchema schemas[] = {
	{1, 0, {{{"s", 1}, VALUE_S}}},
	{1, 1, {{{"s", 1}, VALUE_S}, {{"n", 1}, VALUE_N}}},
	{2, 2, {{{"s", 1}, VALUE_S}, {{"n", 1}, VALUE_N}, {{"b", 1}, VALUE_B}, {{"k", 1}, VALUE_S}}},
};

int
pg_mbstrlen_with_len(const char *string, int limit)
{
	return (int) strnlen(string, limit);
}

static ValueRef
Parsed(const char *json)
{
	return ItemRoot(ItemFromJson(json, strlen(json), NULL));
}

static void
CheckItem(const struct varlena *item)
{
	if (item != NULL)
		FUZZ_CHECK(ValueFormatProblem(ItemRoot(item), 0) == NULL);
}

static bool
Matches(const Condition *cond, ValueRef item)
{
	return cond == NULL || ConditionMatches(cond, item);
}

static ValueRef
KeyValue(const KeySchema *schema, int i, ValueRef item)
{
	return AttributeFind(item, schema->attributes[i].name.data, 1);
}

/* ---- the plan says what the condition says ---- */

static bool
InPartition(const StatementRange *range, int p, const KeySchema *schema, ValueRef item)
{
	for (int i = 0; i < schema->npartition; i++)
	{
		if (!ValueEqual(range->partitions[p][i], KeyValue(schema, i, item)))
			return false;
	}
	return true;
}

static bool
InRange(const StatementRange *range, const KeySchema *schema, ValueRef item)
{
	int			found = range->npartitions == 0;

	for (int p = 0; p < range->npartitions; p++)
		found += InPartition(range, p, schema, item);
	FUZZ_CHECK(found <= 1);
	for (int i = 0; i < range->ntests && found; i++)
		found = KeyTestMatches(&range->tests[i], KeyValue(schema, schema->npartition + i, item));
	return found;
}

static void
CheckRange(Condition *where, const KeySchema *schema)
{
	StatementRange range;
	Problem		problem = NO_PROBLEM;

	/* a problem: IN of too many, values of other types */
	if (!StatementRangeOf(where, schema, &range, &problem))
		return;
	FUZZ_CHECK(range.npartitions <= STATEMENT_MAX_KEY_IN && range.ntests <= schema->nsort);
	for (size_t i = 0; i < lengthof(item_texts); i++)
	{
		ValueRef	item = Parsed(item_texts[i]);

		FUZZ_CHECK(Matches(where, item) ==
				   (InRange(&range, schema, item) && Matches(range.filter, item)));
	}
}

static void
CheckFullKey(Condition *where, const KeySchema *schema)
{
	struct varlena *key;
	Condition  *rest;

	if (!StatementFullKey(where, schema, &key, &rest))
		return;
	CheckItem(key);
	for (size_t i = 0; i < lengthof(item_texts); i++)
	{
		ValueRef	item = Parsed(item_texts[i]);
		bool		same = true;

		for (int k = 0; k < schema->npartition + schema->nsort; k++)
			same = same && ValueEqual(KeyValue(schema, k, item), KeyValue(schema, k, ItemRoot(key)));
		FUZZ_CHECK(Matches(where, item) == (same && Matches(rest, item)));
	}
}

/* ---- all of a statement ---- */

static void
Apply(const BoundStatement *bound, ValueRef item)
{
	if (bound->projection != NULL)
		CheckItem(ProjectionApply(bound->projection, item));
	if (bound->update != NULL)
	{
		Problem		problem = NO_PROBLEM;

		CheckItem(UpdateApply(bound->update, item, MISSING_VALUE, &problem));
		CheckItem(UpdateTargetsIn(bound->update, item));
	}
}

static void
Test(const uint8 *data, size_t size)
{
	/* a copy of exactly this size, so that a read beyond its end is seen */
	Slice		text = {memcpy(palloc(size - 1), data + 1, size - 1), (uint32) size - 1};
	Problem		problem = NO_PROBLEM;
	const Statement *statement = StatementParseText(text, &problem);
	ValueRef   *parameters;
	BoundStatement bound;

	FUZZ_CHECK((statement != NULL) == !ProblemIsNoted(&problem));
	if (statement == NULL)
		return;
	parameters = palloc((statement->nparameters + 1) * sizeof(ValueRef));
	for (int i = 0; i < statement->nparameters; i++)
	{
		const char *json = parameter_texts[(data[0] + i) % lengthof(parameter_texts)];

		parameters[i] = ItemRoot(ValueFromJson(json, strlen(json), NULL));
	}
	if (!StatementBind(statement, parameters, statement->nparameters, &bound, &problem))
		return;
	CheckItem(bound.item);
	if (bound.where != NULL)
	{
		CheckFullKey(bound.where, &schemas[data[0] % lengthof(schemas)]);
		CheckRange(bound.where, &schemas[data[0] % lengthof(schemas)]);
	}
	Apply(&bound, Parsed(item_texts[data[0] % lengthof(item_texts)]));
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	/* a statement comes from JSON, which is UTF-8 */
	if (size > 0 && pg_encoding_verifymbstr(PG_UTF8, (const char *) data + 1,
											(int) size - 1) == (int) size - 1)
		FuzzRun(Test, data, size);
	return 0;
}
