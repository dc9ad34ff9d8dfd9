/*
 * faults_batch.c
 *	  Batches that are executed in part.
 *
 * The first key or request of each table is always executed, so that a client that sends the
 * others again comes to an end.
 */
#include "postgres.h"

#include "faults/faults.h"
#include "item/json.h"

/* A batch whose requests are in two parts. */
typedef struct Parts
{
	Field	   *tables;			/* RequestItems of what is executed */
	StringInfoData left;		/* members of the response's object of what is not */
} Parts;

/* The keys of a table's part of BatchGetItem; of BatchWriteItem, the part itself. */
static const Field *
RequestsOf(const Field *table)
{
	return table->shape->kind == SHAPE_LIST ? table : FaultMember(table, "Keys");
}

/* Appends text that is JSON already, after a comma unless something begins. */
static void
AppendJson(StringInfo out, Slice json)
{
	char		last = out->len > 0 ? out->data[out->len - 1] : '{';

	if (strchr("[{:", last) == NULL)
		appendStringInfoChar(out, ',');
	appendBinaryStringInfo(out, json.data, json.len);
}

static void
AppendMemberName(StringInfo out, Slice name)
{
	StringInfoData text;

	initStringInfo(&text);
	JsonAppendString(&text, name.data, name.len);
	AppendJson(out, (Slice) {text.data, (uint32) text.len});
	appendStringInfoChar(out, ':');
}

/* Appends a table's part of the request with the requests that are left out. */
static void
AppendLeft(StringInfo out, Slice name, const Field *table, const Field *requests, const bool *left)
{
	AppendMemberName(out, name);
	if (table != requests)
	{
		appendStringInfoChar(out, '{');
		for (int i = 0; i < table->count; i++)
		{
			if (table->fields[i] == NULL || table->fields[i] == requests)
				continue;
			AppendMemberName(out, SliceOf(table->shape->members[i].name));
			AppendJson(out, table->fields[i]->text);
		}
		AppendMemberName(out, SliceOf("Keys"));
	}
	appendStringInfoChar(out, '[');
	for (int i = 0; i < requests->count; i++)
	{
		if (left[i])
			AppendJson(out, requests->fields[i]->text);
	}
	appendStringInfoString(out, table != requests ? "]}" : "]");
}

/* The requests that are executed. */
static Field *
Kept(const Field *requests, const bool *left)
{
	Field	   *kept = palloc(sizeof(Field));

	*kept = *requests;
	kept->fields = palloc(sizeof(Field *) * requests->count);
	kept->count = 0;
	for (int i = 0; i < requests->count; i++)
	{
		if (!left[i])
			kept->fields[kept->count++] = requests->fields[i];
	}
	return kept;
}

static void
DivideTable(Parts *parts, int position)
{
	const Field *table = parts->tables->fields[position];
	const Field *requests = RequestsOf(table);
	bool	   *left = palloc0(requests->count);
	bool		any = false;
	Field	   *kept;

	for (int i = 1; i < requests->count; i++)
		any |= left[i] = FaultHappens(fault_unprocessed);
	if (!any)
		return;
	kept = Kept(requests, left);
	AppendLeft(&parts->left, parts->tables->names[position], table, requests, left);
	parts->tables->fields[position] = table == requests ? kept :
		unconstify(Field *, FaultReplace(table, "Keys", kept));
}

static void
Divide(Parts *parts, const Field *tables)
{
	parts->tables = palloc(sizeof(Field));
	*parts->tables = *tables;
	parts->tables->fields = palloc(sizeof(Field *) * tables->count);
	memcpy(parts->tables->fields, tables->fields, sizeof(Field *) * tables->count);
	initStringInfo(&parts->left);
	for (int i = 0; i < tables->count; i++)
		DivideTable(parts, i);
}

/*
 * Puts members into an empty object of the response; returns false if the object is not empty.
 * The text occurs nowhere else: quotes in strings are escaped, and the value of an attribute is
 * never an empty object.
 */
static bool
FillObject(StringInfo out, const char *object, const StringInfo members)
{
	char	   *found = strstr(out->data, object);
	char	   *rest;

	if (found == NULL)
		return false;
	out->len = (int) (found - out->data + strlen(object)) - 1;
	rest = pstrdup(out->data + out->len);
	appendBinaryStringInfo(out, members->data, members->len);
	appendStringInfoString(out, rest);
	return true;
}

bool
FaultExecutePart(Request *request)
{
	const Field *input = request->input;
	const Field *tables = FaultMember(input, "RequestItems");
	Writer	   *out = request->out;
	int			begin = out->out.len;
	bool		comma = out->comma;
	Parts		parts;

	if (fault_unprocessed == 0 || tables == NULL)
		return false;
	Divide(&parts, tables);
	if (parts.left.len == 0 || !FaultIsAllowed())
		return false;
	request->input = FaultReplace(input, "RequestItems", parts.tables);
	request->operation->execute(request);
	if (FillObject(&out->out, "\"UnprocessedItems\":{}", &parts.left) ||
		FillObject(&out->out, "\"UnprocessedKeys\":{}", &parts.left))
		return true;

	/* so many items that some were unprocessed anyway: those of the whole request */
	out->out.len = begin;
	out->comma = comma;
	request->input = input;
	return false;
}
