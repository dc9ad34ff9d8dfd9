/*
 * version.h
 *	  The version of the libraries, which belong together.
 */
#ifndef DYNAMO_VERSION_H
#define DYNAMO_VERSION_H

#include "exported.h"

/* META.json, CHANGELOG.md and the packages say the same. */
#define DYNAMO_VERSION "1.0.0"

/* Returns the version of the library dynamo that this process has loaded. */
extern DYNAMO_EXPORT const char *LoadedVersion(void);

#endif							/* DYNAMO_VERSION_H */
