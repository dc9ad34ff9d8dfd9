/*
 * builder_error.c
 *	  The problems of the builder, and their positions.
 */
#include "postgres.h"

#include "errors.h"
#include "item/base64.h"
#include "item/builder_error.h"

/* ---- places ---- */

/*
 * Appends the path of the next value.  In the innermost container this value
 * has a name, if in a map, but no entry yet, if in a list.  If "ended", the
 * path is that of the last value added.
 */
static void
AppendBuilderPath(const ItemBuilder *b, bool ended, StringInfo out)
{
	int			start = out->len;

	for (int i = 0; i < b->nframes; i++)
	{
		const BuilderFrame *f = &b->frames[i];
		bool		innermost = i + 1 == b->nframes;
		bool		begun = ended || !innermost;
		uint32		next = innermost ? b->nentries : b->frames[i + 1].first_entry;

		if (f->type == VALUE_M && (begun || f->named))
		{
			const BuilderEntry *e = &b->entries[next - 1];

			if (out->len > start)
				appendStringInfoChar(out, '.');
			appendBinaryStringInfo(out, (const char *) b->bytes + e->key, e->key_len);
		}
		else if (f->type == VALUE_L)
			appendStringInfo(out, "[%u]", next - f->first_entry - (begun ? 1 : 0));
	}
}

void
ItemBuilderAppendPlace(const ItemBuilder *b, bool ended, StringInfo out)
{
	int			start = out->len;

	appendStringInfoString(out, "attribute ");
	AppendBuilderPath(b, ended, out);
	if (out->len == start + (int) strlen("attribute "))
	{
		out->len = start;
		out->data[start] = '\0';
	}
	if (b->position != NULL)
		appendStringInfo(out, "%sbyte %u", out->len > start ? ", " : "",
						 b->position(b->source));
}

/* ---- problems ---- */

void
ItemBuilderNote(ItemBuilder *b, const Problem *found)
{
	b->nframes = -1;
	ProblemNote(b->problem, found);
}

static void
NoteAtPlace(ItemBuilder *b, const char *message)
{
	StringInfoData place;

	initStringInfo(&place);
	ItemBuilderAppendPlace(b, false, &place);
	ItemBuilderNote(b, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = message,
		.detail = place.len > 0 ? psprintf("At %s.", place.data) : NULL
	});
}

void
ItemBuilderError(ItemBuilder *b, const char *format,...)
{
	va_list		args;
	char	   *message;

	if (ItemBuilderHasFailed(b))
		return;
	va_start(args, format);
	message = DynamoFormat(format, args);
	va_end(args);
	NoteAtPlace(b, message);
}

void
ItemBuilderTooDeep(ItemBuilder *b)
{
	if (!ItemBuilderHasFailed(b))
		NoteAtPlace(b, ITEM_TOO_DEEP);
}

void
ItemBuilderBadName(ItemBuilder *b, uint32 len)
{
	if (len == 0)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS "Empty attribute name");
	else
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS
						 "Attribute name is too large, must be less than %d bytes",
						 ITEM_MAX_NAME + 1);
}

static int
CompareStarts(const void *a, const void *b)
{
	const BuilderEntry *ea = a;
	const BuilderEntry *eb = b;

	return ea->start < eb->start ? -1 : ea->start > eb->start;
}

/*
 * Returns the members of a set in the order they were added, for the message
 * about duplicates.
 */
static char *
DescribeMembers(ItemBuilder *b, const BuilderFrame *f)
{
	BuilderEntry *entries = b->entries + f->first_entry;
	uint32		n = b->nentries - f->first_entry;
	StringInfoData out;

	qsort(entries, n, sizeof(BuilderEntry), CompareStarts);
	initStringInfo(&out);
	for (uint32 i = 0; i < n; i++)
	{
		const char *member = (const char *) b->bytes + entries[i].key;
		uint32		len = entries[i].key_len;

		if (f->type == VALUE_SS)
		{
			appendStringInfoString(&out, i > 0 ? ", " : "");
			appendBinaryStringInfo(&out, member, len);
		}
		else
		{
			appendStringInfoString(&out, i > 0 ? ",\"" : "\"");
			Base64Append(&out, member, len);
			appendStringInfoChar(&out, '"');
		}
	}
	return out.data;
}

void
ItemBuilderDuplicateMember(ItemBuilder *b, const BuilderFrame *f)
{
	if (f->type == VALUE_SS)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS
						 "Input collection [%s] contains duplicates.",
						 DescribeMembers(b, f));
	else if (f->type == VALUE_BS)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS
						 "Input collection [%s]of type BS contains duplicates.",
						 DescribeMembers(b, f));
	else
		ItemBuilderError(b, "Input collection contains duplicates");
}

void
ItemBuilderDuplicateName(ItemBuilder *b, const BuilderEntry *e)
{
	ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS "Duplicate attribute name: %.*s",
					 (int) e->key_len, (const char *) b->bytes + e->key);
}

void
ItemBuilderEmptySet(ItemBuilder *b, ValueType type)
{
	if (type == VALUE_BS)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS "Binary sets should not be empty");
	else
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS "An %s set  may not be empty",
						 type == VALUE_SS ? "string" : "number");
}
