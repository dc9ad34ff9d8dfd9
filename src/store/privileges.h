/*
 * privileges.h
 *	  The privileges that an operation needs on a table.
 */
#ifndef DYNAMO_PRIVILEGES_H
#define DYNAMO_PRIVILEGES_H

#include "store/store.h"

/*
 * Checks the user's privileges like the executor.  named: by a function or a
 * request, whose user is told what else there is.
 */
extern void CheckPrivileges(const Store *store, bool named);

/*
 * Tells modules that check or record privileges of the access, if it is direct:
 * another one is a statement, whose executor tells them.
 */
extern void AnnounceAccess(const Store *store);

#endif							/* DYNAMO_PRIVILEGES_H */
