/*
 * shim.c
 *	  The little of a server that item/, expr/ and partiql/ need, for fuzzing without
 *	  one.
 *
 * Memory is malloc'd piece by piece, so that the address sanitizer sees every
 * byte, and freed after each input.  An error ends the program, unless the
 * target says what it does instead.  All memory contexts are one.  What is not here comes from the server's
 * libpgcommon and libpgport.
 */
#include "postgres.h"

#include "fuzz.h"
#include "item/number.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ---- memory ---- */

/* Every piece is in a list, to be freed after the input. */
typedef struct Piece
{
	struct Piece *next;
	struct Piece *previous;
} Piece;

static Piece pieces = {&pieces, &pieces};

MemoryContext CurrentMemoryContext = NULL;
MemoryContext TopMemoryContext = NULL;
MemoryContext CacheMemoryContext = NULL;

static void *
Link(Piece *p)
{
	p->next = &pieces;
	p->previous = pieces.previous;
	p->previous->next = p;
	pieces.previous = p;
	return p + 1;
}

static void
Unlink(Piece *p)
{
	p->next->previous = p->previous;
	p->previous->next = p->next;
}

static void
FreeAll(void)
{
	while (pieces.next != &pieces)
		pfree(pieces.next + 1);
}

void *
palloc(Size size)
{
	Piece	   *p;

	if (!AllocSizeIsValid(size))
		abort();
	p = malloc(sizeof(Piece) + size);
	if (p == NULL)
		abort();
	return Link(p);
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void
pfree(void *pointer)
{
	Piece	   *p = (Piece *) pointer - 1;

	Unlink(p);
	free(p);
}

void *
repalloc(void *pointer, Size size)
{
	Piece	   *p = (Piece *) pointer - 1;

	if (!AllocSizeIsValid(size))
		abort();
	Unlink(p);
	p = realloc(p, sizeof(Piece) + size);
	if (p == NULL)
		abort();
	return Link(p);
}

char *
pstrdup(const char *string)
{
	return strcpy(palloc(strlen(string) + 1), string);
}

char *
pnstrdup(const char *string, Size len)
{
	char	   *copy = palloc(len + 1);

	len = strnlen(string, len);
	memcpy(copy, string, len);
	copy[len] = '\0';
	return copy;
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return palloc(size);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return palloc0(size);
}

void *
MemoryContextAllocZeroAligned(MemoryContext context, Size size)
{
	return palloc0(size);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return palloc(size);
}

char *
MemoryContextStrdup(MemoryContext context, const char *string)
{
	return pstrdup(string);
}

/* ---- errors ---- */

void		(*fuzz_on_error) (void) = NULL;
static int	error_level;
static int	error_code;

sigjmp_buf *PG_exception_stack = NULL;
ErrorContextCallback *error_context_stack = NULL;

bool
errstart(int elevel, const char *domain)
{
	error_level = elevel;
	error_code = ERRCODE_INTERNAL_ERROR;
	return elevel >= ERROR;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	if (error_level < ERROR)
		return;

	/* elog(ERROR) is for what cannot happen: with any input, a defect */
	if (fuzz_on_error == NULL || error_code == ERRCODE_INTERNAL_ERROR ||
		error_code == ERRCODE_DATA_CORRUPTED)
	{
		fprintf(stderr, "error in %s, %s:%d\n", funcname, filename, lineno);
		abort();
	}
	fuzz_on_error();
}

int
errcode(int sqlerrcode)
{
	error_code = sqlerrcode;
	return 0;
}

/* Formats, so that the sanitizers see what the arguments are. */
static int
Format(const char *format, va_list args)
{
	char		text[256];

	vsnprintf(text, sizeof(text), format, args);
	return 0;
}

#define MESSAGE_FUNCTION(name) \
int \
name(const char *format,...) \
{ \
	va_list		args; \
\
	va_start(args, format); \
	Format(format, args); \
	va_end(args); \
	return 0; \
}

MESSAGE_FUNCTION(errmsg)
MESSAGE_FUNCTION(errmsg_internal)
MESSAGE_FUNCTION(errdetail)
MESSAGE_FUNCTION(errdetail_internal)
MESSAGE_FUNCTION(errdetail_log)
MESSAGE_FUNCTION(errhint)

int
internalerrposition(int position)
{
	return 0;
}

int
internalerrquery(const char *query)
{
	return 0;
}

void
pg_re_throw(void)
{
	abort();
}

void
ExceptionalCondition(const char *condition,
#if PG_VERSION_NUM < 160000
					 const char *type,
#endif
					 const char *file, int line)
{
	fprintf(stderr, "assertion failed: %s, %s:%d\n", condition, file, line);
	abort();
}

/* ---- the rest ---- */

volatile sig_atomic_t InterruptPending = false;

void
ProcessInterrupts(void)
{
}

void
check_stack_depth(void)
{
}

void
FuzzRun(void (*function) (const uint8 *data, size_t size), const uint8 *data, size_t size)
{
	function(data, size);
	FreeAll();
}

/*
 * Arithmetic beyond 64 bits is numeric's, which is not here: such a sum
 * "overflows".
 */
NumberStatus
NumberAdd(const uint8 *a, uint32 alen, const uint8 *b, uint32 blen,
		  bool subtract, uint8 *out, uint32 *len)
{
	int64		ia;
	int64		ib;
	int64		sum;

	if (!NumberToInt64(a, alen, &ia) || !NumberToInt64(b, blen, &ib) ||
		(subtract ? __builtin_sub_overflow(ia, ib, &sum) : __builtin_add_overflow(ia, ib, &sum)))
		return NUMBER_OVERFLOW;
	*len = NumberFromInt64(sum, out);
	return NUMBER_OK;
}
