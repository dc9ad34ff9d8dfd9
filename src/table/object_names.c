/*
 * object_names.c
 *	  Maps DynamoDB names to PostgreSQL identifiers.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "errors.h"
#include "table/object_names.h"

#define RESOURCE_NAME_MIN	1
#define RESOURCE_NAME_MAX	255

/* Number of hexadecimal digits of the hash in a mapped name. */
#define HASH_DIGITS			16

uint64
StableHash(const void *bytes, size_t len, uint64 seed)
{
	const uint8 *p = bytes;
	uint64		h = UINT64CONST(0xcbf29ce484222325) ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64CONST(0x100000001b3);

	/* Only the low bits of FNV are well distributed, so mix them (murmur3). */
	h ^= h >> 33;
	h *= UINT64CONST(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64CONST(0xc4ceb9fe1a85ec53);
	h ^= h >> 33;
	return h;
}

/*
 * Returns the violated constraint in the service's words; NULL if the name is
 * valid.
 */
static const char *
ViolatedConstraint(const char *name)
{
	size_t		len = strlen(name);

	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != len)
		return "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
	if (len < RESOURCE_NAME_MIN)
		return "Member must have length greater than or equal to 1";
	if (len > RESOURCE_NAME_MAX)
		return "Member must have length less than or equal to 255";
	return NULL;
}

bool
IsResourceName(const char *name)
{
	return ViolatedConstraint(name) == NULL;
}

void
CheckResourceName(const char *name, const char *member)
{
	const char *constraint = ViolatedConstraint(name);

	if (constraint != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: %s",
						name, member, constraint),
				 errhint("It is the parameter \"%s\", which consists of 1 to %d letters, digits and the characters \"_\", \".\" and \"-\".",
						 strcmp(member, "indexName") == 0 ? "index_name" : "table_name", RESOURCE_NAME_MAX)));
}

/*
 * Returns the name if it fits into an identifier, otherwise its beginning and
 * its hash.
 */
static char *
FitName(const char *name, size_t len)
{
	int			keep;

	if (len < NAMEDATALEN)
		return pnstrdup(name, len);
	keep = pg_mbcliplen(name, len, MAPPED_PREFIX);
	return psprintf("%.*s$%016llx", keep, name,
					(unsigned long long) StableHash(name, len, 0));
}

char *
RelationNameFor(const char *table_name)
{
	return FitName(table_name, strlen(table_name));
}

StaticAssertDecl(MAPPED_PREFIX + 1 + HASH_DIGITS == NAMEDATALEN - 1, "mapped names have another length");

bool
RelationNameIsMapped(const char *relation_name)
{
	return strlen(relation_name) == NAMEDATALEN - 1 && relation_name[MAPPED_PREFIX] == '$';
}

char *
IndexRelationNameFor(const char *relation_name, const char *index_name)
{
	char	   *name = psprintf("%s$%s", relation_name, index_name);

	return FitName(name, strlen(name));
}

/*
 * Whether users' columns cannot have a name, or the extension uses it itself.
 */
static bool
ColumnNameIsTaken(Slice name)
{
	static const char *const taken[] = {
		ITEM_COLUMN, SHARD_COLUMN, TTL_COLUMN,
		"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"
	};

	for (size_t i = 0; i < lengthof(taken); i++)
	{
		if (SliceIs(name, taken[i]))
			return true;
	}
	return false;
}

char *
ColumnNameFor(Slice attribute)
{
	if (attribute.len < NAMEDATALEN && !ColumnNameIsTaken(attribute))
		return pnstrdup(attribute.data, attribute.len);
	return psprintf("attr_%016llx",
					(unsigned long long) StableHash(attribute.data, attribute.len, 0));
}
