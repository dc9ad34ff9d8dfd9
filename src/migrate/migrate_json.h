/*
 * migrate_json.h
 *	  The definition of an entity as JSON, which migrations change by expressions of SQL.
 *
 * All results are palloc'd.
 */
#ifndef DYNAMO_MIGRATE_JSON_H
#define DYNAMO_MIGRATE_JSON_H

#include "utils/jsonb.h"

#include "table/table.h"

extern Jsonb *JsonbOfText(const char *text);

/* Returns the entity with this name, which the table has. */
extern Jsonb *EntityJsonb(const TableDef *def, const char *entity_name);

/* Replaces the entity with this name; raises errors of the result. */
extern void SetEntity(TableDef *def, const char *entity_name, Jsonb *json);

/* Evaluates an expression whose parameters $1 and so on are jsonb, up to three. */
extern Jsonb *EvaluateJsonb(const char *expression, int n, Jsonb **arguments);

/* Returns an object with the members of two; b has precedence. */
extern Jsonb *MergeJsonb(Jsonb *a, Jsonb *b);

extern bool JsonbIsSame(const Jsonb *a, const Jsonb *b);

#endif							/* DYNAMO_MIGRATE_JSON_H */
