/*
 * entity_view_nodes.h
 *	  Entity views of tables that Citus distributes, on all nodes.
 */
#ifndef DYNAMO_CITUS_ENTITY_VIEW_NODES_H
#define DYNAMO_CITUS_ENTITY_VIEW_NODES_H

#include "nodes/pg_list.h"

/*
 * Statements, in their order, that make what Citus leaves out when it creates the views of
 * a table on other nodes, or here when the table comes back; palloc'd.  events is one of
 * those in view/entity_view.h.
 */
extern List *StatementsOfViewsOf(Oid table, const char *events);

/*
 * Makes the triggers of a table's views delete, too, whoever the views belong to.  SPI is
 * connected.
 */
extern void LetViewsDelete(Oid table);

/* ---- entity_view_plan.c ---- */

/* Registers the planner of writes to entity views of distributed tables. */
extern void PlanOfViewsInit(void);

#endif							/* DYNAMO_CITUS_ENTITY_VIEW_NODES_H */
