-- Index tables return the same as inline indexes
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_table CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_table;
SET search_path = t_index_table, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('tab', 'PK', 'SK', indexes => '[
	{"index_name": "gAll", "partition_key": "gp", "sort_key": "gs"},
	{"index_name": "gKeys", "partition_key": "gp", "sort_key": "gs", "projection": "KEYS_ONLY"},
	{"index_name": "gSome", "partition_key": "gp", "sort_key": "gs", "projection": "INCLUDE", "non_key_attributes": ["a", "m"]},
	{"index_name": "lKeys", "partition_key": "PK", "sort_key": "ls", "projection": "KEYS_ONLY", "local": true},
	{"index_name": "lSome", "partition_key": "PK", "sort_key": "ls", "projection": "INCLUDE", "non_key_attributes": ["a"], "local": true}]');
SELECT dynamo.create_index('tab', 'tgAll', 'gp', 'gs', storage => 'table');
SELECT dynamo.create_index('tab', 'tgKeys', 'gp', 'gs', projection => 'KEYS_ONLY', storage => 'table');
SELECT dynamo.create_index('tab', 'tgSome', 'gp', 'gs', projection => 'INCLUDE', non_key_attributes => '{a,m}', storage => 'table');
SELECT dynamo.create_index('tab', 'tlKeys', 'PK', 'ls', projection => 'KEYS_ONLY', local => true, storage => 'table');
SELECT dynamo.create_index('tab', 'tlSome', 'PK', 'ls', projection => 'INCLUDE', non_key_attributes => '{a}', local => true, storage => 'table');
SELECT count(dynamo.put_item('tab', format('{"PK": {"S": "p%s"}, "SK": {"S": "%s"}, "a": {"N": "%s"}, "b": {"N": "%s"}, "m": {"M": {"x": {"S": "deep"}}}%s%s}',
	n % 3, to_char(n, 'FM000'), n, n % 5,
	CASE WHEN n % 4 > 0 THEN format(', "gp": {"S": "g%s"}, "gs": {"S": "%s"}', n % 2, n / 10) END,
	CASE WHEN n % 7 > 0 THEN format(', "ls": {"S": "%s"}', 100 - n) END)::dynamo.item))
FROM generate_series(1, 120) n;

CREATE FUNCTION results(call text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	EXECUTE 'SELECT array_agg(i::text) FROM (SELECT dynamo.' || call || ') AS s (i)' INTO result;
	RETURN result;
EXCEPTION WHEN SQLSTATE 'KV001' THEN
	RETURN ARRAY[SQLERRM];
END $$;
-- the same call on an inline index and on an index table
CREATE FUNCTION same(call text, index text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN a IS NOT DISTINCT FROM replace(b::text, 't' || index, index)::text[] THEN coalesce(cardinality(a) || ' rows', 'nothing')
		ELSE concat_ws(E'\n', 'DIFFERENT', a::text, b::text) END
	FROM results(format(call, index)) a, results(format(call, 't' || index)) b
$$;
SELECT index, options, same($c$query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => '%s'$c$ || options || ')', index)
FROM unnest(ARRAY['gAll', 'gKeys', 'gSome']) index, unnest(ARRAY['', ', scan_index_forward => false', ', max_items => 5',
	', projection_expression => $$a, m.x$$', ', projection_expression => $$SK, gs$$',
	', exclusive_start_key => $${"PK": {"S": "p1"}, "SK": {"S": "025"}, "gp": {"S": "g1"}, "gs": {"S": "2"}}$$']) options
ORDER BY index COLLATE "C", options COLLATE "C";
SELECT index, same($c$query('tab', 'gp = :g AND begins_with(gs, :s)', '{":g": {"S": "g1"}, ":s": {"S": "1"}, ":n": {"N": "50"}}', index_name => '%s',
	filter_expression => 'a > :n')$c$, index)
FROM unnest(ARRAY['gAll', 'gKeys', 'gSome']) index;
SELECT index, options, same($c$query('tab', 'PK = :p', '{":p": {"S": "p1"}}', index_name => '%s'$c$ || options || ')', index)
FROM unnest(ARRAY['lKeys', 'lSome']) index, unnest(ARRAY['', ', scan_index_forward => false', ', projection_expression => $$a, ls$$',
	', projection_expression => $$b, m$$', ', filter_expression => $$attribute_exists(b)$$']) options
ORDER BY index COLLATE "C", options COLLATE "C";
SELECT index, same($c$scan('tab', index_name => '%s')$c$, index), same($c$scan('tab', index_name => '%s', segment => 0, total_segments => 2)$c$, index)
FROM unnest(ARRAY['gAll', 'gKeys', 'gSome', 'lKeys', 'lSome']) index;
SELECT index, same($c$query_page('tab', 'PK = :p', '{":p": {"S": "p1"}}', index_name => '%s', page_size => 7, select_attributes => 'ALL_ATTRIBUTES')$c$, index)
FROM unnest(ARRAY['lKeys', 'lSome']) index;
-- items fetched by a local index
SET dynamo.direct_access = on;
SELECT dynamo.explain_query('tab', 'PK = :p', '{":p": {"S": "p1"}}', index_name => 'tlKeys', projection_expression => 'a');

-- an index table cannot be read directly, only through the table
SET client_min_messages = warning;
DROP ROLE IF EXISTS t_index_reader;
CREATE ROLE t_index_reader;
RESET client_min_messages;
GRANT USAGE ON SCHEMA t_index_table TO t_index_reader;
GRANT SELECT ON tab TO t_index_reader;
SET ROLE t_index_reader;
SELECT count(*) FROM "tab$tgAll";
SELECT count(*) FROM dynamo.query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => 'tgAll');
SET dynamo.direct_access = off;
SELECT count(*) FROM dynamo.query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => 'tgAll');
-- row security of the table also hides entries
RESET ROLE;
CREATE POLICY few ON tab FOR SELECT USING ("SK" < '030');
ALTER TABLE tab ENABLE ROW LEVEL SECURITY;
SET ROLE t_index_reader;
SET dynamo.direct_access = on;
SELECT count(*), max(i ->> 'SK') FROM dynamo.query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => 'tgKeys') i;
SELECT count(*), max(i ->> 'SK') FROM dynamo.query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => 'gKeys') i;
RESET ROLE;
SELECT count(*) FROM dynamo.query('tab', 'gp = :g', '{":g": {"S": "g1"}}', index_name => 'tgKeys') i;

SET client_min_messages = warning;
DROP SCHEMA t_index_table CASCADE;
DROP ROLE t_index_reader;
