/*
 * throughput.h
 *	  Throughput of tables and global indexes: provisioned, limited on demand,
 *	  kept warm.  Nothing of it is enforced.
 */
#ifndef DYNAMO_THROUGHPUT_H
#define DYNAMO_THROUGHPUT_H

#include "request/shape.h"
#include "request/writer.h"
#include "ddl/table_settings.h"

/* The object that throughput belongs to, and the operation that asks for it. */
typedef struct ThroughputOf
{
	const char *index;			/* index; NULL for the table itself */
	bool		on_demand;		/* the table is, or will be, on demand */
	bool		changed;		/* the object exists already */
} ThroughputOf;

/*
 * Raises an error for provisioned units that are out of bounds; NULL is
 * accepted.
 */
extern void CheckProvisioned(const Field *throughput);

/*
 * Check OnDemandThroughput and WarmThroughput in the structure that contains
 * them; before is the current throughput.
 */
extern void CheckThroughputLimits(const Field *structure, ThroughputOf of,
								  const Throughput *before);

/*
 * Returns the throughput of a new table or index from the structure that
 * creates it; raises errors for invalid limits.
 */
extern Throughput NewThroughput(const Field *structure, ThroughputOf of);

/*
 * Raises an error if the new units equal the current ones; index is NULL for
 * the table.
 */
extern void CheckChanges(const Throughput *before, const Field *throughput, const char *index);

/*
 * Stores the time at which provisioned units change.  The service's response
 * contains it beside the previous units.
 */
extern void DateProvisioned(Throughput *t, const Field *throughput);

/* Copies the given members of a structure, which have been checked. */
extern void SetThroughput(Throughput *t, const Field *structure);

/* Changes the billing mode to on demand, or from it. */
extern void SetOnDemand(Throughput *t);
extern void SetNotOnDemand(Throughput *t);

/*
 * Writes ProvisionedThroughput, WarmThroughput and OnDemandThroughput.  Omits
 * WarmThroughput if status is NULL.
 */
extern void WriterThroughput(Writer *w, const Throughput *t, bool on_demand,
							 const char *warm_status);

#endif							/* DYNAMO_THROUGHPUT_H */
