/*
 * libpq.h
 *	  The functions of libpq, if the server has loaded it.
 *
 * Citus is linked with libpq, and is loaded before the extension.  The extension is not
 * linked with libpq: without Citus the addresses of these functions are null.  The
 * declarations are those of libpq-fe.h, so that its header is not needed to build the
 * extension; libpq keeps their names and numbers.
 */
#ifndef DYNAMO_CITUS_LIBPQ_H
#define DYNAMO_CITUS_LIBPQ_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

typedef enum
{
	CONNECTION_OK,
	CONNECTION_BAD
} ConnStatusType;

typedef enum
{
	PGRES_POLLING_FAILED,
	PGRES_POLLING_READING,
	PGRES_POLLING_WRITING,
	PGRES_POLLING_OK
} PostgresPollingStatusType;

typedef enum
{
	PGRES_EMPTY_QUERY,
	PGRES_COMMAND_OK,
	PGRES_TUPLES_OK
} ExecStatusType;

typedef enum
{
	PQTRANS_IDLE,
	PQTRANS_ACTIVE
} PGTransactionStatusType;

#define LIBPQ_WEAK	__attribute__((weak))

/* connections */
extern PGconn *PQconnectStart(const char *conninfo) LIBPQ_WEAK;
extern PostgresPollingStatusType PQconnectPoll(PGconn *conn) LIBPQ_WEAK;
extern ConnStatusType PQstatus(const PGconn *conn) LIBPQ_WEAK;
extern PGTransactionStatusType PQtransactionStatus(const PGconn *conn) LIBPQ_WEAK;
extern char *PQerrorMessage(const PGconn *conn) LIBPQ_WEAK;
extern int	PQsocket(const PGconn *conn) LIBPQ_WEAK;
extern int	PQsetnonblocking(PGconn *conn, int nonblocking) LIBPQ_WEAK;
extern void PQfinish(PGconn *conn) LIBPQ_WEAK;

/* statements */
extern int	PQsendQueryParams(PGconn *conn, const char *command, int nparams, const Oid *types,
							  const char *const *values, const int *lengths, const int *formats,
							  int result_format) LIBPQ_WEAK;
extern int	PQsendPrepare(PGconn *conn, const char *name, const char *query, int nparams,
						  const Oid *types) LIBPQ_WEAK;
extern int	PQsendQueryPrepared(PGconn *conn, const char *name, int nparams, const char *const *values,
								const int *lengths, const int *formats, int result_format) LIBPQ_WEAK;
extern int	PQflush(PGconn *conn) LIBPQ_WEAK;
extern int	PQconsumeInput(PGconn *conn) LIBPQ_WEAK;
extern int	PQisBusy(PGconn *conn) LIBPQ_WEAK;
extern PGresult *PQgetResult(PGconn *conn) LIBPQ_WEAK;
extern PGcancel *PQgetCancel(PGconn *conn) LIBPQ_WEAK;
extern int	PQcancel(PGcancel *cancel, char *errbuf, int errbufsize) LIBPQ_WEAK;
extern void PQfreeCancel(PGcancel *cancel) LIBPQ_WEAK;

/* results */
extern ExecStatusType PQresultStatus(const PGresult *result) LIBPQ_WEAK;
extern char *PQresultErrorField(const PGresult *result, int field) LIBPQ_WEAK;
extern int	PQntuples(const PGresult *result) LIBPQ_WEAK;
extern int	PQnfields(const PGresult *result) LIBPQ_WEAK;
extern char *PQgetvalue(const PGresult *result, int row, int field) LIBPQ_WEAK;
extern int	PQgetlength(const PGresult *result, int row, int field) LIBPQ_WEAK;
extern int	PQgetisnull(const PGresult *result, int row, int field) LIBPQ_WEAK;
extern void PQclear(PGresult *result) LIBPQ_WEAK;

#endif							/* DYNAMO_CITUS_LIBPQ_H */
