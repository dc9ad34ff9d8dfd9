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
	again = is_item ? ItemFromJson(text.data, text.len) : ValueFromJson(text.data, text.len);
	FUZZ_CHECK(Same(parsed, again));
	FUZZ_CHECK(ValueEqual(v, ItemRoot(again)));
}

/* A copy of exactly this size, so that a read beyond its end is seen. */
static char *
ExactCopy(const uint8 *data, size_t size)
{
	return memcpy(palloc(size), data, size);
}

static void
TestItem(const uint8 *data, size_t size)
{
	CheckParsed(ItemFromJson(ExactCopy(data, size), (uint32) size), true);
}

static void
TestValue(const uint8 *data, size_t size)
{
	CheckParsed(ValueFromJson(ExactCopy(data, size), (uint32) size), false);
}

static void
TestSkip(const uint8 *data, size_t size)
{
	JsonReader	r;

	JsonReaderInit(&r, ExactCopy(data, size), (uint32) size);
	JsonSkipValue(&r);
	JsonEnd(&r);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	bool		is_json = FuzzTry(TestSkip, data, size);

	/* an item or a value is JSON */
	FUZZ_CHECK(!FuzzTry(TestItem, data, size) || is_json);
	FUZZ_CHECK(!FuzzTry(TestValue, data, size) || is_json);
	return 0;
}
