/*
 * declared_types.c
 *	  Checks attributes by the types that their entity declares.
 *
 * A type is stored as it was written, and if it is not PostgreSQL's own also with its
 * schema: the search path of whoever writes an item does not matter.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace_d.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/parse_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "errors.h"
#include "table/table.h"
#include "view/attribute_cast.h"
#include "view/declared_types.h"
#include "view/typed_attribute.h"

#define MAX_TYPE_TEXT	128		/* longer names are looked up each time */
#define MAX_KNOWN		500
#define MAX_ENUM_VALUES	100

/* ---- types by name ---- */

typedef struct KnownType
{
	char		text[MAX_TYPE_TEXT];	/* the key */
	Oid			type;
	int32		typmod;
} KnownType;

static HTAB *known_types = NULL;	/* NULL: none */
static bool registered = false;

/* SyscacheCallbackFunction: forgets types when one is created, changed, moved or dropped. */
static void
ForgetTypes(Datum arg, int cache, uint32 hash)
{
	if (known_types != NULL)
		hash_destroy(known_types);
	known_types = NULL;
}

static Oid
NamespaceOfType(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid			namespace = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		namespace = ((Form_pg_type) GETSTRUCT(tuple))->typnamespace;
		ReleaseSysCache(tuple);
	}
	return namespace;
}

char *
StoredTypeName(Oid type, int32 typmod)
{
	bool		quoting = quote_all_identifiers;
	char	   *name;

	quote_all_identifiers = false;
	PG_TRY();
	{
		name = format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
	}
	PG_FINALLY();
	{
		quote_all_identifiers = quoting;
	}
	PG_END_TRY();
	return name;
}

char *
DeclaredTypeName(const char *written, Oid type, int32 typmod)
{
	if (NamespaceOfType(type) == PG_CATALOG_NAMESPACE && strchr(written, '%') == NULL)
		return NULL;
	return StoredTypeName(type, typmod);
}

/* Finds a type, in pg_catalog if its name has no schema.  Nobody needs rights to the schema, as with views. */
static Oid
FindType(const TypeName *name)
{
	int			n = list_length(name->names);
	const char *schema = n > 1 ? strVal(list_nth(name->names, n - 2)) : "pg_catalog";
	Oid			type = n == 0 ? name->typeOid :
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(strVal(llast(name->names))),
						ObjectIdGetDatum(get_namespace_oid(schema, true)));

	return OidIsValid(type) && name->arrayBounds != NIL ? get_array_type(type) : type;
}

/* Looks a type up; returns InvalidOid if there is none. */
static Oid
LookUpType(const char *text, int32 *typmod)
{
	TypeName   *name = TypeNameOfText(text);
	Oid			type = FindType(name);

	if (!OidIsValid(type) || !get_typisdefined(type))
		return InvalidOid;
	name->names = NIL;
	name->arrayBounds = NIL;
	name->typeOid = type;
	typenameTypeIdAndMod(NULL, name, &type, typmod);
	return type;
}

static void
RememberType(const char *text, Oid type, int32 typmod)
{
	HASHCTL		ctl = {.keysize = MAX_TYPE_TEXT, .entrysize = sizeof(KnownType)};
	KnownType  *known;

	if (!registered)
	{
		CacheRegisterSyscacheCallback(TYPEOID, ForgetTypes, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, ForgetTypes, (Datum) 0);
		registered = true;
	}
	if (known_types != NULL && hash_get_num_entries(known_types) >= MAX_KNOWN)
		ForgetTypes((Datum) 0, 0, 0);
	if (known_types == NULL)
		known_types = hash_create("dynamo declared types", 32, &ctl, HASH_ELEM | HASH_STRINGS);
	known = hash_search(known_types, text, HASH_ENTER, NULL);
	known->type = type;
	known->typmod = typmod;
}

Oid
DeclaredTypeOf(const EntityAttribute *a, int32 *typmod)
{
	Slice		name = a->qualified.data != NULL ? a->qualified : a->type;
	char	   *text = pnstrdup(name.data, name.len);
	const KnownType *known = known_types == NULL || name.len >= MAX_TYPE_TEXT ? NULL : hash_search(known_types, text, HASH_FIND, NULL);
	Oid			type;

	if (known != NULL)
	{
		*typmod = known->typmod;
		return known->type;
	}
	type = LookUpType(text, typmod);
	if (OidIsValid(type) && name.len < MAX_TYPE_TEXT)
		RememberType(text, type, *typmod);
	return type;
}

/* ---- one attribute ---- */

/* Returns the error of casting a value to a type; NULL if it casts. */
static ErrorData *
TryType(Oid type, int32 typmod, ValueRef value)
{
	Datum		result;
	bool		isnull;

	return AttributeCastTry(AttributeCastMake(type, typmod), value, &result, &isnull);
}

/* The attribute as a view shows it: from the item, or from its key. */
static ValueRef
ShownValue(const Entity *entity, const EntityAttribute *a, ValueRef item)
{
	TemplatePart part = {.name = a->name, .nsteps = 1, .steps = unconstify(Slice *, &a->name)};
	ValueRef	value = AttributeFind(item, a->name.data, a->name.len);

	return ValueIsMissing(value) && EntityKeyTells(entity, a->name) ? EntityPartValue(entity, item, &part) : value;
}

/*
 * Returns why a value cannot be cast to the type of its attribute, as the end of a
 * sentence; NULL if it can.  *reason is the message of the cast, or NULL.
 */
static char *
TypeProblem(const Entity *entity, const EntityAttribute *a, ValueRef value, const char **reason)
{
	int32		typmod;
	Oid			type = DeclaredTypeOf(a, &typmod);
	ErrorData  *failure;

	*reason = NULL;
	if (!OidIsValid(type))
		return psprintf("has type %.*s, which does not exist", (int) a->type.len, a->type.data);
	if (EntityHasTime(entity, a->name) && (type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID))
		failure = TryType(TIMESTAMPTZOID, INSTANT_TYPMOD, value);
	else
		failure = TryType(type, typmod, value);
	if (failure == NULL)
		return NULL;
	*reason = failure->message;
	return psprintf("cannot be cast to %.*s", (int) a->type.len, a->type.data);
}

/* ---- declarations ---- */

static void
CheckDeclaredValue(const Entity *entity, const EntityAttribute *a, const char *what, ValueRef value)
{
	const char *reason;
	const char *why = ValueIsMissing(value) ? NULL : TypeProblem(entity, a, value, &reason);

	if (why != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the %s of attribute \"%.*s\" of entity \"%.*s\" %s: %s", what, (int) a->name.len, a->name.data,
						(int) entity->name.len, entity->name.data, why, DescribeAttributeValue(value)),
				 reason == NULL ? 0 : errdetail_internal("%s", reason),
				 errhint("It is a value, not an expression.")));
}

/* Checks the list of values that an attribute may have, to which its default and constant must belong. */
static void
CheckDeclaredEnum(const Entity *entity, const EntityAttribute *a)
{
	Container	list = {0};
	const char *why;

	if (ValueIsMissing(a->allowed))
		return;
	ContainerOpen(a->allowed, &list);
	if (list.count == 0 || list.count > MAX_ENUM_VALUES)
		InvalidArgument("the enum of attribute \"%.*s\" has %u values, not 1 to %d", (int) a->name.len, a->name.data,
						list.count, MAX_ENUM_VALUES);
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	v = ListElement(&list, i);

		if (ValueTypeOf(v) != VALUE_S && ValueTypeOf(v) != VALUE_N)
			InvalidArgument("the enum of attribute \"%.*s\" has a value that is neither a string nor a number",
							(int) a->name.len, a->name.data);
		if (a->type.data != NULL)
			CheckDeclaredValue(entity, a, "enum", v);
	}
	why = EntityEnumProblem(a, ValueIsMissing(a->constant) ? a->initial : a->constant);
	if (why != NULL)
		InvalidArgument("the %s of attribute \"%.*s\" %s", ValueIsMissing(a->constant) ? "default" : "constant",
						(int) a->name.len, a->name.data, why);
}

void
DeclaredValuesCheck(const Entity *entity)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		CheckDeclaredEnum(entity, a);
		if (a->type.data == NULL)
			continue;
		CheckDeclaredValue(entity, a, "default", a->initial);
		CheckDeclaredValue(entity, a, "constant", a->constant);
		CheckDeclaredValue(entity, a, "default function", EntityMakeDefault(a));
	}
}

/* ---- writes ---- */

static bool
IsUnchanged(const EntityAttribute *a, ValueRef value, ValueRef old)
{
	ValueRef	before = ValueIsMissing(old) ? MISSING_VALUE : AttributeFind(old, a->name.data, a->name.len);

	return !ValueIsMissing(before) && !ValueIsMissing(value) && ValueEqual(before, value);
}

/*
 * EntityTypeCheck.  The problem has no value: whoever writes an item may not be allowed to
 * read the one that an expression or a copy has made.
 */
static bool
CheckTypes(const Entity *entity, ValueRef item, ValueRef old, Problem *problem)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];
		ValueRef	value = a->type.data == NULL ? MISSING_VALUE : ShownValue(entity, a, item);
		const char *reason;
		char	   *why;

		if (a->type.data == NULL || IsUnchanged(a, value, old))
			continue;
		why = TypeProblem(entity, a, value, &reason);
		if (why != NULL)
			return NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS "Attribute %.*s of entity %.*s %s", (int) a->name.len, a->name.data,
							   (int) entity->name.len, entity->name.data, why);
	}
	return true;
}

void
DeclaredTypesInit(void)
{
	EntitySetTypeCheck(CheckTypes);
}

/* ---- stored items ---- */

static ArrayBuildState *
AddTypeProblem(ArrayBuildState *problems, const Entity *entity, const EntityAttribute *a, ValueRef item)
{
	ValueRef	value = ShownValue(entity, a, item);
	const char *reason;
	char	   *why = TypeProblem(entity, a, value, &reason);

	if (why == NULL)
		return problems;
	why = psprintf("attribute %.*s is %s, which %s", (int) a->name.len, a->name.data, DescribeAttributeValue(value), why);
	return accumArrayResult(problems, CStringGetTextDatum(why), false, TEXTOID, CurrentMemoryContext);
}

/*
 * type_problems(relation oid, item dynamo.item, entity_name text) returns text[]: of the
 * item's attributes, NULL if there are none, or if it is not of the entity that is named.
 */
DYNAMO_FUNCTION(dynamo_type_problems);
Datum
dynamo_type_problems(PG_FUNCTION_ARGS)
{
	Relation	rel = PG_ARGISNULL(0) || PG_ARGISNULL(1) ? NULL : try_table_open(PG_GETARG_OID(0), AccessShareLock);
	ArrayBuildState *problems = NULL;
	const Entity *entity;
	ValueRef	item;
	TableDef   *def;

	if (rel == NULL)
		PG_RETURN_NULL();
	item = PG_GETARG_VALUE(1);
	def = TableDefAcquire(rel);
	entity = def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
	if (entity != NULL && !PG_ARGISNULL(2) && !SliceEqual(SliceOfVarlena(PG_GETARG_TEXT_PP(2)), entity->name))
		entity = NULL;
	for (int i = 0; entity != NULL && i < entity->nattributes; i++)
	{
		if (entity->attributes[i].type.data != NULL)
			problems = AddTypeProblem(problems, entity, &entity->attributes[i], item);
	}
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (problems == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(makeArrayResult(problems, CurrentMemoryContext));
}
