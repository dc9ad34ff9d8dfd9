/*
 * worker.h
 *	  A background worker of the HTTP endpoint.
 *
 * A worker waits for its listening sockets and all its connections at once,
 * never for one of them, and executes one request at a time:
 *
 *		worker.c		the loop: events, signals, timeouts
 *		events.c		what it waits for
 *		accept.c		new clients
 *		share.c			which worker gets them
 *		connection.c	bytes of a connection to requests, answers to bytes
 *		protocol.c		what to answer, in the service's order
 *		execute.c		the request's transaction
 *		durability.c	what its answer waits for
 *		flush_queue.c	who flushes the log, and for whom
 *
 * Nothing is held between requests: no transaction, snapshot or lock.
 */
#ifndef DYNAMO_HTTP_WORKER_H
#define DYNAMO_HTTP_WORKER_H

extern PGDLLEXPORT void dynamo_http_worker_main(Datum arg);

#endif							/* DYNAMO_HTTP_WORKER_H */
