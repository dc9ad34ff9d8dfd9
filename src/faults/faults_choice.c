/*
 * faults_choice.c
 *	  Which requests fail.
 *
 * Choices are numbered, and a choice depends on the seed and its number only.  The workers of the
 * endpoint have numbers in common; other sessions have their own.  The postmaster starts those of
 * the workers again when it reads the configuration, before it tells the workers to.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/guc.h"

#include "faults/faults.h"
#include "shared_memory.h"

typedef struct Numbers
{
	pg_atomic_uint32 choices;
	pg_atomic_uint32 failures;
	pg_atomic_uint32 starts;	/* of the numbers of the workers */
} Numbers;

static Numbers *of_workers;
static Numbers own;

/* ---- shared memory ---- */

static void
InitNumbers(Numbers *numbers)
{
	pg_atomic_init_u32(&numbers->choices, 0);
	pg_atomic_init_u32(&numbers->failures, 0);
	pg_atomic_init_u32(&numbers->starts, 0);
}

static void
RequestNumbers(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(Numbers)));
}

static void
StartNumbers(void)
{
	bool		found;

	of_workers = ShmemInitStruct("dynamo faults", sizeof(Numbers), &found);
	if (!found)
		InitNumbers(of_workers);
}

void
FaultChoiceInit(void)
{
	InitNumbers(&own);
	SharedMemoryRegister(RequestNumbers, StartNumbers);
}

static Numbers *
NumbersOfProcess(void)
{
	return MyBackendType == B_BG_WORKER ? of_workers : &own;
}

/* ---- settings ---- */

void
FaultChoicesRestart(void)
{
	Numbers    *numbers = IsUnderPostmaster ? &own : of_workers;

	if (numbers == NULL)
		return;					/* the server starts */
	pg_atomic_write_u32(&numbers->choices, 0);
	pg_atomic_write_u32(&numbers->failures, 0);
	pg_atomic_fetch_add_u32(&numbers->starts, 1);
}

void
FaultSettingsCatchUp(void)
{
	static uint32 seen;
	uint32		starts;

	if (MyBackendType != B_BG_WORKER)
		return;
	starts = pg_atomic_read_u32(&of_workers->starts);
	if (starts == seen)
		return;
	ProcessConfigFile(PGC_SIGHUP);
	seen = starts;
}

/* ---- choices ---- */

/* The state for the next choice. */
static void
BeginChoice(pg_prng_state *state)
{
	if (fault_seed == 0)
		pg_prng_seed(state, pg_prng_uint64(&pg_global_prng_state));
	else
		pg_prng_seed(state, ((uint64) fault_seed << 32) + pg_atomic_fetch_add_u32(&NumbersOfProcess()->choices, 1));
}

bool
FaultHappens(double fraction)
{
	pg_prng_state state;

	if (fraction == 0)
		return false;
	BeginChoice(&state);
	return pg_prng_double(&state) < fraction;
}

int
FaultPick(int n)
{
	pg_prng_state state;

	BeginChoice(&state);
	return (int) (pg_prng_double(&state) * n);
}

bool
FaultIsAllowed(void)
{
	return fault_count == 0 ||
		pg_atomic_fetch_add_u32(&NumbersOfProcess()->failures, 1) < (uint32) fault_count;
}
