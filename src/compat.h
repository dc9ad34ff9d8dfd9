/*
 * compat.h
 *	  The differences between PostgreSQL 15, 16, 17, 18 and 19.
 *
 * Every test of PG_VERSION_NUM stands here; the rest of the code is written
 * once, against the names this header gives.
 */
#ifndef DYNAMO_COMPAT_H
#define DYNAMO_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "dynamo needs PostgreSQL 15 or later"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * We compile with hidden visibility.  PostgreSQL 16 marks what fmgr must find
 * as exported; before that the macro is empty.
 */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/*
 * Since 16 who calls an input function may want to be told of an error in its
 * text rather than have it raised.
 */
#if PG_VERSION_NUM >= 160000
#define ErrorSave(context, report) errsave(context, report)
#else
#define ErrorSave(context, report) ereport(ERROR, report)
#endif

/* 18 has pg_noreturn in its place, which stands before the declaration. */
#ifndef pg_attribute_noreturn
#define pg_attribute_noreturn() __attribute__((noreturn))
#endif

/* Since 18 a library can say its name and version, for pg_get_loaded_modules. */
#if PG_VERSION_NUM >= 180000
#define MODULE_MAGIC(name_, version_) PG_MODULE_MAGIC_EXT(.name = name_, .version = version_)
#else
#define MODULE_MAGIC(name_, version_) PG_MODULE_MAGIC
#endif

#if PG_VERSION_NUM >= 160000
#define LocalBackendStatus(n) pgstat_get_local_beentry_by_index(n)
#else
#define LocalBackendStatus(n) pgstat_fetch_stat_local_beentry(n)
#endif

/* A function that SQL can call.  Stands before its definition. */
#define DYNAMO_FUNCTION(name) \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name)

#if PG_VERSION_NUM >= 160000
#define RelationOwnercheck(relid, role) object_ownercheck(RelationRelationId, relid, role)
#define NamespaceOwnercheck(schema, role) object_ownercheck(NamespaceRelationId, schema, role)
#else
#define NamespaceOwnercheck(schema, role) pg_namespace_ownercheck(schema, role)
#define RelationOwnercheck(relid, role) pg_class_ownercheck(relid, role)
#endif

/*
 * Permissions of a range table entry have had a node of their own since 16;
 * since 18 the executor wants to know the entries that survived pruning.
 */
#if PG_VERSION_NUM >= 160000
#define PermissionsNode RTEPermissionInfo
#define AddPermissionsNode(query, rte) addRTEPermissionInfo(&(query)->rteperminfos, rte)
#define GetPermissionsNode(query, rte) getRTEPermissionInfo((query)->rteperminfos, rte)
#define ForgetPermissionsNode(rte) ((rte)->perminfoindex = 0)
#define MakePermissionsNode(rte) \
	((rte)->perminfoindex = 1, makeNode(RTEPermissionInfo))
#define HavePermissionsNode(rte, perms) \
	ExecCheckPermissions(list_make1(rte), list_make1(perms), false)
#if PG_VERSION_NUM >= 180000
#define InitRangeTable(estate, rte, perms) \
	ExecInitRangeTable(estate, list_make1(rte), list_make1(perms), \
					   bms_make_singleton(1))
#else
#define InitRangeTable(estate, rte, perms) \
	ExecInitRangeTable(estate, list_make1(rte), list_make1(perms))
#endif
#else
#define PermissionsNode RangeTblEntry
#define AddPermissionsNode(query, rte) (rte)
#define GetPermissionsNode(query, rte) (rte)
#define ForgetPermissionsNode(rte) ((void) (rte))
#define MakePermissionsNode(rte) (rte)
#define HavePermissionsNode(rte, perms) \
	ExecCheckRTPerms(list_make1(rte), false)
#define InitRangeTable(estate, rte, perms) \
	ExecInitRangeTable(estate, list_make1(rte))
#endif

/* The permissions of the only table of a plan. */
#if PG_VERSION_NUM >= 160000
#define SetPermissionsOfPlan(plan, perms) ((plan)->permInfos = list_make1(perms))
#else
#define SetPermissionsOfPlan(plan, perms) ((void) (perms))
#endif

/*
 * Replaces the columns of a relation, which is not written, by expressions; those of the
 * written relation result may be of its old or its new row since 18.
 */
#if PG_VERSION_NUM >= 180000
#define ReplaceVarsByTargets(node, varno, rte, targets, result, links) \
	ReplaceVarsFromTargetList(node, varno, 0, rte, targets, result, REPLACEVARS_REPORT_ERROR, 0, links)
#else
#define ReplaceVarsByTargets(node, varno, rte, targets, result, links) \
	ReplaceVarsFromTargetList(node, varno, 0, rte, targets, REPLACEVARS_REPORT_ERROR, 0, links)
#endif

/* All rows of a query. */
#if PG_VERSION_NUM >= 180000
#define RunWholeQuery(query) ExecutorRun(query, ForwardScanDirection, 0)
#else
#define RunWholeQuery(query) ExecutorRun(query, ForwardScanDirection, 0, true)
#endif

/* The process of a virtual transaction; needs storage/procarray.h and storage/sinvaladt.h. */
#if PG_VERSION_NUM >= 170000
#define ProcessOfTransaction(vxid) ProcNumberGetProc((vxid)->procNumber)
#else
#define ProcessOfTransaction(vxid) BackendIdGetProc((vxid)->backendId)
#endif

/* The parameters of ExecutorRun, for a hook. */
#if PG_VERSION_NUM >= 180000
#define EXECUTOR_RUN_PARAMETERS QueryDesc *queryDesc, ScanDirection direction, uint64 count
#define EXECUTOR_RUN_ARGUMENTS	queryDesc, direction, count
#else
#define EXECUTOR_RUN_PARAMETERS QueryDesc *queryDesc, ScanDirection direction, uint64 count, bool execute_once
#define EXECUTOR_RUN_ARGUMENTS	queryDesc, direction, count, execute_once
#endif

/* The parameters of the planner, for a hook: since 19 it knows of EXPLAIN. */
#if PG_VERSION_NUM >= 190000
struct ExplainState;
#define PLANNER_PARAMETERS Query *query, const char *text, int options, ParamListInfo params, \
	struct ExplainState *explain
#define PLANNER_ARGUMENTS_OF(query, options) query, text, options, params, explain
#else
#define PLANNER_PARAMETERS Query *query, const char *text, int options, ParamListInfo params
#define PLANNER_ARGUMENTS_OF(query, options) query, text, options, params
#endif
#define PLANNER_ARGUMENTS PLANNER_ARGUMENTS_OF(query, options)

/* What post_parse_analyze_hook learns of constants. */
#if PG_VERSION_NUM >= 190000
#define ConstantsOfQuery const JumbleState
#else
#define ConstantsOfQuery JumbleState
#endif

/* A hash table in shared memory, which never grows. */
#if PG_VERSION_NUM >= 190000
#define InitSharedHash(name, entries, ctl, flags) ShmemInitHash(name, entries, ctl, flags)
#else
#define InitSharedHash(name, entries, ctl, flags) ShmemInitHash(name, entries, entries, ctl, flags)
#endif

/* A row type made by hand is complete. */
#if PG_VERSION_NUM >= 190000
#define CompleteTupleDesc(desc) TupleDescFinalize(desc)
#else
#define CompleteTupleDesc(desc) ((void) (desc))
#endif

/* Locks the row with the same values in an index; since 19 a row that was found before can be passed over. */
#if PG_VERSION_NUM >= 190000
#define FindReplicatedRow(rel, index, mode, wanted, found) \
	RelationFindReplTupleByIndex(rel, index, false, mode, wanted, found)
#else
#define FindReplicatedRow(rel, index, mode, wanted, found) \
	RelationFindReplTupleByIndex(rel, index, mode, wanted, found)
#endif

/* Asks the command that the setting names for a passphrase; needs libpq/libpq.h. */
#if PG_VERSION_NUM >= 190000
#define RunPassphraseCommand(prompt, buf, size) \
	run_ssl_passphrase_command(ssl_passphrase_command, prompt, false, buf, size)
#else
#define RunPassphraseCommand(prompt, buf, size) run_ssl_passphrase_command(prompt, false, buf, size)
#endif

/* All settings of the session, and their number; needs utils/guc_tables.h. */
#if PG_VERSION_NUM >= 160000
#define SettingsOfSession(n) get_guc_variables(n)
#else
#define SettingsOfSession(n) (*(n) = GetNumConfigOptions(), get_guc_variables())
#endif

/* Turns transaction_timeout off so that nobody can set it in this session; needs utils/guc_tables.h. */
#if PG_VERSION_NUM >= 170000
#define ForbidTransactionTimeout() \
	(SetConfigOption("transaction_timeout", "0", PGC_USERSET, PGC_S_OVERRIDE), \
	 find_option("transaction_timeout", false, false, ERROR)->context = PGC_INTERNAL)
#else
#define ForbidTransactionTimeout() ((void) 0)
#endif

/* Since 18 RETURNING can name the old row. */
#if PG_VERSION_NUM >= 180000
#define VarIsOfOldRow(var) ((var)->varreturningtype == VAR_RETURNING_OLD)
#else
#define VarIsOfOldRow(var) false
#endif

/* MERGE into a view has been possible since 17. */
#if PG_VERSION_NUM >= 170000
#define MergeTargetOf(query) ((query)->mergeTargetRelation)
#else
#define MergeTargetOf(query) 0
#endif

/* Adds the permissions of a query's table to a plan that gets the table; the table is changed. */
#if PG_VERSION_NUM >= 160000
#define CopyPermissionsNode(plan, query, rte) \
	do { \
		if ((rte)->perminfoindex != 0) \
		{ \
			(plan)->permInfos = lappend((plan)->permInfos, \
										copyObject(getRTEPermissionInfo((query)->rteperminfos, rte))); \
			(rte)->perminfoindex = list_length((plan)->permInfos); \
		} \
	} while (0)
#else
#define CopyPermissionsNode(plan, query, rte) ((void) 0)
#endif

/* The only table that a plan writes. */
#if PG_VERSION_NUM >= 190000
#define SetResultOfPlan(plan, number) ((plan)->resultRelationRelids = bms_make_singleton(number))
#else
#define SetResultOfPlan(plan, number) ((plan)->resultRelations = list_make1_int(number))
#endif
#if PG_VERSION_NUM >= 180000
#define KeepTableOfPlan(plan, number) \
	((plan)->unprunableRelids = bms_add_member((plan)->unprunableRelids, number))
#else
#define KeepTableOfPlan(plan, number) ((void) 0)
#endif

/* Which indexes an update needs new entries in: summarizing ones since 16; since 19 by flags. */
#if PG_VERSION_NUM >= 190000
#define UpdatedIndexes TU_UpdateIndexes
#define InsertUpdatedIndexTuples(rri, slot, estate, updated) \
	ExecInsertIndexTuples(rri, estate, \
						  EIIT_IS_UPDATE | ((updated) == TU_Summarizing ? EIIT_ONLY_SUMMARIZING : 0), \
						  slot, NIL, NULL)
#define InsertSpeculativeIndexTuples(rri, slot, estate, conflict, arbiters) \
	ExecInsertIndexTuples(rri, estate, EIIT_NO_DUPE_ERROR, slot, arbiters, conflict)
#define InsertIndexTuples(rri, slot, estate) ExecInsertIndexTuples(rri, estate, 0, slot, NIL, NULL)
#define NO_UPDATED_INDEXES TU_None
#elif PG_VERSION_NUM >= 160000
#define UpdatedIndexes TU_UpdateIndexes
#define InsertUpdatedIndexTuples(rri, slot, estate, updated) \
	ExecInsertIndexTuples(rri, slot, estate, true, false, NULL, NIL, \
						  (updated) == TU_Summarizing)
#define InsertSpeculativeIndexTuples(rri, slot, estate, conflict, arbiters) \
	ExecInsertIndexTuples(rri, slot, estate, false, true, conflict, arbiters, false)
#define InsertIndexTuples(rri, slot, estate) \
	ExecInsertIndexTuples(rri, slot, estate, false, false, NULL, NIL, false)
#define NO_UPDATED_INDEXES TU_None
#else
#define UpdatedIndexes bool
#define InsertUpdatedIndexTuples(rri, slot, estate, updated) \
	ExecInsertIndexTuples(rri, slot, estate, true, false, NULL, NIL)
#define InsertSpeculativeIndexTuples(rri, slot, estate, conflict, arbiters) \
	ExecInsertIndexTuples(rri, slot, estate, false, true, conflict, arbiters)
#define InsertIndexTuples(rri, slot, estate) \
	ExecInsertIndexTuples(rri, slot, estate, false, false, NULL, NIL)
#define NO_UPDATED_INDEXES false
#endif

/* Since 17 an index may keep something over the insertions of a statement. */
#if PG_VERSION_NUM >= 170000
#define CloseUpdatedIndex(index, info) \
	(index_insert_cleanup(index, info), index_close(index, NoLock))
#else
#define CloseUpdatedIndex(index, info) index_close(index, NoLock)
#endif

/* BEFORE ROW triggers: results of locking since 16, MERGE since 18. */
#if PG_VERSION_NUM >= 180000
#define BeforeRowUpdate(estate, epq, rri, tid, slot) \
	ExecBRUpdateTriggers(estate, epq, rri, tid, NULL, slot, NULL, NULL, false)
#define BeforeRowDelete(estate, epq, rri, tid) \
	ExecBRDeleteTriggers(estate, epq, rri, tid, NULL, NULL, NULL, NULL, false)
#elif PG_VERSION_NUM >= 160000
#define BeforeRowUpdate(estate, epq, rri, tid, slot) \
	ExecBRUpdateTriggers(estate, epq, rri, tid, NULL, slot, NULL, NULL)
#define BeforeRowDelete(estate, epq, rri, tid) \
	ExecBRDeleteTriggers(estate, epq, rri, tid, NULL, NULL, NULL, NULL)
#else
#define BeforeRowUpdate(estate, epq, rri, tid, slot) \
	ExecBRUpdateTriggers(estate, epq, rri, tid, NULL, slot, NULL)
#define BeforeRowDelete(estate, epq, rri, tid) \
	ExecBRDeleteTriggers(estate, epq, rri, tid, NULL, NULL)
#endif

/* Updates and deletions of rows: since 19 with options. */
#if PG_VERSION_NUM >= 190000
#define UpdateTuple(rel, tid, slot, cid, snapshot, failure, mode, updated) \
	table_tuple_update(rel, tid, slot, cid, 0, snapshot, InvalidSnapshot, true, failure, mode, updated)
#define DeleteTuple(rel, tid, cid, snapshot, wait, failure) \
	table_tuple_delete(rel, tid, cid, 0, snapshot, InvalidSnapshot, wait, failure)
#else
#define UpdateTuple(rel, tid, slot, cid, snapshot, failure, mode, updated) \
	table_tuple_update(rel, tid, slot, cid, snapshot, InvalidSnapshot, true, failure, mode, updated)
#define DeleteTuple(rel, tid, cid, snapshot, wait, failure) \
	table_tuple_delete(rel, tid, cid, snapshot, InvalidSnapshot, wait, failure, false)
#endif

/* Scans of tables: since 19 with flags. */
#if PG_VERSION_NUM >= 190000
#define BeginTableScan(rel, snapshot) table_beginscan(rel, snapshot, 0, NULL, SO_NONE)
#define BeginTidRangeScan(rel, snapshot, from, to) \
	table_beginscan_tidrange(rel, snapshot, from, to, SO_NONE)
#define BeginIndexFetch(rel) table_index_fetch_begin(rel, SO_NONE)
#else
#define BeginTableScan(rel, snapshot) table_beginscan(rel, snapshot, 0, NULL)
#define BeginTidRangeScan(rel, snapshot, from, to) table_beginscan_tidrange(rel, snapshot, from, to)
#define BeginIndexFetch(rel) table_index_fetch_begin(rel)
#endif

/* An ordinary index scan; without EXPLAIN's counters, which came with 18; since 19 with flags. */
#if PG_VERSION_NUM >= 190000
#define BeginIndexScan(rel, index, snapshot, nkeys) \
	index_beginscan(rel, index, snapshot, NULL, nkeys, 0, SO_NONE)
#elif PG_VERSION_NUM >= 180000
#define BeginIndexScan(rel, index, snapshot, nkeys) \
	index_beginscan(rel, index, snapshot, NULL, nkeys, 0)
#else
#define BeginIndexScan(rel, index, snapshot, nkeys) \
	index_beginscan(rel, index, snapshot, nkeys, 0)
#endif

/* The search path as it is now, and whether it still is: other names since 17. */
#if PG_VERSION_NUM >= 170000
#define SearchPath SearchPathMatcher
#define CurrentSearchPath(context) GetSearchPathMatcher(context)
#define SearchPathIsCurrent(path) SearchPathMatchesCurrentEnvironment(path)
#else
#define SearchPath OverrideSearchPath
#define CurrentSearchPath(context) GetOverrideSearchPath(context)
#define SearchPathIsCurrent(path) OverrideSearchPathMatchesCurrent(path)
#endif

/* The next datum of a sort, not copied (that was all there was before 16). */
#if PG_VERSION_NUM >= 160000
#define TuplesortGetDatum(sort, datum, isnull) \
	tuplesort_getdatum(sort, true, false, datum, isnull, NULL)
#else
#define TuplesortGetDatum(sort, datum, isnull) \
	tuplesort_getdatum(sort, true, datum, isnull, NULL)
#endif

/* All of a portal, as a statement from a client. */
#if PG_VERSION_NUM >= 180000
#define RunPortalAtTopLevel(portal) \
	PortalRun(portal, FETCH_ALL, true, None_Receiver, None_Receiver, NULL)
#else
#define RunPortalAtTopLevel(portal) \
	PortalRun(portal, FETCH_ALL, true, true, None_Receiver, None_Receiver, NULL)
#endif

/* An EvalPlanQual state that is never used for a recheck. */
#if PG_VERSION_NUM >= 160000
#define InitUnusedEvalPlanQual(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1, NIL)
#else
#define InitUnusedEvalPlanQual(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1)
#endif

/* Whether the session or its transaction holds a lock, in just this mode. */
#if PG_VERSION_NUM >= 170000
#define IsLockHeldByMe(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define IsLockHeldByMe(tag, mode) LockHeldByMe(tag, mode)
#endif

/* The locks of this process in a partition of the lock table, one after another; NULL after the last. */
#if PG_VERSION_NUM >= 160000
#define FIRST_OWN_LOCK(partition) \
	(dlist_is_empty(&MyProc->myProcLocks[partition]) ? NULL : \
	 dlist_head_element(PROCLOCK, procLink, &MyProc->myProcLocks[partition]))
#define NEXT_OWN_LOCK(partition, lock) \
	(!dlist_has_next(&MyProc->myProcLocks[partition], &(lock)->procLink) ? NULL : \
	 dlist_container(PROCLOCK, procLink, dlist_next_node(&MyProc->myProcLocks[partition], &(lock)->procLink)))
#else
#define FIRST_OWN_LOCK(partition) \
	((PROCLOCK *) SHMQueueNext(&MyProc->myProcLocks[partition], &MyProc->myProcLocks[partition], \
							   offsetof(PROCLOCK, procLink)))
#define NEXT_OWN_LOCK(partition, lock) \
	((PROCLOCK *) SHMQueueNext(&MyProc->myProcLocks[partition], &(lock)->procLink, \
							   offsetof(PROCLOCK, procLink)))
#endif

/* ANALYZE: the column's statistics target, and the nap between rows. */
#if PG_VERSION_NUM >= 170000
#define StatisticsTarget(stats) ((stats)->attstattarget)
#else
#define StatisticsTarget(stats) ((stats)->attr->attstattarget)
#endif
#if PG_VERSION_NUM >= 180000
#define AnalyzeDelayPoint() vacuum_delay_point(true)
#else
#define AnalyzeDelayPoint() vacuum_delay_point()
#endif

/* TRUNCATE of open and locked relations, without telling logical decoding. */
#if PG_VERSION_NUM >= 160000
#define TruncateRelations(rels, relids) \
	ExecuteTruncateGuts(rels, relids, NIL, DROP_RESTRICT, false, false)
#else
#define TruncateRelations(rels, relids) \
	ExecuteTruncateGuts(rels, relids, NIL, DROP_RESTRICT, false)
#endif

/* Events to wait for belong to a memory context, since 17 to a resource owner. */
#if PG_VERSION_NUM >= 170000
#define CreateSessionWaitEventSet(nevents) CreateWaitEventSet(NULL, nevents)
#else
#define CreateSessionWaitEventSet(nevents) CreateWaitEventSet(TopMemoryContext, nevents)
#endif

#if PG_VERSION_NUM >= 160000
#define DatabaseAclCheck(database, role, mode) \
	object_aclcheck(DatabaseRelationId, database, role, mode)
#define SchemaAclCheck(schema, role, mode) \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#define FunctionAclCheck(function, role, mode) \
	object_aclcheck(ProcedureRelationId, function, role, mode)
#else
#define DatabaseAclCheck(database, role, mode) pg_database_aclcheck(database, role, mode)
#define SchemaAclCheck(schema, role, mode) pg_namespace_aclcheck(schema, role, mode)
#define FunctionAclCheck(function, role, mode) pg_proc_aclcheck(function, role, mode)
#endif

/* Since 18 a primary key may be deferrable; ours are not. */
#if PG_VERSION_NUM >= 180000
#define PrimaryKeyIndex(rel) RelationGetPrimaryKeyIndex(rel, false)
#else
#define PrimaryKeyIndex(rel) RelationGetPrimaryKeyIndex(rel)
#endif

/* Whether no row has a null there: since 18 the constraint may not be valid yet. */
#if PG_VERSION_NUM >= 180000
#define ColumnIsNotNull(desc, attnum) \
	(TupleDescAttr(desc, (attnum) - 1)->attnotnull && \
	 TupleDescCompactAttr(desc, (attnum) - 1)->attnullability != ATTNULLABLE_INVALID)
#else
#define ColumnIsNotNull(desc, attnum) (TupleDescAttr(desc, (attnum) - 1)->attnotnull)
#endif

/* A type's name to the type; errors are raised. */
#if PG_VERSION_NUM >= 160000
#define ParseTypeName(name, type, typmod) parseTypeString(name, type, typmod, NULL)
#else
#define ParseTypeName(name, type, typmod) parseTypeString(name, type, typmod, false)
#endif

/* The same, before it is looked up. */
#if PG_VERSION_NUM >= 160000
#define TypeNameOfText(text) typeStringToTypeName(text, NULL)
#else
#define TypeNameOfText(text) typeStringToTypeName(text)
#endif

/* Sets search_path to "pg_catalog, pg_temp" until the end of the GUC nest level. */
#if PG_VERSION_NUM < 170000
#define RestrictSearchPath() \
	((void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, \
							  PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false))
#endif

/*
 * Whether commits wait for standbys; SyncRepLock is held.  Since the minor
 * versions of May 2025 the checkpointer tells whether it has read the setting;
 * until then the setting itself is the answer.
 */
#ifdef SYNC_STANDBY_DEFINED
#define SynchronousStandbysAreDefined() \
	((WalSndCtl->sync_standbys_status & SYNC_STANDBY_INIT) != 0 ? \
	 (WalSndCtl->sync_standbys_status & SYNC_STANDBY_DEFINED) != 0 : \
	 SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0')
#else
#define SynchronousStandbysAreDefined() (WalSndCtl->sync_standbys_defined)
#endif

/* What builds a jsonb, and at its end has the result; needs utils/jsonb.h. */
#if PG_VERSION_NUM >= 190000
#define JsonbBuild JsonbInState
#define JsonbPush(build, token, value) pushJsonbValue(build, token, value)
#else
typedef struct JsonbBuild
{
	struct JsonbParseState *state;
	struct JsonbValue *result;
} JsonbBuild;
#define JsonbPush(build, token, value) \
	((void) ((build)->result = pushJsonbValue(&(build)->state, token, value)))
#endif

/* Whether a part of the next message of the client has been read into the buffer. */
#if PG_VERSION_NUM >= 170000
#define ClientDataIsBuffered() (pq_buffer_remaining_data() > 0)
#else
#define ClientDataIsBuffered() pq_buffer_has_data()
#endif

#endif							/* DYNAMO_COMPAT_H */
