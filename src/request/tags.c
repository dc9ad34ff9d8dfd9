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
#include "request/model.h"
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

static const Member tag_resource_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	REQUIRED("Tags", model_tags),
};
static const Shape tag_resource_input = STRUCTURE("TagResourceInput", tag_resource_members);

static void
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

OPERATION(TagResource, &tag_resource_input, TagResourceRequest, .empty = true, .changes = "ResourceArn");

static const Shape tag_keys = LIST_OF(model_tag_key);
static const Member untag_resource_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	REQUIRED("TagKeys", tag_keys),
};
static const Shape untag_resource_input = STRUCTURE("UntagResourceInput", untag_resource_members);

static void
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

OPERATION(UntagResource, &untag_resource_input, UntagResourceRequest, .empty = true, .changes = "ResourceArn");

static const Member list_tags_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	MEMBER("NextToken", model_string),
};
static const Shape list_tags_of_resource_input = STRUCTURE("ListTagsOfResourceInput", list_tags_members);

/* All tags are on one page. */
static void
ListTagsRequest(Request *request)
{
	Writer	   *out = request->out;
	OpenedTable table;
	TableTag   *tags;
	int			n;

	if (FieldMember(request->input, "NextToken") != NULL)
		InvalidRequest(WORDING_INVALID_TOKEN);
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

OPERATION(ListTagsOfResource, &list_tags_of_resource_input, ListTagsRequest, .on_coordinator = true);
