/*
 * ttl.c
 *	  UpdateTimeToLive and DescribeTimeToLive.
 *
 * A change is done when the request ends: there is no time of enabling.
 */
#include "postgres.h"

#include "catalog/ttl.h"
#include "errors.h"
#include "request/description.h"
#include "request/operation.h"
#include "request/params.h"

void
UpdateTimeToLiveRequest(Request *request)
{
	const Field *specification = FieldMember(request->input, "TimeToLiveSpecification");
	const char *name = FieldTableName(request->input);
	Slice		attribute = FieldSlice(specification, "AttributeName");
	bool		enabled = FieldBool(specification, "Enabled", false);
	Writer	   *out = request->out;

	TtlChange(name, attribute, enabled);
	WriterName(out, "TimeToLiveSpecification");
	WriterBeginObject(out);
	WriterName(out, "AttributeName");
	WriterSlice(out, attribute);
	WriterBoolMember(out, "Enabled", enabled);
	WriterEndObject(out);
}

void
DescribeTimeToLiveRequest(Request *request)
{
	Writer	   *out = request->out;
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	WriterName(out, "TimeToLiveDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "TimeToLiveStatus",
					   table.def->ttl.data != NULL ? "ENABLED" : "DISABLED");
	if (table.def->ttl.data != NULL)
	{
		WriterName(out, "AttributeName");
		WriterSlice(out, table.def->ttl);
	}
	WriterEndObject(out);
	TableClose(&table);
}
