/*
 * check.c
 *	  Checks requests against the constraints of the model.
 *
 * All violations are collected in the order of the model's tables, up to the
 * ten that the service reports at once.  Usually there are none: a first walk
 * only counts them, and a second one, if needed, describes them.
 */
#include "postgres.h"

#include "errors.h"
#include "request/shape.h"
#include "request/wording.h"

#define MAX_VIOLATIONS 10

typedef struct Check
{
	bool		telling;		/* this is the second walk, which uses the members up to count */
	ErrorWording wording;
	StringInfoData path;		/* path of the field that is checked: keySchema.1.member */
	Slice		entry;			/* name of the innermost entry of a map on it */
	StringInfoData violations;	/* the violations, joined */
	bool		whole;			/* they are a whole message */
	int			count;
} Check;

static void CheckField(Check *check, const Field *field);

/* Counts a violation; returns whether it is to be described. */
static bool
CountViolation(Check *check)
{
	if (check->count == MAX_VIOLATIONS)
		return false;
	check->count++;
	if (check->telling && check->count > 1)
		appendStringInfoString(&check->violations, "; ");
	return check->telling;
}

/* Reports a violation; constraint describes what must be satisfied. */
static void
AddViolation(Check *check, const Field *field, const char *constraint)
{
	StringInfo	out = &check->violations;

	if (!CountViolation(check))
		return;
	appendStringInfoString(out, "Value ");
	if (field == NULL)
		appendStringInfoString(out, "null");
	else
	{
		appendStringInfoChar(out, '\'');
		FieldPrint(out, field);
		appendStringInfoChar(out, '\'');
	}
	appendStringInfo(out, " at '%s' " WORDING_FAILED_CONSTRAINT "%s",
					 check->path.data, constraint);
}

/* Appends what a letter stands for in a text of wording.c. */
static void
AppendWordPart(StringInfo out, const Check *check, const Field *field, char letter)
{
	switch (letter)
	{
		case 'v':
			FieldPrint(out, field);
			break;
		case 'j':
			FieldPrintJson(out, field);
			break;
		case 'p':
			appendStringInfoString(out, check->path.data);
			break;
		case 't':
			appendBinaryStringInfo(out, check->entry.data, (int) check->entry.len);
			break;
	}
}

/* Reports a violation that has a text of its own; returns whether it has one. */
static bool
AddWorded(Check *check, const Field *field, Wording id)
{
	if (id == WORDING_NONE)
		return false;
	if (!CountViolation(check))
		return true;
	check->whole = WordingIsWhole(id, check->wording);
	for (const char *p = WordingTextIn(id, check->wording); *p != '\0'; p++)
	{
		if (*p == '%')
			AppendWordPart(&check->violations, check, field, *++p);
		else
			appendStringInfoChar(&check->violations, *p);
	}
	return true;
}

/* ---- the path ---- */

/* Messages name members in lower camel case. */
static void
PathAddMember(Check *check, const char *name)
{
	if (!check->telling)
		return;
	if (check->path.len > 0)
		appendStringInfoChar(&check->path, '.');
	appendStringInfoChar(&check->path, pg_tolower((unsigned char) name[0]));
	appendStringInfoString(&check->path, name + 1);
}

/* Messages name an element of a list by its position, starting with 1. */
static void
PathAddElement(Check *check, int i)
{
	if (check->telling)
		appendStringInfo(&check->path, ".%d.member", i + 1);
}

static void
PathAddEntry(Check *check, Slice name)
{
	check->entry = name;
	if (check->telling)
		appendStringInfo(&check->path, ".%.*s.member", (int) name.len, name.data);
}

static void
PathTruncate(Check *check, int len)
{
	if (!check->telling)
		return;
	check->path.len = len;
	check->path.data[len] = '\0';
}

/* ---- constraints ---- */

/* Compares the whole text; PostgreSQL's own functions stop at U+0000. */
static int64
CharacterCount(Slice string)
{
	int64		n = 0;

	for (uint32 i = 0; i < string.len; i++)
	{
		if (((unsigned char) string.data[i] & 0xC0) != 0x80)
			n++;
	}
	return n;
}

static int64
FieldLength(const Field *field)
{
	return field->shape->kind == SHAPE_STRING ? CharacterCount(field->string) : field->count;
}

static bool
BelowMin(const Shape *shape, int64 n)
{
	return (shape->min != 0 && n < shape->min) || (shape->not_negative && n < 0);
}

static bool
AboveMax(const Shape *shape, int64 n)
{
	return shape->max != 0 && n > shape->max;
}

static bool
EnumHasValue(const Shape *shape, Slice string)
{
	for (const char *const *v = shape->values; *v != NULL; v++)
	{
		if (SliceIs(string, *v))
			return true;
	}
	return false;
}

static char *
EnumText(const Shape *shape)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, WORDING_ENUM);
	for (const char *const *v = shape->values; *v != NULL; v++)
		appendStringInfo(&out, "%s%s", v == shape->values ? "[" : ", ", *v);
	appendStringInfoChar(&out, ']');
	return out.data;
}

/* Returns "length" or "value", depending on what the constraint limits. */
static const char *
NameMeasure(const Shape *shape)
{
	return shape->kind == SHAPE_INTEGER || shape->kind == SHAPE_LONG ? "value" : "length";
}

static char *
MinText(const Shape *shape)
{
	return psprintf(WORDING_AT_LEAST, NameMeasure(shape), (long long) shape->min);
}

static char *
MaxText(const Shape *shape)
{
	return psprintf(WORDING_AT_MOST, NameMeasure(shape), (long long) shape->max);
}

static char *
PatternText(const Shape *shape)
{
	return psprintf(WORDING_PATTERN "%s", shape->pattern->text);
}

static void
CheckBounds(Check *check, const Field *field, int64 n)
{
	const Shape *shape = field->shape;

	if (BelowMin(shape, n))
	{
		if (!AddWorded(check, field, shape->words.min))
			AddViolation(check, field, MinText(shape));
	}
	else if (AboveMax(shape, n) && !AddWorded(check, field, shape->words.max))
		AddViolation(check, field, MaxText(shape));
}

/*
 * Only the length of an ARN is checked here; the rest is checked when its
 * table is looked up.
 */
static bool
IsArnInstead(const Shape *shape, Slice string)
{
	return shape->or_arn && SliceBeginsWith(string, SliceOf("arn:"));
}

static void
CheckString(Check *check, const Field *field)
{
	const Shape *shape = field->shape;

	if (IsArnInstead(shape, field->string))
	{
		if (FieldLength(field) > MAX_ARN)
			AddViolation(check, field, psprintf(WORDING_AT_MOST, "length", (long long) MAX_ARN));
		return;
	}
	if (shape->values != NULL && !EnumHasValue(shape, field->string) &&
		!AddWorded(check, field, shape->words.values))
		AddViolation(check, field, EnumText(shape));
	if (shape->pattern != NULL && !shape->pattern->matches(field->string))
		AddViolation(check, field, PatternText(shape));
	if (shape->min != 0 || shape->max != 0)
		CheckBounds(check, field, FieldLength(field));
}

/* ---- containers ---- */

static void
CheckElements(Check *check, const Field *field)
{
	int			len = check->path.len;

	for (int i = 0; i < field->count; i++)
	{
		/* nothing to report, so that no path is needed */
		if (field->shape->element->raw && field->fields[i] != NULL)
			continue;
		PathAddElement(check, i);
		if (field->fields[i] == NULL)
			AddViolation(check, NULL, WORDING_NOT_NULL);
		else
			CheckField(check, field->fields[i]);
		PathTruncate(check, len);
	}
}

/* Checks the names or values of a map; violations are reported for the map. */
static char *
MapConstraints(const char *what, const Shape *shape)
{
	StringInfoData out;
	const char *separator = "";

	initStringInfo(&out);
	appendStringInfo(&out, "%s [", what);
	if (shape->max != 0)
	{
		appendStringInfoString(&out, MaxText(shape));
		separator = ", ";
	}
	if (shape->min != 0)
	{
		appendStringInfo(&out, "%s%s", separator, MinText(shape));
		separator = ", ";
	}
	if (shape->pattern != NULL)
		appendStringInfo(&out, "%s%s", separator, PatternText(shape));
	appendStringInfoChar(&out, ']');
	return out.data;
}

static bool
MapNamesFail(const Field *map)
{
	const Shape *shape = map->shape->key;

	for (int i = 0; i < map->count; i++)
	{
		int64		n = CharacterCount(map->names[i]);

		if (IsArnInstead(shape, map->names[i]) && n <= MAX_ARN)
			continue;
		if (BelowMin(shape, n) || AboveMax(shape, n) ||
			(shape->pattern != NULL && !shape->pattern->matches(map->names[i])))
			return true;
	}
	return false;
}

static bool
MapValuesFail(const Field *map)
{
	const Shape *shape = map->shape->element;

	if (shape->kind != SHAPE_STRING && shape->kind != SHAPE_LIST)
		return false;
	for (int i = 0; i < map->count; i++)
	{
		int64		n = FieldLength(map->fields[i]);

		if (BelowMin(shape, n) || AboveMax(shape, n))
			return true;
	}
	return false;
}

static void
CheckMapField(Check *check, const Field *field)
{
	int			len = check->path.len;
	ShapeKind	kind = field->shape->element->kind;

	CheckBounds(check, field, field->count);
	if (MapNamesFail(field) && !AddWorded(check, field, field->shape->words.values))
		AddViolation(check, field, MapConstraints(WORDING_MAP_KEYS, field->shape->key));
	if (MapValuesFail(field) && !AddWorded(check, field, field->shape->element->words.max))
		AddViolation(check, field, MapConstraints(WORDING_MAP_VALUE, field->shape->element));
	for (int i = 0; i < field->count; i++)
	{
		PathAddEntry(check, field->names[i]);
		if (kind == SHAPE_LIST)
			CheckElements(check, field->fields[i]);	/* the length is checked above */
		else if (kind != SHAPE_STRING)
			CheckField(check, field->fields[i]);
		PathTruncate(check, len);
	}
}

static void
CheckMember(Check *check, const Field *field, int i)
{
	const Member *member = &field->shape->members[i];
	const Field *value = field->fields[i];
	int			len = check->path.len;

	if (value == NULL && !member->required)
		return;
	PathAddMember(check, member->name);
	if (value == NULL)
		AddViolation(check, NULL, WORDING_NOT_NULL);
	else
		CheckField(check, value);
	PathTruncate(check, len);
}

static void
CheckStructure(Check *check, const Field *field)
{
	for (int i = 0; i < field->shape->nmembers; i++)
		CheckMember(check, field, i);
}

static void
CheckField(Check *check, const Field *field)
{
	if (field->shape->raw)
		return;					/* params.c checks attribute values */
	switch (field->shape->kind)
	{
		case SHAPE_STRING:
			CheckString(check, field);
			break;
		case SHAPE_INTEGER:
		case SHAPE_LONG:
			CheckBounds(check, field, field->integer);
			break;
		case SHAPE_LIST:
			CheckBounds(check, field, field->count);
			CheckElements(check, field);
			break;
		case SHAPE_MAP:
			CheckMapField(check, field);
			break;
		case SHAPE_STRUCTURE:
			CheckStructure(check, field);
			break;
		case SHAPE_BOOLEAN:
			break;
	}
}

/* ---- the order of members, and what hides what ---- */

static bool
MemberFails(const Field *input, int i)
{
	Check		check = {.telling = false};

	CheckMember(&check, input, i);
	return check.count > 0;
}

/* Whether a member violates the model in a way that hides other violations. */
static bool
HidesOthers(const Field *input, int i)
{
	Hiding		hiding = input->shape->members[i].hiding;

	if (input->fields[i] == NULL || hiding == HIDES_NONE || hiding == HIDDEN_BY_OTHERS ||
		(hiding == HIDES_IF_EMPTY && input->fields[i]->string.len > 0))
		return false;
	return MemberFails(input, i);
}

/* The member whose violations hide those of all others, or -1. */
static int
FindHiding(const Check *check, const Field *input)
{
	for (int i = 0; i < input->shape->nmembers; i++)
	{
		if (check->wording == ERROR_WORDING_CURRENT && HidesOthers(input, i))
			return i;
	}
	return -1;
}

/* The member that is checked before the others, or -1. */
static int
FirstMember(const Check *check, const Field *input)
{
	const Shape *shape = input->shape;

	for (int i = 0; i < shape->nmembers; i++)
	{
		if (check->wording == ERROR_WORDING_CURRENT && shape->current_first != NULL &&
			strcmp(shape->members[i].name, shape->current_first) == 0)
			return i;
	}
	return -1;
}

static void
CheckInput(Check *check, const Field *input)
{
	int			hiding = FindHiding(check, input);
	int			first = FirstMember(check, input);

	if (hiding >= 0)
	{
		CheckMember(check, input, hiding);
		return;
	}
	if (first >= 0)
		CheckMember(check, input, first);
	for (int i = 0; i < input->shape->nmembers; i++)
	{
		if (i != first && input->shape->members[i].hiding != HIDDEN_BY_OTHERS)
			CheckMember(check, input, i);
	}
	for (int i = 0; check->count == 0 && i < input->shape->nmembers; i++)
	{
		if (input->shape->members[i].hiding == HIDDEN_BY_OTHERS)
			CheckMember(check, input, i);
	}
}

/* ---- which wording ---- */

bool
RequestIsVeryDeep(const Field *input)
{
	for (int i = 0; i < input->count; i++)
	{
		const Field *field = input->fields[i];

		if (field == NULL || field->shape->kind < SHAPE_LIST)
			continue;
		if (field->shape->raw ? field->problem != NULL && field->problem->very_deep : RequestIsVeryDeep(field))
			return true;
	}
	return false;
}

static bool
LacksMember(const Field *input)
{
	for (int i = 0; i < input->count; i++)
	{
		if (input->fields[i] == NULL && input->shape->members[i].required)
			return true;
	}
	return false;
}

/*
 * Some operations still have the classic wording if a required member is absent,
 * or if a value is nested very deeply.
 */
static ErrorWording
ChooseWording(const Field *input)
{
	return input->shape->partly_classic && (LacksMember(input) || RequestIsVeryDeep(input)) ?
		ERROR_WORDING_CLASSIC : (ErrorWording) error_wording;
}

void
RequestCheck(const Field *input)
{
	Check		check = {.telling = false};

	CheckStructure(&check, input);
	if (check.count == 0)
		return;

	check.telling = true;
	check.wording = ChooseWording(input);
	check.count = 0;
	initStringInfo(&check.path);
	initStringInfo(&check.violations);
	CheckInput(&check, input);
	if (check.whole)
		InvalidRequest("%s", check.violations.data);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg_internal(WORDING_VIOLATIONS "%s", check.count,
							 check.count == 1 ? "" : "s", check.violations.data)));
}
