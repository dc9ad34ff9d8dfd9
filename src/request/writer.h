/*
 * writer.h
 *	  Writing a response: JSON, one member after the other.
 *
 * The writer puts the commas.  A value in an object follows WriterName.
 */
#ifndef DYNAMO_WRITER_H
#define DYNAMO_WRITER_H

#include "item/json.h"
#include "exported.h"

typedef struct Writer
{
	StringInfoData out;
	bool		comma;			/* a comma is needed before the next element */
} Writer;

/* Starts a text in the current memory context. */
extern DYNAMO_EXPORT void WriterInit(Writer *w);

/* Fills in the varlena header and returns the text. */
extern struct varlena *WriterFinish(Writer *w);

/*
 * Write the brackets around the members of an object, or the elements of a
 * list.
 */
extern void WriterBeginObject(Writer *w);
extern void WriterEndObject(Writer *w);
extern void WriterBeginList(Writer *w);
extern void WriterEndList(Writer *w);

/* Writes the name of the next value of an object. */
extern void WriterName(Writer *w, const char *name);
extern void WriterNameSlice(Writer *w, Slice name);

/* Writes a string with the escapes that JSON requires. */
extern void WriterString(Writer *w, const char *text);
extern void WriterSlice(Writer *w, Slice text);

/*
 * Writes a number that always has a fraction, such as capacity units: 0.5 or
 * 2.0.
 */
extern void WriterUnits(Writer *w, double value);

/* Writes a number in the shortest form. */
extern void WriterDouble(Writer *w, double value);

/* Writes epoch seconds with milliseconds. */
extern void WriterTimestamp(Writer *w, int64 microseconds);

/* Write an item (a map), or an attribute value, in DynamoDB JSON. */
extern void WriterItem(Writer *w, const struct varlena *item);
extern void WriterValue(Writer *w, ValueRef value);

/* Writes text that is JSON already. */
extern void WriterRaw(Writer *w, Slice json);

/* Write a name and its value. */
extern void WriterStringMember(Writer *w, const char *name, const char *text);
extern void WriterIntegerMember(Writer *w, const char *name, int64 value);
extern void WriterBoolMember(Writer *w, const char *name, bool value);

/* Writes a time as a member; writes nothing for 0. */
extern void WriterTimeMember(Writer *w, const char *name, int64 microseconds);
extern void WriterItemMember(Writer *w, const char *name, const struct varlena *item);

#endif							/* DYNAMO_WRITER_H */
