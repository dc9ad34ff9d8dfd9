/*
 * frame.c
 *	  What the service says before errors that need no table.
 */
#include "postgres.h"

#include "errors.h"
#include "request/frame.h"

/* The message of the error that is being raised. */
static char *
MessageBeingRaised(const ErrorFrame *frame)
{
	MemoryContext old = MemoryContextSwitchTo(frame->context);
	ErrorData  *error = CopyErrorData();

	MemoryContextSwitchTo(old);
	return error->message;
}

/* An error context callback. */
static void
AddFrame(void *arg)
{
	const ErrorFrame *frame = arg;

	if (geterrcode() == ERRCODE_DYNAMO_VALIDATION && !RequestIsVeryDeep(frame->input))
		errmsg_internal("%s%s", WordingText(WORDING_REQUEST_ONLY), MessageBeingRaised(frame));
}

void
FrameBegin(ErrorFrame *frame, const Field *input)
{
	frame->input = input;
	frame->context = CurrentMemoryContext;
	frame->callback.callback = AddFrame;
	frame->callback.arg = frame;
	frame->callback.previous = error_context_stack;
	error_context_stack = &frame->callback;
}
