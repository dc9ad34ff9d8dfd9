/*
 * statement.c
 *	  Converts a PartiQL statement and its table to operations on items.
 */
#include "postgres.h"

#include "access/table.h"
#include "storage/lockdefs.h"

#include "errors.h"
#include "expr/build_tree.h"
#include "request/model.h"
#include "request/params.h"
#include "request/statement.h"
#include "request/wording.h"
#include "table/key_parts.h"

/* ---- preparing ---- */

const Shape model_statement = {.kind = SHAPE_STRING, .min = 1, .max = STATEMENT_MAX_SIZE};
const Shape model_statement_parameters = {.kind = SHAPE_LIST, .min = 1, .element = &model_value};

static bool
ReadParameters(PreparedStatement *s, const Field *list, Problem *problem)
{
	s->nparameters = list != NULL ? list->count : 0;
	s->parameters = palloc(Max(s->nparameters, 1) * sizeof(ValueRef));
	for (int i = 0; i < s->nparameters; i++)
	{
		const Field *field = list->fields[i];

		s->bad_parameter = field->problem != NULL;
		if (s->bad_parameter)
			return ProblemNote(problem, field->problem);
		s->parameters[i] = ItemRoot(field->item);
	}
	return true;
}

bool
StatementPrepare(PreparedStatement *s, const Field *input, Problem *problem)
{
	const Statement *statement;

	memset(s, 0, sizeof(*s));
	s->input = input;
	s->text = FieldSlice(input, "Statement");
	statement = StatementParse(s->text.data, s->text.len, problem);
	if (statement == NULL)
		return false;
	return ReadParameters(s, FieldMember(input, "Parameters"), problem) &&
		StatementBind(statement, s->parameters, s->nparameters, &s->bound, problem);
}

/* Raises an error for a name with U+0000, at which a C string would end. */
static void
CheckStatementName(Slice name)
{
	if (name.len > 0 && memchr(name.data, '\0', name.len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found")));
}

void
StatementNameTable(PreparedStatement *s)
{
	CheckStatementName(s->bound.table);
	CheckStatementName(s->bound.index);
	s->table_name = TableNameOf(s->bound.table);
}

void
StatementOpen(PreparedStatement *s)
{
	Relation	rel;

	StatementNameTable(s);
	rel = TableNameOpen(s->table_name, AccessShareLock, false);
	s->def = TableDefAcquire(rel);
	table_close(rel, NoLock);
}

void
StatementClose(PreparedStatement *s)
{
	if (s->def != NULL)
		TableDefRelease(s->def);
	s->def = NULL;
}

void
DigestStatement(Digest *digest, const PreparedStatement *s)
{
	DigestBytes(digest, s->text.data, s->text.len);
	DigestBytes(digest, &s->nparameters, sizeof(s->nparameters));
	for (int i = 0; i < s->nparameters; i++)
		DigestValue(digest, s->parameters[i]);
}

/* ---- writes ---- */

/* Adds the condition that the item exists. */
static Condition *
AndItemExists(const PreparedStatement *s, Condition *rest)
{
	Condition  *exists = ConditionBuildExists(s->def->key.attributes[0].name, true);
	Condition **both;

	if (rest == NULL)
		return exists;
	both = palloc(2 * sizeof(Condition *));
	both[0] = exists;
	both[1] = rest;
	return ConditionBuildJoin(true, both, 2);
}

static ReturnValues
ReturnValuesOf(StatementReturning returning)
{
	switch (returning)
	{
		case RETURNING_NOTHING:
			break;
		case RETURNING_ALL_OLD:
			return RETURN_ALL_OLD;
		case RETURNING_MODIFIED_OLD:
			return RETURN_UPDATED_OLD;
		case RETURNING_ALL_NEW:
			return RETURN_ALL_NEW;
		case RETURNING_MODIFIED_NEW:
			return RETURN_UPDATED_NEW;
	}
	return RETURN_NONE;
}

/*
 * Takes the key out of WHERE: the table's key attributes or, if it does not have all of
 * these, what may be the parts of an entity's key.  Sets *by_parts if it is these.
 */
static bool
TakeKey(const PreparedStatement *s, struct varlena **key, Condition **rest, bool *by_parts)
{
	Slice	   *names;
	int			n;

	*by_parts = false;
	if (StatementFullKey(s->bound.where, &s->def->key, key, rest))
		return true;
	if (s->def->entities == NULL)
		return false;
	n = ChooseKeyParts(s->def, ItemRoot(StatementEqualities(s->bound.where)), &names);
	if (n > 0)
		StatementTakeEqualities(s->bound.where, names, n, key, rest);
	*by_parts = n > 0;
	return n > 0;
}

/*
 * Sets the item that WHERE fixes, and the rest of WHERE as a condition.  Returns
 * false if a problem is noted.
 */
static bool
WriteByKey(const PreparedStatement *s, WriteOp *op, Problem *problem)
{
	Condition  *rest;
	bool		by_parts;

	if (!TakeKey(s, &op->datum, &rest, &by_parts))
		return NoteInvalid(problem, WORDING_NO_FULL_KEY);
	op->item = ItemRoot(op->datum);
	switch (s->bound.kind)
	{
		case STATEMENT_UPDATE:
			op->kind = WRITE_KIND_UPDATE;
			op->built_update = s->bound.update;
			op->built_condition = AndItemExists(s, rest);
			break;
		case STATEMENT_DELETE:
			op->kind = WRITE_KIND_DELETE;
			op->built_condition = rest;
			break;
		default:
			op->kind = WRITE_KIND_CHECK;
			if (s->bound.index.data != NULL)
				return NoteInvalid(problem, WORDING_NO_INDEX_READS);
			if (rest == NULL)
				return NoteInvalid(problem, WORDING_EXISTS);
			op->built_condition = AndItemExists(s, rest);
	}
	return true;
}

bool
StatementWrite(const PreparedStatement *s, bool images, WriteOp *op, Problem *problem)
{
	memset(op, 0, sizeof(*op));
	op->table_name = s->table_name;
	op->args.values = MISSING_VALUE;
	op->images = images;
	op->return_values = ReturnValuesOf(s->bound.returning);
	op->return_old_on_failure =
		FieldIs(s->input, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
	if (s->bound.kind != STATEMENT_INSERT)
		return WriteByKey(s, op, problem);
	op->kind = WRITE_KIND_PUT;
	op->insert = true;
	op->datum = s->bound.item;
	op->item = ItemRoot(op->datum);
	return true;
}

/* ---- reads ---- */

bool
StatementGet(const PreparedStatement *s, GetOp *op, bool *by_parts)
{
	struct varlena *key;

	memset(op, 0, sizeof(*op));
	if (s->bound.index.data != NULL || !TakeKey(s, &key, &op->built_filter, by_parts))
		return false;
	op->table_name = s->table_name;
	op->key = ItemRoot(key);
	op->args.values = MISSING_VALUE;
	op->built_projection = s->bound.projection;
	op->sizes = true;
	return true;
}

/* ---- capacity ---- */

void
StatementWriteCapacity(Writer *out, const PreparedStatement *s, CapacityDetail detail,
					   CapacityKind kind, const struct varlena *old_item,
					   const struct varlena *new_item)
{
	Capacity	c;

	CapacityBegin(&c, s->table_name);
	CapacityAddWrite(&c, old_item, new_item);
	WriterCapacity(out, &c, detail, kind);
	CapacityEnd(&c);
}

void
StatementReadCapacity(Writer *out, const PreparedStatement *s, CapacityDetail detail,
					  CapacityKind kind, double units)
{
	Capacity	c;

	CapacityBegin(&c, s->table_name);
	CapacityAddRead(&c, NULL, units);
	WriterCapacity(out, &c, detail, kind);
	CapacityEnd(&c);
}
