/*
 * shape.h
 *	  Shapes: what the members of a request are, as data.
 *
 * The service describes every operation by a model: the structure of its
 * input, the type of each member and the constraints on it.  A request meets
 * the model twice, each time by one generic walk over the same tables:
 *
 *		request_read.c		JSON text to a tree of fields; a wrong JSON type is a
 *					SerializationException, the first in the text is reported
 *		check.c		the tree against lengths, ranges, patterns and enums; up
 *					to ten violations are reported together, in model order
 *
 * model_*.c hold the tables.  Attribute values are the bulk of a request.
 * They are made into items at once, by item/, with no field for what is inside
 * them.  What is wrong with such a value matters less than wrong types further
 * on, and than the model: the field keeps it as a problem until somebody asks
 * for the value.
 */
#ifndef DYNAMO_SHAPE_H
#define DYNAMO_SHAPE_H

#include "lib/stringinfo.h"

#include "item/builder.h"
#include "problem.h"
#include "request/wording.h"

typedef enum ShapeKind
{
	SHAPE_STRING,
	SHAPE_BOOLEAN,
	SHAPE_INTEGER,				/* 32 bits */
	SHAPE_LONG,					/* 64 bits */
	SHAPE_LIST,
	SHAPE_MAP,					/* map from strings to any values */
	SHAPE_STRUCTURE
} ShapeKind;

typedef struct Shape Shape;

#define MAX_ARN		1024

/* A regular expression, as text for messages and as a function. */
typedef struct Pattern
{
	const char *text;
	bool		(*matches) (Slice string);
} Pattern;

/*
 * Whether a violation by a member of the input hides the violations by all
 * others, in the current wording.
 */
typedef enum Hiding
{
	HIDES_NONE,
	HIDES_IF_EMPTY,				/* an empty string hides the others */
	HIDES_ALWAYS,
	HIDDEN_BY_OTHERS			/* the others hide it, in every wording */
} Hiding;

/* Texts of a shape's violations that the service has changed; WORDING_NONE: as all others. */
typedef struct ShapeWords
{
	Wording		min;
	Wording		max;
	Wording		values;
} ShapeWords;

/* A member of a structure. */
typedef struct Member
{
	const char *name;			/* name in JSON: "TableName" */
	const Shape *shape;
	bool		required;
	Hiding		hiding;
} Member;

struct Shape
{
	ShapeKind	kind;

	const char *name;			/* name of a structure in the service's messages */

	bool		raw;			/* an attribute value, or a map of them */
	bool		placeholders;	/* a raw map whose names are :placeholders */

	/*
	 * Minimum and maximum length of a string, list or map, or value of a
	 * number; 0 for no limit.  The model needs no limit of 0: not_negative
	 * forbids negative values.
	 */
	int64		min;
	int64		max;
	bool		not_negative;
	bool		whole;			/* an INTEGER without a decimal point */
	const char *not_null;		/* what the service says it expects instead of null; NULL: null is as no value */
	const Pattern *pattern;
	bool		or_arn;			/* an ARN of up to MAX_ARN characters is allowed, too */
	const char *const *values;	/* values of an enum in the service's order, ending with NULL */

	const Shape *key;			/* constraints on the names of a map */
	const Shape *element;		/* shape of the elements of a list or map */
	int			nmembers;		/* members of a structure, in the order of checks */
	const Member *members;
	const char *current_first;	/* of an input: the member checked first in the current wording */
	bool		partly_classic;	/* of an input: has the classic wording for some requests (check.c) */
	ShapeWords	words;
};

/* A value of a request. */
typedef struct Field
{
	const Shape *shape;
	Slice		text;			/* the JSON text */
	struct varlena *item;		/* raw shape: the item or value, or NULL */
	Problem    *problem;		/* raw shape: the problem of the item or value, or NULL */
	Slice		string;			/* STRING */
	int64		integer;		/* INTEGER, LONG */
	bool		boolean;		/* BOOLEAN */

	/*
	 * LIST: the elements (NULL for null).  MAP: the values, with their names.
	 * STRUCTURE: one for each member of the shape, NULL if it is absent.  A
	 * raw shape has none.
	 */
	int			count;
	struct Field **fields;
	Slice	   *names;
} Field;

/* ---- request_read.c ---- */

/*
 * Reads a whole request.  Raises ERRCODE_DYNAMO_NOT_JSON, or
 * ERRCODE_DYNAMO_SERIALIZATION for the first value of a wrong JSON type.  words are
 * those of problems of attribute values.  The tree points into text; palloc'd in the
 * current context.
 */
extern Field *RequestRead(const Shape *shape, const char *text, uint32 len, ValueWords words);

/*
 * Returns the field of a raw map with fields for its values, which contain the
 * texts of numbers.
 */
extern Field *FieldExpand(const Field *field);

/*
 * Accessors for structures: return the value of the named member, or the
 * default.  The shape must have the member.
 */
extern const Field *FieldMember(const Field *structure, const char *name);
extern Slice FieldSlice(const Field *structure, const char *name);
extern const char *FieldString(const Field *structure, const char *name);
extern bool FieldIs(const Field *structure, const char *name, const char *value);
extern bool FieldBool(const Field *structure, const char *name, bool missing);
extern int64 FieldInteger(const Field *structure, const char *name, int64 missing);

/* A time in seconds, which may have decimals, in microseconds; -1 if it is none that a calendar has. */
extern int64 FieldMicroseconds(const Field *structure, const char *name, int64 missing);

/* ---- check.c ---- */

/* Raises ERRCODE_DYNAMO_VALIDATION with all violations of the model. */
extern void RequestCheck(const Field *input);

/*
 * Whether an item, key or value is nested so deeply that the service answers in
 * the classic wording.
 */
extern bool RequestIsVeryDeep(const Field *input);

/* ---- print.c ---- */

/* Appends a field as the service shows it in messages: [KeySchemaElement(...)]. */
extern void FieldPrint(StringInfo out, const Field *field);

/* Appends the JSON of a field without white space. */
extern void FieldPrintJson(StringInfo out, const Field *field);

#endif							/* DYNAMO_SHAPE_H */
