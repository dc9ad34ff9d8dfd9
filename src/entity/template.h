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
#define TEMPLATE_MAX_DIGITS	38	/* maximum of digits in a number */
#define TEMPLATE_MAX_SHARDS	100000

typedef enum PartKind
{
	PART_TEXT,
	PART_NUMBER,				/* fixed width, like PART_TIME */
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
	Slice		name;			/* the path as written */
	int			nsteps;
	Slice	   *steps;			/* the names in the path */
	LetterCase	letters;		/* PART_TEXT and PART_SHARD */
	bool		any;			/* PART_TEXT */
	bool		word;
	int			digits;			/* PART_NUMBER: digits before the decimal point */
	int			decimals;		/* PART_NUMBER: digits after the decimal point */
	bool		with_sign;
	bool		descending;		/* PART_NUMBER and PART_TIME */
	TimeUnit	unit;			/* PART_TIME */
	uint32		shards;			/* PART_SHARD */
} TemplatePart;

/* A literal text, or a part if part is not NULL. */
typedef struct TemplatePiece
{
	Slice		text;			/* text of a literal */
	TemplatePart *part;
} TemplatePiece;

/* Two literals are never adjacent. */
typedef struct Template
{
	Slice		source;
	int			npieces;
	TemplatePiece *pieces;
	int			marked;			/* the piece marked "any"; npieces if there is none */
} Template;

/* ---- template_read.c ---- */

/*
 * Reads a template, palloc'd, which points into the text.  Returns NULL and
 * the problem, a sentence without its end, if the text is invalid.
 */
extern Template *TemplateRead(Slice text, const char **problem);

/*
 * Returns the template from the backend's cache; valid as long as the current
 * memory context.  Raises ERRCODE_INVALID_PARAMETER_VALUE if it is malformed.
 */
extern const Template *TemplateGet(Slice text);

/* Whether a template has no parts, so that all items have the same key. */
extern bool TemplateIsConstant(const Template *template);

/* Whether a template consists of one attribute without a format; sets *name. */
extern bool TemplateIsName(const Template *template, Slice *name);

/* Appends the prefix that all keys of a template have. */
extern void TemplateAppendPrefix(const Template *template, StringInfo out);

/* Whether the texts of a part sort like its values. */
extern bool PartIsOrdered(const TemplatePart *part);

/*
 * Whether an attribute's value is read from this piece: the piece is a part
 * that contains it, and no other piece contains it more exactly.
 */
extern bool PieceTellsAttribute(const Template *template, int piece);

/* ---- template_compose.c ---- */

typedef enum ComposeStatus
{
	COMPOSE_OK,
	COMPOSE_MISSING,			/* the attribute is missing, null or empty */
	COMPOSE_UNFIT				/* the value does not fit the format */
} ComposeStatus;

typedef struct ComposeProblem
{
	const TemplatePart *part;
	const char *reason;			/* reason of COMPOSE_UNFIT, a clause: "is negative" */
} ComposeProblem;

/*
 * Returns the attribute of an item that a part refers to; MISSING_VALUE if
 * there is none.
 */
extern ValueRef PartAttribute(const TemplatePart *part, ValueRef item);

/* Appends the key of an item; sets *problem if it cannot be composed. */
extern ComposeStatus TemplateCompose(const Template *template, ValueRef item,
									 StringInfo out, ComposeProblem *problem);

/*
 * Appends the key of values that a function finds; it sets *reason if a value
 * does not fit.  If a part is missing, the text before it has been appended.
 */
typedef ValueRef (*PartFinder) (void *arg, const TemplatePart *part, const char **reason);

extern ComposeStatus TemplateComposeFrom(const Template *template, PartFinder find, void *arg,
										 StringInfo out, ComposeProblem *problem);

/*
 * Appends the text of one part for its value, regardless of what follows the
 * part.
 */
extern ComposeStatus PartAppend(const TemplatePart *part, ValueRef value,
								StringInfo out, const char **reason);

/* ---- template_apart.c ---- */

/*
 * Takes a key apart: texts[i] is the text of piece i.  Returns false if no
 * item has this key by the template.  texts has room for npieces elements.
 */
extern bool TemplateTakeApart(const Template *template, Slice key, Slice *texts);

/*
 * Appends the value, as text, of the attribute that a part's text contains,
 * and returns its type, S or N.  The piece must contain the attribute, and the
 * text must come from TemplateTakeApart.
 */
extern ValueType PartAppendValue(const TemplatePart *part, Slice text, StringInfo out);

/* ---- template_overlap.c ---- */

/* Whether some key matches both templates; appends an example of such a key. */
extern bool TemplatesOverlap(const Template *a, const Template *b, StringInfo example);

#endif							/* DYNAMO_ENTITY_TEMPLATE_H */
