/*
 * pattern_type.c
 *	  The test of an access pattern that returns rows: dynamo_system.has_type.
 *
 * The range of keys tells which items are asked for.  This test leaves out items
 * of other kinds in the range, whose attributes may not fit the columns.  It
 * reads one attribute, because it runs for each row.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/supportnodes.h"

#include "item/item.h"
#include "item/slice.h"

/* has_type(item dynamo.item, type_attribute text, type_value text) returns boolean */
DYNAMO_FUNCTION(dynamo_has_type);
Datum
dynamo_has_type(PG_FUNCTION_ARGS)
{
	Slice		attribute = SliceOfVarlena(PG_GETARG_TEXT_PP(1));
	Slice		type = SliceOfVarlena(PG_GETARG_TEXT_PP(2));
	ValueRef	v = ItemDatumAttribute(PG_GETARG_DATUM(0), attribute.data, attribute.len);

	PG_RETURN_BOOL(!ValueIsMissing(v) && ValueTypeOf(v) == VALUE_S && SliceEqual(ValuePayload(v), type));
}

/*
 * Nearly all items in the range of a pattern are of its kind.  With the usual
 * estimate for functions, a third, a read with a limit would seem to need the
 * whole range, and be sorted instead of read in the order of the index.
 */
DYNAMO_FUNCTION(dynamo_has_type_support);
Datum
dynamo_has_type_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (!IsA(request, SupportRequestSelectivity))
		PG_RETURN_POINTER(NULL);
	((SupportRequestSelectivity *) request)->selectivity = 1.0;
	PG_RETURN_POINTER(request);
}
