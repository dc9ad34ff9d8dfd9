/*
 * copy_family.c
 *	  Finds the parent of a child, and the place of a parent's children.
 *
 * The parent's key is composed of the child's attributes.  The children's place
 * is a key condition: all partition attributes and what the first sort
 * attribute begins with.  It is made of the parent's key alone, also when the
 * parent is gone: parts of the same format have the same text in both keys, so
 * it is enough to take one apart and to put its texts together anew.
 */
#include "postgres.h"

#include "copy/copy.h"
#include "item/builder.h"
#include "item/splice.h"

/* ---- names ---- */

Slice
CopyChildName(const Copy *copy, Slice parent_name)
{
	for (int i = 0; i < copy->nrefers; i++)
	{
		if (SliceEqual(copy->refers[i].parent, parent_name))
			return copy->refers[i].child;
	}
	return parent_name;
}

const Template *
KeyTemplate(const Entity *entity, Slice attribute)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, attribute))
			return entity->keys[i].template;
	}
	return NULL;
}

const KeySchema *
CopyPlace(const TableDef *def, const Copy *copy)
{
	return copy->index != NULL ? &copy->index->key : &def->key;
}

/* ---- values ---- */

MaybeItem
ItemKey(const TableDef *def, ValueRef item)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const KeyAttribute *attribute = &def->key.attributes[i];
		ValueRef	value = AttributeFind(item, attribute->name.data, attribute->name.len);

		if (ValueIsMissing(value) || ValueTypeOf(value) != attribute->type)
			return NO_ITEM;
		ItemBuilderName(b, attribute->name.data, attribute->name.len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	return MaybeItemOf(ItemBuilderFinish(b));
}

bool
SameKey(const TableDef *def, ValueRef a, ValueRef b)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;

		if (!SameAttribute(AttributeFind(a, name.data, name.len), AttributeFind(b, name.data, name.len)))
			return false;
	}
	return true;
}

bool
SameAttribute(ValueRef a, ValueRef b)
{
	if (ValueIsMissing(a) || ValueIsMissing(b))
		return ValueIsMissing(a) && ValueIsMissing(b);
	return ValueEqual(a, b);
}

ValueRef
WithAttribute(ValueRef item, Slice name, ValueRef value)
{
	Container	map;
	SpliceEdit	edit = {
		.name = name,
		.inserts = !ValueIsMissing(value),
		.bytes = {(const char *) value.data, value.len},
	};

	if (SameAttribute(AttributeFind(item, name.data, name.len), value))
		return item;
	ContainerOpen(item, &map);
	edit.removes = MapPosition(&map, name, &edit.position);
	return ItemRoot(ItemSplice(&map, &edit, 1));
}

ValueRef
WithCopies(const Copy *copy, ValueRef child, ValueRef parent)
{
	for (int i = 0; i < copy->nattributes; i++)
	{
		const CopiedAttribute *a = &copy->attributes[i];

		child = WithAttribute(child, a->child, AttributeFind(parent, a->parent.data, a->parent.len));
	}
	return child;
}

/* ---- the parent of a child ---- */

typedef struct RefSource
{
	const Copy *copy;
	ValueRef	item;
} RefSource;

/* A PartFinder. */
static ValueRef
FindReferencePart(void *arg, const TemplatePart *part, const char **reason)
{
	const RefSource *source = arg;
	TemplatePart named = *part;

	named.name = CopyChildName(source->copy, part->name);
	if (!SliceEqual(named.name, part->name))
	{
		named.nsteps = 1;
		named.steps = &named.name;
	}
	return EntityPartValue(source->copy->child, source->item, &named);
}

/*
 * Returns the value of an attribute of the parent's key; MISSING_VALUE if the
 * child does not have it.
 */
static ValueRef
ParentKeyValue(const Copy *copy, const KeyAttribute *attribute, ValueRef item)
{
	const Template *template = KeyTemplate(copy->parent, attribute->name);
	RefSource	source = {copy, item};
	Slice		name = CopyChildName(copy, attribute->name);
	StringInfoData text;
	ComposeProblem problem;

	if (template == NULL)
		return AttributeFind(item, name.data, name.len);
	initStringInfo(&text);
	if (TemplateComposeFrom(template, FindReferencePart, &source, &text, &problem) != COMPOSE_OK)
		return MISSING_VALUE;
	return ValueOfString((Slice) {text.data, text.len});
}

/*
 * Composes the parent's key; NULL if the attributes of the child do not
 * compose one.
 */
static MaybeItem
ReferredKey(const TableDef *def, const Copy *copy, ValueRef item)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	Problem		problem = NO_PROBLEM;
	struct varlena *key;

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const KeyAttribute *attribute = &def->key.attributes[i];
		ValueRef	value = ParentKeyValue(copy, attribute, item);

		if (ValueIsMissing(value))
			return NO_ITEM;
		ItemBuilderName(b, attribute->name.data, attribute->name.len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	key = ItemBuilderFinish(b);
	return CheckKeyParameter(def, ItemRoot(key), &problem) ? MaybeItemOf(key) : NO_ITEM;
}

/* ---- the place of children ---- */

/*
 * Returns the parent's name of an attribute in the child's key; data is NULL
 * if there is none.
 */
static Slice
ParentName(const Copy *copy, Slice child_name)
{
	for (int i = 0; i < copy->nrefers; i++)
	{
		if (SliceEqual(copy->refers[i].child, child_name))
			return copy->refers[i].parent;
	}
	return SliceEqual(CopyChildName(copy, child_name), child_name) ? child_name : MISSING_SLICE;
}

/* Whether two parts compose the same text of the same value. */
static bool
HasSameFormat(const TemplatePart *a, const TemplatePart *b)
{
	return a->kind == b->kind && a->letters == b->letters && a->digits == b->digits &&
		a->decimals == b->decimals && a->with_sign == b->with_sign &&
		a->descending == b->descending && a->unit == b->unit && a->shards == b->shards;
}

/*
 * Returns the piece of the parent's key that has the text of a part; NULL if
 * there is none.
 */
static const ComposedKey *
FindPiece(const Copy *copy, const TemplatePart *part, int *piece)
{
	Slice		name = ParentName(copy, part->name);

	for (int i = 0; i < copy->parent->nbase; i++)
	{
		const Template *t = copy->parent->keys[i].template;

		for (*piece = 0; *piece < t->npieces; (*piece)++)
		{
			const TemplatePart *candidate = t->pieces[*piece].part;

			if (candidate != NULL && name.data != NULL && SliceEqual(candidate->name, name) &&
			HasSameFormat(candidate, part))
				return &copy->parent->keys[i];
		}
	}
	return NULL;
}

/*
 * Returns the attribute of the parent's key that equals the part; data is NULL
 * if there is none.
 */
static Slice
FindPlainKey(const TableDef *def, const Copy *copy, const TemplatePart *part)
{
	Slice		name = ParentName(copy, part->name);

	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const KeyAttribute *a = &def->key.attributes[i];

		if (name.data != NULL && SliceEqual(a->name, name) && a->type == VALUE_S && part->kind == PART_TEXT &&
			part->letters == CASE_AS_IS && KeyTemplate(copy->parent, a->name) == NULL)
			return a->name;
	}
	return MISSING_SLICE;
}

bool
CopyPartIsKnown(const TableDef *def, const Copy *copy, const TemplatePart *part)
{
	int			piece;

	return FindPiece(copy, part, &piece) != NULL || FindPlainKey(def, copy, part).data != NULL;
}

static bool
AppendPart(const TableDef *def, const Copy *copy, ValueRef key, const TemplatePart *part, StringInfo out)
{
	Slice		texts[2 * TEMPLATE_MAX_PARTS + 1];
	int			piece = 0;
	const ComposedKey *composed = FindPiece(copy, part, &piece);
	Slice		name = composed != NULL ? composed->attribute : FindPlainKey(def, copy, part);
	ValueRef	value = name.data == NULL ? MISSING_VALUE : AttributeFind(key, name.data, name.len);
	Slice		text;

	if (ValueIsMissing(value) || ValueTypeOf(value) != VALUE_S)
		return false;
	text = ValuePayload(value);
	if (composed != NULL)
	{
		if (!TemplateTakeApart(composed->template, text, texts))
			return false;
		text = texts[piece];
	}
	appendBinaryStringInfo(out, text.data, text.len);
	return true;
}

/*
 * Appends the prefix of a child's key attribute that the parent's key
 * determines; returns whether it is the whole key.
 */
static bool
AppendPlace(const TableDef *def, const Copy *copy, ValueRef key, Slice attribute, StringInfo out)
{
	const Template *template = KeyTemplate(copy->child, attribute);
	TemplatePart plain = {.kind = PART_TEXT, .name = attribute, .nsteps = 1, .steps = &attribute};

	if (template == NULL)
		return AppendPart(def, copy, key, &plain, out);
	for (int i = 0; i < template->npieces; i++)
	{
		const TemplatePiece *p = &template->pieces[i];

		if (p->part == NULL)
			appendBinaryStringInfo(out, p->text.data, p->text.len);
		else if (!AppendPart(def, copy, key, p->part, out))
			return false;
	}
	return true;
}

bool
CopyCondition(const TableDef *def, const Copy *copy, ValueRef key, KeyCondition *condition)
{
	const KeySchema *place = CopyPlace(def, copy);

	memset(condition, 0, sizeof(*condition));
	condition->ntests = KeyCount(place);
	for (int i = 0; i < Min(place->npartition + 1, KeyCount(place)); i++)
	{
		KeyTest    *test = &condition->tests[i];
		StringInfoData text;
		bool		all;

		if (place->attributes[i].type != VALUE_S)
		{
			if (i < place->npartition)
				return false;
			continue;
		}
		initStringInfo(&text);
		all = AppendPlace(def, copy, key, place->attributes[i].name, &text);
		if (i < place->npartition ? !all : text.len == 0)
		{
			if (i < place->npartition)
				return false;
			continue;
		}
		test->op = i < place->npartition ? KEY_EQ : KEY_BEGINS_WITH;
		test->value = ValueOfString((Slice) {text.data, text.len});
	}
	return true;
}

/* Whether an item is in the place of the children with this key. */
static bool
IsInPlace(const TableDef *def, const Copy *copy, ValueRef key, ValueRef item)
{
	const KeySchema *place = CopyPlace(def, copy);
	KeyCondition condition;

	if (!CopyCondition(def, copy, key, &condition) ||
		(copy->index != NULL && !ItemInIndex(def, copy->index, item)))
		return false;
	for (int i = 0; i < condition.ntests; i++)
	{
		const KeyAttribute *a = &place->attributes[i];
		ValueRef	v = AttributeFind(item, a->name.data, a->name.len);

		if (condition.tests[i].op != KEY_NONE &&
			(ValueIsMissing(v) || ValueTypeOf(v) != a->type || !KeyTestMatches(&condition.tests[i], v)))
			return false;
	}
	return true;
}

MaybeItem
CopyParentKey(const TableDef *def, const Copy *copy, ValueRef item)
{
	MaybeItem	maybe = ReferredKey(def, copy, item);
	ValueRef	key;

	return MaybeItemOpen(maybe, &key) && IsInPlace(def, copy, key, item) ? maybe : NO_ITEM;
}
