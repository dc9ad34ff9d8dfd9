/*
 * token_table.h
 *	  The table of ClientRequestTokens, below SQL.
 *
 * Its primary key begins with a hash of the rest of it.  A row is added before
 * anybody looks for one, since there is none but when a transaction is sent
 * again: the index tells.
 */
#ifndef DYNAMO_TOKEN_TABLE_H
#define DYNAMO_TOKEN_TABLE_H

#include "datatype/timestamp.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

#include "item/item.h"

typedef struct TokenTable
{
	Relation	rel;
	Relation	index;			/* of the primary key */
	TimestampTz now;
} TokenTable;

typedef struct TokenKey
{
	uint64		hash;			/* of the others */
	Slice		owner;			/* name of the role */
	Slice		token;
} TokenKey;

typedef struct TokenRow
{
	ItemPointerData place;
	TimestampTz completed;
	Slice		content;		/* in the current memory context */
} TokenRow;

/* Opens the table for this moment; checks no privileges. */
extern void TokenTableOpen(TokenTable *table);
extern void TokenTableClose(TokenTable *table);

/* Adds a row; false if the token may have one. */
extern bool TokenTableAdd(const TokenTable *table, const TokenKey *key, bytea *content);

/*
 * Finds the row of a token, as whoever committed last has left it.  The caller
 * keeps others from changing it.
 */
extern bool TokenTableFind(const TokenTable *table, const TokenKey *key, TokenRow *row);

/* Whether a token counts that was stored then. */
extern bool TokenCounts(const TokenTable *table, TimestampTz completed);

/* Deletes a row, unless somebody else is about to. */
extern void TokenTableDelete(const TokenTable *table, const TokenRow *row);

/* Deletes rows that do not count any more in a few blocks, which a number chooses. */
extern void TokenTableSweep(const TokenTable *table, uint32 number);

#endif							/* DYNAMO_TOKEN_TABLE_H */
