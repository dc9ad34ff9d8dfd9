/*
 * read_raw.c
 *	  Attribute values of a request that are as they should be.
 *
 *	  Raw shapes are attribute values, maps and lists of them, and the bulk of
 *	  a request.  What is here passes over those that have one type each, and
 *	  what that needs, in half the time of the walk over their shapes.  It
 *	  reads in the same order and gives up where it meets anything else, so
 *	  that the walk can begin again and find what to say of it.
 *
 *	  An item is made in the same go.  What it is made by raises errors of
 *	  types and of values as it meets them, and those of types come first in
 *	  the whole request: so they are only caught here, to be found again in
 *	  their order.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "request/read_raw.h"

static bool PassValue(JsonReader *r, int depth);

static bool
PassMap(JsonReader *r, int depth)
{
	Slice		name;

	if (JsonNextByte(r) != '{')
		return false;
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		if (!PassValue(r, depth))
			return false;
	}
	return true;
}

static bool
PassList(JsonReader *r, int depth)
{
	if (JsonNextByte(r) != '[')
		return false;
	JsonBeginArray(r);
	while (JsonNextElement(r))
	{
		if (!PassValue(r, depth))
			return false;
	}
	return true;
}

static bool
PassString(JsonReader *r)
{
	if (JsonNextByte(r) != '"')
		return false;
	(void) JsonString(r);
	return true;
}

static bool
PassStrings(JsonReader *r)
{
	if (JsonNextByte(r) != '[')
		return false;
	JsonBeginArray(r);
	while (JsonNextElement(r))
	{
		if (!PassString(r))
			return false;
	}
	return true;
}

static bool
PassFlag(JsonReader *r)
{
	char		c = JsonNextByte(r);

	if (c != 't' && c != 'f')
		return false;
	(void) JsonBool(r);
	return true;
}

/* What stands behind the name of a type; binary values are left to the walk. */
static bool
PassTyped(JsonReader *r, int type, int depth)
{
	switch (type)
	{
		case VALUE_S:
		case VALUE_N:
			return PassString(r);
		case VALUE_BOOL:
		case VALUE_NULL:
			return PassFlag(r);
		case VALUE_L:
			return PassList(r, depth);
		case VALUE_M:
			return PassMap(r, depth);
		case VALUE_SS:
		case VALUE_NS:
			return PassStrings(r);
		default:
			return false;
	}
}

static bool
PassValue(JsonReader *r, int depth)
{
	Slice		name;

	if (depth == ITEM_MAX_DEPTH || JsonNextByte(r) != '{')
		return false;
	JsonBeginObject(r);
	return JsonNextMember(r, &name) &&
		PassTyped(r, ValueTypeFromName(name.data, name.len), depth + 1) &&
		!JsonNextMember(r, &name);
}

bool
PassRaw(JsonReader *r, const Shape *shape)
{
	JsonReader	before = *r;

	if (shape->kind == SHAPE_MAP ? PassMap(r, 0) :
		shape->kind == SHAPE_LIST ? PassList(r, 0) : PassValue(r, 0))
		return true;
	*r = before;
	return false;
}

/* Errors of what is read, as opposed to those of the server. */
static bool
IsReadingError(int sqlstate)
{
	return sqlstate == ERRCODE_DYNAMO_VALIDATION ||
		sqlstate == ERRCODE_DYNAMO_SERIALIZATION;
}

struct varlena *
ReadGoodItem(JsonReader *r)
{
	MemoryContext context = CurrentMemoryContext;
	struct varlena *volatile item = NULL;
	JsonReader	ahead = *r;
	ItemBuilder b;

	ahead.ignore_unknown = true;
	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	PG_TRY();
	{
		ReadItemJson(&ahead, &b);
		item = ItemBuilderFinish(&b);
		ItemBuilderRelease(&b);
	}
	PG_CATCH();
	{
		if (!IsReadingError(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	if (item != NULL)
	{
		r->at = ahead.at;
		r->first = ahead.first;
	}
	return item;
}
