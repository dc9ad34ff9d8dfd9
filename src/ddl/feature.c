/*
 * feature.c
 *	  The features that have registered handlers of DDL.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "ddl/feature.h"
#include "extension_objects.h"

static List *features = NIL;

void
DdlFeatureRegister(const DdlFeature *feature)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	features = lappend(features, unconstify(DdlFeature *, feature));
	MemoryContextSwitchTo(old);
}

const List *
DdlFeatures(void)
{
	return features;
}

const DdlFeature *
FeatureOfFunction(Oid function)
{
	ListCell   *cell;

	foreach(cell, features)
	{
		const DdlFeature *feature = lfirst(cell);

		for (int i = 0; i < FEATURE_MAX_FUNCTIONS && feature->functions[i] != NULL; i++)
		{
			if (function == SystemFunctionOid(feature->functions[i]))
				return feature;
		}
	}
	return NULL;
}
