/*
 * pattern_create.c
 *	  dynamo.create_access_pattern and dynamo.drop_access_pattern.
 *
 * The function is created by an ordinary statement: it belongs to the user who
 * declares the pattern, and reads with the rights of those who call it.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "parser/parse_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "design/bare_names.h"
#include "design/entity_list.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/builder.h"
#include "pattern/pattern.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/attribute.h"
#include "view/declared_types.h"
#include "view/entity_view.h"
#include "view/kind.h"

/* ---- parameters ---- */

/*
 * Adds the parameters that an expression names, in the order of their first
 * use.
 */
static void
FindParameters(AccessPattern *pattern, const char *expression)
{
	const char *at = expression;

	while (at != NULL && (at = strchr(at, ':')) != NULL)
	{
		int			len = 0;
		char	   *name;

		for (at++; isalnum((unsigned char) at[len]) || at[len] == '_'; len++)
			;
		name = pnstrdup(at, len);
		if (len == 0 || PatternParameterFind(pattern, name) >= 0)
			continue;
		if (name[0] == '_' || len >= NAMEDATALEN)
			InvalidArgument("invalid name of a parameter: \"%s\"", name);
		if (pattern->nparameters == PATTERN_MAX_PARAMETERS)
			InvalidArgument("a pattern can have %d parameters", PATTERN_MAX_PARAMETERS);
		pattern->parameters[pattern->nparameters++].name = name;
	}
}

static const char parameters_query[] =
"SELECT e.key, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'string' THEN e.value OPERATOR(pg_catalog.#>>) '{}' "
"    WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'type' END, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN (e.value OPERATOR(pg_catalog.->) 'default')::pg_catalog.text END, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'default' END, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN (SELECT m FROM pg_catalog.json_object_keys(e.value) m "
"    WHERE m OPERATOR(pg_catalog.<>) ALL ('{type,default}'::pg_catalog.text[]) LIMIT 1) "
"    WHEN k.kind OPERATOR(pg_catalog.<>) 'string' THEN k.kind END "
"FROM pg_catalog.json_each($1) e, pg_catalog.json_typeof(e.value) k(kind)";

static void
ReadParameter(AccessPattern *pattern, HeapTuple row, TupleDesc desc)
{
	char	   *name = SPI_getvalue(row, desc, 1);
	char	   *initial = SPI_getvalue(row, desc, 3);
	char	   *text = SPI_getvalue(row, desc, 4);
	char	   *unknown = SPI_getvalue(row, desc, 5);
	int			i = PatternParameterFind(pattern, name);

	if (i < 0)
		InvalidArgument("parameter \"%s\" is not used in any expression", name);
	if (unknown != NULL)
		InvalidArgument("parameter \"%s\" must be described by a type or by an object with \"type\" and \"default\"", name);
	pattern->parameters[i].type = SPI_getvalue(row, desc, 2);
	if (initial != NULL)
		pattern->parameters[i].initial = text == NULL ? "NULL" : quote_literal_cstr(text);
}

static void
ReadDeclaredParameters(AccessPattern *pattern, Datum json)
{
	Oid			types[1] = {JSONOID};

	if (SPI_execute_with_args(parameters_query, 1, types, &json, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the parameters of an access pattern");
	for (uint64 i = 0; i < SPI_processed; i++)
		ReadParameter(pattern, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
}

/* Qualifies the types; returns their OIDs. */
static Oid *
ResolveTypes(AccessPattern *pattern)
{
	Oid		   *types = palloc(sizeof(Oid) * (pattern->nparameters + 2));

	for (int i = 0; i < pattern->nparameters; i++)
	{
		PatternParameter *p = &pattern->parameters[i];
		int32		typmod;

		if (p->type == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" has no type", p->name),
					 errhint("Declare it in parameters: {\"%s\": \"integer\"}.", p->name)));
		ParseTypeName(p->type, &types[i], &typmod);
		PatternCheckListType(p, types[i]);
		if (!TypeCanHoldAttribute(types[i]))
			InvalidArgument("parameter \"%s\" cannot have type %s", p->name, p->type);
		p->type = StoredTypeName(types[i], typmod);
	}
	return types;
}

/* Moves parameters with defaults to the end, as functions require. */
static void
SortParameters(AccessPattern *pattern)
{
	PatternParameter *sorted = palloc0(sizeof(PatternParameter) * Max(pattern->nparameters, 1));
	int			n = 0;

	for (int with_default = 0; with_default < 2; with_default++)
	{
		for (int i = 0; i < pattern->nparameters; i++)
		{
			if ((pattern->parameters[i].initial != NULL) == with_default)
				sorted[n++] = pattern->parameters[i];
		}
	}
	pattern->parameters = sorted;
}

/* ---- the declaration ---- */

static char *
GetOptionalText(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

static List *
ReadEntities(FunctionCallInfo fcinfo, int arg)
{
	List	   *entities = NIL;
	Datum	   *names;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(arg))
		return NIL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(arg), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			InvalidArgument("entities must not contain null");
		entities = lappend(entities, TextDatumGetCString(names[i]));
	}
	return entities;
}

static ValueRef
ReadPatternNames(FunctionCallInfo fcinfo, int arg)
{
	ValueRef	names = KindJsonArgument(fcinfo, arg, "expression_attribute_names");
	Container	entries;
	Slice		placeholder;

	if (ValueIsMissing(names))
		return names;
	ContainerOpen(names, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		if (ValueTypeOf(MapEntry(&entries, i, &placeholder)) != VALUE_S || placeholder.len < 2 ||
			placeholder.data[0] != '#' || placeholder.data[1] == '_')
			InvalidArgument("invalid name in expression_attribute_names: \"%.*s\"", (int) placeholder.len, placeholder.data);
	}
	return names;
}

static void
CheckReturns(const AccessPattern *p)
{
	static const char *const forms[] = {"rows", "items", "page", "document"};
	bool		known = false;

	for (int i = 0; i < (int) lengthof(forms); i++)
		known |= strcmp(p->returns, forms[i]) == 0;
	if (!known)
		InvalidArgument("invalid returns \"%s\": rows, items, page or document", p->returns);
	if ((strcmp(p->returns, "rows") == 0) != (p->view != NULL))
		InvalidArgument("view_name is required for rows, and allowed only for them");
	if (strcmp(p->returns, "document") == 0 && (p->entities == NIL || p->projection != NULL))
		InvalidArgument("a document needs entities, and has no projection");
	if (p->view != NULL && p->projection != NULL)
		InvalidArgument("rows have the columns of their view and cannot have a projection");
	if (strcmp(p->returns, "page") == 0 && p->limit > 0)
		InvalidArgument("the size of a page is the function's parameter page_size, not max_items");
}

/*
 * Returns the arguments as given, by which a copy of the pattern can be
 * declared.
 */
static ValueRef
ReadPatternArguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {
		"key_condition", "entities", "view_name", "index_name", "parameters", "filter_expression", "projection_expression",
		"expression_attribute_names", "scan_index_forward", "max_items", "returns", "keys", "description"
	};
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < (int) lengthof(names); i++)
	{
		Oid			output;
		bool		is_varlena;
		char	   *text;

		if (PG_ARGISNULL(i + 2))
			continue;
		getTypeOutputInfo(get_fn_expr_argtype(fcinfo->flinfo, i + 2), &output, &is_varlena);
		text = OidOutputFunctionCall(output, PG_GETARG_DATUM(i + 2));
		ItemBuilderName(b, names[i], strlen(names[i]));
		ItemBuilderString(b, text, strlen(text));
	}
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

static AccessPattern *
ReadDeclaration(FunctionCallInfo fcinfo)
{
	AccessPattern *p = palloc0(sizeof(AccessPattern));

	p->arguments = ReadPatternArguments(fcinfo);
	p->condition = GetOptionalText(fcinfo, 2);
	p->entities = ReadEntities(fcinfo, 3);
	p->view = GetOptionalText(fcinfo, 4);
	p->index = GetOptionalText(fcinfo, 5);
	p->filter = GetOptionalText(fcinfo, 7);
	p->projection = GetOptionalText(fcinfo, 8);
	p->names = ReadPatternNames(fcinfo, 9);
	p->backward = !PG_ARGISNULL(10) && !PG_GETARG_BOOL(10);
	p->limit = PG_ARGISNULL(11) ? 0 : PG_GETARG_INT32(11);
	if (p->limit < 0 || (!PG_ARGISNULL(11) && p->limit == 0))
		InvalidArgument("max_items must be positive");
	p->returns = PG_ARGISNULL(12) ? (p->view != NULL ? "rows" : "items") : GetOptionalText(fcinfo, 12);
	p->parameters = palloc0(sizeof(PatternParameter) * PATTERN_MAX_PARAMETERS);
	FindParameters(p, p->condition);
	FindParameters(p, p->filter);
	return p;
}

/* ---- table, view and index ---- */

/* Names the table in requests, which have no quotes, and in statements. */
static void
NameTable(AccessPattern *p, Relation rel)
{
	p->table = psprintf("%s.%s", get_namespace_name(RelationGetNamespace(rel)), RelationGetRelationName(rel));
	p->relation = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
}

/* The view must show items of the table: another one may have an entity of the same name. */
static Relation
OpenView(AccessPattern *p, Relation table)
{
	Relation	view;
	const EntityViewDef *def;

	if (p->view == NULL)
		return NULL;
	view = TableNameOpen(p->view, AccessShareLock, false);
	def = EntityViewDefOf(view);
	if (def == NULL || def->entity.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a view of an entity", p->view),
				 errhint("Create one: view_name of dynamo.create_entity, or dynamo.create_entity_view with entity_name.")));
	if (EntityViewTable(view) != RelationGetRelid(table))
		InvalidArgument("view \"%s\" shows items of table \"%s\", not of \"%s\"", p->view,
						get_rel_name(EntityViewTable(view)), RelationGetRelationName(table));
	if (p->entities == NIL)
		p->entities = list_make1(pnstrdup(def->entity.data, def->entity.len));
	if (list_length(p->entities) != 1 || !SliceIs(def->entity, linitial(p->entities)))
		InvalidArgument("view \"%s\" shows the items of entity \"%.*s\"", p->view, (int) def->entity.len, def->entity.data);
	p->view = QualifiedName(RelationGetNamespace(view), RelationGetRelationName(view));
	return view;
}

static const IndexDef *
FindPatternIndex(const AccessPattern *p, const TableDef *def)
{
	const IndexDef *index = p->index == NULL ? NULL : TableDefIndex(def, p->index);

	if (p->index != NULL && index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index \"%s\" does not exist", p->index)));
	if (index != NULL && !index->kind->secondary)
		InvalidArgument("index \"%s\" is a vector index, which cannot be queried", p->index);
	if (p->view != NULL && index != NULL && !index->kind->whole_items && index->projected != PROJECTED_ALL)
		InvalidArgument("index \"%s\" lacks attributes that rows need", p->index);
	return index;
}

static PatternTarget
MakeTarget(FunctionCallInfo fcinfo, const AccessPattern *p, const TableDef *def)
{
	PatternTarget target = {.table = def, .index = FindPatternIndex(p, def)};
	ListCell   *cell;

	target.key = target.index != NULL ? &target.index->key : &def->key;
	target.entities = palloc(sizeof(Entity *) * Max(list_length(p->entities), 1));
	foreach(cell, p->entities)
		target.entities[target.nentities++] = RequireEntity(def, lfirst(cell));
	target.keys = KindJsonArgument(fcinfo, 13, "keys");
	KindCheckTemplates(def, target.keys, false);
	return target;
}

/* IsDeclaredName: attributes of the entities and of the keys. */
static bool
IsPatternName(const void *arg, Slice name)
{
	const PatternTarget *target = arg;

	for (int i = 0; i < target->nentities; i++)
	{
		const Entity *e = target->entities[i];

		if (EntityAttributeFind(e, name) != NULL || SliceEqual(e->type_attribute, name))
			return true;
	}
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		const KeyAttribute *key = &target->key->attributes[i];

		if (SliceEqual(key->name, name))
			return true;
		for (int j = 0; j < Max(target->nentities, 1); j++)
		{
			const Template *t = PatternTemplate(target, target->nentities == 0 ? NULL : target->entities[j], key);

			if (t != NULL && TemplateUses(t, name))
				return true;
		}
	}
	return false;
}

/* Replaces attributes under reserved words by placeholders, as the request needs them. */
static void
ReplaceBareNames(AccessPattern *p, const PatternTarget *target)
{
	BareNames	names = {.is_declared = IsPatternName, .arg = target, .given = p->names};

	p->condition = BareNamesReplace(&names, p->condition);
	p->filter = BareNamesReplace(&names, p->filter);
	p->projection = BareNamesReplace(&names, p->projection);
	p->names = BareNamesMap(&names);
}

/* Raises the errors of the filter and of the projection. */
static void
CheckExpressions(const AccessPattern *p)
{
	if (p->filter != NULL)
		(void) ExprParse(EXPR_FILTER, p->filter, strlen(p->filter), NULL);
	if (p->projection != NULL)
		(void) ExprParse(EXPR_PROJECTION, p->projection, strlen(p->projection), NULL);
}

static bool
IsProjected(const PatternTarget *target, Slice attribute)
{
	const IndexDef *index = target->index;

	if (index == NULL || index->projected == PROJECTED_ALL || KeySchemaHas(&index->key, attribute) ||
		KeySchemaHas(&target->table->key, attribute))
		return true;
	for (int i = 0; i < index->nnon_key; i++)
	{
		if (SliceEqual(index->non_key[i], attribute))
			return true;
	}
	return false;
}

/* An index that lacks what the pattern must filter by would find nothing. */
static void
RequireProjected(const PatternTarget *target, const char *attribute)
{
	if (!IsProjected(target, SliceOf(attribute)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("index \"%s\" lacks attribute \"%s\", which distinguishes items in the range", target->index->name, attribute),
				 errhint("Add the attribute to the index's projection, or choose keys that distinguish these items.")));
}

/* What is filtered by is the same for all elements of a list. */
static void
RequireUnfilteredList(const AccessPattern *p)
{
	int			list = PatternListFind(p);
	ListCell   *cell;

	foreach(cell, PatternPlaceholders(p))
	{
		const PatternPlaceholder *placeholder = lfirst(cell);

		if (list >= 0 && placeholder->placeholder[1] != '_' && strcmp(placeholder->parameter, p->parameters[list].name) == 0)
			InvalidArgument("parameter \"%s\" is a list and cannot be compared otherwise", placeholder->parameter);
	}
}

/*
 * Checks what the pattern filters by.  The Limit of a request counts the items that it
 * reads, so that with a filter max_items would be another number for clients.
 */
void
PatternCheckFilter(const AccessPattern *p, const PatternTarget *target)
{
	ListCell   *cell;

	RequireUnfilteredList(p);
	if (p->kind_attribute != NULL)
		RequireProjected(target, p->kind_attribute);
	foreach(cell, p->equalities)
		RequireProjected(target, ((const PatternEquality *) lfirst(cell))->attribute);
	if (p->limit > 0 && p->by_key)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items cannot be combined with a range that has items of other kinds"),
				 errhint("Write LIMIT in the statement that calls the function, or choose keys that distinguish the kinds.")));
	if (p->limit > 0 && PatternFilterExpression(p) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items cannot be combined with a filter"),
				 errdetail("The filter is %s. A request counts the items that it reads before they are filtered.", PatternFilterExpression(p)),
				 errhint("Write LIMIT in the statement that calls the function, use returns => 'page', or choose keys that need no filter.")));
}

/* ---- the function ---- */

static char *
ParameterList(const AccessPattern *p)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < p->nparameters; i++)
	{
		appendStringInfo(&out, "%s%s %s", i == 0 ? "" : ", ", quote_identifier(p->parameters[i].name), p->parameters[i].type);
		if (p->parameters[i].initial != NULL)
			appendStringInfo(&out, " DEFAULT %s::%s", p->parameters[i].initial, p->parameters[i].type);
	}
	if (strcmp(p->returns, "page") == 0)
		appendStringInfo(&out, "%spage_size pg_catalog.int4 DEFAULT NULL, start_key dynamo.item DEFAULT NULL",
						 p->nparameters == 0 ? "" : ", ");
	return out.data;
}

static char *
ResultClause(const AccessPattern *p)
{
	if (p->view != NULL)
		return psprintf("SETOF %s ROWS %d", p->view, p->limit > 0 ? p->limit : 10);
	if (strcmp(p->returns, "items") == 0)
		return psprintf("SETOF dynamo.item ROWS %d", p->limit > 0 ? p->limit : 10);
	if (strcmp(p->returns, "page") == 0)
		return "TABLE (items dynamo.item[], count pg_catalog.int4, scanned_count pg_catalog.int4, "
			"last_evaluated_key dynamo.item) ROWS 1";
	return "pg_catalog.jsonb";
}

/*
 * Sees to it that the table has one pattern of the name.  A function is only replaced by a pattern if
 * it is one; one that has other parameters is dropped.  Returns what it had; NULL if none was dropped.
 */
static PatternKept *
DropOthersOfName(const AccessPattern *p, const char *name, List *qualified, int n, const Oid *types, bool replace)
{
	Oid			same = LookupFuncName(qualified, n, types, true);
	List	   *others = list_delete_oid(PatternsOfName(SchemaToCreateIn(), name, p->relation), same);

	if (replace && OidIsValid(same))
		(void) PatternOfFunction(same);
	if (others == NIL)
		return NULL;
	if (!replace)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_FUNCTION),
				 errmsg("access pattern \"%s\" already exists", name),
				 errdetail("It is function %s.", format_procedure(linitial_oid(others))),
				 errhint("To declare it anew, add replace => true.")));
	if (OidIsValid(same) || list_length(others) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_FUNCTION),
				 errmsg("there are several access patterns \"%s\"", name),
				 errdetail("One is function %s.", format_procedure(linitial_oid(others))),
				 errhint("Drop all but one of them.")));
	return PatternDropKeeping(linitial_oid(others));
}

static Oid
CreateFunction(const AccessPattern *p, const char *name, Oid *types, const char *body, const char *description, bool replace)
{
	Oid			schema = SchemaToCreateIn();
	char	   *function;
	List	   *names;
	int			n = p->nparameters;
	PatternKept *kept;
	Oid			oid;

	if (strcmp(p->returns, "page") == 0)
	{
		types[n++] = INT4OID;
		types[n++] = ItemTypeOid();
	}
	function = QualifiedName(schema, name);
	names = list_make2(makeString(get_namespace_name(schema)), makeString(unconstify(char *, name)));
	kept = DropOthersOfName(p, name, names, n, types, replace);
	RunStatement("CREATE %sFUNCTION %s(%s) RETURNS %s LANGUAGE sql STABLE PARALLEL RESTRICTED AS %s",
				 replace ? "OR REPLACE " : "", function, ParameterList(p), ResultClause(p),
				 quote_literal_cstr(psprintf("%s%s", PatternRecordPrint(p, body), body)));
	oid = LookupFuncName(names, n, types, false);
	/* nothing in its declaration belongs to the extension, with which it must go */
	if (strcmp(p->returns, "document") == 0)
		RunStatement("ALTER FUNCTION %s DEPENDS ON EXTENSION dynamo", format_procedure_qualified(oid));
	if (kept != NULL)
		PatternGiveKept(oid, kept);
	if (description != NULL)
		RunStatement("COMMENT ON FUNCTION %s IS %s", format_procedure_qualified(oid), quote_literal_cstr(description));
	return oid;
}

DYNAMO_FUNCTION(dynamo_create_access_pattern);
Datum
dynamo_create_access_pattern(PG_FUNCTION_ARGS)
{
	char	   *table_name = RequiredTableArgument(fcinfo, 0);
	char	   *name = RequiredText(fcinfo, 1, "pattern_name");
	AccessPattern *p = ReadDeclaration(fcinfo);
	Relation	rel = TableNameOpen(table_name, AccessShareLock, false);
	TableDef   *def = TableDefAcquire(rel);
	Relation	view = OpenView(p, rel);
	PatternTarget target;
	PatternClause *clauses;
	int			nclauses;
	Oid		   *types;
	Oid			function;

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		InvalidArgument("invalid name of an access pattern: \"%s\"", name);
	CheckReturns(p);
	RefuseWhileMoving(def, "declare access patterns beside");
	target = MakeTarget(fcinfo, p, def);
	ReplaceBareNames(p, &target);
	CheckExpressions(p);
	NameTable(p, rel);
	SPI_connect();
	if (!PG_ARGISNULL(6))
		ReadDeclaredParameters(p, PG_GETARG_DATUM(6));
	clauses = PatternClauses(p, &nclauses);
	target.typed = PatternIsTyped(&target, clauses, nclauses);
	PatternPlanClauses(p, &target, clauses, nclauses);
	PatternCheckFilter(p, &target);
	p->basis = PatternBasis(p, &target, name);
	SortParameters(p);
	types = ResolveTypes(p);
	function = CreateFunction(p, name, types, PatternBody(p, &target, view), GetOptionalText(fcinfo, 14),
							  !PG_ARGISNULL(15) && PG_GETARG_BOOL(15));
	SPI_finish();
	if (view != NULL)
		table_close(view, NoLock);
	TableDefRelease(def);
	table_close(rel, NoLock);
	PG_RETURN_OID(function);
}

/* ---- existing patterns ---- */

AccessPattern *
PatternIfAny(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	AccessPattern *pattern = NULL;
	Datum		body;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	body = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	if (!isnull)
		pattern = PatternRecordRead(SliceOf(TextDatumGetCString(body)));
	ReleaseSysCache(tuple);
	return pattern;
}

AccessPattern *
PatternOfFunction(Oid function)
{
	AccessPattern *pattern = PatternIfAny(function);

	if (pattern == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("function %s is not an access pattern", format_procedure(function))));
	return pattern;
}

/* drop_access_pattern(pattern regproc) returns void */
DYNAMO_FUNCTION(dynamo_drop_access_pattern);
Datum
dynamo_drop_access_pattern(PG_FUNCTION_ARGS)
{
	Oid			function = PG_GETARG_OID(0);

	(void) PatternOfFunction(function);
	SPI_connect();
	RunStatement("DROP FUNCTION %s", format_procedure_qualified(function));
	SPI_finish();
	PG_RETURN_VOID();
}
