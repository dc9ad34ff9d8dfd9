/*
 * version.h
 *	  The version of the libraries, which belong together.
 */
#ifndef DYNAMO_VERSION_H
#define DYNAMO_VERSION_H

#include "exported.h"

/* META.json, CHANGELOG.md and the packages say the same. */
#define DYNAMO_VERSION "1.0.0"

/*
 * Raises an error if a library has another version than the library dynamo that this
 * process has loaded: a server that was not restarted after an upgrade has the old one.
 */
extern DYNAMO_EXPORT void CheckLibraryVersion(const char *library, const char *version);

/* Whether PostgreSQL has loaded dynamo, or is loading it: it is not only what another library needs. */
extern DYNAMO_EXPORT bool library_is_known;

#endif							/* DYNAMO_VERSION_H */
