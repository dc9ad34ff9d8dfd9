/*
 * durability.h
 *	  How safe a commit must be before its client may hear of it.
 */
#ifndef DYNAMO_HTTP_DURABILITY_H
#define DYNAMO_HTTP_DURABILITY_H

#include "access/xlogdefs.h"

/* What the last transaction's synchronous_commit asks for. */
typedef struct Durability
{
	XLogRecPtr	lsn;			/* end of the commit record; 0: nothing to wait for */
	int			standby_mode;	/* SYNC_REP_WAIT_...; SYNC_REP_NO_WAIT: none */
} Durability;

/* Notes from now on what each transaction of this process asks for. */
extern void DurabilityInit(void);

/* That of the transaction that ended last, committed or not. */
extern Durability DurabilityOfLastTransaction(void);

/*
 * Whether the synchronous standbys have confirmed the commit, or none is asked
 * for any more.
 */
extern bool DurabilityIsConfirmed(Durability durability);

#endif							/* DYNAMO_HTTP_DURABILITY_H */
