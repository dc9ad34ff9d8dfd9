/*
 * migrate_check.c
 *	  What cannot be migrated.
 *
 * An item is found by either of its keys because each can be computed from the other.  So both
 * must contain the same attributes, in formats that tell their values, and no key may be that of
 * one item before and of another one after.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "constraint/reference.h"
#include "copy/copy.h"
#include "ddl/ddl.h"
#include "entity/template_parts.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "migrate/migrate.h"
#include "security/owner.h"
#include "table/distribution.h"
#include "table/moves.h"
#include "table/table_name.h"

static void CannotMigrate(const Entity *entity, const char *detail, const char *hint) pg_attribute_noreturn();

static void
CannotMigrate(const Entity *entity, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the items of entity \"%.*s\" cannot be moved to these keys while the table is in use",
					(int) entity->name.len, entity->name.data),
			 errdetail_internal("%s", detail),
			 hint == NULL ? 0 : errhint("%s", hint)));
}

/* ---- templates ---- */

static bool
IsDeclaredNumber(const Entity *entity, const TemplatePart *part)
{
	const EntityAttribute *a = part->nsteps != 1 ? NULL : EntityAttributeFind(entity, part->name);

	return a != NULL && a->holds == VALUE_N;
}

/* Whether the text of a part tells that of another part of the same attribute. */
static bool
PartTells(const Entity *entity, const TemplatePart *part, const TemplatePart *other)
{
	switch (part->kind)
	{
		case PART_TEXT:
			return part->letters == CASE_AS_IS || (other->kind == PART_TEXT && other->letters == part->letters) ||
				(other->kind == PART_SHARD && other->letters == part->letters);
		case PART_NUMBER:
			return other->kind == PART_NUMBER || (other->kind != PART_TIME && IsDeclaredNumber(entity, part));
		case PART_TIME:
			return other->kind == PART_TIME && other->unit <= part->unit;
		case PART_SHARD:
			return false;
	}
	return false;
}

static bool
KeysTellPart(const Entity *entity, const TemplatePart *wanted)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && SliceEqual(part->name, wanted->name) && PieceTellsAttribute(t, j) &&
				PartTells(entity, part, wanted))
				return true;
		}
	}
	return false;
}

/* Checks that the key of one version tells that of another; which names the latter. */
static void
CheckKeyTells(const Entity *entity, const Entity *of, const char *which)
{
	for (int i = 0; i < of->nbase; i++)
	{
		const Template *t = of->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && !KeysTellPart(entity, part))
				CannotMigrate(of, psprintf("The %s key contains {%.*s}, which the other key does not tell.", which,
										   (int) part->name.len, part->name.data),
							  "Both keys must contain the same attributes, so that an item is found by either.");
		}
	}
}

static bool
IsSamePart(const TemplatePart *a, const TemplatePart *b)
{
	return a->kind == b->kind && a->letters == b->letters && a->any == b->any && a->word == b->word && a->digits == b->digits &&
		a->decimals == b->decimals && a->with_sign == b->with_sign && a->descending == b->descending && a->unit == b->unit &&
		a->shards == b->shards;
}

static bool
IsPlainText(const TemplatePart *part)
{
	return part->kind == PART_TEXT && part->letters == CASE_AS_IS && !part->any && !part->word;
}

static bool
IsPlainNumber(const TemplatePart *part)
{
	return part->kind == PART_NUMBER && part->decimals == 0 && !part->with_sign && !part->descending;
}

/* Whether two templates differ only in whether numbers have a width: one number has one text in each. */
static bool
OnlyWidensNumbers(const Entity *entity, const Template *a, const Template *b)
{
	bool		same = a->npieces == b->npieces;

	for (int i = 0; same && i < a->npieces; i++)
	{
		const TemplatePart *of_a = a->pieces[i].part;
		const TemplatePart *of_b = b->pieces[i].part;

		if (of_a == NULL || of_b == NULL)
			same = of_a == of_b && SliceEqual(a->pieces[i].text, b->pieces[i].text);
		else
			same = SliceEqual(of_a->name, of_b->name) &&
				(IsSamePart(of_a, of_b) ||
				 (IsDeclaredNumber(entity, of_a) &&
				  ((IsPlainText(of_a) && IsPlainNumber(of_b)) || (IsPlainNumber(of_a) && IsPlainText(of_b)))));
	}
	return same;
}

static void
CheckKeysDiffer(const Entity *old, const Entity *new)
{
	for (int i = 0; i < old->nbase; i++)
	{
		const ComposedKey *key = &old->keys[i];
		const ComposedKey *other = EntityKeyFind(new, key->attribute);
		StringInfoData example;

		initStringInfo(&example);
		if (other == NULL || SliceEqual(key->template->source, other->template->source) ||
			OnlyWidensNumbers(old, key->template, other->template) ||
			!TemplatesOverlap(key->template, other->template, &example))
			continue;
		CannotMigrate(old, psprintf("\"%s\" could be an old and a new value of key attribute \"%.*s\".", example.data,
									(int) key->attribute.len, key->attribute.data),
					  "Choose a template that begins differently, such as ORDERS#{order_id} in place of ORDER#{order_id}.");
	}
}

static void
CheckOtherEntities(const TableDef *def, const Entity *old, const Entity *new)
{
	const Entity *other;
	const char *conflict = EntitySetConflict(def->entities, new, &other);

	if (conflict != NULL)
		CannotMigrate(old, conflict, "Give both entities a type_attribute, or make the templates narrower.");
}

static bool
HasSameTemplate(const ComposedKey *key, const Entity *new)
{
	const ComposedKey *other = EntityKeyFind(new, key->attribute);

	return other != NULL && SliceEqual(key->template->source, other->template->source);
}

/* Whether keys change, from one number of the list to another. */
static bool
ChangesKeys(const Entity *old, const Entity *new, int from, int to)
{
	for (int i = from; i < to; i++)
	{
		if (!HasSameTemplate(&old->keys[i], new))
			return true;
	}
	return false;
}

/* ---- what else is made of the keys ---- */

static void TableCannotMigrate(const Entity *entity, const char *detail, const char *hint) pg_attribute_noreturn();

static void
TableCannotMigrate(const Entity *entity, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("entity \"%.*s\" cannot be migrated while the table is in use", (int) entity->name.len, entity->name.data),
			 errdetail_internal("%s", detail),
			 errhint("%s", hint)));
}

void
MigrateCheckTable(Relation rel, const TableDef *def, const Entity *entity)
{
	RefuseDistributed(rel, "a migration of an entity");
	RefuseMoving(entity, "migrate");
	RefuseWhileMoving(def, "migrate an entity beside");
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition || rel->rd_rel->relhassubclass)
		TableCannotMigrate(entity, "The table is partitioned, or has children.",
						   "Change its items by statements of your own, one range of keys after another.");
	/* the worker moves what the owner sees */
	if (rel->rd_rel->relforcerowsecurity)
		TableCannotMigrate(entity, "The table has row security that also applies to its owner.",
						   "ALTER TABLE ... NO FORCE ROW LEVEL SECURITY until the migration has ended.");
}

/* Whether a reference to items of the table can name a key of an entity. */
static bool
CanReferTo(const TableDef *def, const Reference *reference, const Entity *entity)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const ComposedKey *key = EntityKeyFind(entity, def->key.attributes[i].name);
		StringInfoData example;

		initStringInfo(&example);
		if (key != NULL && !TemplatesOverlap(TemplateGet(ReferenceTemplate(reference, def, i)), key->template, &example))
			return false;
	}
	return true;
}

/* Whether a key attribute that changes decides which items a reference is of. */
static bool
PrefixChanges(const Reference *reference, const Entity *old, const Entity *new)
{
	for (int i = 0; i < old->nkeys; i++)
	{
		Slice		name = old->keys[i].attribute;

		if (!ValueIsMissing(reference->kind->prefix) && !HasSameTemplate(&old->keys[i], new) &&
			!ValueIsMissing(AttributeFind(reference->kind->prefix, name.data, name.len)))
			return true;
	}
	return false;
}

/* A reference to items names their keys, and so does one of items with a key prefix. */
static void
CheckReferences(Relation rel, const TableDef *def, const Entity *old, const Entity *new, bool rekeys)
{
	Oid			referencing = SystemFunctionOid(FUNCTION_CHECK_REFERENCE);
	Oid			referenced = SystemFunctionOid(FUNCTION_CHECK_REFERENCED);
	const TriggerDesc *triggers = rel->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *t = &triggers->triggers[i];
		Reference  *reference;

		if ((t->tgfoid != referencing && t->tgfoid != referenced) || t->tgnargs != 1)
			continue;
		reference = ReferenceRead(t->tgargs[0]);
		if (t->tgfoid == referencing ? (reference->kind->condition.data == NULL || !rekeys) && !PrefixChanges(reference, old, new) :
			!rekeys || (!CanReferTo(def, reference, old) && !CanReferTo(def, reference, new)))
			continue;
		CannotMigrate(old, psprintf("Reference \"%s\" depends on keys of the table.", reference->name),
					  "Drop the reference with dynamo.drop_constraint, and create it again after the migration.");
	}
}

/* Context of NamesKey: the columns of the table's key, and whether functions of items count. */
typedef struct KeyNames
{
	const TableDef *def;
	Oid			relid;
	Oid			matches;
} KeyNames;

/* An expression_tree_walker: whether an expression names a column of the table's key, or tests an item as a whole. */
static bool
NamesKey(Node *node, void *context)
{
	const KeyNames *names = context;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == names->matches)
		return true;
	if (IsA(node, Var))
	{
		for (int i = 0; i < KeyCount(&names->def->key); i++)
		{
			if (((Var *) node)->varattno == get_attnum(names->relid, TableKeyAttribute(names->def, i)->column))
				return true;
		}
		return false;
	}
	return expression_tree_walker(node, NamesKey, context);
}

/* A unique constraint, or another partial index, for items whose key begins with some text would lose them. */
static void
CheckPredicates(Relation rel, const TableDef *def, const Entity *old)
{
	Oid			types[] = {ItemTypeOid(), TEXTOID, ItemTypeOid(), JSONBOID};
	KeyNames	names = {def, RelationGetRelid(rel), ExtensionFunctionOid(DYNAMO_SCHEMA, "matches", types, 4)};
	OwnerScope	scope;
	ListCell   *cell;

	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	foreach(cell, RelationGetIndexList(rel))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);
		List	   *predicate = RelationGetIndexPredicate(index);

		if (NamesKey((Node *) predicate, &names))
			CannotMigrate(old, psprintf("The predicate of index \"%s\" depends on keys of the table, or on an expression.",
										RelationGetRelationName(index)),
						  "Drop the index or constraint, and create it again after the migration.");
		index_close(index, AccessShareLock);
	}
	OwnerScopeLeave(&scope);
}

/*
 * A copy or total needs the parent's key of the table, and the keys by which it finds children.
 * Children whose other keys change stay the same children of the same parent.
 */
static void
CheckCopiesStay(Oid relid, const Entity *old, const Entity *new)
{
	for (int i = 0; i < old->nkeys; i++)
	{
		if (!HasSameTemplate(&old->keys[i], new))
			RefuseCopiedMove(relid, pnstrdup(old->name.data, old->name.len), old->keys[i].attribute);
	}
}

void
MigrateCheck(Relation rel, const TableDef *def, const Entity *old, const Entity *new)
{
	bool		rekeys = ChangesKeys(old, new, 0, old->nbase);
	bool		reindexes = ChangesKeys(old, new, old->nbase, old->nkeys);

	MigrateCheckTable(rel, def, old);
	if (!rekeys && !reindexes)
		InvalidArgument("entity \"%.*s\" has these keys already", (int) old->name.len, old->name.data);
	CheckOtherEntities(def, old, new);
	if (rekeys)
	{
		CheckKeyTells(old, new, "new");
		CheckKeyTells(new, old, "old");
		CheckKeysDiffer(old, new);
		CheckPredicates(rel, def, old);
	}
	CheckReferences(rel, def, old, new, rekeys);
	CheckCopiesStay(RelationGetRelid(rel), old, new);
}
