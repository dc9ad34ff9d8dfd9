/*
 * archive_job.c
 *	  The table of jobs, dynamo_internal.archive_jobs.
 *
 * Only these functions read and write it.  A job belongs to the role that owned
 * its table.  It contains the role's OID, so that it follows a change of the name,
 * and nobody inherits it who gets the name later.  An OID means nothing on another
 * server.  So the row also has the identifier of its server, and the trigger
 * dynamo_internal.map_job_owner gives a row that comes from another one, by a dump
 * or a subscription, to the role that has the name of its owner at that time, or to
 * nobody.  A job that is not finished remains one of the other server, which may be
 * writing its files.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "datatype/timestamp.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "archive/archive.h"
#include "archive/archive_model.h"
#include "archive/archive_remove.h"
#include "compat.h"
#include "security/settings_owner.h"

/* A queued job without a worker has failed after this time. */
#define START_TIME		(60 * USECS_PER_SEC)

#define UNFINISHED "status OPERATOR(pg_catalog.=) ANY ('{" JOB_QUEUED "," JOB_RUNNING "," JOB_CANCELLING "}')"

/* Jobs other than backups, and failed ones, are deleted after this time. */
#define KEPT_TIME		(90 * USECS_PER_DAY)

typedef struct JobColumn
{
	const char *name;
	bool		is_text;		/* otherwise a bigint */
	size_t		offset;
} JobColumn;

#define TEXT_COLUMN(name)	{#name, true, offsetof(Job, name)}
#define NUMBER_COLUMN(name)	{#name, false, offsetof(Job, name)}

static const JobColumn columns[] = {
	TEXT_COLUMN(id),
	TEXT_COLUMN(kind),
	TEXT_COLUMN(status),
	TEXT_COLUMN(owner),
	NUMBER_COLUMN(owner_role),
	NUMBER_COLUMN(owner_server),
	NUMBER_COLUMN(relation),
	NUMBER_COLUMN(source),
	NUMBER_COLUMN(moment),
	NUMBER_COLUMN(since),
	TEXT_COLUMN(images),
	TEXT_COLUMN(table_name),
	TEXT_COLUMN(table_id),
	TEXT_COLUMN(table_arn),
	TEXT_COLUMN(arn),
	TEXT_COLUMN(parameters),
	TEXT_COLUMN(details),
	TEXT_COLUMN(model),
	TEXT_COLUMN(token),
	TEXT_COLUMN(directory),
	TEXT_COLUMN(bucket),
	TEXT_COLUMN(prefix),
	TEXT_COLUMN(format),
	TEXT_COLUMN(compression),
	TEXT_COLUMN(delimiter),
	TEXT_COLUMN(header),
	NUMBER_COLUMN(expected),
	NUMBER_COLUMN(started),
	NUMBER_COLUMN(ended),
	NUMBER_COLUMN(items),
	NUMBER_COLUMN(processed),
	NUMBER_COLUMN(errors),
	NUMBER_COLUMN(bytes),
	TEXT_COLUMN(failure_code),
	TEXT_COLUMN(failure_message),
	TEXT_COLUMN(filter),
	TEXT_COLUMN(output_bucket),
	TEXT_COLUMN(output_prefix),
	TEXT_COLUMN(outputs),
	NUMBER_COLUMN(units),
	TEXT_COLUMN(file),
	NUMBER_COLUMN(line),
	NUMBER_COLUMN(put_bytes),
	NUMBER_COLUMN(error_bytes),
	NUMBER_COLUMN(condition_bytes),
	NUMBER_COLUMN(attempts),
};

#define NCOLUMNS ((int) lengthof(columns))

/* ---- statements ---- */

static void *
FieldOf(const Job *job, const JobColumn *column)
{
	return unconstify(char *, (const char *) job) + column->offset;
}

/*
 * Returns a list with a format for each column, in which @ stands for its name
 * and # for its parameter.
 */
static char *
JobColumnList(const char *format)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < NCOLUMNS; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		for (const char *f = format; *f != '\0'; f++)
		{
			if (*f == '@')
				appendStringInfoString(&out, columns[i].name);
			else if (*f == '#')
				appendStringInfo(&out, "$%d", i + 1);
			else
				appendStringInfoChar(&out, *f);
		}
	}
	return out.data;
}

/* Executes a statement with all columns of a job as parameters. */
static void
ExecuteWithJob(const char *sql, const Job *job)
{
	Oid			types[NCOLUMNS];
	Datum		values[NCOLUMNS];
	char		nulls[NCOLUMNS];

	for (int i = 0; i < NCOLUMNS; i++)
	{
		void	   *field = FieldOf(job, &columns[i]);
		bool		null = columns[i].is_text && *(char **) field == NULL;

		types[i] = columns[i].is_text ? TEXTOID : INT8OID;
		nulls[i] = null ? 'n' : ' ';
		values[i] = null ? (Datum) 0 : columns[i].is_text ? CStringGetTextDatum(*(char **) field) :
			Int64GetDatum(*(int64 *) field);
	}
	SPI_connect();
	ExecuteAsSettingsOwner(sql, NCOLUMNS, types, values, nulls);
	SPI_finish();
}

static Job *
JobFromRow(HeapTuple row, TupleDesc desc, MemoryContext context)
{
	Job		   *job = MemoryContextAllocZero(context, sizeof(Job));

	for (int i = 0; i < NCOLUMNS; i++)
	{
		char	   *text = SPI_getvalue(row, desc, i + 1);
		void	   *field = FieldOf(job, &columns[i]);

		if (text == NULL)
			continue;
		if (columns[i].is_text)
			*(char **) field = MemoryContextStrdup(context, text);
		else
			*(int64 *) field = strtoll(text, NULL, 10);
	}
	return job;
}

/* Returns the latest committed versions of the jobs that meet a condition on $1 and $2. */
static List *
SelectJobs(const char *condition, const char *first, const char *second)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			types[2] = {TEXTOID, TEXTOID};
	Datum		values[2] = {CStringGetTextDatum(first), (Datum) 0};
	char		nulls[] = {' ', second != NULL ? ' ' : 'n'};
	char	   *sql = psprintf("SELECT %s FROM dynamo_internal.archive_jobs WHERE %s ORDER BY id DESC",
							   JobColumnList("@"), condition);
	List	   *jobs = NIL;

	if (second != NULL)
		values[1] = CStringGetTextDatum(second);
	SPI_connect();
	ExecuteLatestAsSettingsOwner(sql, 2, types, values, nulls);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Job		   *job = JobFromRow(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, context);
		MemoryContext old = MemoryContextSwitchTo(context);

		jobs = lappend(jobs, job);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	return jobs;
}

/* ---- writing ---- */

/* Does not wait for others that do the same, and whose transaction may be open for long. */
static void
ForgetOldJobs(void)
{
	Oid			type = INT8OID;
	Datum		value = Int64GetDatum(SettingsTime() - KEPT_TIME);

	SPI_connect();
	ExecuteAsSettingsOwner("DELETE FROM dynamo_internal.archive_jobs WHERE id OPERATOR(pg_catalog.=) ANY "
						   "(SELECT j.id FROM dynamo_internal.archive_jobs j WHERE j.started OPERATOR(pg_catalog.<) $1 "
						   "AND (j.kind OPERATOR(pg_catalog.<>) '" JOB_BACKUP "' OR j.status OPERATOR(pg_catalog.=) '" JOB_FAILED "') "
						   "FOR UPDATE SKIP LOCKED)", 1, &type, &value, NULL);
	SPI_finish();
}

void
JobInsert(const Job *job)
{
	ForgetOldJobs();
	ExecuteWithJob(psprintf("INSERT INTO dynamo_internal.archive_jobs (%s) VALUES (%s)",
							JobColumnList("@"), JobColumnList("#")), job);
}

void
JobUpdate(const Job *job)
{
	ExecuteWithJob(psprintf("WITH parameters AS (SELECT %s) UPDATE dynamo_internal.archive_jobs j "
							"SET status = p.status, ended = p.ended, items = p.items, processed = p.processed, "
							"errors = p.errors, bytes = p.bytes, failure_code = p.failure_code, "
							"failure_message = p.failure_message, attempts = p.attempts FROM parameters p "
							"WHERE j.id OPERATOR(pg_catalog.=) p.id", JobColumnList("# AS @")), job);
}

void
JobProgress(const Job *job)
{
	ExecuteWithJob(psprintf("WITH parameters AS (SELECT %s) UPDATE dynamo_internal.archive_jobs j "
							"SET expected = p.expected, items = p.items, processed = p.processed, errors = p.errors, "
							"bytes = p.bytes, file = p.file, line = p.line, put_bytes = p.put_bytes, "
							"error_bytes = p.error_bytes, condition_bytes = p.condition_bytes, attempts = p.attempts FROM parameters p "
							"WHERE j.id OPERATOR(pg_catalog.=) p.id", JobColumnList("# AS @")), job);
}

void
JobCancel(const char *id)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(id);

	SPI_connect();
	ExecuteAsSettingsOwner("UPDATE dynamo_internal.archive_jobs SET status = '" JOB_CANCELLING "' "
						   "WHERE id OPERATOR(pg_catalog.=) $1 AND " UNFINISHED, 1, &type, &value, NULL);
	SPI_finish();
}

void
JobDelete(const char *id)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(id);

	SPI_connect();
	ExecuteAsSettingsOwner("DELETE FROM dynamo_internal.archive_jobs WHERE id OPERATOR(pg_catalog.=) $1",
						   1, &type, &value, NULL);
	SPI_finish();
}

/* ---- the owner ---- */

static int64
ThisServer(void)
{
	return (int64) GetSystemIdentifier();
}

static bool
StatusIsUnfinished(const char *status)
{
	return strcmp(status, JOB_QUEUED) == 0 || strcmp(status, JOB_RUNNING) == 0 || strcmp(status, JOB_CANCELLING) == 0;
}

void
JobSetOwner(Job *job, Oid role)
{
	job->owner = GetUserNameFromId(role, false);
	job->owner_role = role;
	job->owner_server = ThisServer();
}

/*
 * pg_upgrade moves rows to a server with another identifier and the same roles:
 * there the name must agree, too.
 */
Oid
JobOwner(const Job *job)
{
	Oid			role = (Oid) job->owner_role;
	char	   *name = OidIsValid(role) ? GetUserNameFromId(role, true) : NULL;

	if (name == NULL || (job->owner_server != ThisServer() && strcmp(name, job->owner) != 0))
		return InvalidOid;
	return role;
}

DYNAMO_FUNCTION(dynamo_map_job_owner);

Datum
dynamo_map_job_owner(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;
	TupleDesc	desc;
	int			numbers[2];
	Datum		values[2];
	bool		nulls[2] = {false, false};
	Datum		server;
	bool		isnull;
	char	   *name;
	char	   *status;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) || !TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_internal.map_job_owner must be a BEFORE INSERT row trigger")));
	desc = RelationGetDescr(trigger->tg_relation);
	numbers[0] = SPI_fnumber(desc, "owner_role");
	numbers[1] = SPI_fnumber(desc, "owner_server");
	name = SPI_getvalue(trigger->tg_trigtuple, desc, SPI_fnumber(desc, "owner"));
	status = SPI_getvalue(trigger->tg_trigtuple, desc, SPI_fnumber(desc, "status"));
	values[1] = Int64GetDatum(ThisServer());
	if (name == NULL || numbers[0] <= 0 || numbers[1] <= 0 || status == NULL || StatusIsUnfinished(status))
		return PointerGetDatum(trigger->tg_trigtuple);
	server = heap_getattr(trigger->tg_trigtuple, numbers[1], desc, &isnull);
	if (!isnull && DatumGetInt64(server) == ThisServer())
		return PointerGetDatum(trigger->tg_trigtuple);
	values[0] = Int64GetDatum((int64) get_role_oid(name, true));
	return PointerGetDatum(heap_modify_tuple_by_cols(trigger->tg_trigtuple, desc, 2, numbers, values, nulls));
}

/* ---- status ---- */

bool
JobHasStatus(const Job *job, const char *status)
{
	return strcmp(job->status, status) == 0;
}

bool
JobIsUnfinished(const Job *job)
{
	return StatusIsUnfinished(job->status);
}

/* A standby does not see the locks of workers. */
static bool
HasLostWorker(const Job *job)
{
	if (!JobIsUnfinished(job) || RecoveryInProgress() || JobIsAlive(job->id))
		return false;
	return !JobHasStatus(job, JOB_QUEUED) || job->started < SettingsTime() - START_TIME;
}

bool
JobHasLostWorker(const Job *job)
{
	return HasLostWorker(job);
}

/*
 * The worker may have ended after the row was read and before its lock was
 * tried, so the row is read again.
 */
static Job *
CorrectStatus(Job *job)
{
	if (strcmp(job->kind, JOB_BULK) == 0 || !HasLostWorker(job))
		return job;
	job = JobRead(job->id);
	if (job != NULL && JobIsUnfinished(job))
	{
		job->status = JOB_FAILED;
		job->ended = SettingsTime();
		job->failure_code = "InternalServerError";
		job->failure_message = "The server stopped before the operation was complete.";
	}
	return job;
}

/*
 * Locks the row of an unfinished job; false if it has ended, or if another transaction,
 * which can be open for long, is ending it.
 */
static bool
LockUnfinished(const char *id)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(id);
	bool		locked;

	SPI_connect();
	ExecuteAsSettingsOwner("SELECT FROM dynamo_internal.archive_jobs WHERE id OPERATOR(pg_catalog.=) $1 AND " UNFINISHED
						   " FOR UPDATE SKIP LOCKED", 1, &type, &value, NULL);
	locked = SPI_processed > 0;
	SPI_finish();
	return locked;
}

/* A restore that has lost its worker continues when its table is described, a bulk operation when it is described itself. */
void
JobsEndLost(void)
{
	ListCell   *cell;

	foreach(cell, SelectJobs(UNFINISHED " AND kind OPERATOR(pg_catalog.<>) $1 AND kind OPERATOR(pg_catalog.<>) $2",
								JOB_RESTORE, JOB_BULK))
	{
		Job		   *job = HasLostWorker(lfirst(cell)) ? CorrectStatus(lfirst(cell)) : NULL;

		if (job == NULL || job->owner_server != ThisServer() || !JobHasStatus(job, JOB_FAILED) || !LockUnfinished(job->id))
			continue;
		JobUpdate(job);
		if (strcmp(job->kind, JOB_IMPORT) != 0)
			JobRemoveFilesAtCommit(job, job->directory);
	}
}

/* ---- reading ---- */

static bool
IsVisibleJob(const Job *job)
{
	Oid			owner = JobOwner(job);

	return superuser() || (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner));
}

Job *
JobRead(const char *id)
{
	List	   *jobs = SelectJobs("id OPERATOR(pg_catalog.=) $1 AND $2 IS NULL", id, NULL);

	return jobs != NIL ? linitial(jobs) : NULL;
}

Job *
JobFind(const char *kind, const char *id)
{
	Job		   *job = JobRead(id);

	if (job == NULL || strcmp(job->kind, kind) != 0 || !IsVisibleJob(job))
		return NULL;
	return CorrectStatus(job);
}

/* Returns those that the user may see. */
static List *
FilterVisible(const List *jobs)
{
	List	   *visible = NIL;
	ListCell   *cell;

	foreach(cell, jobs)
	{
		Job		   *job = IsVisibleJob(lfirst(cell)) ? CorrectStatus(lfirst(cell)) : NULL;

		if (job != NULL)
			visible = lappend(visible, job);
	}
	return visible;
}

Job *
JobFindByToken(const char *kind, const char *token)
{
	List	   *jobs = FilterVisible(SelectJobs("kind OPERATOR(pg_catalog.=) $1 AND token OPERATOR(pg_catalog.=) $2",
											    kind, token));

	return jobs != NIL ? linitial(jobs) : NULL;
}

List *
JobList(const char *kind, const char *table_name)
{
	return FilterVisible(SelectJobs("kind OPERATOR(pg_catalog.=) $1 AND "
								    "($2 IS NULL OR table_name OPERATOR(pg_catalog.=) $2)",
								    kind, table_name));
}

Job *
JobThatLoads(const TableDef *def)
{
	ListCell   *cell;

	foreach(cell, SelectJobs("relation OPERATOR(pg_catalog.=) $1::pg_catalog.int8 AND $2 IS NULL AND " UNFINISHED
								" AND kind OPERATOR(pg_catalog.=) ANY ('{" JOB_IMPORT "," JOB_RESTORE "}')",
								psprintf("%u", def->relid), NULL))
	{
		Job		   *job = lfirst(cell);
		bool		restores = strcmp(job->kind, JOB_RESTORE) == 0;

		if (!restores)
			job = CorrectStatus(job);
		if (restores ? AwaitsRestore(def) : job != NULL && JobIsUnfinished(job))
			return job;
	}
	return NULL;
}

int
JobsInProgress(Oid role)
{
	int			n = 0;
	ListCell   *cell;

	foreach(cell, SelectJobs(UNFINISHED " AND $1 IS NOT NULL AND $2 IS NULL", "", NULL))
	{
		if ((!OidIsValid(role) || JobOwner(lfirst(cell)) == role) && !HasLostWorker(lfirst(cell)))
			n++;
	}
	return n;
}

bool
BackupIsBeingRestored(const char *id)
{
	ListCell   *cell;

	foreach(cell, SelectJobs("prefix OPERATOR(pg_catalog.=) $1 AND kind OPERATOR(pg_catalog.=) $2 AND " UNFINISHED,
							 BackupPrefix(id), JOB_RESTORE))
	{
		if (!HasLostWorker(lfirst(cell)))
			return true;
	}
	return false;
}
