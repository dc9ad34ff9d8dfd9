/*
 * state.c
 *	  What a move has done so far: names with a JSON text each, in the target.
 *
 * In PostgreSQL they are rows of a table in a schema of their own; elsewhere items of a
 * table.  A new value is stored only over the value that the caller has seen last.
 */
#include <stdlib.h>
#include <string.h>

#include "move.h"

static char *
Schema(Link *link)
{
	char	   *quoted = PQescapeIdentifier(link->conn, options.state_name, strlen(options.state_name));

	if (quoted == NULL)
		MoveFail("invalid name of a schema: %s", PQerrorMessage(link->conn));
	return quoted;
}

/* Whether a statement failed because another program has made the same at the same time. */
static bool
IsMadeAlready(PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state != NULL && (strcmp(state, "23505") == 0 || strcmp(state, "42P06") == 0 || strcmp(state, "42P07") == 0 || strcmp(state, "42710") == 0);
}

static void
CreateOnce(Link *link, const char *format)
{
	char	   *schema = Schema(link),
			   *query = MoveFormat(format, schema);
	bool		made = false;

	while (!made)
	{
		PGresult   *result = LinkTry(link, query, 0, NULL);

		made = PQresultStatus(result) == PGRES_COMMAND_OK || IsMadeAlready(result);
		if (!made && !LinkLost(link))
			LinkFailQuery(link, result, "cannot create the place of states");
		PQclear(result);
	}
	PQfreemem(schema);
	free(query);
}

/* Whoever owns the tables, or their schema, could let them run functions with our rights. */
static void
CheckOwner(Link *link)
{
	const char *args[] = {options.state_name};
	PGresult   *result = LinkQuery(link,
								   "SELECT r.rolname FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c "
								   "ON c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname IN ('state', 'touched'), pg_catalog.pg_roles r "
								   "WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND r.oid IN (n.nspowner, c.relowner) AND NOT r.rolsuper "
								   "AND NOT pg_catalog.pg_has_role(r.oid, 'MEMBER') LIMIT 1", 1, args);

	if (PQntuples(result) > 0)
		MoveFail("the schema \"%s\" of the target belongs to \"%s\", who could run code with your rights; use another --state", options.state_name,
				 PQgetvalue(result, 0, 0));
	PQclear(result);
}

static void
PrepareSql(Link *link)
{
	const char *args[] = {options.state_name};
	PGresult   *result = LinkQuery(link, "SELECT pg_catalog.to_regnamespace(pg_catalog.quote_ident($1)) IS NOT NULL, "
								   "pg_catalog.to_regclass(pg_catalog.concat(pg_catalog.quote_ident($1), '.touched')) IS NOT NULL", 1, args);
	bool		has_schema = PQgetvalue(result, 0, 0)[0] == 't',
				has_tables = PQgetvalue(result, 0, 1)[0] == 't';

	PQclear(result);
	if (!has_schema)
		CreateOnce(link, "CREATE SCHEMA IF NOT EXISTS %s");
	CheckOwner(link);
	if (has_tables)
		return;
	CreateOnce(link, "CREATE TABLE IF NOT EXISTS %s.state (move pg_catalog.text, name pg_catalog.text, value pg_catalog.text NOT NULL, "
			   "PRIMARY KEY (move, name))");
	CreateOnce(link, "CREATE TABLE IF NOT EXISTS %s.touched (move pg_catalog.text, key pg_catalog.text, PRIMARY KEY (move, key))");
}

static void
PrepareTable(Link *link)
{
	CallError	error;
	json_t	   *answer = LinkCall(link, "DescribeTable", json_pack("{s:s}", "TableName", options.state_name), &error);

	if (answer == NULL && strcmp(error.type, "ResourceNotFoundException") != 0)
		MoveFail("DescribeTable of the target: %s: %s", error.type, error.message);
	if (answer == NULL)
	{
		answer = LinkCall(link, "CreateTable", json_pack(
			"{s:s,s:s,s:[{s:s,s:s},{s:s,s:s}],s:[{s:s,s:s},{s:s,s:s}]}",
			"TableName", options.state_name, "BillingMode", "PAY_PER_REQUEST",
			"AttributeDefinitions", "AttributeName", "move", "AttributeType", "S", "AttributeName", "name", "AttributeType", "S",
			"KeySchema", "AttributeName", "move", "KeyType", "HASH", "AttributeName", "name", "KeyType", "RANGE"), &error);
		/* another program may have made it at the same time */
		if (answer == NULL && strcmp(error.type, "ResourceInUseException") != 0)
			MoveFail("CreateTable of the target: %s: %s", error.type, error.message);
	}
	json_decref(answer);
	AwaitTable(link, options.state_name);
}

/* Makes the place of states if it is not there. */
void
StatePrepare(Link *link)
{
	if (link->conn != NULL)
		PrepareSql(link);
	else
		PrepareTable(link);
}

static json_t *
StateKey(const char *name)
{
	return json_pack("{s:{s:s},s:{s:s}}", "move", "S", options.move, "name", "S", name);
}

/* The text, which the caller frees; NULL if there is none, or the transaction is lost. */
char *
StateGet(Link *link, const char *name)
{
	char	   *value = NULL;

	if (link->conn != NULL)
	{
		const char *args[] = {options.move, name};
		char	   *schema = Schema(link),
				   *query = MoveFormat("SELECT value FROM %s.state WHERE move = $1 AND name = $2", schema);
		PGresult   *result = LinkQuery(link, query, 2, args);

		if (result != NULL && PQntuples(result) > 0)
			value = MoveCopy(PQgetvalue(result, 0, 0));
		PQclear(result);
		PQfreemem(schema);
		free(query);
	}
	else
	{
		json_t	   *answer = LinkCall(link, "GetItem", json_pack("{s:s,s:o,s:b}", "TableName", options.state_name, "Key", StateKey(name),
																 "ConsistentRead", 1), NULL);
		const char *text = JsonString(json_object_get(json_object_get(answer, "Item"), "value"), "S");

		if (text != NULL)
			value = MoveCopy(text);
		json_decref(answer);
	}
	return value;
}

static void
FailConflict(const char *name)
{
	MoveFail("another dynamo-move has changed \"%s\" of the move \"%s\"; only one at a time may work on it", name, options.move);
}

static bool
PutSql(Link *link, const char *name, const char *old, const char *value)
{
	const char *args[] = {options.move, name, value, old};
	char	   *schema = Schema(link),
			   *query = MoveFormat(old == NULL ? "INSERT INTO %s.state VALUES ($1, $2, $3) ON CONFLICT DO NOTHING" :
								   "UPDATE %s.state SET value = $3 WHERE move = $1 AND name = $2 AND value = $4", schema);
	bool		transaction = link->in_transaction;
	PGresult   *result;
	bool		changed = false;

	if (!transaction)
		LinkBegin(link);
	result = LinkQuery(link, query, old == NULL ? 3 : 4, args);
	if (result != NULL)
	{
		changed = strcmp(PQcmdTuples(result), "1") == 0;
		if (!changed)
			FailConflict(name);
		PQclear(result);
		if (!transaction)
			changed = LinkCommit(link);
	}
	PQfreemem(schema);
	free(query);
	return changed;
}

/* Whether the value is stored, by a request whose answer may have been lost. */
bool
StateIsStored(Link *link, const char *name, const char *value)
{
	char	   *now = StateGet(link, name);
	bool		same = now != NULL && strcmp(now, value) == 0;

	free(now);
	return same;
}

/* Stores a value over the old one (NULL: there is none).  False: the transaction is lost. */
bool
StatePut(Link *link, const char *name, const char *old, const char *value)
{
	json_t	   *item,
			   *request,
			   *answer;
	CallError	error;

	if (link->conn != NULL)
	{
		if (link->in_transaction)
			return PutSql(link, name, old, value);
		for (double until = MoveClock() + patience; !PutSql(link, name, old, value) && !StateIsStored(link, name, value);)
			LinkRepeat(link, until);
		return true;
	}
	item = StateKey(name);
	json_object_set_new(item, "value", json_pack("{s:s}", "S", value));
	request = json_pack("{s:s,s:o,s:{s:s}}", "TableName", options.state_name, "Item", item, "ExpressionAttributeNames", "#v", "value");
	if (old == NULL)
		json_object_set_new(request, "ConditionExpression", json_string("attribute_not_exists(#v)"));
	else
	{
		json_object_set_new(request, "ConditionExpression", json_string("#v = :old"));
		json_object_set_new(request, "ExpressionAttributeValues", json_pack("{s:{s:s}}", ":old", "S", old));
	}
	answer = LinkCall(link, "PutItem", request, &error);
	if (answer == NULL)
	{
		if (strcmp(error.type, "ConditionalCheckFailedException") != 0)
			MoveFail("PutItem of the target: %s: %s", error.type, error.message);
		if (!StateIsStored(link, name, value))
			FailConflict(name);
	}
	json_decref(answer);
	return true;
}

static void
ListSql(Link *link, const char *prefix, json_t *list)
{
	const char *args[] = {options.move, prefix};
	char	   *schema = Schema(link),
			   *query = MoveFormat("SELECT name, value FROM %s.state WHERE move = $1 AND pg_catalog.starts_with(name, $2) ORDER BY name COLLATE \"C\"",
								   schema);
	PGresult   *result = LinkQuery(link, query, 2, args);

	for (int i = 0; i < PQntuples(result); i++)
		json_object_set_new(list, PQgetvalue(result, i, 0), json_string(PQgetvalue(result, i, 1)));
	PQclear(result);
	PQfreemem(schema);
	free(query);
}

/* What a list reads of an item, and the words of its errors. */
typedef struct StateListing
{
	const char *operation;		/* Query or Scan */
	const char *key;			/* the attribute that names the text */
	const char *answer;			/* what an answer is, the name, and the list */
	const char *name;
	const char *list;
} StateListing;

/* Adds the texts of all pages of a request, which it frees. */
static void
ListPages(Link *link, const StateListing *listing, json_t *request, json_t *list)
{
	json_t	   *start;
	Circle		circle = {0};

	do
	{
		json_t	   *answer = LinkCall(link, listing->operation, json_incref(request), NULL),
				   *item;
		size_t		i;

		json_array_foreach(JsonNeedArray(answer, "Items", listing->answer), i, item)
			json_object_set_new(list, JsonNeed(json_object_get(item, listing->key), "S", listing->name),
								json_string(JsonNeed(json_object_get(item, "value"), "S", "the value of a state")));
		start = json_incref(json_object_get(answer, "LastEvaluatedKey"));
		json_decref(answer);
		if (start != NULL)
		{
			ListCheck(&circle, start, listing->list, options.state_name);
			json_object_set_new(request, "ExclusiveStartKey", start);
		}
	} while (start != NULL);
	json_decref(request);
	CircleEnd(&circle);
}

static void
ListItems(Link *link, const char *prefix, json_t *list)
{
	static const StateListing listing = {"Query", "name", "an answer of Query", "the name of a state", "the query of table"};

	ListPages(link, &listing, json_pack("{s:s,s:b,s:s,s:{s:s,s:s},s:{s:{s:s},s:{s:s}}}", "TableName", options.state_name,
										"ConsistentRead", 1,
										"KeyConditionExpression", "#m = :m AND begins_with(#n, :p)", "ExpressionAttributeNames",
										"#m", "move", "#n", "name", "ExpressionAttributeValues", ":m", "S", options.move, ":p", "S", prefix),
			  list);
}

/* An object of the texts whose names begin so, in the order of the names. */
json_t *
StateList(Link *link, const char *prefix)
{
	json_t	   *list = json_object();

	if (link->conn != NULL)
		ListSql(link, prefix, list);
	else
		ListItems(link, prefix, list);
	return list;
}

/* A state that was stored; fails if it was changed by hand into something else. */
json_t *
StateParse(const char *text, const char *name)
{
	json_t	   *state = JsonParse(text, strlen(text), name);

	if (!json_is_object(state))
		MoveFail("the state \"%s\" of the move \"%s\" is no JSON object", name, options.move);
	return state;
}

static void
MovesSql(Link *link, json_t *list)
{
	char	   *schema = Schema(link),
			   *query = MoveFormat("SELECT move, value FROM %s.state WHERE name = 'move'", schema);
	PGresult   *result = LinkQuery(link, query, 0, NULL);

	for (int i = 0; i < PQntuples(result); i++)
		json_object_set_new(list, PQgetvalue(result, i, 0), json_string(PQgetvalue(result, i, 1)));
	PQclear(result);
	PQfreemem(schema);
	free(query);
}

static void
MovesItems(Link *link, json_t *list)
{
	static const StateListing listing = {"Scan", "move", "an answer of Scan", "the move of a state", "the scan of table"};

	ListPages(link, &listing, json_pack("{s:s,s:b,s:s,s:{s:s},s:{s:{s:s}}}", "TableName", options.state_name, "ConsistentRead", 1,
										"FilterExpression", "#n = :n", "ExpressionAttributeNames", "#n", "name",
										"ExpressionAttributeValues", ":n", "S", "move"),
			  list);
}

/* Whether any move has switched this target, whatever its name; the name, which the caller frees, or NULL. */
char *
StateSwitched(Link *link, const char *target)
{
	json_t	   *description = DescribeTable(link, target, false),
			   *moves = json_object(),
			   *text;
	const char *id = JsonString(description, "TableId"),
			   *name;
	char	   *found = NULL;

	if (link->conn != NULL)
		MovesSql(link, moves);
	else
		MovesItems(link, moves);
	json_object_foreach(moves, name, text)
	{
		json_t	   *move = StateParse(json_string_value(text), "move");
		const char *table = JsonString(move, "target"),
				   *phase = JsonString(move, "phase"),
				   *table_id = JsonString(move, "target_id");
		/* the move of a table that was dropped and created again since is over */
		bool		ours = table != NULL && strcmp(table, target) == 0 && (id == NULL || table_id == NULL || strcmp(id, table_id) == 0);

		if (found == NULL && ours && phase != NULL && strcmp(phase, "switched") == 0)
			found = MoveCopy(name);
		json_decref(move);
	}
	json_decref(moves);
	json_decref(description);
	return found;
}

/* The record of the move, and its text for StateSetMove(); NULL if it has not begun. */
json_t *
StateGetMove(Link *link, char **text)
{
	json_t	   *move;
	const char *phase;

	*text = StateGet(link, "move");
	if (*text == NULL)
		return NULL;
	move = StateParse(*text, "move");
	phase = JsonNeed(move, "phase", "the state of the move");
	if (strcmp(phase, "copying") != 0 && strcmp(phase, "copied") != 0 && strcmp(phase, "switched") != 0)
		MoveFail("the state of the move has an unknown phase \"%s\"", phase);
	return move;
}

/* ---- which tables ---- */

static const struct
{
	const char *side;
	const char *name;			/* of the table */
	const char *id;				/* TableId: another one after it was dropped and created again */
}			identities[] = {{"source", "table", "table_id"}, {"target", "target", "target_id"}};

static void
NoteId(json_t *move, const char *name, json_t *table)
{
	if (JsonString(table, "TableId") != NULL)
		json_object_set(move, name, json_object_get(table, "TableId"));
}

/* Notes which tables a new move has, by their descriptions. */
void
NoteIdentity(json_t *move, json_t *source, json_t *target)
{
	NoteId(move, identities[0].id, source);
	NoteId(move, identities[1].id, target);
}

/* What was done for a move is done for its two tables only. */
void
CheckIdentity(json_t *move, Link *source, Link *target)
{
	Link	   *links[] = {source, target};
	const char *tables[] = {options.tables[0], options.target_table};

	for (int i = 0; i < 2; i++)
	{
		const char *name = JsonNeed(move, identities[i].name, "the state of the move"),
				   *id = JsonString(move, identities[i].id),
				   *now;
		json_t	   *table;

		if (strcmp(name, tables[i]) != 0)
			MoveFail("the %s of the move \"%s\" is table \"%s\", not \"%s\"; use another --name for another move", identities[i].side,
					 options.move, name, tables[i]);
		table = DescribeTable(links[i], tables[i], false);
		now = JsonString(table, "TableId");
		if (id != NULL && now != NULL && strcmp(id, now) != 0)
			MoveFail("table \"%s\" of the %s was dropped and created again since the move \"%s\" began; copy again under another --name",
					 name, identities[i].side, options.move);
		json_decref(table);
	}
}

void
StateSetMove(Link *link, json_t *move, char **text)
{
	char	   *value = JsonText(move);

	StatePut(link, "move", *text, value);
	free(*text);
	*text = value;
}
