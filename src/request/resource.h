/*
 * resource.h
 *	  The table that a request names by ResourceArn.
 */
#ifndef DYNAMO_RESOURCE_H
#define DYNAMO_RESOURCE_H

/*
 * Returns the table's name in an ARN; NULL if the ARN is of another account or
 * of a table's stream.  Raises ERRCODE_DYNAMO_VALIDATION if the text is not
 * the ARN of a table in this region.
 */
extern char *ResourceTable(const char *arn);

#endif							/* DYNAMO_RESOURCE_H */
