/*
 * vector.h
 *	  Vectors: lists of numbers that a vector index searches by distance.
 *
 * In an item a vector is a list (L) of numbers (N) with all their digits.  A
 * vector index holds it as an array of single-precision numbers, real[], of a
 * fixed number of dimensions.  This folder converts one to the other and
 * measures distances; it knows neither definitions of tables nor items in them.
 *
 *	vector.c	lists to vectors, with the service's messages, and back
 *	distance.c	the three distances
 *	sketch.c	short forms of vectors, which tell how near they can be
 *	sketch_index.c	the btree of sketches on an index table
 *	hnsw.c		the HNSW index on an index table, by pgvector
 *
 * The folder search/ finds the vectors of an index that are nearest to another
 * one.
 */
#ifndef DYNAMO_VECTOR_H
#define DYNAMO_VECTOR_H

#include "exported.h"
#include "item/item.h"
#include "problem.h"

/* Limits of the service. */
#define VECTOR_MAX_DIMENSIONS	4096
#define VECTOR_MAX_FILTERS		18	/* INLINE_FILTER attributes of an index */
#define VECTOR_MAX_FILTER_BYTES	10240	/* bytes of the value of one */

/* The column of an index table with the vector. */
#define VECTOR_COLUMN	"dynamo_vector"

/* In the order of their names in vector.c. */
typedef enum VectorDistance
{
	DISTANCE_COSINE,
	DISTANCE_DOT_PRODUCT,
	DISTANCE_EUCLIDEAN
} VectorDistance;

/* An INLINE_FILTER attribute. */
typedef struct VectorFilter
{
	Slice		name;
	ValueType	type;			/* S, N or B */
} VectorFilter;

/* The part of a definition that only vector indexes have. */
typedef struct VectorDef
{
	Slice		attribute;		/* the list of numbers */
	int			dimensions;
	VectorDistance distance;
	int			nfilters;
	VectorFilter *filters;
	bool		hnsw;			/* searched through an HNSW index where that is possible */
} VectorDef;

/* ---- vector.c ---- */

/* Convert a distance to its name, such as "COSINE", and back; -1 if there is none. */
extern DYNAMO_EXPORT const char *VectorDistanceName(VectorDistance distance);
extern DYNAMO_EXPORT int	VectorDistanceFromName(const char *name);

/* Returns a filter attribute, or NULL. */
extern const VectorFilter *VectorFilterFind(const VectorDef *def, Slice name);

/* Converts a number; false if it is beyond the range of single precision. */
extern DYNAMO_EXPORT bool VectorElement(ValueRef number, float *element);

/*
 * Converts the vector of an item; palloc'd, NULL if the item has none that an
 * index could contain.
 */
extern float *VectorOfItem(const VectorDef *def, ValueRef item);

/*
 * Checks the vector and the filter attributes of an item to be stored, if they
 * differ from those of the old item (MISSING_VALUE if there is none).  Returns
 * false if it notes a problem; raises it if problem is NULL.
 */
extern bool VectorCheckItem(const VectorDef *def, const char *index_name, ValueRef item,
							ValueRef old, Problem *problem);

/* Notes that an attribute of the search schema has another type than declared. */
extern bool VectorNoteType(const char *index_name, Slice name, ValueType expected,
						   ValueType actual, Problem *problem);

/*
 * Returns why an index omits an item because of these attributes, as a clause;
 * NULL if it does not.
 */
extern const char *VectorViolation(const VectorDef *def, ValueRef item);

/* Returns a vector as the list of an item; palloc'd. */
extern struct varlena *VectorToValue(const float *vector, int dimensions);

/* Returns a vector as an array of type real[]; palloc'd. */
extern Datum VectorToArray(const float *vector, int dimensions);

/*
 * Returns the elements of an array of type real[]; NULL if it does not have
 * the form of VectorToArray.  *copy is set if they are in a palloc'd copy.
 */
extern const float *VectorOfArray(Datum array, int dimensions, bool *copy);

/* ---- distance.c ---- */

/* The vector of a search, with which others are compared. */
typedef struct VectorQuery
{
	VectorDistance distance;
	int			dimensions;
	double	   *elements;
	double		norm;			/* the square of its length */
} VectorQuery;

extern void VectorQueryInit(VectorQuery *query, VectorDistance distance,
							const float *vector, int dimensions);

/*
 * Returns the score of a vector by the service's rules:
 *
 *	COSINE		1 - cosine of the angle, 0 to 2; exactly 1 if one is zero
 *	EUCLIDEAN	the distance
 *	DOT_PRODUCT	the product
 *
 * It is finite.  Sums are of double precision.
 */
extern double VectorScore(const VectorQuery *query, const float *vector);

/*
 * For a function with a loop over the elements of vectors.  The compiler makes
 * two versions of it, and the processor decides at load time.  Only the loader
 * of the GNU C library chooses between versions.
 */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define VECTOR_LOOP __attribute__((target_clones("avx2", "default")))
#else
#define VECTOR_LOOP
#endif

/* Whether greater scores are better. */
static inline bool
VectorGreaterIsBetter(VectorDistance distance)
{
	return distance == DISTANCE_DOT_PRODUCT;
}

/* ---- sketch.c ---- */

/* Bytes of the sketch of a vector. */
#define VECTOR_SKETCH_BYTES(dimensions) (3 * sizeof(float) + (dimensions))

/* Makes a sketch; returns its length, 0 if the vector has none. */
extern uint32 VectorSketchMake(const float *vector, int dimensions, char *sketch);

/* The vector of a search, with which sketches are compared. */
typedef struct VectorSketchQuery
{
	const VectorQuery *query;
	int16	   *elements;		/* divided by scale, and rounded */
	double		scale;
	double		length;
	double		error;			/* the length of what rounding changes */
} VectorSketchQuery;

/* Returns false if the vector is not comparable with sketches. */
extern bool VectorSketchQueryInit(VectorSketchQuery *sketch, const VectorQuery *query);

/* Returns a score that no vector with this sketch is better than. */
extern double VectorSketchBest(const VectorSketchQuery *sketch, Slice stored);

#endif							/* DYNAMO_VECTOR_H */
