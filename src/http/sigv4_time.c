/*
 * sigv4_time.c
 *	  Checks the time of a signature.
 */
#include "postgres.h"

#include <time.h>

#include "http/sigv4_internal.h"

#define MAX_SKEW	(15 * 60)
#define EXPIRES_DIGITS	6			/* a number with more is longer than a week */
#define TIME_LEN	16			/* of 20260131T235959Z */

/* Reads digits at a position; returns -1 if there are other characters. */
static int
ReadTimeDigits(Slice text, uint32 at, uint32 n)
{
	int			value = 0;

	for (uint32 i = at; i < at + n; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		value = value * 10 + (text.data[i] - '0');
	}
	return value;
}

/* Days from the epoch to a date of the Gregorian calendar. */
static int64
DaysOf(int year, int month, int day)
{
	/* years that begin in March: the leap day is the last one */
	int			y = month <= 2 ? year - 1 : year;
	int			m = month <= 2 ? month + 9 : month - 3;

	return (int64) y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* 20260131T235959Z to epoch seconds. */
static bool
ReadTime(Slice text, int64 *seconds)
{
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second;

	if (text.len != TIME_LEN || text.data[8] != 'T' || text.data[15] != 'Z')
		return false;
	year = ReadTimeDigits(text, 0, 4);
	month = ReadTimeDigits(text, 4, 2);
	day = ReadTimeDigits(text, 6, 2);
	hour = ReadTimeDigits(text, 9, 2);
	minute = ReadTimeDigits(text, 11, 2);
	second = ReadTimeDigits(text, 13, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	*seconds = ((DaysOf(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}

static char *
TimeText(int64 seconds)
{
	time_t		t = (time_t) seconds;
	struct tm	tm;
	char	   *text = palloc(TIME_LEN + 16);

	if (gmtime_r(&t, &tm) == NULL || strftime(text, TIME_LEN + 16, "%Y%m%dT%H%M%SZ", &tm) == 0)
		elog(ERROR, "could not format a time");
	return text;
}

/* Returns the time for which a signature is valid; a query string may shorten it. */
static int64
ValidityOf(const Signature *signature)
{
	Slice		text = signature->expires;

	if (text.data == NULL)
		return MAX_SKEW;
	for (uint32 i = 0; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			SignatureIncomplete(SignatureFormat("X-Amz-Expires must be a number of seconds, not negative. Got '@'.", text));
	}
	if (text.len == 0 || text.len > EXPIRES_DIGITS)
		return text.len == 0 ? 0 : MAX_SKEW;
	return Min(ReadTimeDigits(text, 0, (int) text.len), MAX_SKEW);
}

void
SignatureCheckTime(const Signature *signature, int64 now)
{
	int64		signed_at;
	int64		validity = ValidityOf(signature);

	if (!ReadTime(signature->time, &signed_at))
		SignatureIncomplete(SignatureFormat("Date must be in ISO-8601 'basic format'. Got '@'. "
											"See http://en.wikipedia.org/wiki/ISO_8601",
											signature->time));
	if (signed_at < now - validity)
		SignatureInvalid(psprintf("Signature expired: %s is now earlier than %s (%s - %d %s.)",
								  SignaturePrintable(signature->time), TimeText(now - validity),
								  TimeText(now),
								  (int) (validity == MAX_SKEW ? validity / 60 : validity),
								  validity == MAX_SKEW ? "min" : "sec"));
	if (signed_at > now + MAX_SKEW)
		SignatureInvalid(psprintf("Signature not yet current: %s is still later than %s (%s + %d min.)",
								  SignaturePrintable(signature->time), TimeText(now + MAX_SKEW),
								  TimeText(now), MAX_SKEW / 60));
}
