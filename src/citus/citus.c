/*
 * citus.c
 *	  Registers Citus as what distributes tables.
 *
 * Without Citus, it still knows its catalogs: a table whose rows are in shards must never be
 * taken for one of this server, even if Citus is no longer loaded.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "citus/apply.h"
#include "citus/citus.h"
#include "citus/custom_settings.h"
#include "citus/distribute.h"
#include "citus/distribute_by.h"
#include "citus/distributed_ddl.h"
#include "citus/distributed_table.h"
#include "citus/each_shard.h"
#include "citus/entity_view_nodes.h"
#include "citus/index_changes.h"
#include "citus/node_link.h"
#include "citus/node_row.h"
#include "citus/nodes.h"
#include "citus/on_shard.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "citus/shard_call.h"
#include "citus/shard_ddl.h"
#include "citus/shards.h"
#include "citus/write_elsewhere.h"

static bool
IsElsewhere(const ShardMap *map, int position, int *group)
{
	(void) GetShardPlace(map, position, group);
	return ShardIsElsewhere(map, position);
}

static const PlacementMethods placed_by_citus = {
	.server_is_worker = ServerIsWorkerOfCitus,
	.session_is_of_node = SessionIsOfCitus,
	.nodes_are_reachable = RemoteIsPossible,

	.is_distributed = TableIsOfCitus,
	.schema_is_distributed = SchemaIsOfCitus,
	.table_of_shard = TableOfShard,
	.number_of_shard = ShardNumber,
	.distribution_column = DistributionColumn,
	.is_colocated = TablesAreColocated,
	.colocated_shard = FindColocatedShard,

	.key_determines_shard = KeyDeterminesShard,
	.shards_in_order = ShardsInOrder,
	.shard_of_key = ShardOfKey,
	.key_in_shard = KeyInShard,
	.shards_of_segment = ShardsOfSegment,
	.check_shard_is_whole = CheckShardIsWhole,
	.lock_shard = LockShard,
	.lock_own_shard = LockOwnShard,

	.shards_of_table = ShardsOfTable,
	.shards_of_relation = ShardsOfRelation,
	.shards_of_index = ShardsOfIndex,
	.count_shards = CountShards,
	.find_position = FindShardPosition,
	.get_range = GetShardRange,
	.is_elsewhere = IsElsewhere,
	.lock_shard_at = LockShardAt,
	.lock_shard_for_reader = LockShardForReader,

	.commit_together = CitusSessionCommitsTogether,
	.allow_shard_writes = CitusAllowShardWrites,

	.begin_ddl = CitusDdlBeginOn,
	.end_ddl = CitusDdlEnd,
	.ddl_here = CitusDdlHere,
	.lock_on_all_nodes = CitusLockOnAllNodes,
	.tell_workers = CitusSessionTellWorkers,
	.distribute = DistributeTable,
	.distribute_index = DistributeIndexTable,
	.distribute_beside = DistributeBeside
};

/* ---- rows elsewhere ---- */

static bool
ExecuteRequestOnNode(int group, bool writes, Slice operation, Slice json, Slice *response)
{
	LinkCall	call = {.group = group, .function = LINK_REQUEST, .writes = writes};
	PGresult   *answer;

	call.args[0] = operation;
	call.args[1] = json;
	if (!LinkExecute(&call, &answer))
		return false;
	*response = NodeValue(answer);
	return true;
}

static const ElsewhereMethods reached_by_citus = {
	.get = NodeGet,
	.write = NodeWrite,
	.lock = NodeLock,
	.hold = NodeHold,
	.read_ahead = NodeReadAhead,
	.scan = NodeScanBegin,
	.read_stream = RemoteShardRead,
	.range_of_stream = RemoteShardRange,
	.latest_of_stream = RemoteShardLatest,
	.trim_stream = RemoteShardTrim,
	.filter = FilterForShard,
	.write_operation = WriteElsewhere,
	.executes_requests = LinksArePossible,
	.execute_request = ExecuteRequestOnNode,

	.coordinator_is_known = CoordinatorIsKnown,
	.run_on_coordinator = RunOnCoordinator,
	.try_on_coordinator = TryOnCoordinator,
	.custom_settings = CustomSettingsCall,

	.records_changes = RecordsChanges,
	.record_change = RecordChangeOfRow,
	.apply_changes = ApplyAllChanges,
	.verify_index = VerifyDistributed,
	.work_on_shards = WorkOnShards,

	.count_rows = CountOnNodes,
	.run_on_shards = RunOnShards
};

/* It has defined its settings then. */
static bool
CitusIsLoaded(void)
{
	return GetConfigOption("citus.propagate_set_commands", true, false) != NULL;
}

/* Loading dynamo may load this library, too, while it is being loaded. */
void
CitusInit(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (CitusIsLoaded())
	{
		CustomSettingsInit();
		PlanOfViewsInit();
		IndexChangesInit();
	}
	PlacementRegister(&placed_by_citus);
	ElsewhereRegister(&reached_by_citus);
}
