/*
 * base.c
 *	  Memory, text, time and messages.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "move.h"

volatile int move_stop;

/* The length of a character that changes how a terminal shows others: a control or one of the direction of text. */
static int
ControlLength(const unsigned char *c)
{
	if (*c < 32 || *c == 127)
		return 1;
	if ((c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c))
		return 2;
	if (c[0] == 0xe2 && ((c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
						 (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)))
		return 3;
	return 0;
}

/*
 * What tables and endpoints are called and say goes to a terminal: such characters are shown as \x1b
 * or \u202e.  With lines, a newline is one, after which the text is indented: no name looks like a message.
 */
static void
WritePlain(FILE *to, const char *text, bool lines)
{
	for (const unsigned char *c = (const unsigned char *) text; *c != '\0';)
	{
		int			len = ControlLength(c);

		if (lines && *c == '\n')
		{
			fputs("\n\t", to);
			c += c[1] == '\t' ? 2 : 1;
		}
		else if (len == 0)
			putc(*c++, to);
		else
		{
			unsigned	code = len == 1 ? c[0] : len == 2 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu) :
				(c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);

			fprintf(to, code > 0xff ? "\\u%04x" : "\\x%02x", code);
			c += len;
		}
	}
}

static void
WriteMessage(const char *format, va_list args)
{
	char	   *text;
	size_t		len;

	if (vasprintf(&text, format, args) < 0)
		return;
	/* libpq's messages end with newlines */
	for (len = strlen(text); len > 0 && text[len - 1] == '\n'; len--)
		text[len - 1] = '\0';
	WritePlain(stderr, text, true);
	putc('\n', stderr);
	free(text);
}

static char *
FormatList(const char *format, va_list args)
{
	char	   *text;

	if (vasprintf(&text, format, args) < 0)
		MoveFail("out of memory");
	return text;
}

/* For reports, on the standard output; only the format ends a line. */
void
MovePrint(const char *format,...)
{
	size_t		len = strlen(format);
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = FormatList(format, args);
	va_end(args);
	if (len > 0 && format[len - 1] == '\n')
	{
		text[strlen(text) - 1] = '\0';
		WritePlain(stdout, text, false);
		putchar('\n');
	}
	else
		WritePlain(stdout, text, false);
	free(text);
}

/* Whatever is unfinished is repeated by the next run: so this ends all threads at once. */
void
MoveFail(const char *format,...)
{
	va_list		args;

	flockfile(stderr);
	fflush(stdout);
	fputs("dynamo-move: ", stderr);
	va_start(args, format);
	WriteMessage(format, args);
	va_end(args);
	fflush(stderr);
	_exit(2);
}

static void
SayList(const char *format, va_list args)
{
	flockfile(stderr);
	WriteMessage(format, args);
	funlockfile(stderr);
}

/* Progress. */
void
MoveSay(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	if (!options.quiet)
		SayList(format, args);
	va_end(args);
}

/* What the user must know, also with --quiet. */
void
MoveWarn(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	SayList(format, args);
	va_end(args);
}

void *
MoveAlloc(size_t size)
{
	void	   *p = calloc(1, size ? size : 1);

	if (p == NULL)
		MoveFail("out of memory");
	return p;
}

void *
MoveRealloc(void *old, size_t size)
{
	void	   *p = realloc(old, size);

	if (p == NULL)
		MoveFail("out of memory");
	return p;
}

char *
MoveCopy(const char *text)
{
	size_t		len = strlen(text) + 1;

	return memcpy(MoveAlloc(len), text, len);
}

char *
MoveFormat(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = FormatList(format, args);
	va_end(args);
	return text;
}

void
TextAdd(Text *text, const void *data, size_t len)
{
	if (text->size - text->len <= len)
	{
		text->size = (text->len + len + 1) * 2;
		text->data = MoveRealloc(text->data, text->size);
	}
	if (len > 0)
		memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
}

void
TextAddString(Text *text, const char *string)
{
	TextAdd(text, string, strlen(string));
}

void
TextClear(Text *text)
{
	text->len = 0;
	TextAdd(text, "", 0);
}

void
TextFree(Text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

static double
ReadClock(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Seconds since some moment; the difference of two is a duration. */
double
MoveClock(void)
{
	return ReadClock(CLOCK_MONOTONIC);
}

/* Seconds since 1970. */
double
MoveNow(void)
{
	return ReadClock(CLOCK_REALTIME);
}

/* Returns early if the program is to end. */
void
MoveSleep(double seconds)
{
	double		until = MoveClock() + seconds;

	while (!move_stop && MoveClock() < until)
	{
		double		rest = until - MoveClock();
		struct timespec t = {0, rest < 0.1 ? (long) (rest * 1e9) : 100000000};

		if (rest > 0)
			nanosleep(&t, NULL);
	}
}

/* Between attempts: whoever repeats something while the program ends must not do it at once. */
void
MovePause(double seconds)
{
	double		until = MoveClock() + seconds;

	for (double rest = seconds; rest > 0; rest = until - MoveClock())
	{
		struct timespec t = {(time_t) rest, (long) ((rest - (time_t) rest) * 1e9)};

		nanosleep(&t, NULL);
	}
}

/*
 * Whether what fails again and again is to be given up, because the program is to end.  A request
 * that is throttled at this moment may still succeed.  The caller keeps the time, 0 at first.
 */
bool
MoveGivesUp(double *since)
{
	if (move_stop && *since == 0)
		*since = MoveClock();
	return *since > 0 && MoveClock() - *since > 5;
}

/* For pauses between attempts: the threads of many programs should not agree. */
unsigned
MoveRandom(void)
{
	static __thread unsigned seed;

	if (seed == 0)
		seed = (unsigned) time(NULL) ^ (unsigned) getpid() ^ (unsigned) (uintptr_t) &seed;
	return (unsigned) rand_r(&seed);
}

char *
MoveDuration(double seconds)
{
	long		s = (long) (fmin(seconds, 1e12) + 0.5);

	if (s < 120)
		return MoveFormat("%ld s", s);
	if (s < 7200)
		return MoveFormat("%ld min", s / 60);
	if (s < 172800)
		return MoveFormat("%ld h %ld min", s / 3600, s / 60 % 60);
	return MoveFormat("%ld days", s / 86400);
}

/* On one line, without spaces: control characters are escaped. */
char *
JsonText(json_t *value)
{
	char	   *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	if (text == NULL)
		MoveFail("out of memory");
	return text;
}

json_t *
JsonParse(const char *text, size_t len, const char *what)
{
	json_error_t error;
	json_t	   *value = json_loadb(text, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);

	if (value == NULL)
		MoveFail("%s is not JSON: %s", what, error.text);
	return value;
}

/* A member that is a string, or NULL. */
const char *
JsonString(json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* A string without which an answer cannot be used. */
const char *
JsonNeed(json_t *object, const char *name, const char *what)
{
	const char *value = JsonString(object, name);

	if (value == NULL)
		MoveFail("%s has no %s", what, name);
	return value;
}

/* The same for a list. */
json_t *
JsonNeedArray(json_t *object, const char *name, const char *what)
{
	json_t	   *value = json_object_get(object, name);

	if (!json_is_array(value))
		MoveFail("%s has no list %s", what, name);
	return value;
}

bool
JsonTrue(json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

double
JsonNumber(json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/*
 * Every page of a list ends with the key after which the next one begins.  Fails if a list comes
 * to a key for the second time, for it would never end.  One key is remembered at a time, in turn
 * the 1st, the 2nd, the 4th and so on: a circle of any length comes back to one of them.
 */
void
CircleCheck(Circle *circle, json_t *key, const char *what, const char *name)
{
	if (circle->mark != NULL && json_equal(circle->mark, key))
		MoveFail("%s \"%s\" does not go on after %s", what, name, JsonText(key));
	if (circle->pages++ == circle->next)
	{
		json_decref(circle->mark);
		circle->mark = json_incref(key);
		circle->next = circle->next * 2 + 1;
	}
}

/* For a list that is of no use before its end: it also ends with the program. */
void
ListCheck(Circle *circle, json_t *key, const char *what, const char *name)
{
	CircleCheck(circle, key, what, name);
	if (move_stop)
		MoveFail("stopped in %s \"%s\"", what, name);
}

void
CircleEnd(Circle *circle)
{
	json_decref(circle->mark);
	memset(circle, 0, sizeof(*circle));
}
