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

static json_t *
ListShards(Link *link, const char *arn)
{
	json_t	   *shards = json_array(),
			   *answer = NULL,
			   *stream,
			   *list,
			   *shard;
	json_t	   *start = NULL;
	Circle		circle = {0};
	size_t		i;

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
		start = json_incref(json_object_get(stream, "LastEvaluatedShardId"));
		json_decref(answer);
		if (start != NULL)
			CircleCheck(&circle, start, "the list of shards of stream", arn);
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

/*
 * Records the shards that a stream has now, in place of any that were recorded before.
 * Those that have ended need not be read.
 */
void
ShardsBegin(Link *link, Link *state, const char *arn, const char *prefix, bool skip_closed)
{
	json_t	   *shards = ListShards(link, arn),
			   *shard;
	size_t		i;

	EndShards(state, prefix);
	json_array_foreach(shards, i, shard)
	{
		char	   *name = MoveFormat("%s%s", prefix, JsonString(shard, "ShardId")),
				   *old = StateGet(state, name);
		bool		closed = JsonString(json_object_get(shard, "SequenceNumberRange"), "EndingSequenceNumber") != NULL;
		json_t	   *value = json_pack("{s:b,s:f}", "done", closed && skip_closed, "at", link->date > 0 ? link->date : MoveNow());
		char	   *text = JsonText(value);

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

/* The shards of the stream, and those that have states. */
static void
DiscoverShards(Link *link)
{
	json_t	   *list = ListShards(link, follower.arn),
			   *entry;
	double		now = link->date > 0 ? link->date : MoveNow();
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

		if (!shard->listed && !shard->done)
			MoveFail("the stream's shard \"%s\" is gone, and was not read to its end: %s", shard->id, lost_hint);
	}
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
	double		newest = 0,
				oldest = INFINITY,
				now;

	json_object_foreach(states, name, text)
	{
		json_t	   *value = StateParse(json_string_value(text), name);
		Shard	   *shard = AddShard(name + strlen(follower.direction->prefix));

		shard->old = MoveCopy(json_string_value(text));
		shard->done = JsonTrue(value, "done");
		shard->sequence = JsonString(value, "sequence") != NULL ? MoveCopy(JsonString(value, "sequence")) : NULL;
		shard->at = JsonNumber(value, "at");
		newest = fmax(newest, shard->at);
		if (!shard->done)
			oldest = fmin(oldest, shard->at);
		json_decref(value);
	}
	json_decref(states);
	DiscoverShards(from);
	now = from->date > 0 ? from->date : MoveNow();
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

static char *
ShardText(Shard *shard, bool done)
{
	json_t	   *value = json_pack("{s:b,s:f}", "done", done, "at", shard->at);
	char	   *text;

	if (shard->sequence != NULL)
		json_object_set_new(value, "sequence", json_string(shard->sequence));
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
			   *records;
	size_t		read,
				count;
	Change	   *changes;
	bool		done;

	if (shard->iterator == NULL)
		OpenIterator(reader, shard);
	answer = ReadRecords(reader, shard);
	if (answer == NULL)
		return;
	/* an answer of something else would end the shard */
	records = JsonNeedArray(answer, "Records", "an answer of GetRecords");
	read = json_array_size(records);
	changes = MoveAlloc((read + 1) * sizeof(Change));
	count = TakeChanges(reader, records, changes);
	if (JsonString(answer, "NextShardIterator") != NULL)
		shard->iterator = MoveCopy(JsonString(answer, "NextShardIterator"));
	done = shard->iterator == NULL;
	if (read > 0)
	{
		const char *last = JsonNeed(json_object_get(json_array_get(records, read - 1), "dynamodb"), "SequenceNumber", "a record of the stream");

		if (shard->sequence != NULL && strcmp(shard->sequence, last) == 0)
			MoveFail("shard \"%s\" does not go on after record %s", shard->id, last);
		free(shard->sequence);
		shard->sequence = MoveCopy(last);
	}
	if (read > 0 || done || shard->old == NULL || reader->from->date - shard->at > HEARTBEAT)
	{
		char	   *text;
		Step		step;

		if (read == 0 || reader->from->date > shard->at)
			shard->at = reader->from->date > 0 ? reader->from->date : MoveNow();
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
		else if (IsQuiet())
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

/* The move, whose stream must still be the one of the table. */
static json_t *
OpenMove(const char *phase, char **stream)
{
	Link	   *state = LinkOpen(&options.target),
			   *source = LinkOpen(&options.source);
	char	   *text;
	json_t	   *move,
			   *table = DescribeTable(source, options.tables[0], false);
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
	if (JsonString(table, "LatestStreamArn") == NULL || strcmp(JsonString(table, "LatestStreamArn"), arn) != 0)
		MoveFail("the source has another stream since: %s", lost_hint);
	*stream = MoveCopy(arn);
	json_decref(table);
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
		FollowSince(move), .beside_copy = copying};
	long		applied;

	if (copying && options.target.conninfo == NULL)
		MoveFail("the copy is not complete; only a target in PostgreSQL can be followed at the same time");
	applied = FollowStream(&direction, stream, options.until_quiet);
	MoveSay("applied %ld changes, %lu retries", applied, retries);
	json_decref(move);
	free(stream);
	return 0;
}
