/*
 * metrics.h
 *	  Metrics of the HTTP endpoint for Prometheus, and answers about its health.
 */
#ifndef DYNAMO_HTTP_METRICS_H
#define DYNAMO_HTTP_METRICS_H

#include "http/answer.h"
#include "http/parser.h"

/*
 * Answers a request at the port of metrics: GET /metrics and GET /health/...
 * The answer is in the current memory context.  Must be called outside
 * transactions.
 */
extern HttpAnswer MetricsAnswer(const HttpRequest *request);

/*
 * Answers GET /health/live, /health/ready (requests can be served) and
 * /health/primary (and the server is no standby): 200 or 503.  False for other
 * paths.
 */
extern bool HealthAnswer(Slice path, HttpAnswer *answer);

#endif							/* DYNAMO_HTTP_METRICS_H */
