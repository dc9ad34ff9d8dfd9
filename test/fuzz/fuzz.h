/*
 * fuzz.h
 *	  What the fuzz targets share: see shim.c.
 */
#ifndef DYNAMO_FUZZ_H
#define DYNAMO_FUZZ_H

/* What libFuzzer calls. */
extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/*
 * Calls the function and frees all memory afterwards.  An error that it raises
 * is a failure, because what is wrong with an input is noted as a value.
 */
extern void FuzzRun(void (*function) (const uint8 *data, size_t size),
					const uint8 *data, size_t size);

/*
 * Called when an error is raised; does not return.  NULL if no error may be
 * raised.
 */
extern void (*fuzz_on_error) (void);

/* Aborts: a property does not hold. */
#define FUZZ_CHECK(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "failed: %s, %s:%d\n", #condition, __FILE__, __LINE__); \
			abort(); \
		} \
	} while (0)

#endif							/* DYNAMO_FUZZ_H */
