/*
 * definition_check.c
 *	  Checks that a definition is consistent as a whole.
 *
 * A table's owner can write a definition by hand.  The assumptions of the
 * extension about definitions are checked here, when the trigger is created
 * and whenever the definition is read.
 */
#include "postgres.h"

#include "table/definition.h"
#include "table/object_names.h"

/* ---- names ---- */

static void
CheckAttributeName(Slice name, const char *what)
{
	if (name.len == 0 || name.len > KEY_MAX_NAME)
		DefinitionError(psprintf("The name of %s has %u bytes, not 1 to %d.", what, name.len, KEY_MAX_NAME));
}

static void
CheckIdentifier(const char *name, const char *what)
{
	size_t		len = strlen(name);

	if (len == 0 || len >= NAMEDATALEN)
		DefinitionError(psprintf("The name of %s has %zu bytes, not 1 to %d.", what, len, NAMEDATALEN - 1));
}

/* UUIDs are compared as text, so only one form is valid. */
static void
CheckId(const char *id)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	bool		fits = id == NULL || strlen(id) == strlen(form);

	for (int i = 0; id != NULL && fits && form[i] != '\0'; i++)
		fits = form[i] == '-' ? id[i] == '-' : strchr("0123456789abcdef", id[i]) != NULL;
	if (!fits)
		DefinitionError("Member \"id\" is not a UUID.");
}

/*
 * The definition contains the table's name only if it is too long for a
 * relation.
 */
static void
CheckTableName(const char *name)
{
	if (name != NULL && (strlen(name) < NAMEDATALEN || !IsResourceName(name)))
		DefinitionError(psprintf("Member \"table\" is not the name of a table of %d to 255 characters.", NAMEDATALEN));
}

/* ---- attributes ---- */

static void
CheckColumn(const TableDef *def, int attribute)
{
	const char *column = def->attributes[attribute].column;

	CheckIdentifier(column, "a column");
	if (strcmp(column, ITEM_COLUMN) == 0 || strcmp(column, SHARD_COLUMN) == 0 ||
		strcmp(column, TTL_COLUMN) == 0 || strcmp(column, VECTOR_COLUMN) == 0)
		DefinitionError(psprintf("Column \"%s\" cannot hold a key attribute.", column));
	for (int i = 0; i < attribute; i++)
	{
		if (strcmp(def->attributes[i].column, column) == 0)
			DefinitionError(psprintf("Two attributes have the column \"%s\".", column));
	}
}

static void
CheckAttributes(const TableDef *def)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];

		CheckAttributeName(attr->name, "an attribute");
		if (TableDefAttribute(def, attr->name) != i)
			DefinitionError(psprintf("Attribute \"%s\" is defined twice.", attr->name.data));
		CheckColumn(def, i);
	}
}

/* ---- indexes ---- */

static void
IndexError(const IndexDef *index, const char *problem)
{
	DefinitionError(psprintf("Index \"%s\" %s.", index->name, problem));
}

static void
CheckLocalIndex(const TableDef *def, const IndexDef *index)
{
	if (!index->local)
		return;
	if (def->key.nsort == 0 || index->key.npartition != 1 || index->key.nsort != 1 ||
		index->attributes[0] != def->key_attributes[0])
		IndexError(index, "is local, but its key is not the table's partition key and one sort key");
}

static void
CheckShardCount(const IndexDef *index)
{
	if (index->shards < 0 || index->shards > MAX_SHARDS)
		IndexError(index, psprintf("has %d shards, not 0 to %d", index->shards, MAX_SHARDS));
	if (index->shards > 0 && (index->local || !index->kind->in_parts))
		IndexError(index, "is sharded, but local or not stored in a table");
	if (index->shard_by.data == NULL)
		return;
	if (index->shards == 0)
		IndexError(index, "has a shard attribute, but no shards");
	CheckAttributeName(index->shard_by, "a shard attribute");
}

static void
CheckProjection(const IndexDef *index)
{
	if ((index->projected == PROJECTED_INCLUDE) != (index->nnon_key > 0))
		IndexError(index, index->nnon_key > 0 ? "has non-key attributes, but its projection is not INCLUDE" :
				   "has no non-key attributes, but its projection is INCLUDE");
	for (int i = 0; i < index->nnon_key; i++)
	{
		CheckAttributeName(index->non_key[i], "a projected attribute");
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(index->non_key[i], index->non_key[j]) == 0)
				IndexError(index, "projects an attribute twice");
		}
	}
}

/*
 * A replacement must have the key of the index that it replaces, and a name
 * derived from that index's name.
 */
static void
CheckReplacement(const TableDef *def, const IndexDef *index)
{
	const IndexDef *replaced = TableDefIndex(def, index->replaces);

	if (strcmp(index->name, psprintf("%s" REPLACEMENT_SUFFIX, index->replaces)) != 0)
		IndexError(index, "is not named after the index that it replaces");
	if (index->status == INDEX_ACTIVE)
		IndexError(index, "is active, but replaces another");
	if (replaced == NULL || replaced->replaces != NULL)
		IndexError(index, "replaces an index that does not exist");
	if (replaced->local != index->local || replaced->key.npartition != index->key.npartition ||
		replaced->key.nsort != index->key.nsort ||
		memcmp(replaced->attributes, index->attributes,
			   sizeof(int) * (KeyCount(&index->key))) != 0)
		IndexError(index, "has another key than the index that it replaces");
}

/*
 * A vector index is an index table that is never sharded or replaced.  Its
 * filter attributes are neither its vector nor its key, and not among those
 * projected by name.
 */
static void
CheckVector(const IndexDef *index)
{
	const VectorDef *vector = index->vector;

	if (vector->dimensions < 1 || vector->dimensions > VECTOR_MAX_DIMENSIONS)
		IndexError(index, psprintf("has %d dimensions, not 1 to %d", vector->dimensions, VECTOR_MAX_DIMENSIONS));
	if (index->local || index->kind->secondary || index->shards != 0 ||
		index->replaces != NULL || index->key.npartition > 1 || index->key.nsort > 0)
		IndexError(index, "is a vector index, but local, sharded, not stored in a table, or with another key than one partition attribute");
	CheckAttributeName(vector->attribute, "a vector");
	for (int i = 0; i < vector->nfilters; i++)
	{
		Slice		name = vector->filters[i].name;

		CheckAttributeName(name, "a filter attribute");
		if (VectorFilterFind(vector, name) != &vector->filters[i] || SliceEqual(name, vector->attribute) ||
			(index->key.npartition > 0 && SliceEqual(name, index->key.attributes[0].name)))
			IndexError(index, "has a filter attribute twice");
	}
	if (index->key.npartition > 0 && SliceEqual(index->key.attributes[0].name, vector->attribute))
		IndexError(index, "has its vector as partition attribute");
}

static void
CheckIndex(const TableDef *def, const IndexDef *index)
{
	if (index->replaces != NULL)
		CheckReplacement(def, index);
	else if (!IsResourceName(index->name))
		DefinitionError(psprintf("\"%s\" is not the name of an index.", index->name));
	CheckIdentifier(index->relation, "the relation of an index");
	if (index->vector != NULL)
		CheckVector(index);
	else if (index->key.npartition == 0)
		DefinitionError("A key has no partition attribute.");
	CheckLocalIndex(def, index);
	CheckShardCount(index);
	CheckProjection(index);
}

static void
CheckDistinct(const IndexDef *a, const IndexDef *b)
{
	if (strcmp(a->name, b->name) == 0)
		DefinitionError(psprintf("Two indexes have the name \"%s\".", a->name));
	if (strcmp(a->relation, b->relation) == 0)
		DefinitionError(psprintf("Two indexes have the relation \"%s\".", a->relation));
}

void
DefinitionCheck(const TableDef *def)
{
	CheckId(def->id);
	CheckTableName(def->long_name);
	if (def->ttl.data != NULL)
		CheckAttributeName(def->ttl, "the time to live attribute");
	CheckAttributes(def);
	for (int i = 0; i < def->nindexes; i++)
	{
		for (int j = 0; j < i; j++)
			CheckDistinct(&def->indexes[j], &def->indexes[i]);
	}
	for (int i = 0; i < def->nindexes; i++)
		CheckIndex(def, &def->indexes[i]);
}
