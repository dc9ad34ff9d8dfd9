/*
 * account.c
 *	  Operations that concern the account rather than a table.
 */
#include "postgres.h"

#include "request/operation.h"
#include "worker/api.h"

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

/* Whether a text consists of bytes that an address can have. */
static bool
IsAddress(Slice host)
{
	for (uint32 i = 0; i < host.len; i++)
	{
		if (host.data[i] <= ' ' || host.data[i] > '~')
			return false;
	}
	return host.len > 0;
}

/*
 * Returns the address by which the client came, because clients continue with
 * the address that they get.
 */
static const char *
FindEndpoint(const Request *request)
{
	if (IsAddress(request->host))
		return pnstrdup(request->host.data, request->host.len);
	return psprintf("dynamodb.%s.amazonaws.com", request_region);
}

void
DescribeEndpointsRequest(Request *request)
{
	Writer	   *out = request->out;

	WriterName(out, "Endpoints");
	WriterBeginList(out);
	WriterBeginObject(out);
	WriterStringMember(out, "Address", FindEndpoint(request));
	WriterIntegerMember(out, "CachePeriodInMinutes", 1440);
	WriterEndObject(out);
	WriterEndList(out);
}
