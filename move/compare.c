/*
 * compare.c
 *	  The command "compare": whether two tables have the same items.
 *
 * The first pass reads both tables and adds up digests of items in buckets, by a hash of
 * the key.  If buckets differ, a second pass lists the items of these.  Whatever differs
 * then is read by its key on both sides, again and again for a while: with writers beside,
 * most of it is only on its way.  What remains are differences.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

#define BUCKETS	65536

typedef struct Bucket
{
	uint64_t	sum[2];
	uint64_t	count;
} Bucket;

/* An item of a bucket that differs. */
typedef struct Entry
{
	Digest		key;
	Digest		item;
	int			side;
	char	   *text;			/* the key */
} Entry;

static struct
{
	pthread_mutex_t lock;
	Endpoint   *endpoint[2];	/* source, target */
	const char *table[2];
	json_t	   *description[2];
	Bucket	   *buckets[2];
	bool		listing;		/* the second pass */
	Entry	   *entries;
	size_t		count;
	size_t		room;
	int			segments;
	int			next;			/* task: segments of the source, then of the target */
	double		items[2];
	double		units;
}			comparison;

static bool
BucketDiffers(int bucket)
{
	return memcmp(&comparison.buckets[0][bucket], &comparison.buckets[1][bucket], sizeof(Bucket)) != 0;
}

static void
CountItem(int side, const Digest *key, const Digest *item)
{
	Bucket	   *bucket = &comparison.buckets[side][key->bytes[0] << 8 | key->bytes[1]];
	uint64_t	halves[2];

	memcpy(halves, item->bytes, sizeof(halves));
	for (int i = 0; i < 2; i++)
		__atomic_add_fetch(&bucket->sum[i], halves[i], __ATOMIC_RELAXED);
	__atomic_add_fetch(&bucket->count, 1, __ATOMIC_RELAXED);
}

static void
ListItem(int side, const Digest *key, const Digest *item, json_t *key_json)
{
	if (!BucketDiffers(key->bytes[0] << 8 | key->bytes[1]))
		return;
	pthread_mutex_lock(&comparison.lock);
	if (comparison.count == comparison.room)
	{
		comparison.room = comparison.room * 2 + 64;
		comparison.entries = MoveRealloc(comparison.entries, comparison.room * sizeof(Entry));
	}
	comparison.entries[comparison.count++] = (Entry) {*key, *item, side, JsonText(key_json)};
	pthread_mutex_unlock(&comparison.lock);
}

static void
ReadSegment(Link *link, int side, int segment)
{
	json_t	   *start = NULL;
	Circle		circle = {0};

	do
	{
		double		units = 0;
		json_t	   *page = ScanPage(link, comparison.table[side], segment, comparison.segments, start, &circle, &units),
				   *item;
		size_t		i;

		json_array_foreach(json_object_get(page, "Items"), i, item)
		{
			json_t	   *key = KeyOf(comparison.description[side], item);
			Digest		key_digest = DigestOf(key),
						digest = DigestOf(item);

			if (comparison.listing)
				ListItem(side, &key_digest, &digest, key);
			else
				CountItem(side, &key_digest, &digest);
			json_decref(key);
		}
		pthread_mutex_lock(&comparison.lock);
		if (!comparison.listing)
			comparison.items[side] += (double) json_array_size(json_object_get(page, "Items"));
		comparison.units += units;
		pthread_mutex_unlock(&comparison.lock);
		json_decref(start);
		start = json_incref(json_object_get(page, "LastEvaluatedKey"));
		json_decref(page);
	} while (start != NULL && !move_stop);
	json_decref(start);
	CircleEnd(&circle);
}

static void *
ReadSegments(void *arg)
{
	Link	   *links[2] = {LinkOpen(comparison.endpoint[0]), LinkOpen(comparison.endpoint[1])};

	(void) arg;
	while (!move_stop)
	{
		int			task = __atomic_fetch_add(&comparison.next, 1, __ATOMIC_RELAXED);

		if (task >= 2 * comparison.segments)
			break;
		ReadSegment(links[task % 2], task % 2, task / 2);
	}
	LinkClose(links[0]);
	LinkClose(links[1]);
	return NULL;
}

static void
ReadTables(bool listing)
{
	comparison.listing = listing;
	comparison.next = 0;
	RunThreads(ReadSegments, NULL, options.jobs);
}

static int
CompareEntries(const void *a, const void *b)
{
	const Entry *x = a,
			   *y = b;
	int			order = memcmp(&x->key, &y->key, sizeof(Digest));

	return order != 0 ? order : x->side - y->side;
}

/* The keys whose items differ, as texts. */
static json_t *
FindSuspects(void)
{
	json_t	   *suspects = json_array();
	bool		any = false;

	for (int i = 0; i < BUCKETS && !any; i++)
		any = BucketDiffers(i);
	if (!any)
		return suspects;
	ReadTables(true);
	if (comparison.count > 0)
		qsort(comparison.entries, comparison.count, sizeof(Entry), CompareEntries);
	/* what is listed after an interruption is only a part of either table */
	for (size_t i = 0, j; i < comparison.count && !move_stop; i = j)
	{
		bool		same;

		for (j = i + 1; j < comparison.count && memcmp(&comparison.entries[i].key, &comparison.entries[j].key, sizeof(Digest)) == 0; j++)
			;
		same = j == i + 2 && comparison.entries[i].side == 0 && comparison.entries[i + 1].side == 1 &&
			memcmp(&comparison.entries[i].item, &comparison.entries[i + 1].item, sizeof(Digest)) == 0;
		if (!same)
			json_array_append_new(suspects, json_string(comparison.entries[i].text));
	}
	for (size_t i = 0; i < comparison.count; i++)
		free(comparison.entries[i].text);
	free(comparison.entries);
	comparison.entries = NULL;
	comparison.count = comparison.room = 0;
	return suspects;
}

/* ---- item by item ---- */

static json_t *
ItemOn(Link **links, int side, json_t *key)
{
	return GetItem(links[side], comparison.table[side], comparison.description[side], key);
}

static bool
SameItem(json_t *a, json_t *b)
{
	Digest		x,
				y;

	if (a == NULL || b == NULL)
		return a == b;
	x = DigestOf(a);
	y = DigestOf(b);
	return memcmp(&x, &y, sizeof(Digest)) == 0;
}

/* Removes the keys whose items are the same by now. */
static void
DropSettled(Link **links, json_t *suspects)
{
	for (size_t i = json_array_size(suspects); i-- > 0 && !move_stop;)
	{
		json_t	   *text = json_array_get(suspects, i),
				   *key = JsonParse(json_string_value(text), json_string_length(text), "a key"),
				   *source = ItemOn(links, 0, key),
				   *target = ItemOn(links, 1, key);

		if (SameItem(source, target))
			json_array_remove(suspects, i);
		json_decref(source);
		json_decref(target);
		json_decref(key);
	}
}

static void
Settle(Link **links, json_t *suspects)
{
	double		until = MoveClock() + options.settle;

	DropSettled(links, suspects);
	while (json_array_size(suspects) > 0 && MoveClock() < until && !move_stop)
	{
		MoveSleep(0.3);
		DropSettled(links, suspects);
	}
}

/* The names of the attributes that differ. */
static char *
DifferentAttributes(json_t *source, json_t *target)
{
	Text		names = {0};
	const char *name;
	json_t	   *value;

	TextClear(&names);
	for (int pass = 0; pass < 2; pass++)
	{
		json_object_foreach(pass == 0 ? source : target, name, value)
		{
			json_t	   *other = json_object_get(pass == 0 ? target : source, name),
					   *mine = json_pack("{s:O}", "a", value),
					   *theirs = other != NULL ? json_pack("{s:O}", "a", other) : NULL;

			if (pass == 0 ? !SameItem(mine, theirs) : other == NULL)
			{
				TextAddString(&names, names.len > 0 ? ", " : "");
				TextAddString(&names, name);
			}
			json_decref(mine);
			json_decref(theirs);
		}
	}
	return names.data;
}

static void
ShowDifferences(Link **links, json_t *suspects)
{
	size_t		i;
	json_t	   *text;

	json_array_foreach(suspects, i, text)
	{
		json_t	   *key,
				   *source,
				   *target;

		if (i >= (size_t) options.show)
		{
			MovePrint("and %zu more\n", json_array_size(suspects) - i);
			break;
		}
		key = JsonParse(json_string_value(text), json_string_length(text), "a key");
		source = ItemOn(links, 0, key);
		target = ItemOn(links, 1, key);
		if (source == NULL || target == NULL)
			MovePrint("only in the %s: %s\n", source == NULL ? "target" : "source", json_string_value(text));
		else
		{
			char	   *names = DifferentAttributes(source, target);

			MovePrint("differs in %s: %s\n", names, json_string_value(text));
			free(names);
		}
		json_decref(source);
		json_decref(target);
		json_decref(key);
	}
}

/*
 * Makes the target like the source.  A change that "follow" applies in between may be
 * overwritten: then the items differ again, and are repaired again.
 */
static long
Repair(Link **links, json_t *suspects)
{
	Target		target;
	long		repaired = 0;

	TargetOpen(&target, links[1], comparison.table[1]);
	for (int round = 0; round < 10 && json_array_size(suspects) > 0 && !move_stop; round++)
	{
		for (size_t i = 0; i < json_array_size(suspects) && !move_stop; i++)
		{
			json_t	   *text = json_array_get(suspects, i),
					   *key = JsonParse(json_string_value(text), json_string_length(text), "a key");
			Change		change = {key, ItemOn(links, 0, key)};
			Step		none = {0};

			ApplyChanges(&target, links[1], &change, 1, &none, false);
			repaired++;
			json_decref(change.item);
			json_decref(key);
		}
		Settle(links, suspects);
	}
	TargetClose(&target);
	return repaired;
}

/* After the switch, the target has the newer items. */
static void
CheckRepair(void)
{
	Link	   *state = LinkOpen(&options.target);
	char	   *move;

	StatePrepare(state);
	move = StateSwitched(state, options.target_table);
	if (move != NULL)
		MoveFail("the move \"%s\" has been switched: --repair would bring back old items", move);
	LinkClose(state);
}

/* Prints what differs.  Returns the number of differences that remain; -1: it was stopped. */
long
CompareTables(void)
{
	Link	   *links[2] = {LinkOpen(&options.source), LinkOpen(&options.target)};
	json_t	   *suspects;
	long		differences,
				repaired = 0;

	memset(&comparison, 0, sizeof(comparison));
	pthread_mutex_init(&comparison.lock, NULL);
	comparison.endpoint[0] = &options.source;
	comparison.endpoint[1] = &options.target;
	comparison.table[0] = options.tables[0];
	comparison.table[1] = options.target_table;
	comparison.segments = options.segments > 0 ? options.segments : options.jobs;
	for (int side = 0; side < 2; side++)
	{
		comparison.description[side] = DescribeTable(links[side], comparison.table[side], false);
		comparison.buckets[side] = MoveAlloc(BUCKETS * sizeof(Bucket));
	}
	/* equal items of tables that read them by other keys are not the same */
	CheckPair(comparison.description[0], comparison.description[1]);
	ReadTables(false);
	suspects = FindSuspects();
	Settle(links, suspects);
	differences = (long) json_array_size(suspects);
	if (!move_stop)
	{
		ShowDifferences(links, suspects);
		if (options.repair && differences > 0)
		{
			/* the tables may have been switched while they were read */
			CheckRepair();
			repaired = Repair(links, suspects);
		}
		MovePrint("%.0f items in the source, %.0f in the target, %ld differences", comparison.items[0], comparison.items[1], differences);
		if (options.repair && differences > 0)
			MovePrint(", %ld writes to repair them, %zu remain", repaired, json_array_size(suspects));
		MovePrint("; %.0f read units\n", comparison.units);
		fflush(stdout);
	}
	differences = move_stop ? -1 : (long) json_array_size(suspects);
	json_decref(suspects);
	for (int side = 0; side < 2; side++)
	{
		json_decref(comparison.description[side]);
		free(comparison.buckets[side]);
		LinkClose(links[side]);
	}
	return differences;
}

int
CompareCommand(void)
{
	long		differences,
				last = -1;

	do
	{
		if (options.repair)
			CheckRepair();
		differences = CompareTables();
		if (differences >= 0)
			last = differences;
		if (options.every > 0)
			MoveSleep(options.every);
	} while (options.every > 0 && !move_stop);
	return last < 0 ? 2 : last > 0 ? 1 : 0;
}
