/*
 * search.c
 *	  SearchVectors: the checks of the service in its order, and the results.
 *
 * The order is: the vector, number of results, expressions, table, index, whether
 * the index can be searched, dimensions, attributes of the condition, HASH
 * attribute, types of values.
 */
#include "postgres.h"

#include "utils/rel.h"
#include "utils/rls.h"

#include "errors.h"
#include "item/builder.h"
#include "op/call_bindings.h"
#include "search/search.h"

/* A search in progress. */
typedef struct Search
{
	const SearchOp *op;
	Store		store;
	const IndexDef *index;
	Projection *projection;		/* NULL if there is none */
	bool		returns_vector; /* the projection has the vector attribute */
	int			ntests;
	SearchTest *tests;			/* of the condition */
	SearchTest *hash;			/* that of the HASH attribute; NULL if there is none */
} Search;

/* ---- request-only checks ---- */

void
SearchVectorError(void)
{
	InvalidRequest("Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute");
}

void
SearchCheckCount(int64 count)
{
	if (count < 1)
		InvalidRequest("1 validation error detected: Value at 'TopK' failed to satisfy constraint: Member must have value greater than or equal to 1");
	if (count > SEARCH_MAX_RESULTS)
		InvalidRequest("Provided TopK value '" INT64_FORMAT "' is out of valid range. The value must be between 1 and %d inclusive",
					   count, SEARCH_MAX_RESULTS);
}

static void
BindSearchExpressions(Search *s)
{
	const SearchOp *op = s->op;
	ExprBindings *b = OpBindings(&op->args, op->condition.given || op->projection.given,
								 op->condition.given, "SearchConditionExpression is null");

	if (op->condition.given)
		s->tests = SearchConditionTests(ConditionBind(EXPR_SEARCH, OpParse(EXPR_SEARCH, &op->condition), b),
										&s->ntests);
	if (op->projection.given)
		s->projection = ProjectionBind(OpParse(EXPR_PROJECTION, &op->projection), b);
	if (b != NULL)
		ExprBindingsCheckUnused(b);
}

/* ---- the index ---- */

static void
FindVectorIndex(Search *s)
{
	const TableDef *def = s->store.def;
	const char *name = s->op->index_name;

	s->index = TableDefIndex(def, name);
	if (s->index == NULL || s->index->vector == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The table does not have the specified index: %s", name),
				 s->index != NULL ? errhint("Index \"%s\" is not a vector index.", name) : 0));
	if (s->index->status != INDEX_ACTIVE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Cannot search backfilling vector index: %s", name),
				 errhint("See dynamo.index_progress for builds in progress.")));
	CheckMaintained(def);
	if (s->op->dimensions != s->index->vector->dimensions)
		InvalidRequest("Input search vector dimension %d does not match vector index dimension %d",
					   s->op->dimensions, s->index->vector->dimensions);
}

/* ---- the condition ---- */

/* Returns the HASH attribute of an index, or NULL. */
static const KeyAttribute *
HashAttribute(const IndexDef *index)
{
	return index->key.npartition > 0 ? &index->key.attributes[0] : NULL;
}

/* Returns the declared type of an attribute of the search schema. */
static ValueType
SchemaType(const IndexDef *index, Slice name)
{
	const KeyAttribute *hash = HashAttribute(index);
	const VectorFilter *filter = VectorFilterFind(index->vector, name);

	if (hash != NULL && SliceEqual(hash->name, name))
		return hash->type;
	if (filter == NULL)
		InvalidRequest("SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: %.*s",
					   (int) name.len, name.data);
	return filter->type;
}

static void
CheckTestType(const Search *s, const SearchTest *test)
{
	ValueType	expected = SchemaType(s->index, test->attribute);
	ValueType	given = ValueTypeOf(test->value);

	if (given != expected)
		InvalidRequest("Type of '%.*s' attribute in SearchConditionExpression (%s) does not match type in search schema (%s)",
					   (int) test->attribute.len, test->attribute.data,
					   ValueTypeName(given), ValueTypeName(expected));
}

/* Finds the test of the HASH attribute, which is required if there is one. */
static void
FindPartitionTest(Search *s)
{
	const KeyAttribute *hash = HashAttribute(s->index);

	for (int i = 0; hash != NULL && i < s->ntests && s->hash == NULL; i++)
	{
		if (SliceEqual(s->tests[i].attribute, hash->name))
			s->hash = &s->tests[i];
	}
	if (hash != NULL && s->hash == NULL)
		InvalidRequest("SearchConditionExpression must be provided when SearchSchema has a HASH key");
}

static void
CheckCondition(Search *s)
{
	for (int i = 0; i < s->ntests; i++)
		(void) SchemaType(s->index, s->tests[i].attribute);
	FindPartitionTest(s);
	for (int i = 0; i < s->ntests; i++)
		CheckTestType(s, &s->tests[i]);
	if (s->hash != NULL)
		(void) CheckKeyValue("", s->hash->attribute, s->hash->value, true, NULL);
}

/* ---- results ---- */

/* A PathVisitor: stops at the vector attribute. */
static bool
FindVectorPath(Slice name, bool nested, void *arg)
{
	Search	   *s = arg;

	s->returns_vector = SliceEqual(name, s->index->vector->attribute);
	return !s->returns_vector;
}

/* Returns the item with the vector of its entry. */
static struct varlena *
RestoreVector(const Search *s, const Candidate *c)
{
	Slice		attribute = s->index->vector->attribute;
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	ItemBuilderMembers(b, ItemRoot(c->item));
	ItemBuilderName(b, attribute.data, attribute.len);
	ItemBuilderValue(b, ItemRoot(VectorToValue(c->vector, s->op->dimensions)));
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

static struct varlena *
ProjectItem(const Search *s, const Candidate *c)
{
	struct varlena *item = s->returns_vector ? RestoreVector(s, c) : c->item;

	return s->projection == NULL ? item : ProjectionApply(s->projection, ItemRoot(item));
}

static void
FillSearchResult(const Search *s, Nearest *nearest, SearchResult *result)
{
	Candidate  *candidates = NearestFinish(nearest, &result->count);

	result->matches = palloc(sizeof(SearchMatch) * Max(result->count, 1));
	result->stored_bytes = 0;
	for (int i = 0; i < result->count; i++)
	{
		result->matches[i].score = candidates[i].score;
		result->matches[i].item = ProjectItem(s, &candidates[i]);
		result->stored_bytes += ItemSize(ItemRoot(candidates[i].item)) +
			s->index->vector->attribute.len + sizeof(float) * s->op->dimensions;
	}
}

/* ---- the operation ---- */

/* Returns the nearest entries. */
static Nearest *
FindNearest(const Search *s)
{
	const SearchOp *op = s->op;
	const VectorDef *vector = s->index->vector;
	Nearest    *nearest = NearestCreate((int) op->count, vector->distance);
	VectorSearch search = {
		.store = unconstify(Store *, &s->store), .index = s->index, .vector = op->vector,
		.ntests = s->ntests, .tests = s->tests, .keep_vectors = s->returns_vector
	};

	VectorQueryInit(&search.query, vector->distance, op->vector, op->dimensions);
	search.hash = s->hash != NULL ? s->hash->value : MISSING_VALUE;
	search.hidden = check_enable_rls(RelationGetRelid(s->store.rel), InvalidOid, true) == RLS_ENABLED;
	if (vector->hnsw && SearchApproximately(&search, (int) op->count, nearest))
		return nearest;
	nearest = NearestCreate((int) op->count, vector->distance);
	SearchExactly(&search, nearest);
	return nearest;
}

void
SearchVectors(const SearchOp *op, SearchResult *result)
{
	Search		s = {.op = op};
	PathCheck	check = {0};

	BindSearchExpressions(&s);
	StoreOpen(&s.store, op->table_name, ACL_SELECT);
	FindVectorIndex(&s);
	CheckCondition(&s);
	if (s.projection != NULL)
	{
		check.def = s.store.def;
		ProjectionVisitPaths(s.projection, KeyPathVisitor, &check);
		ProjectionVisitPaths(s.projection, FindVectorPath, &s);
	}
	FillSearchResult(&s, FindNearest(&s), result);
	StoreClose(&s.store);
}
