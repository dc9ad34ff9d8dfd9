/*
 * request_ttl.c
 *	  UpdateTimeToLive and DescribeTimeToLive.
 *
 * A change is complete when the request ends.  But no other change is accepted
 * for as long as the service would need for the first one.
 */
#include "postgres.h"

#include "datatype/timestamp.h"

#include "errors.h"
#include "index/ttl.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "security/settings_owner.h"
#include "ddl/table_settings.h"
#include "worker/api.h"

/*
 * Stores the time of the change; raises an error if there was another change
 * recently.  The table is locked already.
 */
static void
RecordTtlChange(const char *name)
{
	int64		now = SettingsTime();
	OpenedTable table;

	TableOpen(&table, name, AccessShareLock);
	if (now - table.settings->ttl_changed < request_ttl_interval * USECS_PER_SEC)
		InvalidRequest("Time to live has been modified multiple times within a fixed interval");
	table.settings->ttl_changed = now;
	TableSettingsWrite(table.rel, table.settings);
	TableClose(&table);
}

static const Member ttl_members[] = {
	REQUIRED("Enabled", model_boolean),
	REQUIRED("AttributeName", model_key_name),
};
static const Shape ttl = STRUCTURE("TimeToLiveSpecification", ttl_members);
static const Member update_ttl_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("TimeToLiveSpecification", ttl),
};
static const Shape update_time_to_live_input = STRUCTURE("UpdateTimeToLiveInput", update_ttl_members);

static void
UpdateTimeToLiveRequest(Request *request)
{
	const Field *specification = FieldMember(request->input, "TimeToLiveSpecification");
	const char *name = FieldTableName(request->input);
	Slice		attribute = FieldSlice(specification, "AttributeName");
	bool		enabled = FieldBool(specification, "Enabled", false);
	Writer	   *out = request->out;

	TtlCheckChange(name, attribute, enabled);
	RecordTtlChange(name);
	if (enabled)
		TtlEnable(name, attribute);
	else
		TtlDisable(name);
	WriterName(out, "TimeToLiveSpecification");
	WriterBeginObject(out);
	WriterName(out, "AttributeName");
	WriterSlice(out, attribute);
	WriterBoolMember(out, "Enabled", enabled);
	WriterEndObject(out);
}

OPERATION(UpdateTimeToLive, &update_time_to_live_input, UpdateTimeToLiveRequest, .changes = "TableName");

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_time_to_live_input = STRUCTURE("DescribeTimeToLiveInput", table_members);

static void
DescribeTimeToLiveRequest(Request *request)
{
	Writer	   *out = request->out;
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	WriterName(out, "TimeToLiveDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "TimeToLiveStatus",
					   table.def->ttl.data != NULL ? "ENABLED" : "DISABLED");
	if (table.def->ttl.data != NULL)
	{
		WriterName(out, "AttributeName");
		WriterSlice(out, table.def->ttl);
	}
	WriterEndObject(out);
	TableClose(&table);
}

OPERATION(DescribeTimeToLive, &describe_time_to_live_input, DescribeTimeToLiveRequest, .on_coordinator = true);
