/*
 * template_time.h
 *	  Instants of the years 1 to 9999 as microseconds since 1970, UTC.
 */
#ifndef DYNAMO_ENTITY_TEMPLATE_TIME_H
#define DYNAMO_ENTITY_TEMPLATE_TIME_H

#include "entity/template.h"

#define INSTANT_MAX_TEXT	28

/*
 * Reads an ISO 8601 text: 2026-01-31, or 2026-01-31T12:00:00.5+02:00 with a
 * blank for the T, fewer or more digits of seconds, and a zone Z, +02, +0200
 * or none, which is UTC.  False if it is none.
 */
extern bool InstantFromText(Slice text, int64 *instant);

/* Reads the plain decimal text of a number of seconds. */
extern bool InstantFromSeconds(Slice text, int64 *instant);

/* Writes an instant, cut to the unit, to out[INSTANT_MAX_TEXT]; returns the length. */
extern uint32 InstantToText(int64 instant, TimeUnit unit, char *out);

/* The number of units from the instant to the end of the year 9999, and back. */
extern int64 InstantCountdown(int64 instant, TimeUnit unit);
extern int64 InstantOfCountdown(int64 countdown, TimeUnit unit);

/* The digits that all countdowns of a unit, or texts of one, have. */
extern int	CountdownDigits(TimeUnit unit);
extern uint32 InstantTextLength(TimeUnit unit);

#endif							/* DYNAMO_ENTITY_TEMPLATE_TIME_H */
