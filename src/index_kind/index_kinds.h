/*
 * index_kinds.h
 *	  The kinds of indexes (table/index_kind.h), each in a file of its own.
 */
#ifndef DYNAMO_INDEX_KINDS_H
#define DYNAMO_INDEX_KINDS_H

#include "index/build.h"
#include "index/verify.h"
#include "table/table.h"

extern const IndexKind inline_index;
extern const IndexKind table_index;
extern const IndexKind sharded_index;
extern const IndexKind vector_index;

/* Registers them. */
extern void IndexKindsInit(void);

/* ---- table_index.c: what is the same in all kinds with index tables ---- */

/*
 * Leaves room for entries whose projection changes; keys never change in
 * place.
 */
#define INDEX_FILLFACTOR	90

/* IndexKind.is_newer, without a look at parts of the table. */
extern bool EntriesAreNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot);

extern void FillEntries(Oid relid, const TableDef *def, const IndexDef *index,
						bool limited, bool new_columns);
extern void RebuildEntries(Oid relid, const TableDef *def, const IndexDef *index,
						   Oid found, bool limited);

/* For an index table without further indexes. */
extern bool PlanNothing(const TableDef *def, const IndexDef *index, ConcurrentBuild *build);

/* Verifies the columns and so on of an index table. */
extern bool VerifyShape(Verification *v, Relation rel);

/* ---- index_kinds.c ---- */

/* Returns a statement that drops an index of PostgreSQL's; NULL for InvalidOid. */
extern char *DropIndexStatement(Oid relid);

/* Appends a member of a description in JSON, and a comma. */
extern void DescribeText(StringInfo out, const char *name, const char *value);

#endif							/* DYNAMO_INDEX_KINDS_H */
