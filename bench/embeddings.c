/*
 * embeddings.c
 *	  Prints made-up embeddings, as rows for COPY: a number, and its vector as
 *	  an array.
 *
 *	embeddings DIMENSIONS FROM TO
 *
 * A model's vectors do not fill their space: they lie near a surface of few
 * dimensions, in clusters.  So each vector is a point of a space of LATENT
 * dimensions near one of CLUSTERS centers, taken to the wanted dimensions by a
 * random linear map, with a little noise.  A vector depends on its number only.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LATENT		24
#define CLUSTERS	500
#define SPREAD		0.6			/* of a cluster, against 1 of its center */
#define NOISE		0.05
#define SCALE		0.03		/* of elements, like those of a unit vector */

static int	dimensions;
static double centers[CLUSTERS][LATENT];
static double *map;				/* LATENT rows of dimensions */

/* The generator splitmix64. */
static double
uniform(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (double) ((z ^ (z >> 31)) >> 11) / (double) (UINT64_C(1) << 53);
}

/* Nearly normal, with variance 1. */
static double
normal(uint64_t *state)
{
	double		sum = -2;

	for (int i = 0; i < 4; i++)
		sum += uniform(state);
	return sum * 1.7320508075688772;
}

static void
make_space(void)
{
	uint64_t	state = 1;

	map = malloc(sizeof(double) * LATENT * dimensions);
	for (int i = 0; i < LATENT * dimensions; i++)
		map[i] = normal(&state);
	for (int c = 0; c < CLUSTERS; c++)
	{
		for (int i = 0; i < LATENT; i++)
			centers[c][i] = normal(&state);
	}
}

static void
print_row(long number, double *vector)
{
	uint64_t	state = (uint64_t) number << 32;
	int			cluster = (int) (uniform(&state) * CLUSTERS);

	for (int j = 0; j < dimensions; j++)
		vector[j] = (uniform(&state) - 0.5) * NOISE * LATENT;
	for (int i = 0; i < LATENT; i++)
	{
		double		latent = centers[cluster][i] + SPREAD * normal(&state);

		for (int j = 0; j < dimensions; j++)
			vector[j] += latent * map[i * dimensions + j];
	}
	printf("%ld\t{", number);
	for (int j = 0; j < dimensions; j++)
		printf("%s%.6f", j > 0 ? "," : "", vector[j] * SCALE / 5);
	printf("}\n");
}

int
main(int argc, char **argv)
{
	double	   *vector;

	if (argc != 4 || (dimensions = atoi(argv[1])) < 1)
	{
		fprintf(stderr, "embeddings DIMENSIONS FROM TO\n");
		return 2;
	}
	vector = malloc(sizeof(double) * dimensions);
	make_space();
	for (long number = atol(argv[2]); number <= atol(argv[3]); number++)
		print_row(number, vector);
	return 0;
}
