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
		appendBinaryStringInfo(out, field->names[i].data, field->names[i].len);
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

/* Equal text, equal hash: a value prints as Java prints an object. */
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
		case SHAPE_BLOB:
			appendBinaryStringInfo(out, field->string.data, field->string.len);
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
