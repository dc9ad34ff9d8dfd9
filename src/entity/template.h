/*
 * template.h
 *	  Templates of keys: "ORDER#{order_id:08}#{placed_at:ms}".
 *
 * In single-table design a key is composed of other attributes of its item.
 * A template says how, and takes such a key apart again:
 *
 *		template	{ text | "{{" | "}}" | part }
 *		part		"{" path { ":" format } "}"
 *					"{#" count ":" path { ":" case } "}"
 *		path		name { "." name }
 *		name		characters other than { } : . # " | quoted
 *		quoted		'"' characters other than '"' '"'
 *		format		number | time | case | "desc" | "any" | "word"
 *		number		[ "+" ] "0" width [ "." digits ]
 *		time		"s" | "ms" | "us" | "date"
 *		case		"upper" | "lower"
 *
 * A part stands for the text of an attribute, a string or a number:
 *
 *		{n:08}		a number of 8 digits, zeros in front; {n:08.2}: and two
 *					decimals; {n:+08}: "p" and the digits or, of a negative
 *					number, "n" and their nines' complement
 *		{at:s}		an instant in UTC; of an ISO 8601 text or a number of
 *					seconds since 1970.  What is finer is cut off.
 *		{x:desc}	of a number or a time: greater ones come first
 *		{x:word}	letters, digits, "-", "_", ".", "@", and what is not ASCII
 *		{#13:x}		a shard: the CRC-32 of the text modulo 13, in two digits
 *
 * One value has one text, whatever the settings of the session; a format that
 * has an order has that of its values.  A part may not contain the text that
 * follows it, so that a key can be taken apart in one way, unless it is the
 * last or marked "any".  One part may be marked; those behind it may not
 * contain the text before them.
 *
 * Nothing here knows of catalogs.  Problems are returned, not raised.
 */
#ifndef DYNAMO_ENTITY_TEMPLATE_H
#define DYNAMO_ENTITY_TEMPLATE_H

#include "lib/stringinfo.h"

#include "item/item.h"

#define TEMPLATE_MAX_BYTES	1024
#define TEMPLATE_MAX_PARTS	32
#define TEMPLATE_MAX_DIGITS	38	/* as of a number */
#define TEMPLATE_MAX_SHARDS	100000

typedef enum PartKind
{
	PART_TEXT,
	PART_NUMBER,				/* of fixed width, as the next */
	PART_TIME,
	PART_SHARD
} PartKind;

typedef enum TimeUnit
{
	TIME_DATE,
	TIME_SECONDS,
	TIME_MILLISECONDS,
	TIME_MICROSECONDS
} TimeUnit;

typedef enum LetterCase
{
	CASE_AS_IS,
	CASE_UPPER,
	CASE_LOWER
} LetterCase;

typedef struct TemplatePart
{
	PartKind	kind;
	Slice		name;			/* the path as it is written */
	int			nsteps;
	Slice	   *steps;			/* its names */
	LetterCase	letters;		/* PART_TEXT and PART_SHARD */
	bool		any;			/* PART_TEXT, as the next */
	bool		word;
	int			digits;			/* PART_NUMBER: before the decimal point */
	int			decimals;		/* behind it */
	bool		with_sign;
	bool		descending;		/* PART_NUMBER and PART_TIME */
	TimeUnit	unit;			/* PART_TIME */
	uint32		shards;			/* PART_SHARD */
} TemplatePart;

/* A literal text, or a part if part is not NULL. */
typedef struct TemplatePiece
{
	Slice		text;			/* of a literal */
	TemplatePart *part;
} TemplatePiece;

/* No two literals stand beside each other. */
typedef struct Template
{
	Slice		source;
	int			npieces;
	TemplatePiece *pieces;
	int			marked;			/* the piece that is marked "any"; npieces: none */
} Template;

/* ---- template_read.c ---- */

/*
 * Reads a template, palloc'd, which points into the text.  NULL, with what is
 * wrong, a sentence without its end, if it is none.
 */
extern Template *TemplateRead(Slice text, const char **problem);

/*
 * The same from the backend's cache; valid as long as the current memory
 * context.  Raises ERRCODE_INVALID_PARAMETER_VALUE if it is malformed.
 */
extern const Template *TemplateGet(Slice text);

/* Whether it has no parts, so that all items have the same key. */
extern bool TemplateIsConstant(const Template *template);

/* Whether it is one attribute as it is and nothing else; *name is set. */
extern bool TemplateIsName(const Template *template, Slice *name);

/* Appends what every key by this template begins with. */
extern void TemplateAppendPrefix(const Template *template, StringInfo out);

/* Whether a part's text has the order of its values. */
extern bool PartIsOrdered(const TemplatePart *part);

/*
 * Whether an attribute can be told from a part's text: from this piece, if it
 * is a part, and not better from another one with the same attribute.
 */
extern bool PieceTellsAttribute(const Template *template, int piece);

/* ---- template_compose.c ---- */

typedef enum ComposeStatus
{
	COMPOSE_OK,
	COMPOSE_MISSING,			/* the item has no such attribute, or it is null or empty */
	COMPOSE_UNFIT				/* it does not fit the format */
} ComposeStatus;

typedef struct ComposeProblem
{
	const TemplatePart *part;
	const char *reason;			/* of COMPOSE_UNFIT: a clause, "is negative" */
} ComposeProblem;

/* The attribute of an item that a part stands for; MISSING_VALUE if there is none. */
extern ValueRef PartAttribute(const TemplatePart *part, ValueRef item);

/* Appends the key of an item; *problem is set if that is not possible. */
extern ComposeStatus TemplateCompose(const Template *template, ValueRef item,
									 StringInfo out, ComposeProblem *problem);

/*
 * The same with what a part stands for from elsewhere; *reason is set if it
 * does not fit.  What comes before a part that is missing has been appended.
 */
typedef ValueRef (*PartFinder) (void *arg, const TemplatePart *part, const char **reason);

extern ComposeStatus TemplateComposeFrom(const Template *template, PartFinder find, void *arg,
										 StringInfo out, ComposeProblem *problem);

/* Appends the text of one part, given its value, whatever follows it. */
extern ComposeStatus PartAppend(const TemplatePart *part, ValueRef value,
								StringInfo out, const char **reason);

/* ---- template_apart.c ---- */

/*
 * Takes a key apart: texts[i] is the text of piece i.  False if no item has
 * this key by the template.  texts has room for npieces.
 */
extern bool TemplateTakeApart(const Template *template, Slice key, Slice *texts);

/*
 * Appends the attribute's value, as text, that a part's text tells, and its
 * type, S or N; the piece tells the attribute and the text is one of TemplateTakeApart.
 */
extern ValueType PartAppendValue(const TemplatePart *part, Slice text, StringInfo out);

/* ---- template_overlap.c ---- */

/* Whether some key is one by both templates, an example of which is appended. */
extern bool TemplatesOverlap(const Template *a, const Template *b, StringInfo example);

#endif							/* DYNAMO_ENTITY_TEMPLATE_H */
