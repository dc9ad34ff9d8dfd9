/*
 * entity_filter_choice.c
 *	  Chooses the key on which the conditions of a filter restrict the query most.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "planner/entity_entries.h"
#include "planner/entity_filter.h"
#include "store/store.h"
#include "table/moves.h"

/*
 * Returns conditions on the key of the table or of an index; NIL if its
 * partition is not known, or no comparison can be used.  narrow is greater,
 * the fewer items remain.
 */
static List *
ConditionsOnKey(const Filter *f, const KeySchema *schema, int *narrow)
{
	List	   *additions = NIL;
	bool		used = false;

	*narrow = 0;

	for (int i = 0; i < KeyCount(schema); i++)
	{
		const ComposedKey *key = EntityKeyFind(f->entity, schema->attributes[i].name);
		KeyPlan		plan = {0};
		bool		complete = key != NULL && FilterImpliesCondition(f, key) && FilterPlanKey(f, key, &plan);

		if (!complete && i < schema->npartition)
			return NIL;
		if (complete)
			FilterAddEquality(f, &additions, &plan);
		if (complete ? plan.parts != NIL :
			plan.column != NULL && FilterImpliesAttribute(f, schema->attributes[i].name) &&
			FilterAddRange(f, &additions, &plan))
		{
			*narrow += complete ? 2 : 1;
			used = true;
		}
		if (!complete)
			break;
	}
	return used ? FilterAdmitLacking(f, schema, additions) : NIL;
}

/* ---- entities whose items are moved ---- */

static Expr *
ConjunctionOf(List *additions)
{
	List	   *clauses = NIL;
	ListCell   *cell;

	foreach(cell, additions)
		clauses = lappend(clauses, ((Addition *) lfirst(cell))->clause);
	return make_ands_explicit(clauses);
}

/* Returns one condition in place of those on two keys, of which an item has one; NIL if one has none. */
static List *
EitherKey(List *some, List *others)
{
	Addition   *either = palloc0(sizeof(Addition));
	ListCell   *cell;

	if (some == NIL || others == NIL)
		return NIL;
	either->clause = make_orclause(list_make2(ConjunctionOf(some), ConjunctionOf(others)));
	foreach(cell, list_concat_copy(some, others))
	{
		Addition   *a = lfirst(cell);

		FilterMoveOut(either, a->quals, a->depth);
	}
	return list_make1(either);
}

/* The same for a key that may be that of the entity's source: the table's, and those of indexes that have a part of it. */
static List *
ConditionsOnEitherKey(Filter *f, const KeySchema *schema, int *narrow)
{
	const Entity *entity = f->entity;
	List	   *additions = ConditionsOnKey(f, schema, narrow);
	List	   *others;
	int			other;

	if (!MoveChangesKey(entity, schema))
		return additions;
	f->entity = entity->source;
	others = ConditionsOnKey(f, schema, &other);
	f->entity = entity;
	*narrow = Min(*narrow, other);
	return EitherKey(additions, others);
}

/* ---- index tables ---- */

/*
 * Whether the query can read the entries of an index instead of searching the
 * table: all items that it can return have one.
 */
static bool
CanReadEntries(const Filter *f, const IndexDef *index)
{
	for (int i = 0; i < KeyCount(&index->key); i++)
	{
		if (!FilterImpliesAttribute(f, index->key.attributes[i].name))
			return false;
	}
	return f->from != NULL && EntriesAreReadable(f->root, f->def, index);
}

/* Adds the entries to the query, and conditions that join them to the rows. */
static List *
JoinEntries(const Filter *f, List *additions)
{
	ListCell   *cell;

	foreach(cell, EntriesJoin(f->root, f->from, f->def, f->entries, linitial(f->call->args)))
	{
		Addition   *a = palloc0(sizeof(Addition));

		a->clause = lfirst(cell);
		additions = lappend(additions, a);
	}
	return additions;
}

/* ---- the choice ---- */

/* The conditions that restrict the query most. */
typedef struct Choice
{
	List	   *additions;
	int			narrow;
	const IndexDef *entries;	/* index table whose key they are on; NULL for the table */
} Choice;

/*
 * Considers the conditions on the key of an index.  One that is being built
 * lacks columns of older items, or entries.  Of those that restrict the query
 * equally, an index table comes last.
 */
static void
ConsiderIndex(Filter *f, const IndexDef *index, Choice *best)
{
	Choice		other = {0};

	if (index->status != INDEX_ACTIVE)
		return;
	f->entries = other.entries = index->kind->own_entries ? index : NULL;
	f->usable = f->entries == NULL && TableKeyAttribute(f->def, 0)->type == VALUE_S ? EMPTY_MAYBE : EMPTY_NEVER;
	other.additions = ConditionsOnEitherKey(f, &index->key, &other.narrow);
	if (other.additions == NIL ||
		(best->additions != NIL && other.narrow <= best->narrow &&
		 (other.narrow < best->narrow || best->entries == NULL || other.entries != NULL)))
		return;
	if (other.entries == NULL || CanReadEntries(f, index))
		*best = other;
}

/* Returns conditions on what the table's key begins with. */
static List *
KeyPrefixes(const Filter *f)
{
	List	   *additions = NIL;

	if (f->entity->source != NULL)
		return NIL;

	for (int i = 0; i < f->entity->nbase; i++)
	{
		KeyPlan		plan = {0};

		if (FilterPlanKey(f, &f->entity->keys[i], &plan))
			FilterAddEquality(f, &additions, &plan);
		else if (plan.column != NULL)
			FilterAddPrefix(&additions, &plan);
	}
	return additions;
}

/*
 * Whether the keys of indexes can be relied upon.  A snapshot from before the table
 * got its present definition may show items from before their keys were composed, or
 * an index was built: then the plan reads the table, and is made anew for a later
 * snapshot.
 */
static bool
CanUseIndexes(const Filter *f)
{
	if (!f->entity->applied)
		return false;
	if (!ActiveSnapshotSet() || !WriterIsNewer(f->def->defined, GetActiveSnapshot()))
		return true;
	f->root->glob->transientPlan = true;
	return false;
}

List *
FilterConditions(Filter *f)
{
	bool		indexes = CanUseIndexes(f);
	Choice		best = {0};

	best.additions = ConditionsOnEitherKey(f, &f->def->key, &best.narrow);
	for (int i = 0; indexes && i < f->def->nindexes; i++)
		ConsiderIndex(f, &f->def->indexes[i], &best);
	f->entries = best.entries;
	if (best.entries != NULL)
		return JoinEntries(f, best.additions);
	return best.additions != NIL ? best.additions : KeyPrefixes(f);
}
