/*
 * faults_settings.c
 *	  The settings of dynamo_faults.
 *
 * Whoever can run a statement can set most of them, for a session or a role: this is a test
 * server.  The endpoint's workers read them from the configuration.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"
#include "utils/varlena.h"

#include "errors.h"
#include "faults/faults.h"

double		fault_throttle;
int			fault_throttle_error = ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED;
double		fault_internal_error;
double		fault_transaction_conflict;
double		fault_unprocessed;
int			fault_latency;
int			fault_page_items;
int			fault_stale_reads;
bool		fault_stale_indexes_only;
int			fault_count;
int			fault_seed;
char	   *fault_operations;
char	   *fault_tables;

static const struct config_enum_entry throttle_errors[] = {
	{"ProvisionedThroughputExceededException", ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED, false},
	{"ThrottlingException", ERRCODE_DYNAMO_THROTTLING, false},
	{NULL, 0, false}
};

static bool
CheckNameList(char **value, void **extra, GucSource source)
{
	char	   *copy = pstrdup(*value);
	List	   *names;
	bool		valid = SplitGUCList(copy, ',', &names);

	list_free(names);
	pfree(copy);
	if (!valid)
		GUC_check_errdetail("List syntax is invalid.");
	return valid;
}

/* A name that is not known would be a fault that never happens. */
static bool
CheckOperationNames(char **value, void **extra, GucSource source)
{
	List	   *names;
	ListCell   *cell;

	if (!CheckNameList(value, extra, source))
		return false;
	(void) SplitGUCList(pstrdup(*value), ',', &names);
	foreach(cell, names)
	{
		const Operation operation = {.name = lfirst(cell)};

		if (OperationNumber(&operation) == 0)
		{
			GUC_check_errdetail("There is no operation \"%s\".", operation.name);
			return false;
		}
	}
	return true;
}

bool
FaultListHas(const char *list, const char *name)
{
	List	   *names;
	ListCell   *cell;

	(void) SplitGUCList(pstrdup(list), ',', &names);
	foreach(cell, names)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	}
	return false;
}

/* A seed that is set again, to the same value too, begins the choices again. */
static void
AssignSeed(int value, void *extra)
{
	FaultChoicesRestart();
}

static void
DefineFraction(const char *name, const char *description, double *variable)
{
	DefineCustomRealVariable(name, description, "From 0, none, to 1, all.", variable, 0, 0, 1,
							 PGC_USERSET, 0, NULL, NULL, NULL);
}

void
FaultSettingsInit(void)
{
	DefineFraction("dynamo_faults.throttle", "Fraction of requests that are throttled.", &fault_throttle);
	DefineCustomEnumVariable("dynamo_faults.throttle_error", "Exception of throttled requests.", NULL,
							 &fault_throttle_error, ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED, throttle_errors,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineFraction("dynamo_faults.internal_error", "Fraction of requests that fail with InternalServerError.",
				   &fault_internal_error);
	DefineFraction("dynamo_faults.transaction_conflict",
				   "Fraction of transactions, and of writes of single items, that fail with a conflict.",
				   &fault_transaction_conflict);
	DefineFraction("dynamo_faults.unprocessed",
				   "Fraction of the keys and writes of batches that are returned as unprocessed.", &fault_unprocessed);
	DefineCustomIntVariable("dynamo_faults.latency", "Time by which each request is delayed.", NULL,
							&fault_latency, 0, 0, 3600 * 1000, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_faults.page_items", "Maximum number of items that a page of Query or Scan reads.",
							"0 means no limit.",
							&fault_page_items, 0, 0, INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_faults.stale_reads",
							"Minimum age of what eventually consistent reads over HTTP see.",
							"They see everything that is twice as old.  0 means that they see the latest writes.",
							&fault_stale_reads, 0, 0, 600 * 1000, PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo_faults.stale_indexes_only", "Only reads of secondary indexes are stale.", NULL,
							 &fault_stale_indexes_only, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_faults.count", "How many requests fail before no more do.",
							"0 means no limit.",
							&fault_count, 0, 0, INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_faults.seed", "Makes the choice of requests that fail repeatable.",
							"0 means another choice each time.",
							&fault_seed, 0, 0, INT_MAX, PGC_USERSET, 0, NULL, AssignSeed, NULL);
	DefineCustomStringVariable("dynamo_faults.operations", "Operations that have faults.",
							   "If it is empty, all that read or write items.",
							   &fault_operations, "", PGC_USERSET, GUC_LIST_INPUT, CheckOperationNames, NULL, NULL);
	DefineCustomStringVariable("dynamo_faults.tables", "Tables whose requests have faults.",
							   "If it is empty, all.",
							   &fault_tables, "", PGC_USERSET, GUC_LIST_INPUT, CheckNameList, NULL, NULL);
	MarkGUCPrefixReserved(FAULTS_LIBRARY);
}
