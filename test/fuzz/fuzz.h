/*
 * fuzz.h
 *	  What the fuzz targets share: see shim.c.
 */
#ifndef DYNAMO_FUZZ_H
#define DYNAMO_FUZZ_H

/* What libFuzzer calls. */
extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/*
 * Calls the function; false if it raised an error, which any input may.  All
 * memory is freed afterwards.
 */
extern bool FuzzTry(void (*function) (const uint8 *data, size_t size),
					const uint8 *data, size_t size);

/* Ends the function that FuzzTry called. */
extern void FuzzRaise(void) __attribute__((noreturn));

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
