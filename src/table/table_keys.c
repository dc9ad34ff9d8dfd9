/*
 * table_keys.c
 *	  Key attributes: conversion to column values, and the service's checks.
 *
 * It does not access catalogs, because the derive_keys trigger runs it for
 * every row.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "errors.h"
#include "item/builder.h"
#include "item/number.h"
#include "table/table.h"

/* ---- values and column data ---- */

static void KeyTypeError(const AttributeDef *attr, ValueRef v) pg_attribute_noreturn();

/* Callers have checked the value, so this error is not expected. */
static void
KeyTypeError(const AttributeDef *attr, ValueRef v)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("key attribute %s %s", attr->name.data,
					ValueIsMissing(v) ? "is missing" :
					psprintf("has type %s, not %s", ValueTypeName(ValueTypeOf(v)),
							 ValueTypeName(attr->type)))));
}

static Datum
PayloadToDatum(const AttributeDef *attr, Slice s)
{
	if (attr->type == VALUE_N)
		return NumericGetDatum(NumberToNumeric((const uint8 *) s.data, s.len));
	return PointerGetDatum(cstring_to_text_with_len(s.data, s.len));
}

static bool
NoteNul(const AttributeDef *attr, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf(DYNAMO_INVALID_PARAMETERS "Key attribute %s contains U+0000", attr->name.data),
		.detail = "A key attribute is stored as PostgreSQL text, which cannot contain U+0000."
	});
}

bool
KeyValueGetDatum(const AttributeDef *attr, ValueRef v, Datum *datum, Problem *problem)
{
	Slice		s;

	if (unlikely(ValueIsMissing(v) || ValueTypeOf(v) != attr->type))
		KeyTypeError(attr, v);
	s = ValuePayload(v);
	if (attr->type == VALUE_S && memchr(s.data, '\0', s.len) != NULL)
		return NoteNul(attr, problem);
	*datum = PayloadToDatum(attr, s);
	return true;
}

Datum
KeyValueToDatum(const AttributeDef *attr, ValueRef v)
{
	Datum		datum = 0;

	(void) KeyValueGetDatum(attr, v, &datum, NULL);
	return datum;
}

MaybeItem
KeyDatumToValue(ValueType type, Datum datum)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_ERROR);
	uint8		number[NUMBER_MAX_BYTES];
	uint32		len;
	struct varlena *bytes;

	if (type == VALUE_N)
	{
		if (NumberFromNumeric(DatumGetNumeric(datum), number, &len) != NUMBER_OK)
			return NO_ITEM;
		ItemBuilderNumber(b, number, len);
		return MaybeItemOf(ItemBuilderFinish(b));
	}
	bytes = PG_DETOAST_DATUM_PACKED(datum);
	if (type == VALUE_S)
		ItemBuilderString(b, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	else
		ItemBuilderBinary(b, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	return MaybeItemOf(ItemBuilderFinish(b));
}

static ValueRef
FindAttribute(const AttributeDef *attr, ValueRef item)
{
	return AttributeFind(item, attr->name.data, attr->name.len);
}

struct varlena *
KeyOfItem(const TableDef *def, ValueRef item)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		ValueRef	v = FindAttribute(attr, item);

		if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
			NoteKeyMismatch(def, v, NULL);
		ItemBuilderName(b, attr->name.data, attr->name.len);
		ItemBuilderValue(b, v);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

/* ---- checks ---- */

/*
 * Returns the bytes that count towards the limit of a key; numbers are never
 * too long.
 */
static uint32
KeyBytes(ValueRef v)
{
	return ValueTypeOf(v) == VALUE_N ? 0 : v.len - 1;
}

static bool
KeyIsEmpty(ValueRef v)
{
	return ValueTypeOf(v) != VALUE_N && v.len == 1;
}

static const char *
KindName(ValueType type)
{
	return type == VALUE_B ? "binary" : "string";
}

static bool
NoteTooLong(const char *prefix, bool partition, Problem *problem)
{
	return NoteInvalid(problem, "%s" DYNAMO_INVALID_PARAMETERS "%s", prefix, partition ?
					   "Size of hashkey has exceeded the maximum size limit of2048 bytes" :
					   "Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
}

/*
 * Notes an empty key attribute.  In a transaction this is an error of the
 * whole request.
 */
static bool
NoteEmpty(char *message, char *detail, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.code = PROBLEM_EMPTY_KEY,
		.message = message,
		.detail = detail
	});
}

bool
CheckKeyValue(const char *prefix, Slice name, ValueRef v, bool partition, Problem *problem)
{
	if (KeyIsEmpty(v))
		return NoteEmpty(psprintf("%s" DYNAMO_INVALID_VALUES "The AttributeValue for a key attribute cannot contain an empty %s value. Key: %.*s",
								  prefix, KindName(ValueTypeOf(v)), (int) name.len, name.data), NULL, problem);
	if (KeyBytes(v) > (partition ? KEY_MAX_PARTITION : KEY_MAX_SORT))
		return NoteTooLong(prefix, partition, problem);
	return true;
}

/*
 * Returns a hint, or NULL.  {"S": "a"} given as jsonb is a map with an
 * attribute "S", like any other object.
 */
static const char *
TypedJsonHint(ValueRef v)
{
	Container	map;
	Slice		name;

	if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_M)
		return NULL;
	ContainerOpen(v, &map);
	if (map.count != 1)
		return NULL;
	MapEntry(&map, 0, &name);
	if (ValueTypeFromName(name.data, name.len) < 0)
		return NULL;
	return "DynamoDB JSON of type jsonb is converted like any other plain JSON. Cast it to text first: ...::text::dynamo.item.";
}

static bool
CheckTableKeys(const TableDef *def, ValueRef item, Problem *problem)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		ValueRef	v = FindAttribute(attr, item);

		if (ValueIsMissing(v))
			return ProblemNote(problem, &(Problem) {
				.sqlstate = ERRCODE_DYNAMO_VALIDATION,
				.message = psprintf(DYNAMO_INVALID_PARAMETERS "Missing the key %s in the item", attr->name.data),
				.hint = def->entities != NULL ?
				"The attributes do not compose a key of any entity. dynamo.entities lists the attributes of each key." :
				"Keys are attributes of the item, from which the key columns are derived."
			});
		if (ValueTypeOf(v) != attr->type)
			return ProblemNote(problem, &(Problem) {
				.sqlstate = ERRCODE_DYNAMO_VALIDATION,
				.message = psprintf(DYNAMO_INVALID_PARAMETERS "Type mismatch for key %s expected: %s actual: %s",
									attr->name.data, ValueTypeName(attr->type),
									ValueTypeName(ValueTypeOf(v))),
				.hint = TypedJsonHint(v)
			});
		if (!CheckKeyValue("", attr->name, v, i < def->key.npartition, problem))
			return false;
	}
	return true;
}

/* The problem of an index key attribute. */
/*
 * Finds the problem of an item in one index; *position is the key attribute.
 */
static KeyFault
IndexKeyProblem(const TableDef *def, const IndexDef *index, ValueRef item, int *position)
{
	uint32		partition_bytes = 0;
	uint32		sort_bytes = 0;

	for (int i = 0; i < KeyCount(&index->key); i++)
	{
		const AttributeDef *attr = &def->attributes[index->attributes[i]];
		ValueRef	v = FindAttribute(attr, item);

		if (ValueIsMissing(v))
			continue;
		*position = i;
		if (ValueTypeOf(v) != attr->type)
			return KEY_TYPE_MISMATCH;
		if (KeyIsEmpty(v))
			return KEY_EMPTY;
		if (attr->type == VALUE_S && memchr(v.data + 1, '\0', v.len - 1) != NULL)
			return KEY_HAS_NUL;
		if (i < index->key.npartition)
			partition_bytes += KeyBytes(v);
		else
			sort_bytes += KeyBytes(v);
		if (partition_bytes > KEY_MAX_PARTITION || sort_bytes > KEY_MAX_SORT)
			return KEY_TOO_LONG;
	}
	return KEY_VALID;
}

/* Whether the value can be stored as a partition or sort key. */
static bool
KeyIsUsable(const AttributeDef *attr, ValueRef v)
{
	return ValueTypeOf(v) == attr->type && !KeyIsEmpty(v) && KeyBytes(v) <= KEY_MAX_PARTITION &&
		(attr->type != VALUE_S || memchr(v.data + 1, '\0', v.len - 1) == NULL);
}

bool
StoredKeyIsUsable(const TableDef *def, int attribute, ValueRef item)
{
	const AttributeDef *attr = &def->attributes[attribute];
	ValueRef	v = FindAttribute(attr, item);

	return ValueIsMissing(v) || KeyIsUsable(attr, v);
}

bool
ColumnOfValue(const AttributeDef *attr, ValueRef v, Datum *column)
{
	if (ValueIsMissing(v) || !KeyIsUsable(attr, v))
		return false;
	*column = PayloadToDatum(attr, ValuePayload(v));
	return true;
}

/* ---- items that an index leaves out ---- */

static ValueRef
ReplacedValue(const ReplacedItem *replaced)
{
	return ValueIsMissing(replaced->item) ?
		ItemRoot(PG_DETOAST_DATUM_PACKED(replaced->stored)) : replaced->item;
}

bool
KeepsEntryKey(const TableDef *def, const IndexDef *index, ValueRef item,
			  const ReplacedItem *replaced)
{
	ValueRef	old;

	if (replaced == NULL)
		return false;
	old = ReplacedValue(replaced);
	for (int i = 0; i < index->nentry; i++)
	{
		const AttributeDef *attr = EntryAttribute(def, index, i);
		ValueRef	before = FindAttribute(attr, old);
		ValueRef	after = FindAttribute(attr, item);

		if (ValueIsMissing(before) != ValueIsMissing(after) ||
			(!ValueIsMissing(after) && !ValueEqual(before, after)))
			return false;
	}
	return true;
}

bool
ItemInIndex(const TableDef *def, const IndexDef *index, ValueRef item)
{
	int			position;

	for (int i = 0; i < KeyCount(&index->key); i++)
	{
		if (ValueIsMissing(FindAttribute(&def->attributes[index->attributes[i]], item)))
			return false;
	}
	return IndexKeyProblem(def, index, item, &position) == KEY_VALID &&
		(index->kind->has_item == NULL || index->kind->has_item(index, item));
}

const char *
IndexKeyViolation(const TableDef *def, const IndexDef *index, ValueRef item)
{
	int			position;
	const AttributeDef *attr;
	ValueRef	v;

	switch (IndexKeyProblem(def, index, item, &position))
	{
		case KEY_VALID:
			return index->kind->violation != NULL ? index->kind->violation(index, item) : NULL;
		case KEY_TOO_LONG:
			return position < index->key.npartition ?
				psprintf("its partition key has more than %d bytes", KEY_MAX_PARTITION) :
				psprintf("its sort key has more than %d bytes", KEY_MAX_SORT);
		default:
			break;
	}
	attr = &def->attributes[index->attributes[position]];
	v = FindAttribute(attr, item);
	if (ValueTypeOf(v) != attr->type)
		return psprintf("attribute %s has type %s, not %s", attr->name.data,
						ValueTypeName(ValueTypeOf(v)), ValueTypeName(attr->type));
	return psprintf("attribute %s %s", attr->name.data,
					KeyIsEmpty(v) ? "is empty" : "contains U+0000");
}

/*
 * Finds the first problem of an item, in the order of indexes and their keys.
 * If an index has left out the old item with the same key, this is not a
 * problem.
 */
static KeyFault
FindIndexKeyProblem(const TableDef *def, ValueRef item, const ReplacedItem *replaced,
					const IndexDef **index, int *attribute)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		int			position = 0;
		KeyFault	problem = IndexKeyProblem(def, &def->indexes[i], item, &position);

		if (problem != KEY_VALID && !KeepsEntryKey(def, &def->indexes[i], item, replaced))
		{
			*index = &def->indexes[i];
			*attribute = def->indexes[i].attributes[position];
			return problem;
		}
	}
	return KEY_VALID;
}

/* Notes the problem of an index key, in the service's words for items. */
static bool
NoteIndexKey(const TableDef *def, const IndexDef *index, int attribute,
			 KeyFault what, ValueRef item, Problem *problem)
{
	const AttributeDef *attr = &def->attributes[attribute];
	bool		partition = false;

	if (what == KEY_HAS_NUL)
		return NoteNul(attr, problem);
	if (index->kind->note_key != NULL && (what == KEY_TYPE_MISMATCH || what == KEY_TOO_LONG))
		return index->kind->note_key(index, attr, what, ValueTypeOf(FindAttribute(attr, item)), problem);
	if (what == KEY_TYPE_MISMATCH)
		return ProblemNote(problem, &(Problem) {
			.sqlstate = ERRCODE_DYNAMO_VALIDATION,
			.message = psprintf(DYNAMO_INVALID_PARAMETERS "Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
								attr->name.data, ValueTypeName(attr->type),
								ValueTypeName(ValueTypeOf(FindAttribute(attr, item))), index->name),
			.hint = "Set the type of an index key when you create the index, with partition_key_type and sort_key_type. The default is 'S'."
		});
	if (what == KEY_EMPTY)
		return NoteEmpty(psprintf(DYNAMO_INVALID_VALUES "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s",
								  KindName(attr->type), index->name, attr->name.data), NULL, problem);
	for (int i = 0; i < index->key.npartition; i++)
		partition |= index->attributes[i] == attribute;
	return NoteTooLong("", partition, problem);
}

static bool
CheckIndexKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced, Problem *problem)
{
	const IndexDef *index;
	int			attribute;
	KeyFault	what = FindIndexKeyProblem(def, item, replaced, &index, &attribute);

	return what == KEY_VALID || NoteIndexKey(def, index, attribute, what, item, problem);
}

bool
CheckUpdatedIndexKeys(const TableDef *def, ValueRef item, bool computed,
					  const ReplacedItem *replaced, Problem *problem)
{
	const IndexDef *index;
	int			attribute;
	KeyFault	what = FindIndexKeyProblem(def, item, replaced, &index, &attribute);

	if (what == KEY_VALID)
		return true;
	if (what == KEY_EMPTY)
		return NoteEmpty(psprintf(DYNAMO_INVALID_VALUES "The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty %s value.",
								  KindName(def->attributes[attribute].type)),
						 psprintf("Attribute \"%s\" is a key of index \"%s\".",
								  def->attributes[attribute].name.data, index->name), problem);
	if (index->kind->note_key != NULL)
		return NoteIndexKey(def, index, attribute, what, item, problem);
	if (computed && what == KEY_TYPE_MISMATCH)
		return NoteInvalid(problem, "The update expression attempted to update the secondary index key to unsupported type");
	if (computed && what == KEY_TOO_LONG)
		return NoteInvalid(problem, "The update expression attempted to update the secondary index key beyond allowed size limits");
	return NoteIndexKey(def, index, attribute, what, item, problem);
}

bool
CheckOtherThanKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced, Problem *problem)
{
	ValueRef	old = replaced != NULL ? ReplacedValue(replaced) : MISSING_VALUE;

	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (index->kind->check_item != NULL && !index->kind->check_item(index, item, old, problem))
			return false;
	}
	return true;
}

bool
CheckItemKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced, Problem *problem)
{
	return CheckTableKeys(def, item, problem) &&
		(def->nindexes == 0 || CheckIndexKeys(def, item, replaced, problem)) &&
		(!def->checks_items || CheckOtherThanKeys(def, item, replaced, problem));
}

void
CheckOtherAttribute(const AttributeDef *attr, ValueRef v)
{
	if (ValueTypeOf(v) != attr->type)
		InvalidParameter("Type mismatch for attribute %s expected: %s actual: %s",
						 attr->name.data, ValueTypeName(attr->type), ValueTypeName(ValueTypeOf(v)));
	(void) CheckKeyValue("", attr->name, v, false, NULL);
}

bool
NoteKeyMismatch(const TableDef *def, ValueRef given, Problem *problem)
{
	StringInfoData key;

	initStringInfo(&key);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);

		appendStringInfo(&key, "%s%s of type %s", i > 0 ? " and " : "",
						 attr->name.data, ValueTypeName(attr->type));
	}
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "The provided key element does not match the schema",
		.detail = psprintf("The key must consist of exactly %s.", key.data),
		.hint = TypedJsonHint(given)
	});
}

bool
CheckKeyParameter(const TableDef *def, ValueRef key, Problem *problem)
{
	int			nkey = KeyCount(&def->key);
	Container	c;

	ContainerOpen(key, &c);
	if (c.count != (uint32) nkey)
		return NoteKeyMismatch(def, MISSING_VALUE, problem);
	for (int i = 0; i < nkey; i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		ValueRef	v = MapFind(&c, attr->name.data, attr->name.len);

		if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
			return NoteKeyMismatch(def, v, problem);
		if (!CheckKeyValue("", attr->name, v, i < def->key.npartition, problem))
			return false;
	}
	return true;
}
