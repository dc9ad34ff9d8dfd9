/*
 * throughput.h
 *	  Throughput of tables and global indexes: provisioned, limited on demand,
 *	  kept warm.  Nothing of it is enforced.
 */
#ifndef DYNAMO_THROUGHPUT_H
#define DYNAMO_THROUGHPUT_H

#include "request/shape.h"
#include "request/writer.h"
#include "request/table_settings.h"

/* What throughput is of, and when it is asked for. */
typedef struct ThroughputOf
{
	const char *index;			/* NULL: the table's own */
	bool		on_demand;		/* the table is, or comes to be */
	bool		changed;		/* of something that is there already */
} ThroughputOf;

/* Raises the error of provisioned units out of bounds; NULL is none. */
extern void CheckProvisioned(const Field *throughput);

/*
 * The checks of OnDemandThroughput and WarmThroughput in the structure that
 * has them; before is what there is.
 */
extern void CheckThroughputLimits(const Field *structure, ThroughputOf of,
								  const Throughput *before);

/*
 * The throughput of a new table or index, from the structure that creates it;
 * raises the errors of limits.
 */
extern Throughput NewThroughput(const Field *structure, ThroughputOf of);

/* Raises the error of units that are those there are; index NULL: the table's. */
extern void CheckChanges(const Throughput *before, const Field *throughput, const char *index);

/*
 * Notes when provisioned units are changed, which the service's answer tells
 * beside the units there were.
 */
extern void DateProvisioned(Throughput *t, const Field *throughput);

/* Takes over the members of a structure that are given, which are checked. */
extern void SetThroughput(Throughput *t, const Field *structure);

/* Changes to on demand, or from it. */
extern void SetOnDemand(Throughput *t);
extern void SetNotOnDemand(Throughput *t);

/*
 * Writes ProvisionedThroughput, WarmThroughput and OnDemandThroughput; a
 * status of NULL leaves WarmThroughput out.
 */
extern void WriterThroughput(Writer *w, const Throughput *t, bool on_demand,
							 const char *warm_status);

#endif							/* DYNAMO_THROUGHPUT_H */
