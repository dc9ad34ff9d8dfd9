/*
 * scan.c
 *	  Pages of parallel scans, at a rate of read units that all threads share.
 */
#include <math.h>
#include <string.h>

#include "move.h"

static pthread_mutex_t limiter = PTHREAD_MUTEX_INITIALIZER;
static double next_read;		/* when the units of the past reads are used up */

static void
WaitForUnits(void)
{
	double		wait;

	pthread_mutex_lock(&limiter);
	wait = next_read - MoveClock();
	pthread_mutex_unlock(&limiter);
	if (options.rate > 0 && wait > 0)
		MoveSleep(wait);
}

static void
ChargeUnits(double units)
{
	double		now = MoveClock();

	if (options.rate <= 0)
		return;
	pthread_mutex_lock(&limiter);
	next_read = (next_read > now ? next_read : now) + units / options.rate;
	pthread_mutex_unlock(&limiter);
}

/*
 * What the answer says that the page has cost.  A page is a megabyte, which is 256 units at most:
 * an endpoint that tells no number or another one may not say how long to wait.  Half a unit for
 * 4 KB then.
 */
static double
CostOf(Link *link, json_t *answer)
{
	json_t	   *cost = json_object_get(json_object_get(answer, "ConsumedCapacity"), "CapacityUnits");

	if (json_is_number(cost) && json_number_value(cost) >= 0 && json_number_value(cost) <= 256)
		return json_number_value(cost);
	return fmin(ceil((double) link->answer.len / 8192), 256);
}

/* The next page of a segment, whose LastEvaluatedKey is a key or absent; adds what it has cost. */
json_t *
ScanPage(Link *link, const char *table, int segment, int segments, json_t *start, Circle *circle, double *units)
{
	json_t	   *request = json_pack("{s:s,s:s}", "TableName", table, "ReturnConsumedCapacity", "TOTAL"),
			   *answer,
			   *key;
	double		cost;

	if (segments > 1)
	{
		json_object_set_new(request, "Segment", json_integer(segment));
		json_object_set_new(request, "TotalSegments", json_integer(segments));
	}
	if (json_is_object(start))
		json_object_set(request, "ExclusiveStartKey", start);
	/* a page must not take more than a second's units by much */
	if (options.rate > 0 && options.rate < 128)
		json_object_set_new(request, "Limit", json_integer(lround(fmax(1, options.rate * 2))));
	WaitForUnits();
	answer = LinkCall(link, "Scan", request, NULL);
	JsonNeedArray(answer, "Items", "an answer of Scan");
	key = json_object_get(answer, "LastEvaluatedKey");
	/* the scan would begin again */
	if (key != NULL && json_object_size(key) == 0)
		MoveFail("an answer of Scan has a LastEvaluatedKey that is no key");
	if (key != NULL)
		CircleCheck(circle, key, "the scan of table", table);
	cost = CostOf(link, answer);
	ChargeUnits(cost);
	*units += cost;
	return answer;
}

/* Runs a function in some threads, and waits for all of them. */
void
RunThreads(void *(*run) (void *), void *arg, int count)
{
	pthread_t	threads[count > 0 ? count : 1];

	for (int i = 0; i < count; i++)
	{
		if (pthread_create(&threads[i], NULL, run, arg) != 0)
			MoveFail("cannot start a thread");
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
