/*
 * files.c
 *	  Finds the files to import below a directory.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "miscadmin.h"
#include "storage/fd.h"

#include "transfer/files.h"

/* Nested directories, below which nothing is found. */
#define MAX_DEPTH	64

typedef struct Search
{
	const char *prefix;
	List	   *files;
} Search;

bool
IsDirectory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Whether a name, or a name in the directory with this name, can begin with the prefix. */
static bool
MayMatch(const char *name, const char *prefix, bool directory)
{
	size_t		len = strlen(name);
	size_t		prefix_len = strlen(prefix);

	if (directory && len < prefix_len)
		return strncmp(name, prefix, len) == 0;
	return len >= prefix_len && strncmp(name, prefix, prefix_len) == 0;
}

static void SearchDirectory(Search *search, const char *path, const char *name, int depth);

static void
SearchEntry(Search *search, const char *path, const char *name, int depth)
{
	struct stat status;

	if (lstat(path, &status) != 0)
	{
		if (errno == ENOENT)
			return;
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", path)));
	}
	if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH)
	{
		char	   *below = psprintf("%s/", name);

		if (MayMatch(below, search->prefix, true))
			SearchDirectory(search, path, below, depth + 1);
	}
	else if (S_ISREG(status.st_mode) && MayMatch(name, search->prefix, false))
		search->files = lappend(search->files, pstrdup(path));
}

/* name is empty, or ends with a slash. */
static void
SearchDirectory(Search *search, const char *path, const char *name, int depth)
{
	DIR		   *directory = AllocateDir(path);
	struct dirent *entry;

	while ((entry = ReadDir(directory, path)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		SearchEntry(search, psprintf("%s/%s", path, entry->d_name),
					psprintf("%s%s", name, entry->d_name), depth);
	}
	FreeDir(directory);
}

static int
ComparePaths(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

List *
FilesBelow(const char *directory, const char *prefix)
{
	Search		search = {.prefix = prefix};

	SearchDirectory(&search, directory, "", 0);
	list_sort(search.files, ComparePaths);
	return search.files;
}

FILE *
OpenRegularFile(const char *path)
{
	struct stat status;
	FILE	   *file;

	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a regular file", path)));
	file = AllocateFile(path, PG_BINARY_R);
	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	return file;
}
