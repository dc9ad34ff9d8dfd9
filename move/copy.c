/*
 * copy.c
 *	  The command "copy": all items of a table, by a parallel scan or from an export.
 *
 * A scan has segments, an export has files; each has a state, and some threads take one
 * after another.  Before the first page is read, the shards of the source's stream are
 * recorded, so that "follow" applies every change since then.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "move.h"

/* What the threads share. */
typedef struct Copy
{
	pthread_mutex_t lock;
	Target		target;
	json_t	   *segments;		/* states by name, as texts */
	json_t	   *files;			/* of an export: paths; NULL for a scan */
	size_t		next;			/* segment that no thread has taken */
	int			count;
	double		items;			/* in all, and of this run */
	double		new_items;
	double		units;
	double		bytes;
	double		expected;
	double		begun;
	double		reported;
} Copy;

static Copy copy;

/* A thread's work on one segment. */
typedef struct Segment
{
	int			number;
	Link	   *source;
	Link	   *target;
	char	   *name;
	char	   *old;			/* its state as stored, or NULL */
	json_t	   *state;
} Segment;

static void
ReportProgress(bool last)
{
	double		now = MoveClock(),
				rate = copy.new_items / fmax(now - copy.begun, 0.001);
	char	   *left;

	if (!last && now - copy.reported < (isatty(2) ? 1 : 10))
		return;
	copy.reported = now;
	left = MoveDuration(fmax(copy.expected - copy.items, 0) / fmax(rate, 0.001));
	MoveSay("copied %.0f items%s, %.0f items/s, %.0f read units (%.0f/s), %lu retries%s%s", copy.items, last ? "" : " so far", rate, copy.units,
			copy.units / fmax(now - copy.begun, 0.001), retries, last ? "" : ", about ", last ? "" : copy.expected > copy.items ? left : "0 s");
	free(left);
}

/* Stores items, and that the segment has come so far. */
static void
StorePage(Segment *segment, json_t *items, double units)
{
	json_t	   *state = segment->state;
	double		count = (double) json_array_size(items);
	char	   *value;
	Step		step;

	json_object_set_new(state, "items", json_integer((json_int_t) (JsonNumber(state, "items") + count)));
	value = JsonText(state);
	step = (Step) {segment->target, segment->name, segment->old, value};
	PutPage(&copy.target, segment->target, items, &step);
	free(segment->old);
	segment->old = value;
	pthread_mutex_lock(&copy.lock);
	copy.items += count;
	copy.new_items += count;
	copy.units += units;
	ReportProgress(false);
	pthread_mutex_unlock(&copy.lock);
}

static void
CopySegment(Segment *segment)
{
	Circle		circle = {0};

	while (!move_stop && !JsonTrue(segment->state, "done"))
	{
		double		units = 0;
		json_t	   *page = ScanPage(segment->source, options.tables[0], segment->number, copy.count,
									json_object_get(segment->state, "key"), &circle, &units),
				   *key = json_object_get(page, "LastEvaluatedKey");

		if (key != NULL)
			json_object_set(segment->state, "key", key);
		else
			json_object_set_new(segment->state, "done", json_true());
		StorePage(segment, json_object_get(page, "Items"), units);
		json_decref(page);
	}
	CircleEnd(&circle);
}

static bool
TakeLines(void *arg, json_t *items, long lines)
{
	Segment    *segment = arg;

	json_object_set_new(segment->state, "lines", json_integer(lines));
	StorePage(segment, items, 0);
	return !move_stop;
}

static void
CopyFile(Segment *segment)
{
	const char *path = json_string_value(json_array_get(copy.files, segment->number));

	if (JsonTrue(segment->state, "done"))
		return;
	if (ExportRead(path, (long) JsonNumber(segment->state, "lines"), TakeLines, segment))
	{
		json_t	   *none = json_array();

		json_object_set_new(segment->state, "done", json_true());
		StorePage(segment, none, 0);
		json_decref(none);
	}
}

static bool
TakeSegment(Segment *segment)
{
	bool		taken;

	pthread_mutex_lock(&copy.lock);
	taken = !move_stop && copy.next < (size_t) copy.count;
	if (taken)
		segment->number = (int) copy.next++;
	pthread_mutex_unlock(&copy.lock);
	return taken;
}

static void *
CopySegments(void *arg)
{
	Segment		segment = {.source = copy.files == NULL ? LinkOpen(&options.source) : NULL, .target = LinkOpen(&options.target)};

	(void) arg;
	while (TakeSegment(&segment))
	{
		const char *text;

		segment.name = MoveFormat("segment/%05d", segment.number);
		text = JsonString(copy.segments, segment.name);
		segment.old = text != NULL ? MoveCopy(text) : NULL;
		segment.state = text != NULL ? StateParse(text, segment.name) : json_object();
		if (copy.files != NULL)
			CopyFile(&segment);
		else
			CopySegment(&segment);
		json_decref(segment.state);
		free(segment.old);
		free(segment.name);
	}
	if (segment.source != NULL)
		LinkClose(segment.source);
	LinkClose(segment.target);
	return NULL;
}

/* ---- beginning ---- */

/* A request that creates a table with the keys and indexes of another one. */
static json_t *
CreateRequest(json_t *table, const char *name)
{
	static const char *const kept[] = {"IndexName", "KeySchema", "Projection"};
	json_t	   *request = json_pack("{s:s,s:s,s:O,s:O}", "TableName", name, "BillingMode", "PAY_PER_REQUEST",
									"KeySchema", json_object_get(table, "KeySchema"),
									"AttributeDefinitions", json_object_get(table, "AttributeDefinitions"));

	for (int local = 0; local < 2; local++)
	{
		const char *member = local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes";
		json_t	   *list = json_array(),
				   *index;
		size_t		i;

		json_array_foreach(json_object_get(table, member), i, index)
		{
			json_t	   *own = json_object();

			for (int k = 0; k < 3; k++)
				json_object_set(own, kept[k], json_object_get(index, kept[k]));
			json_array_append_new(list, own);
		}
		if (json_array_size(list) > 0)
			json_object_set(request, member, list);
		json_decref(list);
	}
	return request;
}

static void
MakeTarget(Link *source, Link *target)
{
	json_t	   *theirs = DescribeTable(target, options.target_table, true),
			   *ours = DescribeTable(source, options.tables[0], false);

	if (theirs == NULL)
	{
		if (!options.create)
			MoveFail("the target has no table \"%s\"; create it from what \"plan --model\" writes, or use --create", options.target_table);
		json_decref(LinkCall(target, "CreateTable", CreateRequest(ours, options.target_table), NULL));
		AwaitTable(target, options.target_table);
		theirs = DescribeTable(target, options.target_table, false);
		MoveSay("created table \"%s\" with the indexes of the source", options.target_table);
	}
	CheckPair(ours, theirs);
	json_decref(ours);
	json_decref(theirs);
}

/* The stream from which "follow" will read; NULL if there is none. */
static char *
FindStream(Link *source, json_t *table)
{
	const char *arn = JsonString(table, "LatestStreamArn");
	char	   *found = NULL;

	if (JsonTrue(json_object_get(table, "StreamSpecification"), "StreamEnabled") && arn != NULL)
		return MoveCopy(arn);
	if (options.enable_stream)
	{
		json_decref(LinkCall(source, "UpdateTable", json_pack("{s:s,s:{s:b,s:s}}", "TableName", options.tables[0], "StreamSpecification",
															   "StreamEnabled", 1, "StreamViewType", "NEW_AND_OLD_IMAGES"), NULL));
		AwaitTable(source, options.tables[0]);
		table = DescribeTable(source, options.tables[0], false);
		found = MoveCopy(JsonNeed(table, "LatestStreamArn", "the source's description"));
		json_decref(table);
	}
	return found;
}

/* Whether a segment is the same part of the source at any time. */
static bool
SegmentsStay(void)
{
	return options.source.is_aws || options.source.conninfo != NULL;
}

static int
ChooseSegments(json_t *table)
{
	double		size = JsonNumber(table, "TableSizeBytes");
	int			count = (int) fmin(fmax(size, 0) / (256.0 * 1024 * 1024), 10000) + 1;

	if (options.segments > 0)
		return options.segments;
	/* our server reads the whole index for each segment */
	return !SegmentsStay() ? 1 : !options.source.is_aws || count < options.jobs ? options.jobs : count;
}

/* Lets all segments begin anew. */
static void
ResetSegments(Link *target)
{
	const char *name;
	json_t	   *text;

	json_object_foreach(copy.segments, name, text)
	{
		StatePut(target, name, json_string_value(text), "{}");
		json_string_set(text, "{}");
	}
	copy.items = 0;
}

/* Records what moves where, and from which changes on. */
static json_t *
BeginMove(Link *source, Link *target, json_t *table, double export_time, char **text)
{
	double		begun = copy.files != NULL ? export_time : LinkSince(source);
	char	   *arn = FindStream(source, table);
	json_t	   *move = json_pack("{s:s,s:s,s:s,s:i,s:f,s:b}", "phase", "copying", "table", options.tables[0], "target", options.target_table,
								 "segments", copy.files != NULL ? (int) json_array_size(copy.files) : ChooseSegments(table),
								 "begun", begun, "export", copy.files != NULL),
			   *theirs;

	if (arn != NULL)
	{
		json_object_set_new(move, "stream", json_string(arn));
		ShardsBegin(source, target, arn, "shard/", copy.files == NULL);
		if (copy.files != NULL && MoveNow() - begun > options.retention)
			MoveFail("the export is older than the source's stream keeps changes (--retention)");
	}
	else
		MoveWarn("the source has no stream: changes after the beginning of the copy are not copied; see --enable-stream");
	theirs = DescribeTable(target, options.target_table, false);
	NoteIdentity(move, table, theirs);
	json_decref(theirs);
	/* what is left of an earlier move of this name, of which only the first row was deleted */
	ResetSegments(target);
	ForgetKeys(target);
	StateSetMove(target, move, text);
	free(arn);
	return move;
}

/* Whether all segments are done; adds up what there is. */
static bool
ReadSegments(void)
{
	const char *name;
	json_t	   *text;
	int			done = 0;

	copy.items = 0;
	json_object_foreach(copy.segments, name, text)
	{
		json_t	   *state = StateParse(json_string_value(text), name);

		copy.items += JsonNumber(state, "items");
		done += JsonTrue(state, "done");
		json_decref(state);
	}
	return done == copy.count;
}

static void
EndCopy(Link *target, json_t *move, char **text)
{
	char	   *value;
	Step		step;

	json_object_set_new(move, "phase", json_string("copied"));
	value = JsonText(move);
	step = (Step) {target, "move", *text, value};
	EndPages(target, &step);
	free(*text);
	*text = value;
	if (target->conn != NULL)
	{
		char	   *query = MoveFormat("ANALYZE %s", copy.target.relation);

		PQclear(LinkTry(target, query, 0, NULL));
		free(query);
	}
	ReportProgress(true);
}

int
CopyCommand(void)
{
	Link	   *source = LinkOpen(&options.source),
			   *target = LinkOpen(&options.target);
	json_t	   *table,
			   *move;
	char	   *text;
	double		export_time = 0;
	bool		resumed,
				done;

	pthread_mutex_init(&copy.lock, NULL);
	MakeTarget(source, target);
	table = DescribeTable(source, options.tables[0], false);
	StatePrepare(target);
	if (options.export_path != NULL)
	{
		copy.files = json_array();
		export_time = ExportOpen(options.export_path, JsonString(table, "TableId"), copy.files);
	}
	move = StateGetMove(target, &text);
	copy.segments = StateList(target, "segment/");
	resumed = move != NULL;
	if (move == NULL)
		move = BeginMove(source, target, table, export_time, &text);
	else
		CheckIdentity(move, source, target);
	/* an export can have no files */
	if (!json_is_integer(json_object_get(move, "segments")) || !(JsonNumber(move, "segments") >= !JsonTrue(move, "export") && JsonNumber(move, "segments") <= 1000000))
		MoveFail("the state of the move has no number of segments");
	copy.count = (int) JsonNumber(move, "segments");
	if (JsonTrue(move, "export") != (copy.files != NULL) ||
		(copy.files != NULL && (copy.count != (int) json_array_size(copy.files) || JsonNumber(move, "begun") != export_time)))
		MoveFail("the copy began from %s", JsonTrue(move, "export") ? "another export" : "a scan");
	copy.expected = JsonNumber(table, "ItemCount");
	TargetOpen(&copy.target, target, options.target_table);
	copy.begun = copy.reported = MoveClock();
	done = ReadSegments();
	if (resumed && strcmp(JsonString(move, "phase"), "copying") != 0)
		MoveSay("the copy is complete: %.0f items", copy.items);
	else
	{
		if (!done && copy.files == NULL && !SegmentsStay() && copy.count > 1 && json_object_size(copy.segments) > 0)
		{
			MoveSay("the source may have divided the table anew since: all %d segments are read again", copy.count);
			ResetSegments(target);
		}
		else if (resumed)
			MoveSay("continuing after %.0f items", copy.items);
		RunThreads(CopySegments, NULL, options.jobs < copy.count ? options.jobs : copy.count);
		if (!move_stop)
			EndCopy(target, move, &text);
	}
	json_decref(copy.segments);
	json_decref(copy.files);
	json_decref(table);
	json_decref(move);
	free(text);
	TargetClose(&copy.target);
	LinkClose(source);
	LinkClose(target);
	return move_stop ? 2 : 0;
}
