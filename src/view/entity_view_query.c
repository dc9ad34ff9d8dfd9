/*
 * entity_view_query.c
 *	  The query of an entity view: an expression for each column, and the test for
 *	  items of the entity.  Every name in it is qualified.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "extension_objects.h"
#include "table/table_name.h"
#include "view/attribute.h"
#include "view/entity_view.h"
#include "view/entity_view_query.h"
#include "view/kind.h"
#include "view/made_attributes.h"
#include "view/typed_attribute.h"

/* ---- columns ---- */

/*
 * Returns the part of the entity's keys that is this attribute, and its key.
 */
static const TemplatePart *
FindPart(const Entity *entity, const char *attribute, bool base, const ComposedKey **key)
{
	for (int i = 0; entity != NULL && i < (base ? entity->nbase : entity->nkeys); i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part == NULL || part->nsteps != 1 || !SliceIs(part->name, attribute) ||
				(base && !PieceTellsAttribute(t, j)))
				continue;
			*key = &entity->keys[i];
			return part;
		}
	}
	return NULL;
}

/* Whether a condition of an index names the attribute, which the entity declares. */
static bool
IsTested(const Entity *entity, const char *attribute)
{
	const EntityAttribute *declared = EntityAttributeFind(entity, SliceOf(attribute));

	return declared != NULL && declared->tested;
}

static bool
IsInstant(Oid type)
{
	return type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID;
}

static char *
ParsedPart(const AttributeDef *attr, const ComposedKey *key, const char *name)
{
	return psprintf("dynamo.parse_key(t.%s, %s) OPERATOR(dynamo.->>) %s",
					quote_identifier(attr->column), SliceLiteral(key->template->source), name);
}

/* Returns the key of the source that contains an attribute; NULL if none does. */
static const ComposedKey *
SourceKeyOf(const Entity *source, const char *attribute)
{
	const ComposedKey *key = NULL;

	return source == NULL || FindPart(source, attribute, true, &key) == NULL ? NULL : key;
}

/*
 * Returns the text of an attribute that is a part of a key.  If the item does not
 * have it, it is parsed from the key, or from that of the source of a moving entity.
 */
static char *
PartText(const TableDef *table, const Entity *entity, const ViewColumn *column, const ComposedKey *key)
{
	char	   *name = SliceLiteral(SliceOf(column->attribute));
	const AttributeDef *attr;
	const ComposedKey *source;

	if (key == NULL)
		return psprintf("t.item OPERATOR(dynamo.->>) %s", name);
	attr = &table->attributes[TableDefAttribute(table, key->attribute)];
	source = SourceKeyOf(entity->source, column->attribute);
	if (source != NULL && SliceEqual(source->attribute, key->attribute) && SliceEqual(source->template->source, key->template->source))
		source = NULL;
	return psprintf("COALESCE(t.item OPERATOR(dynamo.->>) %s, %s%s)", name, ParsedPart(attr, key, name),
					source == NULL ? "" :
					psprintf(", %s", ParsedPart(&table->attributes[TableDefAttribute(table, source->attribute)], source, name)));
}

/* Appends a time that is a part of a key, in UTC if the type has no zone. */
static void
AppendTimeColumn(StringInfo sql, const ViewColumn *column, const char *text)
{
	bool		utc = column->type != TIMESTAMPTZOID;

	appendStringInfoString(sql, utc ? "pg_catalog.timezone('UTC'::pg_catalog.text, " : "");
	AppendTextAsAttribute(sql, column->attribute, TIMESTAMPTZOID, INSTANT_TYPMOD, column->invalid, text);
	appendStringInfoString(sql, utc ? ")" : "");
	if (column->type == DATEOID || column->typmod >= 0)
		appendStringInfo(sql, "::%s", format_type_extended(column->type, column->typmod,
															FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

/* Appends the expression for an attribute as items have it under this name, or in their keys. */
static void
AppendNamedAttribute(StringInfo sql, const TableDef *table, const Entity *entity, const ViewColumn *column)
{
	const ComposedKey *key = NULL;
	bool		from_key = FindPart(entity, column->attribute, true, &key) != NULL;

	if (IsInstant(column->type) && EntityHasTime(entity, SliceOf(column->attribute)))
		AppendTimeColumn(sql, column, PartText(table, entity, column, key));
	else if (from_key)
		AppendTextAsAttribute(sql, column->attribute, column->type, column->typmod, column->invalid, PartText(table, entity, column, key));
	else
		AppendAttributeExpression(sql, column->attribute, column->type, column->typmod, column->invalid);
}

/*
 * Appends the expression for an attribute that is not a key attribute.  One with another name
 * is read under either: items that are older may have one alone.
 */
static void
AppendAttribute(StringInfo sql, const TableDef *table, const Entity *entity, const ViewColumn *column)
{
	Slice		name = entity == NULL ? MISSING_SLICE : AttributeOtherName(entity, SliceOf(column->attribute));
	ViewColumn	other = *column;

	if (name.data == NULL)
	{
		AppendNamedAttribute(sql, table, entity, column);
		return;
	}
	other.attribute = pnstrdup(name.data, name.len);
	appendStringInfoString(sql, "COALESCE(");
	AppendNamedAttribute(sql, table, entity, column);
	appendStringInfoString(sql, ", ");
	AppendNamedAttribute(sql, table, entity, &other);
	appendStringInfoChar(sql, ')');
}

/*
 * Whether a column is read from a key column of the table, so that indexes can be used: a
 * key attribute, unless an item can have it in the key of the table alone.  A column that a
 * view has keeps its collation, which is that of bytes if it has been read from a key column.
 */
static bool
ReadsKeyColumn(const TableDef *table, int i, const Entity *entity, const ViewColumn *column)
{
	Slice		name = SliceOf(column->attribute);

	if (i < 0 || !(entity == NULL || KeySchemaHas(&table->key, name) || !EntityKeyTells(entity, name)))
		return false;
	return table->attributes[i].type != VALUE_S || column->collation != DEFAULT_COLLATION_OID;
}

/* Appends the expression for a column. */
static void
AppendColumn(StringInfo sql, const TableDef *table, const Entity *entity, const ViewColumn *column)
{
	int			i = TableDefAttribute(table, SliceOf(column->attribute));

	if (ReadsKeyColumn(table, i, entity, column))
	{
		appendStringInfo(sql, "t.%s", quote_identifier(table->attributes[i].column));
		if (KeyColumnType(table->attributes[i].type) != column->type)
			appendStringInfo(sql, "::%s",
							 format_type_extended(column->type, column->typmod,
												  FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	else if (column->collation == C_COLLATION_OID && get_typcollation(column->type) == DEFAULT_COLLATION_OID)
	{
		appendStringInfoChar(sql, '(');
		AppendAttribute(sql, table, entity, column);
		appendStringInfoString(sql, ") COLLATE pg_catalog.\"C\"");
	}
	else
		AppendAttribute(sql, table, entity, column);
}

/* ---- the query ---- */

/*
 * Returns the name under which a column is a part of a key, or is tested: its attribute, or the
 * other name of that; NULL if it is neither.
 */
static const char *
FilterName(const Entity *entity, const char *attribute)
{
	Slice		other = AttributeOtherName(entity, SliceOf(attribute));
	const char *names[] = {attribute, other.data == NULL ? attribute : pnstrdup(other.data, other.len)};
	const ComposedKey *key;

	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (FindPart(entity, names[i], false, &key) != NULL || IsTested(entity, names[i]))
			return names[i];
	}
	return NULL;
}

/*
 * Appends the test for items of an entity, with the columns that are parts of
 * its keys.  The planner derives index conditions from it
 * (planner/entity_filter_support.c).
 */
static void
AppendEntityFilter(StringInfo sql, const TableDef *table, const Entity *entity, const ViewColumn *columns, int n)
{
	StringInfoData parts;

	initStringInfo(&parts);
	for (int i = 0; i < n; i++)
	{
		const char *name = FilterName(entity, columns[i].attribute);

		if (name == NULL)
			continue;
		appendStringInfo(&parts, ", %s, ", SliceLiteral(SliceOf(name)));
		AppendColumn(&parts, table, entity, &columns[i]);
	}
	appendStringInfo(sql, " WHERE " SYSTEM_SCHEMA ".%s(t.tableoid, %s, t.item%s)",
					 parts.len > 0 ? "entity_filter" : "is_entity", SliceLiteral(entity->name), parts.data);
}

char *
EntityViewStatement(const char *create, Relation rel, const TableDef *table, const Entity *entity,
					InvalidValues invalid, ViewColumn *columns, int n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "%s AS SELECT ", create);
	for (int i = 0; i < n; i++)
	{
		columns[i].invalid = invalid;
		appendStringInfoString(&sql, i == 0 ? "" : ", ");
		AppendColumn(&sql, table, entity, &columns[i]);
		appendStringInfo(&sql, " AS %s", quote_identifier(columns[i].name));
	}
	appendStringInfo(&sql, " FROM %s t", QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel)));
	if (entity != NULL)
		AppendEntityFilter(&sql, table, entity, columns, n);
	return sql.data;
}

/* ---- columns of views that there are ---- */

void
EntityViewAppendColumn(StringInfo sql, Relation view, const TableDef *table, int i, Slice attribute, InvalidValues invalid)
{
	const EntityViewDef *def = EntityViewDefOf(view);
	const Entity *entity = def->entity.data == NULL ? NULL : EntitySetFind(table->entities, def->entity);
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(view), i);
	ViewColumn	column = {.name = NameStr(attr->attname), .type = attr->atttypid, .typmod = attr->atttypmod,
		.collation = attr->attcollation, .invalid = invalid};

	column.attribute = pnstrdup(attribute.data, attribute.len);
	AppendColumn(sql, table, entity, &column);
}

void
EntityViewAppendColumns(StringInfo sql, Relation view, const TableDef *table, bool others)
{
	const EntityViewDef *def = EntityViewDefOf(view);
	TupleDesc	desc = RelationGetDescr(view);

	for (int i = 0; i < desc->natts; i++)
	{
		char	   *name = NameStr(TupleDescAttr(desc, i)->attname);
		Slice		attribute = EntityColumnAttribute(def, EntityColumnNumber(def, name));

		appendStringInfoString(sql, i == 0 ? "" : ", ");
		if (attribute.data != NULL)
			EntityViewAppendColumn(sql, view, table, i, attribute, others ? INVALID_VALUES_NULL : def->invalid);
		else if (others)
			appendStringInfoString(sql, "NULL");
		else
			InvalidArgument("column \"%s\" of view \"%s\" is not one of its entity", name, RelationGetRelationName(view));
	}
}
