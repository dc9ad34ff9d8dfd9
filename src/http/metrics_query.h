/*
 * metrics_query.h
 *	  Metrics that are read from views.
 */
#ifndef DYNAMO_HTTP_METRICS_QUERY_H
#define DYNAMO_HTTP_METRICS_QUERY_H

#include "lib/stringinfo.h"

/*
 * Writes the metrics of time to live, streams, index builds and other long
 * work.  The extension must be installed.
 */
extern void WriteQueriedMetrics(StringInfo out);

#endif							/* DYNAMO_HTTP_METRICS_QUERY_H */
