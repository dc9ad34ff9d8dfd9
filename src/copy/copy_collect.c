/*
 * copy_collect.c
 *	  Collects until the end of a statement what its rows change in other items.
 *
 * Several children of one parent are one change of its totals.  A statement that
 * runs within another one, in a trigger, has its own tasks: they are told apart
 * by the depth of triggers.  A statement that a function runs has come to its
 * end before the events of the outer one fire.
 *
 * A child whose parent's copied attributes a later BEFORE ROW trigger changes is not
 * stored yet when they are copied.  It is remembered as well when they were, and a
 * statement that is older copies them once more at its end.
 *
 * A total must count each child once.  Whoever counts all children sees some
 * too whose events have not fired yet: of outer statements, which perhaps have
 * not come to all of their rows.  So it is remembered when all was counted, and
 * a statement that is older counts all once more at its end.  The memory lasts until
 * the end of the transaction, and goes with the subtransaction in which it was made.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "item/builder.h"
#include "store/row_event.h"

/* ---- the tasks of statements ---- */

typedef struct TaskKey
{
	int			copy;
	Slice		key;
} TaskKey;

typedef struct TaskEntry
{
	TaskKey		id;
	CopyTask	task;
} TaskEntry;

/* A statement whose events fire. */
typedef struct Level
{
	struct Level *outer;
	Oid			relid;
	int			depth;
	SubTransactionId subid;
	MemoryContext context;		/* contains all of this */
	char	   *text;			/* the definitions by which tasks are numbered */
	HTAB	   *tasks;
	CopyTasks	result;
} Level;

static Level *levels = NULL;	/* the innermost statement */

static uint32
HashTaskKey(const void *key, Size size)
{
	const TaskKey *k = key;

	return hash_bytes((const unsigned char *) k->key.data, k->key.len) ^ (uint32) k->copy;
}

static int
CompareTaskKeys(const void *a, const void *b, Size size)
{
	const TaskKey *x = a;
	const TaskKey *y = b;

	return x->copy != y->copy || !SliceEqual(x->key, y->key);
}

/* ---- counted children ---- */

typedef struct CountedKey
{
	Oid			relid;
	uint32		unused;			/* 0 */
	uint64		hash;			/* hash of the definition's name and the parent's key */
} CountedKey;

typedef struct Counted
{
	CommandId	before;			/* changes of earlier commands may be counted */
	SubTransactionId subid;
	struct Counted *earlier;
} Counted;

typedef struct CountedEntry
{
	CountedKey	id;
	Counted    *latest;			/* NULL if it was forgotten */
} CountedEntry;

static HTAB *counted = NULL;

static void
ForgetTransaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		levels = NULL;
		counted = NULL;
	}
}

/*
 * Subtransactions of a subtransaction that is rolled back have greater
 * numbers.
 */
static void
ForgetSubtransaction(SubXactEvent event, SubTransactionId subid, SubTransactionId parent, void *arg)
{
	HASH_SEQ_STATUS scan;
	CountedEntry *entry;

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (levels != NULL && levels->subid >= subid)
		levels = levels->outer;
	if (counted == NULL)
		return;
	hash_seq_init(&scan, counted);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		while (entry->latest != NULL && entry->latest->subid >= subid)
			entry->latest = entry->latest->earlier;
	}
}

static void
RegisterCallbacks(void)
{
	static bool registered = false;

	if (registered)
		return;
	RegisterXactCallback(ForgetTransaction, NULL);
	RegisterSubXactCallback(ForgetSubtransaction, NULL);
	registered = true;
}

static CountedEntry *
FindCounted(Oid relid, const Copy *copy, Slice key, HASHACTION action)
{
	CountedKey	id = {.relid = relid};
	HASHCTL		info = {.keysize = sizeof(CountedKey), .entrysize = sizeof(CountedEntry), .hcxt = TopTransactionContext};
	CountedEntry *entry;
	bool		found;

	if (counted == NULL && action == HASH_FIND)
		return NULL;
	if (counted == NULL)
	{
		RegisterCallbacks();
		counted = hash_create("dynamo counted children", 64, &info, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	id.hash = hash_bytes_extended((const unsigned char *) key.data, key.len,
								  hash_bytes_extended((const unsigned char *) copy->name.data, copy->name.len, 0));
	entry = hash_search(counted, &id, action, &found);
	if (entry != NULL && !found)
		entry->latest = NULL;
	return entry;
}

void
CopyRememberCount(Oid relid, const Copy *copy, Slice key, CommandId command)
{
	CountedEntry *entry = FindCounted(relid, copy, key, HASH_ENTER);
	Counted    *c = entry->latest;

	if (c == NULL || c->subid != GetCurrentSubTransactionId())
	{
		c = MemoryContextAlloc(TopTransactionContext, sizeof(Counted));
		c->earlier = entry->latest;
		c->subid = GetCurrentSubTransactionId();
		entry->latest = c;
	}
	c->before = command;
}

bool
CopyIsCounted(Oid relid, const Copy *copy, Slice key, CommandId command)
{
	const CountedEntry *entry = FindCounted(relid, copy, key, HASH_FIND);

	return entry != NULL && entry->latest != NULL && command < entry->latest->before;
}

/* ---- levels ---- */

/*
 * Raises an error if a trigger of the owner has changed the definitions while
 * their tasks wait.
 */
static void
CheckSameDefinitions(Relation rel, const CopySet *set)
{
	for (const Level *level = levels; level != NULL; level = level->outer)
	{
		if (level->relid == RelationGetRelid(rel) && strcmp(level->text, set->text) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_IN_USE),
					 errmsg("copies and totals of table \"%s\" were changed while a statement wrote it",
							RelationGetRelationName(rel))));
	}
}

static Level *
FindLevel(Oid relid)
{
	int			depth = TriggerDepth();

	for (Level *level = levels; level != NULL; level = level->outer)
	{
		if (level->relid == relid && level->depth == depth)
			return level;
	}
	return NULL;
}

static Level *
MakeLevel(Oid relid, const CopySet *set, CommandId command)
{
	MemoryContext context = AllocSetContextCreate(CurTransactionContext, "dynamo copies", ALLOCSET_DEFAULT_SIZES);
	Level	   *level = MemoryContextAllocZero(context, sizeof(Level));
	HASHCTL		info = {.keysize = sizeof(TaskKey), .entrysize = sizeof(TaskEntry), .hcxt = context,
	.hash = HashTaskKey, .match = CompareTaskKeys};

	RegisterCallbacks();
	level->context = context;
	level->text = MemoryContextStrdup(context, set->text);
	level->relid = relid;
	level->depth = TriggerDepth();
	level->subid = GetCurrentSubTransactionId();
	level->result.command = command;
	level->tasks = hash_create("dynamo copies", 16, &info, HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	level->outer = levels;
	levels = level;
	return level;
}

static CopyTask *
FindTask(Level *level, int copy, ValueRef key, HASHACTION action)
{
	TaskKey		id = {copy, {(const char *) key.data, key.len}};
	bool		found;
	TaskEntry  *entry = hash_search(level->tasks, &id, action, &found);
	char	   *bytes;

	if (entry == NULL)
		return NULL;
	if (!found)
	{
		bytes = MemoryContextAlloc(level->context, key.len);
		memcpy(bytes, key.data, key.len);
		entry->id.key.data = bytes;
		entry->task = (CopyTask) {.copy = copy, .key = entry->id.key};
	}
	return &entry->task;
}

/* ---- the changes of a row ---- */

/* A changed row. */
typedef struct Change
{
	const TableDef *def;
	const CopySet *set;
	Oid			relid;
	CommandId	command;
	Level	   *level;			/* NULL until there is a task */
	ValueRef	old;			/* MISSING_VALUE if there is none */
	ValueRef	new;
	const Entity *old_entity;	/* NULL if there is none */
	const Entity *new_entity;
	bool		overtaken;		/* the new row has been changed again */
} Change;

/* Returns the task of this statement, which has a level as soon as it has one. */
static CopyTask *
MakeTask(Change *c, int copy, ValueRef key)
{
	if (c->level == NULL)
		c->level = FindLevel(c->relid);
	if (c->level == NULL)
		c->level = MakeLevel(c->relid, c->set, c->command);
	return FindTask(c->level, copy, key, HASH_ENTER);
}

static void
NoteWhole(Change *c, int copy, MaybeItem maybe)
{
	ValueRef	key;

	if (MaybeItemOpen(maybe, &key))
		MakeTask(c, copy, key)->whole = true;
}

/*
 * Adds a task for a parent that was created or deleted, or whose copied
 * attributes have changed.
 */
static void
CollectParent(Change *c, int number)
{
	const Copy *copy = &c->set->copies[number];
	bool		was = c->old_entity == copy->parent;
	bool		is = c->new_entity == copy->parent;
	bool		differs = was != is || (was && !SameKey(c->def, c->old, c->new));

	if (!was && !is)
		return;
	for (int i = 0; i < copy->nattributes && !differs; i++)
	{
		Slice		name = copy->attributes[i].parent;

		differs = !SameAttribute(AttributeFind(c->old, name.data, name.len), AttributeFind(c->new, name.data, name.len));
	}
	if (!differs)
		return;
	if (was && copy->nattributes > 0)
		NoteWhole(c, number, ItemKey(c->def, c->old));
	if (is)
		NoteWhole(c, number, ItemKey(c->def, c->new));
}

/*
 * Marks the tasks of outer statements, which may have noted a minimum or
 * maximum that is removed now.
 */
static void
MarkOuterTasks(const Change *c, int number, ValueRef key)
{
	for (Level *level = c->level->outer; level != NULL; level = level->outer)
	{
		CopyTask   *task = level->relid == c->level->relid ? FindTask(level, number, key, HASH_FIND) : NULL;

		for (int i = 0; task != NULL && task->contributions != NULL && i < c->set->copies[number].ntotals; i++)
			task->contributions[i].unsure = true;
	}
}

static void
CollectChild(Change *c, int number, ValueRef key, ValueRef child, bool removed)
{
	const Copy *copy = &c->set->copies[number];
	CopyTask   *task = MakeTask(c, number, key);
	MemoryContext old = MemoryContextSwitchTo(c->level->context);

	if (task->contributions == NULL)
		task->contributions = palloc0(sizeof(Contribution) * copy->ntotals);
	for (int i = 0; i < copy->ntotals; i++)
	{
		Contribute(&copy->totals[i], &task->contributions[i], child, removed);
		task->contributions[i].unsure |= c->overtaken;
	}
	MemoryContextSwitchTo(old);
	MarkOuterTasks(c, number, key);
}

/* Whether two children have the same contributions. */
static bool
IsSameContribution(const Copy *copy, ValueRef a, ValueRef b)
{
	for (int i = 0; i < copy->ntotals; i++)
	{
		Slice		of = copy->totals[i].of;

		if (of.len > 0 && !SameAttribute(AttributeFind(a, of.data, of.len), AttributeFind(b, of.data, of.len)))
			return false;
	}
	return true;
}

/* The keys of a child's parents before and after a change. */
typedef struct ParentKeys
{
	MaybeItem	old;
	MaybeItem	new;
} ParentKeys;

static ParentKeys
FindParentKeys(const Change *c, const Copy *copy)
{
	return (ParentKeys) {
		.old = c->old_entity == copy->child ? CopyParentKey(c->def, copy, c->old) : NO_ITEM,
		.new = c->new_entity == copy->child ? CopyParentKey(c->def, copy, c->new) : NO_ITEM
	};
}

static void
CollectTotal(Change *c, int number)
{
	const Copy *copy = &c->set->copies[number];
	ParentKeys	parents = FindParentKeys(c, copy);
	ValueRef	key;

	if (MaybeItemEqual(parents.old, parents.new) && (!MaybeItemExists(parents.old) || IsSameContribution(copy, c->old, c->new)))
		return;
	if (MaybeItemOpen(parents.old, &key))
		CollectChild(c, number, key, c->old, true);
	if (MaybeItemOpen(parents.new, &key))
		CollectChild(c, number, key, c->new, false);
}

/* Adds a task for the parent of a new child that was copied from when the child was not stored yet. */
static void
CollectCopy(Change *c, int number)
{
	const Copy *copy = &c->set->copies[number];
	ParentKeys	parents = FindParentKeys(c, copy);
	ValueRef	key;

	if (MaybeItemOpen(parents.new, &key) && !MaybeItemEqual(parents.old, parents.new) &&
		CopyIsCounted(c->relid, copy, (Slice) {(const char *) key.data, key.len}, c->command))
		NoteWhole(c, number, parents.new);
}

static ValueRef
ItemOfTuple(const TableDef *def, TupleDesc desc, HeapTuple tuple, Datum *stored)
{
	bool		isnull;

	*stored = (Datum) 0;
	if (tuple == NULL)
		return MISSING_VALUE;
	*stored = heap_getattr(tuple, def->item_attnum, desc, &isnull);
	return isnull ? MISSING_VALUE : DatumGetValue(*stored);
}

static const Entity *
FindEntity(const TableDef *def, ValueRef item)
{
	return ValueIsMissing(item) ? NULL : EntityOfItem(def->entities, item);
}

void
CopyCollect(const TriggerData *trigger, TableDef *def, const CopySet *set)
{
	TupleDesc	desc = RelationGetDescr(trigger->tg_relation);
	Change		c = {.def = def, .set = set, .relid = RelationGetRelid(trigger->tg_relation)};
	RowEvent	event;
	Datum		old;
	Datum		new;

	RowEventOfTrigger(&event, trigger);
	c.old = ItemOfTuple(def, desc, event.old, &old);
	c.new = ItemOfTuple(def, desc, event.new, &new);
	if (!ValueIsMissing(c.old) && !ValueIsMissing(c.new) && datumIsEqual(old, new, false, -1))
		return;
	c.old_entity = FindEntity(def, c.old);
	c.new_entity = FindEntity(def, c.new);
	if (c.old_entity == NULL && c.new_entity == NULL)
		return;
	c.overtaken = RowEventOvertaken(&event) != InvalidCommandId;
	CheckSameDefinitions(trigger->tg_relation, set);
	c.command = event.command;
	for (int i = 0; i < set->count; i++)
	{
		CollectParent(&c, i);
		if (set->copies[i].ntotals > 0)
			CollectTotal(&c, i);
		else if (CopyHasLaterTrigger(trigger->tg_relation))
			CollectCopy(&c, i);
	}
}

/* ---- the end of a statement ---- */

static int
CompareTasks(const void *a, const void *b)
{
	const CopyTask *x = *(CopyTask *const *) a;
	const CopyTask *y = *(CopyTask *const *) b;
	int			order = SliceCompare(x->key, y->key);

	return order != 0 ? order : x->copy - y->copy;
}

static void
UnlinkLevel(const Level *level)
{
	Level	  **link = &levels;

	while (*link != level)
		link = &(*link)->outer;
	*link = level->outer;
}

CopyTasks *
CopyTasksTake(Relation rel, const CopySet *set)
{
	Level	   *level = FindLevel(RelationGetRelid(rel));
	HASH_SEQ_STATUS scan;
	TaskEntry  *entry;

	if (level == NULL)
		return NULL;
	CheckSameDefinitions(rel, set);
	UnlinkLevel(level);
	level->result.tasks = MemoryContextAlloc(level->context, sizeof(CopyTask *) * (hash_get_num_entries(level->tasks) + 1));
	hash_seq_init(&scan, level->tasks);
	while ((entry = hash_seq_search(&scan)) != NULL)
		level->result.tasks[level->result.count++] = &entry->task;
	qsort(level->result.tasks, level->result.count, sizeof(CopyTask *), CompareTasks);
	return &level->result;
}

void
CopyTasksFree(CopyTasks *tasks)
{
	MemoryContextDelete(GetMemoryChunkContext(tasks->tasks));
}
