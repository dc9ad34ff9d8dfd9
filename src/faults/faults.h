/*
 * faults.h
 *	  The library dynamo_faults: a test server that fails as the service sometimes does.
 *
 * A server has it if shared_preload_libraries names it, and a server that does not loads nothing
 * of it, knows none of its settings, and does what it does without these files.  Its only door
 * is request/request_hook.h.  It never changes what is stored: a request fails before it is
 * executed, or is executed as a smaller one.
 *
 *	faults_settings.c	the settings, dynamo_faults.throttle and so on
 *	faults_choice.c		which requests fail
 *	faults_request.c	the hook: delays, errors, pages of few items
 *	faults_batch.c		batches that are executed in part
 *	faults_stale.c		reads that do not see the latest writes
 *	faults_library.c	the start of the library
 */
#ifndef DYNAMO_FAULTS_H
#define DYNAMO_FAULTS_H

#include "utils/snapshot.h"

#include "request/operation.h"

#define FAULTS_LIBRARY	"dynamo_faults"

/* ---- faults_settings.c ---- */

extern double fault_throttle;
extern int	fault_throttle_error;	/* a SQLSTATE */
extern double fault_internal_error;
extern double fault_transaction_conflict;
extern double fault_unprocessed;
extern int	fault_latency;		/* in ms */
extern int	fault_page_items;
extern int	fault_stale_reads;	/* in ms */
extern bool fault_stale_indexes_only;
extern int	fault_count;
extern int	fault_seed;
extern char *fault_operations;
extern char *fault_tables;

extern void FaultSettingsInit(void);

/* Whether a list of names, separated by commas, contains a name. */
extern bool FaultListHas(const char *list, const char *name);

/* ---- faults_choice.c ---- */

extern void FaultChoiceInit(void);

/*
 * Whether something happens this time that happens in a fraction of all cases.  With
 * dynamo_faults.seed, the answers are the same after each start of the numbers.
 */
extern bool FaultHappens(double fraction);

/* A number from 0 to n - 1, chosen likewise. */
extern int	FaultPick(int n);

/* Whether dynamo_faults.count allows another request to fail; counts it. */
extern bool FaultIsAllowed(void);

/* Numbers the choices from the start; called when the seed is set. */
extern void FaultChoicesRestart(void);

/* Lets a worker read settings that were changed before this request was sent. */
extern void FaultSettingsCatchUp(void);

/* ---- faults_request.c ---- */

/* A request_hook. */
extern void FaultExecute(Request *request);

/* A member of a structure; NULL if it is absent, or the structure has none of the name. */
extern const Field *FaultMember(const Field *structure, const char *name);

/* A copy of a structure with another value of a member that it can have. */
extern const Field *FaultReplace(const Field *structure, const char *name, Field *value);

/* ---- faults_batch.c ---- */

/*
 * Executes BatchGetItem or BatchWriteItem without some of its keys or requests, which the
 * response returns as unprocessed.  Returns false if it has executed nothing.
 */
extern bool FaultExecutePart(Request *request);

/* ---- faults_stale.c ---- */

extern void FaultStaleInit(void);

/* Waits until snapshots have been taken after dynamo_faults.stale_reads was set. */
extern void FaultStaleAwait(void);

/* A snapshot that is at least dynamo_faults.stale_reads old. */
extern Snapshot FaultStaleSnapshot(void);

#endif							/* DYNAMO_FAULTS_H */
