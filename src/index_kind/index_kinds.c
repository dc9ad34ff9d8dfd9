/*
 * index_kinds.c
 *	  The list of the kinds of indexes.
 */
#include "postgres.h"

#include "utils/json.h"
#include "utils/lsyscache.h"

#include "extension_objects.h"
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

char *
DropIndexStatement(Oid relid)
{
	return OidIsValid(relid) ?
		psprintf("DROP INDEX CONCURRENTLY %s",
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid))) : NULL;
}

void
DescribeText(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "\"%s\": ", name);
	escape_json(out, value);
	appendStringInfoString(out, ", ");
}
