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
 * blank or a T, any precision of seconds, and the zone Z, +02, +0200 or none,
 * which means UTC.  Returns false if the text is invalid.
 */
extern bool InstantFromText(Slice text, int64 *instant);

/* Reads a decimal number of seconds. */
extern bool InstantFromSeconds(Slice text, int64 *instant);

/*
 * Writes an instant, truncated to the unit, to out[INSTANT_MAX_TEXT]; returns
 * the length.
 */
extern uint32 InstantToText(int64 instant, TimeUnit unit, char *out);

/*
 * Converts an instant to the number of units until the end of the year 9999,
 * and back.
 */
extern int64 InstantCountdown(int64 instant, TimeUnit unit);
extern int64 InstantOfCountdown(int64 countdown, TimeUnit unit);

/*
 * The number of digits of every countdown of a unit, or of every text of a
 * unit.
 */
extern int	CountdownDigits(TimeUnit unit);
extern uint32 InstantTextLength(TimeUnit unit);

#endif							/* DYNAMO_ENTITY_TEMPLATE_TIME_H */
