/*
 * json_reader.h
 *	  A pull reader for JSON text.
 *
 * The caller asks for the expected tokens.  The reader builds nothing and
 * copies only strings with escapes.  The text need not end with a NUL.
 *
 *	JsonReaderInit(&r, text, len);
 *	JsonBeginObject(&r);
 *	while (JsonNextMember(&r, &name))
 *	{
 *		if (JsonPeek(&r) == JSON_STRING)
 *			value = JsonString(&r);
 *		else
 *			JsonSkipValue(&r);
 *	}
 *	JsonEnd(&r);
 *
 * Invalid JSON is a problem with the reader's sqlstate and message, and the
 * byte position (counted from 1) in DETAIL.  It is raised, or noted in the
 * Problem that the reader was given.  After a noted problem the reader is at
 * the end of the text, and all results are empty.
 */
#ifndef DYNAMO_JSON_READER_H
#define DYNAMO_JSON_READER_H

#include "item/item.h"
#include "problem.h"
#include "exported.h"

/*
 * Maximum nesting of objects and arrays: more than an item's 32, for requests.
 */
#define JSON_MAX_DEPTH	1000

typedef enum JsonKind
{
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_NOTHING				/* a problem is noted */
} JsonKind;

typedef struct JsonReader
{
	const char *text;
	const char *end;
	const char *at;				/* next byte to read */
	bool		first;			/* the next member or element is the first one of
								 * its object or array */
	Problem    *problem;		/* NULL to raise problems */
	int			sqlstate;		/* of syntax errors */
	const char *message;
	const char *hint;			/* NULL if there is none */

	/*
	 * For attribute values (json.h) in a request: members that are not type
	 * names are skipped.
	 */
	bool		in_request;
} JsonReader;

/*
 * Starts reading.  Syntax errors are ERRCODE_INVALID_TEXT_REPRESENTATION,
 * "invalid input syntax for type json".  To change this, set sqlstate, message
 * and hint; to note problems, set problem.
 */
extern DYNAMO_EXPORT void JsonReaderInit(JsonReader *r, const char *text, uint32 len);

/* Notes or raises a problem of the text, which ends the reading. */
extern void JsonFail(JsonReader *r, const Problem *found);

static inline void
JsonSkipSpace(JsonReader *r)
{
	const char *p = r->at;

	while (p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	r->at = p;
}

/* The first byte of the next token, or NUL at the end of the text. */
static inline char
JsonNextByte(JsonReader *r)
{
	JsonSkipSpace(r);
	return r->at < r->end ? *r->at : '\0';
}

/* The kind of the next token; a problem at the end of the text. */
extern DYNAMO_EXPORT JsonKind JsonPeek(JsonReader *r);

/* The byte position of the next token, counted from 1. */
extern DYNAMO_EXPORT uint32 JsonPosition(const JsonReader *r);

/* Enters the next object; a problem if there is none. */
extern DYNAMO_EXPORT void JsonBeginObject(JsonReader *r);

/* The same if JsonNextByte has just returned the brace. */
static inline void
JsonEnterObject(JsonReader *r)
{
	r->at++;
	r->first = true;
}

/*
 * Reads the name of the next member of the innermost object; the caller must
 * then read or skip its value.  At the end, leaves the object and returns
 * false.
 */
extern DYNAMO_EXPORT bool JsonNextMember(JsonReader *r, Slice *name);

/* Enter an array, and move to its next element. */
extern DYNAMO_EXPORT void JsonBeginArray(JsonReader *r);
extern DYNAMO_EXPORT bool JsonNextElement(JsonReader *r);

/*
 * Reads the next string: in the text itself or, if it has escapes, palloc'd.
 * It may contain NUL bytes; its UTF-8 is valid.
 */
extern DYNAMO_EXPORT Slice JsonString(JsonReader *r);

/* Reads the next number, as written. */
extern DYNAMO_EXPORT Slice JsonNumber(JsonReader *r);

/* Reads the next true or false. */
extern DYNAMO_EXPORT bool JsonBool(JsonReader *r);

/* Skips the next value of any kind, checking its syntax. */
extern DYNAMO_EXPORT void JsonSkipValue(JsonReader *r);

/* Requires that only white space follows. */
extern DYNAMO_EXPORT void JsonEnd(JsonReader *r);

#endif							/* DYNAMO_JSON_READER_H */
