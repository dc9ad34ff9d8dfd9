/*
 * writer.h
 *	  Writing a response: JSON, one member after the other.
 *
 * The writer puts the commas.  A value in an object follows WriterName.
 */
#ifndef DYNAMO_WRITER_H
#define DYNAMO_WRITER_H

#include "item/json.h"

typedef struct Writer
{
	StringInfoData out;
	bool		comma;			/* something stands before the next element */
} Writer;

/* Begins a text in the current context. */
extern void WriterInit(Writer *w);

/* Makes room before the text, for a varlena header. */
extern struct varlena *WriterFinish(Writer *w);

/* Around the members of an object, or the elements of a list. */
extern void WriterBeginObject(Writer *w);
extern void WriterEndObject(Writer *w);
extern void WriterBeginList(Writer *w);
extern void WriterEndList(Writer *w);

/* The name of the next value, inside an object. */
extern void WriterName(Writer *w, const char *name);
extern void WriterNameSlice(Writer *w, Slice name);

/* A string, escaped as JSON demands. */
extern void WriterString(Writer *w, const char *text);
extern void WriterSlice(Writer *w, Slice text);

/* Capacity units and the like: always with a fraction, 0.5 or 2.0. */
extern void WriterUnits(Writer *w, double value);

/* Any other number, in the shortest form. */
extern void WriterDouble(Writer *w, double value);

/* Epoch seconds with milliseconds. */
extern void WriterTimestamp(Writer *w, int64 microseconds);

/* An item (a map), or an attribute value, in DynamoDB JSON. */
extern void WriterItem(Writer *w, const struct varlena *item);
extern void WriterValue(Writer *w, ValueRef value);

/* Text that is JSON already. */
extern void WriterRaw(Writer *w, Slice json);

/* Name and value at once. */
extern void WriterStringMember(Writer *w, const char *name, const char *text);
extern void WriterIntegerMember(Writer *w, const char *name, int64 value);
extern void WriterBoolMember(Writer *w, const char *name, bool value);

/* Nothing for a time of 0. */
extern void WriterTimeMember(Writer *w, const char *name, int64 microseconds);
extern void WriterItemMember(Writer *w, const char *name, const struct varlena *item);

#endif							/* DYNAMO_WRITER_H */
