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

KeyHook		key_hook;

uint64
HashOfPartition(const ValueRef *values, int n)
{
	uint64		hash = HashOfKeyAttribute(values[0]);

	for (int i = 1; i < n; i++)
		hash = ValueHash(values[i], hash);
	return hash;
}

void
NoteRowKey(const TableDef *def, const RowKey *key)
{
	uint64		hashes[STAT_HASHES];
	int			n = KeyCount(&def->key);

	if (key_hook != NULL)
		key_hook(def, NULL, key->attributes, def->key.npartition);
	if (!SlowIsLogged())
		return;
	for (int i = 0; i < n; i++)
		hashes[i] = HashOfKeyAttribute(key->attributes[i]);
	SlowNoteKey(hashes, n);
}

void
NotePartition(const TableDef *def, const IndexDef *index, const KeyCondition *condition)
{
	const KeySchema *schema = index != NULL ? &index->key : &def->key;
	ValueRef	values[KEY_MAX_ATTRIBUTES];
	uint64		hash;

	if (key_hook == NULL && !SlowIsLogged())
		return;
	for (int i = 0; i < schema->npartition; i++)
		values[i] = condition->tests[i].value;
	if (key_hook != NULL)
		key_hook(def, index, values, schema->npartition);
	if (!SlowIsLogged())
		return;
	hash = HashOfPartition(values, schema->npartition);
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
