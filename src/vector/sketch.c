/*
 * sketch.c
 *	  Sketches of vectors, from which a search sees which vectors it need not
 *	  read.
 *
 * A sketch has a quarter of a vector's bytes:
 *
 *	float	scale		of the elements
 *	float	error		at least the length of the difference from the vector
 *	float	length		of the vector
 *	int8	elements[]	the numbers of the vector, divided by the scale
 *
 * The product of two vectors differs from that of their sketches by at most the
 * products of lengths and errors.  This gives the best score that a vector with
 * this sketch can have.  Single precision and roundings of sums are covered by a
 * share of the lengths, which is far greater than they are.
 *
 * Vectors of zeros, or with very great or very small numbers, have an empty
 * sketch, and may have any score.
 */
#include "postgres.h"

#include <math.h>

#include "vector/vector.h"

#define HEADER_BYTES	(3 * sizeof(float))
#define ELEMENT_MAX		127

#define QUERY_MAX		16383

/* The greatest element of a vector that has a sketch is between these. */
#define GREATEST_MIN	1e-18
#define GREATEST_MAX	1e18

#define ROUNDING		1e-6

/* ---- lengths ---- */

static double
GreatestElement(const float *vector, int n)
{
	double		greatest = 0;

	for (int i = 0; i < n; i++)
		greatest = Max(greatest, fabs((double) vector[i]));
	return greatest;
}

static bool
IsOrdinary(double greatest)
{
	return greatest >= GREATEST_MIN && greatest <= GREATEST_MAX;
}

/* ---- making sketches ---- */

uint32
VectorSketchMake(const float *vector, int n, char *sketch)
{
	double		greatest = GreatestElement(vector, n);
	float		header[3] = {(float) (greatest / ELEMENT_MAX)};
	double		error = 0;
	double		length = 0;

	if (!IsOrdinary(greatest))
		return 0;
	for (int i = 0; i < n; i++)
	{
		double		rounded = rint(vector[i] / (double) header[0]);
		double		difference;

		rounded = Max(Min(rounded, ELEMENT_MAX), -ELEMENT_MAX);
		sketch[HEADER_BYTES + i] = (char) (int8) rounded;
		difference = vector[i] - rounded * header[0];
		error += difference * difference;
		length += (double) vector[i] * vector[i];
	}
	header[1] = (float) (sqrt(error) * (1 + ROUNDING));
	header[2] = (float) sqrt(length);
	memcpy(sketch, header, HEADER_BYTES);
	return VECTOR_SKETCH_BYTES(n);
}

/* ---- comparing with a vector ---- */

bool
VectorSketchQueryInit(VectorSketchQuery *sketch, const VectorQuery *query)
{
	double		greatest = 0;
	double		error = 0;

	for (int i = 0; i < query->dimensions; i++)
		greatest = Max(greatest, fabs(query->elements[i]));
	if (!IsOrdinary(greatest))
		return false;
	sketch->query = query;
	sketch->scale = greatest / QUERY_MAX;
	sketch->elements = palloc(sizeof(int16) * query->dimensions);
	for (int i = 0; i < query->dimensions; i++)
	{
		double		rounded = rint(query->elements[i] / sketch->scale);
		double		difference = query->elements[i] - rounded * sketch->scale;

		sketch->elements[i] = (int16) rounded;
		error += difference * difference;
	}
	sketch->length = sqrt(query->norm);
	sketch->error = sqrt(error);
	return true;
}

/* Products that are added before the sum, which must not overflow. */
#define BLOCK	64

VECTOR_LOOP
static int64
SumOfSmallProducts(const int16 *a, const int8 *b, int n)
{
	int64		sum = 0;

	for (; n >= BLOCK; n -= BLOCK, a += BLOCK, b += BLOCK)
	{
		int32		block = 0;

		for (int i = 0; i < BLOCK; i++)
			block += a[i] * b[i];
		sum += block;
	}
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Returns the best score of vectors of this length whose product is at most this. */
static double
BestScore(const VectorSketchQuery *sketch, double length, double product)
{
	double		lengths = sketch->length * length;
	double		squares = sketch->query->norm + length * length;

	switch (sketch->query->distance)
	{
		case DISTANCE_COSINE:
			return 1 - Min(product / lengths + ROUNDING, 1);
		case DISTANCE_EUCLIDEAN:
			return sqrt(Max(squares * (1 - ROUNDING) - 2 * product, 0));
		case DISTANCE_DOT_PRODUCT:
			break;
	}
	return product + ROUNDING * lengths;
}

double
VectorSketchBest(const VectorSketchQuery *sketch, Slice stored)
{
	int			n = sketch->query->dimensions;
	float		header[3];
	double		product;

	if (stored.len != VECTOR_SKETCH_BYTES(n))
		return VectorGreaterIsBetter(sketch->query->distance) ? HUGE_VAL : -HUGE_VAL;
	memcpy(header, stored.data, HEADER_BYTES);
	product = header[0] * sketch->scale *
		SumOfSmallProducts(sketch->elements, (const int8 *) stored.data + HEADER_BYTES, n);
	product += sketch->error * ((double) header[2] + header[1]) + header[1] * sketch->length;
	return BestScore(sketch, header[2], product);
}
