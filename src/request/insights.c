/*
 * insights.c
 *	  Contributor insights: UpdateContributorInsights, DescribeContributorInsights
 *	  and ListContributorInsights.
 *
 * A table or index whose insights are enabled has an attachment, whose value is
 * the mode.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "errors.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "security/settings_owner.h"
#include "stat/key_sketch.h"
#include "table/table_list.h"

#define DEFAULT_MODE	INSIGHTS_OF_ACCESSES
#define LIST_LIMIT		100

/* Opens the table, and checks that it has the index. */
static void
OpenWithIndex(OpenedTable *table, const Request *request, LOCKMODE lockmode)
{
	const char *index = FieldString(request->input, "IndexName");

	TableOpen(table, FieldTableName(request->input), lockmode);
	if (index != NULL && TableDefIndex(table->def, index) == NULL)
		IndexNotFound(table, index);
}

/* The table or the index, and the state of its insights. */
static void
WriterInsights(Writer *out, const char *table_name, const char *index, const char *status, const char *mode)
{
	WriterStringMember(out, "TableName", table_name);
	if (index != NULL && *index != '\0')
		WriterStringMember(out, "IndexName", index);
	WriterStringMember(out, "ContributorInsightsStatus", status);
	if (mode != NULL)
		WriterStringMember(out, "ContributorInsightsMode", mode);
}

/* The name of the attachment: that of the index, or "" for the table. */
static const char *
InsightsName(const Request *request)
{
	const char *index = FieldString(request->input, "IndexName");

	return index != NULL ? index : "";
}

/* ---- one table or index ---- */

static const Member describe_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
};
static const Shape describe_insights_input =
STRUCTURE("DescribeContributorInsightsInput", describe_insights_members);

static void
DescribeContributorInsightsRequest(Request *request)
{
	OpenedTable table;
	const TableAttachment *insights;

	OpenWithIndex(&table, request, AccessShareLock);
	insights = TableAttachmentRead(table.rel, ATTACHED_INSIGHTS, InsightsName(request));
	WriterInsights(request->out, table.name, InsightsName(request),
				   insights != NULL ? "ENABLED" : "DISABLED", insights != NULL ? insights->value : NULL);
	if (insights != NULL)
		WriterTimeMember(request->out, "LastUpdateDateTime", insights->changed);
	TableClose(&table);
}

OPERATION(DescribeContributorInsights, &describe_insights_input, DescribeContributorInsightsRequest,
		  .on_coordinator = true);

static const char *const insights_actions[] = {"ENABLE", "DISABLE", NULL};
static const Shape insights_action = ENUM(insights_actions);
static const char *const insights_modes[] = {DEFAULT_MODE, "THROTTLED_KEYS", NULL};
static const Shape insights_mode = ENUM(insights_modes);
static const Member update_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
	REQUIRED("ContributorInsightsAction", insights_action),
	MEMBER("ContributorInsightsMode", insights_mode),
};
static const Shape update_insights_input =
STRUCTURE("UpdateContributorInsightsInput", update_insights_members);

static void
EnableInsights(Request *request, const OpenedTable *table)
{
	const char *mode = FieldString(request->input, "ContributorInsightsMode");
	TableAttachment insights = {
		.name = pstrdup(InsightsName(request)),
		.value = pstrdup(mode != NULL ? mode : DEFAULT_MODE),
		.changed = SettingsTime()
	};

	TableAttachmentWrite(table->rel, ATTACHED_INSIGHTS, &insights);
	CacheInvalidateRelcache(table->rel);	/* monitor/hot_keys.c looks again */
	WriterInsights(request->out, table->name, insights.name, "ENABLING", insights.value);
}

static void
UpdateContributorInsightsRequest(Request *request)
{
	OpenedTable table;

	OpenWithIndex(&table, request, ShareUpdateExclusiveLock);
	if (FieldIs(request->input, "ContributorInsightsAction", "ENABLE"))
		EnableInsights(request, &table);
	else
	{
		TableAttachmentRemove(table.rel, ATTACHED_INSIGHTS, InsightsName(request));
		CacheInvalidateRelcache(table.rel);
		KeySketchForget(RelationGetRelid(table.rel), InsightsName(request));
		WriterInsights(request->out, table.name, InsightsName(request), "DISABLED",
					   FieldString(request->input, "ContributorInsightsMode"));
	}
	TableClose(&table);
}

OPERATION(UpdateContributorInsights, &update_insights_input, UpdateContributorInsightsRequest, .changes = "TableName");

/* ---- all of them ---- */

static const Shape at_most_hundred = {.kind = SHAPE_INTEGER, .max = 100};
static const Member list_insights_members[] = {
	MEMBER("TableName", model_defined_table),
	MEMBER("NextToken", model_string),
	MEMBER("MaxResults", at_most_hundred),
};
static const Shape list_insights_input = STRUCTURE("ListContributorInsightsInput", list_insights_members);

/* A page of the list; its token is the table and the index of the last entry. */
typedef struct InsightsPage
{
	Writer	   *out;
	const char *after;			/* token; NULL for the first page */
	int64		room;
	char	   *last;			/* the token of the last entry */
	bool		more;
} InsightsPage;

/* A space sorts before all characters of names. */
static char *
EntryToken(const char *table_name, const char *index)
{
	return psprintf("%s %s", table_name, index);
}

static bool
IsEntryToken(const char *token)
{
	const char *space = strchr(token, ' ');

	return space != NULL && space > token;
}

static void
ListEntry(InsightsPage *page, const OpenedTable *table, const TableAttachment *insights)
{
	char	   *token = EntryToken(table->name, insights->name);

	if (*insights->name != '\0' && TableDefIndex(table->def, insights->name) == NULL)
		return;
	if (page->after != NULL && strcmp(token, page->after) <= 0)
		return;
	if (page->room-- <= 0)
	{
		page->more = true;
		return;
	}
	WriterBeginObject(page->out);
	WriterInsights(page->out, table->name, insights->name, "ENABLED", insights->value);
	WriterEndObject(page->out);
	page->last = token;
}

static void
ListInsightsOfTable(InsightsPage *page, const char *name)
{
	OpenedTable table;
	TableAttachment *all;
	int			n;

	if (!TableExists(name))
		return;					/* dropped since it was listed */
	TableOpen(&table, name, AccessShareLock);
	all = TableAttachmentsRead(table.rel, ATTACHED_INSIGHTS, &n);
	for (int i = 0; i < n && !page->more; i++)
		ListEntry(page, &table, &all[i]);
	TableClose(&table);
}

/* The table of a token, and those after it. */
static List *
NamesAfter(const char *token)
{
	char	   *first;

	if (token == NULL)
		return VisibleTableNames("", PG_INT32_MAX);
	first = pnstrdup(token, strcspn(token, " "));
	return lcons(first, VisibleTableNames(first, PG_INT32_MAX));
}

static void
ListContributorInsightsRequest(Request *request)
{
	Slice		name = FieldSlice(request->input, "TableName");
	InsightsPage page = {
		.out = request->out,
		.after = FieldString(request->input, "NextToken"),
		.room = FieldInteger(request->input, "MaxResults", LIST_LIMIT)
	};
	List	   *names;
	ListCell   *cell;

	if (page.after != NULL && !IsEntryToken(page.after))
		InvalidRequest(WORDING_INVALID_TOKEN);
	if (page.room <= 0)
		page.room = LIST_LIMIT;
	names = name.data != NULL ? list_make1(unconstify(char *, FieldTableName(request->input))) : NamesAfter(page.after);
	WriterName(request->out, "ContributorInsightsSummaries");
	WriterBeginList(request->out);
	foreach(cell, names)
	{
		CHECK_FOR_INTERRUPTS();
		if (!page.more)
			ListInsightsOfTable(&page, lfirst(cell));
	}
	WriterEndList(request->out);
	if (page.more)
		WriterStringMember(request->out, "NextToken", page.last);
}

OPERATION(ListContributorInsights, &list_insights_input, ListContributorInsightsRequest, .on_coordinator = true);
