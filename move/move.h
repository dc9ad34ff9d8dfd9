/*
 * move.h
 *	  dynamo-move: moves tables between endpoints of DynamoDB's API, and into PostgreSQL.
 *
 * A client program on libcurl, libpq and jansson, apart from the extension's libraries;
 * docs/dynamo-move.md describes its use.
 *
 *		source ---Scan---> copy ------+
 *		   |                          +--> target, with what the move has done so far
 *		   +--GetRecords-> follow ----+
 *
 * Vocabulary: an endpoint is where a table is, reached over HTTP or, for our own server, by
 * libpq with the same requests (dynamo.request_safe); a link is one connection to it.  A
 * move is one table on its way; its state is a list of names with a JSON text each, stored
 * in the target:
 *
 *		move			what moves where, since when, and its phase
 *		segment/0003	how far the copy of a segment (or a file of an export) has come
 *		shard/ID		how far the changes of a shard of the source's stream were applied
 *		reverse/ID		the same for the target's stream, on the way back
 *
 * In PostgreSQL a state is changed in the transaction of the data that it speaks of.
 * Elsewhere it is written after the data, which are then written again after a crash: puts
 * and deletes of whole items, in order, end at the same items.  Every change of a state
 * names the value that it replaces, so that two programs cannot work on the same move.
 */
#ifndef DYNAMO_MOVE_H
#define DYNAMO_MOVE_H

#include <curl/curl.h>
#include <jansson.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- base.c: memory, text, time, messages ---- */

typedef struct Text
{
	char	   *data;			/* ends with a zero byte, if not NULL */
	size_t		len;
	size_t		size;
} Text;

#define PRINTF(text, args)	__attribute__((format(printf, text, args)))

void		MoveFail(const char *format,...) PRINTF(1, 2) __attribute__((noreturn));
void		MoveSay(const char *format,...) PRINTF(1, 2);
void		MoveWarn(const char *format,...) PRINTF(1, 2);
void		MovePrint(const char *format,...) PRINTF(1, 2);
void	   *MoveAlloc(size_t size);
void	   *MoveRealloc(void *old, size_t size);
char	   *MoveCopy(const char *text);
char	   *MoveFormat(const char *format,...) PRINTF(1, 2);
void		TextAdd(Text *text, const void *data, size_t len);
void		TextAddString(Text *text, const char *string);
void		TextClear(Text *text);
void		TextFree(Text *text);
double		MoveClock(void);
double		MoveNow(void);
void		MoveSleep(double seconds);
void		MovePause(double seconds);
bool		MoveGivesUp(double *since);
unsigned	MoveRandom(void);
char	   *MoveDuration(double seconds);
char	   *JsonText(json_t *value);
json_t	   *JsonParse(const char *text, size_t len, const char *what);
const char *JsonString(json_t *object, const char *name);
const char *JsonNeed(json_t *object, const char *name, const char *what);
json_t	   *JsonNeedArray(json_t *object, const char *name, const char *what);
bool		JsonTrue(json_t *object, const char *name);
double		JsonNumber(json_t *object, const char *name);

/* Where the pages of a list have come by; {0} at its beginning. */
typedef struct Circle
{
	json_t	   *mark;
	unsigned long pages;
	unsigned long next;
} Circle;

void		CircleCheck(Circle *circle, json_t *key, const char *what, const char *name);
void		ListCheck(Circle *circle, json_t *key, const char *what, const char *name);
void		CircleEnd(Circle *circle);

/* Set by SIGINT and SIGTERM: finish what is begun, and end. */
extern volatile int move_stop;

/* ---- credentials.c: where AWS tools look for keys, regions and addresses ---- */

typedef struct Credentials
{
	char	   *key_id;
	char	   *secret;
	char	   *token;			/* of a session, or NULL */
	double		expires;		/* 0: never */
	bool		renewable;		/* can be asked for again */
} Credentials;

typedef struct Aws
{
	char	   *profile;		/* NULL for the default */
	bool		explicit_profile;
	bool		environment;	/* whether AWS_REGION, AWS_PROFILE and AWS_ENDPOINT_URL speak of it */
} Aws;

void		CredentialsFind(const Aws *aws, Credentials *found);
char	   *AwsSetting(const Aws *aws, const char *name);
char	   *AwsRegion(const Aws *aws);
char	   *AwsEndpoint(const Aws *aws, bool streams);

/* ---- link.c: requests ---- */

typedef struct Endpoint
{
	const char *role;			/* "source" or "target" */
	char	   *conninfo;		/* of PostgreSQL, or NULL */
	char	   *url;
	char	   *streams_url;
	char	   *region;
	char	   *ca_file;
	bool		is_aws;
	Aws			aws;
	Credentials credentials;
	pthread_mutex_t lock;		/* of the credentials */
} Endpoint;

typedef struct Link
{
	Endpoint   *endpoint;
	CURL	   *curl;
	PGconn	   *conn;
	Text		answer;
	double		date;			/* of the last answer, by the endpoint's clock */
	size_t		headers;		/* bytes of its headers */
	int64_t		checksum;		/* of its body, as the endpoint says; -1: it does not */
	bool		in_transaction;
	char		problem[256];	/* why a transaction was lost */
} Link;

/* What was wrong with a request that was not repeated. */
typedef struct CallError
{
	char		type[128];		/* such as ResourceNotFoundException; empty: none */
	char		message[1024];
} CallError;

extern double patience;			/* how long to repeat requests that fail for a while */
extern unsigned long retries;	/* so far */

Link	   *LinkOpen(Endpoint *endpoint);
void		LinkClose(Link *link);
json_t	   *LinkCall(Link *link, const char *operation, json_t *request, CallError *error);
PGresult   *LinkQuery(Link *link, const char *query, int nargs, const char *const *args);
PGresult   *LinkTry(Link *link, const char *query, int nargs, const char *const *args);
bool		LinkBegin(Link *link);
bool		LinkCommit(Link *link);
bool		LinkLost(Link *link);
double		LinkTime(const Link *link);
double		LinkSince(const Link *link);
void		LinkRollback(Link *link);
void		LinkNoteProblem(Link *link, PGresult *result);
void		LinkRepeat(Link *link, double until);
void		LinkFailQuery(Link *link, PGresult *result, const char *what) __attribute__((noreturn));

/* ---- state.c: what a move has done so far ---- */

typedef struct Options
{
	Endpoint	source;
	Endpoint	target;
	char	  **tables;
	int			ntables;
	char	   *target_table;
	char	   *move;			/* its name */
	char	   *state_name;		/* of the schema or table of states */
	char	   *export_path;
	char	   *model_file;
	int			segments;
	int			jobs;
	double		rate;			/* read units per second; 0: no limit */
	double		overlap;		/* seconds of changes from before the copy that are applied again */
	double		retention;		/* of the source's stream */
	double		until_quiet;	/* end after so long without changes; < 0: never */
	double		every;
	double		settle;
	int			sample;
	int			show;
	bool		create;
	bool		enable_stream;
	bool		repair;
	bool		back;
	bool		no_compare;
	bool		quiet;
} Options;

extern Options options;

void		StatePrepare(Link *link);
char	   *StateGet(Link *link, const char *name);
bool		StatePut(Link *link, const char *name, const char *old, const char *value);
bool		StateIsStored(Link *link, const char *name, const char *value);
json_t	   *StateList(Link *link, const char *prefix);
json_t	   *StateParse(const char *text, const char *name);
char	   *StateSwitched(Link *link, const char *target);
json_t	   *StateGetMove(Link *link, char **text);
void		CheckIdentity(json_t *move, Link *source, Link *target);
void		NoteIdentity(json_t *move, json_t *source, json_t *target);
void		StateSetMove(Link *link, json_t *move, char **text);

/* ---- target.c: items into a table ---- */

typedef struct Target
{
	const char *table;
	json_t	   *description;	/* of DescribeTable */
	char	   *relation;		/* in PostgreSQL: quoted, with its schema */
	char	   *insert;			/* the statement that takes rows of the stage */
	bool		plain_copy;		/* COPY into it is possible */
} Target;

/* A put or, without an item, a delete. */
typedef struct Change
{
	json_t	   *key;
	json_t	   *item;
} Change;

/* A state and the value that replaces it; name NULL: none. */
typedef struct Step
{
	Link	   *link;
	const char *name;
	const char *old;
	const char *value;
} Step;

void		TargetOpen(Target *target, Link *link, const char *table);
void		TargetClose(Target *target);
void		PutPage(Target *target, Link *link, json_t *items, const Step *step);
void		ForgetKeys(Link *link);
void		EndPages(Link *link, const Step *step);
void		ApplyChanges(Target *target, Link *link, const Change *changes, size_t count, const Step *step, bool beside_copy);
json_t	   *DescribeTable(Link *link, const char *table, bool missing_ok);
void		AwaitTable(Link *link, const char *table);
const char *KeyType(json_t *description, const char *attribute);
json_t	   *KeyOf(json_t *description, json_t *item);
bool		HasKey(json_t *description, json_t *item, json_t *key);
json_t	   *TableKey(json_t *description);
void		CheckPair(json_t *source, json_t *target);
json_t	   *GetItem(Link *link, const char *table, json_t *description, json_t *key);

/* ---- digest.c: items that are equal have the same digest ---- */

typedef struct Digest
{
	unsigned char bytes[16];
} Digest;

Digest		DigestOf(json_t *item);
void		DigestHex(const Digest *digest, char *hex);

/* ---- scan.c: parallel scans at a rate ---- */

json_t	   *ScanPage(Link *link, const char *table, int segment, int segments, json_t *start, Circle *circle, double *units);
void		RunThreads(void *(*run) (void *), void *arg, int count);

/* ---- the commands, each in its file ---- */

int			PlanCommand(void);
int			CopyCommand(void);
int			FollowCommand(void);
int			CompareCommand(void);
int			SwitchCommand(void);
int			ReverseCommand(void);

/* entities.c: what could be declared, from sampled items */
json_t	   *ProposeEntities(json_t *description, json_t *items);

/* export.c: files of an export to S3; the time of the export */
double		ExportOpen(const char *path, const char *table_id, json_t *files);
bool		ExportRead(const char *path, long skip, bool (*take) (void *arg, json_t *items, long lines), void *arg);

/* follow.c */
typedef struct Direction
{
	Endpoint   *from;
	Endpoint   *to;
	const char *from_table;
	const char *to_table;
	const char *prefix;			/* of the states of shards */
	double		begun;			/* when the shards were recorded */
	double		since;			/* older changes are skipped */
	bool		beside_copy;	/* the copy may not be complete */
	bool		refuse;			/* there should be no changes: any is an error */
	bool		may_end;		/* the stream may have been turned off: both tables are compared afterwards */
} Direction;

void		ShardsBegin(Link *link, Link *state, const char *arn, const char *prefix, bool skip_closed);
void		CheckStream(Link *link, const char *table, const char *arn);
double		FollowBegun(json_t *move);
double		FollowSince(json_t *move);
long		FollowStream(const Direction *direction, const char *arn, double quiet);

/* compare.c: the number of differences; -1: stopped before the end */
long		CompareTables(void);

#endif
