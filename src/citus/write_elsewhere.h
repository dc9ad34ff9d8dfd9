/*
 * write_elsewhere.h
 *	  Writes of SQL functions that another node of Citus executes as a whole.
 *
 * If a call of dynamo.put_item, update_item or delete_item is a whole transaction, and
 * its item is on another node, that node executes it by dynamo_system.write_on_shard, which
 * takes its arguments.
 */
#ifndef DYNAMO_WRITE_ELSEWHERE_H
#define DYNAMO_WRITE_ELSEWHERE_H

#include "op/write.h"

/*
 * Lets the other node execute and commit a write.  Returns false if it has not done so,
 * and the write must be executed here.  Only attributes of the result are set.
 */
extern bool WriteElsewhere(const Store *store, const PreparedWrite *w, WriteResult *result);

#endif							/* DYNAMO_WRITE_ELSEWHERE_H */
