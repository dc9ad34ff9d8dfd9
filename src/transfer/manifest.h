/*
 * manifest.h
 *	  The manifests of an export, against which its files are verified before
 *	  and while they are imported.
 *
 * An export is a directory that has them, as the service writes it
 * (export_tree.h).  The data files of a full export are in its subdirectory
 * data.  Those of incremental exports are in one directory data beside the
 * exports, which share it:
 *
 *	AWSDynamoDB/01693685827463-2d8752fd/data/...		a full export
 *	AWSDynamoDB/01693772227463-7f1d2a10/manifest-...	an incremental one
 *	AWSDynamoDB/data/...
 */
#ifndef DYNAMO_MANIFEST_H
#define DYNAMO_MANIFEST_H

#include "nodes/pg_list.h"

/* A data file as its manifest describes it. */
typedef struct DataFile
{
	char	   *path;
	int64		items;			/* lines; -1 if the manifest does not tell */
	char	   *checksum;		/* MD5 in base64; NULL if the manifest has none */
	char	   *etag;			/* MD5 in hexadecimal, or another text; or NULL */
} DataFile;

typedef struct Manifest
{
	const char *directory;		/* of the export */
	char	   *path;			/* of manifest-files.json */
	bool		incremental;
	int64		from;			/* microseconds since 1970; of a full export equal to "to" */
	int64		to;				/* the items are those at this time */
	char	   *table_arn;		/* or NULL */
	int64		items;			/* of all files */
	int			nfiles;
	DataFile   *files;			/* in the order of their paths */
} Manifest;

/*
 * Whether a directory is an export, though it may be incomplete: it has a file of
 * one, or its name is that of one.
 */
extern bool IsExport(const char *directory);

/* Whether a directory for which IsExport holds has the reports of a bulk operation. */
extern bool IsBulkReport(const char *directory);

/*
 * Reads the manifests of an export; palloc'd.  Raises an error if one of them is
 * missing or damaged, if they contradict each other, or if a data file is missing.
 */
extern Manifest *ManifestRead(const char *directory);

/* Raises an error for the first data file that does not have its checksum. */
extern void ManifestVerify(const Manifest *manifest);

/* Returns the data file with this path; NULL if the manifest does not have it. */
extern const DataFile *ManifestFind(const Manifest *manifest, const char *path);

#endif							/* DYNAMO_MANIFEST_H */
