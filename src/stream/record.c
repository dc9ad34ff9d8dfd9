/*
 * record.c
 *	  The public form of a record's number, event, id and size.
 */
#include "postgres.h"

#include "fmgr.h"

#include "item/item.h"
#include "stream/stream_shards.h"
#include "table/object_names.h"

/* A digit before all numbers, so that their texts have the same length. */
#define LEADING_DIGIT	'1'

#define NUMBER_DIGITS	(SEQUENCE_NUMBER_DIGITS - 1)

char *
SequenceNumberText(int64 number)
{
	return psprintf("%c%0*lld", LEADING_DIGIT, NUMBER_DIGITS, (long long) number);
}

bool
SequenceNumberFromText(const char *text, int64 *number)
{
	char	   *end;

	if (strlen(text) != SEQUENCE_NUMBER_DIGITS || text[0] != LEADING_DIGIT ||
		strspn(text, "0123456789") != SEQUENCE_NUMBER_DIGITS)
		return false;
	errno = 0;
	*number = strtoll(text + 1, &end, 10);
	return errno == 0 && *number < PG_INT64_MAX;	/* a position after it must exist */
}

const char *
StreamEventName(char event)
{
	if (event == STREAM_INSERT)
		return "INSERT";
	return event == STREAM_MODIFY ? "MODIFY" : "REMOVE";
}

/* Shards have the same numbers, but of different items. */
char *
StreamEventId(const StreamShards *shards, const StreamRecord *record)
{
	char	   *text = psprintf("%s/%s/%lld", shards->def->table, shards->def->label, (long long) record->number);
	size_t		len = strlen(text);
	struct varlena *keys = PG_DETOAST_DATUM_PACKED(record->keys);
	uint64		seed = shards->map == NULL ? 0 : StableHash(VARDATA_ANY(keys), VARSIZE_ANY_EXHDR(keys), 0);

	return psprintf("%016llx%016llx", (unsigned long long) StableHash(text, len, seed),
					(unsigned long long) StableHash(text, len, seed ^ UINT64CONST(0x9e3779b97f4a7c15)));
}

static int64
GetItemSize(Datum item, bool present)
{
	return present ? (int64) ItemSize(ItemRoot(PG_DETOAST_DATUM_PACKED(item))) : 0;
}

int64
StreamRecordSize(const StreamRecord *record)
{
	return GetItemSize(record->keys, true) + GetItemSize(record->new_item, record->has_new) +
		GetItemSize(record->old_item, record->has_old);
}
