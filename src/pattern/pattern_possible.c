/*
 * pattern_possible.c
 *	  Which index could answer a condition that is refused, or which keys of a new one.
 *
 * The parts that are compared by "=" make the partition key of the proposal, and one that
 * is compared by a range its sort key, in a format that sorts.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "pattern/pattern.h"

/* ---- indexes that are there ---- */

static const PatternClause *
FindHintClause(const PatternClause *clauses, int n, Slice attribute, bool equality)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceEqual(clauses[i].attribute, attribute) && (clauses[i].op == KEY_EQ) == equality)
			return &clauses[i];
	}
	return NULL;
}

/*
 * Counts the clauses that a key attribute answers, by leading equalities and a range of a
 * part that sorts; *whole: its whole key is given.
 */
static int
CountAnswered(const PatternClause *clauses, int n, const Template *t, bool *whole)
{
	int			answered = 0;

	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;

		if (part == NULL)
			continue;
		if (FindHintClause(clauses, n, part->name, true) != NULL)
		{
			answered++;
			continue;
		}
		*whole = false;
		return answered + (FindHintClause(clauses, n, part->name, false) != NULL &&
						   (PartIsOrdered(part) || (part->kind == PART_TEXT && i == t->npieces - 1)));
	}
	*whole = true;
	return answered;
}

static bool
CanAnswerClauses(const PatternClause *clauses, int n, const PatternTarget *target)
{
	const KeySchema *key = target->key;
	int			answered = 0;
	bool		whole = true;

	for (int i = 0; i < KeyCount(key) && whole; i++)
	{
		bool		same;
		const Template *t = PatternCommonTemplate(target, &key->attributes[i], &same);

		if (t == NULL)
			return false;
		answered += CountAnswered(clauses, n, t, &whole);
		if (i < key->npartition && !whole)
			return false;
	}
	return answered == n;
}

/* Returns the name of an index that could answer all clauses; NULL if there is none. */
static const char *
FindAnswer(const PatternClause *clauses, int n, const PatternTarget *target, bool *table)
{
	PatternTarget other = *target;

	other.index = NULL;
	other.key = &target->table->key;
	*table = target->index != NULL && CanAnswerClauses(clauses, n, &other);
	for (int i = 0; !*table && i < target->table->nindexes; i++)
	{
		other.index = &target->table->indexes[i];
		other.key = &other.index->key;
		if (other.index != target->index && other.index->kind->secondary && CanAnswerClauses(clauses, n, &other))
			return other.index->name;
	}
	return NULL;
}

/* ---- a new index ---- */

static void
AppendHintPart(StringInfo out, const PatternClause *c, const PatternTarget *target, bool sorts)
{
	const EntityAttribute *a = NULL;
	bool		time = false;

	for (int i = 0; i < target->nentities && a == NULL; i++)
	{
		a = EntityAttributeFind(target->entities[i], c->attribute);
		time |= EntityHasTime(target->entities[i], c->attribute);
	}
	time |= a != NULL && a->type.data != NULL && (SliceBeginsWith(a->type, SliceOf("timestamp")) || SliceIs(a->type, "date"));
	appendStringInfo(out, "%s{%.*s%s}", out->len == 0 ? "" : "#", (int) c->attribute.len, c->attribute.data,
					 time ? ":ms" : sorts && a != NULL && a->holds == VALUE_N ? ":012" : "");
}

char *
PatternChangeHint(const PatternClause *clauses, int nclauses, const PatternTarget *target)
{
	StringInfoData partition;
	StringInfoData sort;
	int			ranges = 0;
	bool		table;
	const char *index = FindAnswer(clauses, nclauses, target, &table);

	if (table)
		return pstrdup("Without index_name, the table's key can answer it.");
	if (index != NULL)
		return psprintf("Index \"%s\" can answer it.", index);
	initStringInfo(&partition);
	initStringInfo(&sort);
	for (int i = 0; i < nclauses; i++)
	{
		bool		equality = clauses[i].op == KEY_EQ;

		ranges += !equality;
		AppendHintPart(equality ? &partition : &sort, &clauses[i], target, !equality);
	}
	if (partition.len == 0)
		return pstrdup("Some attribute must be compared by \"=\", to be the partition.");
	if (ranges > 1)
		return pstrdup("Only one attribute can be compared by a range of keys.");
	return psprintf("A new index could answer it whose partition key has the template %s%s%s.", partition.data,
					sort.len > 0 ? ", and whose sort key has the template " : "", sort.data);
}
