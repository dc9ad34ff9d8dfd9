/*
 * inline_index.c
 *	  Inline indexes: a partial btree on the columns of the table's rows.
 */
#include "postgres.h"

#include "index_kind/index_kinds.h"

const IndexKind inline_index = {
	.storage = "inline",
	.whole_items = true,
	.secondary = true,
};
