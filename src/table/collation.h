/*
 * collation.h
 *	  Collations that order text by bytes.
 */
#ifndef DYNAMO_TABLE_COLLATION_H
#define DYNAMO_TABLE_COLLATION_H

/* Whether a collation orders text by bytes; false for no collation. */
extern bool CollationOrdersByBytes(Oid collation);

#endif							/* DYNAMO_TABLE_COLLATION_H */
