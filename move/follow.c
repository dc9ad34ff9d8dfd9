/*
 * follow.c
 *	  Reads the shards of a stream and applies their changes, in the order of each item.
 *
 * A shard is read by one thread at a time, from its first record or after the last one that
 * was applied; a child begins when its parent has ended.  Several threads take turns, so
 * that a busy shard does not hold up the others.
 *
 * What cannot be read any more would be missing silently, so that is an error: a position
 * that was trimmed, a shard that is gone, a state that is older than the stream's retention.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "move.h"

#define PAUSE			0.3		/* between reads of a shard without records */
#define DISCOVERY		5.0		/* between two looks for new shards */
#define HEARTBEAT		30.0	/* how often a state says when the shard was read */

typedef struct Shard
{
	char	   *id;
	char	   *parent;			/* or NULL */
	char	   *name;			/* of its state */
	char	   *old;			/* its state as stored, or NULL */
	char	   *sequence;		/* of the last record that was applied, or NULL */
	char	   *iterator;
	bool		done;
	bool		busy;			/* a thread reads it */
	bool		listed;			/* the stream has it */
	bool		before;			/* it had ended when shards were recorded: only its last changes are of use */
	double		at;				/* until when its records were read, by the stream's clock */
	double		next;			/* when to read it again */
	double		empty;			/* when it was read last without a record */
} Shard;

typedef struct Follower
{
	pthread_mutex_t lock;
	const Direction *direction;
	const char *arn;
	double		quiet;
	Shard	  **shards;
	int			count;
	bool		discovering;
	bool		finished;
	bool		closed;			/* the stream was turned off */
	double		discovered;		/* when shards were looked for last */
	double		active;			/* when there was something new */
	double		reported;
	double		lag;
	long		applied;
} Follower;

static Follower follower;

/* A thread's connections. */
typedef struct Reader
{
	Link	   *from;
	Link	   *to;
	Link	   *state;
	Target		target;
} Reader;

static const char *const lost_hint =
	"changes are lost; run \"compare --repair\" while \"follow\" of a new move (--name) runs, or copy again";

/* ---- shards ---- */

/* Also whether the stream was turned off. */
static json_t *
ListShards(Link *link, const char *arn, bool *closed)
{
	json_t	   *shards = json_array(),
			   *answer = NULL,
			   *stream,
			   *list,
			   *shard;
	json_t	   *start = NULL;
	Circle		circle = {0};
	size_t		i;

	*closed = false;
	do
	{
		json_t	   *request = json_pack("{s:s}", "StreamArn", arn);

		if (start != NULL)
			json_object_set_new(request, "ExclusiveStartShardId", start);
		answer = LinkCall(link, "DescribeStream", request, NULL);
		stream = json_object_get(answer, "StreamDescription");
		list = JsonNeedArray(stream, "Shards", "an answer of DescribeStream");
		json_array_foreach(list, i, shard)
			JsonNeed(shard, "ShardId", "a shard of the stream");
		json_array_extend(shards, list);
		if (JsonString(stream, "StreamStatus") != NULL && strncmp(JsonString(stream, "StreamStatus"), "DISABL", 6) == 0)
			*closed = true;
		start = json_incref(json_object_get(stream, "LastEvaluatedShardId"));
		json_decref(answer);
		if (start != NULL)
			ListCheck(&circle, start, "the list of shards of stream", arn);
	} while (start != NULL);
	CircleEnd(&circle);
	return shards;
}

/* What was recorded before is read no more: the shards may be gone by now. */
static void
EndShards(Link *state, const char *prefix)
{
	json_t	   *states = StateList(state, prefix),
			   *text;
	const char *name;

	json_object_foreach(states, name, text)
	{
		char	   *ended = MoveFormat("{\"done\":true,\"at\":%.3f,\"ended\":%.6f}", 0.0, MoveNow());

		StatePut(state, name, json_string_value(text), ended);
		free(ended);
	}
	json_decref(states);
}

static bool
HasEndedShard(json_t *shard)
{
	return JsonString(json_object_get(shard, "SequenceNumberRange"), "EndingSequenceNumber") != NULL;
}

/* Whether a child of the shard has not ended. */
static bool
HasOpenChild(json_t *shards, const char *id)
{
	json_t	   *shard;
	size_t		i;

	json_array_foreach(shards, i, shard)
	{
		const char *parent = JsonString(shard, "ParentShardId");

		if (parent != NULL && strcmp(parent, id) == 0 && !HasEndedShard(shard))
			return true;
	}
	return false;
}

/*
 * Records the shards that a stream has now, in place of any that were recorded before.
 * Those that have ended need not be read, but for the parents of those that have not: they may
 * have ended just now, with changes that a read does not show yet.
 */
void
ShardsBegin(Link *link, Link *state, const char *arn, const char *prefix, bool skip_closed)
{
	bool		ended;
	json_t	   *shards = ListShards(link, arn, &ended),
			   *shard;
	size_t		i;

	EndShards(state, prefix);
	json_array_foreach(shards, i, shard)
	{
		const char *id = JsonString(shard, "ShardId");
		char	   *name = MoveFormat("%s%s", prefix, id),
				   *old = StateGet(state, name);
		bool		closed = skip_closed && HasEndedShard(shard),
					last = closed && HasOpenChild(shards, id);
		json_t	   *value = json_pack("{s:b,s:f}", "done", closed && !last, "at", LinkTime(link));
		char	   *text;

		if (last)
			json_object_set_new(value, "before", json_true());
		text = JsonText(value);
		StatePut(state, name, old, text);
		json_decref(value);
		free(text);
		free(old);
		free(name);
	}
	json_decref(shards);
}

static Shard *
FindShard(const char *id)
{
	for (int i = 0; i < follower.count; i++)
	{
		if (strcmp(follower.shards[i]->id, id) == 0)
			return follower.shards[i];
	}
	return NULL;
}

static Shard *
AddShard(const char *id)
{
	Shard	   *shard = MoveAlloc(sizeof(Shard));

	shard->id = MoveCopy(id);
	shard->name = MoveFormat("%s%s", follower.direction->prefix, id);
	follower.shards = MoveRealloc(follower.shards, (follower.count + 1) * sizeof(Shard *));
	follower.shards[follower.count++] = shard;
	return shard;
}

/* A shard that waits for itself would never be read. */
static void
CheckParents(const Shard *shard)
{
	const Shard *parent = shard;

	for (int i = 0; i <= follower.count && parent != NULL; i++)
		parent = parent->parent != NULL ? FindShard(parent->parent) : NULL;
	if (parent != NULL)
		MoveFail("the stream's shard \"%s\" is its own ancestor, or a descendant of one that is", shard->id);
}

/* The shards of the stream, and those that have states. */
static void
DiscoverShards(Link *link)
{
	bool		closed;
	json_t	   *list = ListShards(link, follower.arn, &closed),
			   *entry;
	double		now = LinkTime(link);
	size_t		i;

	pthread_mutex_lock(&follower.lock);
	for (int k = 0; k < follower.count; k++)
		follower.shards[k]->listed = false;
	json_array_foreach(list, i, entry)
	{
		const char *parent = JsonString(entry, "ParentShardId");
		Shard	   *shard = FindShard(JsonString(entry, "ShardId"));

		if (shard == NULL)
		{
			shard = AddShard(JsonString(entry, "ShardId"));
			shard->at = now;
			follower.active = MoveClock();
		}
		if (parent != NULL && shard->parent == NULL)
			shard->parent = MoveCopy(parent);
		shard->listed = true;
	}
	for (int k = 0; k < follower.count; k++)
	{
		Shard	   *shard = follower.shards[k];

		if (!shard->listed && shard->before)
			shard->done = true;
		if (!shard->listed && !shard->done)
			MoveFail("the stream's shard \"%s\" is gone, and was not read to its end: %s", shard->id, lost_hint);
		CheckParents(shard);
	}
	follower.closed = closed;
	follower.discovered = MoveClock();
	follower.discovering = false;
	pthread_mutex_unlock(&follower.lock);
	json_decref(list);
}

static void
ReadStates(Link *from, Link *state)
{
	json_t	   *states = StateList(state, follower.direction->prefix),
			   *text;
	const char *name;
	double		newest = follower.direction->begun,
				oldest = INFINITY,
				now;

	json_object_foreach(states, name, text)
	{
		json_t	   *value = StateParse(json_string_value(text), name);
		Shard	   *shard = AddShard(name + strlen(follower.direction->prefix));

		shard->old = MoveCopy(json_string_value(text));
		shard->done = JsonTrue(value, "done");
		shard->before = JsonTrue(value, "before");
		shard->sequence = JsonString(value, "sequence") != NULL ? MoveCopy(JsonString(value, "sequence")) : NULL;
		shard->at = JsonNumber(value, "at");
		newest = fmax(newest, shard->at);
		if (!shard->done)
			oldest = fmin(oldest, shard->at);
		json_decref(value);
	}
	json_decref(states);
	DiscoverShards(from);
	now = LinkTime(from);
	if (newest > 0 && now - fmin(newest, oldest) > options.retention)
		MoveFail("the stream was read last %.0f hours ago, and keeps changes for %.0f (--retention): %s", (now - fmin(newest, oldest)) / 3600,
				 options.retention / 3600, lost_hint);
}

/* ---- records ---- */

/* Where to go on reading. */
static void
OpenIterator(Reader *reader, Shard *shard)
{
	json_t	   *request = json_pack("{s:s,s:s,s:s}", "StreamArn", follower.arn, "ShardId", shard->id, "ShardIteratorType",
									shard->sequence != NULL ? "AFTER_SEQUENCE_NUMBER" : "TRIM_HORIZON"),
			   *answer;
	CallError	error;

	if (shard->sequence != NULL)
		json_object_set_new(request, "SequenceNumber", json_string(shard->sequence));
	answer = LinkCall(reader->from, "GetShardIterator", request, &error);
	if (answer == NULL)
		MoveFail("cannot go on reading shard \"%s\": %s: %s%s%s", shard->id, error.type, error.message,
				 strcmp(error.type, "TrimmedDataAccessException") == 0 || strcmp(error.type, "ResourceNotFoundException") == 0 ? "; " : "",
				 strcmp(error.type, "TrimmedDataAccessException") == 0 || strcmp(error.type, "ResourceNotFoundException") == 0 ? lost_hint : "");
	shard->iterator = MoveCopy(JsonNeed(answer, "ShardIterator", "an answer of GetShardIterator"));
	json_decref(answer);
}

/* The next records, or NULL if another iterator is needed. */
static json_t *
ReadRecords(Reader *reader, Shard *shard)
{
	CallError	error;
	json_t	   *answer = LinkCall(reader->from, "GetRecords", json_pack("{s:s,s:i}", "ShardIterator", shard->iterator, "Limit", 1000), &error);

	free(shard->iterator);
	shard->iterator = NULL;
	if (answer == NULL && strcmp(error.type, "ExpiredIteratorException") != 0)
		MoveFail("cannot read shard \"%s\": %s: %s%s%s", shard->id, error.type, error.message,
				 strcmp(error.type, "TrimmedDataAccessException") == 0 ? "; " : "",
				 strcmp(error.type, "TrimmedDataAccessException") == 0 ? lost_hint : "");
	return answer;
}

static double
RecordTime(json_t *record)
{
	return JsonNumber(json_object_get(record, "dynamodb"), "ApproximateCreationDateTime");
}

/* Whether a record takes an item away. */
static bool
IsRemoval(json_t *record)
{
	const char *event = JsonString(record, "eventName");

	if (event == NULL || (strcmp(event, "INSERT") != 0 && strcmp(event, "MODIFY") != 0 && strcmp(event, "REMOVE") != 0))
		MoveFail("a record of the stream has no eventName");
	return event[0] == 'R';
}

/* Whether the endpoint has removed an item that was expired. */
static bool
IsExpiry(json_t *record)
{
	json_t	   *identity = json_object_get(record, "userIdentity");
	const char *principal = JsonString(identity, "PrincipalId");

	if (principal == NULL)
		principal = JsonString(identity, "principalId");
	return principal != NULL && strcmp(principal, "dynamodb.amazonaws.com") == 0;
}

/* The changes of these records that are to be applied; returns their number. */
static size_t
TakeChanges(Reader *reader, json_t *records, Change *changes)
{
	/* both tables have the same key */
	json_t	   *description = reader->target.description,
			   *record;
	size_t		count = 0,
				i;

	json_array_foreach(records, i, record)
	{
		json_t	   *data = json_object_get(record, "dynamodb"),
				   *key = json_object_get(data, "Keys"),
				   *image = json_object_get(data, "NewImage");
		bool		removed = IsRemoval(record);

		if (!HasKey(description, key, key) || (!removed && image != NULL && !HasKey(description, image, key)))
			MoveFail("a record of the stream has Keys that are no key, or the image of another item");
		/* without a time it may be new */
		if (RecordTime(record) > 0 && RecordTime(record) < follower.direction->since)
			continue;
		/* the target removes expired items by itself since the switch */
		if (follower.direction->refuse && removed && IsExpiry(record))
			continue;
		if (follower.direction->refuse)
			MoveFail("the source was written after the switch: record %s of its stream changes %s; "
					 "copy this change by hand, then use --no-compare", JsonString(data, "SequenceNumber"), JsonText(key));
		changes[count].key = key;
		/* a stream without new images: its later changes follow */
		changes[count].item = removed ? NULL : image != NULL ? json_incref(image) :
			GetItem(reader->from, follower.direction->from_table, description, key);
		count++;
	}
	return count;
}

static bool
IsDigits(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Whether a sequence number is before another one.  Of what is no number, nobody knows. */
static bool
IsBefore(const char *number, const char *other)
{
	size_t		len,
				other_len;

	if (!IsDigits(number) || !IsDigits(other))
		return false;
	number += strspn(number, "0");
	other += strspn(other, "0");
	len = strlen(number);
	other_len = strlen(other);
	return len != other_len ? len < other_len : strcmp(number, other) < 0;
}

/* The number of the last record.  Records that go back would bring back what was changed since. */
static const char *
CheckOrder(Shard *shard, json_t *records)
{
	const char *last = NULL;
	json_t	   *record;
	size_t		i;

	json_array_foreach(records, i, record)
	{
		const char *number = JsonNeed(json_object_get(record, "dynamodb"), "SequenceNumber", "a record of the stream");

		if (last != NULL && IsBefore(number, last))
			MoveFail("shard \"%s\" has record %s after record %s", shard->id, number, last);
		last = number;
	}
	if (last != NULL && shard->sequence != NULL && (strcmp(shard->sequence, last) == 0 || IsBefore(last, shard->sequence)))
		MoveFail("shard \"%s\" does not go on after record %s", shard->id, shard->sequence);
	return last;
}

static char *
ShardText(Shard *shard, bool done)
{
	json_t	   *value = json_pack("{s:b,s:f}", "done", done, "at", shard->at);
	char	   *text;

	if (shard->sequence != NULL)
		json_object_set_new(value, "sequence", json_string(shard->sequence));
	if (shard->before)
		json_object_set_new(value, "before", json_true());
	text = JsonText(value);
	json_decref(value);
	return text;
}

static void
Report(double last)
{
	double		now = MoveClock();

	if (last > 0)
		follower.lag = fmax(MoveNow() - last, 0);
	if (now - follower.reported < (isatty(2) ? 1 : 10))
		return;
	follower.reported = now;
	MoveSay("applied %ld changes, %.1f s behind, %lu retries", follower.applied, follower.lag, retries);
}

/* Reads the next records of a shard, and applies them. */
static void
ReadShard(Reader *reader, Shard *shard)
{
	double		begun = MoveClock();
	json_t	   *answer,
			   *records,
			   *next;
	const char *last;
	size_t		read,
				count;
	Change	   *changes;
	bool		done;

	if (shard->iterator == NULL)
		OpenIterator(reader, shard);
	answer = ReadRecords(reader, shard);
	if (answer == NULL)
	{
		shard->next = MoveClock() + PAUSE;
		return;
	}
	/* an answer of something else would end the shard */
	records = JsonNeedArray(answer, "Records", "an answer of GetRecords");
	read = json_array_size(records);
	last = CheckOrder(shard, records);
	next = json_object_get(answer, "NextShardIterator");
	if (next != NULL && !json_is_string(next) && !json_is_null(next))
		MoveFail("an answer of GetRecords has a NextShardIterator that is none");
	changes = MoveAlloc((read + 1) * sizeof(Change));
	count = TakeChanges(reader, records, changes);
	if (json_is_string(next))
		shard->iterator = MoveCopy(json_string_value(next));
	done = shard->iterator == NULL;
	if (read > 0)
	{
		free(shard->sequence);
		shard->sequence = MoveCopy(last);
	}
	if (read > 0 || done || shard->old == NULL || LinkTime(reader->from) - shard->at > HEARTBEAT)
	{
		char	   *text;
		Step		step;

		if (read == 0 || LinkTime(reader->from) > shard->at)
			shard->at = LinkTime(reader->from);
		text = ShardText(shard, done);
		step = (Step) {reader->state, shard->name, shard->old, text};
		ApplyChanges(&reader->target, reader->to, changes, count, &step, follower.direction->beside_copy);
		free(shard->old);
		shard->old = text;
	}
	pthread_mutex_lock(&follower.lock);
	/* not before its changes are applied, because children begin then */
	shard->done = done;
	follower.applied += (long) count;
	if (read > 0 || done)
		follower.active = MoveClock();
	else
		shard->empty = begun;
	if (shard->done)
		follower.discovered = 0;
	shard->next = read > 0 ? 0 : MoveClock() + PAUSE;
	if (read == 0)
		follower.lag = 0;
	Report(read > 0 ? RecordTime(json_array_get(records, read - 1)) : 0);
	pthread_mutex_unlock(&follower.lock);
	for (size_t i = 0; i < count; i++)
		json_decref(changes[i].item);
	free(changes);
	json_decref(answer);
}

/* ---- threads ---- */

/* A shard that can be read now; NULL: none. */
static Shard *
ChooseShard(void)
{
	Shard	   *best = NULL;
	double		now = MoveClock();

	for (int i = 0; i < follower.count; i++)
	{
		Shard	   *shard = follower.shards[i],
				   *parent = shard->parent != NULL ? FindShard(shard->parent) : NULL;

		if (!shard->done && !shard->busy && shard->next <= now && (parent == NULL || parent->done) && (best == NULL || shard->next < best->next))
			best = shard;
	}
	return best;
}

/* Whether every shard was read without a record after the last change, long enough. */
static bool
IsQuiet(void)
{
	if (follower.quiet < 0 || MoveClock() - follower.active < follower.quiet || follower.discovered < follower.active)
		return false;
	for (int i = 0; i < follower.count; i++)
	{
		Shard	   *shard = follower.shards[i];

		if (!shard->done && (shard->busy || shard->empty < follower.active + follower.quiet / 2))
			return false;
	}
	return true;
}

/* Whether there will be no more records: the stream was turned off, and is read to its end. */
static bool
HasEnded(void)
{
	bool		ended = follower.closed;

	for (int i = 0; i < follower.count; i++)
		ended = ended && follower.shards[i]->done;
	if (ended && !follower.direction->may_end)
		MoveFail("the stream \"%s\" was turned off, and what was written since is not in it: %s", follower.arn, lost_hint);
	return ended;
}

static void *
ReadShards(void *arg)
{
	const Direction *d = follower.direction;
	Reader		reader = {.from = LinkOpen(d->from), .to = LinkOpen(d->to)};

	(void) arg;
	/* The state is changed with the data where both are in one database. */
	reader.state = d->to == &options.target ? reader.to : LinkOpen(&options.target);
	TargetOpen(&reader.target, reader.to, d->to_table);
	while (!move_stop && !follower.finished)
	{
		Shard	   *shard = NULL;
		bool		discover;

		pthread_mutex_lock(&follower.lock);
		discover = !follower.discovering && (MoveClock() - follower.discovered > DISCOVERY || follower.discovered < follower.active - DISCOVERY);
		if (discover)
			follower.discovering = true;
		else if (HasEnded() || IsQuiet())
			follower.finished = true;
		else if ((shard = ChooseShard()) != NULL)
			shard->busy = true;
		pthread_mutex_unlock(&follower.lock);
		if (discover)
			DiscoverShards(reader.from);
		else if (shard == NULL)
			MoveSleep(0.02);
		else
		{
			ReadShard(&reader, shard);
			pthread_mutex_lock(&follower.lock);
			shard->busy = false;
			pthread_mutex_unlock(&follower.lock);
		}
	}
	TargetClose(&reader.target);
	if (reader.state != reader.to)
		LinkClose(reader.state);
	LinkClose(reader.from);
	LinkClose(reader.to);
	return NULL;
}

static void
FreeShards(void)
{
	for (int i = 0; i < follower.count; i++)
	{
		Shard	   *shard = follower.shards[i];

		free(shard->id);
		free(shard->parent);
		free(shard->name);
		free(shard->old);
		free(shard->sequence);
		free(shard->iterator);
		free(shard);
	}
	free(follower.shards);
}

/*
 * Applies the changes of a stream until the program is stopped or, if quiet >= 0, until
 * there are none for so long.  Returns their number.
 */
long
FollowStream(const Direction *direction, const char *arn, double quiet)
{
	Link	   *from = LinkOpen(direction->from),
			   *state = LinkOpen(&options.target);

	memset(&follower, 0, sizeof(follower));
	pthread_mutex_init(&follower.lock, NULL);
	follower.direction = direction;
	follower.arn = arn;
	follower.quiet = quiet;
	follower.active = follower.reported = MoveClock();
	ReadStates(from, state);
	LinkClose(from);
	LinkClose(state);
	RunThreads(ReadShards, NULL, options.jobs);
	FreeShards();
	return follower.applied;
}

/* What is written to a table goes into its latest stream, so that another one has it no more. */
void
CheckStream(Link *link, const char *table, const char *arn)
{
	json_t	   *description = DescribeTable(link, table, false);
	const char *latest = JsonString(description, "LatestStreamArn");

	if (latest == NULL || strcmp(latest, arn) != 0)
		MoveFail("the %s has another stream since: %s", link->endpoint->role, lost_hint);
	json_decref(description);
}

/* The move, whose stream must still be the one of the table. */
static json_t *
OpenMove(const char *phase, char **stream)
{
	Link	   *state = LinkOpen(&options.target),
			   *source = LinkOpen(&options.source);
	char	   *text;
	json_t	   *move;
	const char *arn;

	StatePrepare(state);
	move = StateGetMove(state, &text);
	if (move == NULL)
		MoveFail("there is no move \"%s\"; begin with \"copy\"", options.move);
	CheckIdentity(move, source, state);
	if (strcmp(JsonString(move, "phase"), phase) == 0)
		MoveFail("the move \"%s\" has been switched: the target is written now, see \"reverse\"", options.move);
	arn = JsonString(move, "stream");
	if (arn == NULL)
		MoveFail("the move began without a stream; start one, and copy again under another --name");
	CheckStream(source, options.tables[0], arn);
	*stream = MoveCopy(arn);
	free(text);
	LinkClose(state);
	LinkClose(source);
	return move;
}

/*
 * From when on changes of the source are applied: since before the copy, or since the last
 * switch back.  The stream's clock may tell whole seconds only.
 */
double
FollowBegun(json_t *move)
{
	return fmax(JsonNumber(move, "begun"), JsonNumber(move, "resumed"));
}

double
FollowSince(json_t *move)
{
	return fmax(JsonNumber(move, "begun") - options.overlap, JsonNumber(move, "resumed") - 2);
}

int
FollowCommand(void)
{
	char	   *stream;
	json_t	   *move = OpenMove("switched", &stream);
	bool		copying = strcmp(JsonString(move, "phase"), "copying") == 0;
	Direction	direction = {&options.source, &options.target, options.tables[0], options.target_table, "shard/",
		FollowBegun(move), FollowSince(move), .beside_copy = copying};
	long		applied;

	if (copying && options.target.conninfo == NULL)
		MoveFail("the copy is not complete; only a target in PostgreSQL can be followed at the same time");
	applied = FollowStream(&direction, stream, options.until_quiet);
	MoveSay("applied %ld changes, %lu retries", applied, retries);
	json_decref(move);
	free(stream);
	return 0;
}
