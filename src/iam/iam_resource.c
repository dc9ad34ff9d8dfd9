/*
 * iam_resource.c
 *	  The tables of a schema, and which of them a resource of an IAM policy means.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "iam/iam.h"
#include "stream/stream_definition.h"
#include "table/distribution.h"
#include "table/object_names.h"
#include "table/table.h"
#include "table/table_list.h"

/* ---- tables ---- */

/* Every partition, region and account may be meant. */
static List *
ArnsOfTable(const char *name, const TableDef *def)
{
	char	   *arn = psprintf("arn:" IAM_SEGMENT ":dynamodb:" IAM_SEGMENT ":" IAM_SEGMENT ":table/%s", name);
	List	   *arns = list_make1(arn);

	for (int i = 0; i < def->nindexes; i++)
		arns = lappend(arns, psprintf("%s/index/%s", arn, def->indexes[i].name));
	return lappend(arns, psprintf("%s/stream/" IAM_LABEL, arn));
}

static char
KeyType(const AttributeDef *key)
{
	return key->type == VALUE_S ? 'S' : key->type == VALUE_N ? 'N' : 'B';
}

static List *
KeysOfIndexes(const IamTable *table, const TableDef *def)
{
	List	   *keys = NIL;

	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int j = 0; j < index->key.npartition; j++)
		{
			const AttributeDef *attribute = EntryAttribute(def, index, j);
			IamIndexKey *key;

			if (strcmp(attribute->column, table->key) == 0)
				continue;
			key = palloc(sizeof(IamIndexKey));
			key->index = pstrdup(index->name);
			key->arn = psprintf("%s/index/%s", (char *) linitial(table->arns), index->name);
			key->column = pstrdup(attribute->column);
			key->type = KeyType(attribute);
			keys = lappend(keys, key);
		}
	}
	return keys;
}

/* Whose name is too long for a relation has that in its definition, until the relation has another. */
static char *
NameInRequests(Relation rel, const TableDef *def)
{
	char	   *name = RelationGetRelationName(rel);

	return pstrdup(def->long_name != NULL && strcmp(RelationNameFor(def->long_name), name) == 0 ? def->long_name : name);
}

static IamTable *
DescribeTable(Oid relid, const char *schema)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def = rel != NULL ? TableDefCopy(rel) : NULL;
	IamTable   *table = NULL;
	TableStream stream;

	if (def != NULL)
	{
		const AttributeDef *key = TableKeyAttribute(def, 0);

		table = palloc0(sizeof(IamTable));
		table->name = NameInRequests(rel, def);
		table->sql = quote_qualified_identifier(schema, RelationGetRelationName(rel));
		table->key = pstrdup(key->column);
		table->key_type = KeyType(key);
		table->sort = KeyCount(&def->key) > 1 ? pstrdup(TableKeyAttribute(def, 1)->column) : NULL;
		table->row_security = rel->rd_rel->relrowsecurity;
		table->arns = ArnsOfTable(table->name, def);
		for (int i = 0; i < def->nindexes; i++)
			table->indexes = lappend(table->indexes, pstrdup(def->indexes[i].name));
		table->has_stream = TableStreamOf(rel, &stream);
		table->index_keys = KeysOfIndexes(table, def);
	}
	if (rel != NULL)
		table_close(rel, AccessShareLock);
	return table;
}

List *
IamTablesOfSchema(const char *schema)
{
	Oid			namespace = get_namespace_oid(schema, false);
	List	   *tables = NIL;
	ListCell   *lc;

	foreach(lc, TablesWithFeature(FEATURE_NONE))
	{
		IamTable   *table = get_rel_namespace(lfirst_oid(lc)) == namespace && !RelationIsShard(lfirst_oid(lc)) ?
			DescribeTable(lfirst_oid(lc), schema) : NULL;

		if (table != NULL)
			tables = lappend(tables, table);
	}
	return tables;
}

/* ---- resources ---- */

/* Replaces variables of a resource by *, because their values are not known. */
static char *
ReplaceVariables(const char *text, bool *found)
{
	StringInfoData out;
	const char *open;

	initStringInfo(&out);
	while ((open = strstr(text, "${")) != NULL)
	{
		const char *close = strchr(open, '}');

		*found = true;
		appendBinaryStringInfo(&out, text, (int) (open - text));
		appendStringInfoChar(&out, '*');
		text = close != NULL ? close + 1 : open + strlen(open);
	}
	appendStringInfoString(&out, text);
	return out.data;
}

IamResource
IamReadResource(const char *text)
{
	IamResource r = {0};
	char	   *plain = ReplaceVariables(text, &r.variable);
	char	   *name = strstr(plain, ":table/");
	char	   *slash;

	if (strcmp(plain, "*") == 0)
	{
		r.pattern = plain;
		return r;
	}
	if (name == NULL || !IamMatches("arn:*:dynamodb:*", plain, false) ||
		!IamPatternsMeet(plain, "arn:" IAM_SEGMENT ":dynamodb:" IAM_SEGMENT ":" IAM_SEGMENT ":table/*"))
		return r;
	name += strlen(":table/");
	slash = strchr(name, '/');
	r.part = slash != NULL;
	r.pattern = slash != NULL ? pnstrdup(name, slash - name) : name;
	return r;
}

bool
IamCanMeanTable(const char *resource, const IamTable *table)
{
	bool		variable;
	char	   *pattern = ReplaceVariables(resource, &variable);
	ListCell   *lc;

	foreach(lc, table->arns)
	{
		if (IamPatternsMeet(pattern, lfirst(lc)))
			return true;
	}
	return false;
}

bool
IamConcernsTable(const IamStatement *s, const IamTable *table, bool wide)
{
	ListCell   *lc;

	foreach(lc, s->resources)
	{
		IamResource r = IamReadResource(lfirst(lc));
		bool		can_mean = IamCanMeanTable(lfirst(lc), table);
		bool		names = r.pattern != NULL && IamMatches(r.pattern, table->name, false);

		if (wide ? can_mean || names : can_mean && names && !r.part && !r.variable)
			return true;
	}
	return false;
}

bool
IamListsAction(const IamStatement *s, const char *action)
{
	char	   *name = psprintf("dynamodb:%s", action);
	ListCell   *lc;

	foreach(lc, s->actions)
	{
		if (IamMatches(lfirst(lc), name, true))
			return true;
	}
	return false;
}

/* Whether the statement is of one of these actions. */
static bool
IsOfAny(const IamStatement *s, const char *const *actions)
{
	for (; *actions != NULL; actions++)
	{
		if (IamListsAction(s, *actions) != s->not_actions)
			return true;
	}
	return false;
}

/* Whether a resource is of this part of the table. */
static bool
NamesPart(const IamStatement *s, const IamTable *table, const char *part)
{
	char	   *path = psprintf("%s/%s", table->name, part);
	ListCell   *lc;

	foreach(lc, s->resources)
	{
		const char *name = strstr(lfirst(lc), ":table/");

		if (strcmp(lfirst(lc), "*") == 0)
			return true;
		if (name != NULL && strstr(lfirst(lc), "${") == NULL && IamCanMeanTable(lfirst(lc), table) &&
			IamMatches(name + strlen(":table/"), path, false))
			return true;
	}
	return false;
}

/* Whether a Deny of all other resources leaves the table all its reads: those of its indexes and its stream, too. */
static bool
LeavesParts(const IamStatement *s, const IamTable *table)
{
	static const char *const of_indexes[] = {"Query", "Scan", "PartiQLSelect", "SearchVectors", NULL};
	static const char *const of_streams[] = {"GetRecords", "GetShardIterator", "DescribeStream", NULL};
	ListCell   *lc;

	foreach(lc, table->indexes)
	{
		if (IsOfAny(s, of_indexes) && !NamesPart(s, table, psprintf("index/%s", (char *) lfirst(lc))))
			return false;
	}
	return !table->has_stream || !IsOfAny(s, of_streams) || NamesPart(s, table, "stream/" IAM_LABEL);
}

bool
IamStatementApplies(const IamStatement *s, const IamTable *table)
{
	bool		wide = s->allow == s->not_resources;
	bool		concerned = IamConcernsTable(s, table, wide);

	if (!s->allow && s->not_resources && concerned)
		return !LeavesParts(s, table);
	return concerned != s->not_resources;
}

bool
IamCanMeanIndex(const IamStatement *s, const IamIndexKey *key)
{
	bool		variable;
	ListCell   *lc;

	foreach(lc, s->resources)
	{
		if (IamPatternsMeet(ReplaceVariables(lfirst(lc), &variable), key->arn))
			return true;
	}
	return s->not_resources;
}
