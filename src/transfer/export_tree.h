/*
 * export_tree.h
 *	  The files of an export, as the service writes them:
 *
 *	<directory>/AWSDynamoDB/<id>/_started
 *								/data/<name>.json.gz	lines {"Item":...}
 *								/manifest-files.json	one line per data file
 *								/manifest-files.checksum
 *								/manifest-summary.json
 *								/manifest-summary.checksum
 *
 * The summary is written last, under a temporary name first.  An export without it is not
 * complete.  Nothing is ever overwritten.
 *
 * The data files of incremental exports are in <directory>/AWSDynamoDB/data, which they share.  They
 * are moved there when all are written.
 */
#ifndef DYNAMO_EXPORT_TREE_H
#define DYNAMO_EXPORT_TREE_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "transfer/output.h"

#define TREE_TOP		"AWSDynamoDB"
#define TREE_DATA		"data"
#define TREE_ID_LENGTH	23		/* 14 digits, a dash, 8 hexadecimal digits */

/* Whether a text has this form. */
extern bool IsTreeId(const char *text);

/* What the summary tells; NULL members are null. */
typedef struct TreeSummary
{
	const char *export_arn;
	const char *table_arn;
	const char *table_id;
	const char *bucket;
	const char *prefix;
	const char *sse_algorithm;
	int64		started;		/* microseconds since 1970 */
	int64		exported;		/* the time as of which the items are exported */
	int64		since;			/* the changes since then until that time; 0: all items */
	const char *images;			/* what is exported of them */
} TreeSummary;

typedef struct ExportTree
{
	char	   *path;			/* <directory>/AWSDynamoDB/<id> */
	bool		made;			/* the directory at path is ours */
	bool		shares_data;	/* data files go to the directory of all incremental exports */
	char	   *key;			/* the same below the bucket */
	char	   *top_key;		/* <directory>/AWSDynamoDB below the bucket */
	List	   *names;			/* of data files */
	int			nmoved;			/* how many are in the shared directory */
	OutputFile *data;			/* the open data file; NULL if none is open */
	char	   *data_key;
	int64		data_items;
	int64		data_bytes;		/* before compression */
	int64		items;
	int64		bytes;			/* before compression */
	StringInfoData files;		/* manifest-files.json */
} ExportTree;

/* Returns a new id for this time in microseconds since 1970; palloc'd. */
extern char *TreeNewId(int64 time);

/*
 * Creates the directories in an existing directory.  key_prefix is what data
 * file keys in the manifest start with: empty, or a path with a slash at its end.
 */
extern void TreeBegin(ExportTree *tree, const char *directory, const char *key_prefix,
					  const char *id, bool shares_data);

/* Adds a line with its newline. */
extern void TreeLine(ExportTree *tree, const char *line, int len);

/* Writes the manifests. */
extern void TreeEnd(ExportTree *tree, const TreeSummary *summary);

/* Removes what an export has written that fails. */
extern void TreeRemove(const ExportTree *tree);

/* Removes the data files of an export from the directory that incremental exports share. */
extern void TreeRemoveShared(const char *data, const char *id);

/* Writes a small file into the tree, before TreeEnd. */
extern void TreeFile(const ExportTree *tree, const char *name, const char *data, int len);

/*
 * Whether the paths of a tree in a directory, or of one whose path this is, have less than
 * MAXPGPATH bytes.  PostgreSQL cuts longer ones: rmtree would remove something else, or
 * call itself without end.
 */
extern bool TreePathFits(const char *path);

/* Raises an error if they do not. */
extern void CheckTreePath(const char *directory);

/* Makes a directory, which may exist; a symbolic link in its place is an error. */
extern void TreeDirectory(const char *path);

#endif							/* DYNAMO_EXPORT_TREE_H */
