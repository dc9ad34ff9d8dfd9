/*
 * json_reader.h
 *	  A pull reader over JSON text.
 *
 * The caller asks for what it expects; nothing is built and strings without
 * escapes are not copied.  The text need not end with a NUL.
 *
 *		JsonReaderInit(&r, text, len);
 *		JsonBeginObject(&r);
 *		while (JsonNextMember(&r, &name))
 *		{
 *			if (JsonPeek(&r) == JSON_STRING)
 *				value = JsonString(&r);
 *			else
 *				JsonSkipValue(&r);
 *		}
 *		JsonEnd(&r);
 *
 * Text that is no JSON raises an error with the reader's sqlstate and
 * message, and the byte position (counted from 1) in DETAIL.
 */
#ifndef DYNAMO_JSON_READER_H
#define DYNAMO_JSON_READER_H

#include "item/item.h"

/* Levels of objects and arrays; beyond an item's 32 with room for requests. */
#define JSON_MAX_DEPTH	1000

typedef enum JsonKind
{
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
} JsonKind;

typedef struct JsonReader
{
	const char *text;
	const char *end;
	const char *at;				/* the next byte to read */
	bool		first;			/* the next member or element is the first of
								 * its object or array */
	int			sqlstate;		/* of syntax errors */
	const char *message;
	const char *hint;			/* NULL: none */

	/*
	 * For attribute values (json.h): a member that names no type is skipped
	 * rather than an error.
	 */
	bool		ignore_unknown;
} JsonReader;

/*
 * Starts reading.  Syntax errors are ERRCODE_INVALID_TEXT_REPRESENTATION,
 * "invalid input syntax for type json"; set sqlstate, message and hint for
 * others.
 */
extern void JsonReaderInit(JsonReader *r, const char *text, uint32 len);

static inline void
JsonSkipSpace(JsonReader *r)
{
	const char *p = r->at;

	while (p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	r->at = p;
}

/* The byte that the next token starts with, or NUL at the end of the text. */
static inline char
JsonNextByte(JsonReader *r)
{
	JsonSkipSpace(r);
	return r->at < r->end ? *r->at : '\0';
}

/* What comes next; an error at the end of the text. */
extern JsonKind JsonPeek(JsonReader *r);

/* The byte at which the next token stands, counted from 1. */
extern uint32 JsonPosition(const JsonReader *r);

/* Enters the object that comes next; an error if none does. */
extern void JsonBeginObject(JsonReader *r);

/*
 * The name of the next member of the innermost object, after which its value
 * must be read or skipped; false, leaving the object, if there is none.
 */
extern bool JsonNextMember(JsonReader *r, Slice *name);

/* The same for the elements of an array. */
extern void JsonBeginArray(JsonReader *r);
extern bool JsonNextElement(JsonReader *r);

/*
 * The string that comes next: in the text itself or, if it has escapes,
 * palloc'd.  It may contain NUL bytes; its UTF-8 is valid.
 */
extern Slice JsonString(JsonReader *r);

/* The number that comes next, as it is written. */
extern Slice JsonNumber(JsonReader *r);

/* The true or false that comes next. */
extern bool JsonBool(JsonReader *r);

/* Skips the value that comes next, of any kind, checking its syntax. */
extern void JsonSkipValue(JsonReader *r);

/* Requires that nothing but white space follows. */
extern void JsonEnd(JsonReader *r);

#endif							/* DYNAMO_JSON_READER_H */
