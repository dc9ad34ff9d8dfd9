/*
 * pattern_hint.c
 *	  What a condition that names an unknown attribute may have meant.
 */
#include "postgres.h"

#include "utils/varlena.h"

#include "pattern/pattern.h"

/* Letters in which two names may differ. */
#define MAX_DIFFERENCE		2

/* The best match so far. */
typedef struct Match
{
	Slice		name;			/* as the condition has it */
	bool		known;			/* there is an attribute of this name */
	Slice		nearest;
	int			difference;
} Match;

static void
Compare(Match *m, Slice name)
{
	int			difference;

	m->known |= SliceEqual(m->name, name);
	if (name.len > NAMEDATALEN || m->name.len > NAMEDATALEN)
		return;
	difference = varstr_levenshtein_less_equal(m->name.data, m->name.len, name.data, name.len, 1, 1, 1, m->difference, true);
	if (difference < m->difference && difference < (int) m->name.len)
	{
		m->nearest = name;
		m->difference = difference;
	}
}

static void
CompareParts(Match *m, const Template *t)
{
	for (int i = 0; i < t->npieces; i++)
	{
		if (t->pieces[i].part != NULL)
			Compare(m, t->pieces[i].part->name);
	}
}

static void
CompareEntity(Match *m, const Entity *entity)
{
	for (int i = 0; i < entity->nattributes; i++)
		Compare(m, entity->attributes[i].name);
	for (int i = 0; i < entity->nkeys; i++)
		CompareParts(m, entity->keys[i].template);
}

const char *
PatternNameHint(const PatternTarget *target, const PatternClause *clauses, int n)
{
	for (int i = 0; i < n; i++)
	{
		Match		m = {clauses[i].attribute, false, {NULL, 0}, MAX_DIFFERENCE + 1};

		for (int j = 0; j < target->nentities; j++)
			CompareEntity(&m, target->entities[j]);
		if (!m.known && m.nearest.data != NULL)
			return psprintf("There is no attribute \"%.*s\". Perhaps you meant \"%.*s\".", (int) m.name.len, m.name.data,
							(int) m.nearest.len, m.nearest.data);
	}
	return NULL;
}
