/*
 * iam_actions.c
 *	  Actions of IAM policies, and the privileges that they need in PostgreSQL.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"

#include "iam/iam.h"

#define READ		ACL_SELECT
#define PUT			(ACL_SELECT | ACL_INSERT | ACL_UPDATE)
#define REMOVE		(ACL_SELECT | ACL_DELETE)

const IamAction iam_actions[] = {
	{"GetItem", IAM_DATA, READ, ACL_SELECT},
	{"BatchGetItem", IAM_DATA, READ, ACL_SELECT},
	{"Query", IAM_DATA, READ, ACL_SELECT},
	{"Scan", IAM_DATA, READ, ACL_SELECT},
	{"PartiQLSelect", IAM_DATA, READ, ACL_SELECT},
	{"SearchVectors", IAM_DATA, READ, ACL_SELECT},
	{"GetRecords", IAM_DATA, READ, ACL_SELECT},
	{"GetShardIterator", IAM_DATA, READ, ACL_SELECT},
	{"DescribeStream", IAM_DATA, READ, ACL_SELECT},
	{"ConditionCheckItem", IAM_DATA, ACL_SELECT | ACL_UPDATE, ACL_SELECT},
	{"PutItem", IAM_DATA, PUT, ACL_INSERT | ACL_UPDATE},
	{"UpdateItem", IAM_DATA, PUT, ACL_INSERT | ACL_UPDATE},
	{"PartiQLInsert", IAM_DATA, PUT, ACL_INSERT | ACL_UPDATE},
	{"PartiQLUpdate", IAM_DATA, PUT, ACL_INSERT | ACL_UPDATE},
	{"DeleteItem", IAM_DATA, REMOVE, ACL_DELETE},
	{"PartiQLDelete", IAM_DATA, REMOVE, ACL_DELETE},
	{"BatchWriteItem", IAM_DATA, PUT | REMOVE, ACL_INSERT | ACL_UPDATE | ACL_DELETE},
	{"ListTables", IAM_FREE},
	{"ListStreams", IAM_FREE},
	{"DescribeTable", IAM_FREE},
	{"DescribeTimeToLive", IAM_FREE},
	{"DescribeContinuousBackups", IAM_FREE},
	{"DescribeLimits", IAM_FREE},
	{"DescribeEndpoints", IAM_FREE},
	{"ListTagsOfResource", IAM_FREE},
	{"ListGlobalTables", IAM_FREE},
	{"DescribeGlobalTable", IAM_FREE},
	{"DescribeGlobalTableSettings", IAM_FREE},
	{"DescribeTableReplicaAutoScaling", IAM_FREE},
	{"DescribeKinesisStreamingDestination", IAM_FREE},
	{"ListContributorInsights", IAM_FREE},
	{"DescribeContributorInsights", IAM_FREE},
	{"GetResourcePolicy", IAM_FREE},
	{"CreateTable", IAM_OWNER},
	{"UpdateTable", IAM_OWNER},
	{"DeleteTable", IAM_OWNER},
	{"UpdateTimeToLive", IAM_OWNER},
	{"UpdateContinuousBackups", IAM_OWNER},
	{"TagResource", IAM_OWNER},
	{"UntagResource", IAM_OWNER},
	{"CreateBackup", IAM_OWNER},
	{"DescribeBackup", IAM_OWNER},
	{"DeleteBackup", IAM_OWNER},
	{"ListBackups", IAM_OWNER},
	{"RestoreTableFromBackup", IAM_OWNER},
	{"RestoreTableToPointInTime", IAM_OWNER},
	{"ImportTable", IAM_OWNER},
	{"DescribeImport", IAM_OWNER},
	{"ListImports", IAM_OWNER},
	{"ExportTableToPointInTime", IAM_OWNER},
	{"DescribeExport", IAM_OWNER},
	{"ListExports", IAM_OWNER},
	{"StartBulkPutItems", IAM_OWNER},
	{"DescribeBulkOperation", IAM_OWNER},
	{"ListBulkOperations", IAM_OWNER},
	{"CancelBulkOperation", IAM_OWNER},
	{"PutResourcePolicy", IAM_OWNER},
	{"DeleteResourcePolicy", IAM_OWNER},
	{"EnableKinesisStreamingDestination", IAM_OWNER},
	{"UpdateKinesisStreamingDestination", IAM_OWNER},
	{"DisableKinesisStreamingDestination", IAM_OWNER},
	{"UpdateContributorInsights", IAM_OWNER},
	{"CreateGlobalTable", IAM_OWNER},
	{"UpdateGlobalTable", IAM_OWNER},
	{"UpdateGlobalTableSettings", IAM_OWNER},
	{"UpdateTableReplicaAutoScaling", IAM_OWNER},
	{"DisassociateTableReplica", IAM_OWNER},
};

const int	iam_nactions = lengthof(iam_actions);

static bool
IsSameCharacter(char a, char b, bool ignore_case)
{
	return ignore_case ? tolower((unsigned char) a) == tolower((unsigned char) b) : a == b;
}

/*
 * A ? is one character of the text, however many bytes it has.  Backtracks only to the last *, so the
 * time is at most the product of the lengths.
 */
bool
IamMatches(const char *pattern, const char *text, bool ignore_case)
{
	const char *star = NULL;
	const char *resume = NULL;

	while (*text != '\0')
	{
		if (*pattern == '*')
		{
			star = pattern++;
			resume = text;
		}
		else if (*pattern == '?')
		{
			pattern++;
			text += pg_mblen(text);
		}
		else if (*pattern != '\0' && IsSameCharacter(*pattern, *text, ignore_case))
		{
			pattern++;
			text++;
		}
		else if (star != NULL)
		{
			pattern = star + 1;
			resume += pg_mblen(resume);
			text = resume;
		}
		else
			return false;
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
