/*
 * address.c
 *	  Reads the addresses of nodes.
 *
 * The connection string begins with the parameters that the administrator has set
 * for all nodes (citus.node_conninfo).  Later parameters override them: if a
 * parameter occurs twice, libpq uses the last one.
 */
#include "postgres.h"

#include "commands/dbcommands.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "citus/address.h"
#include "citus/citus_catalog.h"
#include "table/table.h"

/* ---- changes ---- */

static uint64 changes;			/* of citus.node_conninfo */
static char *common;			/* citus.node_conninfo when it was last read */

/* Returns citus.node_conninfo; "" if it is not set. */
static const char *
NodeParameters(void)
{
	static bool looked_up = false;
	static char **setting;		/* the variable of Citus, if it can be found */
	const char *value;

	if (!looked_up)
		setting = load_external_function("$libdir/citus", "NodeConninfo", false, NULL);
	looked_up = true;
	value = setting != NULL ? *setting : GetConfigOption("citus.node_conninfo", true, false);
	return value != NULL ? value : "";
}

uint64
AddressChanges(void)
{
	const char *now = NodeParameters();

	if (common == NULL || strcmp(common, now) != 0)
	{
		char	   *copy = MemoryContextStrdup(TopMemoryContext, now);

		if (common != NULL)
			pfree(common);
		common = copy;
		changes++;
	}
	return changes + linked_table_changes;
}

/* ---- the address ---- */

static void
AppendParameter(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, " %s='", name);
	for (; *value != '\0'; value++)
	{
		if (*value == '\'' || *value == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *value);
	}
	appendStringInfoChar(out, '\'');
}

static bool
IsUsable(const CitusRow *node)
{
	Oid			output;
	bool		varlena;
	Oid			type = get_atttype(RelationGetRelid(node->catalog),
								   get_attnum(RelationGetRelid(node->catalog), "noderole"));

	if (!DatumGetBool(CitusColumn(node, "isactive")) || !DatumGetBool(CitusColumn(node, "hasmetadata")) ||
		!DatumGetBool(CitusColumn(node, "metadatasynced")) || !OidIsValid(type))
		return false;
	getTypeOutputInfo(type, &output, &varlena);
	return strcmp(OidOutputFunctionCall(output, CitusColumn(node, "noderole")), "primary") == 0;
}

/* Returns the part of a connection string with which Citus authenticates a user at a node. */
static const char *
AuthenticationOf(char *host, int port, char *user)
{
	char	   *(*find) (char *host, int32 port, char *user) =
		load_external_function("$libdir/citus", "GetAuthinfo", false, NULL);

	return find != NULL ? find(host, port, user) : "";
}

static char *
AddressOfNode(const CitusRow *node)
{
	StringInfoData out;
	char	   *host = TextDatumGetCString(CitusColumn(node, "nodename"));
	int			port = DatumGetInt32(CitusColumn(node, "nodeport"));
	char	   *user = GetUserNameFromId(GetUserId(), false);

	initStringInfo(&out);
	appendStringInfoString(&out, common);
	AppendParameter(&out, "host", host);
	AppendParameter(&out, "port", psprintf("%d", port));
	AppendParameter(&out, "dbname", get_database_name(MyDatabaseId));
	AppendParameter(&out, "user", user);
	AppendParameter(&out, "client_encoding", GetDatabaseEncodingName());
	AppendParameter(&out, "application_name", "dynamo");
	appendStringInfo(&out, " %s", AuthenticationOf(host, port, user));
	return out.data;
}

char *
AddressOfGroup(int group)
{
	CitusRow	node;
	char	   *address = NULL;

	(void) AddressChanges();
	FindCitusRow(&node, "pg_dist_node", NULL, "groupid", F_INT4EQ, Int32GetDatum(group));
	/* Citus invalidates its catalog of nodes whenever it changes */
	if (node.catalog != NULL)
		WatchLinkedTable(RelationGetRelid(node.catalog));
	for (bool more = HeapTupleIsValid(node.tuple); more && address == NULL; more = NextCitusRow(&node))
	{
		if (IsUsable(&node))
			address = AddressOfNode(&node);
	}
	EndCitusRow(&node);
	return address;
}

bool
IsAddressOfGroup(int group, const char *host, int port)
{
	CitusRow	node;
	bool		found = false;

	FindCitusRow(&node, "pg_dist_node", NULL, "groupid", F_INT4EQ, Int32GetDatum(group));
	for (bool more = HeapTupleIsValid(node.tuple); more && !found; more = NextCitusRow(&node))
		found = DatumGetInt32(CitusColumn(&node, "nodeport")) == port &&
			strcmp(TextDatumGetCString(CitusColumn(&node, "nodename")), host) == 0;
	EndCitusRow(&node);
	return found;
}
