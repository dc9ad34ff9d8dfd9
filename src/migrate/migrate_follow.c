/*
 * migrate_follow.c
 *	  Access patterns and views of an entity whose definition a migration changes.
 *
 * Those of the table's owner are made anew.  What others have made of the table stays as it is,
 * and does not stop the owner: a NOTICE names it.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "migrate/migrate.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "view/entity_view.h"

/* ---- patterns of the owner ---- */

/* A PatternAction: one that was right before is made anew if the definition makes another one of it. */
static void
FollowDefinition(const TableDef *def, Oid function, const AccessPattern *p, const void *before)
{
	if (p->changed || p->condition == NULL || p->basis == NULL || !PatternBasisHolds(before, p->basis) ||
		!PatternWouldDiffer(def, function, p))
		return;
	p = PatternLock(function);
	if (p != NULL)
		PatternMakeAnew(def, function, p);
}

void
MigratePatternsFollow(Oid relid, const TableDef *before)
{
	PatternsOfOwner(relid, FollowDefinition, before);
}

/* ---- what others have made ---- */

/* What one NOTICE names. */
#define NAMED_IN_NOTICE	3

/* Some names of a list, for a message. */
static char *
SomeNames(const List *names)
{
	StringInfoData out;
	int			n = Min(list_length(names), NAMED_IN_NOTICE);

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", (char *) list_nth(names, i));
	if (n < list_length(names))
		appendStringInfo(&out, " and %d more", list_length(names) - n);
	return out.data;
}

/* The names of entity views that belong neither to the table's owner nor to the user. */
static List *
ViewsOfOthers(Oid relid)
{
	MemoryContext caller = CurrentMemoryContext;
	List	   *names = NIL;
	List	   *others;
	ListCell   *cell;

	SPI_connect();
	others = list_difference_oid(EntityViewsOfAnyone(relid), EntityViewsOf(relid, NULL));
	MemoryContextSwitchTo(caller);
	foreach(cell, others)
	{
		char	   *name = get_rel_name(lfirst_oid(cell));

		if (name != NULL)		/* its owner may have dropped it */
			names = lappend(names, name);
	}
	SPI_finish();
	return names;
}

/* The names of an entity's patterns of others: of those that name an attribute, if its name is given. */
static List *
NamesOfOthers(Oid relid, const char *entity_name, Slice attribute)
{
	List	   *names = NIL;
	ListCell   *cell;

	foreach(cell, PatternsOfOthers(relid, entity_name))
	{
		Oid			function = lfirst_oid(cell);
		const AccessPattern *p = attribute.data == NULL ? NULL : PatternIfAny(function);

		if (attribute.data == NULL || (p != NULL && MigratePatternNames(p, attribute)))
			names = lappend(names, format_procedure(function));
	}
	return names;
}

static void
TellOf(const char *what, const List *names, const char *detail, const char *hint)
{
	if (names != NIL)
		ereport(NOTICE,
				(errmsg("%s of other roles stay as they are: %s", what, SomeNames(names)),
				 errdetail_internal("%s", detail), hint == NULL ? 0 : errhint("%s", hint)));
}

static const char new_views[] = "After the migration their owners can replace them by new ones: dynamo.create_entity_view.";

void
MigrateTellOfPatterns(Oid relid, const char *entity_name)
{
	TellOf("access patterns", NamesOfOthers(relid, entity_name, MISSING_SLICE),
		   "Those that read what changes raise errors until their owners declare them anew, after the migration.", NULL);
}

void
MigrateTellOfViews(Oid relid, const char *merged)
{
	TellOf("views", ViewsOfOthers(relid), merged != NULL ? psprintf("Those of entity \"%s\" raise errors.", merged) :
		   "Items without an attribute that their key tells are not in them once they are moved.",
		   merged != NULL ? "Their owners can drop them, and read views of the other entity." : new_views);
}

void
MigrateTellOfDropped(Oid relid, const char *entity_name, Slice name)
{
	TellOf("access patterns", NamesOfOthers(relid, entity_name, name),
		   psprintf("They name attribute \"%.*s\", which items lose. Tell their owners to declare them with its other name.", (int) name.len, name.data), NULL);
	TellOf("views", ViewsOfOthers(relid),
		   psprintf("A column of attribute \"%.*s\" is null once items have lost it.", (int) name.len, name.data), new_views);
}
