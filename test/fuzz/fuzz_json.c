/*
 * fuzz_json.c
 *	  Any bytes as the text of an item and of a value.
 *
 * What is accepted must be well-formed and canonical, and its text must be
 * accepted again and give the same bytes.
 */
#include "postgres.h"

#include "fuzz.h"
#include "item/item.h"
#include "item/json.h"

static bool
Same(const struct varlena *a, const struct varlena *b)
{
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

static void
CheckParsed(const struct varlena *parsed, bool is_item)
{
	ValueRef	v = ItemRoot(parsed);
	StringInfoData text;
	struct varlena *again;

	FUZZ_CHECK(ValueFormatProblem(v, is_item ? 0 : 1) == NULL);
	FUZZ_CHECK(ValueCompare(v, v) == 0);
	FUZZ_CHECK(ValueSize(v) <= 2 * (uint64) v.len);

	initStringInfo(&text);
	if (is_item)
		ItemToJson(&text, v);
	else
		ValueToJson(&text, v);
	FUZZ_CHECK(strlen(text.data) == (size_t) text.len);
	again = is_item ? ItemFromJson(text.data, text.len, NULL) : ValueFromJson(text.data, text.len, NULL);
	FUZZ_CHECK(Same(parsed, again));
	FUZZ_CHECK(ValueEqual(v, ItemRoot(again)));
}

/* A copy of exactly this size, so that a read beyond its end is seen. */
static char *
ExactCopy(const uint8 *data, size_t size)
{
	return memcpy(palloc(size), data, size);
}

/* Whether a text is accepted; if not there is a problem to tell. */
static bool
IsAccepted(const uint8 *data, size_t size, bool is_item)
{
	Problem		problem = NO_PROBLEM;
	struct varlena *parsed = is_item ? ItemFromJson(ExactCopy(data, size), (uint32) size, &problem) :
		ValueFromJson(ExactCopy(data, size), (uint32) size, &problem);

	FUZZ_CHECK((parsed != NULL) == !ProblemIsNoted(&problem));
	if (parsed != NULL)
		CheckParsed(parsed, is_item);
	return parsed != NULL;
}

/* In a request, what is wrong with a value does not end the reading. */
static bool
IsReadInRequest(const uint8 *data, size_t size)
{
	Problem		problem = NO_PROBLEM;
	Problem		value_problem = NO_PROBLEM;
	ItemBuilder b;
	JsonReader	r;

	JsonReaderInit(&r, ExactCopy(data, size), (uint32) size);
	r.in_request = true;
	r.problem = &problem;
	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	b.problem = &value_problem;
	ReadItemJson(&r, &b);
	JsonEnd(&r);
	if (ProblemIsNoted(&problem))
		return false;
	FUZZ_CHECK(ItemBuilderHasFailed(&b) == ProblemIsNoted(&value_problem));
	if (!ItemBuilderHasFailed(&b))
		CheckParsed(ItemBuilderFinish(&b), true);
	return true;
}

static bool
IsJson(const uint8 *data, size_t size)
{
	Problem		problem = NO_PROBLEM;
	JsonReader	r;

	JsonReaderInit(&r, ExactCopy(data, size), (uint32) size);
	r.problem = &problem;
	JsonSkipValue(&r);
	JsonEnd(&r);
	return !ProblemIsNoted(&problem);
}

static void
Test(const uint8 *data, size_t size)
{
	bool		is_json = IsJson(data, size);

	/* an item or a value is JSON */
	FUZZ_CHECK(!IsAccepted(data, size, true) || IsReadInRequest(data, size));
	FUZZ_CHECK(!IsAccepted(data, size, false) || is_json);
	FUZZ_CHECK(!IsReadInRequest(data, size) || is_json);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzRun(Test, data, size);
	return 0;
}
