/*
 * arn.h
 *	  Resource names: arn:aws:dynamodb:<region>:<account>:table/<T>[/...].
 */
#ifndef DYNAMO_ARN_H
#define DYNAMO_ARN_H

extern char *TableArn(const char *table_name);
extern char *IndexArn(const char *table_name, const char *index_name);
extern char *StreamArn(const char *table_name, const char *label);

/* Of an encryption key's id; of an ARN itself. */
extern char *KeyArn(const char *key);

/*
 * The table's name in the ARN of a table of this account and region; NULL for
 * anything else.
 */
extern char *ArnTableName(const char *arn);

#endif							/* DYNAMO_ARN_H */
