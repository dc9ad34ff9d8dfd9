/*
 * account.c
 *	  Operations that say something of the account, not of a table.
 */
#include "postgres.h"

#include "request/operation.h"

/*
 * The quotas of a new account.  Nothing here enforces them: PostgreSQL has no
 * throughput to provision.
 */
void
DescribeLimitsRequest(Request *request)
{
	WriterIntegerMember(request->out, "AccountMaxReadCapacityUnits", 80000);
	WriterIntegerMember(request->out, "AccountMaxWriteCapacityUnits", 80000);
	WriterIntegerMember(request->out, "TableMaxReadCapacityUnits", 40000);
	WriterIntegerMember(request->out, "TableMaxWriteCapacityUnits", 40000);
}

void
DescribeEndpointsRequest(Request *request)
{
	Writer	   *out = request->out;

	WriterName(out, "Endpoints");
	WriterBeginList(out);
	WriterBeginObject(out);
	WriterStringMember(out, "Address", psprintf("dynamodb.%s.amazonaws.com", request_region));
	WriterIntegerMember(out, "CachePeriodInMinutes", 1440);
	WriterEndObject(out);
	WriterEndList(out);
}
