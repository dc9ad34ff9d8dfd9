/*
 * pattern_anew.h
 *	  Making the functions of access patterns anew.
 */
#ifndef DYNAMO_PATTERN_ANEW_H
#define DYNAMO_PATTERN_ANEW_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "pattern/pattern.h"

/* The functions of a table's patterns, whoever has declared them: of Oid. */
extern List *PatternsOfTable(Oid relid);

/* Returns InvalidOid if the function is gone. */
extern Oid	PatternOwner(Oid function);

/* Keeps others from dropping or changing a function; returns its pattern, palloc'd, or NULL if it is gone. */
extern AccessPattern *PatternLock(Oid function);

/* Whether a pattern reads items of an entity, or has templates of its own. */
extern bool PatternNamesEntity(const AccessPattern *p, const char *entity_name);

/* What a pattern reads by a definition of its table; raises errors for entities that this lacks. */
extern PatternTarget PatternTargetOf(const AccessPattern *p, const TableDef *def);

/* Plans a pattern anew for a target, palloc'd; its record tells which parameters are null by default. */
extern AccessPattern *PatternPlanAnew(Oid function, const AccessPattern *p, PatternTarget *target);

/* Opens the view whose rows a pattern returns; NULL if it returns items. */
extern Relation PatternOpenView(Oid function, const AccessPattern *p, const PatternTarget *target);

extern void PatternReplaceBody(Oid function, const AccessPattern *pattern, const char *body);

/* Whether a pattern would be made of other keys or entities by a definition of its table. */
extern bool PatternWouldDiffer(const TableDef *def, Oid function, const AccessPattern *p);

/* Makes a function by a definition of its table, in which its entities have the keys of one version. */
extern void PatternMakeAnew(const TableDef *def, Oid function, const AccessPattern *p);

/* What is done with a pattern by its table's definition; it may have been dropped meanwhile: see PatternLock. */
typedef void (*PatternAction) (const TableDef *def, Oid function, const AccessPattern *p, const void *arg);

/* Does that with each pattern of a table that belongs to the table's owner; its errors tell of which. */
extern void PatternsOfOwner(Oid relid, PatternAction action, const void *arg);

/* A handler of DdlFeature: views of an entity were replaced. */
extern void PatternsFollowViews(Oid relid, const char *entity_name);

#endif							/* DYNAMO_PATTERN_ANEW_H */
