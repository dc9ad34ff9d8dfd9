/*
 * collation.h
 *	  Which collations order text by its bytes.
 */
#ifndef DYNAMO_COLLATION_H
#define DYNAMO_COLLATION_H

/*
 * Whether text under this collation stands in byte order; false for no
 * collation.
 */
extern bool CollationOrdersByBytes(Oid collation);

#endif							/* DYNAMO_COLLATION_H */
