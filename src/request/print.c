/*
 * print.c
 *	  Parts of a request as the service shows them in messages.
 *
 *		[KeySchemaElement(attributeName=a, keyType=HASH)]
 *		{T=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(...))]}
 *
 * Attribute values are not shown, only the hash of each, so that messages
 * hold no data of items.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "request/shape.h"

/* The replacement of U+0000, which would end the message. */
#define NUL_SIGN	'?'

static void
PrintString(StringInfo out, Slice string)
{
	int			start = out->len;

	appendBinaryStringInfo(out, string.data, string.len);
	for (int i = start; i < out->len; i++)
	{
		if (out->data[i] == '\0')
			out->data[i] = NUL_SIGN;
	}
}

static void
PrintList(StringInfo out, const Field *field)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < field->count; i++)
	{
		if (i > 0)
			appendStringInfoString(out, ", ");
		FieldPrint(out, field->fields[i]);
	}
	appendStringInfoChar(out, ']');
}

static void
PrintMap(StringInfo out, const Field *field)
{
	appendStringInfoChar(out, '{');
	for (int i = 0; i < field->count; i++)
	{
		if (i > 0)
			appendStringInfoString(out, ", ");
		PrintString(out, field->names[i]);
		appendStringInfoChar(out, '=');
		FieldPrint(out, field->fields[i]);
	}
	appendStringInfoChar(out, '}');
}

static void
PrintStructure(StringInfo out, const Field *field)
{
	appendStringInfo(out, "%s(", field->shape->name);
	for (int i = 0; i < field->count; i++)
	{
		const char *name = field->shape->members[i].name;

		if (i > 0)
			appendStringInfoString(out, ", ");
		appendStringInfo(out, "%c%s=", pg_tolower((unsigned char) name[0]), name + 1);
		FieldPrint(out, field->fields[i]);
	}
	appendStringInfoChar(out, ')');
}

/*
 * Prints a value by its hash, as Java prints an object: equal texts have equal
 * hashes.
 */
static void
PrintAttributeValue(StringInfo out, const Field *field)
{
	appendStringInfo(out, "com.amazonaws.dynamodb.v20120810.AttributeValue@%x",
					 hash_bytes((const unsigned char *) field->text.data, (int) field->text.len));
}

void
FieldPrint(StringInfo out, const Field *field)
{
	check_stack_depth();
	if (field == NULL)
	{
		appendStringInfoString(out, "null");
		return;
	}
	if (field->shape->raw && field->fields == NULL)
		field = FieldExpand(field);
	switch (field->shape->kind)
	{
		case SHAPE_STRING:
			PrintString(out, field->string);
			break;
		case SHAPE_BOOLEAN:
			appendStringInfoString(out, field->boolean ? "true" : "false");
			break;
		case SHAPE_INTEGER:
		case SHAPE_LONG:
			appendStringInfo(out, INT64_FORMAT, field->integer);
			break;
		case SHAPE_LIST:
			PrintList(out, field);
			break;
		case SHAPE_MAP:
			PrintMap(out, field);
			break;
		case SHAPE_STRUCTURE:
			if (field->shape->raw)
				PrintAttributeValue(out, field);
			else
				PrintStructure(out, field);
			break;
	}
}

void
FieldPrintJson(StringInfo out, const Field *field)
{
	bool		in_string = false;

	for (uint32 i = 0; i < field->text.len; i++)
	{
		char		c = field->text.data[i];

		if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
			continue;
		appendStringInfoChar(out, c);
		if (in_string && c == '\\' && i + 1 < field->text.len)
			appendStringInfoChar(out, field->text.data[++i]);
		else if (c == '"')
			in_string = !in_string;
	}
}
