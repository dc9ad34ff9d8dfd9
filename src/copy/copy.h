/*
 * copy.h
 *	  Copies and totals: what items of one entity keep of items of another.
 *
 * A copy keeps attributes of an item, the parent, on the items that refer to
 * it, its children: the author's name on the books.  A total keeps a count,
 * sum, minimum or maximum of the children on the parent.  Both are definitions
 * of the same form, and belong to two entities of one table:
 *
 *	[{"name": "author_name", "parent": "author", "child": "book",
 *	  "index": "GSI1", "refers": {"author_id": "written_by"},
 *	  "attributes": {"author_name": "name"}},
 *	 {"name": "sales", "parent": "customer", "child": "order",
 *	  "totals": {"orders": "count", "spent": "sum(amount)"}}]
 *
 * "attributes" are the child's, with those of the parent that they repeat.
 * "totals" are the parent's.  A child refers to the parent whose key is composed
 * of the child's attributes by the parent's templates; "refers" gives the
 * attributes that have other names in the child.  The children of a parent are
 * found through "index", or through the table's key.
 *
 * An item is a child if it is of the child's entity, refers to a key, and is
 * where this key's children are found.  What the rows must be:
 *
 *	copy	a child has each attribute as its parent has it, and does not have
 *			it if there is no parent or the parent does not
 *	total	a parent has the totals of its children; a count or sum of none is
 *			0, a minimum or maximum of none is absent
 *
 * The list is the argument of the triggers that keep it so, and stands and
 * falls with them:
 *
 *	BEFORE ROW		copy_before.c: sets what the written item itself keeps
 *	AFTER ROW		copy_collect.c: notes what other items must change
 *	AFTER STATEMENT	copy_apply.c: changes them
 *
 * They do not fire in a logical subscriber, which receives all items.
 *
 * Order of locks.  A child that is new, or comes to another parent, locks the
 * parent's row, or its absence, before it is written: in share mode for a copy, as
 * an update for a total, which will update it.  A parent's own changes lock its
 * row, of course.  So whoever changes a parent waits for all children under way,
 * and finds them.  The keys of one statement are locked in ascending order.
 */
#ifndef DYNAMO_COPY_COPY_H
#define DYNAMO_COPY_COPY_H

#include "commands/trigger.h"
#include "utils/numeric.h"

#include "entity/entity.h"
#include "store/store.h"
#include "table/table.h"

#define COPY_MAX_COUNT			100 /* definitions of a table */
#define COPY_MAX_ATTRIBUTES		100 /* attributes of all of them */

/* An attribute of a child, and the parent's that it repeats. */
typedef struct CopiedAttribute
{
	Slice		child;
	Slice		parent;
} CopiedAttribute;

typedef enum TotalFunction
{
	TOTAL_COUNT,
	TOTAL_SUM,
	TOTAL_MIN,
	TOTAL_MAX
} TotalFunction;

typedef struct Total
{
	Slice		attribute;		/* of the parent */
	TotalFunction function;
	Slice		of;				/* attribute of the children; empty: TOTAL_COUNT */
} Total;

/* One definition: a copy or a total. */
typedef struct Copy
{
	Slice		name;
	const Entity *parent;
	const Entity *child;
	const IndexDef *index;		/* NULL: the table's key */
	int			nrefers;
	CopiedAttribute *refers;	/* with other names in the child */
	int			nattributes;	/* 0: a total */
	CopiedAttribute *attributes;
	int			ntotals;		/* 0: a copy */
	Total	   *totals;
} Copy;

typedef struct CopySet
{
	const char *text;			/* from which it was read */
	int			count;
	Copy	   *copies;
} CopySet;

/* ---- copy_trigger.c ---- */

extern void CopyInit(void);

/* ---- copy_read.c: definitions ---- */

/*
 * Reads and checks a list, palloc'd; def: of its table, which must live as
 * long.  Raises what is wrong with it.
 */
extern CopySet *CopySetRead(const TableDef *def, const char *text);

/* The list in the triggers of an open table; NULL if it has none. */
extern const char *CopySetText(Relation rel);

/*
 * The definitions of an open table, valid as long as def; NULL if it has none.
 * Raises what is wrong with them.
 */
extern const CopySet *CopySetOf(Relation rel, TableDef *def);

/* ---- copy_check.c ---- */

/* Raises what is wrong with definitions that can be read. */
extern void CopySetCheck(const TableDef *def, const CopySet *set);

/*
 * Raises an error if a definition of a table needs this entity, or index, which
 * somebody wants to change; verb says how.
 */
extern void RefuseCopiedEntity(Oid relid, const char *entity_name, const char *verb);
extern void RefuseCopiedIndex(Oid relid, const char *index_name, const char *verb);

/* ---- copy_family.c: who belongs to whom; no catalog access ---- */

/* Whether the part of a child's key template can be taken from the parent's key. */
extern bool CopyPartIsKnown(const TableDef *def, const Copy *copy, const TemplatePart *part);

/* The key that the children's place depends on: the index's or the table's. */
extern const KeySchema *CopyPlace(const TableDef *def, const Copy *copy);

/* The name in the child of an attribute of which the parent's key is composed. */
extern Slice CopyChildName(const Copy *copy, Slice parent_name);

/* The template of an entity's key attribute; NULL if it has none. */
extern const Template *KeyTemplate(const Entity *entity, Slice attribute);

/*
 * Where the children of a parent are, given its key; false if that cannot be
 * told from the key.  The condition points to palloc'd values.
 */
extern bool CopyCondition(const TableDef *def, const Copy *copy, ValueRef key, KeyCondition *condition);

/*
 * The key of the parent of an item of the child's entity, palloc'd; NULL if the item is
 * no child.
 */
extern struct varlena *CopyParentKey(const TableDef *def, const Copy *copy, ValueRef item);

/* The key of an item, palloc'd; NULL if it has none. */
extern struct varlena *ItemKey(const TableDef *def, ValueRef item);

/* Whether two keys or two attributes are the same; both may be missing. */
extern bool SameVarlena(const struct varlena *a, const struct varlena *b);
extern bool SameAttribute(ValueRef a, ValueRef b);

/* An item with an attribute set, or without it if the value is missing; the item itself if that is as it is. */
extern ValueRef WithAttribute(ValueRef item, Slice name, ValueRef value);

/* An item with a child's copies of a parent, which may be missing. */
extern ValueRef WithCopies(const Copy *copy, ValueRef child, ValueRef parent);

/* ---- copy_sum.c: totals of values ---- */

/* What some children contribute to one total. */
typedef struct Contribution
{
	int64		count;			/* may be negative, as the sum */
	Numeric		sum;			/* NULL: 0 */
	struct varlena *added;		/* the least, or greatest, value; NULL: none, as the next */
	struct varlena *removed;
	bool		unsure;			/* the extreme must be searched for again */
} Contribution;

/* Adds a child, or takes one away; the memory is of the current context. */
extern void Contribute(const Total *total, Contribution *c, ValueRef child, bool removed);

/* The value of a total of which these are all contributions; MISSING_VALUE: none. */
extern ValueRef TotalValue(const Total *total, const Contribution *c);

/*
 * The same of a total that had a value before; false if that does not suffice,
 * because it is none or the extreme is gone.
 */
extern bool TotalChanged(const Total *total, const Contribution *c, ValueRef before, ValueRef *after);

/* The value of a total without children. */
extern ValueRef TotalOfNone(const Total *total);

/* ---- copy_children.c ---- */

/*
 * Calls visit for each child of a parent that the active snapshot shows, in
 * the order of its place.  The item is valid during the call, which may use
 * the current memory context freely.
 */
typedef void (*ChildVisitor) (void *arg, ValueRef child);

extern void CopyVisitChildren(const TableDef *def, Oid relid, const Copy *copy, ValueRef key,
							  ChildVisitor visit, void *arg);

/* The contributions of all children to the totals, an array palloc'd. */
extern Contribution *CopyContributions(const TableDef *def, Oid relid, const Copy *copy, ValueRef key);

/* ---- copy_own.c: rows that are locked and written here ---- */

/* A table open for changes in its owner's name. */
typedef struct CopyTable
{
	Oid			relid;
	const TableDef *def;		/* to which the definitions of copies belong */
	Store		store;
} CopyTable;

/* Must be in the scope of the owner. */
extern void CopyTableOpen(CopyTable *table, Oid relid, const TableDef *def);
extern void CopyTableClose(CopyTable *table);

/* A row that is locked. */
typedef struct CopyRow
{
	RowKey		key;
	RowLock		lock;
	struct varlena *item;		/* NULL: there is none */
} CopyRow;

typedef enum CopyLock
{
	COPY_LOCK_SHARED,			/* the row, or its absence */
	COPY_LOCK_UPDATE,			/* the same */
	COPY_LOCK_PRESENT			/* only a row, for an update */
} CopyLock;

extern void CopyRowLock(CopyTable *table, ValueRef key, CopyLock how, CopyRow *row);

/* Puts an item in place of the locked one, if it differs. */
extern void CopyRowWrite(CopyTable *table, const CopyRow *row, ValueRef item);

/* Whether a BEFORE ROW trigger fires for a CopyRowWrite, which is right as it is. */
extern bool IsCopyRowWrite(void);

/* The depth of triggers around the current code. */
extern int	TriggerDepth(void);

/* ---- copy_before.c ---- */

/* The tuple to store, with what its item keeps of others. */
extern HeapTuple CopyBeforeRow(const TriggerData *trigger, TableDef *def, const CopySet *set);

/* The lock that a child takes on its parent. */
extern CopyLock CopyParentLock(const CopySet *set, const Copy *copy);

/* ---- copy_collect.c ---- */

/* What a statement has changed for the children, or the totals, of a parent. */
typedef struct CopyTask
{
	int			copy;			/* position in the set; this and the key identify it */
	Slice		key;			/* the parent's, a value's bytes */
	bool		whole;			/* all children are to be looked at */
	Contribution *contributions;	/* of a total; NULL if whole */
} CopyTask;

/* All of one statement. */
typedef struct CopyTasks
{
	CommandId	command;		/* the statement's */
	int			count;
	CopyTask  **tasks;			/* in the order of keys */
} CopyTasks;

/* Notes the changes of a row. */
extern void CopyCollect(const TriggerData *trigger, TableDef *def, const CopySet *set);

/* Takes over what the statement that ends here has noted of a table; NULL if nothing. */
extern CopyTasks *CopyTasksTake(Relation rel, const CopySet *set);
extern void CopyTasksFree(CopyTasks *tasks);

/*
 * Remember that a total counts children that commands before this one have
 * changed, also where their events have not fired; whether a command's may be.
 */
extern void CopyRememberCount(Oid relid, const Copy *copy, Slice key, CommandId command);
extern bool CopyIsCounted(Oid relid, const Copy *copy, Slice key, CommandId command);

/* ---- copy_apply.c ---- */

/* Does what a statement has left to do on a table, and frees it. */
extern void CopyApply(Relation rel, const TableDef *def, const CopySet *set, CopyTasks *tasks);

/* Sets the totals of a parent from its children; whether they were others. */
extern bool CopyCountAgain(CopyTable *table, const Copy *copy, ValueRef key);

#endif							/* DYNAMO_COPY_COPY_H */
