/*
 * model_read.c
 *	  The checksum of a table's model as the answer to a Query.
 *
 * SDKs send any text as IndexName, and drop members of answers that they do not know.  So
 * the checksum is an item.  It costs no request unit.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "errors.h"
#include "request/model.h"
#include "request/model_read.h"
#include "request/params.h"
#include "table/table.h"
#include "table/table_name.h"

#define CHECKSUM_NAME	"model:checksum"

bool
NamesChecksum(Slice index)
{
	return index.data != NULL && SliceIs(index, CHECKSUM_NAME);
}

/* Nothing but the table can be said. */
static void
RefuseOtherMembers(const Field *input)
{
	static const char *const members[] = {
		"KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues",
		"KeyConditions", "QueryFilter", "AttributesToGet", "ConditionalOperator", "ExclusiveStartKey"
	};

	for (int i = 0; i < (int) lengthof(members); i++)
	{
		if (FieldMember(input, members[i]) != NULL)
			InvalidParameter("%s cannot be used with " CHECKSUM_NAME, members[i]);
	}
}

/* Whoever may read the items, all or some attributes of them, may know their model. */
static void
CheckMayRead(Relation rel)
{
	Oid			relid = RelationGetRelid(rel);

	if (pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, RelationGetRelationName(rel));
}

static char *
ReadChecksum(Oid relid)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			type = REGCLASSOID;
	Datum		value = ObjectIdGetDatum(relid);
	char	   *checksum;

	SPI_connect();
	if (SPI_execute_with_args("SELECT dynamo.model_checksum($1)", 1, &type, &value, NULL, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the checksum of a model");
	checksum = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (checksum == NULL)
		elog(ERROR, "table %u has no model", relid);
	checksum = MemoryContextStrdup(caller, checksum);
	SPI_finish();
	return checksum;
}

void
QueryChecksum(Request *request)
{
	Writer	   *out = request->out;
	Relation	rel;
	char	   *checksum;

	RefuseOtherMembers(request->input);
	rel = TableNameOpen(FieldTableName(request->input), AccessShareLock, false);
	if (!RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found")));
	CheckMayRead(rel);
	checksum = ReadChecksum(RelationGetRelid(rel));
	table_close(rel, NoLock);
	if (!FieldIs(request->input, "Select", "COUNT"))
	{
		WriterName(out, "Items");
		WriterBeginList(out);
		WriterBeginObject(out);
		WriterName(out, "checksum");
		WriterBeginObject(out);
		WriterStringMember(out, "S", checksum);
		WriterEndObject(out);
		WriterEndObject(out);
		WriterEndList(out);
	}
	WriterIntegerMember(out, "Count", 1);
	WriterIntegerMember(out, "ScannedCount", 1);
}
