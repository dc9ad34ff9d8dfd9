/*
 * metrics.c
 *	  Metrics of the HTTP endpoint for Prometheus, and answers about its health.
 *
 * The format is Prometheus' text format 0.0.4.  Names follow the service's own
 * metrics, in the spelling of Prometheus: ConditionalCheckFailedRequests is
 * dynamo_conditional_check_failed_requests_total.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "http/access_key_table.h"
#include "http/log_limit.h"
#include "http/metrics.h"
#include "http/metrics_query.h"
#include "http/metrics_text.h"
#include "http/share.h"
#include "op/consumed.h"
#include "request/operation.h"
#include "stat/stat.h"
#include "version.h"
#include "table/index_relation.h"
#include "worker/identity.h"
#include "worker/permanent.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* ---- requests ---- */

typedef struct CounterMetric
{
	StatCounter counter;
	const char *name;
	const char *help;
} CounterMetric;

static const CounterMetric counter_metrics[] = {
	{STAT_REQUESTS, "dynamo_requests_total", "Requests."},
	{STAT_USER_ERRORS, "dynamo_user_errors_total",
	"Requests that failed with another error of the client."},
	{STAT_CONDITION_FAILURES, "dynamo_conditional_check_failed_requests_total",
	"Requests whose condition failed."},
	{STAT_CANCELED, "dynamo_transactions_canceled_total", "Transactions that were canceled."},
	{STAT_CONFLICTS, "dynamo_transaction_conflict_total",
	"Requests that failed because of a concurrent change."},
	{STAT_SYSTEM_ERRORS, "dynamo_system_errors_total", "Requests that failed with an error of the server."},
	{STAT_ITEMS_RETURNED, "dynamo_returned_item_count_total", "Items returned by reads."},
	{STAT_ITEMS_READ, "dynamo_read_item_count_total",
	"Items read, before filters."},
	{STAT_REQUEST_BYTES, "dynamo_request_bytes_total", "Bytes of requests."},
	{STAT_READ_BYTES, "dynamo_read_bytes_total", "Bytes of the items read, before filters and projections."},
	{STAT_RESPONSE_BYTES, "dynamo_response_bytes_total", "Bytes of successful responses, before compression."},
};

/* An entry and the text of its labels. */
typedef struct LabeledRow
{
	const StatRow *row;
	char	   *labels;
	const char *index;			/* its name; "" for the table itself */
} LabeledRow;

/* Whether an entry counts requests: others only consume capacity. */
static bool
CountsRequests(const StatRow *row)
{
	return row->counters[STAT_REQUESTS] > 0;
}

/*
 * The name of an index in its definition; if the table is locked, that of its
 * relation.
 */
static const char *
IndexName(const StatRow *row)
{
	const char *name = get_rel_name(row->index);
	Relation	rel = NULL;
	TableDef   *def;

	if (ConditionalLockRelationOid(row->relation, AccessShareLock))
		rel = try_table_open(row->relation, NoLock);
	if (rel == NULL)
		return name;
	def = TableDefCopy(rel);
	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		if (FindIndexRelation(def, &def->indexes[i]) == row->index)
			name = def->indexes[i].name;
	}
	table_close(rel, NoLock);
	return name;
}

static char *
LabelsOf(const StatRow *row)
{
	char	   *table = OidIsValid(row->relation) ? get_rel_name(row->relation) : NULL;
	char	   *schema = table != NULL ? get_namespace_name(get_rel_namespace(row->relation)) : NULL;
	StringInfoData labels;

	initStringInfo(&labels);
	WriteLabel(&labels, "operation", OperationName(row->operation));
	appendStringInfoChar(&labels, ',');
	WriteLabel(&labels, "schema", schema != NULL ? schema : "");
	appendStringInfoChar(&labels, ',');
	WriteLabel(&labels, "table", table != NULL ? table : "");
	return labels.data;
}

static void
WriteCounters(StringInfo out, const LabeledRow *rows, int n)
{
	for (size_t i = 0; i < lengthof(counter_metrics); i++)
	{
		const CounterMetric *metric = &counter_metrics[i];

		WriteMetricHeader(out, metric->name, "counter", metric->help);
		for (int k = 0; k < n; k++)
		{
			if (CountsRequests(rows[k].row))
				appendStringInfo(out, "%s{%s} " UINT64_FORMAT "\n", metric->name, rows[k].labels,
								 rows[k].row->counters[metric->counter]);
		}
	}
}

/* One sample for each table and index that has consumed such capacity. */
static void
WriteCapacity(StringInfo out, const LabeledRow *rows, int n, StatCounter counter, double unit,
			  const char *name, const char *help)
{
	WriteMetricHeader(out, name, "counter", help);
	for (int k = 0; k < n; k++)
	{
		uint64		units = rows[k].row->counters[counter];

		if (units == 0)
			continue;
		appendStringInfo(out, "%s{%s,", name, rows[k].labels);
		WriteLabel(out, "index", rows[k].index);
		appendStringInfo(out, "} %.1f\n", (double) units / unit);
	}
}

/* Writes the buckets, which are cumulative in Prometheus. */
static void
WriteHistogram(StringInfo out, const char *name, const LabeledRow *labeled)
{
	const StatRow *row = labeled->row;
	uint64		count = 0;

	for (int i = 0; i < STAT_BOUNDS; i++)
	{
		count += row->buckets[i];
		appendStringInfo(out, "%s_bucket{%s,le=\"%g\"} " UINT64_FORMAT "\n", name,
						 labeled->labels, (double) stat_bounds[i] / USECS_PER_SEC, count);
	}
	count += row->buckets[STAT_BOUNDS];
	appendStringInfo(out, "%s_bucket{%s,le=\"+Inf\"} " UINT64_FORMAT "\n", name, labeled->labels, count);
	appendStringInfo(out, "%s_sum{%s} %.6f\n", name, labeled->labels,
					 (double) row->counters[STAT_MICROSECONDS] / USECS_PER_SEC);
	appendStringInfo(out, "%s_count{%s} " UINT64_FORMAT "\n", name, labeled->labels, count);
}

static LabeledRow
LabelRow(const StatRow *row)
{
	const char *index = OidIsValid(row->index) ? IndexName(row) : "";

	return (LabeledRow) {row, LabelsOf(row), index != NULL ? index : ""};
}

static void
WriteRequests(StringInfo out)
{
	static const char *const latency = "dynamo_request_latency_seconds";
	int			n;
	int			nlabeled = 0;
	StatRow    *rows = StatRows(&n);
	LabeledRow *labeled = palloc(sizeof(LabeledRow) * Max(n, 1));

	for (int i = 0; i < n; i++)
	{
		if (rows[i].operation != STAT_NO_OPERATION)
			labeled[nlabeled++] = LabelRow(&rows[i]);
	}
	WriteCounters(out, labeled, nlabeled);
	WriteCapacity(out, labeled, nlabeled, STAT_READ_HALVES, HALVES_PER_UNIT,
				  "dynamo_consumed_read_capacity_units_total", "Read capacity by the service's rules.");
	WriteCapacity(out, labeled, nlabeled, STAT_WRITE_UNITS, 1,
				  "dynamo_consumed_write_capacity_units_total", "Write capacity by the service's rules.");
	WriteMetricHeader(out, latency, "histogram", "Duration of requests.");
	for (int i = 0; i < nlabeled; i++)
	{
		if (CountsRequests(labeled[i].row))
			WriteHistogram(out, latency, &labeled[i]);
	}
}

/* ---- the endpoint ---- */

/* What is running, as a label: after an upgrade without a restart, the old version. */
static void
WriteBuildInfo(StringInfo out)
{
	WriteMetricHeader(out, "dynamo_build_info", "gauge", "The version of the extension that the server has loaded.");
	appendStringInfoString(out, "dynamo_build_info{");
	WriteLabel(out, "version", DYNAMO_VERSION);
	appendStringInfoString(out, "} 1\n");
}

/* Requests and connections that were refused before anything was executed for a role. */
static void
WriteRefusals(StringInfo out)
{
	static const struct
	{
		LogKind		kind;
		const char *reason;
	}			reasons[] = {
		{LOG_KIND_FULL, "too many clients"},
		{LOG_KIND_MALFORMED, "malformed"},
		{LOG_KIND_TLS, "TLS"},
		{LOG_KIND_HOST, "foreign host or origin"},
		{LOG_KIND_KEY, "unknown access key"},
		{LOG_KIND_SIGNATURE, "signature"},
		{LOG_KIND_ACCESS, "access denied"},
	};

	WriteMetricHeader(out, "dynamo_http_refused_total", "counter",
					  "Requests and connections that were refused before their authentication, by the reason.");
	for (int i = 0; i < (int) lengthof(reasons); i++)
	{
		appendStringInfoString(out, "dynamo_http_refused_total{");
		WriteLabel(out, "reason", reasons[i].reason);
		appendStringInfo(out, "} " UINT64_FORMAT "\n", LogLimitCount(reasons[i].kind));
	}
}

static void
WriteEndpoint(StringInfo out)
{
	int			workers;
	int			connections;

	ShareCounts(&workers, &connections);
	WriteGauge(out, "dynamo_http_workers", "Workers of the HTTP endpoint that accept connections.", workers);
	WriteGauge(out, "dynamo_http_connections", "Connections of clients.", connections);
	WriteGauge(out, "dynamo_in_recovery", "1 if the server is a standby.", RecoveryInProgress());
	WriteGauge(out, "dynamo_http_waiting_for_lock",
			   "Requests that wait for a lock of another transaction.", ShareWaitCount(WAIT_FOR_LOCK));
	WriteGauge(out, "dynamo_http_waiting_for_commit",
			   "Requests whose answer waits until their commit is durable.", ShareWaitCount(WAIT_FOR_COMMIT));
}

static char *
MetricsText(void)
{
	StringInfoData out;

	initStringInfo(&out);
	WriteRequests(&out);
	if (AccessKeyTableExists())
	{
		WriteBuildInfo(&out);
		WriteEndpoint(&out);
		WriteRefusals(&out);
		WriteQueriedMetrics(&out);
	}
	return out.data;
}

/*
 * Calls a function in a transaction, which statement_timeout ends, without the settings of the
 * last request's role.  Its result is in the caller's memory context.  NULL after an error, such
 * as of a lock that others hold, which is to be answered.
 */
static char *
CallForMetrics(char *(*function) (void))
{
	MemoryContext context = CurrentMemoryContext;
	char	   *volatile text = NULL;

	PG_TRY();
	{
		IdentityAssumeSuperuser();
		PermanentWorkerBegin();
		MemoryContextSwitchTo(context);
		text = function();
		PermanentWorkerCommit();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		PermanentWorkerRollback(true);
		text = NULL;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return text;
}

/* ---- health ---- */

static char *
ReadinessText(void)
{
	return AccessKeyTableExists() ? pstrdup("") :
		pstrdup("extension \"dynamo\" is not installed in the database that is served\n");
}

static HttpAnswer
TextAnswer(int status, const char *text)
{
	HttpAnswer	answer = EmptyAnswer(status);

	answer.content_type = SliceOf("text/plain; charset=utf-8");
	answer.body = SliceOf(text);
	return answer;
}

/* What an error of the server is answered with; the log has it. */
static HttpAnswer
FailedAnswer(void)
{
	return TextAnswer(500, "failed; the server log says why\n");
}

static HttpAnswer
ReadyAnswer(bool primary)
{
	const char *problem = CallForMetrics(ReadinessText);

	if (problem == NULL)
		return FailedAnswer();
	if (problem[0] == '\0' && primary && RecoveryInProgress())
		problem = "the server is a standby\n";
	return problem[0] == '\0' ? TextAnswer(200, "ok\n") : TextAnswer(503, problem);
}

bool
HealthAnswer(Slice path, HttpAnswer *answer)
{
	if (SliceIs(path, "/health/live"))
		*answer = TextAnswer(200, "ok\n");
	else if (SliceIs(path, "/health/ready"))
		*answer = ReadyAnswer(false);
	else if (SliceIs(path, "/health/primary"))
		*answer = ReadyAnswer(true);
	else
		return false;
	return true;
}

/* ---- the port of metrics ---- */

HttpAnswer
MetricsAnswer(const HttpRequest *request)
{
	Slice		path = HttpText(request->data, request->head->path);
	HttpAnswer	answer;
	char	   *text;

	if (!SliceIs(HttpText(request->data, request->head->method), "GET"))
		return TextAnswer(405, "only GET is supported\n");
	if (HealthAnswer(path, &answer))
		return answer;
	if (!SliceIs(path, "/metrics"))
		return TextAnswer(404, "the pages are /metrics, /health/live, /health/ready and /health/primary\n");
	text = CallForMetrics(MetricsText);
	if (text == NULL)
		return FailedAnswer();
	answer = TextAnswer(200, text);
	answer.content_type = SliceOf(METRICS_TYPE);
	return answer;
}
