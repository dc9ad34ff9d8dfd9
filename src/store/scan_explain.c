/*
 * scan_explain.c
 *	  Describes what a range scan reads, from its keys.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "store/scan.h"
#include "store/segment.h"

static void
AppendKeyValue(StringInfo out, ValueType type, Datum value)
{
	if (type == VALUE_N)
		appendStringInfoString(out, DatumGetCString(DirectFunctionCall1(numeric_out, value)));
	else if (type == VALUE_B)
		appendStringInfoString(out, quote_literal_cstr(DatumGetCString(DirectFunctionCall1(byteaout, value))));
	else
		appendStringInfoString(out, quote_literal_cstr(TextDatumGetCString(value)));
}

static const char *
OperatorText(StrategyNumber strategy)
{
	static const char *const names[BTMaxStrategyNumber] = {"<", "<=", "=", ">=", ">"};

	return names[strategy - 1];
}

static void
AppendTests(StringInfo out, const ScanKeys *keys)
{
	for (int i = 0; i < keys->ntests; i++)
	{
		const ScanTest *test = &keys->tests[i];
		const AttributeDef *attr = keys->columns[test->column];

		appendStringInfo(out, "%s%s %s ", i > 0 ? " AND " : "",
						 quote_identifier(attr->column), OperatorText(test->strategy));
		AppendKeyValue(out, attr->type, test->value);
	}
	if (keys->ntests == 0)
		appendStringInfoString(out, "everything");
}

static void
AppendStart(StringInfo out, const ScanKeys *keys)
{
	appendStringInfoString(out, "\nstart: after ");
	for (int i = 0; i < keys->nstart; i++)
	{
		const AttributeDef *attr = keys->columns[keys->nfixed + i];

		appendStringInfo(out, "%s%s = ", i > 0 ? ", " : "", quote_identifier(attr->column));
		AppendKeyValue(out, attr->type, keys->start[i]);
	}
}

static void
AppendBound(StringInfo out, const ScanKeys *keys, const char *word, const Datum *values)
{
	appendStringInfo(out, " %s ", word);
	for (int i = 0; i < keys->schema->npartition; i++)
	{
		appendStringInfoString(out, i > 0 ? ", " : "");
		AppendKeyValue(out, keys->columns[i]->type, values[i]);
	}
}

static void
AppendSegment(StringInfo out, const ScanKeys *keys)
{
	appendStringInfoString(out, "\nsegment: keys");
	if (keys->has_lower)
		AppendBound(out, keys, "from", keys->lower);
	if (keys->has_upper)
		AppendBound(out, keys, "below", keys->upper);
	if (!SegmentIsWhole(keys->segment))
		appendStringInfoString(out, ", by hash");
}

void
ScanKeysDescribe(const ScanKeys *keys, StringInfo out)
{
	appendStringInfoString(out, "\nrange: ");
	if (keys->empty)
		appendStringInfoString(out, "nothing, the start key is the only position");
	else
		AppendTests(out, keys);
	if (keys->nstart > 0)
		AppendStart(out, keys);
	if (keys->segment != NULL)
		AppendSegment(out, keys);
	appendStringInfo(out, "\norder: %s", keys->forward ? "forwards" : "backwards");
}
