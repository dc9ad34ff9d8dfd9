/*
 * builder_error.c
 *	  The problems of the builder, and their positions.
 */
#include "postgres.h"

#include "errors.h"
#include "item/base64.h"
#include "item/builder_error.h"
#include "shuffle.h"

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

/*
 * An empty name of an item's own attribute matters more than a value that is too
 * deep, one inside a value less.
 */
#define EMPTY_NAME		"Empty attribute name"
#define OUTER_NAME_RANK	1
#define INNER_NAME_RANK	(-1)

static void
NoteAtPlace(ItemBuilder *b, const char *message, int rank)
{
	StringInfoData place;

	initStringInfo(&place);
	ItemBuilderAppendPlace(b, false, &place);
	ItemBuilderNote(b, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.rank = rank,
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
	NoteAtPlace(b, message, 0);
}

void
ItemBuilderTooDeep(ItemBuilder *b)
{
	if (!ItemBuilderHasFailed(b) || b->problem->rank == INNER_NAME_RANK)
		NoteAtPlace(b, ITEM_TOO_DEEP, 0);
	if (b->depth > ITEM_VERY_DEEP && b->problem != NULL)
		b->problem->very_deep = true;
}

void
ItemBuilderBadName(ItemBuilder *b, uint32 len)
{
	bool		outer = b->depth == b->outer_depth + 1;

	if (len == 0 && outer && ProblemIsNoted(b->problem) && strcmp(b->problem->message, ITEM_TOO_DEEP) == 0)
		NoteAtPlace(b, EMPTY_NAME, OUTER_NAME_RANK);
	else if (len == 0 && !ItemBuilderHasFailed(b))
		NoteAtPlace(b, EMPTY_NAME, outer ? 0 : INNER_NAME_RANK);
	else if (len > 0)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS
						 "Attribute name is too large, must be less than %d bytes",
						 ITEM_MAX_NAME + 1);
}

/* An empty element ends where it starts, as the one after it does. */
static int
CompareStarts(const void *a, const void *b)
{
	const BuilderEntry *ea = a;
	const BuilderEntry *eb = b;

	if (ea->start != eb->start)
		return ea->start < eb->start ? -1 : 1;
	return ea->end < eb->end ? -1 : ea->end > eb->end;
}

/* ---- sets ---- */

static Slice
MemberOf(const ItemBuilder *b, const BuilderEntry *e)
{
	return (Slice) {(const char *) b->bytes + e->key, e->key_len};
}

/* The position among sorted entries of the member that was the first to repeat one. */
static uint32
FindRepeated(const ItemBuilder *b, const BuilderEntry *entries, uint32 n)
{
	uint32		first = n;

	for (uint32 i = 1; i < n; i++)
	{
		if (SliceEqual(MemberOf(b, &entries[i - 1]), MemberOf(b, &entries[i])) &&
			(first == n || CompareStarts(&entries[i], &entries[first]) < 0))
			first = i;
	}
	return first;
}

/*
 * Moves the sorted entries that were added before one of them to the front; returns
 * their number.  Of several empty members, which are all at one place, one was added first.
 */
static uint32
MoveEarlierToFront(BuilderEntry *entries, uint32 n, uint32 position)
{
	BuilderEntry *others = palloc(n * sizeof(BuilderEntry));
	BuilderEntry limit = entries[position];
	uint32		nfront = 0;
	uint32		nothers = 0;

	for (uint32 i = 0; i < n; i++)
	{
		int			order = CompareStarts(&entries[i], &limit);

		if (order < 0 || (order == 0 && i < position))
			entries[nfront++] = entries[i];
		else
			others[nothers++] = entries[i];
	}
	memcpy(entries + nfront, others, nothers * sizeof(BuilderEntry));
	pfree(others);
	return nfront;
}

/*
 * Returns the members of a set, whose entries are sorted, for the message about
 * duplicates, in the order they were added; in the new words those before the first
 * repeated one remain sorted.
 */
static char *
DescribeMembers(ItemBuilder *b, const BuilderFrame *f)
{
	BuilderEntry *entries = b->entries + f->first_entry;
	uint32		n = b->nentries - f->first_entry;
	bool		binary = f->type == VALUE_BS;
	bool		quoted = b->words == VALUE_WORDS_NEW || (binary && b->words == VALUE_WORDS_SQL);
	const char *quote = quoted ? "\"" : "";
	uint32		distinct = 0;
	StringInfoData out;

	if (b->words == VALUE_WORDS_NEW)
		distinct = MoveEarlierToFront(entries, n, FindRepeated(b, entries, n));
	Shuffle(entries + distinct, n - distinct, sizeof(BuilderEntry));
	qsort(entries + distinct, n - distinct, sizeof(BuilderEntry), CompareStarts);
	initStringInfo(&out);
	for (uint32 i = 0; i < n; i++)
	{
		Slice		member = MemberOf(b, &entries[i]);

		appendStringInfoString(&out, i == 0 ? "" : binary && quoted ? "," : ", ");
		appendStringInfoString(&out, quote);
		if (binary)
			Base64Append(&out, member.data, member.len);
		else
			appendBinaryStringInfo(&out, member.data, (int) member.len);
		appendStringInfoString(&out, quote);
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
		ItemBuilderError(b, b->words == VALUE_WORDS_NEW ?
						 DYNAMO_INVALID_PARAMETERS "Input collection contains duplicates." :
						 "Input collection contains duplicates");
}

/* ---- numbers ---- */

/* Reads the exponent of a number's text, 0 if it has none; false if it needs more than 64 bits. */
static bool
ExponentOf(Slice text, int64 *exponent)
{
	const char *end = text.data + text.len;
	const char *p = text.data;
	bool		negative;
	uint64		value = 0;

	*exponent = 0;
	while (p < end && *p != 'e' && *p != 'E')
		p++;
	if (p == end)
		return true;
	negative = ++p < end && *p == '-';
	for (p += p < end && (*p == '-' || *p == '+'); p < end; p++)
	{
		if (value > (PG_INT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64) (*p - '0');
	}
	*exponent = negative ? -(int64) value : (int64) value;
	return true;
}

/*
 * The status of a number as the service sees it.  Its old reader has exponents of
 * 32 bits, of which the largest wraps; the new one has 64 bits.
 */
static NumberStatus
StatusInWords(ValueWords words, NumberStatus status, Slice text)
{
	int64		exponent;

	if ((status != NUMBER_OVERFLOW && status != NUMBER_UNDERFLOW) || words == VALUE_WORDS_SQL)
		return status;
	if (!ExponentOf(text, &exponent))
		return NUMBER_MALFORMED;
	if (words == VALUE_WORDS_NEW)
		return status;
	if (exponent > PG_INT32_MAX || exponent < -(int64) PG_INT32_MAX)
		return NUMBER_MALFORMED;
	return exponent == PG_INT32_MAX ? NUMBER_UNDERFLOW : status;
}

void
ItemBuilderBadNumber(ItemBuilder *b, NumberStatus status, bool in_set, Slice text)
{
	bool		colon = b->words == VALUE_WORDS_NEW || (b->words == VALUE_WORDS_SQL && in_set);

	status = StatusInWords(b->words, status, text);
	ItemBuilderError(b, "%s%.*s", NumberErrorMessage(status, colon),
					 status == NUMBER_MALFORMED ? (int) text.len : 0, text.data);
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
