/*
 * source.h
 *	  What an import reads: files, or exports in the order of their times.
 *
 * A directory may be an export, or have exports below it as a copy of a bucket
 * does.  Then the latest full export and the incremental exports after it are
 * imported.  Other files are imported as they are.
 */
#ifndef DYNAMO_SOURCE_H
#define DYNAMO_SOURCE_H

#include "transfer/manifest.h"

/* A file to import. */
typedef struct SourceFile
{
	const char *path;
	int64		items;			/* lines that it must have; -1 if that is not known */
} SourceFile;

/* Files that are imported together. */
typedef struct Source
{
	const Manifest *manifest;	/* of the export; NULL for other files */
	bool		changes;		/* of an incremental export */
	List	   *files;			/* SourceFile * */
} Source;

/*
 * Returns the sources (Source *) of a directory in the order in which they must be
 * imported; palloc'd.  Raises an error if exports are not complete, are not of
 * one table, or have a gap between them.  level: of messages about exports that
 * are left out.
 */
extern List *SourcesOfDirectory(const char *directory, int level);

/* Whether SourcesOfDirectory would find exports. */
extern bool HasExports(const char *directory);

/*
 * The same for files (char *).  Those in the directory data of a full export must be
 * files of that export, all of whose files must exist.
 */
extern List *SourcesOfFiles(const List *files);

/* Whether a list of sources has changes, which also delete items. */
extern bool SourcesHaveChanges(const List *sources);

/* The number of bytes of all files. */
extern int64 SourcesSize(const List *sources);

/* Raises an error for the first data file that does not have its checksum. */
extern void SourcesVerify(const List *sources);

#endif							/* DYNAMO_SOURCE_H */
