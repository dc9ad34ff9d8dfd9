/*
 * tags.c
 *	  TagResource, UntagResource and ListTagsOfResource.
 *
 * Tags are stored and returned but have no effect.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "request/description.h"
#include "request/operation.h"
#include "request/resource.h"
#include "request/table_params.h"
#include "request/tags.h"
#include "ddl/table_settings.h"

#define MAX_TAGS	50
#define MAX_TAG_BYTES	10240	/* characters that all keys and values may contain */

/* ---- checks ---- */

/*
 * Whether a character is a letter, white space, a digit or one of +-=._:/@.
 * Characters beyond ASCII count as letters.
 */
static bool
IsTagText(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (!IS_HIGHBIT_SET(c) && !isalnum(c) && !isspace(c) &&
			(c == '\0' || strchr("+-=._:/@", c) == NULL))
			return false;
	}
	return true;
}

static void
CheckTagKey(Slice key)
{
	if (!IsTagText(key))
		InvalidRequest("The Tag Key provided is invalid, Key: %.*s", (int) key.len, key.data);
}

static void
CheckTag(const Field *tag)
{
	Slice		key = FieldSlice(tag, "Key");
	Slice		value = FieldSlice(tag, "Value");

	CheckTagKey(key);
	if (key.len >= 4 && pg_strncasecmp(key.data, "aws:", 4) == 0)
		InvalidRequest("Tag Key cannot be prefixed with aws:, Key: %.*s", (int) key.len, key.data);
	if (FieldMember(tag, "Value") == NULL)
		InvalidRequest("The Tag Value provided is invalid, Value: null");
	if (!IsTagText(value))
		InvalidRequest("The Tag Value provided is invalid, Value: %.*s", (int) value.len, value.data);
}

void
CheckTags(const Field *tags)
{
	for (int i = 0; i < tags->count; i++)
	{
		Slice		key = FieldSlice(tags->fields[i], "Key");

		CHECK_FOR_INTERRUPTS();
		CheckTag(tags->fields[i]);
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(FieldSlice(tags->fields[j], "Key"), key) == 0)
				InvalidRequest("Duplicate Tag Keys provided as input: Duplicate Tag Key found %.*s",
							   (int) key.len, key.data);
		}
	}
}

static void
CheckNumberOfTags(int n)
{
	if (n > MAX_TAGS)
		InvalidRequest("Number of Tags exceed the current limit for the provided ResourceArn");
}

static void
CheckTagBytes(const TableTag *tags, int n)
{
	size_t		bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += strlen(tags[i].key) + strlen(tags[i].value);
	if (bytes > MAX_TAG_BYTES)
		InvalidRequest("Tag set size %zu bytes is above max size limit", bytes);
}

void
WriteTags(Relation rel, const Field *tags)
{
	TableTag   *all;
	int			n;

	/* the keys are distinct */
	CheckNumberOfTags(tags->count);
	for (int i = 0; i < tags->count; i++)
	{
		TableTag	tag = {FieldName(tags->fields[i], "Key"), FieldName(tags->fields[i], "Value")};

		TableTagWrite(rel, &tag);
	}
	all = TableTagsRead(rel, &n);
	CheckNumberOfTags(n);
	CheckTagBytes(all, n);
}

/* ---- the resource ---- */

/* Opens the table that ResourceArn names. */
static void
OpenResource(OpenedTable *table, const Field *input, LOCKMODE lockmode)
{
	const char *arn = FieldString(input, "ResourceArn");
	char	   *name = ResourceTable(arn);

	if (name == NULL || !TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: ResourceArn: %s not found", arn)));
	TableOpen(table, name, lockmode);
}

/* ---- operations ---- */

void
TagResourceRequest(Request *request)
{
	const Field *tags = FieldMember(request->input, "Tags");
	OpenedTable table;

	(void) ResourceTable(FieldString(request->input, "ResourceArn"));
	if (tags->count == 0)
		InvalidRequest("Atleast one Tag needs to be provided as Input.");
	CheckTags(tags);
	OpenResource(&table, request->input, ShareUpdateExclusiveLock);
	WriteTags(table.rel, tags);
	TableClose(&table);
}

void
UntagResourceRequest(Request *request)
{
	const Field *keys = FieldMember(request->input, "TagKeys");
	OpenedTable table;

	(void) ResourceTable(FieldString(request->input, "ResourceArn"));
	if (keys->count == 0)
		InvalidRequest("Atleast one Tag Key needs to be provided as Input.");
	for (int i = 0; i < keys->count; i++)
		CheckTagKey(keys->fields[i]->string);
	OpenResource(&table, request->input, ShareUpdateExclusiveLock);
	for (int i = 0; i < keys->count; i++)
	{
		Slice		key = keys->fields[i]->string;

		TableTagRemove(table.rel, pnstrdup(key.data, key.len));
	}
	TableClose(&table);
}

/* All tags are on one page. */
void
ListTagsRequest(Request *request)
{
	Writer	   *out = request->out;
	OpenedTable table;
	TableTag   *tags;
	int			n;

	OpenResource(&table, request->input, AccessShareLock);
	tags = TableTagsRead(table.rel, &n);
	TableClose(&table);
	WriterName(out, "Tags");
	WriterBeginList(out);
	for (int i = 0; i < n; i++)
	{
		WriterBeginObject(out);
		WriterStringMember(out, "Key", tags[i].key);
		WriterStringMember(out, "Value", tags[i].value);
		WriterEndObject(out);
	}
	WriterEndList(out);
}
