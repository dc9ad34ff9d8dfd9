# sources.pl: what the sources must not contain.  Each rule is tried on planted
# code that it must find and on code that it must let pass, then on the sources.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Source;
use Test::More;

my $top = "$FindBin::RealBin/../..";

# Names of the same kind, from a list with line breaks.
sub any_of { return join '|', split ' ', $_[0] }

# Where a rule allows what it looks for: "file function" or "file", with the
# reason.  An entry that is not needed is reported, too.
my %used;

sub is_allowed
{
	my ($allowed, $file, $function) = @_;

	for my $place ("$file $function", $file)
	{
		return $used{$place} = 1 if exists $allowed->{$place};
	}
	return 0;
}

# ---- an owner's code runs as the owner ----

# These evaluate or fire what a relation's owner has written: expressions and
# predicates of indexes, constraints, triggers.
my $owners_code = any_of(q{ExecOpenIndices BuildIndexInfo RelationGetIndexExpressions RelationGetIndexPredicate
	FormIndexDatum ExecPrepareExpr ExecPrepareQual ExecConstraints ExecComputeStoredGenerated ExecPartitionCheck
	index_build index_create DefineIndex validate_index reindex_index reindex_relation ExecuteTruncate
	ExecuteTruncateGuts analyze_rel cluster_rel Exec[ABI][RS]\w+Triggers});
my %outside_scope = (
	'src/store/write_direct_row.c' => q{the user's own statement},
	'src/store/write_direct_indexes.c' => q{the user's own statement},
	'src/store/lock.c' => 'a primary key, which has no expressions',
	'src/store/raw_table.c' => q{the user's own statement, or the scope of the maintenance that calls it},
	'src/store/scan_direct.c PredicateIsOurs' => q{the user's own statement: PostgreSQL's planner reads predicates, too},
);

sub owners_code_outside_scope
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{name} before OwnerScopeEnter" }
		grep { !(grep { $_ eq 'OwnerScopeEnter' } @{ $_->{before} }) && !is_allowed(\%outside_scope, $file, $_->{function}) }
		c_calls($owners_code, c_tokens($text));
}

# These change the current user, the last two without a look at the session's temporary objects.
my $switch = any_of('SetUserIdAndSecContext SetUserIdAndContext SetCurrentRoleId OwnerScopeEnterForExtension OwnerAssume');
my %may_switch = (
	'src/security/owner.c' => 'the module',
	'src/worker/identity.c' => 'assumes the role of a client',
	'src/security/settings_owner.c' => q{the extension's own tables},
	'src/http/shared_key.c' => 'a worker without a client',
	'src/index/build_worker.c' => 'its statements commit by themselves and restrict the owner themselves',
	'src/migrate/migrate_worker.c' => 'a worker; its batches run in a scope',
);

sub switches_of_user
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{name}" }
		grep { !is_allowed(\%may_switch, $file, $_->{function}) } c_calls($switch, c_tokens($text));
}

# ---- the owner's rights are a check, not an identity ----

# These do work that the user did not request by a statement of their own, and
# become the owner for it.  Whatever a user's statement causes has the owner's
# rights by StoreOpenAs and StorePlanAs instead.  SECURITY.md has the same list.
my %scopes = (
	'src/security/owner.c' => 'the module',
	'src/security/settings_owner.c' => q{the extension's own tables},
	'src/http/shared_key.c' => 'a worker without a client',
	'src/view/entity_view_write.c WriteDistributedRow' => 'Citus sends statements in the name of the current user',
	'src/store/scan_sql.c FetchBatch' => 'Citus sends statements in the name of the current user',
	'src/citus/pending_changes.c' => 'Citus sends statements in the name of the current user',
	'src/constraint/reference_check.c RunCheck' => 'a table that has got another owner',
	'src/constraint/reference_truncate.c HasReferencingItem' => 'a table that has got another owner',
	'src/constraint/reference_validate.c' => 'the definition of a reference',
	'src/ddl/event_trigger.c' => 'the definition of a table',
	'src/stream/stream_ddl.c' => 'the definition of a table',
	(map { ("src/index/$_.c" => 'the definition and building of indexes') } qw(verify build_steps fill_index_table fill_columns fill_batch)),
	'src/citus/record_change.c' => 'the definition and building of indexes',
	(map { ("src/$_.c" => 'maintenance') } qw(citus/put_entries citus/take_changes index/maintain)),
	(map { ("src/design/$_.c" => 'maintenance') } qw(report entity_check)),
	(map { ("src/$_.c" => 'maintenance') } qw(copy/copy_verify stream/trim op/expire_batch transfer/export transfer/import)),
	(map { ("src/archive/$_.c" => 'a worker') } qw(archive_execute archive_past archive_worker)),
	'src/migrate/migrate_steps.c' => 'a worker',
	'src/migrate/migrate_check.c CheckPredicates' => 'reading predicates, which evaluates constants in them',
	'src/migrate/migrate_type.c FindStray' => 'the definition of an entity',
	'src/monitor/lag.c' => 'statistics, which superusers read',
);

sub enters_scope
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{name}: use StoreOpenAs or StorePlanAs, or list it with its reason" }
		grep { !is_allowed(\%scopes, $file, $_->{function}) } c_calls('OwnerScopeEnter\w*', c_tokens($text));
}

# ---- a name is locked before it is opened ----

# An OID that was found without a lock may be nobody's when it is opened.  Use
# TableNameOpen or try_table_open; these say why their relation is there.
my %may_open = (
	'src/ddl/event.c' => 'DDL on it has just ended',
	'src/ddl/event_index.c' => 'DDL on it has just ended',
	'src/ddl/event_trigger.c' => 'DDL on it has just ended',
	'src/ddl/trigger.c' => 'the root of a partition that is locked',
	'src/index/maintain.c' => 'the root of a partition that is locked',
	'src/table/index_relation.c' => 'an index table goes with its table, which is locked',
	'src/index_kind/table_index.c' => 'an index table goes with its table, which is locked',
	'src/index/verify.c' => 'an index table goes with its table, which is locked',
	'src/index_kind/sharded_index.c' => 'an index table goes with its table, which is locked',
	'src/view/entity_view_update.c' => 'the table of a view that is locked',
	'src/view/entity_view_write.c' => 'the table of a view that is locked',
	'src/constraint/reference_check.c' => 'the other table of a trigger, whose table is locked',
	'src/constraint/reference_truncate.c' => 'the other table of a trigger, whose table is locked',
	'src/stream/capture.c' => 'TRUNCATE has locked the partitions',
);

sub opens_without_lock
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{name}($_->{arguments})" }
		grep { $_->{arguments} !~ /\bNoLock$|^\w+RelationId / && !is_allowed(\%may_open, $file, $_->{function}) }
		c_calls('(?:table|relation)_open', c_tokens($text));
}

my %may_resolve = (
	'src/table/resolve.c' => 'the module',
	'src/op/describe_table.c dynamo_table_relation' => 'its result is the OID',
	'src/store/open.c StoreOpen' => 'whether the table is a temporary one',
	'src/index/index_sql.c CreateAndWait' => 'the transaction has created an index on it',
);

sub resolves_without_lock
{
	my ($file, $text) = @_;

	return map { "$_->{line}: TableNameResolve, not TableNameLock" }
		grep { !is_allowed(\%may_resolve, $file, $_->{function}) } c_calls('TableNameResolve', c_tokens($text));
}

# ---- errors are caught at boundaries only ----

# What is wrong with an input is noted as a value (problem.h).  These catch what
# others raise, or restore something after an error.
my %may_catch = (
	'src/subtransaction.c' => 'the module',
	'src/request/request.c ExecuteCall' => 'the error gets the body of the response',
	'src/citus/node_link.c LinkExecute' => 'ends the call on the other node',
	'src/request/request.c ExecuteSafely' => 'leaves the statistics',
	'src/request/request_conflict.c' => 'PostgreSQL reports conflicts on locks by errors',
	'src/http/connection.c' => 'the worker outlives an error',
	'src/http/execute.c' => 'the response tells of the error',
	'src/http/metrics.c' => 'the answer tells of the error',
	'src/worker/housekeeping.c' => 'the worker outlives an error',
	'src/citus/index_changes.c' => 'the worker outlives an error',
	'src/citus/distributed_ddl.c LockInStep' => 'Citus reports the end of a deadlock as a cancel',
	'src/ddl/make_table.c' => 'PostgreSQL reports a name that was taken meanwhile by an error',
	'src/copy/copy_apply.c' => 'takes a mark back',
	'src/op/expire_batch.c' => 'takes a mark back',
	'src/store/plan.c' => 'takes a mark back',
	'src/store/write_direct_row.c' => 'the index reports an existing row by an error',
	'src/index/build_worker.c' => 'the worker outlives an error',
	'src/index/build_steps.c' => 'a subtransaction',
	'src/index/maintain.c' => 'takes a mark back',
	'src/table/definition.c' => 'jsonb_in reports invalid text by an error',
	'src/table/ddl_statement.c' => 'takes a mark back',
	'src/view/declared_types.c StoredTypeName' => 'restores a setting',
	'src/copy/copy_row.c' => 'takes a mark back',
	'src/copy/copy_trigger.c ApplyAfterStatement' => 'takes a mark back',
	'src/store/privileges.c HasPrivileges' => 'sets the hook again',
	'src/transfer/bulk.c' => 'restores the umask',
	'src/transfer/export.c ExportToDirectory' => 'removes the files of a failed export',
	'src/archive/archive_execute.c ExecuteExport' => 'removes the files of a failed export',
	'src/archive/archive_worker.c' => 'the worker records an error in its job',
	'src/view/typed_attribute.c CastOrDescribe' => 'the error of a cast gets the key of the item',
	'src/view/entity_view_write.c WriteRowAsOwner' => 'details may show what the user may not read',
);

sub catches_errors
{
	my ($file, $text) = @_;

	return map { "$_->{line}: PG_TRY: note a problem instead, or list it with its reason" }
		grep { $_->{text} eq 'PG_TRY' && !is_allowed(\%may_catch, $file, $_->{function}) } c_tokens($text);
}

# A session of PostgreSQL and Citus has room for few of these (relation_change.h).
sub registers_for_relations
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{text}" }
		grep { $_->{text} eq 'CacheRegisterRelcacheCallback' && $file ne 'src/table/relation_change.c' } c_tokens($text);
}

# ---- rows are written in one folder ----

sub writes_rows
{
	my ($file, $text) = @_;

	return $file =~ m{^src/store/} ? () :
		map { "$_->{line}: $_->{name}: use store/raw_table.h" } c_calls('table_tuple_\w+', c_tokens($text));
}

# ---- statements mean the same whatever the settings ----

my $sql_words = join '|', 'SELECT', 'INSERT INTO', 'UPDATE [%\w]', 'DELETE FROM', 'CREATE (?:OR|TABLE|INDEX|VIEW|UNIQUE|CONSTRAINT)',
	'ALTER TABLE', 'DROP (?:TABLE|INDEX|VIEW|TRIGGER|%s)', 'WHERE', 'FROM', 'JOIN', 'AND', 'ORDER BY', 'ON CONFLICT', 'OPERATOR\(', '\$[%\d]';
my $is_sql = qr/(?:^|[\s(])(?:$sql_words)/;

# What tells of a statement to a user.
my $no_sql = any_of(q{errmsg errmsg_internal errdetail errdetail_log errhint errcontext elog \w*Error Describe});

sub statement_texts
{
	my ($text) = @_;

	return grep { $_->{text} =~ $is_sql && $_->{call} !~ /^(?:$no_sql)$/ } c_texts(c_tokens($text));
}

sub backslashes_in_c
{
	my ($file, $text) = @_;

	return map { "$_->{line}: backslash in \"$_->{text}\"" } grep { $_->{text} =~ /\\/ } statement_texts($text);
}

sub backslashes_in_script
{
	my ($file, $text) = @_;

	return map { "$_->{line}: backslash in $_->{text}" }
		grep { $_->{kind} eq 'string' && $_->{text} =~ /^'.*\\/s } sql_tokens($text);
}

my $grammar = any_of(q{COALESCE GREATEST LEAST NULLIF EXISTS ARRAY ROW ANY ALL SOME VALUES IN NOT AND OR ON AS WHERE
	WHEN THEN ELSE SELECT FROM LATERAL USING KEY BY OPERATOR WITH INCLUDE TABLE INTO CHECK UNIQUE DISTINCT OVER
	FILTER GROUP PARTITION CONFLICT ONLY MATERIALIZED SET TRIM CAST EXTRACT LIST HASH RANGE});
my $grammar_types = any_of(q{integer int bigint smallint numeric decimal boolean real double char character varchar
	bit timestamp time interval});

# An assignment or an option: SET a = 1, b = 2; WITH (a = 1); RAISE ... USING a = 1;
# and where a text begins with one.
sub is_assignment
{
	my ($i, $in_set, @t) = @_;

	return $t[$i]{text} eq '=' && $t[ $i - 1 ]{kind} =~ /word|name/
		&& ($i == 1 || $in_set && $t[ $i - 2 ]{text} =~ /^(?:SET|USING|,|\()$/i);
}

# OPERATOR(pg_catalog.=) as one token.
sub with_qualified_operators
{
	my @t;

	while (my $t = shift)
	{
		if ($t->{text} eq 'OPERATOR' && @_ >= 5 && $_[2]{text} eq '.')
		{
			splice @_, 0, 5;
			$t = { %$t, kind => 'qualified operator', text => '' };
		}
		push @t, $t;
	}
	return @t;
}

# Operators, functions and types that search_path finds, and what the grammar
# turns into an operator of that kind.
sub unqualified
{
	my @t = with_qualified_operators(@_);
	my $in_set = @t > 1 && $t[1]{text} eq '=';
	my @found;

	for my $i (0 .. $#t)
	{
		my ($text, $kind) = @{ $t[$i] }{qw(text kind)};
		my ($before, $after, $third) = map { $_ >= 0 && $_ < @t ? $t[$_]{text} : '' } $i - 1, $i + 1, $i + 2;
		my $is_name = $kind eq 'word' || $kind eq 'name';
		my $problem;

		$in_set = $text =~ /^(?:SET|USING)$/i || $after eq '(' if $kind eq 'word' && $text =~ /^(?:SET|USING|WITH|WHERE|FROM|SELECT|RETURNING)$/i;
		if ($kind eq 'operator')
		{
			$problem = "operator $text"
				if !($before eq '.' || $text eq '*' && ($before =~ /^(?:SELECT|\(|,)$/i))
				&& !is_assignment($i, $in_set, @t);
		}
		elsif ($kind eq 'word' && $text =~ /^(?:IN|LIKE|ILIKE|BETWEEN|SIMILAR|NULLIF|NATURAL|OVERLAPS)$/i)
		{
			$problem = uc $text if $before !~ /^(?:VALUES|TAG)$/i && !(uc $text eq 'IN' && $after ne '(');
		}
		elsif ($kind eq 'word' && ($text =~ /^CASE$/i && $after !~ /^WHEN$/i || $text =~ /^USING$/i && $after eq '('
			|| $text =~ /^DISTINCT$/i && $after =~ /^FROM$/i))
		{
			$problem = uc "$text $after";
		}
		elsif ($is_name && $after eq '(' && $before ne '.' && $text !~ /^(?:$grammar)$/i && $text !~ /^%/)
		{
			# not the name of a table with its columns, nor an alias with its columns
			$problem = "function $text"
				if $i == 0 || $t[ $i - 1 ]{kind} =~ /operator/ || $before =~ /^(?:[(,]|$grammar|IS|LIMIT|RETURN|IF|:=)$/i
				&& $before !~ /^(?:INTO|TABLE|AS|WITH|ON|USING)$/i;
		}
		elsif ($before eq '::' && $after ne '.' && $text !~ /^(?:$grammar_types)$/i && $text !~ /^%/)
		{
			$problem = "type $text";
		}
		push @found, "$t[$i]{line}: unqualified $problem" if $problem;
	}
	return @found;
}

sub unqualified_in_c
{
	my ($file, $text) = @_;

	return $file eq 'src/request/wording.h' ? () : map { unqualified(sql_tokens($_->{text}, $_->{line})) } statement_texts($text);
}

# Of a script, what is planned or run later, or is given to others.
# The views, functions and statements of a script.  Those that are parsed while the script
# runs are left out below a search_path that nobody else can write in.
sub statements_of_sessions
{
	my ($text) = @_;
	my $safe = 0;
	my @found;

	for my $statement (sql_statements(sql_tokens($text)))
	{
		my $words = join ' ', map { $_->{text} } @$statement;

		$safe = 1 if $words =~ /\bSET LOCAL search_path = pg_catalog , pg_temp ;$/;
		next if $words !~ /^(?:CREATE (?:OR REPLACE )?VIEW|DO|SELECT)\b|LANGUAGE (?:sql|plpgsql)\b/i;
		next if $safe && $words =~ /^CREATE (?:OR REPLACE )?VIEW\b|\bBEGIN ATOMIC\b|\bLANGUAGE sql\b.*? RETURN /;
		push @found, $statement;
	}
	return @found;
}

sub unqualified_in_script
{
	my ($file, $text) = @_;

	return map { unqualified(@$_) } statements_of_sessions($text);
}

# ---- relations are named with their schema ----

# What search_path finds, and names of which the schema and the table cannot be told
# apart.  Use TableNameOfOid, TableNameOfRelation, QualifiedName or a regclass.
my %may_name = (
	'src/table/resolve.c RelationInSearchPath' => 'the module',
	'src/table/resolve.c TableNameAdvice' => 'for messages',
	'src/stat/slow.c' => 'for the log',
	'src/index/build_sql.c NameForMessages' => 'for messages',
	'src/pattern/pattern_create.c NameTable' => 'for requests, which have no quotes',
	'src/citus/verify_distributed.c' => 'the schema is an argument of its own; queries of a WITH in another text',
	'src/table/derive_columns.c' => 'the hint is for the user, in whose search path it is',
);
my $one_name = 'get_rel_name|RelationGetRelationName';

sub names_without_schema
{
	my ($file, $text) = @_;

	return map { "$_->{line}: $_->{name}($_->{arguments})" }
		grep { !is_allowed(\%may_name, $file, $_->{function}) }
		grep { $_->{name} eq 'RelnameGetRelid' || $_->{name} eq 'makeRangeVar' && $_->{arguments} =~ /^NULL\b/
			|| $_->{name} =~ /^quote_(?:identifier|literal_cstr)$/ && $_->{arguments} =~ /^(?:$one_name)\b/
			|| $_->{name} =~ /psprintf|appendStringInfo|snprintf/ && $_->{arguments} =~ /%s[.]%s/ && $_->{arguments} =~ /get_namespace_name|\bschema\b/ }
		c_calls('RelnameGetRelid|makeRangeVar|quote_identifier|quote_literal_cstr|psprintf|appendStringInfo|snprintf', c_tokens($text));
}

# The names that WITH gives to queries.
sub named_queries
{
	my @t = @_;

	return map { lc $t[$_]{text} }
		grep { $t[$_]{kind} eq 'word' && $t[ $_ + 1 ]{text} =~ /^(?:AS|[(])$/i && ($_ == 0 || $t[ $_ - 1 ]{text} =~ /^(?:WITH|RECURSIVE|,)$/i) } 0 .. $#t - 1;
}

# Relations in statements, and regclass literals, without a schema; a schema and a
# name that are joined by a dot.
sub unqualified_relations
{
	my @t = @_;
	my %query = map { $_ => 1 } named_queries(@t);
	my @found;

	for my $i (0 .. $#t)
	{
		my ($text, $kind, $line) = @{ $t[$i] }{qw(text kind line)};
		my ($before, $after, $third, $fourth) = map { $_ >= 0 && $_ < @t ? $t[$_]{text} : '' } $i - 1, $i + 1, $i + 2, $i + 3;
		my $nearby = join ' ', map { $_->{text} } @t[ ($i > 9 ? $i - 9 : 0) .. $i ];

		push @found, "$line: unqualified relation $after"
			if $kind eq 'word' && $text =~ /^(?:FROM|JOIN|INTO|UPDATE)$/i && $after =~ /^[a-z_"]/i && $after !~ /^(?:LATERAL|ONLY|SELECT|SET|OF|NOWAIT|STRICT|UNNEST|ROWS)$/i
			&& $third ne '.' && ($third ne '(' || $text =~ /^INTO$/i) && ($text !~ /^INTO$/i || $before =~ /^(?:INSERT|MERGE)$/i) && !$query{ lc $after } && $before !~ /^(?:DISTINCT|ROWS|DO|FOR|ON|OR|BEFORE|AFTER|,)$/i && $fourth ne ':=';
		push @found, "$line: unqualified relation $text" if $kind eq 'string' && $text =~ /^'[^.'()]+'$/ && $after eq '::' && "$third$fourth" =~ /^(?:regclass|pg_catalog[.])$/
			&& ($third eq 'regclass' || ($t[ $i + 4 ] // { text => '' })->{text} eq 'regclass');
		push @found, "$line: a schema and a name joined by a dot" if $kind eq 'string' && $text eq q{'.'} && $nearby =~ /nspname|schema_name/;
	}
	return @found;
}

sub unqualified_relations_in_c
{
	my ($file, $text) = @_;

	return $file eq 'src/request/wording.h' ? () : map { unqualified_relations(sql_tokens($_->{text}, $_->{line})) }
		grep { !is_allowed(\%may_name, $file, $_->{function}) } statement_texts($text);
}

sub unqualified_relations_in_script
{
	my ($file, $text) = @_;

	return map { unqualified_relations(@$_) } statements_of_sessions($text);
}

# ---- Citus is known to one folder ----

# The others name it in messages only.  table/placement.h and store/elsewhere.h say what
# they ask of it.
my $knows_citus = qr{^src/(?:citus/.*|dynamo[.]c|table/placement[.]h|store/elsewhere[.]h)$};

sub names_citus
{
	my ($file, $text) = @_;
	my @lines = $file =~ $knows_citus ? () : split /\n/, $text;

	s/"(?:[^"\\]|\\.)*"/$& =~ m{citus} ? $& : ''/ge for @lines;
	return map { $_ + 1 . ": $lines[$_]" } grep { $lines[$_] =~ /citus/i } 0 .. $#lines;
}

# ---- what an index is, its kind says ----

# Others ask a property or a function of index->kind.  These read what a vector index has
# beside other indexes.
my %knows_kinds = (
	'src/table/index_kind.c' => 'finds the kind',
	'src/table/definition.c' => 'the text of a definition',
	'src/table/definition_check.c' => 'the text of a definition',
	'src/ddl/build_definition.c' => 'copies it into the definition',
	'src/search/search.c' => 'searches vector indexes',
	'src/search/search_sql.c' => 'creates and drops vector indexes',
	'src/request/vector_params.c' => 'requests and descriptions of vector indexes',
);

# Members of an index that belong to its kind, and comparisons of kinds.
sub asks_for_kind
{
	my ($file, $text) = @_;
	my @t = $file =~ m{^src/index_kind/} ? () : c_tokens($text);
	my @found;

	for my $i (2 .. $#t)
	{
		next if $t[$i]{text} !~ /^(?:vector|storage|(?:inline|table|sharded|vector)_index)$/;
		my $before = join '', map { $_->{text} } @t[ ($i > 7 ? $i - 8 : 0) .. $i - 1 ];

		push @found, $t[$i] if $t[$i]{text} eq 'vector' && $before =~ /(?:index|indexes\[.*\]|spec)(?:->|[.])$/
			|| $t[$i]{text} =~ /^(?:inline|table|sharded|vector)_index$/ && $before =~ /[!=]=&$/
			|| $t[$i]{text} eq 'storage' && $before =~ /strcmp\(\w.*->$/;
	}
	return map { "$_->{line}: $_->{text}: ask index->kind" } grep { !is_allowed(\%knows_kinds, $file, $_->{function}) } @found;
}

# ---- what nodes of Citus call on each other is not among the functions of users ----

my $for_users = any_of('apply_entity delete_expired request_safe verify_index');

sub calls_of_nodes
{
	my ($file, $text) = @_;

	return map { "$_->{line}: \"$_->{text}\": use schema dynamo_system" }
		grep { $_->{text} =~ /\bdynamo[.](?!(?:$for_users)\()\w+\(/ && $_->{call} !~ /^(?:$no_sql)$/ } c_texts(c_tokens($text));
}

# ---- long files ----

sub too_long
{
	my ($file, $text) = @_;
	my $lines = ($text =~ tr/\n//);

	return $lines > 700 ? "$lines lines" : ();
}

# ---- versions ----

sub version_tests
{
	my ($file, $text) = @_;

	return $file eq 'src/compat.h' ? () : map { "$_->{line}: $_->{text}" } grep { $_->{text} eq 'PG_VERSION_NUM' } c_tokens($text);
}

# Functions that macros of compat.h call in another way in each version: a call elsewhere fits
# some versions only.  Those named here are the same in all.
my %same_in_all = map { $_ => 1 } qw(TupleDescAttr index_close list_make1);
my %of_compat;

sub functions_of_versions
{
	my ($header) = @_;
	my (%definitions, %functions);

	$header =~ s{/\*.*?\*/}{}gs;
	$header =~ s/\\\n/ /g;
	while ($header =~ /^#define\s+(\w+)(?:\([^)]*\))?[ \t]+(.*)$/mg)
	{
		my ($macro, $body) = ($1, $2);

		push @{ $definitions{$macro} }, { map { $_ => 1 } $body =~ /\b([A-Za-z_]\w*)\s*\(/g };
	}
	for my $macro (keys %definitions)
	{
		my %count;

		$count{$_}++ for map { keys %$_ } @{ $definitions{$macro} };
		$functions{$_} = $macro for grep { $count{$_} > 1 && !$same_in_all{$_} } keys %count;
	}
	return %functions;
}

sub calls_of_versions
{
	my ($file, $text) = @_;

	return if $file eq 'src/compat.h';
	%of_compat = functions_of_versions(do { local (@ARGV, $/) = "$top/src/compat.h"; <> }) if !%of_compat;
	return map { "$_->{line}: $_->{text}() differs between versions: $of_compat{$_->{text}}() of compat.h" }
		grep { $_->{kind} eq 'word' && $_->{function} ne '' && $of_compat{ $_->{text} } } c_tokens($text);
}

# ---- running them ----

# Each: name, files, check, code it must find, code it must let pass.
my @rules = (
	[ q{owners' code runs in a scope}, 'src/*.c src/*/*.c', \&owners_code_outside_scope,
		[ 'static void Build(Relation rel) { ExecOpenIndices(result, false); OwnerScopeEnter(&scope, owner); }',
			'void F(void) { OwnerScopeEnter(&s, o); } void G(void) { if (x) info = BuildIndexInfo(index); }' ],
		[ 'void F(void) { OwnerScopeEnter(&scope, owner); ExecOpenIndices(result, false); }',
			'/* ExecOpenIndices(a, b) */ void F(void) { Say("ExecOpenIndices()"); }' ] ],
	[ 'the user is changed by one module', 'src/*.c src/*/*.c', \&switches_of_user,
		[ 'void F(void) { SetUserIdAndSecContext(role, 0); }', 'void F(void) { OwnerScopeEnterForExtension(&scope, owner); }' ],
		[ 'void F(void) { GetUserIdAndSecContext(&role, &context); OwnerScopeEnter(&scope, owner); }' ] ],
	[ q{the owner's rights are a check}, 'src/*.c src/*/*.c', \&enters_scope,
		[ 'void F(void) { OwnerScopeEnter(&scope, owner); }', 'void F(void) { OwnerScopeEnterForMaintenance(&scope, owner); }' ],
		[ 'void F(void) { StoreOpenAs(&store, relid, access, owner, true); }' ] ],
	[ 'relations are locked before they are opened', 'src/*.c src/*/*.c', \&opens_without_lock,
		[ 'void F(void) { rel = table_open(get_relname_relid(name, schema), AccessShareLock); }',
			'void F(void) { rel = relation_open(oid, mode); }' ],
		[ 'void F(void) { rel = try_table_open(oid, AccessShareLock); rel = table_open(oid, NoLock); }',
			'void F(void) { rel = table_open(RelationRelationId, AccessShareLock); }' ] ],
	[ 'names of tables are locked when they are resolved', 'src/*.c src/*/*.c', \&resolves_without_lock,
		[ 'void F(void) { relid = TableNameResolve(name, true); }' ],
		[ 'void F(void) { relid = TableNameLock(name, AccessShareLock, true); }' ] ],
	[ 'errors are caught at boundaries only', 'src/*.c src/*/*.c', \&catches_errors,
		[ 'void F(void) { PG_TRY(); { G(); } PG_CATCH(); { FlushErrorState(); } PG_END_TRY(); }' ],
		[ '/* PG_TRY */ void F(void) { if (!G(&problem)) return; }' ] ],
	[ 'one function is registered for changed relations', 'src/*.c src/*/*.c', \&registers_for_relations,
		[ 'void F(void) { CacheRegisterRelcacheCallback(Forget, (Datum) 0); }' ], [ 'void F(void) { OnRelationChange(Forget); }' ] ],
	[ 'rows are written in store/', 'src/*.c src/*/*.c', \&writes_rows,
		[ 'void F(void) { table_tuple_insert(rel, slot, cid, 0, NULL); }' ],
		[ 'void F(void) { OwnTableInsert(&table); }' ] ],
	[ 'no backslash in statements', 'src/*.c src/*/*.c src/*/*.h', \&backslashes_in_c,
		[ q{static const char *q = "SELECT 1 " "FROM t WHERE a OPERATOR(pg_catalog.=) '\\\\x00'";} ],
		[ q{void F(void) { Parse("\\\\"); errhint("In psql: SELECT 1 \\\\gexec"); }},
			q{static const char *q = "SELECT \"name\" FROM a.t";} ] ],
	[ 'no backslash in scripts', '*.sql src/*/*.sql', \&backslashes_in_script,
		[ q{SELECT pg_catalog.rtrim(a, '\x00'::bytea);}, q{DO $$ BEGIN PERFORM 'it''s \'; END $$;} ],
		[ q{SELECT E'\\\\x00'; -- '\x'}, q{\echo Use "CREATE EXTENSION dynamo" to load this file. \quit} ] ],
	[ 'statements name operators, functions and types with their schema', 'src/*.c src/*/*.c src/*/*.h', \&unqualified_in_c,
		[ q{char *a = "SELECT a FROM s.t WHERE a = $1";}, q{char *a = "SELECT lower(a) FROM s.t";},
			q{char *a = " AND a OPERATOR(pg_catalog.=) $1::text";}, q{char *a = "DELETE FROM %s WHERE (%s) IN (SELECT %s FROM %s)";},
			q{char *a = "SELECT CASE a WHEN 1 THEN 2 END FROM s.t";}, q{char *a = "SELECT 1 FROM s.a JOIN s.b USING (x)";},
			q{char *a = "SELECT 1 WHERE a IS DISTINCT FROM b";}, q{char *a = "UPDATE %s SET a = b + 1";},
			q{char *a = "SELECT NULLIF(a, 1) FROM s.t";}, q{char *a = "SELECT a OPERATOR(pg_catalog.=) length(b) FROM s.t";} ],
		[ q{char *a = "SELECT pg_catalog.lower(a), b.* FROM s.t b WHERE a OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])";},
			q{char *a = "UPDATE %s SET a = $1, b = c WHERE (a, b) OPERATOR(pg_catalog.>) ($1, $2)";},
			q{char *a = "INSERT INTO %s (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = $2";},
			q{char *a = "SELECT k.a FROM pg_catalog.json_typeof($1) k(a)";}, q{char *a = "CREATE TABLE %s (a int8) WITH (fillfactor = %d)";},
			q{void F(void) { errhint("Use SELECT lower(a) FROM t WHERE a = b"); }} ] ],
	[ 'views and functions of scripts do so, too', '*.sql', \&unqualified_in_script,
		[ 'CREATE VIEW v AS SELECT a FROM s.t WHERE a = 1;', 'CREATE VIEW v AS SELECT a::text FROM s.t;',
			q{DO $$ BEGIN IF lower('A') IS NULL THEN RETURN; END IF; END $$;}, q{CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1 + 1;},
			q{SET LOCAL search_path = pg_catalog, pg_temp; DO $$ BEGIN IF lower('A') IS NULL THEN RETURN; END IF; END $$;},
			q{SET search_path = public; CREATE VIEW v AS SELECT a FROM s.t WHERE a = 1;},
			q{CREATE VIEW v AS SELECT a FROM s.t WHERE a = 1; SET LOCAL search_path = pg_catalog, pg_temp;} ],
		[ q{SET LOCAL search_path = pg_catalog, pg_temp; CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1 + 1; END;},
			q{SET LOCAL search_path = pg_catalog, pg_temp; CREATE VIEW v AS SELECT a::text FROM pg_class t WHERE a = 1;},
			q{CREATE VIEW v AS SELECT COALESCE(a OPERATOR(pg_catalog.->>) 'b', 'c') AS d FROM s.t;},
			q{CREATE OPERATOR = (LEFTARG = item, RIGHTARG = item, FUNCTION = item_eq);}, q{CREATE EVENT TRIGGER e ON sql_drop WHEN TAG IN ('A');} ] ],
	[ 'C names relations with their schema', 'src/*.c src/*/*.c', \&names_without_schema,
		[ 'void F(void) { name = psprintf("%s.%s", get_namespace_name(schema), get_rel_name(relid)); }',
			'void F(void) { relid = RelnameGetRelid(name); }', 'void F(void) { rel = table_openrv(makeRangeVar(NULL, name, -1), NoLock); }',
			'void F(void) { RunStatement("DROP TABLE %s", quote_identifier(get_rel_name(relid))); }',
			'void F(void) { RunStatement("SELECT dynamo.reindex(%s)", quote_literal_cstr(RelationGetRelationName(rel))); }',
			'void F(void) { appendStringInfo(&sql, "%s.%s", schema, name); }' ],
		[ 'void F(void) { RunStatement("DROP TABLE %s", QualifiedName(schema, get_rel_name(relid))); }',
			'void F(void) { rel = TableNameOpen(TableNameOfOid(relid), NoLock, true); x = makeRangeVar(schema, name, -1); }' ] ],
	[ 'statements name relations with their schema', 'src/*.c src/*/*.c src/*/*.h', \&unqualified_relations_in_c,
		[ q{char *a = "SELECT a FROM shop";}, q{char *a = "SELECT 1 FROM s.a JOIN b ON true";}, q{char *a = "INSERT INTO jobs (a) VALUES (1)";},
			q{char *a = "UPDATE jobs SET a = 1";}, q{char *a = "SELECT 'shop'::regclass";}, q{char *a = "SELECT 'shop'::pg_catalog.regclass";},
			q{char *a = "SELECT pg_catalog.concat(n.nspname, '.', c.relname)";},
			q{char *a = "SELECT 1 WHERE s.schema_name OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) s.table_name IS NULL";} ],
		[ q{char *a = "SELECT a FROM dynamo.tables t JOIN %s u ON true";}, q{char *a = "WITH x AS (SELECT 1) SELECT * FROM x";},
			q{char *a = "SELECT 1 FROM (SELECT 2) s CROSS JOIN LATERAL pg_catalog.unnest($1) u";}, q{char *a = "SELECT 's.shop'::pg_catalog.regclass";},
			q{char *a = "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)";}, q{char *a = "INSERT INTO %s (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2";} ] ],
	[ 'views and functions of scripts name relations with their schema', '*.sql', \&unqualified_relations_in_script,
		[ 'CREATE VIEW v AS SELECT a FROM t;', q{CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN (SELECT 1 FROM b JOIN s.c ON true);},
			q{CREATE VIEW v AS SELECT pg_catalog.concat(t.schema_name, '.', t.relname) FROM s.t;} ],
		[ q{CREATE VIEW v AS WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT 2) SELECT 1 FROM a CROSS JOIN b JOIN s.t ON true;} ] ],
	[ 'nodes of Citus call functions that are not for users', 'src/citus/*.c', \&calls_of_nodes,
		[ q{char *a = "SELECT dynamo.node_row($1)";} ],
		[ q{char *a = "SELECT dynamo_system.node_row($1), dynamo.request_safe($2)";}, q{void F(void) { errhint("Use dynamo.distribute_table(a)."); }} ] ],
	[ 'Citus is known to src/citus/', 'src/*.[ch] src/*/*.[ch]', \&names_citus,
		[ '#include "citus/shards.h"', '/* Citus moves shards */', 'void F(void) { CitusInit(); }', 'char *a = "citus.shard_count";' ],
		[ 'void F(void) { errmsg("cannot change table \"%s\" on a worker node of Citus", name); }' ] ],
	[ 'files have 700 lines at most', 'src/*.[ch] src/*/*.[ch]', \&too_long, [ "\n" x 701 ], [ "\n" x 700 ] ],
	[ 'what an index is, its kind says', 'src/*.[ch] src/*/*.[ch]', \&asks_for_kind,
		[ 'void F(void) { if (index->vector != NULL) G(); }', 'void F(void) { n += def->indexes[i].vector == NULL; }',
			'void F(void) { if (spec.vector) G(); }', 'void F(void) { return index->kind == &vector_index; }',
			'void F(void) { return index->kind != &table_index; }', 'void F(void) { return strcmp(index->kind->storage, "table") == 0; }' ],
		[ 'void F(void) { if (index->kind->own_entries) G(); }', 'void F(void) { return a->kind == b->kind && candidate->vector != NULL; }',
			'void F(void) { AppendMember(out, "storage", index->kind->storage); }' ] ],
	[ 'what differs between versions is called through compat.h', 'src/*.[ch] src/*/*.[ch]', \&calls_of_versions,
		[ 'void F(void) { scan = table_beginscan(rel, snapshot, 0, NULL); }', 'void F(void) { table_tuple_delete(rel, tid); }' ],
		[ 'void F(void) { scan = BeginTableScan(rel, snapshot); index_close(rel, NoLock); }', '/* table_beginscan */' ] ],
	[ 'versions are told apart in compat.h', 'src/*.[ch] src/*/*.[ch]', \&version_tests,
		[ "#if PG_VERSION_NUM >= 160000\n#endif" ], [ '/* PG_VERSION_NUM */' ] ],
);

# Three answers for each: what the rule says of planted code, and of the sources.
for my $rule (@rules)
{
	my ($name, $files, $check, $wrong, $right) = @$rule;
	my (@missed, @refused, @found);

	@missed = grep { !$check->('planted', $_) } @$wrong;
	@refused = map { ($_, $check->('planted', $_)) } grep { $check->('planted', $_) } @$right;
	is_deeply(\@missed, [], "$name: finds what is wrong");
	is_deeply(\@refused, [], "$name: lets pass what is right");
	for my $path (sort glob join ' ', map { "$top/$_" } split ' ', $files)
	{
		my $file = substr $path, length($top) + 1;

		open(my $in, '<', $path) or die "cannot open $path: $!";
		push @found, map { "$file:$_" } $check->($file, do { local $/; <$in> });
	}
	is(join("\n", @found), '', $name);
}
is(join("\n", grep { !$used{$_} } sort map { keys %$_ } \%outside_scope, \%may_switch, \%scopes, \%may_open, \%may_resolve, \%may_catch, \%may_name, \%knows_kinds), '',
	'every exception is needed');
done_testing();
