/*
 * whole_statement.h
 *	  Writes on other nodes that are all a transaction does.
 *
 * Citus commits a write on another node in two further messages, because the rest of
 * the transaction could fail.  If there is no rest, the other node may commit the write
 * when it has executed it (node_link.h): the client gets its answer, and this
 * transaction ends without having done anything.
 */
#ifndef DYNAMO_CITUS_WHOLE_STATEMENT_H
#define DYNAMO_CITUS_WHOLE_STATEMENT_H

#include "fmgr.h"

/*
 * Whether a call of a function, which is about to write, is all that its transaction
 * does and will do.  The function must be one that SQL has called.
 */
extern bool CallIsWholeTransaction(FunctionCallInfo fcinfo);

/*
 * Notes that another node has committed the write.  It is too late to cancel the
 * statement then.
 */
extern void WholeTransactionIsDone(void);

#endif							/* DYNAMO_CITUS_WHOLE_STATEMENT_H */
