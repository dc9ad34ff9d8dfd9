/*
 * copy_read.c
 *	  Reading the definitions in the argument of a table's triggers.
 *
 * A table's owner may write them by hand, so everything in them is checked.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "table/definition.h"
#include "table/table_slot.h"

static void ReadError(const char *detail) pg_attribute_noreturn();

static void
ReadError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("invalid definition of a copy or total"),
			 errdetail_internal("%s", detail)));
}

/* ---- members ---- */

static ValueRef
GetCopyMember(ValueRef map, const char *name, ValueType type)
{
	ValueRef	v = AttributeFind(map, name, strlen(name));

	if (!ValueIsMissing(v) && ValueTypeOf(v) != type)
		ReadError(psprintf("Member \"%s\" of a copy has the wrong type.", name));
	return v;
}

static Slice
CheckCopyName(Slice name)
{
	if (name.len == 0 || name.len > ENTITY_MAX_NAME)
		ReadError(psprintf("A name in a copy has %u bytes, not 1 to %d.", name.len, ENTITY_MAX_NAME));
	return name;
}

static Slice
GetCopyName(ValueRef map, const char *name)
{
	ValueRef	v = GetCopyMember(map, name, VALUE_S);

	if (ValueIsMissing(v))
		ReadError(psprintf("Member \"%s\" of a copy is missing.", name));
	return CheckCopyName(ValuePayload(v));
}

static void
CheckCopyMembers(ValueRef map)
{
	static const char *const members[] = {"name", "parent", "child", "index", "refers", "hidden_parent", "attributes",
	"totals"};
	Container	entries;

	ContainerOpen(map, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		bool		known = false;

		(void) MapEntry(&entries, i, &name);
		for (size_t j = 0; j < lengthof(members); j++)
			known |= SliceIs(name, members[j]);
		if (!known)
			ReadError(psprintf("Member \"%.*s\" of a copy is unknown to this version of the extension.",
									 (int) name.len, name.data));
	}
}

/* Opens a map of names and texts; its count is 0 if it is absent. */
static void
OpenTexts(ValueRef map, const char *name, Container *entries)
{
	ValueRef	texts = GetCopyMember(map, name, VALUE_M);

	entries->count = 0;
	if (ValueIsMissing(texts))
		return;
	ContainerOpen(texts, entries);
	if (entries->count > COPY_MAX_ATTRIBUTES)
		ReadError(psprintf("Copies of a table have more than %d attributes.", COPY_MAX_ATTRIBUTES));
}

static Slice
GetTextEntry(const Container *entries, uint32 i, Slice *name)
{
	ValueRef	v = MapEntry(entries, i, name);

	(void) CheckCopyName(*name);
	if (ValueTypeOf(v) != VALUE_S)
		ReadError("An attribute of a copy is not described by a text.");
	return CheckCopyName(ValuePayload(v));
}

/* ---- one definition ---- */

/* Reads pairs of names.  child_first: the child's name precedes the colon. */
static CopiedAttribute *
ReadPairs(ValueRef map, const char *name, bool child_first, int *n)
{
	Container	entries;
	CopiedAttribute *pairs;

	OpenTexts(map, name, &entries);
	pairs = palloc(sizeof(CopiedAttribute) * Max(entries.count, 1));
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		first;
		Slice		second = GetTextEntry(&entries, i, &first);

		pairs[i].child = child_first ? first : second;
		pairs[i].parent = child_first ? second : first;
	}
	*n = entries.count;
	return pairs;
}

/* Reads a total: "count", "sum(amount)", ... */
static void
ReadTotal(Slice text, Total *total)
{
	static const char *const functions[] = {"count", "sum(", "min(", "max("};
	uint32		len;

	for (int i = 0; i < (int) lengthof(functions); i++)
	{
		total->function = (TotalFunction) i;
		total->of = MISSING_SLICE;
		if (i == TOTAL_COUNT && SliceIs(text, functions[i]))
			return;
		len = strlen(functions[i]);
		if (i != TOTAL_COUNT && text.len > len + 1 && SliceBeginsWith(text, SliceOf(functions[i])) &&
			text.data[text.len - 1] == ')')
		{
			total->of = (Slice) {text.data + len, text.len - len - 1};
			return;
		}
	}
	ReadError(psprintf("A total is \"%.*s\", not count, sum(attribute), min(attribute) or max(attribute).",
							 (int) text.len, text.data));
}

static Total *
ReadTotals(ValueRef map, int *n)
{
	Container	entries;
	Total	   *totals;

	OpenTexts(map, "totals", &entries);
	totals = palloc(sizeof(Total) * Max(entries.count, 1));
	for (uint32 i = 0; i < entries.count; i++)
		ReadTotal(GetTextEntry(&entries, i, &totals[i].attribute), &totals[i]);
	*n = entries.count;
	return totals;
}

static const Entity *
ReadEntityName(const TableDef *def, ValueRef map, const char *member)
{
	Slice		name = GetCopyName(map, member);
	const Entity *entity = EntitySetFind(def->entities, name);

	if (entity == NULL)
		ReadError(psprintf("A copy is of entity \"%.*s\", which does not exist.", (int) name.len, name.data));
	return entity;
}

static const IndexDef *
ReadIndexName(const TableDef *def, ValueRef map)
{
	Slice		name;
	const IndexDef *index;

	if (ValueIsMissing(AttributeFind(map, "index", strlen("index"))))
		return NULL;
	name = GetCopyName(map, "index");
	index = TableDefIndex(def, pnstrdup(name.data, name.len));
	if (index == NULL)
		ReadError(psprintf("A copy is of index \"%.*s\", which does not exist.", (int) name.len, name.data));
	return index;
}

/* Whether hidden parents are used; they are refused by default. */
static bool
ReadHiddenParent(ValueRef map)
{
	ValueRef	v = GetCopyMember(map, "hidden_parent", VALUE_S);

	if (ValueIsMissing(v) || SliceIs(ValuePayload(v), "refuse"))
		return false;
	if (!SliceIs(ValuePayload(v), "use"))
		ReadError("Member \"hidden_parent\" of a copy is neither \"refuse\" nor \"use\".");
	return true;
}

static void
ReadCopy(const TableDef *def, ValueRef map, Copy *copy)
{
	if (ValueTypeOf(map) != VALUE_M)
		ReadError("A copy is not an object.");
	CheckCopyMembers(map);
	copy->name = GetCopyName(map, "name");
	copy->parent = ReadEntityName(def, map, "parent");
	copy->child = ReadEntityName(def, map, "child");
	copy->index = ReadIndexName(def, map);
	copy->uses_hidden = ReadHiddenParent(map);
	copy->refers = ReadPairs(map, "refers", false, &copy->nrefers);
	copy->attributes = ReadPairs(map, "attributes", true, &copy->nattributes);
	copy->totals = ReadTotals(map, &copy->ntotals);
	if ((copy->nattributes > 0) == (copy->ntotals > 0))
		ReadError("A copy has either attributes or totals.");
}

/* ---- the list ---- */

static ValueRef
ReadCopyList(const char *text)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ValueRef	list;

	if (strlen(text) > DEFINITION_MAX_BYTES)
		ReadError("The definitions of copies are too long.");
	ItemBuilderJsonb(b, DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text))));
	list = ItemRoot(ItemBuilderFinish(b));
	if (ValueTypeOf(list) != VALUE_L)
		ReadError("The copies of a table are not a list.");
	return list;
}

CopySet *
CopySetRead(const TableDef *def, const char *text)
{
	CopySet    *set = palloc0(sizeof(CopySet));
	Container	elements;

	set->text = pstrdup(text);
	ContainerOpen(ReadCopyList(text), &elements);
	if (elements.count > COPY_MAX_COUNT)
		ReadError(psprintf("A table has more than %d copies.", COPY_MAX_COUNT));
	set->copies = palloc0(sizeof(Copy) * Max(elements.count, 1));
	for (uint32 i = 0; i < elements.count; i++)
		ReadCopy(def, ListElement(&elements, i), &set->copies[set->count++]);
	CopySetCheck(def, set);
	return set;
}

const char *
CopySetText(Relation rel)
{
	Oid			function = rel->trigdesc == NULL ? InvalidOid : SystemFunctionOid(FUNCTION_KEEP_COPIES);

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *t = &rel->trigdesc->triggers[i];

		if (t->tgfoid == function && strcmp(t->tgname, TRIGGER_COLLECT_COPIES) == 0 && t->tgnargs == 1)
			return t->tgargs[0];
	}
	return NULL;
}

/* The copies of a table, with its definition; NULL until they are read. */
typedef struct LoadedCopies
{
	const CopySet *copies;
} LoadedCopies;

static TableSlot loaded_copies = {sizeof(LoadedCopies)};

/* The cache drops the definition when a trigger changes. */
const CopySet *
CopySetOf(Relation rel, TableDef *def)
{
	LoadedCopies *loaded = TableSlotGet(def, &loaded_copies);
	const char *text;
	MemoryContext context;
	MemoryContext old;

	if (loaded->copies != NULL)
		return loaded->copies;
	text = CopySetText(rel);
	if (text == NULL)
		return NULL;
	context = AllocSetContextCreate(CurrentMemoryContext, "dynamo copies", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	loaded->copies = CopySetRead(def, text);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, def->context);
	return loaded->copies;
}
