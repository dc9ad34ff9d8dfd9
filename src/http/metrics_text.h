/*
 * metrics_text.h
 *	  Prometheus' text format 0.0.4.
 */
#ifndef DYNAMO_HTTP_METRICS_TEXT_H
#define DYNAMO_HTTP_METRICS_TEXT_H

#include "lib/stringinfo.h"

/* Writes what comes before the samples of a metric. */
extern void WriteMetricHeader(StringInfo out, const char *name, const char *type, const char *help);

/* Writes name="value". */
extern void WriteLabel(StringInfo out, const char *name, const char *value);

/* Writes a metric of one sample without labels. */
extern void WriteGauge(StringInfo out, const char *name, const char *help, int64 value);

#endif							/* DYNAMO_HTTP_METRICS_TEXT_H */
