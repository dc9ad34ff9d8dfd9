/*
 * housekeeping.h
 *	  A background worker that does what the service does by itself: removes
 *	  expired items, and records of streams that have been kept long enough.
 */
#ifndef DYNAMO_HTTP_HOUSEKEEPING_H
#define DYNAMO_HTTP_HOUSEKEEPING_H

extern PGDLLEXPORT void dynamo_http_housekeeping_main(Datum arg);

#endif							/* DYNAMO_HTTP_HOUSEKEEPING_H */
