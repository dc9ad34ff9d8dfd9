/*
 * plan.c
 *	  The command "plan": what would be moved, what it costs, and a model of the tables.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

static double all_units;
static double all_bytes;

static json_t *
AllTables(Link *link)
{
	json_t	   *names = json_array(),
			   *start = NULL,
			   *name;
	Circle		circle = {0};
	size_t		k;

	for (int i = 0; i < options.ntables; i++)
		json_array_append_new(names, json_string(options.tables[i]));
	if (options.ntables > 0)
		return names;
	do
	{
		json_t	   *request = json_object(),
				   *answer;

		if (start != NULL)
			json_object_set_new(request, "ExclusiveStartTableName", start);
		answer = LinkCall(link, "ListTables", request, NULL);
		json_array_extend(names, JsonNeedArray(answer, "TableNames", "an answer of ListTables"));
		start = json_incref(json_object_get(answer, "LastEvaluatedTableName"));
		json_decref(answer);
		if (start != NULL)
			ListCheck(&circle, start, "the list of tables of", link->endpoint->role);
	} while (start != NULL);
	CircleEnd(&circle);
	json_array_foreach(names, k, name)
	{
		if (!json_is_string(name))
			MoveFail("an answer of ListTables has a table without a name");
	}
	return names;
}

/* An answer that not every endpoint, and not every user, gets. */
static json_t *
Ask(Link *link, const char *operation, const char *parameter, const char *value)
{
	CallError	error;

	return LinkCall(link, operation, json_pack("{s:s}", parameter, value), &error);
}

/* Items from the beginnings of some segments. */
static json_t *
SampleItems(Link *link, const char *table, json_t *description)
{
	json_t	   *items = json_array(),
			   *item;
	size_t		k;
	int			parts = options.sample >= 40 ? 4 : 1;

	for (int i = 0; i < parts && options.sample > 0; i++)
	{
		json_t	   *request = json_pack("{s:s,s:i,s:i,s:i}", "TableName", table, "Limit", options.sample / parts, "Segment", i,
										"TotalSegments", parts),
				   *answer = LinkCall(link, "Scan", request, NULL);

		json_array_extend(items, JsonNeedArray(answer, "Items", "an answer of Scan"));
		json_decref(answer);
	}
	json_array_foreach(items, k, item)
		json_decref(KeyOf(description, item));
	return items;
}

/* ---- the model ---- */

/* One name as a string, several as an array. */
static void
SetKey(json_t *model, const char *member, json_t *names, json_t *types)
{
	char	   *type = MoveFormat("%s_type", member);

	if (json_array_size(names) == 1)
	{
		json_object_set(model, member, json_array_get(names, 0));
		json_object_set(model, type, json_array_get(types, 0));
	}
	else if (json_array_size(names) > 1)
	{
		json_object_set(model, member, names);
		json_object_set(model, type, types);
	}
	free(type);
}

static void
AddKeys(json_t *model, json_t *table, json_t *schema)
{
	for (int range = 0; range < 2; range++)
	{
		json_t	   *names = json_array(),
				   *types = json_array(),
				   *part;
		size_t		i;

		json_array_foreach(schema, i, part)
		{
			if ((strcmp(JsonString(part, "KeyType"), "RANGE") == 0) == range)
			{
				json_array_append(names, json_object_get(part, "AttributeName"));
				json_array_append_new(types, json_string(KeyType(table, JsonString(part, "AttributeName"))));
			}
		}
		SetKey(model, range ? "sort_key" : "partition_key", names, types);
		json_decref(names);
		json_decref(types);
	}
}

static json_t *
ModelOf(json_t *table)
{
	json_t	   *model = json_pack("{s:O}", "table_name", json_object_get(table, "TableName")),
			   *indexes = json_array();

	AddKeys(model, table, json_object_get(table, "KeySchema"));
	for (int local = 0; local < 2; local++)
	{
		json_t	   *index;
		size_t		i;

		json_array_foreach(json_object_get(table, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes"), i, index)
		{
			json_t	   *own = json_pack("{s:O,s:b}", "index_name", json_object_get(index, "IndexName"), "local", local),
					   *projection = json_object_get(index, "Projection");

			AddKeys(own, table, json_object_get(index, "KeySchema"));
			json_object_set(own, "projection", json_object_get(projection, "ProjectionType"));
			if (json_object_get(projection, "NonKeyAttributes") != NULL)
				json_object_set(own, "non_key_attributes", json_object_get(projection, "NonKeyAttributes"));
			json_array_append_new(indexes, own);
		}
	}
	json_object_set_new(model, "indexes", indexes);
	return model;
}

/* ---- the report ---- */

static void
PrintKey(json_t *schema, json_t *table)
{
	json_t	   *part;
	size_t		i;

	json_array_foreach(schema, i, part)
		MovePrint("%s%s %s (%s)", i > 0 ? ", " : "", strcmp(JsonString(part, "KeyType"), "HASH") == 0 ? "partition key" : "sort key",
			   JsonString(part, "AttributeName"), KeyType(table, JsonString(part, "AttributeName")));
	MovePrint("\n");
}

static void
PrintIndexes(json_t *table)
{
	for (int local = 0; local < 2; local++)
	{
		json_t	   *index;
		size_t		i;

		json_array_foreach(json_object_get(table, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes"), i, index)
		{
			MovePrint("  %s index %s: ", local ? "local" : "global", JsonString(index, "IndexName"));
			PrintKey(json_object_get(index, "KeySchema"), table);
		}
	}
}

static void
PrintStream(json_t *table)
{
	json_t	   *stream = json_object_get(table, "StreamSpecification");
	const char *view = JsonString(stream, "StreamViewType");

	if (!JsonTrue(stream, "StreamEnabled"))
		MovePrint("  stream: none; \"copy --enable-stream\" starts one\n");
	else if (view == NULL)
		MovePrint("  stream: of an unknown kind\n");
	else if (strcmp(view, "NEW_IMAGE") == 0 || strcmp(view, "NEW_AND_OLD_IMAGES") == 0)
		MovePrint("  stream: %s\n", view);
	else
		MovePrint("  stream: %s; \"follow\" reads each changed item from the table, a read unit or more each\n", view);
}

/* What is around the items, and what becomes of it. */
static void
PrintSettings(Link *link, json_t *table)
{
	const char *name = JsonString(table, "TableName"),
			   *arn = JsonString(table, "TableArn"),
			   *class = JsonString(json_object_get(table, "TableClassSummary"), "TableClass");
	json_t	   *answer = Ask(link, "DescribeTimeToLive", "TableName", name),
			   *ttl = json_object_get(answer, "TimeToLiveDescription"),
			   *tag;
	size_t		i;

	if (JsonString(ttl, "AttributeName") != NULL)
		MovePrint("  time to live: %s; \"switch\" turns it on in the target\n", JsonString(ttl, "AttributeName"));
	json_decref(answer);
	answer = arn != NULL ? Ask(link, "ListTagsOfResource", "ResourceArn", arn) : NULL;
	json_array_foreach(json_object_get(answer, "Tags"), i, tag)
		MovePrint("  not moved: tag %s=%s\n", JsonString(tag, "Key"), JsonString(tag, "Value"));
	json_decref(answer);
	answer = Ask(link, "DescribeContinuousBackups", "TableName", name);
	if (strcmp(JsonString(json_object_get(json_object_get(answer, "ContinuousBackupsDescription"), "PointInTimeRecoveryDescription"),
						  "PointInTimeRecoveryStatus") ?: "", "ENABLED") == 0)
		MovePrint("  not moved: point-in-time recovery; see docs/archive.md, and archive PostgreSQL's log\n");
	json_decref(answer);
	answer = Ask(link, "DescribeKinesisStreamingDestination", "TableName", name);
	if (json_array_size(json_object_get(answer, "KinesisDataStreamDestinations")) > 0)
		MovePrint("  not moved: Kinesis data streams; read the target's stream instead\n");
	json_decref(answer);
	answer = arn != NULL ? Ask(link, "GetResourcePolicy", "ResourceArn", arn) : NULL;
	if (JsonString(answer, "Policy") != NULL)
		MovePrint("  not moved: the resource policy; use GRANT\n");
	json_decref(answer);
	if (json_array_size(json_object_get(table, "Replicas")) > 0)
		MovePrint("  not moved: %zu replicas of a global table\n", json_array_size(json_object_get(table, "Replicas")));
	if (JsonString(json_object_get(table, "SSEDescription"), "KMSMasterKeyArn") != NULL)
		MovePrint("  not moved: encryption with a key of KMS\n");
	if (class != NULL && strcmp(class, "STANDARD") != 0)
		MovePrint("  not moved: table class %s\n", class);
	if (JsonTrue(table, "DeletionProtectionEnabled"))
		MovePrint("  not moved: deletion protection\n");
	MovePrint("  not visible here: Lambda triggers of the stream, alarms, IAM policies\n");
}

static void
PrintCost(json_t *table)
{
	double		bytes = JsonNumber(table, "TableSizeBytes"),
				items = JsonNumber(table, "ItemCount"),
				units = ceil(bytes / 8192);

	all_units += units;
	all_bytes += bytes;
	MovePrint("  %.0f items, %.1f MB as of the last count\n", items, bytes / 1e6);
	MovePrint("  a scan takes %.0f read units", units);
	if (options.rate > 0)
	{
		char	   *time = MoveDuration(units / options.rate);

		MovePrint(", %s at %.0f units/s", time, options.rate);
		free(time);
	}
	MovePrint("; \"copy\" and \"compare\" need one each\n");
}

static json_t *
PlanTable(Link *link, const char *name)
{
	json_t	   *table = DescribeTable(link, name, false),
			   *items = SampleItems(link, name, table),
			   *model = ModelOf(table),
			   *entities;

	MovePrint("table %s: ", name);
	PrintKey(json_object_get(table, "KeySchema"), table);
	PrintIndexes(table);
	PrintCost(table);
	PrintStream(table);
	PrintSettings(link, table);
	entities = ProposeEntities(table, items);
	json_object_set_new(model, "entities", entities);
	json_decref(items);
	json_decref(table);
	return model;
}

int
PlanCommand(void)
{
	Link	   *link = LinkOpen(&options.source);
	json_t	   *names = AllTables(link),
			   *models = json_array(),
			   *document,
			   *name;
	size_t		i;

	json_array_foreach(names, i, name)
	{
		if (move_stop)
			MoveFail("stopped before table \"%s\"", json_string_value(name));
		json_array_append_new(models, PlanTable(link, json_string_value(name)));
	}
	if (json_array_size(names) > 1)
		MovePrint("%zu tables, %.1f MB, %.0f read units for a scan of all\n", json_array_size(names), all_bytes / 1e6, all_units);
	document = json_pack("{s:s,s:o}", "format", "dynamo:1", "tables", models);
	if (options.model_file != NULL && json_dump_file(document, options.model_file, JSON_INDENT(2)) != 0)
		MoveFail("cannot write \"%s\": %s", options.model_file, strerror(errno));
	json_decref(document);
	json_decref(names);
	LinkClose(link);
	return 0;
}
