/*
 * distance.c
 *	  The distances of vectors.
 *
 * The loops add into several sums at once, which the compiler computes with
 * vector instructions without changing the order of additions.  Both versions
 * of a loop add the same products in the same order: neither fuses a
 * multiplication with an addition, so that scores do not depend on the
 * processor.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "vector/vector.h"

/* The number of sums that are computed at once. */
#define LANES	8

/* ---- sums ---- */

static double
AddLanes(const double *lanes)
{
	return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
		((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

VECTOR_LOOP
static double
SumOfProducts(const double *a, const float *b, int n)
{
	double		lanes[LANES] = {0};
	double		rest = 0;

	for (; n >= LANES; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
			lanes[j] += a[j] * (double) b[j];
	}
	for (int j = 0; j < n; j++)
		rest += a[j] * (double) b[j];
	return AddLanes(lanes) + rest;
}

VECTOR_LOOP
static double
SumOfSquaredDifferences(const double *a, const float *b, int n)
{
	double		lanes[LANES] = {0};
	double		rest = 0;

	for (; n >= LANES; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
		{
			double		difference = a[j] - (double) b[j];

			lanes[j] += difference * difference;
		}
	}
	for (int j = 0; j < n; j++)
		rest += (a[j] - (double) b[j]) * (a[j] - (double) b[j]);
	return AddLanes(lanes) + rest;
}

/* Returns the sum of products, and the sum of squares of b. */
VECTOR_LOOP
static double
SumOfProductsAndSquares(const double *a, const float *b, int n, double *squares)
{
	double		products[LANES] = {0};
	double		lanes[LANES] = {0};
	double		rest = 0;
	double		rest_squares = 0;

	for (; n >= LANES; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
		{
			double		element = b[j];

			products[j] += a[j] * element;
			lanes[j] += element * element;
		}
	}
	for (int j = 0; j < n; j++)
	{
		rest += a[j] * (double) b[j];
		rest_squares += (double) b[j] * (double) b[j];
	}
	*squares = AddLanes(lanes) + rest_squares;
	return AddLanes(products) + rest;
}

/* ---- scores ---- */

void
VectorQueryInit(VectorQuery *query, VectorDistance distance, const float *vector, int dimensions)
{
	query->distance = distance;
	query->dimensions = dimensions;
	query->elements = palloc(sizeof(double) * dimensions);
	query->norm = 0;
	for (int i = 0; i < dimensions; i++)
	{
		query->elements[i] = vector[i];
		query->norm += query->elements[i] * query->elements[i];
	}
}

static double
CosineScore(const VectorQuery *query, const float *vector)
{
	double		norm;
	double		product = SumOfProductsAndSquares(query->elements, vector, query->dimensions, &norm);
	double		lengths = sqrt(query->norm) * sqrt(norm);

	if (lengths == 0)
		return 1;
	return 1 - Max(Min(product / lengths, 1), -1);
}

double
VectorScore(const VectorQuery *query, const float *vector)
{
	double		score;

	if (query->distance == DISTANCE_COSINE)
		return CosineScore(query, vector);
	if (query->distance == DISTANCE_DOT_PRODUCT)
		score = SumOfProducts(query->elements, vector, query->dimensions);
	else
		score = sqrt(SumOfSquaredDifferences(query->elements, vector, query->dimensions));
	return Max(Min(score, FLT_MAX), -FLT_MAX);
}
