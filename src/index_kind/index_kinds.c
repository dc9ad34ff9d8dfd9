/*
 * index_kinds.c
 *	  The list of the kinds of indexes.
 */
#include "postgres.h"

#include "index_kind/index_kinds.h"

/* As IndexKindsRegister wants them: the index table without parameters is the last. */
static const IndexKind *const kinds[] = {
	&inline_index,
	&sharded_index,
	&vector_index,
	&table_index,
};

void
IndexKindsInit(void)
{
	IndexKindsRegister(kinds, lengthof(kinds));
}
