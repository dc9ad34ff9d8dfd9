/*
 * model.h
 *	  What the service's models of inputs are made of.
 *
 * The model of an operation's input stands before what executes the operation.
 * Here is what the models of several files share.
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

/* A table's name or ARN in operations on items, with words of its own (.min = ...). */
#define MODEL_TABLE_NAME(...) \
	{.kind = SHAPE_STRING, .min = 1, .max = 255, .pattern = &model_table_pattern, .or_arn = true, \
	 .words = {__VA_ARGS__}}
#define LIST_OF(shape)			{.kind = SHAPE_LIST, .element = &(shape)}

/* ---- model_common.c ---- */

extern const Shape model_string;
extern const Shape model_boolean;
extern const Shape model_table_name;	/* name or ARN, in operations on items */
extern const Shape model_new_name;	/* name of a table or index */
extern const Shape model_queried_name;	/* name of an index or, as "pattern:NAME", of an access pattern, or "model:checksum" */
extern const Shape model_defined_table; /* name or ARN, in operations on tables */
extern const Shape model_attribute_name;
extern const Shape model_attribute_names;	/* AttributesToGet */
extern const Shape model_name_map;	/* ExpressionAttributeNames */
extern const Shape model_value;
extern const Shape model_values;	/* a list */
extern const Shape model_value_map; /* ExpressionAttributeValues */
extern const Shape model_item;		/* Item, Key, ExclusiveStartKey */
extern const Shape model_return_capacity;
extern const Shape model_return_metrics;
extern const Shape model_return_on_failure;
extern const Shape model_conditional_operator;
extern const char *const model_conditional_operators[];
extern const Pattern model_table_pattern;
extern const Shape model_comparison_operator;
extern const Shape model_positive_integer;
extern const Shape model_resource_arn;
extern const Shape model_part_arn;	/* of something below a table */
extern const Shape model_any_long;
extern const Shape model_page_of_25;	/* how many elements to return */
extern const Shape model_page_of_100;
extern const Shape model_request_token;
extern const Shape model_bucket;
extern const Shape model_object_prefix;
extern const Shape model_tag_key;
extern const Shape model_tags;

/* ---- model_table.c ---- */

extern const Shape model_key_name;
extern const Shape model_attribute_definitions;
extern const Shape model_key_schema;
extern const Shape model_billing_mode;
extern const Shape model_throughput;
extern const Shape model_on_demand;
extern const Shape model_warm_throughput;
extern const Shape model_stream;
extern const Shape model_encryption;
extern const Shape model_local_indexes;
extern const Shape model_global_indexes;
extern const Shape model_create_index;	/* one of model_global_indexes, in UpdateTable */
extern const Shape model_vector_indexes;
extern const Shape model_create_vector_index;

#endif							/* DYNAMO_MODEL_H */
