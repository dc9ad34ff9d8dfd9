/*
 * iam_actions.c
 *	  Actions of IAM policies, and the privileges that they need in PostgreSQL.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"

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

/* A text as characters, with a zero at the end. */
static pg_wchar *
Characters(const char *text, int *n)
{
	int			len = (int) strlen(text);
	pg_wchar   *characters = palloc((len + 1) * sizeof(pg_wchar));

	*n = pg_mb2wchar_with_len(text, characters, len);
	return characters;
}

/* Whether an element of a pattern stands for any text. */
static bool
IsAnyText(pg_wchar c)
{
	return c == '*' || c == (pg_wchar) IAM_SEGMENT[0] || c == (pg_wchar) IAM_LABEL[0];
}

/* Whether such an element can contain a character, or a ? of the other pattern. */
static bool
CanContain(pg_wchar any, pg_wchar c)
{
	if (any == (pg_wchar) IAM_LABEL[0])
		return c < 128 && strchr("0123456789-T:.?", (int) c) != NULL;
	return any == '*' || c != ':';
}

/*
 * From the end of a on, row[j] tells whether what follows in a and what follows
 * from position j on in b match one text.
 */
bool
IamPatternsMeet(const char *pattern, const char *other)
{
	int			na;
	int			nb;
	const pg_wchar *a = Characters(pattern, &na);
	const pg_wchar *b = Characters(other, &nb);
	bool	   *row = palloc0((nb + 1) * sizeof(bool));

	for (int i = na; i >= 0; i--)
	{
		bool		diagonal = false;	/* of i + 1 and j + 1 */

		CHECK_FOR_INTERRUPTS();
		for (int j = nb; j >= 0; j--)
		{
			bool		below = i < na && row[j];
			bool		meet;

			if (i == na && j == nb)
				meet = true;
			else if (i < na && a[i] == '*')
				meet = below || (j < nb && row[j + 1]);
			else if (j < nb && IsAnyText(b[j]))
				meet = row[j + 1] || (below && CanContain(b[j], a[i]));
			else
				meet = i < na && j < nb && diagonal && (a[i] == b[j] || a[i] == '?' || b[j] == '?');
			diagonal = below;
			row[j] = meet;
		}
	}
	return row[0];
}
