/*
 * client.c
 *	  Runs one prepared statement as fast as a server answers and prints how
 *	  many a second were done, the microseconds of processor time that the
 *	  server's process spent on each, the number of that process (of the
 *	  last client's, if there are several), and the time from sending one to
 *	  its answer in microseconds: median and 99th percentile, of the slowest
 *	  client.
 *
 *	client [-d conninfo] [-c clients] [-w window] [-b batch]
 *		   [-t seconds | -n count] [-p parameter-file] statement
 *
 * Each line of the parameter file gives one execution's parameters, separated
 * by 0x1F; the lines are used in turn, each client beginning at another one.
 * A window of 1 is the round trip of ordinary clients; a larger one keeps that
 * many statements under way by the protocol's pipeline, each a transaction of
 * its own, so that the server never waits and its cost alone is measured.
 * A batch is that many statements, sent at once, in one transaction.
 * pgbench does neither: it cannot draw text parameters from a list.
 */
#define _GNU_SOURCE
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PARAMS	16
#define MAX_WINDOW	1024
#define SEPARATOR	'\x1f'

typedef struct Row
{
	const char *values[MAX_PARAMS];
} Row;

static const char *conninfo = "";
static int	clients = 1;
static int	window = 1;
static int	batch = 1;			/* statements of a transaction */
static double seconds = 1.0;
static long count = 0;			/* executions of each client; 0: by time */
static const char *statement;
static Row *rows;
static long nrows;
static int	nparams;

typedef struct Result
{
	double		rate;
	double		cpu;			/* microseconds of an execution; 0: unknown */
	int			pid;
	double		median;			/* microseconds until the answer */
	double		p99;
} Result;

/* The times of executions; those after the first million count no more. */
#define MAX_TIMES	1000000
static double *times;
static long ntimes;

static void
die(const char *what, const char *detail)
{
	fprintf(stderr, "bench client: %s: %s\n", what, detail);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * Seconds that a process has been running on a processor: what other processes
 * of a busy machine hardly change.
 */
static double
cpu_seconds(int pid)
{
	char		path[64];
	unsigned long long nanoseconds = 0;
	FILE	   *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%llu", &nanoseconds) != 1)
		nanoseconds = 0;
	fclose(file);
	return nanoseconds / 1e9;
}

/* Splits a line in place. */
static void
parse_row(char *line, Row *row)
{
	int			n = 0;

	for (char *value = line; value != NULL; n++)
	{
		if (n == MAX_PARAMS)
			die("parameter file", "too many parameters");
		row->values[n] = value;
		value = strchr(value, SEPARATOR);
		if (value != NULL)
			*value++ = '\0';
	}
	if (nrows > 0 && n != nparams)
		die("parameter file", "lines differ in their number of parameters");
	nparams = n;
}

static void
read_rows(const char *path)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL;
	size_t		size = 0;
	long		room = 0;
	ssize_t		len;

	if (file == NULL)
		die("cannot open", path);
	while ((len = getline(&line, &size, file)) > 0)
	{
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (nrows == room)
		{
			room = room ? 2 * room : 1024;
			rows = realloc(rows, room * sizeof(Row));
		}
		parse_row(strdup(line), &rows[nrows]);
		nrows++;
	}
	free(line);
	fclose(file);
	if (nrows == 0)
		die("no parameters", path);
}

static PGconn *
connect_and_prepare(void)
{
	PGconn	   *conn = PQconnectdb(conninfo);
	PGresult   *result;

	if (PQstatus(conn) != CONNECTION_OK)
		die("connection", PQerrorMessage(conn));
	result = PQprepare(conn, "s", statement, 0, NULL);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		die("prepare", PQerrorMessage(conn));
	PQclear(result);
	if (PQenterPipelineMode(conn) != 1)
		die("pipeline", PQerrorMessage(conn));
	return conn;
}

/* What comes before a Sync is one transaction. */
static void
send_one(PGconn *conn, long i)
{
	for (long n = i * batch; n < (i + 1) * batch; n++)
	{
		const char *const *values = nparams > 0 ? rows[n % nrows].values : NULL;

		if (PQsendQueryPrepared(conn, "s", nparams, values, NULL, NULL, 0) != 1)
			die("send", PQerrorMessage(conn));
	}
	if (PQpipelineSync(conn) != 1)
		die("send", PQerrorMessage(conn));
}

/* A transaction's results: of each statement its rows and a NULL, and the answer to Sync. */
static void
receive_one(PGconn *conn)
{
	bool		done = false;

	while (!done)
	{
		PGresult   *result = PQgetResult(conn);

		if (result == NULL)
			continue;
		switch (PQresultStatus(result))
		{
			case PGRES_TUPLES_OK:
			case PGRES_COMMAND_OK:
				break;
			case PGRES_PIPELINE_SYNC:
				done = true;
				break;
			default:
				die("statement", PQresultErrorMessage(result));
		}
		PQclear(result);
	}
}

static int
compare_times(const void *a, const void *b)
{
	double		x = *(const double *) a,
				y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Microseconds that a share of the executions stayed below; sorts the times. */
static double
percentile(double share)
{
	if (ntimes == 0)
		return 0;
	qsort(times, ntimes, sizeof(double), compare_times);
	return times[(long) (share * (ntimes - 1))] * 1e6;
}

static long
executions(PGconn *conn, long first, long limit, double until)
{
	long		sent = 0;
	long		done = 0;
	double		sent_at[MAX_WINDOW];

	for (;;)
	{
		while (sent - done < window && (limit == 0 || sent < limit) &&
			   (limit != 0 || now() < until))
		{
			sent_at[sent % window] = now();
			send_one(conn, first + sent++);
		}
		if (done == sent)
			return done;
		receive_one(conn);
		if (ntimes < MAX_TIMES)
			times[ntimes++] = now() - sent_at[done % window];
		done++;
	}
}

static void
report(int fd, Result result)
{
	if (write(fd, &result, sizeof(result)) != sizeof(result))
		die("pipe", "broken");
}

/* One client process: waits for the starting signal, reports its result. */
static void
run_client(int which, int start_fd, int report_fd)
{
	PGconn	   *conn = connect_and_prepare();
	long		first = nrows > 0 ? (long) ((double) which / clients * nrows) : 0;
	long		done;
	double		begin,
				cpu;
	Result		result = {.pid = PQbackendPID(conn)};
	char		byte;

	times = malloc(MAX_TIMES * sizeof(double));
	if (times == NULL)
		die("memory", "not enough");

	/* a few executions for the caches, where repeating them is harmless */
	if (count == 0)
		executions(conn, first, 20, 0);
	report(report_fd, result);
	if (read(start_fd, &byte, 1) < 0)
		die("pipe", "broken");
	ntimes = 0;
	cpu = cpu_seconds(PQbackendPID(conn));
	begin = now();
	done = executions(conn, first, count, begin + seconds);
	result.rate = done / (now() - begin);
	result.cpu = (cpu_seconds(PQbackendPID(conn)) - cpu) * 1e6 / done;
	result.median = percentile(0.5);
	result.p99 = percentile(0.99);
	report(report_fd, result);
	PQfinish(conn);
	exit(0);
}

int
main(int argc, char **argv)
{
	int			start[2],
				reports[2],
				option,
				status;
	Result		result,
				sum = {0};

	while ((option = getopt(argc, argv, "d:c:w:b:t:n:p:")) != -1)
	{
		switch (option)
		{
			case 'd':
				conninfo = optarg;
				break;
			case 'c':
				clients = atoi(optarg);
				break;
			case 'w':
				window = atoi(optarg);
				if (window < 1 || window > MAX_WINDOW)
					die("window", "1 to 1024");
				break;
			case 'b':
				batch = atoi(optarg);
				break;
			case 't':
				seconds = atof(optarg);
				break;
			case 'n':
				count = atol(optarg);
				break;
			case 'p':
				read_rows(optarg);
				break;
			default:
				exit(2);
		}
	}
	if (optind != argc - 1)
		die("usage", "client [options] statement");
	statement = argv[optind];
	if (pipe(start) != 0 || pipe(reports) != 0)
		die("pipe", "cannot make one");
	for (int i = 0; i < clients; i++)
	{
		if (fork() == 0)
		{
			close(start[1]);
			run_client(i, start[0], reports[1]);
		}
	}
	close(start[0]);
	close(reports[1]);
	for (int i = 0; i < clients; i++)
		if (read(reports[0], &result, sizeof(result)) != sizeof(result))
			exit(1);
	close(start[1]);
	for (int i = 0; i < clients; i++)
	{
		if (read(reports[0], &result, sizeof(result)) != sizeof(result))
			exit(1);
		sum.rate += result.rate;
		sum.cpu += result.cpu / clients;
		sum.pid = result.pid;
		sum.median = result.median > sum.median ? result.median : sum.median;
		sum.p99 = result.p99 > sum.p99 ? result.p99 : sum.p99;
	}
	while (wait(&status) > 0)
		if (status != 0)
			exit(1);
	printf("%.3f %.3f %d %.1f %.1f\n", sum.rate, sum.cpu, sum.pid, sum.median, sum.p99);
	return 0;
}
