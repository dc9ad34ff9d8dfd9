/*
 * arn.h
 *	  Amazon Resource Names:
 *	  arn:aws:dynamodb:<region>:<account>:table/<T>[/...].
 */
#ifndef DYNAMO_ARN_H
#define DYNAMO_ARN_H

/* Create ARNs, palloc'd, with the region and account of the settings. */
extern char *TableArn(const char *table_name);
extern char *IndexArn(const char *table_name, const char *index_name);
extern char *StreamArn(const char *table_name, const char *label);

/*
 * The ARN of an encryption key's id or alias; an ARN is returned unchanged.
 * For NULL, returns a fixed ARN of the account's default key.
 */
extern char *KeyArn(const char *key);

/* The parts of an ARN: arn:<partition>:<service>:<region>:<account>:<resource>. */
typedef struct Arn
{
	const char *partition;
	const char *service;
	const char *region;
	const char *account;
	const char *resource;		/* may contain colons */
} Arn;

/* Whether text is an ARN of the service; the parts are palloc'd. */
extern bool ArnParse(const char *text, Arn *arn);

/* Whether the ARN has the partition, region or account of the settings. */
extern bool ArnIsOfPartition(const Arn *arn);
extern bool ArnIsOfRegion(const Arn *arn);
extern bool ArnIsOfAccount(const Arn *arn);

/*
 * Whether the ARN is that of a table or of an object below one; *name is the
 * table.
 */
extern bool ArnHasTable(const Arn *arn, char **name);
extern bool ArnIsTable(const Arn *arn, char **name);

/* Whether the ARN is that of a stream. */
extern bool ArnIsStream(const Arn *arn, char **name, char **label);

#endif							/* DYNAMO_ARN_H */
