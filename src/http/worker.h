/*
 * worker.h
 *	  A background worker of the HTTP endpoint.
 *
 * A worker waits for its listening sockets and all its connections together,
 * never for a single one, and executes one request at a time:
 *
 *		worker.c		main loop: events, signals, timeouts
 *		port.c			listening, as soon as the port can be had
 *		events.c		waiting for sockets
 *		accept.c		new clients
 *		share.c			distribution of clients among workers
 *		connection.c	bytes to requests, answers to bytes
 *		protocol.c		determines the answer, in the service's order
 *		compression.c	compressed bodies of requests and answers
 *		execute.c		executes a request in a transaction
 *		request_watch.c	cancels a transaction that meets a lock or holds the worker for too long
 *		durability.c	determines what an answer waits for
 *		flush_queue.c	flushing of the WAL for all workers
 *		log_limit.c		limits log messages about unauthenticated clients
 *
 * Between requests a worker has no transaction, snapshot or lock.
 */
#ifndef DYNAMO_HTTP_WORKER_H
#define DYNAMO_HTTP_WORKER_H

extern PGDLLEXPORT void dynamo_http_worker_main(Datum arg);

#endif							/* DYNAMO_HTTP_WORKER_H */
