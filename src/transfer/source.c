/*
 * source.c
 *	  What an import reads: files, or exports in the order of their times.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "storage/fd.h"

#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/source.h"

/* ---- one source ---- */

static SourceFile *
MakeFile(const char *path, int64 items)
{
	SourceFile *file = palloc(sizeof(SourceFile));

	file->path = path;
	file->items = items;
	return file;
}

static Source *
SourceOfManifest(const Manifest *m)
{
	Source	   *source = palloc0(sizeof(Source));

	source->manifest = m;
	source->changes = m->incremental;
	for (int i = 0; i < m->nfiles; i++)
		source->files = lappend(source->files, MakeFile(m->files[i].path, m->files[i].items));
	return source;
}

/* A file that is in the directory of a full export, but not of it. */
static void
CheckNoStray(const Manifest *m)
{
	char	   *data = psprintf("%s/" TREE_DATA, m->directory);
	ListCell   *cell;

	if (m->incremental || !IsDirectory(data))
		return;
	foreach(cell, FilesBelow(data, ""))
	{
		if (ManifestFind(m, lfirst(cell)) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("file \"%s\" is not in the manifest of its export", (char *) lfirst(cell)),
					 errdetail("The manifest is \"%s\".", m->path)));
	}
}

/* ---- files ---- */

/* The directory of the export to which a file in a directory data belongs; otherwise NULL. */
static char *
ExportOfFile(const char *path)
{
	char	   *directory = pstrdup(path);
	char	   *slash = strrchr(directory, '/');
	size_t		len;

	if (slash == NULL)
		return NULL;
	*slash = '\0';
	len = strlen(directory);
	if (len < strlen("/" TREE_DATA) || strcmp(directory + len - strlen("/" TREE_DATA), "/" TREE_DATA) != 0)
		return NULL;
	directory[len - strlen("/" TREE_DATA)] = '\0';
	return IsExport(directory) ? directory : NULL;
}

static Source *
BeginSource(const char *export)
{
	Source	   *source = palloc0(sizeof(Source));

	if (export != NULL)
	{
		const Manifest *m = ManifestRead(export);

		CheckNoStray(m);
		source->manifest = m;
		source->changes = m->incremental;
	}
	return source;
}

static int64
ItemsOf(const Source *source, const char *path)
{
	const DataFile *file = source->manifest != NULL ? ManifestFind(source->manifest, path) : NULL;

	return file != NULL ? file->items : -1;
}

List *
SourcesOfFiles(const List *files)
{
	List	   *sources = NIL;
	Source	   *source = NULL;
	const char *current = NULL;
	ListCell   *cell;

	/* the files of a directory follow each other */
	foreach(cell, files)
	{
		const char *export = ExportOfFile(lfirst(cell));

		if (source == NULL || (export == NULL) != (current == NULL) ||
			(export != NULL && strcmp(export, current) != 0))
		{
			source = BeginSource(export);
			sources = lappend(sources, source);
			current = export;
		}
		source->files = lappend(source->files, MakeFile(lfirst(cell), ItemsOf(source, lfirst(cell))));
	}
	return sources;
}

/* ---- exports of a directory ---- */

/* The directory in which exports are: this one, or the one of the service in it. */
static const char *
TopOf(const char *directory)
{
	char	   *top = psprintf("%s/" TREE_TOP, directory);

	return IsDirectory(top) ? top : directory;
}

/* The directories of exports directly in a directory; links are not followed. */
static List *
ExportsIn(const char *top)
{
	DIR		   *open = AllocateDir(top);
	List	   *exports = NIL;
	struct dirent *entry;

	while ((entry = ReadDir(open, top)) != NULL)
	{
		char	   *path = psprintf("%s/%s", top, entry->d_name);
		struct stat status;

		if (entry->d_name[0] != '.' && lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && IsExport(path) &&
			!IsBulkReport(path))
			exports = lappend(exports, path);
	}
	FreeDir(open);
	return exports;
}

/* The exports that a directory is or has. */
static List *
FindExports(const char *directory)
{
	if (!IsDirectory(directory))
		return NIL;
	return IsExport(directory) ? list_make1(pstrdup(directory)) : ExportsIn(TopOf(directory));
}

bool
HasExports(const char *directory)
{
	return FindExports(directory) != NIL;
}

/* By the time until which they tell: what a full one has, an incremental one until then cannot add. */
static int
CompareExports(const ListCell *a, const ListCell *b)
{
	const Manifest *m = lfirst(a);
	const Manifest *n = lfirst(b);

	if (m->to != n->to)
		return m->to < n->to ? -1 : 1;
	if (m->incremental != n->incremental)
		return m->incremental ? -1 : 1;
	if (m->from != n->from)
		return m->from < n->from ? -1 : 1;
	return strcmp(m->directory, n->directory);
}

static void
CheckSameTable(const Manifest *m, const Manifest *n)
{
	if (m->table_arn != NULL && n->table_arn != NULL && strcmp(m->table_arn, n->table_arn) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the exports \"%s\" and \"%s\" are of different tables", m->directory, n->directory),
				 errdetail("The tables are %s and %s.", m->table_arn, n->table_arn),
				 errhint("Import the directory of one export, or copy those of one table to a directory of their own.")));
}

/* Changes must begin no later than where what came before ends. */
static void
CheckNoGap(const Manifest *before, int64 covered, const Manifest *m)
{
	if (m->from > covered)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("an incremental export is missing between \"%s\" and \"%s\"", before->directory, m->directory),
				 errdetail("The first ends " INT64_FORMAT " seconds before the second begins.",
						   (m->from - covered + 999999) / 1000000),
				 errhint("Copy the exports of the whole time.")));
}

/* Leaves out what is older than the last full export. */
static List *
FromLastFull(List *manifests, int level)
{
	List	   *chain = NIL;
	ListCell   *cell;

	foreach(cell, manifests)
	{
		if (!((const Manifest *) lfirst(cell))->incremental)
		{
			ListCell   *older;

			foreach(older, chain)
				ereport(level,
						(errmsg("export \"%s\" is left out, because the full export \"%s\" is later",
								((const Manifest *) lfirst(older))->directory,
								((const Manifest *) lfirst(cell))->directory)));
			chain = NIL;
		}
		chain = lappend(chain, lfirst(cell));
	}
	return chain;
}

static void
CheckChain(const List *chain)
{
	const Manifest *before = NULL;
	int64		covered = 0;
	ListCell   *cell;

	foreach(cell, chain)
	{
		const Manifest *m = lfirst(cell);

		if (before != NULL)
		{
			CheckSameTable(before, m);
			CheckNoGap(before, covered, m);
		}
		covered = Max(covered, m->to);
		before = m;
	}
}

static List *
SourcesOfExports(const List *exports, int level)
{
	List	   *manifests = NIL;
	List	   *sources = NIL;
	ListCell   *cell;

	foreach(cell, exports)
		manifests = lappend(manifests, ManifestRead(lfirst(cell)));
	list_sort(manifests, CompareExports);
	manifests = FromLastFull(manifests, level);
	CheckChain(manifests);
	foreach(cell, manifests)
	{
		CheckNoStray(lfirst(cell));
		sources = lappend(sources, SourceOfManifest(lfirst(cell)));
	}
	return sources;
}

List *
SourcesOfDirectory(const char *directory, int level)
{
	char	   *data = psprintf("%s/" TREE_DATA, directory);
	List	   *exports = FindExports(directory);
	List	   *files;

	if (exports != NIL)
		return SourcesOfExports(exports, level);
	files = FilesBelow(IsDirectory(data) ? data : directory, "");
	if (files == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FILE),
				 errmsg("directory \"%s\" has no files to import", directory)));
	return SourcesOfFiles(files);
}

/* ---- all sources ---- */

bool
SourcesHaveChanges(const List *sources)
{
	ListCell   *cell;

	foreach(cell, sources)
	{
		if (((const Source *) lfirst(cell))->changes)
			return true;
	}
	return false;
}

int64
SourcesSize(const List *sources)
{
	int64		bytes = 0;
	ListCell   *cell;
	ListCell   *inner;
	struct stat status;

	foreach(cell, sources)
	{
		foreach(inner, ((const Source *) lfirst(cell))->files)
			bytes += stat(((const SourceFile *) lfirst(inner))->path, &status) == 0 ? status.st_size : 0;
	}
	return bytes;
}

void
SourcesVerify(const List *sources)
{
	ListCell   *cell;

	foreach(cell, sources)
	{
		const Source *source = lfirst(cell);

		if (source->manifest != NULL)
			ManifestVerify(source->manifest);
	}
}
