/*
 * entity_filter_find.c
 *	  Finds the filter of an entity view in the join tree, and the quals that
 *	  must hold for its rows.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "planner/entity_filter.h"

static const FuncExpr *
CastToFilter(Node *node, Oid function, Index varno)
{
	FuncExpr   *call = (FuncExpr *) node;
	Var		   *table;

	if (node == NULL || !IsA(node, FuncExpr) || call->funcid != function ||
		list_length(call->args) <= FIRST_PART_ARGUMENT || !IsA(linitial(call->args), Var))
		return NULL;
	table = linitial(call->args);
	return table->varno == (int) varno && table->varlevelsup == 0 &&
		table->varattno == TableOidAttributeNumber ? call : NULL;
}

List *
QualConjuncts(Node *quals)
{
	List	   *result = NIL;
	List	   *members = quals == NULL ? NIL :
		IsA(quals, List) ? (List *) quals :
		is_andclause(quals) ? ((BoolExpr *) quals)->args : NIL;
	ListCell   *cell;

	if (quals == NULL)
		return NIL;
	if (members == NIL)
		return list_make1(quals);
	foreach(cell, members)
		result = list_concat(result, QualConjuncts(lfirst(cell)));
	return result;
}

static bool
FindInQuals(Filter *f, Node **quals, Oid function)
{
	ListCell   *cell;

	foreach(cell, QualConjuncts(*quals))
	{
		f->call = CastToFilter(lfirst(cell), function, f->varno);
		if (f->call == NULL)
			continue;
		f->path = list_make1(quals);
		return true;
	}
	return false;
}

/*
 * Determines whether the quals of a join apply to the filter's rows, and
 * whether quals further out do: a join extends rows of its nullable side.
 */
static bool
FindInJoin(Filter *f, JoinExpr *join, Oid function, bool *closed)
{
	bool		left;

	if (FindInQuals(f, &join->quals, function))
		return true;
	left = FilterFind(f, join->larg, function, closed);
	if (!left && !FilterFind(f, join->rarg, function, closed))
		return false;
	if (*closed)
		return true;
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI ||
		(left && join->jointype == JOIN_RIGHT) ||
		(!left && (join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI)))
		f->path = lappend(f->path, &join->quals);
	*closed = join->jointype == JOIN_FULL || (left ? join->jointype == JOIN_RIGHT : join->jointype != JOIN_INNER);
	if (!left && join->jointype == JOIN_RIGHT)
		*closed = false;
	return true;
}

bool
FilterFind(Filter *f, Node *node, Oid function, bool *closed)
{
	FromExpr   *from = (FromExpr *) node;
	ListCell   *cell;

	if (node == NULL || IsA(node, RangeTblRef))
		return false;
	if (IsA(node, JoinExpr))
		return FindInJoin(f, (JoinExpr *) node, function, closed);
	if (FindInQuals(f, &from->quals, function))
	{
		f->from = from;
		return true;
	}
	foreach(cell, from->fromlist)
	{
		if (!FilterFind(f, lfirst(cell), function, closed))
			continue;
		if (!*closed)
			f->path = lappend(f->path, &from->quals);
		return true;
	}
	return false;
}
