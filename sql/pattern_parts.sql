-- Access patterns whose last parts may be absent, against plain queries.
CREATE SCHEMA pattern_parts;
SET search_path = pattern_parts, public, dynamo;
SELECT create_table('stores', partition_key => 'pk', sort_key => 'sk', indexes =>
	'[{"index_name": "by_owner", "partition_key": "g1", "sort_key": "g2"},
	  {"index_name": "apart", "partition_key": "g1", "sort_key": "g2", "storage": "table"}]');
SELECT create_entity('stores', 'store', '{"pk": "{country}", "sk": "{state}#{city}#{zip}", "g1": "O#{owner}", "g2": "{size:04}#{city}#{zip}"}',
	'{"country": "text", "state": "text", "city": "text", "zip": "text", "owner": "text", "size": "int"}', type_attribute => 'kind', view_name => 'store_rows');
INSERT INTO store_rows (country, state, city, zip, owner, size)
SELECT DISTINCT ON (c, s, t, z) 'C' || c AS country, 'S' || s AS state, repeat('t', t) AS city, z::text AS zip, 'o' || c % 2, c * 10 + s
FROM generate_series(1, 2) c, generate_series(1, 3) s, generate_series(1, 3) t, unnest('{1,12,123,2}'::int[]) z;

SELECT create_access_pattern('stores', 'find_stores', 'country = :country AND state = :state AND city = :city AND zip = :zip', view_name => 'store_rows',
	parameters => '{"state": {"default": null}, "city": {"default": null}, "zip": {"default": null}}');
SELECT create_access_pattern('stores', 'find_items', 'country = :country AND state = :state AND city = :city AND zip = :zip', entities => '{store}',
	parameters => '{"city": {"default": null}, "zip": {"default": null}}', scan_index_forward => false, max_items => 7);
SELECT create_access_pattern('stores', 'find_apart', 'owner = :owner AND size = :size AND city = :city', view_name => 'store_rows', index_name => 'apart',
	parameters => '{"size": {"default": null}, "city": {"default": null}}');
SELECT create_access_pattern('stores', 'find_page', 'country = :country AND state = :state AND city = :city AND zip = :zip', entities => '{store}',
	parameters => '{"state": {"default": null}, "city": {"default": null}, "zip": {"default": null}}', returns => 'page');

SELECT count(*) FROM find_stores('C1');
SELECT count(*) FROM find_stores('C1', 'S1');
SELECT count(*) FROM find_stores('C1', 'S1', 't');
SELECT city, zip FROM find_stores('C1', 'S1', 't', '12');		-- not 123
SELECT count(*) FROM find_stores('C1', 'S');			-- a whole part, not its beginning
SELECT count(*) FROM find_stores('C1', '');
SELECT count(*) FROM find_stores(NULL, 'S1');
SELECT count(*) FROM find_stores('C1', NULL, 't');
SELECT count(*) FROM find_stores('C1', 'S1', zip => '1');
SELECT item ->> 'sk' AS sk FROM find_items('C2', 'S2') item;
SELECT count(*) FROM find_items('C2', NULL);		-- the state is required
SELECT item ->> 'sk' AS sk FROM find_items('C2', 'S2', 'tt', '1') item;
SELECT count(*) FROM find_apart('o1');
SELECT count(*) FROM find_apart('o1', 11);
SELECT count(*) FROM find_apart('o1', 11, 'tt');
SELECT count FROM find_page('C1', 'S3', page_size => 5);
EXPLAIN (COSTS OFF) SELECT * FROM find_stores('C1', 'S1');
SELECT access_pattern_request('find_stores', '{"country": "C1", "state": "S1"}'::jsonb) -> 'ExpressionAttributeValues';
SELECT request('Query', access_pattern_request('find_stores', '{"country": "C1", "state": "S1"}'::jsonb)) ->> 'Count' AS count;
SELECT request('Query', access_pattern_request('find_stores', '{"country": "C1", "state": "S1", "city": "t", "zip": "12"}'::jsonb)) ->> 'Count' AS count;
SELECT condition, key_condition FROM access_patterns WHERE pattern = 'find_stores'::regproc;
SELECT pattern, problem FROM check_access_patterns('stores', strict => true) ORDER BY pattern::text;

-- every combination of parts finds what a plain query finds, by rows, items and requests
SELECT count(*) AS combinations, sum(plain.n) AS stores, count(*) FILTER (WHERE plain.rows IS DISTINCT FROM pattern.rows OR plain.n IS DISTINCT FROM requested.n) AS wrong
FROM (SELECT * FROM unnest(ARRAY['C1', 'C3']) c, unnest(ARRAY['S1', 'S2', NULL]) s, unnest(ARRAY['t', 'tt', 'x', NULL]) t, unnest(ARRAY['1', '12', '9', NULL]) z
	  WHERE (s IS NOT NULL OR (t IS NULL AND z IS NULL)) AND (t IS NOT NULL OR z IS NULL)) p
	CROSS JOIN LATERAL (SELECT count(*) AS n, array_agg(r.state || r.city || r.zip ORDER BY r.sk COLLATE "C") AS rows FROM store_rows r
						WHERE r.country = p.c AND (s IS NULL OR r.state = s) AND (t IS NULL OR r.city = t) AND (z IS NULL OR r.zip = z)) plain
	CROSS JOIN LATERAL (SELECT array_agg(f.state || f.city || f.zip) AS rows FROM find_stores(p.c, s, t, z) f) pattern
	CROSS JOIN LATERAL (SELECT (request('Query', access_pattern_request('find_stores', jsonb_build_object('country', c, 'state', s, 'city', t, 'zip', z))) ->> 'Count')::int AS n) requested;
-- what is recorded declares it again
SELECT p.pattern_name, p.parameters::jsonb AS parameters FROM json_to_recordset(export_model('stores') #> '{tables,0,access_patterns}') p(pattern_name text, parameters json) ORDER BY p.pattern_name COLLATE "C";

SELECT create_access_pattern('stores', 'bad', 'country = :country AND state = :state AND city = :city', view_name => 'store_rows', parameters => '{"state": {"default": null}}');
SELECT create_access_pattern('stores', 'nothing', 'country = :country AND state = :state', view_name => 'store_rows', parameters => '{"country": {"default": null}, "state": {"default": null}}');
SELECT count(*) FROM nothing(NULL, 'S1');		-- a partition must be given

-- ---- an empty text is a bound, null is none ----

SELECT create_access_pattern('stores', 'cities_from', 'country = :country AND state >= :from', entities => '{store}', parameters => '{"from": {"default": null}}',
	keys => '{"sk": "{state}"}');
SELECT create_access_pattern('stores', 'cities_to', 'country = :country AND state <= :to', entities => '{store}', parameters => '{"to": {"default": null}}',
	keys => '{"sk": "{state}"}');
SELECT create_access_pattern('stores', 'cities_after', 'country = :country AND state > :from', entities => '{store}', keys => '{"sk": "{state}"}');
SELECT create_access_pattern('stores', 'cities_between', 'country = :country AND state BETWEEN :from AND :to', entities => '{store}', keys => '{"sk": "{state}"}',
	parameters => '{"from": {"default": null}, "to": {"default": null}}');
SELECT (SELECT count(*) FROM cities_from('C1')) AS open, (SELECT count(*) FROM cities_from('C1', '')) AS empty;
SELECT (SELECT count(*) FROM cities_to('C1')) AS open, (SELECT count(*) FROM cities_to('C1', '')) AS empty;
SELECT (SELECT count(*) FROM cities_after('C1', NULL)) AS open, (SELECT count(*) FROM cities_after('C1', '')) AS empty;
SELECT (SELECT count(*) FROM cities_between('C1')) AS open, (SELECT count(*) FROM cities_between('C1', '', '')) AS empty, (SELECT count(*) FROM cities_between('C1', '')) AS half;
SELECT dynamo_system.pattern_key('<=', 'A#{x}', 'x'::text, ''::text), dynamo_system.pattern_key('<=', 'A#{x}', 'x'::text, NULL::text) = E'A#\U0010FFFF' AS open, dynamo_system.pattern_key('>=', 'A#{x}', 'x'::text, ''::text), dynamo_system.pattern_key('>', 'A#{x}', 'x'::text, ''::text) = E'A#\x01' AS after;
SELECT dynamo_system.pattern_key('<=', '{x}', 'x'::text, ''::text) AS none, dynamo_system.pattern_key('>=', '{x}', 'x'::text, ''::text) = E'\x01' AS least;
SELECT dynamo_system.pattern_key('<=', 'A#{n:04}', 'n'::text, ''::text);

-- ---- documents with an order and a limit ----

SELECT create_table('desk', partition_key => 'pk', sort_key => 'sk', indexes => '[{"index_name": "by_user", "partition_key": "g1", "sort_key": "g2"}]');
SELECT create_entity('desk', 'person', '{"pk": "U#{who}", "sk": "A"}', '{"who": "text", "name": "text"}', type_attribute => 'kind');
SELECT create_entity('desk', 'ticket', '{"pk": "U#{who}", "sk": "T#{n:04}"}', '{"who": "text", "n": "int", "at": "timestamptz", "status": "text", "weight": "int"}', type_attribute => 'kind');
SELECT create_entity('desk', 'reply', '{"pk": "U#{who}", "sk": "T#{n:04}#R#{m:02}"}', '{"who": "text", "n": "int", "m": "int"}', type_attribute => 'kind');
SELECT create_access_pattern('desk', 'latest', 'who = :who', '{person,ticket,reply}', scan_index_forward => false, max_items => 4, returns => 'document');
SELECT create_access_pattern('desk', 'first', 'who = :who', '{person,ticket,reply}', max_items => 3, returns => 'document');
SELECT create_access_pattern('desk', 'reversed', 'who = :who', '{person,ticket,reply}', scan_index_forward => false, returns => 'document');
SELECT create_access_pattern('desk', 'ticket_first', 'who = :who', '{ticket,reply,person}', max_items => 1, returns => 'document');
SELECT latest('ann');
SELECT put_item('desk', '{"kind": "person", "who": "ann", "name": "Ann"}'::jsonb);
SELECT latest('ann'), first('ann'), reversed('ann');
SELECT put_item('desk', jsonb_build_object('kind', 'ticket', 'who', 'ann', 'n', n)) FROM generate_series(1, 4) n;
SELECT put_item('desk', jsonb_build_object('kind', 'reply', 'who', 'ann', 'n', 3, 'm', m)) FROM generate_series(1, 2) m;
CREATE FUNCTION brief(document jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT concat($1 ->> 'name', $1 ->> 'n', $1 ->> 'm', (SELECT concat('(', string_agg(k.key || ':' || brief(v.value), ' ' ORDER BY k.key, v.n), ')')
		FROM jsonb_each($1) k CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(k.value) WHEN 'array' THEN k.value END) WITH ORDINALITY v(value, n)))
$$;
SELECT brief(latest('ann')) AS latest, brief(first('ann')) AS first, brief(reversed('ann')) AS reversed, brief(ticket_first('ann')) AS ticket_first;
SELECT latest(NULL), latest('bob');
SELECT delete_item('desk', '{"kind": "person", "who": "ann"}'::jsonb);
SELECT brief(latest('ann')) AS latest, brief(first('ann')) AS first, brief(reversed('ann')) AS reversed;
SELECT pattern, problem FROM check_access_patterns('desk') ORDER BY pattern::text;

-- ---- what would make a refused pattern possible ----

\set VERBOSITY default
SELECT create_access_pattern('desk', 'refused', 'who = :who AND at >= :at', '{ticket}');
SELECT create_access_pattern('desk', 'refused', 'status = :status AND weight BETWEEN :a AND :b', '{ticket}');
SELECT create_access_pattern('desk', 'refused', 'who = :who AND n = :n', '{ticket}', index_name => 'by_user');
SELECT create_access_pattern('stores', 'refused', 'owner = :o AND size > :s', '{store}');
SELECT create_access_pattern('desk', 'refused', 'weight > :w', '{ticket}');
SELECT create_access_pattern('desk', 'refused', 'who = :who AND at > :at AND weight > :w', '{ticket}');

SET client_min_messages = warning;
DROP SCHEMA pattern_parts CASCADE;
