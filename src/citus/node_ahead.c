/*
 * node_ahead.c
 *	  Reads rows of other nodes of Citus ahead: all rows of a batch that are on one node
 *	  with one call.
 *
 * Gets that follow take them.  Whatever was not read, because its shard has moved or the
 * answer would become too large, is read by its own get.
 */
#include "postgres.h"

#include "access/xact.h"
#include "libpq/pqformat.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/node_row.h"
#include "citus/remote.h"
#include "item/builder.h"
#include "item/io.h"

#define MAX_KEYS	1000		/* of a call */

/* The rows of the keys of a batch. */
struct ReadAhead
{
	const RowKey *keys;
	int			n;
	bool	   *seen;			/* a call for the key was considered */
	bool	   *known;			/* the row was read */
	struct varlena **items;		/* NULL for rows that do not exist */
};

/* A call of a node, and the positions of its keys. */
typedef struct AheadCall
{
	NodeCall	call;
	int			positions[MAX_KEYS];
	int			n;
} AheadCall;

/* ---- the call ---- */

/* Collects the keys on the same node, from a position on. */
static void
CollectKeys(AheadCall *c, const Store *store, const ShardMap *map, struct ReadAhead *ahead, int from)
{
	c->n = 0;
	for (int i = from; i < ahead->n && c->n < MAX_KEYS; i++)
	{
		NodeCall	call;

		if (ahead->seen[i])
			continue;
		if (!FindOtherNode(store, map, FindShardPosition(map, ahead->keys[i].values[0]), &call))
			ahead->seen[i] = true;
		else if (c->n == 0 || call.group == c->call.group)
		{
			ahead->seen[i] = true;
			c->call = call;
			c->positions[c->n++] = i;
		}
	}
}

static void
SendKeys(StringInfo out, const AheadCall *c, const TableDef *def, const struct ReadAhead *ahead)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, RANGE_KEYS, strlen(RANGE_KEYS));
	ItemBuilderBeginList(b);
	for (int i = 0; i < c->n; i++)
		ItemBuilderValue(b, ItemRoot(ItemOfKey(def, &ahead->keys[c->positions[i]])));
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
	initStringInfo(out);
	ItemSend(out, ItemRoot(ItemBuilderFinish(b)));
}

/* Takes the rows of an answer, which has as many of the first keys as fit. */
static void
TakeAnsweredRows(const AheadCall *c, struct ReadAhead *ahead, NodeValues *parts)
{
	StringInfoData part = {0};
	bool		more;

	for (int i = 0; i < c->n; i++)
	{
		int			at = c->positions[i];

		while (part.cursor >= part.len)
		{
			if (!NodeReceivePart(parts, &part, &more))
				return;
		}
		ahead->items[at] = NodeReceiveRow(&part);
		ahead->known[at] = true;
	}
}

static void
CallNodeForRows(AheadCall *c, const Store *store, struct ReadAhead *ahead)
{
	StringInfoData keys;
	PGresult   *result;
	NodeValues	parts;

	SendKeys(&keys, c, store->def, ahead);
	c->call.function = LINK_ROWS;
	c->call.args[0] = NodeText(get_namespace_name(RelationGetNamespace(store->rel)));
	c->call.args[1] = NodeText(RelationGetRelationName(store->rel));
	c->call.args[2] = NodeBytes(&keys);
	c->call.args[3] = NodeInteger(KEY_NONE);
	c->call.args[4] = NodeInteger(1);
	c->call.args[5] = NodeInteger(0);
	c->call.args[6] = NodeInteger(LARGEST_BATCH_BYTES);
	if (NodeCallRead(&c->call, &result))
	{
		NodeValuesInit(&parts, result);
		TakeAnsweredRows(c, ahead, &parts);
	}
}

/* ---- reading ahead ---- */

/*
 * Once the transaction uses connections of Citus, each shard has to be read over the
 * connection that may have written to it.
 */
void
NodeReadAhead(Store *store, const RowKey *keys, int n)
{
	const ShardMap *map = ShardsOfTable(store->def);
	struct ReadAhead *ahead;
	AheadCall  *c;

	if (map == NULL || n < 2 || !RemoteIsPossible() || RemoteHasBegun() || IsolationUsesXactSnapshot())
		return;
	RemoteCheckNesting();
	ahead = palloc(sizeof(*ahead));
	ahead->keys = keys;
	ahead->n = n;
	ahead->seen = palloc0(sizeof(bool) * n);
	ahead->known = palloc0(sizeof(bool) * n);
	ahead->items = palloc0(sizeof(struct varlena *) * n);
	c = palloc(sizeof(*c));
	for (int i = 0; i < n; i++)
	{
		if (ahead->seen[i])
			continue;
		CollectKeys(c, store, map, ahead, i);
		if (c->n > 1)
			CallNodeForRows(c, store, ahead);
	}
	pfree(c);
	store->ahead = ahead;
}

bool
NodeGetAhead(const Store *store, const RowKey *key, struct varlena **item)
{
	const struct ReadAhead *ahead = store->ahead;
	int			i;

	if (ahead == NULL || key < ahead->keys || key >= ahead->keys + ahead->n)
		return false;
	i = (int) (key - ahead->keys);
	*item = ahead->items[i];
	return ahead->known[i];
}
