/*
 * template_time.c
 *	  Instants: ISO 8601 in and out, whatever TimeZone and DateStyle say.
 */
#include "postgres.h"

#include "datatype/timestamp.h"

#include "entity/template_time.h"

#define UNIX_EPOCH_DAY	719468	/* days from 0000-03-01 to 1970-01-01 */
#define DAYS_IN_ERA		146097	/* 400 years */
#define FIRST_INSTANT	(INT64CONST(-62135596800) * USECS_PER_SEC)	/* 0001-01-01 */
#define END_OF_INSTANTS	(INT64CONST(253402300800) * USECS_PER_SEC)	/* 10000-01-01 */

static const struct
{
	int64		usecs;
	uint32		length;			/* length of its text */
	int			countdown;		/* number of digits of a countdown */
}			units[] = {
	[TIME_DATE] = {USECS_PER_DAY, 10, 7},
	[TIME_SECONDS] = {USECS_PER_SEC, 20, 12},
	[TIME_MILLISECONDS] = {1000, 24, 15},
	[TIME_MICROSECONDS] = {1, 27, 18},
};

/* ---- the calendar ---- */

/*
 * Returns the days since 1970; years begin in March, so that a leap day is the
 * last day.
 */
static int64
ConvertDateToDay(int year, int month, int day)
{
	int			y = month > 2 ? year : year - 1;
	int			era = y / 400;
	int			year_of_era = y - era * 400;
	int			day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	int			day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return (int64) era * DAYS_IN_ERA + day_of_era - UNIX_EPOCH_DAY;
}

static void
ConvertDayToDate(int64 days, int *year, int *month, int *day)
{
	int64		shifted = days + UNIX_EPOCH_DAY;
	int64		era = shifted / DAYS_IN_ERA;
	int			day_of_era = (int) (shifted - era * DAYS_IN_ERA);
	int			year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
							   day_of_era / (DAYS_IN_ERA - 1)) / 365;
	int			day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int			m = (5 * day_of_year + 2) / 153;

	*day = day_of_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = (int) (year_of_era + era * 400) + (*month <= 2);
}

static int
CountDaysOfMonth(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* ---- reading ---- */

/* Reads exactly n digits; returns false if there are fewer. */
static bool
ReadFixedDigits(Slice *text, int n, int *value)
{
	*value = 0;
	if (text->len < (uint32) n)
		return false;
	for (int i = 0; i < n; i++)
	{
		if (text->data[i] < '0' || text->data[i] > '9')
			return false;
		*value = *value * 10 + (text->data[i] - '0');
	}
	*text = (Slice) {text->data + n, text->len - n};
	return true;
}

static bool
ReadCharacter(Slice *text, const char *one_of)
{
	if (text->len == 0 || text->data[0] == '\0' || strchr(one_of, text->data[0]) == NULL)
		return false;
	*text = (Slice) {text->data + 1, text->len - 1};
	return true;
}

static bool
ReadDate(Slice *text, int64 *day)
{
	int			year;
	int			month;
	int			day_of_month;

	if (!ReadFixedDigits(text, 4, &year) || !ReadCharacter(text, "-") ||
		!ReadFixedDigits(text, 2, &month) || !ReadCharacter(text, "-") ||
		!ReadFixedDigits(text, 2, &day_of_month) || year == 0 || month < 1 || month > 12 ||
		day_of_month < 1 || day_of_month > CountDaysOfMonth(year, month))
		return false;
	*day = ConvertDateToDay(year, month, day_of_month);
	return true;
}

/*
 * Reads the digits after a decimal point as microseconds; cuts off further
 * digits.
 */
static bool
ReadFraction(Slice *text, int *usecs)
{
	int			unit = USECS_PER_SEC / 10;
	uint32		i = 0;

	*usecs = 0;
	for (; i < text->len && text->data[i] >= '0' && text->data[i] <= '9'; i++, unit /= 10)
		*usecs += (text->data[i] - '0') * unit;
	*text = (Slice) {text->data + i, text->len - i};
	return i > 0;
}

static bool
ReadClock(Slice *text, int64 *usecs)
{
	int			hour;
	int			minute;
	int			second = 0;
	int			fraction = 0;

	if (!ReadFixedDigits(text, 2, &hour) || !ReadCharacter(text, ":") || !ReadFixedDigits(text, 2, &minute))
		return false;
	if (ReadCharacter(text, ":") &&
		(!ReadFixedDigits(text, 2, &second) ||
		 (ReadCharacter(text, ".") && !ReadFraction(text, &fraction))))
		return false;
	*usecs = ((int64) hour * SECS_PER_HOUR + minute * SECS_PER_MINUTE + second) * USECS_PER_SEC + fraction;
	return hour < 24 && minute < 60 && second < 60;
}

static bool
ReadZone(Slice *text, int64 *offset)
{
	bool		west = text->len > 0 && text->data[0] == '-';
	int			hours;
	int			minutes = 0;

	*offset = 0;
	if (text->len == 0 || ReadCharacter(text, "Zz"))
		return true;
	if (!ReadCharacter(text, "+-") || !ReadFixedDigits(text, 2, &hours))
		return false;
	if (text->len > 0)
	{
		(void) ReadCharacter(text, ":");
		if (!ReadFixedDigits(text, 2, &minutes))
			return false;
	}
	*offset = ((int64) hours * SECS_PER_HOUR + minutes * SECS_PER_MINUTE) * USECS_PER_SEC * (west ? -1 : 1);
	return hours < 24 && minutes < 60;
}

bool
InstantFromText(Slice text, int64 *instant)
{
	int64		day;
	int64		clock = 0;
	int64		offset = 0;

	if (!ReadDate(&text, &day))
		return false;
	if (text.len > 0 &&
		(!ReadCharacter(&text, "Tt ") || !ReadClock(&text, &clock) || !ReadZone(&text, &offset)))
		return false;
	*instant = day * USECS_PER_DAY + clock - offset;
	return text.len == 0 && *instant >= FIRST_INSTANT && *instant < END_OF_INSTANTS;
}

bool
InstantFromSeconds(Slice text, int64 *instant)
{
	bool		negative = text.len > 0 && text.data[0] == '-';
	int64		seconds = 0;
	int			fraction = 0;
	bool		finer;

	if (negative)
		text = (Slice) {text.data + 1, text.len - 1};
	if (text.len == 0 || text.data[0] < '0' || text.data[0] > '9')
		return false;
	while (text.len > 0 && text.data[0] >= '0' && text.data[0] <= '9')
	{
		seconds = seconds * 10 + (text.data[0] - '0');
		if (seconds > END_OF_INSTANTS / USECS_PER_SEC)
			return false;
		text = (Slice) {text.data + 1, text.len - 1};
	}
	finer = text.len > 7;		/* a point and more than six digits, of which the last is not 0 */
	if (ReadCharacter(&text, ".") && !ReadFraction(&text, &fraction))
		return false;
	*instant = seconds * USECS_PER_SEC + fraction;
	if (negative)
		*instant = -*instant - (finer ? 1 : 0);
	return text.len == 0 && *instant >= FIRST_INSTANT && *instant < END_OF_INSTANTS;
}

/* ---- writing ---- */

/*
 * Returns the greatest multiple of the unit that is not later than the
 * instant, in units.
 */
static int64
CountWholeUnits(int64 instant, int64 unit)
{
	int64		whole = instant / unit;

	return whole - (instant % unit < 0);
}

uint32
InstantToText(int64 instant, TimeUnit unit, char *out)
{
	int64		day = CountWholeUnits(instant, USECS_PER_DAY);
	int64		clock = instant - day * USECS_PER_DAY;
	int			seconds = (int) (clock / USECS_PER_SEC);
	int			fraction = (int) (clock % USECS_PER_SEC);
	int			year;
	int			month;
	int			day_of_month;
	int			n;

	ConvertDayToDate(day, &year, &month, &day_of_month);
	n = snprintf(out, INSTANT_MAX_TEXT, "%04d-%02d-%02d", year, month, day_of_month);
	if (unit == TIME_DATE)
		return n;
	n += snprintf(out + n, INSTANT_MAX_TEXT - n, "T%02d:%02d:%02d", seconds / SECS_PER_HOUR,
				  seconds / SECS_PER_MINUTE % MINS_PER_HOUR, seconds % SECS_PER_MINUTE);
	if (unit == TIME_MILLISECONDS)
		n += snprintf(out + n, INSTANT_MAX_TEXT - n, ".%03d", fraction / 1000);
	else if (unit == TIME_MICROSECONDS)
		n += snprintf(out + n, INSTANT_MAX_TEXT - n, ".%06d", fraction);
	out[n++] = 'Z';
	return n;
}

int64
InstantCountdown(int64 instant, TimeUnit unit)
{
	return END_OF_INSTANTS / units[unit].usecs - 1 - CountWholeUnits(instant, units[unit].usecs);
}

int64
InstantOfCountdown(int64 countdown, TimeUnit unit)
{
	return (END_OF_INSTANTS / units[unit].usecs - 1 - countdown) * units[unit].usecs;
}

int
CountdownDigits(TimeUnit unit)
{
	return units[unit].countdown;
}

uint32
InstantTextLength(TimeUnit unit)
{
	return units[unit].length;
}
