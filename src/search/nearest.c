/*
 * nearest.c
 *	  The best entries of a search so far, in a heap with the worst on top.
 */
#include "postgres.h"

#include "lib/binaryheap.h"

#include "item/builder.h"
#include "search/search.h"

struct Nearest
{
	binaryheap *heap;			/* of Candidate * */
	int			count;			/* the most that are kept */
	VectorDistance distance;
	uint64		position;		/* of the next entry */
};

/* Compares two scores; positive if a is worse. */
static int
CompareScores(const Nearest *nearest, double a, double b)
{
	int			order = a < b ? -1 : a > b;

	return VectorGreaterIsBetter(nearest->distance) ? -order : order;
}

/* A binaryheap_comparator; of equal scores the entry read later is worse. */
static int
CompareCandidates(Datum a, Datum b, void *arg)
{
	const Candidate *x = (const Candidate *) DatumGetPointer(a);
	const Candidate *y = (const Candidate *) DatumGetPointer(b);
	int			order = CompareScores(arg, x->score, y->score);

	return order != 0 ? order : x->position < y->position ? -1 : 1;
}

Nearest *
NearestCreate(int count, VectorDistance distance)
{
	Nearest    *nearest = palloc0(sizeof(Nearest));

	nearest->heap = binaryheap_allocate(count, CompareCandidates, nearest);
	nearest->count = count;
	nearest->distance = distance;
	return nearest;
}

static Candidate *
WorstCandidate(const Nearest *nearest)
{
	return (Candidate *) DatumGetPointer(binaryheap_first(nearest->heap));
}

bool
NearestAccepts(const Nearest *nearest, double score)
{
	return nearest->heap->bh_size < nearest->count ||
		CompareScores(nearest, score, WorstCandidate(nearest)->score) < 0;
}

bool
NearestWorst(const Nearest *nearest, double *score)
{
	if (nearest->heap->bh_size == 0)
		return false;
	*score = WorstCandidate(nearest)->score;
	return true;
}

static void
FreeCandidate(Candidate *candidate)
{
	pfree(candidate->item);
	if (candidate->vector != NULL)
		pfree(candidate->vector);
	pfree(candidate);
}

void
NearestAdd(Nearest *nearest, double score, ValueRef item, const float *vector, int dimensions)
{
	Candidate  *added = palloc0(sizeof(Candidate));

	added->score = score;
	added->position = nearest->position++;
	added->item = ValueCopy(item);
	if (vector != NULL)
		added->vector = memcpy(palloc(sizeof(float) * dimensions), vector, sizeof(float) * dimensions);
	if (nearest->heap->bh_size < nearest->count)
		binaryheap_add(nearest->heap, PointerGetDatum(added));
	else
	{
		FreeCandidate(WorstCandidate(nearest));
		binaryheap_replace_first(nearest->heap, PointerGetDatum(added));
	}
}

Candidate *
NearestFinish(Nearest *nearest, int *n)
{
	Candidate  *candidates;

	*n = nearest->heap->bh_size;
	candidates = palloc(sizeof(Candidate) * Max(*n, 1));
	for (int i = *n - 1; i >= 0; i--)
		candidates[i] = *(Candidate *) DatumGetPointer(binaryheap_remove_first(nearest->heap));
	return candidates;
}
