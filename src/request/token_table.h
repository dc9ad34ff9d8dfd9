/*
 * token_table.h
 *	  The table of ClientRequestTokens, below SQL.
 *
 * Its primary key is a hash of the role and the token, which keeps the index
 * small.  A row is added before anybody looks for one, since there is none but
 * when a transaction is sent again: the index tells.
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
	Relation	index;			/* index of the primary key */
	TimestampTz now;
} TokenTable;

typedef struct TokenKey
{
	uint64		hash;			/* hash of the other members */
	Slice		owner;			/* name of the role */
	Slice		token;
} TokenKey;

typedef struct TokenRow
{
	ItemPointerData place;
	bool		same_token;		/* rather than another one with its hash */
	TimestampTz completed;
	Slice		content;		/* in the current memory context */
} TokenRow;

/* Opens the table and reads the clock; checks no privileges. */
extern void TokenTableOpen(TokenTable *table);
extern void TokenTableClose(TokenTable *table);

/* Adds a row; returns false if the token may have one already. */
extern bool TokenTableAdd(const TokenTable *table, const TokenKey *key, bytea *content);

/*
 * Finds the row with the hash of a token as committed last.  The caller prevents concurrent
 * changes by its lock.
 */
extern bool TokenTableFind(const TokenTable *table, const TokenKey *key, TokenRow *row);

/* Whether a token that was stored at this time still counts. */
extern bool TokenCounts(const TokenTable *table, TimestampTz completed);

/* Deletes a row, unless another transaction is deleting it. */
extern void TokenTableDelete(const TokenTable *table, const TokenRow *row);

/* Deletes expired rows in a few blocks, which are chosen by a number. */
extern void TokenTableSweep(const TokenTable *table, uint32 number);

#endif							/* DYNAMO_TOKEN_TABLE_H */
