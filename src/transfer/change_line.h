/*
 * change_line.h
 *	  Lines of incremental exports, each the change of an item within the time of the
 *	  export:
 *
 *	{"Metadata":{"WriteTimestampMicros":"1700000000000000"},"Keys":{...},"NewImage":{...},"OldImage":{...}}
 *
 * Without NewImage the item was deleted.  OldImage is not needed.
 */
#ifndef DYNAMO_CHANGE_LINE_H
#define DYNAMO_CHANGE_LINE_H

#include "item/item.h"
#include "transfer/source.h"

typedef struct ChangeLine
{
	int64		time;			/* WriteTimestampMicros; 0 if it is absent */
	struct varlena *keys;
	struct varlena *item;		/* NULL if the item was deleted */
} ChangeLine;

/* Reads a line; raises the errors of DynamoDB JSON. */
extern void ChangeLineRead(const char *line, uint32 len, ChangeLine *change);

/* Returns only the time of a line; 0 if it has none or is not valid. */
extern int64 ChangeLineTime(const char *line, uint32 len);

/* ---- change_sort.c ---- */

typedef struct ChangeSort ChangeSort;

/* Sorts lines by their times, on disk if they are many. */
extern ChangeSort *ChangeSortBegin(void);

/* Adds a line with its place. */
extern void ChangeSortAdd(ChangeSort *sort, int file, int64 number, const char *line, Size len);

/* Ends adding. */
extern void ChangeSortPerform(ChangeSort *sort);

/* Returns the next line, which is valid until the next call; false at the end. */
extern bool ChangeSortNext(ChangeSort *sort, int *file, int64 *number, const char **line, Size *len);

extern void ChangeSortEnd(ChangeSort *sort);

#endif							/* DYNAMO_CHANGE_LINE_H */
