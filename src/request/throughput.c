/*
 * throughput.c
 *	  Throughput of tables and global indexes.
 */
#include "postgres.h"

#include "datatype/timestamp.h"

#include "errors.h"
#include "request/throughput.h"
#include "security/settings_owner.h"

#define MAX_THROUGHPUT INT64CONST(1000000000000)

/* The units that the service keeps warm for a table on demand. */
#define WARM_READ_UNITS		12000
#define WARM_WRITE_UNITS	4000

/* The value that removes a limit. */
#define NO_LIMIT			(-1)

/* ---- provisioned ---- */

static void
CheckUnits(const Field *throughput, const char *member)
{
	int64		units = FieldInteger(throughput, member, 0);

	if (units > MAX_THROUGHPUT)
		InvalidRequest("Given value " INT64_FORMAT " for %s is out of bounds", units, member);
}

void
CheckProvisioned(const Field *throughput)
{
	if (throughput == NULL)
		return;
	CheckUnits(throughput, "ReadCapacityUnits");
	CheckUnits(throughput, "WriteCapacityUnits");
}

void
CheckChanges(const Throughput *before, const Field *throughput, const char *index)
{
	int64		read_units = FieldInteger(throughput, "ReadCapacityUnits", 0);
	int64		write_units = FieldInteger(throughput, "WriteCapacityUnits", 0);
	const char *of = index == NULL ? "the table" : psprintf("index %s", index);

	if (read_units != before->read_units || write_units != before->write_units)
		return;
	InvalidRequest("The provisioned throughput for %s%s will not change. "
				   "The requested value equals the current value. "
				   "Current ReadCapacityUnits provisioned for %s: " INT64_FORMAT ". "
				   "Requested ReadCapacityUnits: " INT64_FORMAT ". "
				   "Current WriteCapacityUnits provisioned for %s: " INT64_FORMAT ". "
				   "Requested WriteCapacityUnits: " INT64_FORMAT ". "
				   "Refer to the Amazon DynamoDB Developer Guide for current limits and "
				   "how to request higher limits.",
				   index == NULL ? "" : "the ", of, of, read_units, read_units,
				   of, write_units, write_units);
}

static bool
IsSameDay(int64 a, int64 b)
{
	return a / USECS_PER_DAY == b / USECS_PER_DAY;
}

static bool
DecreasesThroughput(const Throughput *t, const Field *throughput)
{
	return FieldInteger(throughput, "ReadCapacityUnits", 0) < t->read_units ||
		FieldInteger(throughput, "WriteCapacityUnits", 0) < t->write_units;
}

void
DateProvisioned(Throughput *t, const Field *throughput)
{
	int64		now = SettingsTime();

	if (FieldInteger(throughput, "ReadCapacityUnits", 0) > t->read_units ||
		FieldInteger(throughput, "WriteCapacityUnits", 0) > t->write_units)
		t->increased = now;
	if (!DecreasesThroughput(t, throughput))
		return;
	if (!IsSameDay(now, t->decreased))
		t->decreases = 0;
	t->decreased = now;
}

static void
SetProvisioned(Throughput *t, const Field *throughput)
{
	int64		read_units = FieldInteger(throughput, "ReadCapacityUnits", 0);
	int64		write_units = FieldInteger(throughput, "WriteCapacityUnits", 0);

	DateProvisioned(t, throughput);
	t->decreases += DecreasesThroughput(t, throughput);
	t->read_units = read_units;
	t->write_units = write_units;
	t->warm_read_units = Max(t->warm_read_units, read_units);
	t->warm_write_units = Max(t->warm_write_units, write_units);
}

/* ---- on demand ---- */

/* Returns " for index: i", as in the message of each operation. */
static const char *
FormatIndexSuffix(ThroughputOf of, const char *format)
{
	return of.index == NULL ? "" : psprintf("%s%s", format, of.index);
}

static void
CheckLimit(const Field *limits, const char *member, ThroughputOf of)
{
	int64		units = FieldInteger(limits, member, 1);

	if (FieldMember(limits, member) == NULL)
		return;
	if (!of.on_demand && of.changed)
		InvalidParameter("%s for OnDemandThroughput%s cannot be specified when the table "
						 "BillingMode is PROVISIONED", member, FormatIndexSuffix(of, " for index : "));
	if (!of.on_demand)
		InvalidParameter("%s for OnDemandThroughput%s cannot be specified when table "
						 "BillingMode is PROVISIONED.", member, FormatIndexSuffix(of, " for index: "));
	if (units < 1 && !(of.changed && units == NO_LIMIT))
		InvalidParameter("Requested %s for OnDemandThroughput for %s is outside of valid range",
						 member, of.index == NULL ? "table" : psprintf("index : %s", of.index));
}

static void
SetLimit(int64 *limit, const Field *limits, const char *member)
{
	int64		units = FieldInteger(limits, member, *limit);

	*limit = units == NO_LIMIT ? 0 : units;
}

/* ---- warm ---- */

static int64
WarmReadUnits(const Throughput *t, bool on_demand)
{
	return Max(t->warm_read_units, on_demand ? WARM_READ_UNITS : t->read_units);
}

static int64
WarmWriteUnits(const Throughput *t, bool on_demand)
{
	return Max(t->warm_write_units, on_demand ? WARM_WRITE_UNITS : t->write_units);
}

/*
 * Checks a warm value.  least is the current value, or the provisioned units
 * in the member that is named.
 */
static void
CheckWarm(const Field *warm, const char *member, ThroughputOf of, int64 least,
		  const char *capacity)
{
	const char *what = of.index == NULL ? "table" : psprintf("index %s", of.index);

	if (FieldInteger(warm, member, least) >= least)
		return;
	if (of.changed)
		InvalidParameter("Requested %s for WarmThroughput for %s is lower than current "
						 "WarmThroughput, decreasing WarmThroughput is not supported",
						 member, what);
	if (of.on_demand)
		InvalidParameter("Requested %s for WarmThroughput for %s is lower than initial "
						 "throughput for OnDemand", member, what);
	InvalidParameter("Requested %s for WarmThroughput for %s is lower than %s of "
					 "ProvisionedThroughput", member, what, capacity);
}

/* ---- all of it ---- */

void
CheckThroughputLimits(const Field *structure, ThroughputOf of, const Throughput *before)
{
	const Field *limits = FieldMember(structure, "OnDemandThroughput");
	const Field *warm = FieldMember(structure, "WarmThroughput");

	if (limits != NULL)
	{
		CheckLimit(limits, "MaxReadRequestUnits", of);
		CheckLimit(limits, "MaxWriteRequestUnits", of);
	}
	if (warm != NULL)
	{
		CheckWarm(warm, "ReadUnitsPerSecond", of, WarmReadUnits(before, of.on_demand),
				  "ReadCapacityUnits");
		CheckWarm(warm, "WriteUnitsPerSecond", of, WarmWriteUnits(before, of.on_demand),
				  "WriteCapacityUnits");
	}
}

void
SetThroughput(Throughput *t, const Field *structure)
{
	const Field *provisioned = FieldMember(structure, "ProvisionedThroughput");
	const Field *limits = FieldMember(structure, "OnDemandThroughput");
	const Field *warm = FieldMember(structure, "WarmThroughput");

	if (provisioned != NULL)
		SetProvisioned(t, provisioned);
	if (limits != NULL)
	{
		SetLimit(&t->max_read_units, limits, "MaxReadRequestUnits");
		SetLimit(&t->max_write_units, limits, "MaxWriteRequestUnits");
	}
	if (warm != NULL)
	{
		t->warm_read_units = FieldInteger(warm, "ReadUnitsPerSecond", t->warm_read_units);
		t->warm_write_units = FieldInteger(warm, "WriteUnitsPerSecond", t->warm_write_units);
	}
}

Throughput
NewThroughput(const Field *structure, ThroughputOf of)
{
	const Field *provisioned = FieldMember(structure, "ProvisionedThroughput");
	Throughput	before = {0};
	Throughput	t = {0};

	if (provisioned != NULL)
		SetProvisioned(&before, provisioned);
	CheckThroughputLimits(structure, of, &before);
	SetThroughput(&t, structure);
	t.increased = 0;
	return t;
}

void
SetOnDemand(Throughput *t)
{
	t->read_units = t->write_units = 0;
}

/* Warm units on demand remain; limits end. */
void
SetNotOnDemand(Throughput *t)
{
	t->warm_read_units = WarmReadUnits(t, true);
	t->warm_write_units = WarmWriteUnits(t, true);
	t->max_read_units = t->max_write_units = 0;
}

/* ---- the answer ---- */

static void
WriterProvisioned(Writer *w, const Throughput *t)
{
	WriterName(w, "ProvisionedThroughput");
	WriterBeginObject(w);
	WriterTimeMember(w, "LastIncreaseDateTime", t->increased);
	WriterTimeMember(w, "LastDecreaseDateTime", t->decreased);
	WriterIntegerMember(w, "NumberOfDecreasesToday",
						IsSameDay(SettingsTime(), t->decreased) ? t->decreases : 0);
	WriterIntegerMember(w, "ReadCapacityUnits", t->read_units);
	WriterIntegerMember(w, "WriteCapacityUnits", t->write_units);
	WriterEndObject(w);
}

static void
WriterLimits(Writer *w, const Throughput *t)
{
	if (t->max_read_units == 0 && t->max_write_units == 0)
		return;
	WriterName(w, "OnDemandThroughput");
	WriterBeginObject(w);
	if (t->max_read_units != 0)
		WriterIntegerMember(w, "MaxReadRequestUnits", t->max_read_units);
	if (t->max_write_units != 0)
		WriterIntegerMember(w, "MaxWriteRequestUnits", t->max_write_units);
	WriterEndObject(w);
}

void
WriterThroughput(Writer *w, const Throughput *t, bool on_demand, const char *warm_status)
{
	WriterProvisioned(w, t);
	if (warm_status != NULL)
	{
		WriterName(w, "WarmThroughput");
		WriterBeginObject(w);
		WriterIntegerMember(w, "ReadUnitsPerSecond", WarmReadUnits(t, on_demand));
		WriterIntegerMember(w, "WriteUnitsPerSecond", WarmWriteUnits(t, on_demand));
		WriterStringMember(w, "Status", warm_status);
		WriterEndObject(w);
	}
	WriterLimits(w, t);
}
