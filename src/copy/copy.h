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
 * Under row security, who writes a child must see its parent, and be able to
 * update it if it has a total of the child, unless the definition says
 * "hidden_parent": "use" (copy_hidden.c).
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
#include "exported.h"
#include "store/store.h"
#include "table/table.h"

#define COPY_MAX_COUNT			100 /* maximum of definitions in a table */
#define COPY_MAX_ATTRIBUTES		100 /* maximum of attributes in all definitions */

/* An attribute of a child, and the attribute of the parent that it copies. */
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
	Slice		attribute;		/* attribute of the parent */
	TotalFunction function;
	Slice		of;				/* attribute of the children; empty for TOTAL_COUNT */
} Total;

/* One definition: a copy or a total. */
typedef struct Copy
{
	Slice		name;
	const Entity *parent;
	const Entity *child;
	const IndexDef *index;		/* index; NULL for the table's key */
	bool		uses_hidden;	/* a parent counts that row security hides from the writer */
	int			nrefers;
	CopiedAttribute *refers;	/* attributes with other names in the child */
	int			nattributes;	/* 0 in a total */
	CopiedAttribute *attributes;
	int			ntotals;		/* 0 in a copy */
	Total	   *totals;
} Copy;

typedef struct CopySet
{
	const char *text;			/* the list from which it was read */
	int			count;
	Copy	   *copies;
} CopySet;

/* ---- copy_trigger.c ---- */

extern void CopyInit(void);

/* ---- copy_create.c ---- */

/*
 * Stores a list as the definitions of a table, which must have the entities that
 * it names.  Raises errors of the list.
 */
extern DYNAMO_EXPORT void CopiesStore(const char *table_name, const char *list);

/* ---- copy_read.c: definitions ---- */

/*
 * Reads and checks a list, palloc'd.  def is the definition of its table and
 * must live as long.  Raises errors of the list.
 */
extern CopySet *CopySetRead(const TableDef *def, const char *text);

/* Returns the list in the triggers of an open table; NULL if there is none. */
extern const char *CopySetText(Relation rel);

/*
 * Returns the definitions of an open table, valid as long as def; NULL if it
 * has none.  Raises errors of the definitions.
 */
extern DYNAMO_EXPORT const CopySet *CopySetOf(Relation rel, TableDef *def);

/* ---- copy_check.c ---- */

/* Checks the definitions of a valid list against each other; raises errors. */
extern void CopySetCheck(const TableDef *def, const CopySet *set);

/*
 * Raises an error if a definition of a table needs this entity, key of an entity, or index,
 * which a user wants to change; verb names the change.
 */
extern void RefuseCopiedEntity(Oid relid, const char *entity_name, const char *verb);
extern void RefuseCopiedKey(Oid relid, const char *entity_name, Slice key);
extern void RefuseCopiedMove(Oid relid, const char *entity_name, Slice key);
extern void RefuseCopiedIndex(Oid relid, const char *index_name, const char *verb);

/* The same for an attribute of an entity; again says how the definition is created again, as "after the change". */
extern void RefuseCopiedAttribute(Oid relid, const char *entity_name, Slice attribute, const char *verb, const char *again);

/*
 * Raises an error if a copied attribute or a total has a default or a constant, which
 * an item gets where the copy would remove the attribute.
 */
extern void CopySetRefuseDefaults(const CopySet *set);

/* The same for the copies and totals of a table, by a definition that is to be stored. */
extern void RefuseCopiedDefaults(Oid relid, const TableDef *def);

/* ---- copy_family.c: who belongs to whom; no catalog access ---- */

/*
 * Whether the part of a child's key template can be read from the parent's
 * key.
 */
extern bool CopyPartIsKnown(const TableDef *def, const Copy *copy, const TemplatePart *part);

/* Returns the key of the index or table by which the children are found. */
extern const KeySchema *CopyPlace(const TableDef *def, const Copy *copy);

/* Returns the child's name of an attribute in the parent's key. */
extern Slice CopyChildName(const Copy *copy, Slice parent_name);

/* Returns the template of an entity's key attribute; NULL if there is none. */
extern const Template *KeyTemplate(const Entity *entity, Slice attribute);

/*
 * Finds the place of a parent's children from the parent's key; returns false
 * if the key does not determine it.  The condition points to palloc'd values.
 */
extern bool CopyCondition(const TableDef *def, const Copy *copy, ValueRef key, KeyCondition *condition);

/* Returns the key of the parent of a child's item, palloc'd, if the item is a child. */
extern MaybeItem CopyParentKey(const TableDef *def, const Copy *copy, ValueRef item);

/* Returns the key of an item, palloc'd, if it has a key of the table's types. */
extern MaybeItem ItemKey(const TableDef *def, ValueRef item);

/* Whether two items, or their keys, have the same key attributes. */
extern bool SameKey(const TableDef *def, ValueRef a, ValueRef b);

/* Whether two attributes are equal; both may be missing. */
extern bool SameAttribute(ValueRef a, ValueRef b);

/*
 * Returns an item with an attribute set, or removed if the value is missing;
 * the item itself if nothing changes.
 */
extern ValueRef WithAttribute(ValueRef item, Slice name, ValueRef value);

/* Returns an item with a child's copies of a parent, which may be missing. */
extern ValueRef WithCopies(const Copy *copy, ValueRef child, ValueRef parent);

/* ---- copy_sum.c: totals of values ---- */

/* The contribution of some children to one total. */
typedef struct Contribution
{
	int64		count;			/* may be negative, like the sum */
	Numeric		sum;			/* NULL for 0 */
	struct varlena *added;		/* the minimum or maximum; NULL if there is none */
	struct varlena *removed;
	bool		unsure;			/* the minimum or maximum must be searched for again */
} Contribution;

/* Adds or subtracts a child; allocates in the current memory context. */
extern void Contribute(const Total *total, Contribution *c, ValueRef child, bool removed);

/*
 * Returns the value of a total that consists of these contributions;
 * MISSING_VALUE if there is none.
 */
extern ValueRef TotalValue(const Total *total, const Contribution *c);

/*
 * Adds contributions to the previous value of a total.  Returns false if that
 * does not suffice, because there is no value or the minimum or maximum was
 * removed.
 */
extern bool TotalChanged(const Total *total, const Contribution *c, ValueRef before, ValueRef *after);

/* Returns the value of a total without children. */
extern ValueRef TotalOfNone(const Total *total);

/* ---- copy_verify.c ---- */

/*
 * Gives all items of a table their part of a definition.  The caller's lock excludes
 * writers.
 */
extern void CopyFill(const char *table_name, const char *name);

/* ---- copy_children.c ---- */

/*
 * Calls visit for each child of a parent in the active snapshot, in the order
 * of the keys.  The item is valid during the call, which may allocate in the
 * current memory context.
 */
typedef void (*ChildVisitor) (void *arg, ValueRef child);

extern void CopyVisitChildren(const TableDef *def, Oid relid, const Copy *copy, ValueRef key,
							  ChildVisitor visit, void *arg);

/* Returns the contributions of all children to the totals, a palloc'd array. */
extern Contribution *CopyContributions(const TableDef *def, Oid relid, const Copy *copy, ValueRef key);

/* ---- copy_row.c: rows that are locked and written here ---- */

/* A table that is open for changes with the rights of its owner. */
typedef struct CopyTable
{
	Oid			relid;
	const TableDef *def;		/* definition to which those of copies belong */
	Store		store;
} CopyTable;

extern void CopyTableOpen(CopyTable *table, Oid relid, const TableDef *def);
extern void CopyTableClose(CopyTable *table);

/* A locked row. */
typedef struct CopyRow
{
	RowKey		key;
	RowLock		lock;
	struct varlena *item;		/* NULL if there is no row */
} CopyRow;

typedef enum CopyLock
{
	COPY_LOCK_SHARED,			/* locks the row, or its absence, in share mode */
	COPY_LOCK_UPDATE,			/* locks the row, or its absence, for an update */
	COPY_LOCK_PRESENT			/* locks only an existing row, for an update */
} CopyLock;

extern void CopyRowLock(CopyTable *table, ValueRef key, CopyLock how, CopyRow *row);

/*
 * Whether an item must be written in place of an old one: if it differs, or if this is
 * code of a trigger of the same row's own write.  That write would store what was
 * decided before; if the row is written meanwhile, PostgreSQL refuses it.
 */
extern bool CopyRowNeedsWrite(const CopyTable *table, ValueRef old, ValueRef item);

/* Replaces the locked item, if that is needed. */
extern void CopyRowWrite(CopyTable *table, const CopyRow *row, ValueRef item);

/*
 * Writes the row with a key as the function decides, which must make sure that
 * the old item has this key.
 */
extern void CopyRowChange(CopyTable *table, ValueRef key, WriteDecider decide, void *arg);

/*
 * Whether a BEFORE ROW trigger fires for one of these writes, whose item must
 * not change.
 */
extern bool IsCopyRowWrite(void);

/* Returns the depth of triggers around the current code. */
extern int	TriggerDepth(void);

/* ---- copy_hidden.c ---- */

/*
 * Raises an error if row security applies to the user and does not show them
 * the item at the key of a child's parent, or does not let them update it for a
 * total.  The row, or its absence, is locked.
 */
extern void CopyCheckParent(Relation rel, const TableDef *def, const Copy *copy, ValueRef key);

/* ---- copy_before.c ---- */

/* Returns the tuple to store, with the copies and totals of its item. */
extern HeapTuple CopyBeforeRow(const TriggerData *trigger, TableDef *def, const CopySet *set);

/*
 * Whether a table has BEFORE ROW triggers of users that fire after the one of copies, and
 * can write a parent that a new child has read.
 */
extern bool CopyHasLaterTrigger(Relation rel);

/* Returns the lock that a child takes on its parent. */
extern CopyLock CopyParentLock(const CopySet *set, const Copy *copy);

/* ---- copy_collect.c ---- */

/*
 * The changes of a statement that concern the children, or the totals, of a
 * parent.
 */
typedef struct CopyTask
{
	int			copy;			/* position in the set; together with the key it identifies the task */
	Slice		key;			/* key of the parent, the bytes of a value */
	bool		whole;			/* all children must be read */
	Contribution *contributions;	/* contributions to a total; NULL if all children are read */
} CopyTask;

/* The tasks of one statement. */
typedef struct CopyTasks
{
	CommandId	command;		/* command id of the statement */
	int			count;
	CopyTask  **tasks;			/* tasks in the order of keys */
} CopyTasks;

/* Adds the changes of a row to the tasks. */
extern void CopyCollect(const TriggerData *trigger, TableDef *def, const CopySet *set);

/*
 * Returns the tasks of the statement that ends, for a table; NULL if there are
 * none.
 */
extern CopyTasks *CopyTasksTake(Relation rel, const CopySet *set);
extern void CopyTasksFree(CopyTasks *tasks);

/*
 * Remember that a total counts children that earlier commands have changed,
 * also if their events have not fired; and whether it may count a command's
 * changes.  Of a copy, that the attributes were copied after earlier commands began.
 */
extern void CopyRememberCount(Oid relid, const Copy *copy, Slice key, CommandId command);
extern bool CopyIsCounted(Oid relid, const Copy *copy, Slice key, CommandId command);

/* ---- copy_apply.c ---- */

/* Executes the tasks of a statement on a table, and frees them. */
extern void CopyApply(Relation rel, const TableDef *def, const CopySet *set, CopyTasks *tasks);

/* Whether the attributes of the parent with a key are being copied to its children, one of which fires the present trigger. */
extern bool CopyIsSpreading(ValueRef key);

/*
 * Sets the totals of a parent from its children; returns whether they
 * differed.
 */
extern bool CopyCountAgain(CopyTable *table, const Copy *copy, ValueRef key);

#endif							/* DYNAMO_COPY_COPY_H */
