/*
 * address.h
 *	  How to connect to the nodes of Citus.
 */
#ifndef DYNAMO_CITUS_ADDRESS_H
#define DYNAMO_CITUS_ADDRESS_H

/*
 * The connection string for the primary node of a group, as the current user, in this
 * database; palloc'd.  NULL if there is no such node, or it does not know the tables
 * that Citus distributes.
 */
extern char *AddressOfGroup(int group);

/* Whether a host and port are those of a node of a group. */
extern bool IsAddressOfGroup(int group, const char *host, int port);

/* Changes if an address that AddressOfGroup has returned may have changed. */
extern uint64 AddressChanges(void);

#endif							/* DYNAMO_CITUS_ADDRESS_H */
