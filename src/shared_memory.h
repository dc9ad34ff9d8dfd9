/*
 * shared_memory.h
 *	  The parts of the extension that keep something in the server's shared memory.
 */
#ifndef DYNAMO_SHARED_MEMORY_H
#define DYNAMO_SHARED_MEMORY_H

#include "exported.h"

/*
 * Registers a part; called in the postmaster while it loads the library.  request asks
 * for memory and locks; start finds what was asked for, or fills it in, while
 * AddinShmemInitLock is held.  start is NULL if processes do so themselves.
 */
extern DYNAMO_EXPORT void SharedMemoryRegister(void (*request) (void), void (*start) (void));

#endif							/* DYNAMO_SHARED_MEMORY_H */
