/*
 * frame.h
 *	  What the service says before errors that need no table.
 *
 *		ErrorFrame	frame;
 *
 *		FrameBegin(&frame, input);
 *		... checks of the request alone ...
 *		FrameEnd(&frame);
 *
 * A ValidationException that is raised between the two gets the text of
 * WORDING_REQUEST_ONLY in front of its message.  Nothing is done without an error:
 * the frame is a callback for the context of errors, which goes with the error.
 */
#ifndef DYNAMO_FRAME_H
#define DYNAMO_FRAME_H

#include "utils/elog.h"

#include "request/shape.h"

typedef struct ErrorFrame
{
	ErrorContextCallback callback;
	const Field *input;
	MemoryContext context;
} ErrorFrame;

extern void FrameBegin(ErrorFrame *frame, const Field *input);

static inline void
FrameEnd(const ErrorFrame *frame)
{
	error_context_stack = frame->callback.previous;
}

#endif							/* DYNAMO_FRAME_H */
