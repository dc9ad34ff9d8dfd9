/*
 * csv.h
 *	  Items from comma-separated values, as the service imports them: quoting
 *	  as in RFC 4180, key attributes of their own type, all others strings, and
 *	  no attribute for an empty field.
 */
#ifndef DYNAMO_CSV_H
#define DYNAMO_CSV_H

#include "lib/stringinfo.h"

#include "table/table.h"

typedef struct CsvFormat
{
	char		delimiter;
	int			nnames;			/* 0: the first record of each file has the names */
	char	  **names;
	const TableDef *def;		/* for the types of key attributes */
} CsvFormat;

/*
 * Whether a quote is open after this part of a record, which then continues on the
 * next line; open: whether one was open before.
 */
extern bool CsvIsOpen(const CsvFormat *format, const char *text, int len, bool open);

/* Takes the names from a record; the names are in the current memory context. */
extern void CsvReadNames(CsvFormat *format, const char *text, uint32 len);

/* Returns the item of a record; palloc'd. */
extern struct varlena *CsvItem(const CsvFormat *format, const char *text, uint32 len);

#endif							/* DYNAMO_CSV_H */
