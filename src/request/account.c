/*
 * account.c
 *	  Operations that concern the account rather than a table.
 */
#include "postgres.h"

#include "request/model.h"
#include "request/operation.h"
#include "worker/api.h"

static const Shape describe_limits_input = {.kind = SHAPE_STRUCTURE, .name = "DescribeLimitsInput"};

/*
 * The quotas of a new account.  Nothing here enforces them: PostgreSQL has no
 * throughput to provision.
 */
static void
DescribeLimitsRequest(Request *request)
{
	WriterIntegerMember(request->out, "AccountMaxReadCapacityUnits", 80000);
	WriterIntegerMember(request->out, "AccountMaxWriteCapacityUnits", 80000);
	WriterIntegerMember(request->out, "TableMaxReadCapacityUnits", 40000);
	WriterIntegerMember(request->out, "TableMaxWriteCapacityUnits", 40000);
}

OPERATION(DescribeLimits, &describe_limits_input, DescribeLimitsRequest);

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

static const Shape describe_endpoints_input = {.kind = SHAPE_STRUCTURE, .name = "DescribeEndpointsRequest"};

static void
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

OPERATION(DescribeEndpoints, &describe_endpoints_input, DescribeEndpointsRequest);
