/*
 * writer.c
 *	  Writes a response: JSON, member by member.
 */
#include "postgres.h"

#include "common/shortest_dec.h"

#include "request/writer.h"

void
WriterInit(Writer *w)
{
	initStringInfo(&w->out);
	/* room for the varlena header, which WriterFinish fills in */
	appendStringInfoSpaces(&w->out, VARHDRSZ);
	w->comma = false;
}

struct varlena *
WriterFinish(Writer *w)
{
	SET_VARSIZE(w->out.data, w->out.len);
	return (struct varlena *) w->out.data;
}

/* Writes the comma before every element but the first. */
static void
BeginElement(Writer *w)
{
	if (w->comma)
		appendStringInfoChar(&w->out, ',');
	w->comma = true;
}

static void
BeginBracket(Writer *w, char bracket)
{
	BeginElement(w);
	appendStringInfoChar(&w->out, bracket);
	w->comma = false;
}

static void
EndBracket(Writer *w, char bracket)
{
	appendStringInfoChar(&w->out, bracket);
	w->comma = true;
}

void
WriterBeginObject(Writer *w)
{
	BeginBracket(w, '{');
}

void
WriterEndObject(Writer *w)
{
	EndBracket(w, '}');
}

void
WriterBeginList(Writer *w)
{
	BeginBracket(w, '[');
}

void
WriterEndList(Writer *w)
{
	EndBracket(w, ']');
}

void
WriterNameSlice(Writer *w, Slice name)
{
	BeginElement(w);
	JsonAppendString(&w->out, name.data, name.len);
	appendStringInfoChar(&w->out, ':');
	w->comma = false;
}

void
WriterName(Writer *w, const char *name)
{
	WriterNameSlice(w, (Slice) {name, strlen(name)});
}

void
WriterSlice(Writer *w, Slice text)
{
	BeginElement(w);
	JsonAppendString(&w->out, text.data, text.len);
}

void
WriterString(Writer *w, const char *text)
{
	WriterSlice(w, SliceOf(text));
}

static void
WriterInteger(Writer *w, int64 value)
{
	BeginElement(w);
	appendStringInfo(&w->out, INT64_FORMAT, value);
}

static void
WriterBool(Writer *w, bool value)
{
	BeginElement(w);
	appendStringInfoString(&w->out, value ? "true" : "false");
}

void
WriterUnits(Writer *w, double value)
{
	BeginElement(w);
	appendStringInfo(&w->out, "%.1f", value);
}

/* The shortest text that gives the same number; value is finite. */
void
WriterDouble(Writer *w, double value)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];

	BeginElement(w);
	(void) double_to_shortest_decimal_buf(value, text);
	appendStringInfo(&w->out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

void
WriterTimestamp(Writer *w, int64 microseconds)
{
	BeginElement(w);
	appendStringInfo(&w->out, INT64_FORMAT ".%03d", microseconds / 1000000,
					 (int) (microseconds % 1000000 / 1000));
}

void
WriterItem(Writer *w, const struct varlena *item)
{
	BeginElement(w);
	ItemToJson(&w->out, ItemRoot(item));
}

void
WriterValue(Writer *w, ValueRef value)
{
	BeginElement(w);
	ValueToJson(&w->out, value);
}

void
WriterRaw(Writer *w, Slice json)
{
	BeginElement(w);
	appendBinaryStringInfo(&w->out, json.data, json.len);
}

void
WriterStringMember(Writer *w, const char *name, const char *text)
{
	WriterName(w, name);
	WriterString(w, text);
}

void
WriterIntegerMember(Writer *w, const char *name, int64 value)
{
	WriterName(w, name);
	WriterInteger(w, value);
}

void
WriterBoolMember(Writer *w, const char *name, bool value)
{
	WriterName(w, name);
	WriterBool(w, value);
}

void
WriterTimeMember(Writer *w, const char *name, int64 microseconds)
{
	if (microseconds == 0)
		return;
	WriterName(w, name);
	WriterTimestamp(w, microseconds);
}

void
WriterItemMember(Writer *w, const char *name, const struct varlena *item)
{
	WriterName(w, name);
	WriterItem(w, item);
}
