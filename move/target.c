/*
 * target.c
 *	  Items into a table: pages of a copy, and changes.
 *
 * In PostgreSQL, a page is one COPY and the changes of a stream one statement, each in the
 * transaction that also stores how far the move has come.  While a table is copied and
 * followed at the same time, whoever applies changes notes their keys ("touched"), so that
 * a page that was read before does not bring back what has been changed since; a lock
 * keeps the two apart.
 */
#include <stdlib.h>
#include <string.h>

#include "move.h"

/* Neither character is in JSON. */
#define COPY_OPTIONS	"FROM STDIN WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"

#define LOCK_KEY	"pg_catalog.hashtextextended('dynamo_move ' || $1, 0)"

/* The type of a key attribute of a table or an index. */
const char *
KeyType(json_t *description, const char *attribute)
{
	json_t	   *definition;
	size_t		i;

	json_array_foreach(json_object_get(description, "AttributeDefinitions"), i, definition)
	{
		const char *name = JsonString(definition, "AttributeName");

		if (name != NULL && strcmp(name, attribute) == 0)
			return JsonNeed(definition, "AttributeType", "an answer of DescribeTable");
	}
	MoveFail("an answer of DescribeTable does not define the key attribute \"%s\"", attribute);
}

/* The attributes of a key have types, and stand in the key as one of two kinds. */
static void
CheckKeySchema(json_t *table, json_t *object)
{
	const char *what = "an answer of DescribeTable";
	json_t	   *part;
	size_t		i;

	json_array_foreach(JsonNeedArray(object, "KeySchema", what), i, part)
	{
		const char *kind = JsonNeed(part, "KeyType", what);

		KeyType(table, JsonNeed(part, "AttributeName", what));
		if (strcmp(kind, "HASH") != 0 && strcmp(kind, "RANGE") != 0)
			MoveFail("an answer of DescribeTable has a key attribute that is neither HASH nor RANGE");
	}
	if (json_array_size(json_object_get(object, "KeySchema")) == 0)
		MoveFail("an answer of DescribeTable has a key without attributes");
}

/* What everybody uses must be there. */
static void
CheckDescription(json_t *table)
{
	JsonNeed(table, "TableName", "an answer of DescribeTable");
	CheckKeySchema(table, table);
	for (int local = 0; local < 2; local++)
	{
		json_t	   *index;
		size_t		i;

		json_array_foreach(json_object_get(table, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes"), i, index)
		{
			JsonNeed(index, "IndexName", "an answer of DescribeTable");
			CheckKeySchema(table, index);
		}
	}
}

/* What DescribeTable says; NULL if there is no such table. */
json_t *
DescribeTable(Link *link, const char *table, bool missing_ok)
{
	CallError	error;
	json_t	   *answer = LinkCall(link, "DescribeTable", json_pack("{s:s}", "TableName", table), &error),
			   *description;

	if (answer == NULL && missing_ok && strcmp(error.type, "ResourceNotFoundException") == 0)
		return NULL;
	if (answer == NULL)
		MoveFail("table \"%s\" of the %s: %s: %s", table, link->endpoint->role, error.type, error.message);
	description = json_incref(json_object_get(answer, "Table"));
	json_decref(answer);
	CheckDescription(description);
	return description;
}

/* Waits until a table that was made or changed can be used, as long as what fails is repeated. */
void
AwaitTable(Link *link, const char *table)
{
	for (double until = MoveClock() + patience;; MoveSleep(0.3))
	{
		json_t	   *description = DescribeTable(link, table, false);
		const char *status = JsonString(description, "TableStatus");

		if (status != NULL && strcmp(status, "ACTIVE") != 0 && (move_stop || MoveClock() > until))
			MoveFail("table \"%s\" of the %s is still %s%s", table, link->endpoint->role, status,
					 move_stop ? "" : " after the seconds of --patience");
		if (status == NULL || strcmp(status, "ACTIVE") == 0)
		{
			json_decref(description);
			return;
		}
		json_decref(description);
	}
}

/* The names and types of the key's attributes, in their order. */
json_t *
TableKey(json_t *description)
{
	json_t	   *key = json_object(),
			   *part;
	size_t		i;

	json_array_foreach(json_object_get(description, "KeySchema"), i, part)
	{
		const char *name = JsonString(part, "AttributeName");

		json_object_set_new(key, name, json_string(KeyType(description, name)));
	}
	return key;
}

/* Whether both are one table, whose stream would be applied to itself, and which always equals itself. */
static bool
IsSameTable(json_t *source, json_t *target)
{
	const Endpoint *s = &options.source,
			   *t = &options.target;
	bool		same_place = s->conninfo != NULL ? t->conninfo != NULL && strcmp(s->conninfo, t->conninfo) == 0 :
		t->conninfo == NULL && strcmp(s->url, t->url) == 0;
	const char *id = JsonString(source, "TableId"),
			   *other = JsonString(target, "TableId");

	/* an emulator may give all tables one id, and other accounts have other tables of the name */
	return same_place && strcmp(options.tables[0], options.target_table) == 0 && id != NULL && other != NULL && strcmp(id, other) == 0;
}

/* Fails unless a source and a target, as described, are two tables with the same key. */
void
CheckPair(json_t *source, json_t *target)
{
	json_t	   *source_key = TableKey(source),
			   *target_key = TableKey(target);

	if (IsSameTable(source, target))
		MoveFail("the source and the target are the same table");
	if (!json_equal(source_key, target_key) || !json_equal(json_object_get(source, "KeySchema"), json_object_get(target, "KeySchema")))
		MoveFail("the tables have different keys");
	json_decref(source_key);
	json_decref(target_key);
}

/* The key of an item.  Fails if it has none, for then it is no item of the table. */
json_t *
KeyOf(json_t *description, json_t *item)
{
	json_t	   *key = json_object(),
			   *part;
	size_t		i;

	json_array_foreach(json_object_get(description, "KeySchema"), i, part)
	{
		const char *name = JsonString(part, "AttributeName"),
				   *type = KeyType(description, name);
		json_t	   *value = json_object_get(item, name);

		if (json_object_size(value) != 1 || JsonString(value, type) == NULL)
			MoveFail("an item of table \"%s\" has no key attribute \"%s\" of the type %s", JsonString(description, "TableName"), name, type);
		json_object_set(key, name, value);
	}
	return key;
}

/* Whether an item, or a key, has this key. */
bool
HasKey(json_t *description, json_t *item, json_t *key)
{
	json_t	   *own = KeyOf(description, item);
	Digest		x = DigestOf(own),
				y = DigestOf(key);

	json_decref(own);
	return memcmp(&x, &y, sizeof(Digest)) == 0;
}

/* The item of a key as it is now, or NULL. */
json_t *
GetItem(Link *link, const char *table, json_t *description, json_t *key)
{
	json_t	   *answer = LinkCall(link, "GetItem", json_pack("{s:s,s:O,s:b}", "TableName", table, "Key", key, "ConsistentRead", 1), NULL),
			   *item = json_incref(json_object_get(answer, "Item"));

	if (item != NULL && !HasKey(description, item, key))
		MoveFail("an answer of GetItem of the %s has an item of another key than %s", link->endpoint->role, JsonText(key));
	json_decref(answer);
	return item;
}

static void
OpenRelation(Target *target, Link *link)
{
	const char *args[] = {target->table};
	char	   *literal;
	PGresult   *result = LinkQuery(link, "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), c.relkind = 'r' FROM pg_catalog.pg_class c "
								   "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = dynamo.table_relation($1)::pg_catalog.oid", 1, args);

	target->relation = MoveCopy(PQgetvalue(result, 0, 0));
	target->plain_copy = PQgetvalue(result, 0, 1)[0] == 't';
	PQclear(result);
	args[0] = target->relation;
	result = LinkQuery(link,
					   "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY k.n), "
					   "pg_catalog.string_agg(CASE k.n WHEN 1 THEN 'k.partition_key' ELSE 'k.sort_key' END || '::' || "
					   "pg_catalog.format_type(a.atttypid, NULL), ', ' ORDER BY k.n) "
					   "FROM pg_catalog.pg_index i, pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attnum, n), "
					   "pg_catalog.pg_attribute a WHERE i.indrelid = $1::pg_catalog.regclass::pg_catalog.oid AND i.indisprimary AND "
					   "a.attrelid = i.indrelid AND a.attnum = k.attnum", 1, args);
	if (PQgetisnull(result, 0, 0))
		MoveFail("table %s has no primary key", target->relation);
	literal = PQescapeLiteral(link->conn, target->relation, strlen(target->relation));
	target->insert = MoveFormat("INSERT INTO %s (%s, item) SELECT %s, k.item FROM pg_temp.dynamo_move_stage s, "
								"dynamo.keys_of(%s::pg_catalog.regclass, s.item::dynamo.item) k ON CONFLICT DO NOTHING",
								target->relation, PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1), literal);
	PQfreemem(literal);
	PQclear(result);
}

void
TargetOpen(Target *target, Link *link, const char *table)
{
	memset(target, 0, sizeof(*target));
	target->table = table;
	target->description = DescribeTable(link, table, false);
	if (link->conn != NULL)
		OpenRelation(target, link);
}

void
TargetClose(Target *target)
{
	json_decref(target->description);
	free(target->relation);
	free(target->insert);
}

/* ---- DynamoDB's API ---- */

/* The key of the item that a request of a batch puts or deletes. */
static json_t *
KeyOfRequest(json_t *description, json_t *request)
{
	json_t	   *item = json_object_get(json_object_get(request, "PutRequest"), "Item");

	return KeyOf(description, item != NULL ? item : json_object_get(json_object_get(request, "DeleteRequest"), "Key"));
}

/*
 * Those of our requests that are not done, by the answer.  What it names otherwise is not ours: it
 * may neither be sent, nor let us take ours for done.
 */
static json_t *
Unprocessed(Target *target, Link *link, json_t *answer, json_t *requests)
{
	json_t	   *tables = json_object_get(answer, "UnprocessedItems"),
			   *rest = json_array(),
			   *list,
			   *named,
			   *own;
	const char *name;
	size_t		i,
				j;

	if (tables != NULL && !json_is_object(tables))
		MoveFail("an answer of BatchWriteItem of the %s has UnprocessedItems that are none", link->endpoint->role);
	json_object_foreach(tables, name, list)
	{
		json_array_foreach(JsonNeedArray(tables, name, "UnprocessedItems of an answer"), i, named)
		{
			json_t	   *key = KeyOfRequest(target->description, named);
			bool		found = false;

			json_array_foreach(requests, j, own)
			{
				json_t	   *own_key = KeyOfRequest(target->description, own);

				found = HasKey(target->description, own_key, key);
				json_decref(own_key);
				if (found)
					break;
			}
			if (!found)
				MoveFail("an answer of BatchWriteItem of the %s names an item that was not sent: %s", link->endpoint->role, JsonText(key));
			json_array_append(rest, own);
			json_decref(key);
		}
	}
	return rest;
}

/* Puts and deletes of different items, at most 25. */
static void
WriteBatch(Target *target, Link *link, json_t *requests)
{
	json_t	   *rest = json_incref(requests);
	double		until = MoveClock() + patience,
				stopped = 0;

	for (double pause = 0.05; json_array_size(rest) > 0; pause = pause > 2 ? 2 : pause * 2)
	{
		json_t	   *sent = rest,
				   *answer = LinkCall(link, "BatchWriteItem", json_pack("{s:{s:O}}", "RequestItems", target->table, sent), NULL);

		rest = Unprocessed(target, link, answer, sent);
		json_decref(answer);
		json_decref(sent);
		if (json_array_size(rest) > 0 && (MoveClock() > until || MoveGivesUp(&stopped)))
			MoveFail("the %s does not take all items of a batch (UnprocessedItems)", link->endpoint->role);
		if (json_array_size(rest) > 0)
		{
			__atomic_add_fetch(&retries, 1, __ATOMIC_RELAXED);
			MovePause(pause * (0.5 + MoveRandom() % 1000 / 2000.0));
		}
	}
	json_decref(rest);
}

static void
WriteRequests(Target *target, Link *link, json_t *requests)
{
	for (size_t i = 0; i < json_array_size(requests); i += 25)
	{
		json_t	   *batch = json_array();

		for (size_t j = i; j < i + 25 && j < json_array_size(requests); j++)
			json_array_append(batch, json_array_get(requests, j));
		WriteBatch(target, link, batch);
		json_decref(batch);
	}
}

static json_t *
PutRequest(json_t *item)
{
	return json_pack("{s:{s:O}}", "PutRequest", "Item", item);
}

/* The last change of each item; a batch takes no two of one. */
static void
ApplyByRequests(Target *target, Link *link, const Change *changes, size_t count)
{
	json_t	   *last = json_object(),
			   *requests = json_array(),
			   *request;
	const char *name;

	for (size_t i = 0; i < count; i++)
	{
		Digest		digest = DigestOf(changes[i].key);
		char		hex[33];

		DigestHex(&digest, hex);
		json_object_set_new(last, hex, changes[i].item != NULL ? PutRequest(changes[i].item) :
							json_pack("{s:{s:O}}", "DeleteRequest", "Key", changes[i].key));
	}
	json_object_foreach(last, name, request)
		json_array_append(requests, request);
	WriteRequests(target, link, requests);
	json_decref(requests);
	json_decref(last);
}

/* ---- PostgreSQL ---- */

/* Sends lines of items, and of digests of their keys where they are asked for. */
static bool
SendItems(Target *target, Link *link, const char *copy, json_t *items, bool keys)
{
	PGresult   *result = LinkQuery(link, copy, 0, NULL);
	Text		lines = {0};
	json_t	   *item;
	size_t		i;
	bool		ok;

	if (result == NULL)
		return false;
	PQclear(result);
	json_array_foreach(items, i, item)
	{
		char	   *text = JsonText(item);

		TextAddString(&lines, text);
		free(text);
		if (keys)
		{
			json_t	   *key = KeyOf(target->description, item);
			Digest		digest = DigestOf(key);
			char		hex[33];

			DigestHex(&digest, hex);
			TextAdd(&lines, "\2", 1);
			TextAddString(&lines, hex);
			json_decref(key);
		}
		TextAdd(&lines, "\n", 1);
	}
	ok = PQputCopyData(link->conn, lines.data, (int) lines.len) == 1 && PQputCopyEnd(link->conn, NULL) == 1;
	TextFree(&lines);
	while ((result = PQgetResult(link->conn)) != NULL)
	{
		const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

		if (PQresultStatus(result) != PGRES_COMMAND_OK)
		{
			ok = false;
			LinkNoteProblem(link, result);
			/* Some of the items are there: from now on, only what is missing. */
			if (state != NULL && strcmp(state, "23505") == 0)
				target->plain_copy = false;
			else if (state != NULL && strncmp(state, "57P", 3) != 0 && strncmp(state, "40", 2) != 0 && PQstatus(link->conn) == CONNECTION_OK)
				LinkFailQuery(link, result, "cannot copy into the table");
		}
		PQclear(result);
	}
	if (!ok && !LinkLost(link))
		LinkRollback(link);
	return ok;
}

/* A statement of a transaction, whose result is not needed. */
static bool
Run(Link *link, const char *query, int nargs, const char *const *args)
{
	PGresult   *result = LinkQuery(link, query, nargs, args);

	PQclear(result);
	return result != NULL;
}

static bool
InsertMissing(Target *target, Link *link, json_t *items)
{
	const char *args[] = {options.move};
	char	   *query;
	bool		ok;

	if (!Run(link, "CREATE TEMPORARY TABLE IF NOT EXISTS dynamo_move_stage (item pg_catalog.text, key pg_catalog.text) "
								 "ON COMMIT DELETE ROWS", 0, NULL))
		return false;
	if (!SendItems(target, link, "COPY pg_temp.dynamo_move_stage " COPY_OPTIONS, items, true))
		return false;
	query = MoveFormat("DELETE FROM pg_temp.dynamo_move_stage s USING \"%s\".touched t WHERE t.move = $1 AND t.key = s.key", options.state_name);
	ok = Run(link, query, 1, args) && Run(link, target->insert, 0, NULL);
	free(query);
	return ok;
}

static bool
StoreStep(const Step *step)
{
	return step->name == NULL || StatePut(step->link, step->name, step->old, step->value);
}

static bool
TryPage(Target *target, Link *link, json_t *items, const Step *step)
{
	const char *args[] = {options.move};
	char	   *query = MoveFormat("SELECT EXISTS (SELECT FROM \"%s\".touched WHERE move = $1)", options.state_name),
			   *copy = MoveFormat("COPY %s (item) " COPY_OPTIONS, target->relation);
	PGresult   *result;
	bool		ok = false;

	LinkBegin(link);
	if (Run(link, "SELECT pg_catalog.pg_advisory_xact_lock_shared(" LOCK_KEY ")", 1, args) &&
		(result = LinkQuery(link, query, 1, args)) != NULL)
	{
		bool		touched = PQgetvalue(result, 0, 0)[0] == 't';

		PQclear(result);
		ok = json_array_size(items) == 0 ||
			(target->plain_copy && !touched ? SendItems(target, link, copy, items, false) : InsertMissing(target, link, items));
		ok = ok && StoreStep(step) && LinkCommit(link);
	}
	free(query);
	free(copy);
	return ok;
}

/* Stores a page of a copy, without touching items that are there already. */
void
PutPage(Target *target, Link *link, json_t *items, const Step *step)
{
	if (link->conn == NULL)
	{
		json_t	   *requests = json_array(),
				   *item;
		size_t		i;

		json_array_foreach(items, i, item)
			json_array_append_new(requests, PutRequest(item));
		WriteRequests(target, link, requests);
		json_decref(requests);
		StoreStep(step);
		return;
	}
	for (double until = MoveClock() + patience; !TryPage(target, link, items, step) && !StateIsStored(step->link, step->name, step->value);)
		LinkRepeat(link, until);
}

/* Removes what is noted of keys that were changed beside a copy.  False: the transaction is lost. */
static bool
RemoveNotes(Link *link)
{
	const char *args[] = {options.move};
	char	   *query = MoveFormat("DELETE FROM \"%s\".touched WHERE move = $1", options.state_name);
	bool		ok = Run(link, query, 1, args);

	free(query);
	return ok;
}

/* Before a copy begins: notes of an earlier move of this name would keep its items away. */
void
ForgetKeys(Link *link)
{
	if (link->conn != NULL)
		RemoveNotes(link);
}

static bool
TryEnd(Link *link, const Step *step)
{
	const char *args[] = {options.move};

	LinkBegin(link);
	return Run(link, "SELECT pg_catalog.pg_advisory_xact_lock(" LOCK_KEY ")", 1, args) && StoreStep(step) && RemoveNotes(link) && LinkCommit(link);
}

/* Stores that there are no more pages.  From then on nobody notes keys, so that no note remains. */
void
EndPages(Link *link, const Step *step)
{
	if (link->conn == NULL)
		StoreStep(step);
	else
	{
		for (double until = MoveClock() + patience; !TryEnd(link, step) && !StateIsStored(link, step->name, step->value);)
			LinkRepeat(link, until);
	}
}

/* Adds an element to the text of an array. */
static void
AddElement(Text *array, const char *value)
{
	TextAddString(array, array->len == 0 ? "{\"" : ",\"");
	for (const char *c = value; *c != '\0'; c++)
	{
		if (*c == '"' || *c == '\\')
			TextAdd(array, "\\", 1);
		TextAdd(array, c, 1);
	}
	TextAdd(array, "\"", 1);
}

static bool
NoteKeys(Link *link, const char *keys)
{
	const char *args[] = {options.move, keys};
	char	   *query = MoveFormat("INSERT INTO \"%s\".touched SELECT $1, k FROM pg_catalog.unnest($2::pg_catalog.text[]) k "
								   "WHERE EXISTS (SELECT FROM \"%s\".state WHERE move = $1 AND name = 'move' AND value LIKE '%%\"phase\":\"copying\"%%') "
								   "ON CONFLICT DO NOTHING", options.state_name, options.state_name);
	bool		ok = Run(link, "SELECT pg_catalog.pg_advisory_xact_lock(" LOCK_KEY ")", 1, args) && Run(link, query, 2, args);

	free(query);
	return ok;
}

static bool
TryChanges(Target *target, Link *link, const char *kinds, const char *items, const char *keys, const Step *step, bool beside_copy)
{
	const char *args[] = {target->relation, kinds, items};

	LinkBegin(link);
	return (!beside_copy || NoteKeys(link, keys)) &&
		Run(link, "SELECT pg_catalog.count(x) FROM (SELECT CASE o WHEN 'P' THEN dynamo.put_item($1::pg_catalog.regclass, i::dynamo.item) "
			"ELSE dynamo.delete_item($1::pg_catalog.regclass, i::dynamo.item) END AS x "
			"FROM ROWS FROM (pg_catalog.unnest($2::pg_catalog.text[]), pg_catalog.unnest($3::pg_catalog.text[])) u (o, i) OFFSET 0) s", 3, args) &&
		(step->link != link || StoreStep(step)) && LinkCommit(link);
}

static void
ApplyByStatement(Target *target, Link *link, const Change *changes, size_t count, const Step *step, bool beside_copy)
{
	Text		kinds = {0},
				items = {0},
				keys = {0};

	for (size_t i = 0; i < count; i++)
	{
		char	   *text = JsonText(changes[i].item != NULL ? changes[i].item : changes[i].key);
		Digest		digest = DigestOf(changes[i].key);
		char		hex[33];

		DigestHex(&digest, hex);
		AddElement(&kinds, changes[i].item != NULL ? "P" : "D");
		AddElement(&items, text);
		AddElement(&keys, hex);
		free(text);
	}
	TextAddString(&kinds, "}");
	TextAddString(&items, "}");
	TextAddString(&keys, "}");
	for (double until = MoveClock() + patience; !TryChanges(target, link, kinds.data, items.data, keys.data, step, beside_copy) &&
		 (step->link != link || !StateIsStored(link, step->name, step->value));)
		LinkRepeat(link, until);
	TextFree(&kinds);
	TextFree(&items);
	TextFree(&keys);
}

/* Applies changes in their order, and stores the step with them or after them. */
void
ApplyChanges(Target *target, Link *link, const Change *changes, size_t count, const Step *step, bool beside_copy)
{
	if (count > 0 && link->conn != NULL)
		ApplyByStatement(target, link, changes, count, step, beside_copy);
	else if (count > 0)
		ApplyByRequests(target, link, changes, count);
	if (count == 0 || link->conn == NULL || step->link != link)
		StoreStep(step);
}
