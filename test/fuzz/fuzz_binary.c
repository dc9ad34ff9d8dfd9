/*
 * fuzz_binary.c
 *	  Any bytes as an encoded value, as item_recv and value_recv get them.
 *
 * What the check of the format lets through must be safe to read, and must be
 * the canonical encoding: its text gives the same bytes again.
 */
#include "postgres.h"

#include "fuzz.h"
#include "item/builder.h"
#include "item/item.h"
#include "item/json.h"

static void
ReadEverything(ValueRef v)
{
	ValueType	type = ValueTypeOf(v);
	Container	c;

	if (type < VALUE_L)
		return;
	ContainerOpen(v, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;

		if (type == VALUE_L)
			ReadEverything(ListElement(&c, i));
		else if (type == VALUE_M)
		{
			ValueRef	entry = MapEntry(&c, i, &name);

			FUZZ_CHECK(MapFind(&c, name.data, name.len).data == entry.data);
			ReadEverything(entry);
		}
		else
			FUZZ_CHECK(SetContains(&c, ContainerSlice(&c, i)));
	}
}

static void
TestValue(const uint8 *data, size_t size)
{
	ValueRef	v = {memcpy(palloc(size), data, size), (uint32) size};
	StringInfoData text;
	ValueRef	again;
	ItemBuilder *b;

	if (ValueFormatProblem(v, 1) != NULL)
		return;

	ReadEverything(v);
	(void) ValueSize(v);
	(void) ValueHash(v, 0);

	initStringInfo(&text);
	ValueToJson(&text, v);
	again = ItemRoot(ValueFromJson(text.data, text.len, NULL));
	FUZZ_CHECK(ValueEqual(v, again));
	FUZZ_CHECK(ValueCompare(v, again) == 0);

	b = ItemBuilderCreate(1, DUPLICATE_NAME_ERROR);
	ItemBuilderValue(b, v);
	FUZZ_CHECK(ValueEqual(v, ItemRoot(ItemBuilderFinish(b))));
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzRun(TestValue, data, size);
	return 0;
}
