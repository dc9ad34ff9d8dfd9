/*
 * vector_params.c
 *	  Vector indexes in CreateTable and UpdateTable.
 *
 * The service's words for some errors are not known; these are marked.
 */
#include "postgres.h"

#include "errors.h"
#include "request/table_params.h"
#include "request/vector_params.h"

/* ---- checks ---- */

void
CheckVectorBilling(bool on_demand)
{
	/* words not known */
	if (!on_demand)
		InvalidParameter("VectorIndexes are supported only when BillingMode is PAY_PER_REQUEST");
}

static bool
SchemaHas(const Field *schema, Slice name)
{
	for (int i = 0; schema != NULL && i < schema->count; i++)
	{
		if (SliceCompare(FieldSlice(schema->fields[i], "AttributeName"), name) == 0)
			return true;
	}
	return false;
}

bool
VectorIndexesHave(const Field *indexes, Slice name)
{
	for (int i = 0; indexes != NULL && i < indexes->count; i++)
	{
		if (SchemaHas(FieldMember(indexes->fields[i], "SearchSchema"), name))
			return true;
	}
	return false;
}

bool
HasVectorIndexes(const OpenedTable *table)
{
	for (int i = 0; i < table->def->nindexes; i++)
	{
		if (!table->def->indexes[i].kind->secondary)
			return true;
	}
	return false;
}

/* ---- the specification ---- */

static ValueType
DefinedType(const Field *definitions, Slice name)
{
	ValueType	type;

	if (definitions == NULL || !AttributeTypeOf(definitions, name, &type))
		InvalidParameter("One element in SearchSchema is not defined in attribute definitions");
	return type;
}

static void
SetHash(Slice name, ValueType type, CreateIndexSpec *spec)
{
	/* words not known */
	if (spec->key.npartition > 0)
		InvalidParameter("SearchSchema can contain at most one HASH element");
	spec->key.npartition = 1;
	spec->key.attributes[0] = (KeyAttribute) {CopyName(name), type};
}

static void
AddFilter(Slice name, ValueType type, VectorDef *vector)
{
	/* words not known */
	if (vector->nfilters == VECTOR_MAX_FILTERS)
		InvalidParameter("SearchSchema can contain at most %d INLINE_FILTER elements", VECTOR_MAX_FILTERS);
	vector->filters[vector->nfilters++] = (VectorFilter) {CopyName(name), type};
}

static void
FieldSearchSchema(const Field *schema, const Field *definitions, CreateIndexSpec *spec, VectorDef *vector)
{
	for (int i = 0; schema != NULL && i < schema->count; i++)
	{
		Slice		name = FieldSlice(schema->fields[i], "AttributeName");
		ValueType	type = DefinedType(definitions, name);

		if (FieldIs(schema->fields[i], "SearchSchemaElementType", "HASH"))
			SetHash(name, type, spec);
		else
			AddFilter(name, type, vector);
	}
}

void
FieldVectorIndexSpec(const Field *index, const Field *definitions, CreateIndexSpec *spec)
{
	VectorDef  *vector = palloc0(sizeof(VectorDef));

	memset(spec, 0, sizeof(*spec));
	spec->name = FieldName(index, "IndexName");
	spec->kind = IndexKindFind("table", 0, vector);
	spec->vector = vector;
	vector->attribute = CopyName(FieldSlice(FieldMember(index, "VectorAttribute"), "AttributeName"));
	vector->dimensions = (int) Min(FieldInteger(index, "Dimensions", 0), PG_INT32_MAX);
	vector->distance = (VectorDistance) VectorDistanceFromName(FieldString(index, "DistanceFunction"));
	vector->filters = palloc(sizeof(VectorFilter) * VECTOR_MAX_FILTERS);
	FieldSearchSchema(FieldMember(index, "SearchSchema"), definitions, spec, vector);
	FieldProjection(FieldMember(index, "Projection"), spec);
}

/* ---- the description ---- */

int
FilterAttributes(const IndexDef *index, KeyAttribute *attributes)
{
	const VectorDef *vector = index->vector;

	for (int i = 0; vector != NULL && i < vector->nfilters; i++)
		attributes[i] = (KeyAttribute) {vector->filters[i].name, vector->filters[i].type};
	return vector != NULL ? vector->nfilters : 0;
}

static void
WriterElement(Writer *w, Slice name, const char *type)
{
	WriterBeginObject(w);
	WriterName(w, "AttributeName");
	WriterSlice(w, name);
	WriterStringMember(w, "SearchSchemaElementType", type);
	WriterEndObject(w);
}

static void
WriterSearchSchema(Writer *w, const IndexDef *index)
{
	if (index->key.npartition == 0 && index->vector->nfilters == 0)
		return;
	WriterName(w, "SearchSchema");
	WriterBeginList(w);
	if (index->key.npartition > 0)
		WriterElement(w, index->key.attributes[0].name, "HASH");
	for (int i = 0; i < index->vector->nfilters; i++)
		WriterElement(w, index->vector->filters[i].name, "INLINE_FILTER");
	WriterEndList(w);
}

void
WriterVectorIndex(Writer *w, const IndexDef *index)
{
	WriterName(w, "VectorAttribute");
	WriterBeginObject(w);
	WriterName(w, "AttributeName");
	WriterSlice(w, index->vector->attribute);
	WriterEndObject(w);
	WriterIntegerMember(w, "Dimensions", index->vector->dimensions);
	WriterStringMember(w, "DistanceFunction", VectorDistanceName(index->vector->distance));
	WriterSearchSchema(w, index);
}
