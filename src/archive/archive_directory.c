/*
 * archive_directory.c
 *	  Converts names of buckets and prefixes to directories.
 *
 * Clients choose the names.  Every component is checked by its bytes, and no
 * component may be a symbolic link, so that no name leads out of its bucket.
 * A user who can create links below the archive directory already has the
 * server's rights on the machine.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "archive/archive.h"
#include "errors.h"
#include "transfer/export_tree.h"

#define LETTERS_AND_DIGITS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#define MAX_BUCKET		255
#define MAX_COMPONENT	255

/* ---- names ---- */

void
CheckBucket(const char *bucket)
{
	size_t		len = strlen(bucket);

	if (len == 0 || len > MAX_BUCKET ||
		strspn(bucket, LETTERS_AND_DIGITS "._-") != len ||
		strchr(LETTERS_AND_DIGITS, bucket[0]) == NULL ||
		strchr(LETTERS_AND_DIGITS, bucket[len - 1]) == NULL)
		InvalidRequest("Invalid S3 bucket name: a name has 1 to 255 letters, digits, dots, hyphens "
					   "and underscores, and begins and ends with a letter or a digit");
}

static bool
IsControl(char c)
{
	return (unsigned char) c < ' ' || c == 0x7F || c == '\\';
}

static void
CheckComponent(const char *name, size_t len)
{
	bool		is_dots = (len == 1 && name[0] == '.') || (len == 2 && memcmp(name, "..", 2) == 0);

	if (len == 0 || len > MAX_COMPONENT || is_dots)
		InvalidRequest("Invalid S3 prefix: \".\", \"..\", empty names, names of more than 255 bytes "
					   "and a slash at the beginning are not supported");
	for (size_t i = 0; i < len; i++)
	{
		if (IsControl(name[i]))
			InvalidRequest("Invalid S3 prefix: control characters and backslashes are not supported");
	}
}

void
CheckPrefix(const char *prefix)
{
	while (*prefix != '\0')
	{
		size_t		len = strcspn(prefix, "/");

		CheckComponent(prefix, len);
		prefix += len;
		if (*prefix == '/')
			prefix++;
	}
}

const char *
PrefixAsPath(const char *prefix)
{
	size_t		len = prefix != NULL ? strlen(prefix) : 0;

	return len == 0 ? "" : psprintf("%s%s", prefix, prefix[len - 1] == '/' ? "" : "/");
}

char *
BackupPrefix(const char *id)
{
	return psprintf(TREE_TOP "/%s/" TREE_DATA "/", id);
}

/* ---- directories ---- */

static bool
DirectoryExists(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0)
	{
		if (errno == ENOENT || errno == ENOTDIR)
			return false;
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", path)));
	}
	if (S_ISLNK(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" is a symbolic link", path)));
	return S_ISDIR(status.st_mode);
}

/* After a commit nothing may fail; rmtree would empty the directory that a link leads to. */
bool
DirectoryIsBelow(const char *directory, const char *path)
{
	const char *at = path + strlen(directory);
	struct stat status;

	for (;;)
	{
		char	   *part;
		bool		is_directory;

		at += strspn(at, "/");
		if (*at == '\0')
			return true;
		at += strcspn(at, "/");
		part = pnstrdup(path, at - path);
		is_directory = lstat(part, &status) == 0 && S_ISDIR(status.st_mode);
		pfree(part);
		if (!is_directory)
			return false;
	}
}

/* The archive directory itself may be a link: a superuser has chosen it. */
static char *
BucketPath(const char *directory, const char *bucket)
{
	char	   *path = psprintf("%s/%s", directory, bucket);

	if (strcmp(bucket, BACKUP_BUCKET) == 0)
		TreeDirectory(path);
	else
	{
		CheckBucket(bucket);
		if (!DirectoryExists(path))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FILE),
					 errmsg("The specified bucket does not exist"),
					 errhint("Buckets are directories in the archive directory.")));
	}
	return path;
}

char *
PlaceToWrite(const char *directory, const char *bucket, const char *prefix)
{
	char	   *path = BucketPath(directory, bucket);

	if (prefix == NULL)
		return path;
	CheckPrefix(prefix);
	CheckTreePath(psprintf("%s/%s", path, prefix));
	while (*prefix != '\0')
	{
		size_t		len = strcspn(prefix, "/");

		path = psprintf("%s/%.*s", path, (int) len, prefix);
		TreeDirectory(path);
		prefix += len + (prefix[len] == '/');
	}
	return path;
}

char *
PlaceToRead(const char *directory, const char *bucket, const char *prefix, char **rest)
{
	char	   *path = BucketPath(directory, bucket);
	const char *slash;

	*rest = pstrdup(prefix != NULL ? prefix : "");
	CheckPrefix(*rest);
	while ((slash = strchr(*rest, '/')) != NULL)
	{
		path = psprintf("%s/%.*s", path, (int) (slash - *rest), *rest);
		if (!DirectoryExists(path))
			return NULL;
		*rest = unconstify(char *, slash + 1);
	}
	return path;
}
