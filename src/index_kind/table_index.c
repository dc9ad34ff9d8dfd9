/*
 * table_index.c
 *	  Index tables: a table of its own with an entry for each item.
 */
#include "postgres.h"

#include "index_kind/index_kinds.h"

const IndexKind table_index = {
	.storage = "table",
	.own_entries = true,
	.secondary = true,
};
