/*
 * read_check.c
 *	  The checks of Query and Scan before the first row is read.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "errors.h"
#include "item/base64.h"
#include "item/number.h"
#include "op/call_bindings.h"
#include "op/read.h"

#define START_KEY_INVALID	"The provided starting key is invalid"
#define SCHEMA_MISMATCH		"The provided key element does not match the schema"

static void
RaiseInvalid(const char *message)
			pg_attribute_noreturn();

static void
RaiseInvalid(const char *message)
{
	ereport(ERROR, (errcode(ERRCODE_DYNAMO_VALIDATION), errmsg("%s", message)));
}

/* ---- parameters ---- */

static void
CheckSegment(const ReadOp *op)
{
	if (op->segment_given && !op->total_segments_given)
		RaiseInvalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present");
	if (op->total_segments_given && !op->segment_given)
		RaiseInvalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present");
	if (op->segment_given && op->segment >= op->total_segments)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " INT64_FORMAT " is not less than TotalSegments: " INT64_FORMAT,
						op->segment, op->total_segments)));
}

static const char *const select_names[] = {
	[SELECT_DEFAULT] = NULL,
	[SELECT_ALL_ATTRIBUTES] = "ALL_ATTRIBUTES",
	[SELECT_ALL_PROJECTED] = "ALL_PROJECTED_ATTRIBUTES",
	[SELECT_SPECIFIC] = "SPECIFIC_ATTRIBUTES",
	[SELECT_COUNT] = "COUNT",
};

bool
SelectKindFromText(Slice text, SelectKind *kind)
{
	for (size_t i = SELECT_ALL_ATTRIBUTES; i < lengthof(select_names); i++)
	{
		if (SliceIs(text, select_names[i]))
		{
			*kind = (SelectKind) i;
			return true;
		}
	}
	return false;
}

static void
CheckSelect(const ReadOp *op)
{
	bool		projects = op->projection.given || op->built_projection != NULL;

	if (projects && op->select != SELECT_DEFAULT && op->select != SELECT_SPECIFIC)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Cannot specify the %s when choosing to get %s",
						op->projection.given ? "ProjectionExpression" : "AttributesToGet",
						op->select == SELECT_COUNT ? "only the Count" :
						select_names[op->select])));
	if (op->select == SELECT_SPECIFIC && !projects)
		RaiseInvalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES");
	if (op->select == SELECT_ALL_PROJECTED && op->index_name == NULL)
		RaiseInvalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
}

void
CheckReadParameters(const ReadOp *op)
{
	CheckSegment(op);
	CheckSelect(op);
	if (op->query && !op->key_condition.given && !op->key_tests_given)
		RaiseInvalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
}

/* ---- shards ---- */

void
CheckShards(const Reader *r)
{
	const ReadOp *op = r->op;
	const IndexDef *index = r->index;
	bool		by_value = !ValueIsMissing(op->shard_value);

	if ((index == NULL || index->shards == 0) && (op->shard >= 0 || by_value))
		RaiseInvalid("shard and shard_value can be used only with a sharded index");
	if (op->shard >= 0 && by_value)
		RaiseInvalid("shard and shard_value cannot be used together");
	if (by_value && index->shard_by.data == NULL)
		RaiseInvalid("shard_value can be used only with an index that is sharded by an attribute");
	if (op->shard >= 0 && op->shard >= index->shards)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("shard %d is out of range: index %s has shards 0 to %d",
						op->shard, index->name, index->shards - 1)));
}

/*
 * Returns the value of the shard attribute, if the key condition contains an
 * equality test of it.
 */
static ValueRef
ShardValueOfCondition(const Reader *r)
{
	for (int i = 0; r->condition != NULL && i < r->condition->ntests; i++)
	{
		if (r->condition->tests[i].op == KEY_EQ &&
			SliceCompare(r->key->attributes[i].name, r->index->shard_by) == 0)
			return r->condition->tests[i].value;
	}
	return MISSING_VALUE;
}

int
ShardOfRead(const Reader *r)
{
	ValueRef	value = r->op->shard_value;

	if (r->op->shard >= 0 || r->index == NULL || r->index->shard_by.data == NULL)
		return r->op->shard;
	if (ValueIsMissing(value))
		value = ShardValueOfCondition(r);
	return ValueIsMissing(value) ? -1 : IndexShardOfValue(r->index, value);
}

/* ---- start key ---- */

const int *
PositionAttributes(const Reader *r, int *n)
{
	const TableDef *def = r->store.def;

	if (r->index != NULL)
	{
		*n = r->index->nentry;
		return r->index->entry;
	}
	*n = KeyCount(&def->key);
	return def->key_attributes;
}

static ValueRef
StartValue(const Reader *r, int attribute)
{
	Slice		name = r->store.def->attributes[attribute].name;

	return AttributeFind(r->op->start, name.data, name.len);
}

/*
 * Whether an attribute belongs to the partition key of the table or the index.
 */
static bool
IsPartition(const Reader *r, int attribute)
{
	const TableDef *def = r->store.def;

	if (attribute == def->key_attributes[0])
		return true;
	for (int i = 0; r->index != NULL && i < r->index->key.npartition; i++)
	{
		if (attribute == r->index->attributes[i])
			return true;
	}
	return false;
}

void
CheckStartKey(const Reader *r)
{
	const TableDef *def = r->store.def;
	const int  *attributes;
	Container	start;
	int			n;
	bool		complete;

	attributes = PositionAttributes(r, &n);
	ContainerOpen(r->op->start, &start);
	complete = start.count == (uint32) n;
	for (int i = 0; i < n && complete; i++)
		complete = !ValueIsMissing(StartValue(r, attributes[i]));
	if (!complete)
		RaiseInvalid(r->op->query ? START_KEY_INVALID : START_KEY_INVALID ": " SCHEMA_MISMATCH);

	for (int i = 0; i < n; i++)
	{
		const AttributeDef *attr = &def->attributes[attributes[i]];
		ValueRef	v = StartValue(r, attributes[i]);

		if (ValueTypeOf(v) != attr->type)
			RaiseInvalid(START_KEY_INVALID ": " SCHEMA_MISMATCH);
		CheckKeyValue(START_KEY_INVALID ": ", attr->name, v, IsPartition(r, attributes[i]), NULL);
	}
}

static char *
Base64Text(Slice bytes)
{
	StringInfoData out;

	initStringInfo(&out);
	Base64Append(&out, bytes.data, bytes.len);
	return out.data;
}

/*
 * Returns a key value in the form that the service prints in messages, such as
 * "{S:a}".
 */
static char *
ValueForMessage(ValueRef v)
{
	Slice		s = ValuePayload(v);
	char		number[NUMBER_MAX_TEXT];

	switch (ValueTypeOf(v))
	{
		case VALUE_N:
			s.len = NumberToText((const uint8 *) s.data, s.len, number);
			return psprintf("{N:%.*s}", (int) s.len, number);
		case VALUE_B:
			return psprintf("{B:%s}", Base64Text(s));
		default:
			return psprintf("{S:%.*s}", (int) s.len, s.data);
	}
}

/*
 * Raises the error for a start key of a table without sort key, where a query
 * cannot continue.
 */
static void
HashOnlyStartError(const Reader *r)
{
	const AttributeDef *attr = TableKeyAttribute(r->store.def, 0);

	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("The provided exclusive start key is invalid: ExclusiveStartKey: {%s=AttributeValue: %s}",
					attr->name.data,
					ValueForMessage(StartValue(r, r->store.def->key_attributes[0])))));
}

static void
CheckStartPartition(const Reader *r)
{
	const KeyCondition *condition = r->condition;

	for (int i = 0; i < r->key->npartition; i++)
	{
		Slice		name = r->key->attributes[i].name;
		ValueRef	start = AttributeFind(r->op->start, name.data, name.len);

		if (ValueEqual(condition->tests[i].value, start))
			continue;
		if (condition->ntests > r->key->npartition &&
			condition->tests[r->key->npartition].op != KEY_NONE)
			RaiseInvalid("The query can return at most one row and cannot be restarted");
		RaiseInvalid("The provided starting key is outside query boundaries based on provided conditions");
	}
}

static void
CheckStartSort(const Reader *r)
{
	for (int i = r->key->npartition; i < r->condition->ntests; i++)
	{
		const KeyTest *test = &r->condition->tests[i];
		Slice		name = r->key->attributes[i].name;

		if (test->op != KEY_NONE &&
			!KeyTestMatches(test, AttributeFind(r->op->start, name.data, name.len)))
			RaiseInvalid("The provided starting key does not match the range key predicate");
	}
}

void
CheckStartPosition(const Reader *r)
{
	const ReadOp *op = r->op;

	if (r->condition != NULL)
	{
		if (r->index == NULL && r->key->nsort == 0)
			HashOnlyStartError(r);
		CheckStartPartition(r);
		CheckStartSort(r);
	}
	else if (r->segment != NULL && !KeyInSegment(r->segment, r->key, op->start))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg(START_KEY_INVALID ": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: " INT64_FORMAT " Segment: " INT64_FORMAT,
						op->total_segments, op->segment)));
}

/* ---- values of the key condition ---- */

static void
CheckConditionValue(const Reader *r, int position, ValueRef v)
{
	CheckKeyValue("", r->key->attributes[position].name, v, position < r->key->npartition, NULL);
}

void
CheckConditionValues(const Reader *r)
{
	for (int i = 0; i < r->condition->ntests; i++)
	{
		const KeyTest *test = &r->condition->tests[i];

		if (test->op == KEY_NONE)
			continue;
		CheckConditionValue(r, i, test->value);
		if (test->op == KEY_BETWEEN)
			CheckConditionValue(r, i, test->upper);
	}
}

/* ---- paths ---- */

/* The distinct attributes of an expression that an index does not project. */
typedef struct Unprojected
{
	const Reader *reader;
	int			n;
	StringInfoData names;		/* "a, b" */
	List	   *seen;			/* of Slice * */
} Unprojected;

static bool
CollectUnprojected(Slice name, bool nested, void *arg)
{
	Unprojected *u = (Unprojected *) arg;
	ListCell   *lc;
	Slice	   *copy;

	if (IndexProjects(u->reader->store.def, u->reader->index, name))
		return true;
	foreach(lc, u->seen)
	{
		if (SliceEqual(*(Slice *) lfirst(lc), name))
			return true;
	}
	copy = palloc(sizeof(Slice));
	*copy = name;
	u->seen = lappend(u->seen, copy);
	appendStringInfo(&u->names, "%s%.*s", u->n > 0 ? ", " : "", (int) name.len, name.data);
	u->n++;
	return true;
}

static void
InitUnprojected(Unprojected *u, const Reader *r)
{
	u->reader = r;
	u->n = 0;
	u->seen = NIL;
	initStringInfo(&u->names);
}

bool
ReturnsUnprojected(const Reader *r)
{
	Unprojected u;

	InitUnprojected(&u, r);
	if (r->projection != NULL)
		ProjectionVisitPaths(r->projection, CollectUnprojected, &u);
	return u.n > 0;
}

bool
FiltersUnprojected(const Reader *r)
{
	Unprojected u;

	InitUnprojected(&u, r);
	if (r->filter != NULL)
		ConditionVisitPaths(r->filter, CollectUnprojected, &u);
	return u.n > 0;
}

/*
 * A query of a global index must not use attributes that the index does not
 * project; nor must the filter of a statement that queries a local one.  In the
 * filter of a scan such an attribute is missing.
 */
static void
CheckIndexPaths(const Reader *r)
{
	Unprojected u;

	InitUnprojected(&u, r);
	if (r->projection != NULL && !r->index->local)
		ProjectionVisitPaths(r->projection, CollectUnprojected, &u);
	if (u.n > 0)
		InvalidParameter("Global secondary index %s does not project [%s]",
						 r->index->name, u.names.data);
	if (r->filter != NULL && r->op->query && (!r->index->local || r->op->filter_projected))
		ConditionVisitPaths(r->filter, CollectUnprojected, &u);
	if (u.n > 0)
		InvalidParameter("Secondary index %s does not project one or more filter attributes: [%s]",
						 r->index->name, u.names.data);
}

static bool
RefuseKeyInFilter(Slice name, bool nested, void *arg)
{
	const Reader *r = (const Reader *) arg;

	if (KeySchemaHas(r->key, name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("%s can only contain non-primary key attributes: Primary key attribute: %.*s",
						r->op->built_filter != NULL ? "QueryFilter" : "Filter Expression",
						(int) name.len, name.data),
				 errhint("Use the key condition expression for conditions on the key.")));
	return true;
}

void
CheckReadPaths(const Reader *r)
{
	PathCheck	check = {r->store.def};
	bool		partial = r->index != NULL && r->index->projected != PROJECTED_ALL;

	if (r->projection != NULL)
		ProjectionVisitPaths(r->projection, KeyPathVisitor, &check);
	if (r->filter != NULL && r->op->query && !r->op->filter_on_keys)
		ConditionVisitPaths(r->filter, RefuseKeyInFilter, unconstify(Reader *, r));
	if (r->filter != NULL)
		ConditionVisitPaths(r->filter, KeyPathVisitor, &check);
	if (partial && !r->index->local && r->op->select == SELECT_ALL_ATTRIBUTES)
		InvalidParameter("Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL",
						 r->index->name);
	if (partial)
		CheckIndexPaths(r);
}
