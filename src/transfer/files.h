/*
 * files.h
 *	  Finds the files to import below a directory.
 */
#ifndef DYNAMO_FILES_H
#define DYNAMO_FILES_H

#include "nodes/pg_list.h"

/*
 * Returns the paths (char *) of the regular files below a directory whose name
 * relative to it begins with a prefix, in the order of their bytes; palloc'd.
 * Symbolic links are not followed.
 */
extern List *FilesBelow(const char *directory, const char *prefix);

/* Whether a path leads to a directory. */
extern bool IsDirectory(const char *path);

/*
 * Opens a file for reading that must be a regular one, and not a symbolic link
 * to one.  It is closed with FreeFile, or by an error.
 */
extern FILE *OpenRegularFile(const char *path);

#endif							/* DYNAMO_FILES_H */
