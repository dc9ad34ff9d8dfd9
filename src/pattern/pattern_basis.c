/*
 * pattern_basis.c
 *	  What an access pattern was made of, and whether that is still so:
 *	  dynamo_system.pattern_holds.
 *
 * The body of a pattern contains keys as its entities composed them when it was
 * declared.  If an entity gets other templates, its items get other keys, and the
 * range that the body reads does not contain them any more.  The body also contains
 * the basis, in JSON, and calls dynamo_system.pattern_holds with it once for each read: a
 * pattern raises an error rather than find less than there is.
 *
 *	{"pattern": "open_orders", "index": "GSI1", "storage": "inline",
 *	 "entities": [{"name": "order", "attribute": "kind", "value": "order",
 *				   "templates": {"GSI1PK": "STATUS#{status}", ...}}],
 *	 "keys": [{"attribute": "GSI1PK", "known": "2", "whole": true}, ...],
 *	 "given": {...}, "filtered": true}
 *
 * Without "filtered" the range must not contain items of other entities, which may be
 * declared later, but those that are "excluded": {"attribute": "kind", "values": ["line"]}.
 *
 * A pattern that reads the keys of both versions of an entity whose items are moved has both
 * bases, {"pattern": ..., "index": ..., "either": [{...}, {...}]}: the entity is moved from one to
 * the other, or has one of them.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "item/convert.h"
#include "pattern/pattern.h"
#include "store/store.h"
#include "table/moves.h"
#include "table/table_slot.h"
#include "view/kind.h"

#define MAX_KNOWN_BASES		1000	/* of a definition in the cache */

/* ---- writing ---- */

static void
BuildTrue(ItemBuilder *b, const char *name, bool value)
{
	if (!value)
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderBool(b, true);
}

/* Returns the source of an entity's own template; data is NULL if it has none. */
static Slice
SourceOfTemplate(const Entity *entity, Slice attribute)
{
	const ComposedKey *key = EntityKeyFind(entity, attribute);

	return key == NULL ? MISSING_SLICE : key->template->source;
}

static void
BuildEntity(ItemBuilder *b, const PatternTarget *target, const Entity *entity)
{
	ItemBuilderBeginMap(b);
	ItemBuilderStringMember(b, "name", entity->name);
	ItemBuilderStringMember(b, "attribute", entity->type_attribute);
	ItemBuilderStringMember(b, "value", entity->type_value);
	ItemBuilderStringMember(b, "other", entity->other_type);
	ItemBuilderName(b, "templates", strlen("templates"));
	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		Slice		name = target->key->attributes[i].name;
		Slice		source = SourceOfTemplate(entity, name);

		if (source.data == NULL)
			continue;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderString(b, source.data, source.len);
	}
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
}

static void
BuildRange(ItemBuilder *b, Slice attribute, const PatternRange *range)
{
	ItemBuilderBeginMap(b);
	ItemBuilderStringMember(b, "attribute", attribute);
	ItemBuilderStringMember(b, "constant", range->constant == NULL ? MISSING_SLICE : SliceOf(range->constant));
	ItemBuilderStringMember(b, "known", SliceOf(psprintf("%d", range->known)));
	BuildTrue(b, "whole", range->whole);
	ItemBuilderEnd(b);
}

/* Writes which items are filtered out. */
static void
BuildExcluded(ItemBuilder *b, const AccessPattern *pattern)
{
	ListCell   *cell;

	ItemBuilderName(b, "excluded", strlen("excluded"));
	ItemBuilderBeginMap(b);
	ItemBuilderStringMember(b, "attribute", SliceOf(pattern->kind_attribute));
	ItemBuilderName(b, "values", strlen("values"));
	ItemBuilderBeginList(b);
	foreach(cell, pattern->kinds)
		ItemBuilderString(b, lfirst(cell), strlen(lfirst(cell)));
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
}

static char *
PrintBasis(ItemBuilder *b)
{
	return JsonbToCString(NULL, &ValueToJsonb(ItemRoot(ItemBuilderFinish(b)))->root, 0);
}

char *
PatternBasis(const AccessPattern *pattern, const PatternTarget *target, const char *name)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	ItemBuilderStringMember(b, "pattern", SliceOf(name));
	ItemBuilderStringMember(b, "index", target->index == NULL ? MISSING_SLICE : SliceOf(target->index->name));
	ItemBuilderStringMember(b, "storage", target->index == NULL ? MISSING_SLICE : SliceOf(target->index->kind->storage));
	ItemBuilderName(b, "entities", strlen("entities"));
	ItemBuilderBeginList(b);
	for (int i = 0; i < target->nentities; i++)
		BuildEntity(b, target, target->entities[i]);
	ItemBuilderEnd(b);
	ItemBuilderName(b, "keys", strlen("keys"));
	ItemBuilderBeginList(b);
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		PatternRange range = PatternRangeOf(pattern, target, i);

		BuildRange(b, target->key->attributes[i].name, &range);
	}
	ItemBuilderEnd(b);
	if (!ValueIsMissing(target->keys))
	{
		ItemBuilderName(b, "given", strlen("given"));
		ItemBuilderValue(b, target->keys);
	}
	BuildTrue(b, "typed", target->typed);
	BuildTrue(b, "filtered", pattern->by_key || (pattern->kind_attribute != NULL && !pattern->excludes));
	if (pattern->excludes)
		BuildExcluded(b, pattern);
	ItemBuilderEnd(b);
	return PrintBasis(b);
}

/* ---- reading ---- */

static char *
ReadBasisText(ValueRef map, const char *name)
{
	Slice		text = StoredString(map, name);

	return text.data == NULL ? NULL : pnstrdup(text.data, text.len);
}

static bool
ReadBasisFlag(ValueRef map, const char *name)
{
	ValueRef	v = StoredMember(map, name, VALUE_BOOL);

	return !ValueIsMissing(v) && ValueBool(v);
}

/* Opens a list of maps. */
static void
OpenMaps(ValueRef basis, const char *name, Container *list)
{
	ValueRef	v = StoredMember(basis, name, VALUE_L);

	*list = (Container) {0};
	if (ValueIsMissing(v))
		return;
	ContainerOpen(v, list);
	for (uint32 i = 0; i < list->count; i++)
	{
		if (ValueTypeOf(ListElement(list, i)) != VALUE_M)
			StoredError(psprintf("An element of \"%s\" is not a map.", name));
	}
}

static ValueRef
ReadBasis(const char *json)
{
	Jsonb	   *basis = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	if (!JB_ROOT_IS_OBJECT(basis))
		StoredError("It is not an object.");
	ItemBuilderJsonb(b, basis);
	return ItemRoot(ItemBuilderFinish(b));
}

/* ---- comparing it with a definition ---- */

static bool
SlicesAgree(Slice a, Slice b)
{
	return a.data == NULL || b.data == NULL ? a.data == b.data : SliceEqual(a, b);
}

static const char *
IndexProblem(const TableDef *def, ValueRef basis, PatternTarget *target)
{
	char	   *name = ReadBasisText(basis, "index");
	char	   *storage = ReadBasisText(basis, "storage");

	target->key = &def->key;
	if (name == NULL)
		return NULL;
	target->index = TableDefIndex(def, name);
	if (target->index == NULL)
		return psprintf("index \"%s\" does not exist", name);
	if (storage == NULL || strcmp(storage, target->index->kind->storage) != 0)
		return psprintf("index \"%s\" is stored in another way", name);
	target->key = &target->index->key;
	return NULL;
}

static const char *
BasisKeyProblem(ValueRef basis, const PatternTarget *target, PatternRange *ranges)
{
	Container	keys;

	OpenMaps(basis, "keys", &keys);
	if ((int) keys.count != KeyCount(target->key))
		return "its key has other attributes";
	for (uint32 i = 0; i < keys.count; i++)
	{
		ValueRef	key = ListElement(&keys, i);
		char	   *known = ReadBasisText(key, "known");

		if (!SlicesAgree(StoredString(key, "attribute"), target->key->attributes[i].name))
			return "its key has other attributes";
		ranges[i] = (PatternRange) {
			.constant = ReadBasisText(key, "constant"),
			.known = known == NULL ? 0 : Max(atoi(known), 0),
			.whole = ReadBasisFlag(key, "whole")
		};
	}
	return NULL;
}

/* Whether items of the entity have composed keys in the index that is read. */
static bool
HasKeysInIndex(const PatternTarget *target, const Entity *entity)
{
	for (int i = 0; target->index != NULL && i < KeyCount(target->key); i++)
	{
		const ComposedKey *key = EntityKeyFind(entity, target->key->attributes[i].name);

		if (key != NULL && !key->base)
			return true;
	}
	return false;
}

/*
 * Whether a pattern reads items of all types that an entity has: while they are moved, two.  A statement
 * can take notice of another definition while it is executed, so a pattern is right, too, that was made before
 * any item can have the other one, or reads two when there is one left.
 */
static bool
TypesAgree(ValueRef declared, const Entity *entity)
{
	Slice		value = StoredString(declared, "value");
	Slice		other = StoredString(declared, "other");
	bool		has_value = SlicesAgree(value, entity->type_value) || SlicesAgree(other, entity->type_value);
	bool		has_other = entity->other_type.data == NULL || entity->type_is_ahead ||
		SlicesAgree(value, entity->other_type) || SlicesAgree(other, entity->other_type);

	return SlicesAgree(StoredString(declared, "attribute"), entity->type_attribute) && has_value && has_other;
}

static const char *
EntityProblem(ValueRef declared, const PatternTarget *target, const Entity *entity)
{
	ValueRef	templates = StoredMember(declared, "templates", VALUE_M);

	if (!TypesAgree(declared, entity))
		return psprintf("the type attribute of entity \"%.*s\" has changed", (int) entity->name.len, entity->name.data);
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		Slice		name = target->key->attributes[i].name;
		ValueRef	template = ValueIsMissing(templates) ? MISSING_VALUE : AttributeFind(templates, name.data, name.len);

		if (!SlicesAgree(ValueIsMissing(template) || ValueTypeOf(template) != VALUE_S ? MISSING_SLICE : ValuePayload(template),
						 SourceOfTemplate(entity, name)))
			return psprintf("entity \"%.*s\" has another template for key attribute \"%.*s\"",
							(int) entity->name.len, entity->name.data, (int) name.len, name.data);
	}
	if (HasKeysInIndex(target, entity) && !entity->composed && !target->either)
		return psprintf("older items of entity \"%.*s\" may not have the keys that it composes: dynamo.apply_entity composes them",
						(int) entity->name.len, entity->name.data);
	return NULL;
}

static const char *
EntitiesProblem(const TableDef *def, ValueRef basis, PatternTarget *target)
{
	Container	entities;

	OpenMaps(basis, "entities", &entities);
	target->entities = palloc(sizeof(Entity *) * Max(entities.count, 1));
	for (uint32 i = 0; i < entities.count; i++)
	{
		ValueRef	declared = ListElement(&entities, i);
		Slice		name = StoredString(declared, "name");
		const Entity *entity = name.data == NULL ? NULL : EntitySetFind(def->entities, name);
		const char *problem;

		if (entity == NULL)
			return psprintf("entity \"%.*s\" does not exist", (int) name.len, name.data == NULL ? "" : name.data);
		problem = EntityProblem(declared, target, entity);
		if (problem != NULL)
			return problem;
		target->entities[target->nentities++] = entity;
	}
	return NULL;
}

static bool
HasText(ValueRef texts, Slice text)
{
	Container	list;

	ContainerOpen(texts, &list);
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	value = ListElement(&list, i);

		if (ValueTypeOf(value) == VALUE_S && SliceEqual(ValuePayload(value), text))
			return true;
	}
	return false;
}

/* Whether a pattern filters out the items of an entity. */
static bool
FiltersOut(ValueRef basis, const Entity *entity)
{
	ValueRef	excluded = StoredMember(basis, "excluded", VALUE_M);
	ValueRef	values = ValueIsMissing(excluded) ? MISSING_VALUE : StoredMember(excluded, "values", VALUE_L);

	return !ValueIsMissing(values) && SlicesAgree(StoredString(excluded, "attribute"), entity->type_attribute) &&
		HasText(values, entity->type_value) &&
		(entity->other_type.data == NULL || entity->type_is_ahead || HasText(values, entity->other_type));
}

/* Whether a basis holds for a definition, whose items may have another version's keys if either. */
static const char *
ProblemOfBasis(const TableDef *def, ValueRef basis, bool either)
{
	PatternTarget target = {.table = def, .keys = StoredMember(basis, "given", VALUE_M), .typed = ReadBasisFlag(basis, "typed"),
	.either = either};
	PatternRange ranges[KEY_MAX_ATTRIBUTES];
	ListCell   *cell;
	const char *problem = IndexProblem(def, basis, &target);

	if (problem == NULL)
		problem = BasisKeyProblem(basis, &target, ranges);
	if (problem == NULL)
		problem = EntitiesProblem(def, basis, &target);
	if (problem != NULL || ReadBasisFlag(basis, "filtered"))
		return problem;
	foreach(cell, PatternOthersInRange(&target, ranges))
	{
		const Entity *other = lfirst(cell);

		if (!FiltersOut(basis, other))
			return psprintf("its range can also contain items of entity \"%.*s\"", (int) other->name.len, other->name.data);
	}
	return NULL;
}

static const char *
ProblemOfEither(const TableDef *def, const Container *either)
{
	const TableDef *other = MoveOtherVersion(def);
	const char *problem = NULL;

	if (either->count != 2)
		StoredError("It has not two bases.");
	for (int i = 0; i < 2; i++)
	{
		problem = ProblemOfBasis(def, ListElement(either, i), other != NULL);
		if (problem == NULL && other != NULL)
			problem = ProblemOfBasis(other, ListElement(either, 1 - i), true);
		if (problem == NULL)
			return NULL;
	}
	return problem;
}

/*
 * While items are moved they have the keys of either version, also on their way back: a pattern that does
 * not read both must read neither.
 */
const char *
PatternBasisProblem(const TableDef *def, const char *json)
{
	ValueRef	basis = ReadBasis(json);
	const TableDef *other;
	const char *problem;
	Container	either;

	OpenMaps(basis, "either", &either);
	if (either.count > 0)
		return ProblemOfEither(def, &either);
	problem = ProblemOfBasis(def, basis, false);
	other = problem == NULL && TableMoves(def) ? MoveOtherVersion(def) : NULL;
	return other == NULL ? problem : ProblemOfBasis(other, basis, true);
}

bool
PatternBasisHolds(const TableDef *def, const char *json)
{
	return !PatternBasisIsEither(json) && ProblemOfBasis(def, ReadBasis(json), true) == NULL;
}

ValueRef
PatternBasisKeys(const char *json)
{
	return StoredMember(ReadBasis(json), "given", VALUE_M);
}

bool
PatternBasisIsEither(const char *json)
{
	Container	either;

	OpenMaps(ReadBasis(json), "either", &either);
	return either.count > 0;
}

char *
PatternEitherBasis(const char *one, const char *other)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ValueRef	first = ReadBasis(one);

	ItemBuilderBeginMap(b);
	ItemBuilderStringMember(b, "pattern", StoredString(first, "pattern"));
	ItemBuilderStringMember(b, "index", StoredString(first, "index"));
	ItemBuilderName(b, "either", strlen("either"));
	ItemBuilderBeginList(b);
	ItemBuilderValue(b, first);
	ItemBuilderValue(b, ReadBasis(other));
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
	return PrintBasis(b);
}

/* ---- one read ---- */

/* A basis that was found to hold for a definition in the cache. */
typedef struct KnownBasis
{
	char	   *json;
	char	   *index;			/* that the pattern reads; NULL for the table itself */
} KnownBasis;

typedef struct KnownBases
{
	List	   *bases;			/* of KnownBasis * */
} KnownBases;

static TableSlot known_bases = {sizeof(KnownBases)};

static const KnownBasis *
FindKnownBasis(const TableDef *def, const char *json)
{
	const KnownBases *here = TableSlotGet(def, &known_bases);
	ListCell   *cell;

	foreach(cell, here->bases)
	{
		const KnownBasis *known = lfirst(cell);

		if (strcmp(known->json, json) == 0)
			return known;
	}
	return NULL;
}

/* Remembers a basis that holds; returns it, too, if it cannot be remembered. */
static const KnownBasis *
RememberBasis(TableDef *def, const char *json)
{
	KnownBases *here = TableSlotGet(def, &known_bases);
	bool		kept = def->cached && list_length(here->bases) < MAX_KNOWN_BASES;
	char	   *index = ReadBasisText(ReadBasis(json), "index");
	MemoryContext old = MemoryContextSwitchTo(kept ? def->context : CurrentMemoryContext);
	KnownBasis *known = palloc(sizeof(KnownBasis));

	known->json = pstrdup(json);
	known->index = index == NULL ? NULL : pstrdup(index);
	if (kept)
		here->bases = lappend(here->bases, known);
	MemoryContextSwitchTo(old);
	return known;
}

static const char *
NamePattern(const char *basis)
{
	char	   *name = ReadBasisText(ReadBasis(basis), "pattern");

	return name == NULL ? "" : name;
}

static void
RaiseStale(const char *basis, const char *problem, bool moves)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("access pattern \"%s\" cannot find all items: %s", NamePattern(basis), problem),
			 moves ? errhint("Items of the table are moved to other keys, see dynamo.migrations. If this error remains after that, declare the pattern anew.") :
			 errhint("After dynamo.apply_entity, declare the pattern anew: dynamo.create_access_pattern with replace => true.")));
}

/*
 * Raises an error if the keys that the pattern reads were composed, or their index was
 * built, after the snapshot: it shows items without them.
 */
static void
RequireVisible(const TableDef *def, const KnownBasis *basis)
{
	Snapshot	snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;
	const TableDef *seen;

	if (snapshot == NULL || basis->index == NULL)
		return;
	if (WriterIsNewer(def->defined, snapshot))
	{
		seen = TableDefSeenBy(def, snapshot);
		if (seen != NULL && PatternBasisProblem(seen, basis->json) == NULL)
			return;
	}
	else if (def->distributed || !StoreIndexIsNewer(def, TableDefIndex(def, basis->index), snapshot))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to a concurrent change of what access pattern \"%s\" reads",
					NamePattern(basis->json)),
			 errhint("Repeat the transaction.")));
}

void
PatternRequireBasis(Oid table, const char *basis)
{
	Relation	rel = try_table_open(table, AccessShareLock);
	const KnownBasis *known;
	TableDef   *def;

	if (rel == NULL || !RelationIsDynamoTable(rel))
		RaiseStale(basis, "its table does not exist", false);
	def = TableDefAcquire(rel);
	known = FindKnownBasis(def, basis);
	if (known == NULL)
	{
		const char *problem = PatternBasisProblem(def, basis);

		if (problem != NULL)
			RaiseStale(basis, problem, TableMoves(def));
		known = RememberBasis(def, basis);
	}
	RequireVisible(def, known);
	TableDefRelease(def);
	table_close(rel, NoLock);	/* which is read next */
}

/* ---- the functions ---- */

/* pattern_holds(relation regclass, basis text) returns boolean: true, or an error */
DYNAMO_FUNCTION(dynamo_pattern_holds);
Datum
dynamo_pattern_holds(PG_FUNCTION_ARGS)
{
	PatternRequireBasis(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_BOOL(true);
}

/* pattern_problem(relation regclass, basis text) returns text */
DYNAMO_FUNCTION(dynamo_pattern_problem);
Datum
dynamo_pattern_problem(PG_FUNCTION_ARGS)
{
	Relation	rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	const char *problem = "its table does not exist";
	char	   *basis = text_to_cstring(PG_GETARG_TEXT_PP(1));
	TableDef   *def;

	if (rel == NULL)
		PG_RETURN_TEXT_P(cstring_to_text(problem));
	def = TableDefAcquire(rel);
	problem = PatternBasisProblem(def, basis);
	if (problem == NULL && PatternBasisIsEither(basis))
		problem = "it reads either of two keys while items are moved, which is not one request";
	problem = problem == NULL ? NULL : pstrdup(problem);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
