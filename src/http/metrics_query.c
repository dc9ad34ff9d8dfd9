/*
 * metrics_query.c
 *	  Metrics that are read from views.
 */
#include "postgres.h"

#include "executor/spi.h"

#include "http/metrics_query.h"
#include "http/metrics_text.h"
#include "security/settings_owner.h"

/* The columns of each query: four labels, and then the values of its metrics. */
#define LABELS	4

typedef struct QueriedMetric
{
	const char *name;
	const char *type;
	const char *help;
} QueriedMetric;

#define MAX_METRICS	2

typedef struct MetricQuery
{
	const char *sql;
	const char *labels[LABELS];
	QueriedMetric metrics[MAX_METRICS + 1];
} MetricQuery;

static const MetricQuery queries[] = {
	{
		"SELECT schema_name, table_name, '' AS none, '' AS none, items_expired, lag FROM dynamo.stat_time_to_live",
		{"schema", "table", NULL, NULL},
		{
			{"dynamo_time_to_live_deleted_item_count_total", "counter",
			"Items deleted because their time to live had passed."},
			{"dynamo_time_to_live_lag_seconds", "gauge",
			"Seconds since the expiry time of the oldest expired item; 0 if there is none."},
		}
	},
	{
		/* not dynamo.stat_streams, whose sizes wait for locks of the owners */
		"SELECT s.schema_name, s.table_name, s.label, '' AS none, l.lag, l.oldest_record FROM dynamo.streams s "
		"CROSS JOIN LATERAL dynamo_internal.stream_lag(s.stream_relation::pg_catalog.oid) l",
		{"schema", "table", "stream", NULL},
		{
			{"dynamo_stream_lag_seconds", "gauge",
			"Age of the oldest record that readers wait for, because its transaction is open."},
			{"dynamo_stream_oldest_record_age_seconds", "gauge", "Age of the oldest record."},
		}
	},
	{
		"SELECT schema_name, table_name, index_name, key_hash, accesses FROM ("
		"SELECT *, pg_catalog.row_number() OVER (PARTITION BY schema_name, table_name, index_name "
		"ORDER BY accesses DESC, key_hash) AS place FROM dynamo.stat_keys) k "
		"WHERE place OPERATOR(pg_catalog.<=) 10",
		{"schema", "table", "index", "key"},
		{
			{"dynamo_hot_key_accesses_total", "counter",
			"Accesses to the ten hottest partition keys of each table and index with contributor insights."},
		}
	},
};

/* It reads the definitions of all tables, so it is asked only while there are builds. */
static const MetricQuery build_query = {
	"SELECT schema_name, table_name, index_name, '' AS none, "
	"CASE WHEN rows_estimated OPERATOR(pg_catalog.>) 0 "
	"THEN LEAST(100, 100 OPERATOR(pg_catalog.*) rows_done OPERATOR(pg_catalog./) rows_estimated) END "
	"FROM dynamo.index_progress WHERE phase OPERATOR(pg_catalog.<>) 'complete'",
	{"schema", "table", "index", NULL},
	{
		{"dynamo_online_index_percentage_progress", "gauge",
		"Percentage of the rows that an unfinished index build has filled."},
	}
};

static void
WriteSample(StringInfo out, const MetricQuery *query, int metric, HeapTuple tuple, TupleDesc desc)
{
	char	   *value = SPI_getvalue(tuple, desc, LABELS + metric + 1);
	const char *before = "{";

	if (value == NULL)
		return;
	appendStringInfoString(out, query->metrics[metric].name);
	for (int i = 0; i < LABELS; i++)
	{
		char	   *label = SPI_getvalue(tuple, desc, i + 1);

		if (query->labels[i] == NULL)
			continue;
		appendStringInfoString(out, before);
		WriteLabel(out, query->labels[i], label != NULL ? label : "");
		before = ",";
	}
	appendStringInfo(out, "} %s\n", value);
}

static void
WriteQuery(StringInfo out, const MetricQuery *query)
{
	ExecuteLatestAsSettingsOwner(query->sql, 0, NULL, NULL, NULL);
	for (int m = 0; query->metrics[m].name != NULL; m++)
	{
		const QueriedMetric *metric = &query->metrics[m];

		WriteMetricHeader(out, metric->name, metric->type, metric->help);
		for (uint64 i = 0; i < SPI_processed; i++)
			WriteSample(out, query, m, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
	}
}

static int64
CountBuilds(void)
{
	bool		isnull;

	ExecuteLatestAsSettingsOwner("SELECT pg_catalog.count(*) FROM dynamo_internal.index_builds "
								 "WHERE phase OPERATOR(pg_catalog.<>) 'complete'", 0, NULL, NULL, NULL);
	return SPI_processed == 1 ?
		DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)) : 0;
}

void
WriteQueriedMetrics(StringInfo out)
{
	int64		builds;

	SPI_connect();
	builds = CountBuilds();
	WriteGauge(out, "dynamo_index_builds", "Index builds that are not complete.", builds);
	for (size_t i = 0; i < lengthof(queries); i++)
		WriteQuery(out, &queries[i]);
	if (builds > 0)
		WriteQuery(out, &build_query);
	SPI_finish();
}
