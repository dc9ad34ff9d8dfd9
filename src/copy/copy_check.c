/*
 * copy_check.c
 *	  Checks whether the copies and totals of a table can be maintained.
 *
 * A kept attribute depends on others; no attribute may depend on itself, and
 * none that tells what an item is, to whom it refers or where it is found may
 * be a kept one.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/rel.h"

#include "copy/copy.h"

static void CopyError(const Copy *copy, const char *format,...) pg_attribute_printf(2, 3) pg_attribute_noreturn();

static void
CopyError(const Copy *copy, const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("\"%.*s\" cannot be maintained", (int) copy->name.len, copy->name.data),
			 errdetail_internal("%s", text)));
}

/* ---- the place of the children ---- */

static void
CheckPlaceAttribute(const TableDef *def, const Copy *copy, Slice attribute)
{
	const Template *t = KeyTemplate(copy->child, attribute);
	TemplatePart plain = {.kind = PART_TEXT, .name = attribute, .nsteps = 1, .steps = &attribute};
	const TemplatePart *unknown = NULL;

	for (int i = 0; t != NULL && i < t->npieces; i++)
	{
		if (t->pieces[i].part != NULL && !CopyPartIsKnown(def, copy, t->pieces[i].part))
			unknown = t->pieces[i].part;
	}
	if (t == NULL && !CopyPartIsKnown(def, copy, &plain))
		unknown = &plain;
	if (unknown != NULL)
		CopyError(copy, "The key of entity \"%.*s\" does not have {%.*s} in the format of key attribute \"%.*s\" of entity \"%.*s\", "
				  "so that the children of an item cannot be found.",
				  (int) copy->parent->name.len, copy->parent->name.data,
				  (int) unknown->name.len, unknown->name.data, (int) attribute.len, attribute.data,
				  (int) copy->child->name.len, copy->child->name.data);
}

static void
CheckPlace(const TableDef *def, const Copy *copy)
{
	const KeySchema *place = CopyPlace(def, copy);

	if (copy->index != NULL &&
		(!copy->index->kind->whole_items || copy->index->status != INDEX_ACTIVE || copy->index->replaces != NULL))
		CopyError(copy, "Index \"%s\" is not an inline index that is ready.", copy->index->name);
	for (int i = 0; i < place->npartition; i++)
	{
		if (place->attributes[i].type != VALUE_S)
			CopyError(copy, "Key attribute \"%.*s\" is not of type S.",
					  (int) place->attributes[i].name.len, place->attributes[i].name.data);
		CheckPlaceAttribute(def, copy, place->attributes[i].name);
	}
}

/* ---- kept attributes ---- */

/* A copied or total attribute, and one that it depends on. */
typedef struct Kept
{
	const Copy *copy;
	const Entity *entity;		/* the entity that has it */
	Slice		attribute;
	const Entity *source_entity;
	Slice		source;			/* the attribute that it depends on; empty if there is none */
	int			rank;			/* greater than the ranks of the attributes that it depends on */
} Kept;

static int
ListKept(const CopySet *set, Kept *kept)
{
	int			n = 0;

	for (int i = 0; i < set->count; i++)
	{
		const Copy *c = &set->copies[i];

		if (n + c->nattributes + c->ntotals > COPY_MAX_ATTRIBUTES)
			CopyError(c, "Copies and totals of a table have more than %d attributes.", COPY_MAX_ATTRIBUTES);
		for (int j = 0; j < c->nattributes; j++)
			kept[n++] = (Kept) {c, c->child, c->attributes[j].child, c->parent, c->attributes[j].parent, 0};
		for (int j = 0; j < c->ntotals; j++)
			kept[n++] = (Kept) {c, c->parent, c->totals[j].attribute, c->child, c->totals[j].of, 0};
	}
	return n;
}

/* Whether a key uses an attribute, or one that is computed of it. */
static bool
KeyDependsOn(const Entity *entity, const ComposedKey *key, Slice attribute)
{
	for (int i = 0; entity->has_rules && i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (EntityComputedUses(a, attribute) && ComposedKeyUses(key, a->name))
			return true;
	}
	return ComposedKeyUses(key, attribute);
}

/* Whether the keys of a place depend on an attribute of the entity's items. */
static bool
PlaceDependsOn(const KeySchema *place, const Entity *entity, Slice attribute)
{
	if (KeySchemaHas(place, attribute))
		return true;
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (KeySchemaHas(place, entity->keys[i].attribute) && KeyDependsOn(entity, &entity->keys[i], attribute))
			return true;
	}
	return false;
}

/* Whether a part of the parent's key is an attribute of the child, or one that is computed of it. */
static bool
PartDependsOn(const Copy *copy, Slice part, Slice attribute)
{
	const EntityAttribute *a = EntityAttributeFind(copy->child, part);

	return SliceEqual(part, attribute) || (a != NULL && EntityComputedUses(a, attribute));
}

/* Whether the parent of a child depends on an attribute of the child. */
static bool
ReferenceDependsOn(const TableDef *def, const Copy *copy, Slice attribute)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;
		const Template *t = KeyTemplate(copy->parent, name);

		if (t == NULL && PartDependsOn(copy, CopyChildName(copy, name), attribute))
			return true;
		for (int j = 0; t != NULL && j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && (PartDependsOn(copy, CopyChildName(copy, part->name), attribute) ||
								 PartDependsOn(copy, part->steps[0], attribute)))
				return true;
		}
	}
	return false;
}

/* Raises the error of an attribute on which the keys of an index depend that finds children. */
static void
RefuseInPlace(const Kept *k, const Copy *c)
{
	CopyError(k->copy, "Attribute \"%.*s\" is in a key of index \"%s\", by which \"%.*s\" finds the children of an item. "
			  "Items of entity \"%.*s\" that lack the attribute, because their parent does not exist yet or lacks it, would not be in the index, "
			  "and would never get it. Use another index for this order, and one without the attribute for \"%.*s\".",
			  (int) k->attribute.len, k->attribute.data, c->index->name, (int) c->name.len, c->name.data,
			  (int) k->entity->name.len, k->entity->name.data, (int) c->name.len, c->name.data);
}

/* Raises the error of an attribute by which another definition refers to a parent. */
static void
RefuseInReference(const Kept *k, const Copy *c)
{
	CopyError(k->copy, "Attribute \"%.*s\" of entity \"%.*s\" tells \"%.*s\" to which item of entity \"%.*s\" an item refers. "
			  "A change of one item would then move many others from one parent to another. "
			  "Let the writer set the attribute, or keep it under another name, by which nothing refers.",
			  (int) k->attribute.len, k->attribute.data, (int) k->entity->name.len, k->entity->name.data,
			  (int) c->name.len, c->name.data, (int) c->parent->name.len, c->parent->name.data);
}

/*
 * Raises an error if an attribute determines the entity or the place of its
 * item.
 */
static void
CheckKeptAttribute(const TableDef *def, const CopySet *set, const Kept *k)
{
	const EntityAttribute *declared = EntityAttributeFind(k->entity, k->attribute);
	bool		fixed = PlaceDependsOn(&def->key, k->entity, k->attribute) ||
		KeyTemplate(k->entity, k->attribute) != NULL ||
		(declared != NULL && !ValueIsMissing(declared->constant)) ||
		(k->entity->type_attribute.data != NULL && SliceEqual(k->entity->type_attribute, k->attribute));

	for (int i = 0; !fixed && i < set->count; i++)
	{
		const Copy *c = &set->copies[i];

		if (c->child != k->entity)
			continue;
		if (ReferenceDependsOn(def, c, k->attribute))
			RefuseInReference(k, c);
		if (c->index != NULL && PlaceDependsOn(CopyPlace(def, c), c->child, k->attribute))
			RefuseInPlace(k, c);
	}
	if (fixed)
		CopyError(k->copy, "Attribute \"%.*s\" of entity \"%.*s\" determines the entity, the key or the parent of its items, and cannot be kept.",
				  (int) k->attribute.len, k->attribute.data, (int) k->entity->name.len, k->entity->name.data);
}

static bool
DependsOn(const Kept *a, const Kept *b)
{
	return a->source.len > 0 && a->source_entity == b->entity && SliceEqual(a->source, b->attribute);
}

/* Passes over all pairs once; returns whether a rank has grown. */
static bool
RaiseRanks(Kept *kept, int n)
{
	bool		raised = false;

	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			if (!DependsOn(&kept[i], &kept[j]) || kept[i].rank > kept[j].rank)
				continue;
			kept[i].rank = kept[j].rank + 1;
			if (kept[i].rank > n)
				CopyError(kept[i].copy, "Attribute \"%.*s\" of entity \"%.*s\" would depend on itself.",
						  (int) kept[i].attribute.len, kept[i].attribute.data,
						  (int) kept[i].entity->name.len, kept[i].entity->name.data);
			raised = true;
		}
	}
	return raised;
}

static void
CheckKeptOnce(const Kept *kept, int n)
{
	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (kept[i].entity == kept[j].entity && SliceEqual(kept[i].attribute, kept[j].attribute))
				CopyError(kept[i].copy, "Attribute \"%.*s\" of entity \"%.*s\" is kept by \"%.*s\" already.",
						  (int) kept[i].attribute.len, kept[i].attribute.data,
						  (int) kept[i].entity->name.len, kept[i].entity->name.data,
						  (int) kept[j].copy->name.len, kept[j].copy->name.data);
		}
	}
}

void
CopySetCheck(const TableDef *def, const CopySet *set)
{
	Kept		kept[COPY_MAX_ATTRIBUTES];
	int			n = ListKept(set, kept);

	for (int i = 0; i < set->count; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (SliceEqual(set->copies[i].name, set->copies[j].name))
				CopyError(&set->copies[i], "There are two of this name.");
		}
		CheckPlace(def, &set->copies[i]);
	}
	for (int i = 0; i < n; i++)
		CheckKeptAttribute(def, set, &kept[i]);
	CheckKeptOnce(kept, n);
	while (RaiseRanks(kept, n))
		;
}

/* ---- what definitions need ---- */

/* What a user wants to change; names are NULL and the slice empty if they do not matter. */
typedef struct Needed
{
	const char *entity_name;
	Slice		key;			/* a key attribute of the entity */
	bool		moves;			/* all items get another value of it, in the same writes */
	const char *index_name;
} Needed;

/*
 * Whether a definition finds items of its entity by a key attribute: parents by the table's key, and
 * children in their place.
 */
static bool
UsesKeyOf(const TableDef *def, const Copy *c, const Needed *needed)
{
	if (SliceIs(c->child->name, needed->entity_name) && KeySchemaHas(CopyPlace(def, c), needed->key))
		return true;
	return KeySchemaHas(&def->key, needed->key) && (!needed->moves || SliceIs(c->parent->name, needed->entity_name));
}

static bool
Needs(const TableDef *def, const Copy *c, const Needed *needed)
{
	if (needed->index_name != NULL)
		return c->index != NULL && strcmp(c->index->name, needed->index_name) == 0;
	if (!SliceIs(c->parent->name, needed->entity_name) && !SliceIs(c->child->name, needed->entity_name))
		return false;
	return needed->key.len == 0 || UsesKeyOf(def, c, needed);
}

/* Raises an error if a definition needs what is to be changed. */
static void
RefuseNeeded(Oid relid, const Needed *needed, const char *verb)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	const CopySet *set = CopySetOf(rel, def);

	for (int i = 0; set != NULL && i < set->count; i++)
	{
		const Copy *c = &set->copies[i];

		if (!Needs(def, c, needed))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot %s %s \"%s\" because \"%.*s\" depends on it", verb,
						needed->entity_name != NULL ? "entity" : "index",
						needed->entity_name != NULL ? needed->entity_name : needed->index_name, (int) c->name.len, c->name.data),
				 needed->key.len == 0 ? 0 :
				 errdetail("\"%.*s\" finds items by their key attribute \"%.*s\".", (int) c->name.len, c->name.data,
						   (int) needed->key.len, needed->key.data),
				 errhint("Use dynamo.drop_%s first.", c->ntotals > 0 ? "total" : "copy")));
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

void
RefuseCopiedEntity(Oid relid, const char *entity_name, const char *verb)
{
	RefuseNeeded(relid, &(Needed) {.entity_name = entity_name}, verb);
}

void
RefuseCopiedKey(Oid relid, const char *entity_name, Slice key)
{
	RefuseNeeded(relid, &(Needed) {.entity_name = entity_name, .key = key}, "change the keys of");
}

void
RefuseCopiedMove(Oid relid, const char *entity_name, Slice key)
{
	RefuseNeeded(relid, &(Needed) {.entity_name = entity_name, .key = key, .moves = true}, "migrate");
}

static bool
NamesAttribute(const CopiedAttribute *attributes, int n, bool of_child, Slice attribute)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceEqual(of_child ? attributes[i].child : attributes[i].parent, attribute))
			return true;
	}
	return false;
}

static bool
TotalsName(const Copy *c, bool of_child, Slice attribute)
{
	for (int i = 0; i < c->ntotals; i++)
	{
		if (SliceEqual(of_child ? c->totals[i].of : c->totals[i].attribute, attribute))
			return true;
	}
	return false;
}

/* Whether children refer to a parent by an attribute of this name. */
static bool
RefersBy(const Copy *c, Slice attribute)
{
	for (int i = 0; i < c->parent->nbase; i++)
	{
		if (TemplateUses(c->parent->keys[i].template, attribute))
			return true;
	}
	return NamesAttribute(c->refers, c->nrefers, true, attribute);
}

void
RefuseCopiedAttribute(Oid relid, const char *entity_name, Slice attribute, const char *verb, const char *again)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	const CopySet *set = CopySetOf(rel, def);

	for (int i = 0; set != NULL && i < set->count; i++)
	{
		const Copy *c = &set->copies[i];
		bool		is_parent = SliceIs(c->parent->name, entity_name);
		bool		is_child = SliceIs(c->child->name, entity_name);

		if ((is_parent && (NamesAttribute(c->attributes, c->nattributes, false, attribute) || TotalsName(c, false, attribute))) ||
			(is_child && (NamesAttribute(c->attributes, c->nattributes, true, attribute) || TotalsName(c, true, attribute))) ||
			((is_parent || is_child) && RefersBy(c, attribute)))
			ereport(ERROR,
					(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
					 errmsg("cannot %s attribute \"%.*s\" of entity \"%s\" because \"%.*s\" depends on it", verb,
							(int) attribute.len, attribute.data, entity_name, (int) c->name.len, c->name.data),
					 errhint("Use dynamo.drop_%s first, and create it again %s.", c->ntotals > 0 ? "total" : "copy", again)));
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

void
RefuseCopiedIndex(Oid relid, const char *index_name, const char *verb)
{
	RefuseNeeded(relid, &(Needed) {.index_name = index_name}, verb);
}

/* ---- defaults of copied attributes ---- */

static void
RefuseDefault(const Entity *entity, Slice attribute, const Copy *copy)
{
	const EntityAttribute *a = EntityAttributeFind(entity, attribute);

	if (a != NULL && (!ValueIsMissing(a->constant) || !ValueIsMissing(a->initial) || a->function != DEFAULT_NO_FUNCTION ||
					  a->read_only || a->computed.data != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("attribute \"%.*s\" of entity \"%.*s\" cannot %s",
						(int) attribute.len, attribute.data, (int) entity->name.len, entity->name.data,
						a->read_only ? "be read-only" : a->computed.data != NULL ? "be computed" : "have a default or a constant"),
				 errdetail("\"%.*s\" keeps it as it is in other items.", (int) copy->name.len, copy->name.data)));
}

void
CopySetRefuseDefaults(const CopySet *set)
{
	for (int i = 0; i < set->count; i++)
	{
		const Copy *copy = &set->copies[i];

		for (int j = 0; j < copy->nattributes; j++)
			RefuseDefault(copy->child, copy->attributes[j].child, copy);
		for (int j = 0; j < copy->ntotals; j++)
			RefuseDefault(copy->parent, copy->totals[j].attribute, copy);
	}
}

void
RefuseCopiedDefaults(Oid relid, const TableDef *def)
{
	Relation	rel = table_open(relid, NoLock);
	const char *text = CopySetText(rel);

	if (text != NULL)
		CopySetRefuseDefaults(CopySetRead(def, pstrdup(text)));
	table_close(rel, NoLock);
}
