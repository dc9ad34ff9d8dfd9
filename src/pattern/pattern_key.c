/*
 * pattern_key.c
 *	  Composes the text that an access pattern compares keys with:
 *	  dynamo_system.pattern_key.
 *
 * A condition on an attribute is one on the key that is composed of it:
 *
 *		placed_at >= '2026-01-31'	SK from 'ORDER#2026-01-31'
 *		placed_at > '2026-01-31'	SK from 'ORDER#2026-01-31' and the greatest character
 *		placed_at < '2026-01-31'	SK to 'ORDER#2026-01-30' and the greatest character
 *
 * All of these bounds are inclusive, because those of BETWEEN are, the only
 * condition on a sort key with two bounds.  With an open bound, the range ends
 * with the keys that begin with the known parts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "errors.h"
#include "item/convert.h"
#include "pattern/pattern.h"
#include "view/attribute.h"

/* U+10FFFF, the greatest character, and the smallest character of a text. */
#define GREATEST_CHARACTER	"\xF4\x8F\xBF\xBF"
#define LEAST_CHARACTER		"\x01"

static const char *const comparison_names[] = {
	[KEY_IS] = "=", [KEY_HAS_PREFIX] = "prefix", [KEY_LEADS_FROM] = "leading >=", [KEY_LEADS_TO] = "leading <=",
	[KEY_BEGINS_WITH_PART] = "begins_with",
	[KEY_FROM] = ">=", [KEY_AFTER] = ">", [KEY_TO] = "<=", [KEY_BEFORE] = "<"
};

const char *
KeyComparisonName(KeyComparison comparison)
{
	return comparison_names[comparison];
}

bool
KeyComparisonFromName(Slice name, KeyComparison *comparison)
{
	for (int i = 0; i < (int) lengthof(comparison_names); i++)
	{
		if (!SliceIs(name, comparison_names[i]))
			continue;
		*comparison = i;
		return true;
	}
	return false;
}

/* ---- composing ---- */

/* Whether the last part is a bound, or the start of a text. */
static bool
HasBound(KeyComparison comparison)
{
	return comparison >= KEY_BEGINS_WITH_PART;
}

/* ---- parts that may be absent ---- */

const char *
PatternPartName(const char *part)
{
	return part[0] == ':' ? part + 1 : part;
}

bool
PatternParameterIsOptional(const AccessPattern *pattern, const char *name)
{
	for (int i = 0; i < pattern->nkeys; i++)
	{
		const PatternValue *v = &pattern->keys[i].values[0];

		for (int j = 0; j < Min(list_length(v->parts), list_length(v->parameters)); j++)
		{
			if (((const char *) list_nth(v->parts, j))[0] == ':' && strcmp(list_nth(v->parameters, j), name) == 0)
				return true;
		}
	}
	return false;
}

static bool
IsLowerBound(KeyComparison comparison)
{
	return comparison == KEY_FROM || comparison == KEY_AFTER;
}

/* A PartFinder for the parts before a bound. */
typedef struct KnownParts
{
	const PatternValue *value;
	int			n;
	ParameterFinder find;
	void	   *arg;
} KnownParts;

static ValueRef
FindKnown(void *arg, const TemplatePart *part, const char **reason)
{
	const KnownParts *known = arg;

	for (int i = 0; i < known->n; i++)
	{
		if (SliceIs(part->name, PatternPartName(list_nth(known->value->parts, i))))
			return known->find(known->arg, list_nth(known->value->parameters, i));
	}
	return MISSING_VALUE;
}

/* Returns the number of a part; -1 if it is not one of the known ones. */
static int
KnownPartNumber(const KnownParts *known, const TemplatePart *part)
{
	for (int i = 0; i < known->n; i++)
	{
		if (SliceIs(part->name, PatternPartName(list_nth(known->value->parts, i))))
			return i;
	}
	return -1;
}

/*
 * Whether a part, and all that follow it, may be absent and are.  A part after an absent one
 * is an error.
 */
static bool
IsAbsentTail(const KnownParts *known, int first)
{
	for (int i = first; i < known->n; i++)
	{
		const char *part = list_nth(known->value->parts, i);

		if (i == first && part[0] != ':')
			return false;
		if (ValueIsMissing(known->find(known->arg, list_nth(known->value->parameters, i))))
			continue;
		if (i == first)
			return false;		/* an empty text */
		InvalidArgument("part {%s} is given, but not {%s}, which comes before it", PatternPartName(part),
						PatternPartName(list_nth(known->value->parts, first)));
	}
	return true;
}

/*
 * The text that the keys begin with, or are, has been composed; makes it a bound of them.
 * missing: the first part that it lacks, or NULL.  Returns false if nothing can be found.
 */
static bool
EndLeading(const KnownParts *known, const TemplatePart *missing, StringInfo out)
{
	int			first = missing == NULL ? -1 : KnownPartNumber(known, missing);

	if (first >= 0 && !IsAbsentTail(known, first))
		return false;
	if (missing != NULL && known->value->comparison == KEY_LEADS_TO)
		appendStringInfoString(out, GREATEST_CHARACTER);
	else if (out->len == 0)
		appendStringInfoString(out, LEAST_CHARACTER);
	return true;
}

static const TemplatePart *
FindTemplatePart(const Template *t, const char *name)
{
	for (int i = 0; i < t->npieces; i++)
	{
		if (t->pieces[i].part != NULL && SliceIs(t->pieces[i].part->name, name))
			return t->pieces[i].part;
	}
	InvalidArgument("template \"%.*s\" has no part {%s}", (int) t->source.len, t->source.data, name);
}

/*
 * Ends the text of a bound.  After a part of fixed width more text can follow
 * in the key.
 */
static void
EndBound(KeyComparison comparison, const TemplatePart *part, StringInfo out)
{
	bool		text = part->kind == PART_TEXT;

	if (comparison == KEY_BEFORE && text)
		InvalidArgument("part {%.*s} has no greatest text before another: use <=", (int) part->name.len, part->name.data);
	if (comparison == KEY_BEFORE)
		out->data[out->len - 1]--;
	if (comparison == KEY_AFTER && text)
		appendStringInfoString(out, LEAST_CHARACTER);
	else if (comparison == KEY_BEFORE || ((comparison == KEY_AFTER || comparison == KEY_TO) && !text))
		appendStringInfoString(out, GREATEST_CHARACTER);
}

/*
 * Appends a bound, or what an open one stands for.  An empty text is a bound: it is less
 * than any key has.
 */
static void
AppendPatternBound(const PatternValue *value, const TemplatePart *part, ValueRef bound, StringInfo out)
{
	const char *reason;
	ComposeStatus status = PartAppend(part, bound, out, &reason);
	bool		empty = status == COMPOSE_MISSING && !ValueIsMissing(bound) && ValueTypeOf(bound) == VALUE_S;

	if (status == COMPOSE_UNFIT || (empty && part->kind != PART_TEXT))
		InvalidArgument("the bound of {%.*s} %s", (int) part->name.len, part->name.data, empty ? "is empty" : reason);
	if (status == COMPOSE_OK || (empty && value->comparison != KEY_BEGINS_WITH_PART))
		EndBound(value->comparison, part, out);
	else if (!empty && (value->comparison == KEY_TO || value->comparison == KEY_BEFORE))
		appendStringInfoString(out, GREATEST_CHARACTER);
	if (IsLowerBound(value->comparison) && out->len == 0)
		appendStringInfoString(out, LEAST_CHARACTER);
}

bool
PatternKeyText(const PatternValue *value, ParameterFinder find, void *arg, StringInfo out)
{
	const Template *t = TemplateGet(SliceOf(value->template));
	int			nparts = list_length(value->parts);
	KnownParts	known = {value, HasBound(value->comparison) ? nparts - 1 : nparts, find, arg};
	const TemplatePart *bounded;
	ComposeProblem problem;
	ComposeStatus status = TemplateComposeFrom(t, FindKnown, &known, out, &problem);

	if (status != COMPOSE_UNFIT && (value->comparison == KEY_LEADS_FROM || value->comparison == KEY_LEADS_TO))
		return EndLeading(&known, status == COMPOSE_MISSING ? problem.part : NULL, out);
	if (status == COMPOSE_UNFIT || (status == COMPOSE_MISSING && KnownPartNumber(&known, problem.part) >= 0) ||
		(status == COMPOSE_MISSING && value->comparison == KEY_IS))
		return false;
	if (!HasBound(value->comparison))
		return true;
	bounded = FindTemplatePart(t, llast(value->parts));
	AppendPatternBound(value, bounded, find(arg, llast(value->parameters)), out);
	return out->len > 0;
}

/* ---- the function ---- */

/*
 * The PatternValue of a call whose arguments after the template are pairs of
 * names and values.
 */
typedef struct KeyCall
{
	PatternValue value;
	Oid			types[FLEXIBLE_ARRAY_MEMBER];	/* of the arguments */
} KeyCall;

/* A part and its parameter have one name here, which is found by its address. */
static ValueRef
FindPatternArgument(void *arg, const char *parameter)
{
	FunctionCallInfo fcinfo = arg;
	const KeyCall *call = fcinfo->flinfo->fn_extra;
	int			i = 3;
	ListCell   *cell;

	foreach(cell, call->value.parameters)
	{
		if (lfirst(cell) == parameter)
			break;
		i += 2;
	}
	if (PG_ARGISNULL(i))
		return MISSING_VALUE;
	return AttributeFromDatum(PG_GETARG_DATUM(i), call->types[i], MISSING_VALUE);
}

static void
ReadPartArguments(FunctionCallInfo fcinfo, KeyCall *call)
{
	for (int i = 2; i < PG_NARGS(); i += 2)
	{
		if (i + 1 == PG_NARGS() || PG_ARGISNULL(i) || get_fn_expr_argtype(fcinfo->flinfo, i) != TEXTOID)
			InvalidArgument("parts must be pairs of a name of type text and a value");
		call->types[i + 1] = get_fn_expr_argtype(fcinfo->flinfo, i + 1);
		if (!OidIsValid(call->types[i + 1]) || !TypeCanHoldAttribute(call->types[i + 1]))
			InvalidArgument("the value of part \"%s\" has a type that keys cannot have", TextDatumGetCString(PG_GETARG_DATUM(i)));
		call->value.parts = lappend(call->value.parts, TextDatumGetCString(PG_GETARG_DATUM(i)));
	}
	call->value.parameters = call->value.parts;
}

/*
 * Reads everything but the values of a call, once if it is constant in the
 * plan.
 */
static KeyCall *
ReadCall(FunctionCallInfo fcinfo)
{
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	KeyCall    *call = palloc(offsetof(KeyCall, types) + sizeof(Oid) * PG_NARGS());
	text	   *comparison = PG_GETARG_TEXT_PP(0);

	call->value = (PatternValue) {0};
	if (!KeyComparisonFromName(SliceOfVarlena(comparison), &call->value.comparison))
		InvalidArgument("invalid comparison \"%s\"", text_to_cstring(comparison));
	call->value.template = text_to_cstring(PG_GETARG_TEXT_PP(1));
	ReadPartArguments(fcinfo, call);
	MemoryContextSwitchTo(caller);
	return call;
}

static bool
IsConstant(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < PG_NARGS(); i += i < 2 ? 1 : 2)
	{
		if (!get_fn_expr_arg_stable(fcinfo->flinfo, i))
			return false;
	}
	return true;
}

/*
 * pattern_key(comparison text, template text, VARIADIC parts "any") returns
 * text, which is NULL if a part other than a bound is null, or no key can have
 * it.
 */
DYNAMO_FUNCTION(dynamo_pattern_key);
Datum
dynamo_pattern_key(PG_FUNCTION_ARGS)
{
	KeyCall    *call = fcinfo->flinfo->fn_extra;
	StringInfoData out;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (call == NULL || !IsConstant(fcinfo))
		fcinfo->flinfo->fn_extra = call = ReadCall(fcinfo);
	initStringInfo(&out);
	if (!PatternKeyText(&call->value, FindPatternArgument, fcinfo, &out))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(SliceToText((Slice) {out.data, out.len}));
}
