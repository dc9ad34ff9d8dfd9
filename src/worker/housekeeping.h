/*
 * housekeeping.h
 *	  A background worker that deletes expired items and old stream records, as
 *	  the service does automatically.
 */
#ifndef DYNAMO_WORKERS_HOUSEKEEPING_H
#define DYNAMO_WORKERS_HOUSEKEEPING_H

extern PGDLLEXPORT void dynamo_housekeeping_main(Datum arg);

#endif							/* DYNAMO_WORKERS_HOUSEKEEPING_H */
