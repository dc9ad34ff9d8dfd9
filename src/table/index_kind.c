/*
 * index_kind.c
 *	  Finds the kind of an index among those that are registered.
 */
#include "postgres.h"

#include "table/index_kind.h"

static const IndexKind *const *registered;
static int	nregistered = 0;

void
IndexKindsRegister(const IndexKind *const *kinds, int n)
{
	registered = kinds;
	nregistered = n;
}

const IndexKind *
IndexKindFind(const char *storage, int shards, const VectorDef *vector)
{
	for (int i = 0; i < nregistered; i++)
	{
		const IndexKind *kind = registered[i];

		if (strcmp(kind->storage, storage) == 0 &&
			(kind->has_parameters == NULL || kind->has_parameters(shards, vector)))
			return kind;
	}
	return NULL;
}
