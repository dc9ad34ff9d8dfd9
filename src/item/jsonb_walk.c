/*
 * jsonb_walk.c
 *	  Iterates over the members or elements of a jsonb container.
 */
#include "postgres.h"

#include "item/jsonb_walk.h"

void
JsonbWalkInit(JsonbWalk *w, JsonbContainer *container)
{
	bool		object = JsonContainerIsObject(container);
	uint32		children;

	w->container = container;
	w->count = JsonContainerSize(container);
	w->next = 0;
	children = object ? 2 * w->count : w->count;
	w->data = (char *) &container->children[children];
	w->name_start = 0;

	/* In an object, all names are stored before the values. */
	w->value_start = object ? getJsonbOffset(container, (int) w->count) : 0;
}

/*
 * Returns the child at *start, and sets *start to the start of the next one.
 */
static inline void
JsonbWalkChild(const JsonbWalk *w, uint32 index, uint32 *start, JsonbValue *v)
{
	JEntry		entry = w->container->children[index];
	uint32		from = *start;

	JBE_ADVANCE_OFFSET(*start, entry);
	if (JBE_ISSTRING(entry))
	{
		v->type = jbvString;
		v->val.string.val = w->data + from;
		v->val.string.len = (int) (*start - from);
	}
	else if (JBE_ISCONTAINER(entry))
	{
		v->type = jbvBinary;
		v->val.binary.data = (JsonbContainer *) (w->data + INTALIGN(from));
		v->val.binary.len = (int) (*start - INTALIGN(from));
	}
	else if (JBE_ISNUMERIC(entry))
	{
		v->type = jbvNumeric;
		v->val.numeric = (Numeric) (w->data + INTALIGN(from));
	}
	else if (JBE_ISBOOL(entry))
	{
		v->type = jbvBool;
		v->val.boolean = JBE_ISBOOL_TRUE(entry);
	}
	else
		v->type = jbvNull;
}

bool
JsonbWalkMember(JsonbWalk *w, Slice *name, JsonbValue *value)
{
	uint32		from = w->name_start;

	if (w->next == w->count)
		return false;
	JBE_ADVANCE_OFFSET(w->name_start, w->container->children[w->next]);
	*name = (Slice) {w->data + from, w->name_start - from};
	JsonbWalkChild(w, w->count + w->next, &w->value_start, value);
	w->next++;
	return true;
}

bool
JsonbWalkElement(JsonbWalk *w, JsonbValue *value)
{
	if (w->next == w->count)
		return false;
	JsonbWalkChild(w, w->next, &w->value_start, value);
	w->next++;
	return true;
}
