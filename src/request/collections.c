/*
 * collections.c
 *	  ItemCollectionMetrics of requests that write many items.
 */
#include "postgres.h"

#include "request/capacity.h"
#include "request/collections.h"

/* Whether an action writes to this table; a condition check does not. */
static bool
WritesToTable(const Capacity *c, const WriteOp *write)
{
	return write->kind != WRITE_KIND_CHECK && strcmp(write->table_name, c->name) == 0;
}

static bool
HasWrites(const Capacity *c, const WriteOp *writes, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (WritesToTable(c, &writes[i]))
			return true;
	}
	return false;
}

/*
 * The key of a write's collection.  Of a transaction that was executed before there are no
 * results; if its tables have changed since, the key may be missing.
 */
static ValueRef
KeyOfWrite(const Capacity *c, const WriteOp *writes, const WriteResult *results, int i)
{
	static const WriteResult none = {0};

	return CollectionKey(c->def, &writes[i], results != NULL ? &results[i] : &none);
}

/* Whether an earlier write to the table is in the same collection. */
static bool
IsRepeated(const Capacity *c, const WriteOp *writes, const WriteResult *results, int i)
{
	for (int j = 0; j < i; j++)
	{
		if (WritesToTable(c, &writes[j]) &&
			ValueEqual(KeyOfWrite(c, writes, results, j), KeyOfWrite(c, writes, results, i)))
			return true;
	}
	return false;
}

static void
AnswerTable(Writer *out, const Capacity *c, const WriteOp *writes, const WriteResult *results, int n)
{
	WriterName(out, c->name);
	WriterBeginList(out);
	for (int i = 0; i < n; i++)
	{
		if (!WritesToTable(c, &writes[i]) || IsRepeated(c, writes, results, i) ||
			(results == NULL && ValueIsMissing(KeyOfWrite(c, writes, results, i))))
			continue;
		WriterCollection(out, c->def, KeyOfWrite(c, writes, results, i));
	}
	WriterEndList(out);
}

void
AnswerCollections(Request *request, const WriteOp *writes, const WriteResult *results, int n)
{
	Writer	   *out = request->out;
	CapacityList list;
	bool		begun = false;

	CapacityListInit(&list, n);
	for (int i = 0; i < n; i++)
		(void) CapacityListGet(&list, writes[i].table_name);
	for (int t = 0; t < list.n; t++)
	{
		if (!list.tables[t].def->has_local || !HasWrites(&list.tables[t], writes, n))
			continue;
		if (!begun)
		{
			WriterName(out, "ItemCollectionMetrics");
			WriterBeginObject(out);
			begun = true;
		}
		AnswerTable(out, &list.tables[t], writes, results, n);
	}
	if (begun)
		WriterEndObject(out);
	WriterCapacityList(out, &list, CAPACITY_NONE, CAPACITY_PLAIN);
}
