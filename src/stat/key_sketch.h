/*
 * key_sketch.h
 *	  The most frequent partition keys of tables and indexes, in shared memory.
 *
 * A sketch has counters for KEY_SKETCH_SETS * KEY_SKETCH_WAYS keys of one table or
 * index.  A key belongs to one set, by its hash, in which it has a counter of its
 * own, or takes the place of the key with the lowest one and goes on counting from
 * there (the algorithm "space saving", in each set).  So a count is never too low;
 * it is too high by at most the count that was taken over (max_error).  Every key
 * with more than an eighth of the accesses to its set has a counter.
 *
 * Callers know keys by 64-bit hashes.  They also give the bytes of a key, of which
 * a counter keeps up to KEY_SKETCH_BYTES to show the key to who may read it.
 *
 * Each set has a spinlock of its own.  A sketch may be taken for another table at
 * any time.  What callers keep of it is the pointer and its generation.
 */
#ifndef DYNAMO_STAT_KEY_SKETCH_H
#define DYNAMO_STAT_KEY_SKETCH_H

#include "exported.h"

#define KEY_SKETCH_SETS		16
#define KEY_SKETCH_WAYS		8
#define KEY_SKETCH_BYTES	96
#define KEY_SKETCH_NAME		256	/* of an index, with the NUL */

typedef struct KeySketch KeySketch;

typedef struct KeyPart
{
	const void *data;
	uint32		len;
} KeyPart;

/* A key's counter. */
typedef struct KeyCounter
{
	uint64		hash;
	uint64		count;			/* 0: the counter is free */
	uint64		max_error;
	uint16		nbytes;			/* 0: the key did not fit */
	char		bytes[KEY_SKETCH_BYTES];	/* per part: uint16 length, bytes */
} KeyCounter;

/* A copy of a sketch. */
typedef struct KeySketchRow
{
	Oid			relation;
	char		index[KEY_SKETCH_NAME]; /* "": the table */
	uint64		accesses;		/* to all keys */
	KeyCounter	counters[KEY_SKETCH_SETS * KEY_SKETCH_WAYS];
} KeySketchRow;

/* Defines the setting and requests shared memory; called at load. */
extern void KeySketchInit(void);

/* Whether there is room for sketches. */
extern bool KeySketchIsActive(void);

/*
 * Returns the sketch of a table of this database, or of an index (NULL: the table),
 * and makes it if there is none; NULL if there is no room.
 */
extern KeySketch *KeySketchMake(Oid relation, const char *index, uint64 *generation);

/*
 * Counts an access.  Returns false if the sketch is no longer that of this
 * generation.
 */
extern bool KeySketchAdd(KeySketch *sketch, uint64 generation, uint64 hash,
						 const KeyPart *parts, int nparts);

/* Returns copies of the sketches of this database, palloc'd. */
extern KeySketchRow *KeySketchRows(int *n);

/*
 * Removes the sketch of an index ("": of the table itself), all of a table if index
 * is NULL, and all of this database if relation is InvalidOid.
 */
extern DYNAMO_EXPORT void KeySketchForget(Oid relation, const char *index);

#endif							/* DYNAMO_STAT_KEY_SKETCH_H */
