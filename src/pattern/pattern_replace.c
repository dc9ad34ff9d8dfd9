/*
 * pattern_replace.c
 *	  The patterns of one name: a table has one, whatever its parameters.
 *
 * A document of a model knows a pattern by its name, and so do drop_access_pattern and GRANT.
 * When the type of an attribute changes, so does that of a parameter, and CREATE OR REPLACE
 * FUNCTION would leave the old function beside the new one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "ddl/ddl.h"
#include "pattern/pattern.h"
#include "table/ddl_statement.h"

#define EVERYBODY	"PUBLIC"

static bool
IsPatternOf(Oid function, const char *relation)
{
	const AccessPattern *pattern = PatternIfAny(function);
	char	   *schema;
	char	   *name;
	char	   *own_schema;
	char	   *own_name;

	return pattern != NULL && pattern->relation != NULL &&
		QualifiedNameSplit(pattern->relation, &own_schema, &own_name) && QualifiedNameSplit(relation, &schema, &name) &&
		strcmp(own_schema, schema) == 0 && strcmp(own_name, name) == 0;
}

List *
PatternsOfName(Oid schema, const char *name, const char *relation)
{
	CatCList   *functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	List	   *result = NIL;

	for (int i = 0; i < functions->n_members; i++)
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		if (form->pronamespace == schema && form->proowner == GetUserId() && IsPatternOf(form->oid, relation))
			result = lappend_oid(result, form->oid);
	}
	ReleaseSysCacheList(functions);
	return result;
}

PatternKept *
PatternDropKeeping(Oid function)
{
	PatternKept *kept = palloc0(sizeof(PatternKept));
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Datum		acl;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	acl = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proacl, &isnull);
	if (!isnull)
		kept->rights = DatumGetAclPCopy(acl);
	ReleaseSysCache(tuple);
	kept->comment = GetComment(function, ProcedureRelationId, 0);
	RunStatement("DROP FUNCTION %s", format_procedure_qualified(function));
	return kept;
}

/* Roles that have been dropped have no rights. */
static void
GrantAgain(const char *function, const AclItem *right)
{
	char	   *role = right->ai_grantee == ACL_ID_PUBLIC ? NULL : GetUserNameFromId(right->ai_grantee, true);

	if (right->ai_grantee == GetUserId() || (ACLITEM_GET_PRIVS(*right) & ACL_EXECUTE) == 0 ||
		(role == NULL && right->ai_grantee != ACL_ID_PUBLIC))
		return;
	RunStatement("GRANT EXECUTE ON FUNCTION %s TO %s%s", function, role == NULL ? EVERYBODY : quote_identifier(role),
				 (ACLITEM_GET_GOPTIONS(*right) & ACL_EXECUTE) != 0 ? " WITH GRANT OPTION" : "");
}

void
PatternGiveKept(Oid function, const PatternKept *kept)
{
	const char *name = format_procedure_qualified(function);

	if (kept->comment != NULL)
		RunStatement("COMMENT ON FUNCTION %s IS %s", name, quote_literal_cstr(kept->comment));
	if (kept->rights == NULL)
		return;
	RunStatement("REVOKE EXECUTE ON FUNCTION %s FROM %s", name, EVERYBODY);
	for (int i = 0; i < ACL_NUM(kept->rights); i++)
		GrantAgain(name, &ACL_DAT(kept->rights)[i]);
}
