/*
 * model.h
 *	  The service's model of its operations' inputs, as shapes.
 *
 *	model_common.c		shapes that several operations share
 *	model_data.c		inputs of the operations on items
 *	model_statement.c	inputs of the operations with PartiQL statements
 *	model_control.c		inputs of the operations on tables
 *	model_archive.c		inputs of exports, imports and backups
 *	model_unsupported.c		inputs of the operations of unsupported features
 *	model_streams.c		inputs of the operations on streams
 *
 * The order of a structure's members is the order in which the service reports
 * their violations, as far as it is known.
 */
#ifndef DYNAMO_MODEL_H
#define DYNAMO_MODEL_H

#include "request/shape.h"

#define MEMBER(name, shape)		{name, &(shape), false, HIDES_NONE}
#define REQUIRED(name, shape)	{name, &(shape), true, HIDES_NONE}
#define STRUCTURE(title, list) \
	{.kind = SHAPE_STRUCTURE, .name = title, .nmembers = lengthof(list), .members = list}
#define ENUM(list)				{.kind = SHAPE_STRING, .values = list}
#define LIST_OF(shape)			{.kind = SHAPE_LIST, .element = &(shape)}

/* ---- model_common.c ---- */

extern const Shape model_string;
extern const Shape model_boolean;
extern const Shape model_table_name;	/* name or ARN, in operations on items */
extern const Shape model_new_name;	/* name of a table or index */
extern const Shape model_defined_table; /* name or ARN, in operations on tables */
extern const Shape model_attribute_name;
extern const Shape model_attribute_names;	/* AttributesToGet */
extern const Shape model_name_map;	/* ExpressionAttributeNames */
extern const Shape model_value;
extern const Shape model_value_map; /* ExpressionAttributeValues */
extern const Shape model_item;		/* Item, Key, ExclusiveStartKey */
extern const Shape model_return_capacity;
extern const Shape model_return_metrics;
extern const Shape model_return_on_failure;
extern const Shape model_conditional_operator;
extern const Shape model_comparison_operator;
extern const Shape model_positive_integer;
extern const Shape model_resource_arn;
extern const Shape model_tags;

/* ---- model_data.c ---- */

extern const Shape model_get_item;
extern const Shape model_put_item;
extern const Shape model_update_item;
extern const Shape model_delete_item;
extern const Shape model_query;
extern const Shape model_scan;
extern const Shape model_search_vectors;
extern const Shape model_batch_get_item;
extern const Shape model_batch_write_item;
extern const Shape model_transact_get_items;
extern const Shape model_transact_write_items;

/* ---- model_statement.c ---- */

extern const Shape model_execute_statement;
extern const Shape model_batch_execute_statement;
extern const Shape model_execute_transaction;

/* ---- model_control.c ---- */

extern const Shape model_create_table;
extern const Shape model_table_creation;	/* the members of model_create_table */
extern const Shape model_update_table;
extern const Shape model_describe_table;
extern const Shape model_delete_table;
extern const Shape model_list_tables;
extern const Shape model_describe_limits;
extern const Shape model_describe_endpoints;
extern const Shape model_update_ttl;
extern const Shape model_describe_ttl;
extern const Shape model_tag_resource;
extern const Shape model_untag_resource;
extern const Shape model_list_tags;
extern const Shape model_update_recovery;
extern const Shape model_describe_recovery;
extern const Shape model_restore_table;

/* ---- model_archive.c ---- */

extern const Shape model_export_table;
extern const Shape model_describe_export;
extern const Shape model_list_exports;
extern const Shape model_import_table;
extern const Shape model_describe_import;
extern const Shape model_list_imports;
extern const Shape model_create_backup;
extern const Shape model_describe_backup;
extern const Shape model_delete_backup;
extern const Shape model_list_backups;
extern const Shape model_backup_details;	/* of archive/: what a backup keeps of its table */

/* ---- model_unsupported.c ---- */

extern const Shape model_describe_insights;
extern const Shape model_update_insights;
extern const Shape model_list_insights;
extern const Shape model_describe_kinesis;
extern const Shape model_disable_kinesis;
extern const Shape model_describe_auto_scaling;
extern const Shape model_list_global_tables;
extern const Shape model_get_policy;
extern const Shape model_delete_policy;
extern const Shape model_describe_global_table;

/* ---- model_streams.c ---- */

extern const Shape model_list_streams;
extern const Shape model_describe_stream;
extern const Shape model_get_shard_iterator;
extern const Shape model_get_records;

#endif							/* DYNAMO_MODEL_H */
