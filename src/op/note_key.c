/*
 * note_key.c
 *	  Notes hashes of the key of a request, and the function that tells them.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "compat.h"
#include "expr/expr.h"
#include "op/note_key.h"
#include "op/sql_args.h"

/* A hash in the log of one server says nothing to who reads that of another. */
static uint64
HashOfKeyAttribute(ValueRef value)
{
	return ValueHash(value, GetSystemIdentifier());
}

void
NoteRowKey(const TableDef *def, const RowKey *key)
{
	uint64		hashes[STAT_HASHES];
	int			n = KeyCount(&def->key);

	if (!SlowIsLogged())
		return;
	for (int i = 0; i < n; i++)
		hashes[i] = HashOfKeyAttribute(key->attributes[i]);
	SlowNoteKey(hashes, n);
}

void
NotePartition(const KeySchema *schema, const KeyCondition *condition)
{
	uint64		hash;

	if (!SlowIsLogged())
		return;
	hash = HashOfKeyAttribute(condition->tests[0].value);
	for (int i = 1; i < schema->npartition; i++)
		hash = ValueHash(condition->tests[i].value, hash);
	SlowNoteKey(&hash, 1);
}

/* key_hash(value dynamo.value) returns text */
DYNAMO_FUNCTION(dynamo_key_hash);

Datum
dynamo_key_hash(PG_FUNCTION_ARGS)
{
	ValueRef	value = DatumGetValue(PG_GETARG_DATUM(0));

	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%016llx", (unsigned long long) HashOfKeyAttribute(value))));
}
