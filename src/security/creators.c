/*
 * creators.c
 *	  Who may create relations in a schema.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "security/creators.h"

/* Whether an entry lets somebody other than the owner or a superuser create. */
static bool
LetsStrangersCreate(const AclItem *entry, Oid owner)
{
	return (ACLITEM_GET_PRIVS(*entry) & ACL_CREATE) != 0 && entry->ai_grantee != owner &&
		(entry->ai_grantee == ACL_ID_PUBLIC || !superuser_arg(entry->ai_grantee));
}

/* Without an access control list only the owner may create. */
static bool
ListIsClosed(HeapTuple schema, Oid owner)
{
	bool		isnull;
	Datum		datum = SysCacheGetAttr(NAMESPACEOID, schema, Anum_pg_namespace_nspacl, &isnull);
	bool		closed = true;
	Acl		   *acl;
	AclItem    *entries;

	if (isnull)
		return true;
	acl = DatumGetAclPCopy(datum);
	entries = ACL_DAT(acl);
	for (int i = 0; i < ACL_NUM(acl); i++)
		closed &= !LetsStrangersCreate(&entries[i], owner);
	pfree(acl);
	return closed;
}

/* Sets *owner to the owner of the schema; false if there is no such schema. */
static bool
ReadSchema(Oid schema, Oid *owner, bool *closed)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));

	if (!HeapTupleIsValid(tuple))
		return false;
	*owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	*closed = ListIsClosed(tuple, *owner);
	ReleaseSysCache(tuple);
	return true;
}

bool
SchemaIsClosed(Oid schema)
{
	Oid			owner;
	bool		closed;

	return ReadSchema(schema, &owner, &closed) && closed;
}

bool
CanBeMeant(Oid relid, Oid role)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;
	Oid			schema;
	Oid			schema_owner;
	bool		closed;

	if (!HeapTupleIsValid(tuple))
		return false;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	schema = ((Form_pg_class) GETSTRUCT(tuple))->relnamespace;
	ReleaseSysCache(tuple);
	return ReadSchema(schema, &schema_owner, &closed) &&
		(closed || has_privs_of_role(owner, role) || has_privs_of_role(owner, schema_owner));
}
