/*
 * token.h
 *	  ClientRequestToken: a transaction that is sent twice runs once.
 *
 * The token of a transaction is stored with a digest of its request and its
 * tables, by the same PostgreSQL transaction, so that both or none survive a
 * crash.  A request that is sent again after its tables were created anew is
 * another transaction, and is executed.  While
 * the transaction runs, an advisory lock of the extension's own class marks
 * the token as in use.  A token counts for ten minutes; old rows are deleted
 * by requests with other tokens, a few blocks of the table by one of 32.
 */
#ifndef DYNAMO_TOKEN_H
#define DYNAMO_TOKEN_H

#include "op/op.h"

/* Returns the digest of a transaction of actions. */
extern bytea *DigestOfActions(const WriteOp *actions, int n);

/*
 * Takes a token for the transaction with this digest on these n tables, until
 * the end of the surrounding PostgreSQL transaction.  The tables are locked;
 * InvalidOid stands for a missing one.  Returns false if the same transaction
 * was executed with the token within the last ten minutes, so that nothing
 * must be done.  Raises ERRCODE_DYNAMO_TRANSACTION_IN_PROGRESS if it is being
 * executed now, and ERRCODE_DYNAMO_IDEMPOTENT_MISMATCH if the token stands for
 * another transaction or if some, but not all, of its tables were created
 * anew.
 */
extern bool TokenTake(Slice token, const bytea *digest, const Oid *tables, int n);

#endif							/* DYNAMO_TOKEN_H */
