/*
 * vector.c
 *	  Converts the vectors of items, and checks them with the service's
 *	  messages.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type_d.h"
#include "common/shortest_dec.h"
#include "utils/array.h"

#include "errors.h"
#include "item/builder.h"
#include "item/number.h"
#include "vector/vector.h"

/* ---- names ---- */

static const char *const distance_names[] = {"COSINE", "DOT_PRODUCT", "EUCLIDEAN"};

const char *
VectorDistanceName(VectorDistance distance)
{
	return distance_names[distance];
}

int
VectorDistanceFromName(const char *name)
{
	for (size_t i = 0; i < lengthof(distance_names); i++)
	{
		if (strcmp(name, distance_names[i]) == 0)
			return (int) i;
	}
	return -1;
}

const VectorFilter *
VectorFilterFind(const VectorDef *def, Slice name)
{
	for (int i = 0; i < def->nfilters; i++)
	{
		if (SliceEqual(def->filters[i].name, name))
			return &def->filters[i];
	}
	return NULL;
}

/* ---- elements ---- */

/* The bits of a double that single precision lacks, and half of their range. */
#define LOST_BITS	UINT64CONST(0x1FFFFFFF)
#define HALF_LOST	UINT64CONST(0x10000000)

/*
 * Rounds a double that is itself rounded; false if it lies half-way between two
 * numbers of single precision, so that the digits must decide.
 */
static bool
RoundToSingle(double value, float *element)
{
	uint64		bits;

	memcpy(&bits, &value, sizeof(bits));
	if ((bits & LOST_BITS) == HALF_LOST)
		return false;
	*element = (float) value;
	return true;
}

static float
SingleOfText(Slice number)
{
	char		text[NUMBER_MAX_TEXT + 1];

	text[NumberToText((const uint8 *) number.data, number.len, text)] = '\0';
	return strtof(text, NULL);
}

bool
VectorElement(ValueRef number, float *element)
{
	Slice		encoded = ValuePayload(number);
	double		value;

	if (!NumberToShortDouble((const uint8 *) encoded.data, encoded.len, &value) ||
		!RoundToSingle(value, element))
		*element = SingleOfText(encoded);
	*element += 0.0f;			/* -0 becomes 0 */
	return !isinf(*element);
}

/* ---- vectors ---- */

/* Why a value is not a vector. */
typedef enum VectorProblem
{
	VECTOR_VALID,
	VECTOR_NO_LIST,
	VECTOR_SIZE,
	VECTOR_ELEMENT_TYPE,
	VECTOR_ELEMENT_RANGE
} VectorProblem;

/* The place of the problem. */
typedef struct VectorPlace
{
	uint32		element;		/* of the list, from 0 */
	uint32		count;			/* of elements */
	ValueRef	value;			/* the element */
} VectorPlace;

/* Converts a value that is not missing. */
static VectorProblem
ReadVector(ValueRef value, int dimensions, float *vector, VectorPlace *place)
{
	Container	list;

	if (ValueTypeOf(value) != VALUE_L)
		return VECTOR_NO_LIST;
	ContainerOpen(value, &list);
	place->count = list.count;
	if (list.count != (uint32) dimensions)
		return VECTOR_SIZE;
	for (place->element = 0; place->element < list.count; place->element++)
	{
		place->value = ListElement(&list, place->element);
		if (ValueTypeOf(place->value) != VALUE_N)
			return VECTOR_ELEMENT_TYPE;
		if (!VectorElement(place->value, &vector[place->element]))
			return VECTOR_ELEMENT_RANGE;
	}
	return VECTOR_VALID;
}

static ValueRef
FindVector(const VectorDef *def, ValueRef item)
{
	return AttributeFind(item, def->attribute.data, def->attribute.len);
}

static VectorProblem
FindVectorProblem(const VectorDef *def, ValueRef value, VectorPlace *place)
{
	float	   *vector = palloc(sizeof(float) * def->dimensions);
	VectorProblem problem = ReadVector(value, def->dimensions, vector, place);

	pfree(vector);
	return problem;
}

static uint32
FilterBytes(ValueRef v)
{
	return ValueTypeOf(v) == VALUE_N ? 0 : v.len - 1;
}

/* Whether the value of a filter attribute can be in the index. */
static bool
FilterFits(const VectorFilter *filter, ValueRef v)
{
	return ValueIsMissing(v) ||
		(ValueTypeOf(v) == filter->type && FilterBytes(v) <= VECTOR_MAX_FILTER_BYTES);
}

float *
VectorOfItem(const VectorDef *def, ValueRef item)
{
	ValueRef	value = FindVector(def, item);
	VectorPlace place;
	float	   *vector;

	if (ValueIsMissing(value))
		return NULL;
	for (int i = 0; i < def->nfilters; i++)
	{
		const VectorFilter *f = &def->filters[i];

		if (!FilterFits(f, AttributeFind(item, f->name.data, f->name.len)))
			return NULL;
	}
	vector = palloc(sizeof(float) * def->dimensions);
	if (ReadVector(value, def->dimensions, vector, &place) == VECTOR_VALID)
		return vector;
	pfree(vector);
	return NULL;
}

/* ---- checks ---- */

#define INVALID_VECTOR "One or more parameter values were invalid. "

/*
 * Prints a number whose integer part has many digits like the service does:
 * 1.3E+40.
 */
static char *
ScientificText(ValueRef number)
{
	Slice		encoded = ValuePayload(number);
	char		text[NUMBER_MAX_TEXT + 1];
	uint32		len = NumberToText((const uint8 *) encoded.data, encoded.len, text);
	char	   *first = text + (text[0] == '-');
	int			exponent = (int) strcspn((text[len] = '\0', first), ".") - 1;

	while (len > 0 && text[len - 1] == '0')
		text[--len] = '\0';
	return psprintf("%s%c%s%sE+%d", first > text ? "-" : "", first[0],
					first[1] != '\0' ? "." : "", first + 1, exponent);
}

static bool
NoteVector(const VectorDef *def, const char *index_name, VectorProblem what,
		   const VectorPlace *place, Problem *problem)
{
	const char *name = def->attribute.data;

	switch (what)
	{
		case VECTOR_NO_LIST:
			return NoteInvalid(problem, INVALID_VECTOR "Invalid type for parameter %s, Expected: 32-bit floating point number list IndexName: %s",
							   name, index_name);
		case VECTOR_SIZE:
			return NoteInvalid(problem, INVALID_VECTOR "Invalid size for parameter %s, Expected: %d, Actual: %u IndexName: %s",
							   name, def->dimensions, place->count, index_name);
		case VECTOR_ELEMENT_TYPE:
			return NoteInvalid(problem, INVALID_VECTOR "Invalid type for parameter %s[%u], Expected: 32-bit floating point number, Actual: %s. IndexName: %s",
							   name, place->element, ValueTypeName(ValueTypeOf(place->value)), index_name);
		case VECTOR_ELEMENT_RANGE:
			return NoteInvalid(problem, INVALID_VECTOR "Invalid value for parameter %s[%u], Value: %s is outside valid range [-3.4028235E38, 3.4028235E38]. IndexName: %s",
							   name, place->element, ScientificText(place->value), index_name);
		case VECTOR_VALID:
			break;
	}
	return true;
}

bool
VectorNoteType(const char *index_name, Slice name, ValueType expected, ValueType actual,
			   Problem *problem)
{
	return NoteInvalid(problem, INVALID_VECTOR "Attribute '%.*s' type mismatch. Expected: %s, Actual: %s. IndexName: %s",
					   (int) name.len, name.data, ValueTypeName(expected), ValueTypeName(actual), index_name);
}

static bool
NoteFilter(const VectorFilter *filter, const char *index_name, ValueRef v, Problem *problem)
{
	if (ValueTypeOf(v) != filter->type)
		return VectorNoteType(index_name, filter->name, filter->type, ValueTypeOf(v), problem);
	return NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS "Size limit exceeded for SearchSchema attribute '%s': maximum %d bytes",
					   filter->name.data, VECTOR_MAX_FILTER_BYTES);
}

/* Whether a write leaves an attribute as it was. */
static bool
KeepsAttribute(ValueRef value, Slice name, ValueRef old)
{
	ValueRef	before = AttributeFind(old, name.data, name.len);

	return !ValueIsMissing(before) && ValueEqual(before, value);
}

static bool
CheckVectorValue(const VectorDef *def, const char *index_name, ValueRef item, ValueRef old,
				 Problem *problem)
{
	ValueRef	value = FindVector(def, item);
	VectorPlace place = {0};
	VectorProblem what;

	if (ValueIsMissing(value) || KeepsAttribute(value, def->attribute, old))
		return true;
	what = FindVectorProblem(def, value, &place);
	return what == VECTOR_VALID || NoteVector(def, index_name, what, &place, problem);
}

bool
VectorCheckItem(const VectorDef *def, const char *index_name, ValueRef item, ValueRef old,
				Problem *problem)
{
	if (!CheckVectorValue(def, index_name, item, old, problem))
		return false;
	for (int i = 0; i < def->nfilters; i++)
	{
		const VectorFilter *f = &def->filters[i];
		ValueRef	v = AttributeFind(item, f->name.data, f->name.len);

		if (!FilterFits(f, v) && !KeepsAttribute(v, f->name, old))
			return NoteFilter(f, index_name, v, problem);
	}
	return true;
}

static const char *
VectorClause(const VectorDef *def, VectorProblem what, const VectorPlace *place)
{
	const char *name = def->attribute.data;

	switch (what)
	{
		case VECTOR_NO_LIST:
			return psprintf("attribute %s is not a list of numbers", name);
		case VECTOR_SIZE:
			return psprintf("attribute %s has %u numbers, not %d", name, place->count, def->dimensions);
		case VECTOR_ELEMENT_TYPE:
			return psprintf("element %u of attribute %s is not a number", place->element, name);
		case VECTOR_ELEMENT_RANGE:
			return psprintf("element %u of attribute %s is out of range", place->element, name);
		case VECTOR_VALID:
			break;
	}
	return NULL;
}

const char *
VectorViolation(const VectorDef *def, ValueRef item)
{
	ValueRef	value = FindVector(def, item);
	VectorPlace place = {0};

	if (ValueIsMissing(value))
		return NULL;
	for (int i = 0; i < def->nfilters; i++)
	{
		const VectorFilter *f = &def->filters[i];

		if (!FilterFits(f, AttributeFind(item, f->name.data, f->name.len)))
			return psprintf("attribute %s is not of type %s, or too long", f->name.data, ValueTypeName(f->type));
	}
	return VectorClause(def, FindVectorProblem(def, value, &place), &place);
}

/* ---- other forms ---- */

struct varlena *
VectorToValue(const float *vector, int dimensions)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginList(b);
	for (int i = 0; i < dimensions; i++)
	{
		char		text[FLOAT_SHORTEST_DECIMAL_LEN];
		int			len = float_to_shortest_decimal_bufn(vector[i], text);

		ItemBuilderNumberText(b, text, len);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

/* A one-dimensional array of these many elements, without nulls. */
#define ARRAY_BYTES(n) (ARR_OVERHEAD_NONULLS(1) + sizeof(float) * (n))

Datum
VectorToArray(const float *vector, int dimensions)
{
	ArrayType  *array = palloc0(ARRAY_BYTES(dimensions));

	SET_VARSIZE(array, ARRAY_BYTES(dimensions));
	array->ndim = 1;
	array->elemtype = FLOAT4OID;
	ARR_DIMS(array)[0] = dimensions;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), vector, sizeof(float) * dimensions);
	return PointerGetDatum(array);
}

const float *
VectorOfArray(Datum datum, int dimensions, bool *copy)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	*copy = PointerGetDatum(array) != datum;
	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT4OID ||
		ARR_DIMS(array)[0] != dimensions || VARSIZE(array) != ARRAY_BYTES(dimensions))
		return NULL;
	return (const float *) ARR_DATA_PTR(array);
}
