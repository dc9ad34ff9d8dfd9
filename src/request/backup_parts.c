/*
 * backup_parts.c
 *	  What a backup keeps of a table that requests do not know.
 *
 * Two SQL functions do the work: dynamo_internal.backup_parts describes the
 * parts, and dynamo_internal.restore_statements makes statements of them.  These
 * contain code of the owner, such as the expressions of indexes.  Whoever else
 * restores the backup, perhaps a superuser, does not execute it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "request/backup_parts.h"
#include "subtransaction.h"
#include "table/table_name.h"

/*
 * Calls a function of dynamo_internal, whose schema users cannot use, by its
 * OID; returns the text of its json, or NULL.
 */
static char *
CallInternal(const char *name, int nargs, const Oid *types, const NullableDatum *args)
{
	LOCAL_FCINFO(call, 3);
	FmgrInfo	function;
	Datum		result;
	Oid			oid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
									  PointerGetDatum(buildoidvector(types, nargs)),
									  ObjectIdGetDatum(get_namespace_oid(INTERNAL_SCHEMA, false)));

	if (!OidIsValid(oid))
		elog(ERROR, "function %s.%s does not exist", INTERNAL_SCHEMA, name);
	fmgr_info(oid, &function);
	InitFunctionCallInfoData(*call, &function, nargs, DEFAULT_COLLATION_OID, NULL, NULL);
	memcpy(call->args, args, sizeof(NullableDatum) * nargs);
	result = FunctionCallInvoke(call);
	return call->isnull ? NULL : TextDatumGetCString(result);
}

static Jsonb *
PartJsonb(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

static char *
PartAsText(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* ---- backup ---- */

static void
ReportOmitted(Oid relid, const char *parts)
{
	Jsonb	   *json = PartJsonb(parts);
	StringInfoData names;
	JsonbValue	list;

	if (getKeyJsonValueFromContainer(&json->root, "omitted", strlen("omitted"), &list) == NULL)
		return;
	initStringInfo(&names);
	for (uint32 i = 0; i < JsonContainerSize(list.val.binary.data); i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 PartAsText(getIthJsonbValueFromContainer(list.val.binary.data, i)));
	ereport(NOTICE,
			(errmsg("the backup of table \"%s\" omits %s", get_rel_name(relid), names.data),
			 errhint("pg_dump contains them.")));
}

Slice
BackupParts(Oid relid)
{
	Oid			types[] = {REGCLASSOID};
	NullableDatum args[] = {{.value = ObjectIdGetDatum(relid)}};
	char	   *parts = CallInternal("backup_parts", 1, types, args);

	ReportOmitted(relid, parts);
	return SliceOf(parts);
}

/* ---- restore ---- */

/* Runs as a user's statement would, in a subtransaction. */
static void
RunPart(void *arg)
{
	SPI_connect();
	if (SPI_execute(arg, false, 0) < 0)
		elog(ERROR, "could not execute: %s", (char *) arg);
	SPI_finish();
	CommandCounterIncrement();
}

/* A part is a list: what it is, whether it has code of the owner, the statement. */
static void
RestorePart(JsonbContainer *part, bool by_owner)
{
	char	   *what = PartAsText(getIthJsonbValueFromContainer(part, 0));
	bool		code = getIthJsonbValueFromContainer(part, 1)->val.boolean;
	char	   *statement = PartAsText(getIthJsonbValueFromContainer(part, 2));
	ErrorData  *error;

	if (code && !by_owner)
	{
		ereport(NOTICE,
				(errmsg("%s was not restored", what),
				 errdetail("Only the owner of the backup can restore it.")));
		return;
	}
	error = TryInSubtransaction(RunPart, statement);
	if (error != NULL)
		ereport(NOTICE,
				(errmsg("%s was not restored", what),
				 errdetail_internal("%s", error->message)));
}

void
BackupPartsRestore(const Job *backup, const Field *parts, Oid relid)
{
	bool		by_owner = JobOwner(backup) == GetUserId();
	Oid			types[] = {JSONOID, TEXTOID, REGCLASSOID};
	NullableDatum args[3] = {{0}};
	Jsonb	   *list;

	if (parts == NULL)
		return;
	args[0].value = CStringGetTextDatum(pnstrdup(parts->text.data, parts->text.len));
	args[1].value = CStringGetTextDatum(TableNameOfRelation(relid));
	args[2].value = ObjectIdGetDatum(relid);
	list = PartJsonb(CallInternal("restore_statements", 3, types, args));
	for (uint32 i = 0; i < JB_ROOT_COUNT(list); i++)
		RestorePart(getIthJsonbValueFromContainer(&list->root, i)->val.binary.data, by_owner);
}
