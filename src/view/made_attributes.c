/*
 * made_attributes.c
 *	  Makes the values of computed attributes and of default functions.
 *
 * An expression is evaluated in every write, whoever writes, so it has no code of users:
 * only functions, operators and types that PostgreSQL brings, and of the functions only
 * those that are immutable.  Names in it are looked up in pg_catalog alone.
 *
 * The attributes that it names have their declared types.  Times are read as those in
 * keys are, because other input depends on settings.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "errors.h"
#include "item/builder.h"
#include "subtransaction.h"
#include "view/attribute.h"
#include "view/attribute_cast.h"
#include "view/declared_types.h"
#include "view/made_attributes.h"
#include "view/typed_attribute.h"

#define MAX_KNOWN_EXPRESSIONS	200

/* An attribute that an expression names. */
typedef struct ExpressionInput
{
	char	   *name;
	Oid			type;
	AttributeCast *cast;
} ExpressionInput;

typedef struct Expression
{
	MemoryContext context;
	char	   *key;			/* what it was made of */
	ExprState  *state;
	ExprContext *econtext;
	Oid			type;
	bool		copies;			/* it is the name of its only input, of the same type */
	int			ninputs;
	ExpressionInput *inputs;
	ParamListInfo values;
} Expression;

#define FOREIGN_CODE "uses a function, an operator or a type that is not PostgreSQL's own"

static Expression *known[MAX_KNOWN_EXPRESSIONS];
static int	nknown = 0;

/* ---- names in an expression ---- */

typedef struct Making
{
	const Entity *entity;
	const EntityAttribute *attribute;
	List	   *inputs;			/* of const EntityAttribute * */
	const EntityAttribute *counterpart; /* an input that seems to be computed from the attribute */
} Making;

static bool
CanBeInput(Oid type)
{
	static const Oid types[] = {
		BOOLOID, INT2OID, INT4OID, INT8OID, NUMERICOID, FLOAT4OID, FLOAT8OID, TEXTOID, VARCHAROID, BPCHAROID,
		UUIDOID, DATEOID, TIMESTAMPOID, TIMESTAMPTZOID, BYTEAOID, JSONBOID, TEXTARRAYOID, NUMERICARRAYOID, INT4ARRAYOID
	};

	for (int i = 0; i < (int) lengthof(types); i++)
	{
		if (types[i] == type)
			return true;
	}
	return false;
}

static void
RequireInput(Making *m, const EntityAttribute *a, Oid type)
{
	bool		is_counterpart = EntityMayBeCounterparts(m->attribute, a);
	const char *why = a->computed.data != NULL && !is_counterpart ? "is computed itself" :
		EntityKeyFind(m->entity, a->name) != NULL ? "is a composed key" :
		!CanBeInput(type) ? "has a type, or none, that an expression cannot use" : NULL;

	if (why != NULL)
		InvalidArgument("the expression of attribute \"%.*s\" names \"%.*s\", which %s", (int) m->attribute->name.len,
						m->attribute->name.data, (int) a->name.len, a->name.data, why);
	if (is_counterpart)
		m->counterpart = a;
}

/* A PreParseColumnRefHook. */
static Node *
FindInput(ParseState *pstate, ColumnRef *ref)
{
	Making	   *m = pstate->p_ref_hook_state;
	const char *name = list_length(ref->fields) == 1 && IsA(linitial(ref->fields), String) ? strVal(linitial(ref->fields)) : NULL;
	const EntityAttribute *a = name == NULL ? NULL : EntityAttributeFind(m->entity, SliceOf(name));
	Param	   *param;
	int32		typmod = -1;
	Oid			type;

	if (a == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the expression of attribute \"%.*s\" names what entity \"%.*s\" does not declare",
						(int) m->attribute->name.len, m->attribute->name.data, (int) m->entity->name.len, m->entity->name.data),
				 errhint("Write names with upper case letters in double quotes.")));
	type = a->type.data == NULL ? InvalidOid : DeclaredTypeOf(a, &typmod);
	RequireInput(m, a, type);
	if (!list_member_ptr(m->inputs, a))
		m->inputs = lappend(m->inputs, unconstify(EntityAttribute *, a));
	param = makeNode(Param);
	param->paramkind = PARAM_EXTERN;
	for (param->paramid = 1; list_nth(m->inputs, param->paramid - 1) != a; param->paramid++)
		;
	param->paramtype = type;
	param->paramtypmod = typmod;
	param->paramcollid = get_typcollation(type);
	param->location = ref->location;
	return (Node *) param;
}

/* ---- what an expression may contain ---- */

static bool
IsForeignFunction(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* Whether the input of a constant depended on more than its text, as that of 'now'. */
static bool
IsMutableConstant(const Node *node)
{
	Oid			input;
	Oid			param;

	if (!IsA(node, Const) || ((const Const *) node)->constisnull)
		return false;
	getTypeInputInfo(((const Const *) node)->consttype, &input, &param);
	return func_volatile(input) != PROVOLATILE_IMMUTABLE;
}

/* An expression_tree_walker. */
static bool
HasMutableConstant(Node *node, void *context)
{
	return node != NULL && (IsMutableConstant(node) || expression_tree_walker(node, HasMutableConstant, context));
}

static bool
HasForeignOperator(const Node *node)
{
	Oid			operator = IsA(node, OpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr) ? ((const OpExpr *) node)->opno :
		IsA(node, ScalarArrayOpExpr) ? ((const ScalarArrayOpExpr *) node)->opno : InvalidOid;

	return operator >= FirstNormalObjectId;
}

/* Whether values of a type become text as a setting says, though PostgreSQL calls that immutable. */
static bool
OutputDependsOnSettings(Oid type)
{
	Oid			element = get_base_element_type(type);
	Oid			base = getBaseType(OidIsValid(element) ? element : type);

	return base == FLOAT4OID || base == FLOAT8OID || base == INTERVALOID;
}

/* An expression_tree_walker. */
static bool
HasOutputBySettings(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CoerceViaIO))
	{
		Oid			type = exprType((Node *) castNode(CoerceViaIO, node)->arg);

		if (OutputDependsOnSettings(type) || getBaseType(type) == BYTEAOID)
			return true;
	}
	return expression_tree_walker(node, HasOutputBySettings, context);
}

/* An expression_tree_walker. */
static bool
HasForeignCode(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (HasForeignOperator(node) || check_functions_in_node(node, IsForeignFunction, context))
		return true;
	if (!IsA(node, List) && !IsA(node, CaseWhen) && exprType(node) >= FirstNormalObjectId)
		return true;
	return expression_tree_walker(node, HasForeignCode, context);
}

static void
RefuseExpression(const Making *m, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the expression of attribute \"%.*s\" %s", (int) m->attribute->name.len, m->attribute->name.data, why),
			 errdetail("It is evaluated in every write, and consists of PostgreSQL's own immutable functions, operators and types.")));
}

/* Whether a name, of which parts may be schemas, is looked up elsewhere than in pg_catalog. */
static bool
IsForeignName(const List *name)
{
	return list_length(name) > 2 || (list_length(name) == 2 && strcmp(strVal(linitial(name)), "pg_catalog") != 0);
}

/*
 * A walker of expressions before their analysis, which calls the input functions of types of
 * constants, and so checks of domains, before anything else can tell whose they are.
 */
static bool
HasForeignName(Node *node, void *context)
{
	const List *name;

	if (node == NULL)
		return false;
	name = IsA(node, TypeName) ? castNode(TypeName, node)->names :
		IsA(node, FuncCall) ? castNode(FuncCall, node)->funcname :
		IsA(node, A_Expr) ? castNode(A_Expr, node)->name :
		IsA(node, CollateClause) ? castNode(CollateClause, node)->collname : NIL;
	return IsForeignName(name) || raw_expression_tree_walker(node, HasForeignName, context);
}

/* Returns the only expression of a text. */
static Node *
ParseOneExpression(const Making *m, const char *text)
{
	SelectStmt *select = (SelectStmt *) linitial_node(RawStmt, raw_parser(text, RAW_PARSE_PLPGSQL_EXPR))->stmt;
	ResTarget  *target = list_length(select->targetList) == 1 ? linitial_node(ResTarget, select->targetList) : NULL;

	if (target == NULL || target->name != NULL || select->distinctClause != NIL || select->fromClause != NIL ||
		select->whereClause != NULL || select->groupClause != NIL || select->havingClause != NULL ||
		select->windowClause != NIL || select->sortClause != NIL || select->limitOffset != NULL ||
		select->limitCount != NULL || select->lockingClause != NIL || select->op != SETOP_NONE)
		RefuseExpression(m, "is not one expression");
	if (HasForeignName(target->val, NULL))
		RefuseExpression(m, FOREIGN_CODE);
	return target->val;
}

static Expr *
AnalyzeExpression(Making *m, const char *text, Oid type, int32 typmod)
{
	ParseState *pstate = make_parsestate(NULL);
	Node	   *raw = ParseOneExpression(m, text);
	Node	   *node;
	Node	   *cast;
	Expr	   *planned;

	pstate->p_sourcetext = text;
	pstate->p_pre_columnref_hook = FindInput;
	pstate->p_ref_hook_state = m;
	node = transformExpr(pstate, raw, EXPR_KIND_GENERATED_COLUMN);
	cast = coerce_to_target_type(pstate, node, exprType(node), type, typmod, COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
	if (cast == NULL)
		InvalidArgument("the expression of attribute \"%.*s\" has type %s, not %s", (int) m->attribute->name.len,
						m->attribute->name.data, format_type_be(exprType(node)), format_type_be(type));
	assign_expr_collations(pstate, cast);
	if (HasForeignCode(cast, NULL))
		RefuseExpression(m, FOREIGN_CODE);
	if (HasMutableConstant(cast, NULL))
		RefuseExpression(m, "has a constant whose text depends on settings");
	planned = expression_planner((Expr *) cast);
	if (HasForeignCode((Node *) planned, NULL) || contain_mutable_functions((Node *) planned))
		RefuseExpression(m, "is not immutable");
	if (HasOutputBySettings((Node *) planned, NULL))
		RefuseExpression(m, "makes a text of a type whose output depends on settings");
	free_parsestate(pstate);
	return planned;
}

/* ---- expressions that are ready ---- */

static AttributeCast *
MakeInputCast(Oid type, int32 typmod)
{
	bool		is_time = type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID;

	return is_time ? AttributeCastMake(TIMESTAMPTZOID, INSTANT_TYPMOD) : AttributeCastMake(type, typmod);
}

static void
MakeInputs(Expression *e, const List *inputs)
{
	ListCell   *cell;

	e->inputs = palloc(sizeof(ExpressionInput) * (list_length(inputs) + 1));
	e->values = makeParamList(list_length(inputs));
	foreach(cell, inputs)
	{
		const EntityAttribute *a = lfirst(cell);
		ExpressionInput *input = &e->inputs[e->ninputs++];
		int32		typmod;

		input->name = pnstrdup(a->name.data, a->name.len);
		input->type = DeclaredTypeOf(a, &typmod);
		input->cast = MakeInputCast(input->type, typmod);
		e->values->params[e->ninputs - 1].ptype = input->type;
		e->values->params[e->ninputs - 1].pflags = PARAM_FLAG_CONST;
	}
}

/* Makes an expression in the current memory context; raises its errors. */
static Expression *
MakeExpression(const Entity *entity, const EntityAttribute *a)
{
	Expression *e = palloc0(sizeof(Expression));
	Making		m = {entity, a, NIL};
	int			level = NewGUCNestLevel();
	int32		typmod;
	Expr	   *expr;

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	e->type = DeclaredTypeOf(a, &typmod);
	if (!OidIsValid(e->type) || e->type >= FirstNormalObjectId || !TypeCanHoldAttribute(e->type))
		RefuseExpression(&m, "has a type that is not PostgreSQL's own");
	if (OutputDependsOnSettings(e->type))
		RefuseExpression(&m, "has a type whose output depends on settings");
	expr = AnalyzeExpression(&m, pnstrdup(a->computed.data, a->computed.len), e->type, typmod);
	AtEOXact_GUC(true, level);
	if (m.counterpart != NULL && list_length(m.inputs) > 1)
		InvalidArgument("the expression of attribute \"%.*s\" names other attributes than \"%.*s\", which is computed from it",
						(int) a->name.len, a->name.data, (int) m.counterpart->name.len, m.counterpart->name.data);
	e->copies = IsA(expr, Param);
	MakeInputs(e, m.inputs);
	e->econtext = CreateStandaloneExprContext();
	e->econtext->ecxt_param_list_info = e->values;
	e->state = ExecInitExpr(expr, NULL);
	return e;
}

/* Returns what an expression is made of: its text, and the types of what it may use. */
static char *
ExpressionKey(const Entity *entity, const EntityAttribute *a)
{
	StringInfoData key;

	initStringInfo(&key);
	appendStringInfo(&key, "%.*s %.*s", (int) a->type.len, a->type.data, (int) a->computed.len, a->computed.data);
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *other = &entity->attributes[i];

		if (EntityComputedUses(a, other->name))
			appendStringInfo(&key, "\n%.*s %.*s %.*s", (int) other->name.len, other->name.data, (int) other->type.len,
							 other->type.data == NULL ? "" : other->type.data, (int) other->qualified.len,
							 other->qualified.data == NULL ? "" : other->qualified.data);
	}
	return key.data;
}

static void
ForgetExpressions(void)
{
	while (nknown > 0)
		MemoryContextDelete(known[--nknown]->context);
}

/* Makes an expression and remembers it. */
static Expression *
KeepExpression(const Entity *entity, const EntityAttribute *a, const char *key)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo computed attribute", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Expression *e = MakeExpression(entity, a);

	e->context = context;
	e->key = pstrdup(key);
	MemoryContextSwitchTo(caller);
	if (nknown == MAX_KNOWN_EXPRESSIONS)
		ForgetExpressions();
	MemoryContextSetParent(context, CacheMemoryContext);
	known[nknown++] = e;
	return e;
}

static Expression *
GetExpression(const Entity *entity, const EntityAttribute *a)
{
	char	   *key = ExpressionKey(entity, a);

	for (int i = 0; i < nknown; i++)
	{
		if (strcmp(known[i]->key, key) == 0)
			return known[i];
	}
	return KeepExpression(entity, a, key);
}

/* ---- attributes that are computed from each other ---- */

static bool
HasOnlyInput(const Expression *e, const EntityAttribute *a)
{
	return e->ninputs == 1 && SliceIs(a->name, e->inputs[0].name);
}

/* See EntityValueSource. */
static bool
AreCounterparts(const Entity *entity, const EntityAttribute *a, const EntityAttribute *b)
{
	return HasOnlyInput(GetExpression(entity, a), b) && HasOnlyInput(GetExpression(entity, b), a);
}

Slice
AttributeOtherName(const Entity *entity, Slice name)
{
	const EntityAttribute *a = entity->may_have_counterparts ? EntityAttributeFind(entity, name) : NULL;
	const EntityAttribute *other = a == NULL || a->computed.data == NULL ? NULL : EntityCounterpart(entity, a);

	return other != NULL && GetExpression(entity, a)->copies && GetExpression(entity, other)->copies ? other->name : MISSING_SLICE;
}

/* Checks that an attribute is computed from none that is computed, unless that is computed from it. */
static void
CheckInputs(const Entity *entity, const EntityAttribute *a, const Expression *e)
{
	const EntityAttribute *input = e->ninputs == 0 ? NULL : EntityAttributeFind(entity, SliceOf(e->inputs[0].name));

	if (input != NULL && input->computed.data != NULL && !AreCounterparts(entity, a, input))
		InvalidArgument("the expression of attribute \"%.*s\" names \"%.*s\", which is computed itself", (int) a->name.len,
						a->name.data, (int) input->name.len, input->name.data);
	if (input == NULL || input->computed.data == NULL)
	{
		if (!ValueIsMissing(a->initial) || a->function != DEFAULT_NO_FUNCTION)
			InvalidArgument("attribute \"%.*s\" is computed, and has a default", (int) a->name.len, a->name.data);
	}
}

void
ComputedAttributesCheck(const Entity *entity)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (a->computed.data != NULL)
			CheckInputs(entity, a, MakeExpression(entity, a));
	}
}

/* ---- evaluation ---- */

typedef struct Evaluation
{
	const Entity *entity;
	Expression *expression;
	ValueRef	item;
	ValueRef	result;
} Evaluation;

/* Returns an attribute, which may be in the key alone. */
static ValueRef
InputValue(const Entity *entity, ValueRef item, Slice name)
{
	TemplatePart part = {.kind = PART_TEXT, .name = name, .nsteps = 1, .steps = &name};

	return EntityPartValue(entity, item, &part);
}

static void
SetInput(const Evaluation *v, int i)
{
	const ExpressionInput *input = &v->expression->inputs[i];
	ParamExternData *param = &v->expression->values->params[i];
	ValueRef	value = InputValue(v->entity, v->item, SliceOf(input->name));

	param->value = (Datum) 0;
	param->isnull = ValueIsMissing(value);
	if (!param->isnull)
		param->value = AttributeCastValue(input->cast, value, &param->isnull);
	/* in UTC, a timestamp has the number of the instant */
	if (!param->isnull && input->type == DATEOID)
		param->value = DirectFunctionCall1(timestamp_date, param->value);
}

static void
EvaluateComputed(void *arg)
{
	Evaluation *v = arg;
	bool		isnull;
	Datum		result;

	for (int i = 0; i < v->expression->ninputs; i++)
		SetInput(v, i);
	ResetExprContext(v->expression->econtext);
	result = ExecEvalExprSwitchContext(v->expression->state, v->expression->econtext, &isnull);
	v->result = isnull ? MISSING_VALUE : AttributeFromDatum(result, v->expression->type, MISSING_VALUE);
}

/* In parallel mode nothing is written, and no subtransaction can begin. */
static ErrorData *
TryToCompute(Evaluation *v)
{
	if (!IsInParallelMode())
		return TryInSubtransaction(EvaluateComputed, v);
	EvaluateComputed(v);
	return NULL;
}

/* The message of a failure may have values that the writer may not read. */
static bool
ComputeAttribute(const Entity *entity, const EntityAttribute *a, ValueRef item, ValueRef *value, Problem *problem)
{
	Slice		other = AttributeOtherName(entity, a->name);
	Evaluation	v = {.entity = entity, .item = item, .result = MISSING_VALUE};
	ErrorData  *failure;

	if (other.data != NULL)
	{
		*value = InputValue(entity, item, other);
		return true;
	}
	/* looking for another expression may forget this one */
	v.expression = GetExpression(entity, a);
	failure = TryToCompute(&v);
	if (failure != NULL && !ErrorIsOfValue(failure))
		ReThrowError(failure);
	*value = v.result;
	return failure == NULL ||
		NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS "Attribute %.*s of entity %.*s cannot be computed from the item",
					(int) a->name.len, a->name.data, (int) entity->name.len, entity->name.data);
}

/* ---- default functions ---- */

static ValueRef
MadeValue(const char *text, bool number)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);

	if (number)
		ItemBuilderNumberText(b, text, strlen(text));
	else
		ItemBuilderString(b, text, strlen(text));
	return ItemRoot(ItemBuilderFinish(b));
}

static ValueRef
MakeUuid(void)
{
	unsigned char bytes[16];
	StringInfoData text;

	if (!pg_strong_random(bytes, sizeof(bytes)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
	bytes[6] = (bytes[6] & 0x0f) | 0x40;	/* version 4 */
	bytes[8] = (bytes[8] & 0x3f) | 0x80;	/* variant of RFC 9562 */
	initStringInfo(&text);
	for (int i = 0; i < (int) sizeof(bytes); i++)
		appendStringInfo(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
	return MadeValue(text.data, false);
}

/* The time as an attribute of this type has it: a text in UTC, a day, or seconds since 1970. */
static ValueRef
MakeNow(const EntityAttribute *a)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	ValueRef	text = AttributeFromDatum(TimestampTzGetDatum(now), TIMESTAMPTZOID, MISSING_VALUE);
	int32		typmod;

	if (a->holds == VALUE_N)
		return MadeValue(psprintf(INT64_FORMAT, (int64) timestamptz_to_time_t(now)), true);
	if (a->type.data != NULL && DeclaredTypeOf(a, &typmod) == DATEOID)
		return MadeValue(pnstrdup(ValuePayload(text).data, Min(ValuePayload(text).len, 10)), false);
	return text;
}

static ValueRef
MakeDefault(const EntityAttribute *a)
{
	return a->function == DEFAULT_UUID ? MakeUuid() : MakeNow(a);
}

void
MadeAttributesInit(void)
{
	static const EntityValueSource source = {MakeDefault, ComputeAttribute, AreCounterparts};

	EntitySetValueSource(&source);
}
