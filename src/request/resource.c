/*
 * resource.c
 *	  The table that a request names by ResourceArn.
 */
#include "postgres.h"

#include "errors.h"
#include "request/arn.h"
#include "request/resource.h"

/* Only a stream may follow the table's name. */
static void
CheckBelowTable(const Arn *arn, const char *text)
{
	const char *below = strchr(strchr(arn->resource, '/') + 1, '/');

	if (below == NULL || strncmp(below, "/stream/", 8) == 0)
		return;
	if (strncmp(below, "/index/", 7) == 0)
		InvalidParameter("Invalid resource arn provided, only table or stream is accepted. "
						 "Provided resource arn: %s", text);
	InvalidParameter("Provided Arn is not a DynamoDB resource arn: %s", text);
}

char *
ResourceTable(const char *arn)
{
	Arn			parts;
	char	   *name;

	if (strncmp(arn, "arn:", 4) != 0)
		InvalidParameter("ARNs must start with 'arn:': %s", arn);
	if (!ArnParse(arn, &parts) || !ArnIsOfPartition(&parts))
		InvalidParameter("Provided Arn is not a DynamoDB resource arn: %s", arn);
	if (!ArnIsOfRegion(&parts) || !ArnHasTable(&parts, &name))
		InvalidRequest("Invalid TableArn: Invalid ResourceArn provided as input %s", arn);
	CheckBelowTable(&parts, arn);
	return ArnIsOfAccount(&parts) && ArnIsTable(&parts, &name) ? name : NULL;
}
