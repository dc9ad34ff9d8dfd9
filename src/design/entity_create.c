/*
 * entity_create.c
 *	  dynamo.create_entity and dynamo.drop_entity.
 *
 * The entity becomes a part of the table's definition, which is read once more
 * as a whole, as it is whenever it is loaded.  What is checked beyond that is
 * for the user's sake: names that are no keys, formats that do not sort, and
 * kinds of items that cannot be told from others.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "copy/copy.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/bare_names.h"
#include "design/entity_attributes.h"
#include "design/entity_list.h"
#include "design/entity_names.h"
#include "design/jsonb_member.h"
#include "errors.h"
#include "item/convert.h"
#include "item/json.h"
#include "table/distribution.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/declared_types.h"
#include "view/entity_view.h"
#include "view/kind.h"
#include "view/made_attributes.h"

typedef struct EntityRequest
{
	char	   *table_name;
	char	   *name;
	Jsonb	   *keys;			/* NULL: none */
	DeclaredAttributes attributes;
	char	   *type_attribute; /* NULL: none */
	char	   *type_value;
	Jsonb	   *conditions;		/* NULL: none, as the next */
	char	   *values;
	BareNames	names;			/* in the conditions */
	char	   *on_mismatch;
	char	   *view_name;		/* NULL: none */
	bool		checks_types;
	bool		replaces;		/* an entity of this name may be there */
	const Entity *old;			/* which it is; NULL: none */
	char	   *old_json;
} EntityRequest;

/* ---- keys ---- */

/* Whether an attribute is a key of the index, and none of the table. */
static bool
IsKeyOfIndex(const TableDef *def, const IndexDef *index, Slice attribute)
{
	return KeySchemaHas(&index->key, attribute) && !KeySchemaHas(&def->key, attribute);
}

static bool
ComposesAnew(const EntityRequest *r, Slice attribute)
{
	return r->keys != NULL &&
		getKeyJsonValueFromContainer(&r->keys->root, attribute.data, attribute.len, &(JsonbValue) {0}) != NULL;
}

/* A condition would have no effect if the entity composes no key of the index. */
static void
CheckConditions(const EntityRequest *r, const TableDef *def)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *index_name;

	while (r->conditions != NULL && NextObjectEntry(&it, r->conditions, &index_name, &value))
	{
		const IndexDef *index = TableDefIndex(def, index_name);
		bool		composes = false;

		if (index == NULL)
			InvalidArgument("index \"%s\" does not exist", index_name);
		for (int i = 0; i < KeyCount(&index->key); i++)
		{
			Slice		attribute = index->key.attributes[i].name;

			composes |= IsKeyOfIndex(def, index, attribute) && ComposesAnew(r, attribute);
		}
		if (!composes)
			InvalidArgument("the condition of index \"%s\" has no effect: none of its key attributes, apart from those of the table, has a template",
							index_name);
	}
}

/*
 * Returns the condition of the index to whose key an attribute belongs; NULL
 * if there is none.
 */
static char *
FindIndexCondition(const EntityRequest *r, const TableDef *def, int attribute)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *index_name;
	char	   *found = NULL;

	while (r->conditions != NULL && NextObjectEntry(&it, r->conditions, &index_name, &value))
	{
		char	   *condition = BareNamesReplace(&unconstify(EntityRequest *, r)->names,
												 ObjectEntryText(&value, "the condition of index", index_name));

		if (!IsKeyOfIndex(def, TableDefIndex(def, index_name), def->attributes[attribute].name))
			continue;
		if (found != NULL && strcmp(found, condition) != 0)
			InvalidArgument("key attribute \"%s\" belongs to two indexes with different conditions",
							   def->attributes[attribute].name.data);
		found = condition;
	}
	return found;
}

/* Whether a table's or an index's sort key has the attribute. */
static bool
IsSortKey(const TableDef *def, int attribute)
{
	if (def->key.nsort > 0 && def->key_attributes[1] == attribute)
		return true;
	for (int i = 0; i < def->nindexes; i++)
	{
		for (int j = 0; j < def->indexes[i].key.nsort; j++)
		{
			if (def->indexes[i].attributes[def->indexes[i].key.npartition + j] == attribute)
				return true;
		}
	}
	return false;
}

static void
NoticeUnsorted(const TableDef *def, int attribute, const TemplatePart *part)
{
	ereport(NOTICE,
			(errmsg("keys in \"%s\" do not sort like the numbers in \"%.*s\"",
					def->attributes[attribute].name.data, (int) part->name.len, part->name.data),
			 errdetail("As text, 10 comes before 2."),
			 errhint("Give the number a width: {%.*s:08}.", (int) part->name.len, part->name.data)));
}

/*
 * Checks the names in a template; warns of parts that do not sort like their
 * values.
 */
static void
CheckTemplateParts(const EntityRequest *r, const TableDef *def, int attribute, const Template *t)
{
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;
		const DeclaredAttribute *declared;

		if (part == NULL || !r->attributes.given)
			continue;
		declared = DeclaredAttributeFind(&r->attributes, part->steps[0]);
		if (declared == NULL)
			InvalidArgument("template \"%.*s\" names \"%.*s\", which is not an attribute of entity \"%s\"",
							   (int) t->source.len, t->source.data,
							   (int) part->steps[0].len, part->steps[0].data, r->name);
		if (part->nsteps > 1 || part->kind != PART_TEXT || declared->type == NULL)
			continue;
		if (DeclaredTypeIsTime(declared->type_oid))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("part {%.*s} of template \"%.*s\" has a time type but no format",
							(int) part->name.len, part->name.data, (int) t->source.len, t->source.data),
					 errhint("Give it one: {%.*s:ms}, or s, us, date.", (int) part->name.len, part->name.data)));
		if (declared->holds != NULL && strcmp(declared->holds, "N") == 0 && IsSortKey(def, attribute))
			NoticeUnsorted(def, attribute, part);
	}
}

/* ---- the definition as JSON ---- */

static void
AppendConditionNames(StringInfo out, const EntityRequest *r)
{
	ValueRef	names = BareNamesMap(&r->names);

	if (!ValueIsMissing(names))
		appendStringInfo(out, ", \"names\": %s", JsonbToCString(NULL, &ValueToJsonb(names)->root, 0));
}

static void
AppendEntityKey(StringInfo out, const EntityRequest *r, const TableDef *def,
				const char *name, const char *template)
{
	int			attribute = TableDefAttribute(def, SliceOf(name));
	char	   *condition;

	if (attribute < 0 || !def->attributes[attribute].is_key)
		InvalidArgument("\"%s\" is not a key attribute of the table or its indexes", name);
	if (def->attributes[attribute].type != VALUE_S)
		InvalidArgument("key attribute \"%s\" is not of type S", name);
	CheckTemplateParts(r, def, attribute, TemplateGet(SliceOf(template)));

	appendStringInfoString(out, out->data[out->len - 1] == '[' ? "{" : ", {");
	AppendEntityMember(out, "attribute", name);
	AppendEntityMember(out, "template", template);
	condition = FindIndexCondition(r, def, attribute);
	if (condition != NULL)
	{
		AppendEntityMember(out, "condition", condition);
		if (r->values != NULL)
			AppendEntityMember(out, "values", r->values);
		AppendConditionNames(out, r);
	}
	appendStringInfoChar(out, '}');
}

static void
AppendKeys(StringInfo out, const EntityRequest *r, const TableDef *def)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *name;

	CheckConditions(r, def);
	if (r->keys == NULL)
		return;
	appendStringInfoString(out, ", \"keys\": [");
	while (NextObjectEntry(&it, r->keys, &name, &value))
		AppendEntityKey(out, r, def, name, ObjectEntryText(&value, "the template of", name));
	appendStringInfoChar(out, ']');
}

/*
 * Whether a table is certainly empty.  It is locked against all others, and its partitions,
 * which can also be written directly, against writers.  Items of a distributed table are in
 * its shards, which are not locked yet.
 */
static bool
HasNoPages(Oid relid)
{
	ListCell   *cell;

	if (RelationIsDistributed(relid))
		return false;
	foreach(cell, find_all_inheritors(relid, ShareLock, NULL))
	{
		Relation	rel = table_open(lfirst_oid(cell), NoLock);
		bool		empty = RELKIND_HAS_STORAGE(rel->rd_rel->relkind) ? RelationGetNumberOfBlocks(rel) == 0 :
			rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;

		table_close(rel, NoLock);
		if (!empty)
			return false;
	}
	return true;
}

/* ---- an entity that is declared anew ---- */

static bool
IsSameMember(Jsonb *a, Jsonb *b, const char *name)
{
	JsonbValue	of_a;
	JsonbValue	of_b;
	bool		has_a = getKeyJsonValueFromContainer(&a->root, name, strlen(name), &of_a) != NULL;
	bool		has_b = getKeyJsonValueFromContainer(&b->root, name, strlen(name), &of_b) != NULL;

	if (!has_a || !has_b)
		return has_a == has_b;
	return of_a.type == jbvBinary && of_b.type == jbvBinary &&
		compareJsonbContainers(of_a.val.binary.data, of_b.val.binary.data) == 0;
}

static Jsonb *
ParseEntityJson(const char *json)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
}

/* Whether its keys, and which items it claims, are as they were. */
static bool
KeepsKeys(const EntityRequest *r, const char *json)
{
	Jsonb	   *before = ParseEntityJson(r->old_json);
	Jsonb	   *after = ParseEntityJson(json);

	return IsSameMember(before, after, "keys") && IsSameMember(before, after, "type");
}

/* Returns how an entity composes a key attribute; NULL if it does not. */
static JsonbContainer *
KeyMember(Jsonb *entity, Slice attribute)
{
	JsonbValue	keys;
	JsonbValue	name;

	if (getKeyJsonValueFromContainer(&entity->root, "keys", strlen("keys"), &keys) == NULL)
		return NULL;
	for (uint32 i = 0; i < JsonContainerSize(keys.val.binary.data); i++)
	{
		JsonbValue *key = getIthJsonbValueFromContainer(keys.val.binary.data, i);

		if (getKeyJsonValueFromContainer(key->val.binary.data, "attribute", strlen("attribute"), &name) != NULL &&
			SliceEqual((Slice) {name.val.string.val, name.val.string.len}, attribute))
			return key->val.binary.data;
	}
	return NULL;
}

/* Raises an error if a copy or total needs keys of items that would be composed in another way. */
static void
RefuseCopiedKeys(const EntityRequest *r, const TableDef *def, const char *json)
{
	Jsonb	   *before = ParseEntityJson(r->old_json);
	Jsonb	   *after = ParseEntityJson(json);

	if (!IsSameMember(before, after, "type"))
		RefuseCopiedEntity(def->relid, r->name, "change the keys of");
	for (int i = 0; i < def->nattributes; i++)
	{
		JsonbContainer *a = KeyMember(before, def->attributes[i].name);
		JsonbContainer *b = KeyMember(after, def->attributes[i].name);

		if (a == NULL && b == NULL)
			continue;
		if (a == NULL || b == NULL || compareJsonbContainers(a, b) != 0)
			RefuseCopiedKey(def->relid, r->name, def->attributes[i].name);
	}
}

static bool
HeldAsBefore(const DeclaredAttribute *a, const EntityAttribute *old)
{
	if (old == NULL || old->holds < 0)
		return false;
	return old->uuid ? strcmp(a->holds, "uuid") == 0 : strcmp(a->holds, old->holds == VALUE_N ? "N" : "S") == 0;
}

/*
 * Whether all that is declared of parts of keys, on which views rely, was
 * declared before: what they are stored as, and that they are there.
 */
static bool
KeepsTypes(const EntityRequest *r, const TableDef *def)
{
	EntitySet	old = {.count = 1, .entities = unconstify(Entity *, r->old)};

	for (int i = 0; i < r->attributes.count; i++)
	{
		const DeclaredAttribute *a = &r->attributes.list[i];
		const EntityAttribute *before = EntityAttributeFind(r->old, SliceOf(a->name));

		if (!EntitySetConcerns(&old, SliceOf(a->name)) && TableDefAttribute(def, SliceOf(a->name)) < 0)
			continue;
		if ((a->holds != NULL && !HeldAsBefore(a, before)) || (a->required && (before == NULL || !before->required)))
			return false;
	}
	return true;
}

/* Whether all computed attributes, and the types of what they use, are what they were, of which keys may be composed. */
static bool
KeepsComputed(const EntityRequest *r)
{
	int			before = 0;
	int			after = 0;

	for (int i = 0; i < r->old->nattributes; i++)
		before += r->old->attributes[i].computed.data != NULL;
	for (int i = 0; i < r->attributes.count; i++)
	{
		const DeclaredAttribute *a = &r->attributes.list[i];
		const EntityAttribute *old = a->computed == NULL ? NULL : EntityAttributeFind(r->old, SliceOf(a->name));

		after += a->computed != NULL;
		if (a->computed != NULL && (old == NULL || old->computed.data == NULL || !SliceIs(old->computed, a->computed)))
			return false;
		old = EntityAttributeFind(r->old, SliceOf(a->name));
		if (old != NULL && EntityComputesFrom(r->old, old->name) &&
			(a->type == NULL || old->type.data == NULL || !SliceIs(old->type, a->type)))
			return false;
	}
	return before == after;
}

static char *
PrintEntity(const EntityRequest *r, const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	AppendEntityMember(&out, "name", r->name);
	if (r->type_attribute != NULL)
	{
		appendStringInfoString(&out, ", \"type\": {");
		AppendEntityMember(&out, "attribute", r->type_attribute);
		AppendEntityMember(&out, "value", r->type_value != NULL ? r->type_value : r->name);
		appendStringInfoChar(&out, '}');
	}
	AppendKeys(&out, r, def);
	DeclaredAttributesAppend(&out, &r->attributes);
	AppendEntityMember(&out, "on_mismatch", r->on_mismatch);
	if (r->checks_types)
		appendStringInfoString(&out, ", \"check_types\": true");
	if (HasNoPages(def->relid))
		appendStringInfoString(&out, ", \"applied\": true");
	appendStringInfoChar(&out, '}');
	return out.data;
}

static void
AppendFormer(StringInfo out, const EntityRequest *r, const TableDef *def, const ComposedKey *keys, int n)
{
	for (int i = 0; i < n; i++)
	{
		const ComposedKey *key = &keys[i];
		int			attribute = TableDefAttribute(def, key->attribute);

		if (key->base || attribute < 0 || !def->attributes[attribute].is_key || ComposesAnew(r, key->attribute))
			continue;
		appendStringInfoString(out, out->len == 0 ? ", \"former\": [{" : ", {");
		AppendEntityMember(out, "attribute", pnstrdup(key->attribute.data, key->attribute.len));
		AppendEntityMember(out, "template", pnstrdup(key->template->source.data, key->template->source.len));
		appendStringInfoChar(out, '}');
	}
}

/*
 * The templates of index keys that the entity had, also before it was last declared
 * anew, and has no longer: items still have the keys, until dynamo.apply_entity.
 */
static char *
FormerKeys(const EntityRequest *r, const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	AppendFormer(&out, r, def, r->old->keys, r->old->nkeys);
	AppendFormer(&out, r, def, r->old->former, r->old->nformer);
	if (out.len > 0)
		appendStringInfoChar(&out, ']');
	return out.data;
}

/*
 * The same if the entity was there before.  Index keys of its items stay what
 * views may rely upon if they are composed as before.
 */
static char *
PrintReplaced(const EntityRequest *r, const TableDef *def)
{
	char	   *json = PrintEntity(r, def);
	bool		same = KeepsKeys(r, json);

	if (HasNoPages(def->relid))
		return json;
	RefuseCopiedKeys(r, def, json);
	json[strlen(json) - 1] = '\0';
	json = psprintf("%s%s", json, FormerKeys(r, def));
	same &= KeepsComputed(r);
	if (same && r->old->composed)
		json = psprintf("%s, \"composed\": true", json);
	if (same && r->old->applied && KeepsTypes(r, def))
		json = psprintf("%s, \"applied\": true", json);
	return psprintf("%s}", json);
}

/* ---- the functions ---- */

static char *
JsonItemArgument(FunctionCallInfo fcinfo, int arg)
{
	StringInfoData json;

	if (PG_ARGISNULL(arg))
		return NULL;
	initStringInfo(&json);
	ItemToJson(&json, PG_GETARG_VALUE(arg));
	return json.data;
}

static void
ReadRequest(FunctionCallInfo fcinfo, EntityRequest *r)
{
	r->table_name = RequiredTableArgument(fcinfo, 0);
	r->name = RequiredText(fcinfo, 1, "entity_name");
	r->keys = JsonObjectArgument(fcinfo, 2, "keys");
	r->type_attribute = TextArgument(fcinfo, 4);
	r->type_value = TextArgument(fcinfo, 5);
	r->conditions = JsonObjectArgument(fcinfo, 6, "index_conditions");
	r->values = JsonItemArgument(fcinfo, 7);
	r->names.given = KindJsonArgument(fcinfo, 8, "expression_attribute_names");
	r->on_mismatch = RequiredText(fcinfo, 9, "on_mismatch");
	r->view_name = TextArgument(fcinfo, 10);
	r->replaces = !PG_ARGISNULL(11) && PG_GETARG_BOOL(11);
	r->checks_types = !PG_ARGISNULL(12) && PG_GETARG_BOOL(12);
	if (r->type_value != NULL && r->type_attribute == NULL)
		InvalidArgument("type_value is given without type_attribute");
	if (r->conditions == NULL && (r->values != NULL || !ValueIsMissing(r->names.given)))
		InvalidArgument("expression attribute values or names are given without index_conditions");
}

static void
RefuseConflicts(const TableDef *def, const Entity *entity)
{
	const Entity *other;
	const char *conflict = EntitySetConflict(def->entities, entity, &other);

	if (conflict != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("items of entity \"%.*s\" cannot be distinguished from items of entity \"%.*s\"",
						(int) entity->name.len, entity->name.data, (int) other->name.len, other->name.data),
				 errdetail("%s", conflict),
				 errhint("Give both entities a type_attribute, or make the templates narrower, as with {name:word} or {n:08}.")));
}

/* Finds the entity of this name, which may be there only if it is to be replaced. */
static void
FindOld(EntityRequest *r, const TableDef *def)
{
	r->old = EntitySetFind(def->entities, SliceOf(r->name));
	if (r->old == NULL)
		return;
	if (!r->replaces)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("entity \"%s\" of table \"%s\" already exists", r->name, get_rel_name(def->relid)),
				 errhint("To declare it anew, add replace => true.")));
	RefuseMoving(r->old, "declare anew");
	r->old_json = EntityJson(def, r->name);
}

/* Creates the view, if one is wanted and none of the entity has the name. */
static void
MakeView(const EntityRequest *r, Oid relid)
{
	if (r->view_name != NULL && !EntityViewExists(r->view_name, relid, r->name))
		(void) EntityViewCreate(r->view_name, relid, r->name);
}

/*
 * An action of RunWithBriefLocks: views that are replaced are locked as the table is, and an
 * open transaction that has read one would let everybody wait.
 */
static void
CreateEntity(void *arg)
{
	FunctionCallInfo fcinfo = arg;
	EntityRequest r = {0};
	Oid			relid;
	TableDef   *def;

	ReadRequest(fcinfo, &r);
	def = LockAnyDefinition(r.table_name, AccessExclusiveLock, &relid);
	FindOld(&r, def);
	SPI_connect();
	if (!PG_ARGISNULL(3))
		DeclaredAttributesRead(&r.attributes, PG_GETARG_DATUM(3));
	EntityNamesFind(&r.names, &(EntityNames) {&r.attributes, r.type_attribute, r.keys}, r.conditions);
	ReplaceEntity(def, r.name, r.old == NULL ? PrintEntity(&r, def) : PrintReplaced(&r, def));
	RefuseConflicts(def, RequireEntity(def, r.name));
	DeclaredValuesCheck(RequireEntity(def, r.name));
	ComputedAttributesCheck(RequireEntity(def, r.name));
	if (r.old != NULL)
		RefuseCopiedDefaults(relid, def);
	StoreDefinition(relid, def);
	SPI_finish();
	if (r.old != NULL)
		EntityViewsReplace(relid, r.name, NULL, 0);
	MakeView(&r, relid);
}

DYNAMO_FUNCTION(dynamo_create_entity);
Datum
dynamo_create_entity(PG_FUNCTION_ARGS)
{
	RunWithBriefLocks(CreateEntity, fcinfo);
	PG_RETURN_VOID();
}

/* An action of RunWithBriefLocks. */
static void
DropEntity(void *arg)
{
	FunctionCallInfo fcinfo = arg;
	char	   *table_name = TableArgument(fcinfo, 0);
	char	   *entity_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, AccessExclusiveLock, &relid);

	RefuseMoving(RequireEntity(def, entity_name), "drop");
	RefuseCopiedEntity(relid, entity_name, "drop");
	ReplaceEntity(def, entity_name, NULL);
	SPI_connect();
	EntityViewsDrop(relid, entity_name);
	StoreDefinition(relid, def);
	SPI_finish();
}

DYNAMO_FUNCTION(dynamo_drop_entity);
Datum
dynamo_drop_entity(PG_FUNCTION_ARGS)
{
	RunWithBriefLocks(DropEntity, fcinfo);
	PG_RETURN_VOID();
}
