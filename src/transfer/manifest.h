/*
 * manifest.h
 *	  Verifies the files of an export before they are imported.
 */
#ifndef DYNAMO_MANIFEST_H
#define DYNAMO_MANIFEST_H

#include "nodes/pg_list.h"

/*
 * Checks files (char *) to import against the manifests of the exports that they
 * belong to (export_tree.h): all data files of such an export must exist, and
 * these files must be among them and have their checksums.  Files in other
 * directories are not checked.  Raises an error for the first difference.
 */
extern void ManifestCheck(const List *files);

#endif							/* DYNAMO_MANIFEST_H */
