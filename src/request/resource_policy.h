/*
 * resource_policy.h
 *	  Policies of resources.
 */
#ifndef DYNAMO_RESOURCE_POLICY_H
#define DYNAMO_RESOURCE_POLICY_H

#include "ddl/table_settings.h"

/*
 * Attaches a policy to a table, or to a part of it; before is the one that it
 * has, or NULL.  Raises ERRCODE_DYNAMO_VALIDATION for a bad document.
 */
extern TableAttachment *AttachPolicy(Relation rel, const char *part, const char *text, const TableAttachment *before);

#endif							/* DYNAMO_RESOURCE_POLICY_H */
