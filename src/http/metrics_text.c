/*
 * metrics_text.c
 *	  Prometheus' text format 0.0.4.
 */
#include "postgres.h"

#include "http/metrics_text.h"

void
WriteMetricHeader(StringInfo out, const char *name, const char *type, const char *help)
{
	appendStringInfo(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
WriteLabel(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "%s=\"", name);
	for (const char *c = value; *c != '\0'; c++)
	{
		if (*c == '\n')
			appendStringInfoString(out, "\\n");
		else if (*c == '"' || *c == '\\')
			appendStringInfo(out, "\\%c", *c);
		else
			appendStringInfoChar(out, *c);
	}
	appendStringInfoChar(out, '"');
}

void
WriteGauge(StringInfo out, const char *name, const char *help, int64 value)
{
	WriteMetricHeader(out, name, "gauge", help);
	appendStringInfo(out, "%s " INT64_FORMAT "\n", name, value);
}
