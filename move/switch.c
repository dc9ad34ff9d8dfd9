/*
 * switch.c
 *	  The commands "switch" and "reverse": the target is written from now on, and its
 *	  changes go into the source, so that the way back stays open.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

#define QUIET	10.0			/* without --until-quiet */

static bool
IsPhase(json_t *move, const char *phase)
{
	return strcmp(JsonString(move, "phase"), phase) == 0;
}

static json_t *
NeedMove(Link *source, Link *state, const char *phase, char **text)
{
	json_t	   *move;

	StatePrepare(state);
	move = StateGetMove(state, text);
	if (move == NULL)
		MoveFail("there is no move \"%s\"; begin with \"copy\"", options.move);
	CheckIdentity(move, source, state);
	if (!IsPhase(move, phase))
		MoveFail("the move \"%s\" is %s", options.move, IsPhase(move, "switched") ? "switched already" : IsPhase(move, "copying") ?
				 "not copied yet" : "not switched");
	return move;
}

/* Any other program that still applies changes meets states that are not what it stored. */
static void
EndOthers(Link *state, const char *prefix)
{
	json_t	   *states = StateList(state, prefix),
			   *text;
	const char *name;

	json_object_foreach(states, name, text)
	{
		json_t	   *value = StateParse(json_string_value(text), name);
		char	   *changed;

		json_object_set_new(value, "turn", json_real(MoveNow()));
		changed = JsonText(value);
		StatePut(state, name, json_string_value(text), changed);
		free(changed);
		json_decref(value);
	}
	json_decref(states);
}

/* The target's stream, which is started if there is none. */
static char *
TargetStream(Link *target)
{
	json_t	   *table = DescribeTable(target, options.target_table, false);
	json_t	   *stream = json_object_get(table, "StreamSpecification");
	char	   *arn;

	if (!JsonTrue(stream, "StreamEnabled"))
	{
		json_decref(LinkCall(target, "UpdateTable", json_pack("{s:s,s:{s:b,s:s}}", "TableName", options.target_table, "StreamSpecification",
															   "StreamEnabled", 1, "StreamViewType", "NEW_AND_OLD_IMAGES"), NULL));
		AwaitTable(target, options.target_table);
		json_decref(table);
		table = DescribeTable(target, options.target_table, false);
	}
	arn = MoveCopy(JsonNeed(table, "LatestStreamArn", "the target's description"));
	json_decref(table);
	return arn;
}

/* The attribute of a table's time to live; NULL: it is off. */
static char *
TimeToLive(Link *link, const char *table)
{
	CallError	error;
	json_t	   *answer = LinkCall(link, "DescribeTimeToLive", json_pack("{s:s}", "TableName", table), &error),
			   *description = json_object_get(answer, "TimeToLiveDescription");
	const char *attribute = JsonString(description, "AttributeName"),
			   *status = JsonString(description, "TimeToLiveStatus");
	char	   *found = attribute != NULL && status != NULL && strncmp(status, "ENABL", 5) == 0 ? MoveCopy(attribute) : NULL;

	json_decref(answer);
	return found;
}

/* The target deletes expired items from now on, as the source did. */
static void
MoveTimeToLive(Link *source, Link *target)
{
	char	   *attribute = TimeToLive(source, options.tables[0]),
			   *theirs = TimeToLive(target, options.target_table);
	CallError	error;

	if (attribute != NULL && theirs == NULL)
	{
		json_t	   *changed = LinkCall(target, "UpdateTimeToLive", json_pack("{s:s,s:{s:b,s:s}}", "TableName", options.target_table,
																			  "TimeToLiveSpecification", "Enabled", 1, "AttributeName", attribute), &error);

		if (changed == NULL)
			MoveWarn("time to live was not turned on in the target: %s", error.message);
		json_decref(changed);
	}
	free(attribute);
	free(theirs);
}

/* The exit status of a command that has not switched. */
static int
NotSwitched(void)
{
	MoveWarn("not switched: %s", move_stop ? "it was interrupted" : "the tables differ");
	return move_stop ? 2 : 1;
}

/* Applies what is left, and compares.  False: not now. */
static bool
Drain(Direction direction, const char *arn)
{
	long		applied;

	/* without a comparison, nobody would see what another stream has */
	direction.may_end = !options.no_compare;
	if (options.no_compare)
	{
		Link	   *link = LinkOpen(direction.from);

		CheckStream(link, direction.from_table, arn);
		LinkClose(link);
	}
	applied = FollowStream(&direction, arn, options.until_quiet >= 0 ? options.until_quiet : QUIET);

	if (move_stop)
		return false;
	MoveSay("applied the last %ld changes", applied);
	return (options.no_compare || CompareTables() == 0) && !move_stop;
}

static Direction
Forward(json_t *move)
{
	return (Direction) {&options.source, &options.target, options.tables[0], options.target_table, "shard/",
		FollowBegun(move), FollowSince(move), .beside_copy = false};
}

/* The stream's clock may tell whole seconds only. */
static Direction
Backward(json_t *move)
{
	return (Direction) {&options.target, &options.source, options.target_table, options.tables[0], "reverse/",
		JsonNumber(move, "switched"), JsonNumber(move, "switched") - 2, .beside_copy = false};
}

static int
SwitchForward(Link *source, Link *target)
{
	char	   *text,
			   *arn;
	json_t	   *move = NeedMove(source, target, "copied", &text);
	int			status = 0;

	if (JsonString(move, "stream") != NULL && !Drain(Forward(move), JsonString(move, "stream")))
		status = NotSwitched();
	else if (JsonString(move, "stream") == NULL && !options.no_compare && CompareTables() != 0)
		status = NotSwitched();
	if (status == 0)
	{
		arn = TargetStream(target);
		ShardsBegin(target, target, arn, "reverse/", true);
		MoveTimeToLive(source, target);
		json_object_set_new(move, "switched", json_real(LinkSince(target)));
		json_object_set_new(move, "target_stream", json_string(arn));
		json_object_set_new(move, "phase", json_string("switched"));
		json_object_del(move, "reversed");
		EndOthers(target, "shard/");
		StateSetMove(target, move, &text);
		MoveSay("switched: let the application write to the target, and run \"reverse\" to keep the source up to date");
		free(arn);
	}
	json_decref(move);
	free(text);
	return status;
}

/* Before the first change goes back: nobody has written to the source since the switch. */
static void
CheckSource(Link *source, Link *target, json_t *move, char **text)
{
	const char *arn = JsonString(move, "stream");
	Direction	direction = Forward(move);

	if (JsonTrue(move, "reversed"))
		return;
	direction.refuse = true;
	if (arn != NULL && !options.no_compare)
	{
		CheckStream(source, options.tables[0], arn);
		FollowStream(&direction, arn, 2);
		/* not everything was looked at */
		if (move_stop)
			return;
	}
	json_object_set_new(move, "reversed", json_true());
	StateSetMove(target, move, text);
}

static int
SwitchBack(Link *source, Link *target)
{
	char	   *text;
	json_t	   *move = NeedMove(source, target, "switched", &text);
	const char *arn = JsonNeed(move, "target_stream", "the state of the move");
	int			status;

	CheckSource(source, target, move, &text);
	status = !move_stop && Drain(Backward(move), arn) ? 0 : NotSwitched();
	if (status == 0)
	{
		/* What went back need not come again, and the source's stream may have lost it. */
		if (JsonString(move, "stream") != NULL)
			ShardsBegin(source, target, JsonString(move, "stream"), "shard/", true);
		json_object_set_new(move, "resumed", json_real(LinkSince(source)));
		json_object_set_new(move, "phase", json_string("copied"));
		EndOthers(target, "reverse/");
		StateSetMove(target, move, &text);
		MoveSay("switched back: let the application write to the source; \"follow\" goes on");
	}
	json_decref(move);
	free(text);
	return status;
}

int
SwitchCommand(void)
{
	Link	   *source = LinkOpen(&options.source),
			   *target = LinkOpen(&options.target);
	int			status = options.back ? SwitchBack(source, target) : SwitchForward(source, target);

	LinkClose(source);
	LinkClose(target);
	return status;
}

int
ReverseCommand(void)
{
	Link	   *source = LinkOpen(&options.source),
			   *target = LinkOpen(&options.target);
	char	   *text;
	json_t	   *move = NeedMove(source, target, "switched", &text);
	const char *arn = JsonNeed(move, "target_stream", "the state of the move");
	Direction	direction = Backward(move);
	long		applied;

	CheckStream(target, options.target_table, arn);
	CheckSource(source, target, move, &text);
	LinkClose(source);
	LinkClose(target);
	applied = move_stop ? 0 : FollowStream(&direction, arn, options.until_quiet);
	MoveSay("applied %ld changes to the source, %lu retries", applied, retries);
	json_decref(move);
	free(text);
	return 0;
}
