/*
 * change_line.c
 *	  Reads the lines of incremental exports.
 */
#include "postgres.h"

#include "item/json.h"
#include "transfer/change_line.h"

/* The service writes a string; a number, or an attribute value of type N, mean the same. */
static int64
ReadMicros(JsonReader *r)
{
	JsonKind	kind = JsonPeek(r);
	int64		time = 0;
	Slice		name;

	if (kind == JSON_STRING || kind == JSON_NUMBER)
	{
		Slice		text = kind == JSON_STRING ? JsonString(r) : JsonNumber(r);

		return strtoll(pnstrdup(text.data, text.len), NULL, 10);
	}
	if (kind != JSON_OBJECT)
	{
		JsonSkipValue(r);
		return 0;
	}
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		if (SliceIs(name, "N") && JsonPeek(r) == JSON_STRING)
			time = ReadMicros(r);
		else
			JsonSkipValue(r);
	}
	return time;
}

static int64
ReadMetadata(JsonReader *r)
{
	int64		time = 0;
	Slice		name;

	if (JsonPeek(r) != JSON_OBJECT)
	{
		JsonSkipValue(r);
		return 0;
	}
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		if (SliceIs(name, "WriteTimestampMicros"))
			time = ReadMicros(r);
		else
			JsonSkipValue(r);
	}
	return time;
}

static struct varlena *
ReadImage(JsonReader *r)
{
	ItemBuilder builder;
	struct varlena *item;

	if (JsonPeek(r) == JSON_NULL)
	{
		JsonSkipValue(r);
		return NULL;
	}
	ItemBuilderInit(&builder, 0, DUPLICATE_NAME_LAST);
	ReadItemJson(r, &builder);
	item = ItemBuilderFinish(&builder);
	ItemBuilderRelease(&builder);
	return item;
}

void
ChangeLineRead(const char *line, uint32 len, ChangeLine *change)
{
	JsonReader	r;
	Slice		name;

	*change = (ChangeLine) {0};
	JsonReaderInit(&r, line, len);
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		if (SliceIs(name, "Metadata"))
			change->time = ReadMetadata(&r);
		else if (SliceIs(name, "Keys"))
			change->keys = ReadImage(&r);
		else if (SliceIs(name, "NewImage"))
			change->item = ReadImage(&r);
		else
			JsonSkipValue(&r);
	}
	JsonEnd(&r);
	if (change->keys == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("line of an incremental export has no member \"Keys\""),
				 errhint("An example of a valid line is {\"Metadata\":{\"WriteTimestampMicros\":\"1700000000000000\"},"
						 "\"Keys\":{\"PK\":{\"S\":\"a\"}},\"NewImage\":{\"PK\":{\"S\":\"a\"}}}.")));
}

int64
ChangeLineTime(const char *line, uint32 len)
{
	Problem		problem = {0};
	JsonReader	r;
	int64		time = 0;
	Slice		name;

	JsonReaderInit(&r, line, len);
	r.problem = &problem;
	if (JsonPeek(&r) != JSON_OBJECT)
		return 0;
	JsonBeginObject(&r);
	while (time == 0 && JsonNextMember(&r, &name))
	{
		if (SliceIs(name, "Metadata"))
			time = ReadMetadata(&r);
		else
			JsonSkipValue(&r);
	}
	return time;
}
