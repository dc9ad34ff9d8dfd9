/*
 * main.c
 *	  dynamo-move: the command line.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

#ifndef MOVE_VERSION
#define MOVE_VERSION "unknown"
#endif

Options		options = {
	.source = {.role = "source", .lock = PTHREAD_MUTEX_INITIALIZER},
	.target = {.role = "target", .lock = PTHREAD_MUTEX_INITIALIZER},
	.state_name = "dynamo_move",
	.jobs = 4,
	.overlap = 3600,
	.retention = 86400,
	.until_quiet = -1,
	.settle = 5,
	.sample = 1000,
	.show = 10
};

static const struct
{
	const char *name;
	int			(*run) (void);
	const char *purpose;
}			commands[] = {
	{"plan", PlanCommand, "says what would be moved, what it costs, and writes a model of the tables"},
	{"copy", CopyCommand, "copies all items of a table; continues where it was interrupted"},
	{"follow", FollowCommand, "applies the changes since the copy began, and those to come"},
	{"compare", CompareCommand, "compares both tables, and repairs differences"},
	{"switch", SwitchCommand, "ends following, once nobody writes to the source any more"},
	{"reverse", ReverseCommand, "applies the changes since the switch to the source"}
};

enum
{
	OPT_SOURCE_URL = 256, OPT_SOURCE_REGION, OPT_SOURCE_PROFILE, OPT_SOURCE_CA, OPT_SOURCE, OPT_TARGET_URL, OPT_TARGET_REGION,
	OPT_TARGET_PROFILE, OPT_TARGET_CA, OPT_TARGET, OPT_TABLE, OPT_TARGET_TABLE, OPT_NAME, OPT_STATE, OPT_EXPORT, OPT_MODEL, OPT_SEGMENTS,
	OPT_JOBS, OPT_RATE, OPT_OVERLAP, OPT_RETENTION, OPT_QUIET_FOR, OPT_EVERY, OPT_SETTLE, OPT_SAMPLE, OPT_SHOW, OPT_PATIENCE, OPT_CREATE,
	OPT_ENABLE_STREAM, OPT_REPAIR, OPT_BACK, OPT_NO_COMPARE, OPT_QUIET, OPT_HELP, OPT_VERSION
};

/* name, takes a value, and what it is for */
static const struct
{
	const char *name;
	int			value;
	const char *argument;
	const char *purpose;
}			known[] = {
	{"table", OPT_TABLE, "NAME", "table of the source; \"plan\" takes several, by default all"},
	{"target-table", OPT_TARGET_TABLE, "NAME", "its name in the target, by default the same"},
	{"endpoint-url", OPT_SOURCE_URL, "URL", "address of the source, as for the AWS CLI"},
	{"region", OPT_SOURCE_REGION, "NAME", "region of the source"},
	{"profile", OPT_SOURCE_PROFILE, "NAME", "profile with the credentials of the source"},
	{"ca-bundle", OPT_SOURCE_CA, "FILE", "certificate authorities of the source"},
	{"source", OPT_SOURCE, "CONNINFO", "PostgreSQL database that is the source instead"},
	{"target", OPT_TARGET, "CONNINFO", "PostgreSQL database of the target, as for psql, without a password"},
	{"target-endpoint-url", OPT_TARGET_URL, "URL", "address of a target with DynamoDB's API"},
	{"target-region", OPT_TARGET_REGION, "NAME", "region of the target"},
	{"target-profile", OPT_TARGET_PROFILE, "NAME", "profile with the credentials of the target"},
	{"target-ca-bundle", OPT_TARGET_CA, "FILE", "certificate authorities of the target"},
	{"name", OPT_NAME, "NAME", "name of the move, by default the target's table"},
	{"state", OPT_STATE, "NAME", "schema or table of the target for the state of moves (dynamo_move)"},
	{"jobs", OPT_JOBS, "N", "connections that work at the same time (4)"},
	{"rate", OPT_RATE, "UNITS", "read units per second of scans (no limit)"},
	{"patience", OPT_PATIENCE, "SECONDS", "how long to repeat what fails for a while (300)"},
	{"create", OPT_CREATE, NULL, "copy: create the target's table"},
	{"enable-stream", OPT_ENABLE_STREAM, NULL, "copy: start a stream of the source if it has none"},
	{"segments", OPT_SEGMENTS, "N", "copy, compare: segments of the scan"},
	{"export", OPT_EXPORT, "DIRECTORY", "copy: read an export to S3 instead of scanning"},
	{"overlap", OPT_OVERLAP, "SECONDS", "follow: apply changes from so long before the copy (3600)"},
	{"retention", OPT_RETENTION, "SECONDS", "how long the source's stream keeps changes (86400)"},
	{"until-quiet", OPT_QUIET_FOR, "SECONDS", "follow, reverse: end after so long without changes"},
	{"repair", OPT_REPAIR, NULL, "compare: make the target like the source"},
	{"every", OPT_EVERY, "SECONDS", "compare: again and again"},
	{"settle", OPT_SETTLE, "SECONDS", "compare: how long items in motion may differ (5)"},
	{"show", OPT_SHOW, "N", "compare: how many differences to list (10)"},
	{"no-compare", OPT_NO_COMPARE, NULL, "switch: do not compare first"},
	{"back", OPT_BACK, NULL, "switch: back to the source, after \"reverse\""},
	{"model", OPT_MODEL, "FILE", "plan: write a model for dynamo.apply_model"},
	{"sample", OPT_SAMPLE, "N", "plan: items to look at (1000)"},
	{"quiet", OPT_QUIET, NULL, "no progress"},
	{"help", OPT_HELP, NULL, "this text"},
	{"version", OPT_VERSION, NULL, "the version"}
};

#define NKNOWN	(sizeof(known) / sizeof(known[0]))

static void
PrintHelp(void)
{
	printf("dynamo-move moves tables from DynamoDB into PostgreSQL, and between endpoints of DynamoDB's API.\n\n"
		   "Usage: dynamo-move COMMAND --table NAME [OPTION]...\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].purpose);
	printf("\n");
	for (size_t i = 0; i < NKNOWN; i++)
	{
		char	   *left = MoveFormat("--%s%s%s", known[i].name, known[i].argument != NULL ? " " : "", known[i].argument != NULL ? known[i].argument : "");

		printf("  %-29s %s\n", left, known[i].purpose);
		free(left);
	}
	printf("\nCredentials, regions and addresses come from where AWS' tools find them; passwords of PostgreSQL from\n"
		   "PGPASSWORD, PGPASSFILE or a service file. Exit status: 0, 1 if there are differences, 2 after an error.\n");
}

/* What is printed may be all that a command does. */
static void
EndOutput(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		MoveFail("cannot write to the standard output");
}

static double
ReadNumber(const char *name, const char *text, double least, double most)
{
	char	   *end;
	double		value = strtod(text, &end);

	if (end == text || *end != '\0' || !(value >= least && value <= most))
		MoveFail("--%s needs a number from %g to %.0f, not \"%s\"", name, least, most, text);
	return value;
}

static int
ReadCount(const char *name, const char *text, int least, int most)
{
	double		value = ReadNumber(name, text, least, most);

	if (value != (int) value)
		MoveFail("--%s needs a whole number, not \"%s\"", name, text);
	return (int) value;
}

/* Names become JSON. */
static char *
ReadName(const char *name, char *text)
{
	json_t	   *string = json_string(text);

	if (string == NULL)
		MoveFail("the value of --%s is not UTF-8", name);
	json_decref(string);
	return text;
}

static void
TakeOption(int option, const char *name, char *value)
{
	switch (option)
	{
		case OPT_SOURCE_URL: options.source.url = value; break;
		case OPT_SOURCE_REGION: options.source.region = value; break;
		case OPT_SOURCE_PROFILE: options.source.aws.profile = value; break;
		case OPT_SOURCE_CA: options.source.ca_file = value; break;
		case OPT_SOURCE: options.source.conninfo = value; break;
		case OPT_TARGET_URL: options.target.url = value; break;
		case OPT_TARGET_REGION: options.target.region = value; break;
		case OPT_TARGET_PROFILE: options.target.aws.profile = value; break;
		case OPT_TARGET_CA: options.target.ca_file = value; break;
		case OPT_TARGET: options.target.conninfo = value; break;
		case OPT_TABLE:
			options.tables = MoveRealloc(options.tables, (options.ntables + 1) * sizeof(char *));
			options.tables[options.ntables++] = ReadName(name, value);
			break;
		case OPT_TARGET_TABLE: options.target_table = ReadName(name, value); break;
		case OPT_NAME: options.move = ReadName(name, value); break;
		case OPT_STATE: options.state_name = value; break;
		case OPT_EXPORT: options.export_path = value; break;
		case OPT_MODEL: options.model_file = value; break;
		case OPT_SEGMENTS: options.segments = ReadCount(name, value, 1, 1000000); break;
		case OPT_JOBS: options.jobs = ReadCount(name, value, 1, 1000); break;
		case OPT_RATE: options.rate = ReadNumber(name, value, 0.1, 1e9); break;
		case OPT_OVERLAP: options.overlap = ReadNumber(name, value, 0, 1e9); break;
		case OPT_RETENTION: options.retention = ReadNumber(name, value, 1, 1e9); break;
		case OPT_QUIET_FOR: options.until_quiet = ReadNumber(name, value, 0, 1e9); break;
		case OPT_EVERY: options.every = ReadNumber(name, value, 1, 1e9); break;
		case OPT_SETTLE: options.settle = ReadNumber(name, value, 0, 1e9); break;
		case OPT_SAMPLE: options.sample = ReadCount(name, value, 0, 1000000); break;
		case OPT_SHOW: options.show = ReadCount(name, value, 0, 1000000000); break;
		case OPT_PATIENCE: patience = ReadNumber(name, value, 0, 1e9); break;
		case OPT_CREATE: options.create = true; break;
		case OPT_ENABLE_STREAM: options.enable_stream = true; break;
		case OPT_REPAIR: options.repair = true; break;
		case OPT_BACK: options.back = true; break;
		case OPT_NO_COMPARE: options.no_compare = true; break;
		case OPT_QUIET: options.quiet = true; break;
		case OPT_HELP: PrintHelp(); EndOutput(); exit(0);
		case OPT_VERSION: printf("dynamo-move %s\n", MOVE_VERSION); EndOutput(); exit(0);
	}
}

static void
ReadOptions(int argc, char **argv)
{
	struct option list[NKNOWN + 1];
	int			option,
				index;

	memset(list, 0, sizeof(list));
	for (size_t i = 0; i < NKNOWN; i++)
		list[i] = (struct option) {known[i].name, known[i].argument != NULL, NULL, known[i].value};
	while ((option = getopt_long(argc, argv, "", list, &index)) != -1)
	{
		if (option == '?')
			MoveFail("see dynamo-move --help");
		TakeOption(option, list[index].name, optarg);
	}
}

/* What the command line shows, everybody on the machine can read. */
static void
CheckConninfo(const char *conninfo)
{
	char	   *message = NULL;
	PQconninfoOption *parsed = PQconninfoParse(strchr(conninfo, '=') != NULL || strncmp(conninfo, "postgres", 8) == 0 ? conninfo : "", &message);

	if (parsed == NULL)
		MoveFail("cannot read the connection string");
	for (PQconninfoOption *o = parsed; o->keyword != NULL; o++)
	{
		if (o->val != NULL && (strcmp(o->keyword, "password") == 0 || strcmp(o->keyword, "sslpassword") == 0))
			MoveFail("everybody on this machine can read a password in arguments; use PGPASSWORD, PGPASSFILE or a service file");
	}
	PQconninfoFree(parsed);
}

/* Fills in addresses and regions. */
static void
CompleteEndpoint(Endpoint *endpoint, bool environment)
{
	Aws		   *aws = &endpoint->aws;
	const char *host;

	aws->environment = environment;
	aws->explicit_profile = aws->profile != NULL;
	if (endpoint->conninfo != NULL)
	{
		CheckConninfo(endpoint->conninfo);
		return;
	}
	if (endpoint->region == NULL)
		endpoint->region = AwsRegion(aws);
	endpoint->streams_url = endpoint->url;
	if (endpoint->url == NULL)
	{
		endpoint->url = AwsEndpoint(aws, false);
		endpoint->streams_url = AwsEndpoint(aws, true);
	}
	if (endpoint->region == NULL && endpoint->url == NULL)
		MoveFail("no region for the %s; set AWS_REGION or --%sregion", endpoint->role, environment ? "" : "target-");
	if (endpoint->region == NULL)
		endpoint->region = "us-east-1";
	for (const char *c = endpoint->region; *c != '\0'; c++)
	{
		if (!isalnum((unsigned char) *c) && *c != '-')
			MoveFail("invalid region \"%s\"", endpoint->region);
	}
	if (endpoint->url == NULL)
		endpoint->url = MoveFormat("https://dynamodb.%s.amazonaws.com%s", endpoint->region, strncmp(endpoint->region, "cn-", 3) == 0 ? ".cn" : "");
	if (endpoint->streams_url == NULL)
		endpoint->streams_url = MoveFormat("https://streams.dynamodb.%s.amazonaws.com%s", endpoint->region,
										   strncmp(endpoint->region, "cn-", 3) == 0 ? ".cn" : "");
	if (environment && endpoint->ca_file == NULL)
		endpoint->ca_file = getenv("AWS_CA_BUNDLE");
	host = strstr(endpoint->url, ".amazonaws.com");
	endpoint->is_aws = host != NULL && (host[14] == '\0' || host[14] == '/' || host[14] == ':' || host[14] == '.');
}

static void
CheckOptions(bool plan)
{
	CompleteEndpoint(&options.source, true);
	if (plan)
		return;
	if (options.target.conninfo == NULL && options.target.url == NULL && options.target.region == NULL && options.target.aws.profile == NULL)
		MoveFail("no target; use --target for a PostgreSQL database, or --target-endpoint-url");
	if (options.target.conninfo != NULL && options.target.url != NULL)
		MoveFail("--target and --target-endpoint-url name two targets");
	CompleteEndpoint(&options.target, false);
	if (options.ntables != 1)
		MoveFail("name one table with --table");
	if (options.target_table == NULL)
		options.target_table = options.tables[0];
	if (options.move == NULL)
		options.move = options.target_table;
	if (strlen(options.state_name) < 3 || strspn(options.state_name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(options.state_name))
		MoveFail("--state needs at least three of the characters a-z, 0-9 and _");
}

/* The second time, at once. */
static void
HandleStop(int number)
{
	if (move_stop)
		_Exit(128 + number);
	move_stop = 1;
}

int
main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = HandleStop};
	int			status;

	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	json_object_seed(0);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		MoveFail("cannot start libcurl");
	ReadOptions(argc, argv);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
	{
		if (optind + 1 == argc && strcmp(argv[optind], commands[i].name) == 0)
		{
			CheckOptions(commands[i].run == PlanCommand);
			status = commands[i].run();
			EndOutput();
			return status;
		}
	}
	MoveFail("%s; see dynamo-move --help", optind + 1 == argc ? "unknown command" : "name one command");
}
