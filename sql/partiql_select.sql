-- PartiQL: SELECT as query and scan, order, pages, indexes
CREATE SCHEMA t_partiql_select;
SET search_path = t_partiql_select;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; for an error its type and the rest of the body
CREATE FUNCTION pq(statement text, params text DEFAULT NULL, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM dynamo.request_safe('ExecuteStatement', ('{"Statement": ' || to_json(statement) || coalesce(', "Parameters": ' || params, '') || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "few", "partition_key": "g", "projection": "INCLUDE", "non_key_attributes": ["y"]},
	{"index_name": "multi", "partition_key": ["g", "h"], "sort_key": ["i", "j"]},
	{"index_name": "pair", "partition_key": "g", "sort_key": ["i", "j"]},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('hash', 'id', partition_key_type => 'N');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'p' || i % 3, 'sk', 's' || i, 'x', i, 'y', 'y' || i, 'g', 'g' || i % 2, 'n', i, 'l', 'l' || 9 - i,
	'h', 'h', 'i', 'i' || i % 2, 'j', 'j' || i) FROM generate_series(1, 9) i;
INSERT INTO hash (item) SELECT jsonb_build_object('id', i, 'm', jsonb_build_object('a', i, 'b', jsonb_build_array('x', i))) FROM generate_series(1, 3) i;

-- one item, one partition, a range of it
SELECT pq($$SELECT * FROM tab WHERE pk = 'p1' AND sk = 's4'$$);
SELECT pq($$SELECT * FROM hash WHERE id = 2.0$$);
-- a full key: an item is found by it, and a query says what is wrong with it and ends at a limit
SELECT pq($$SELECT x, sk FROM tab WHERE sk = 's4' AND pk = 'p1'$$, NULL, ', "ReturnConsumedCapacity": "INDEXES"');
SELECT pq($$SELECT x FROM tab WHERE pk = 'p1' AND sk = 's4' ORDER BY sk DESC$$, NULL, ', "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true');
SELECT pq($$SELECT x FROM tab WHERE pk = 'p1' AND sk = 's4' AND x = 5$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$SELECT x FROM tab WHERE pk = 'p1' AND sk = 's4' ORDER BY x$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'p1' AND sk = 'none'$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$SELECT x FROM tab WHERE pk = 'p1' AND sk = 's4'$$, NULL, ', "Limit": 1');
SELECT pq($$SELECT x FROM tab WHERE pk = 'p1' AND sk = ?$$, parameter) FROM unnest(ARRAY['[{"N": "4"}]', '[{"S": ""}]', '[{"S": "\u0000"}]',
	'[{"S": "' || repeat('x', 1025) || '"}]']::text[]) parameter;
SELECT pq($$SELECT x FROM tab WHERE pk = ? AND sk = 's4'$$, parameter) FROM unnest(ARRAY['[{"N": "4"}]', '[{"S": ""}]', '[{"S": "\u0000"}]',
	'[{"S": "' || repeat('x', 2049) || '"}]']::text[]) parameter;
SELECT pq($$SELECT x FROM tab WHERE pk = ? AND sk = 4$$, '[{"NULL": true}]');
SELECT pq($$select SK, sk from tab where ? = pk$$, '[{"S": "p1"}]');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND begins_with(sk, 's') AND sk <> 's4'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND sk BETWEEN 's1' AND ?$$, '[{"S": "s4"}]');
SELECT pq($$SELECT sk FROM tab WHERE (pk = 'p1' AND ('s4' <= sk))$$);
-- only the range of the key is read, as the capacity shows
SELECT pq($$SELECT sk FROM tab WHERE sk > 's1' AND pk = 'p1' AND sk < 's7'$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT dynamo.put_item('tab', jsonb_build_object('pk', 'p1', 'sk', 't', 'big', repeat('x', 40000)));
SELECT pq($$SELECT sk FROM tab WHERE sk > 's1' AND pk = 'p1' AND sk <= 's7'$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND sk IN ['s7', 's1', 'sss']$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND x > 1$$, NULL, ', "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND NOT sk < 't'$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
DELETE FROM tab WHERE sk = 't';
-- bounds that exclude each other
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND sk > 's4' AND sk < 's4'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND sk > 's7' AND sk < 's1'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND pk = 'p2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p1' AND sk = 's1' AND sk = 's4'$$);

-- scans, and all kinds of conditions
SELECT pq($$SELECT sk FROM tab WHERE sk = 's4'$$);
SELECT pq($$SELECT sk FROM tab WHERE x IN (1, ?, y) ORDER BY sk$$, '[{"N": "9"}]');
SELECT pq($$SELECT sk FROM tab WHERE x NOT BETWEEN 2 AND 8 AND x NOT IN [1]$$);
SELECT pq($$SELECT sk FROM tab WHERE (x = 1 OR x = 2) AND NOT (x = 2)$$);
SELECT pq($$SELECT id FROM hash WHERE m.b[1] = 3 AND m.c IS MISSING AND m IS NOT MISSING$$);
SELECT pq($$SELECT id FROM hash WHERE size(m.b) = 2 AND contains(m.b, 1) AND attribute_type(m, 'M')$$);
SELECT pq($$SELECT id FROM hash WHERE BEGINS_WITH(m.b[0], 'x') AND Attribute_Exists(m.a) AND m.a != 1 AND id < 3$$);
SELECT dynamo.put_item('hash', '{"id": 9, "z": null}'::jsonb);
SELECT pq($$SELECT id FROM hash WHERE z IS NULL$$);
SELECT pq($$SELECT id FROM hash WHERE m IS NOT NULL AND id = 1$$);
SELECT pq($$SELECT id FROM hash WHERE z = null$$);
SELECT pq($$SELECT id FROM hash WHERE z IS NOT NULL AND id = 9$$);
SELECT pq($$SELECT id FROM hash WHERE w IS NOT NULL OR w IS NULL$$);
SELECT pq($$SELECT id FROM hash WHERE id = 1 AND m IS STRUCT AND m is tuple AND m.b IS LIST AND m.b[0] IS STRING AND m.b[1] IS NUMERIC$$);
SELECT pq($$SELECT id FROM hash WHERE m.b IS BOOLEAN OR m.b IS BLOB OR w IS STRING OR w IS NOT STRING OR m.a IS NOT NUMERIC$$);
SELECT pq($$SELECT id FROM hash WHERE id = 1 AND m IS NOT LIST$$);
SELECT pq($$SELECT id FROM hash WHERE m = {'a': 1, 'b': ['x', ?]}$$, '[{"N": "1"}]');
SELECT pq($$SELECT id FROM hash WHERE 'x' = m.b[0] AND m.a = id AND id = 1$$);

-- results are named after the last part of their path
SELECT pq($$SELECT m.a, m.b, m.b[1], "m"."nothing" FROM hash WHERE id = 2$$);
SELECT pq($$SELECT m, m.b[0], m.b[1] FROM hash WHERE id = 2$$);
SELECT pq($$SELECT m.b, b FROM hash WHERE id = 2$$);
SELECT pq($$SELECT a, a FROM hash$$);
SELECT pq($$SELECT nothing FROM hash WHERE id = 2$$);

-- several partitions, one after another or merged
SELECT pq($$SELECT pk, sk FROM tab WHERE pk IN ['p2', 'p0', 'p2', 'p7']$$);
SELECT pq($$SELECT pk, sk FROM tab WHERE pk IN ('p2', 'p0') ORDER BY pk DESC, sk$$);
SELECT pq($$SELECT pk, sk FROM tab WHERE pk = 'p2' OR (pk = 'p0' OR pk IN ['p2']) ORDER BY sk DESC$$);
SELECT pq($$SELECT pk, sk FROM tab WHERE pk IN ('p2', 'p0') AND sk > 's3' ORDER BY sk$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p2' ORDER BY sk DESC;$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p2' ORDER BY pk DESC$$);
SELECT pq($$SELECT sk FROM tab WHERE x = 1 ORDER BY sk$$);
SELECT pq($$SELECT sk FROM tab ORDER BY sk$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'p2' ORDER BY x$$);
SELECT pq(format('SELECT sk FROM tab WHERE pk IN [%s]', string_agg(quote_literal(i), ','))) FROM generate_series(1, 51) i;
SELECT pq(format('SELECT sk FROM tab WHERE pk IN [%s]', string_agg(quote_literal('p' || i), ','))) FROM generate_series(1, 50) i;
SELECT pq(format('SELECT sk FROM tab WHERE x IN [%s] AND pk = ''p1''', string_agg(i::text, ','))) FROM generate_series(1, 100) i;
SELECT pq(format('SELECT sk FROM tab WHERE x IN [%s] AND pk = ''p1''', string_agg(i::text, ','))) FROM generate_series(1, 101) i;

-- indexes
SELECT pq($$SELECT sk, n FROM tab.gsi WHERE g = 'g1' AND n > 5$$, NULL, ', "ReturnConsumedCapacity": "INDEXES"');
SELECT pq($$SELECT sk FROM "tab"."gsi" WHERE g IN ['g0', 'g1'] AND n BETWEEN 3 AND 6 ORDER BY n DESC$$);
SELECT pq($$SELECT j FROM tab.multi WHERE g = 'g1' AND h = 'h' AND i = 'i1' AND j > 'j5'$$);
SELECT pq($$SELECT * FROM tab.multi$$);
SELECT pq($$SELECT * FROM tab.pair$$);
SELECT pq($$SELECT * FROM tab.pair WHERE$$);
SELECT count(*) FROM dynamo.query('tab', 'g = :g AND h = :h', '{":g": {"S": "g1"}, ":h": {"S": "h"}}', index_name => 'multi');
SELECT pq($$SELECT * FROM tab.few WHERE g = 'g1' AND y = 'y5'$$);
SELECT pq($$SELECT x FROM tab.few WHERE g = 'g1'$$);
SELECT pq($$SELECT y FROM tab.few WHERE g = 'g1' AND x = 5$$);
SELECT pq($$SELECT * FROM tab.lsi WHERE pk = 'p1' AND l < 'l6'$$, NULL, ', "ConsistentRead": true');
SELECT pq($$SELECT x FROM tab.lsi WHERE pk = 'p1' AND l < 'l6'$$);
-- the filter sees what the index projects: a query is refused, a scan finds nothing
SELECT pq($$SELECT * FROM tab.lsi WHERE pk = 'p1' AND x = 4 AND y = 'y4'$$);
SELECT pq($$SELECT * FROM tab.lsi WHERE x = 4$$, NULL, ', "ReturnConsumedCapacity": "INDEXES"');
SELECT pq($$SELECT y FROM tab.lsi WHERE x = 4$$);
SELECT pq($$SELECT y FROM tab.lsi WHERE x IS MISSING AND sk = 's4'$$);
SELECT pq($$SELECT * FROM tab.gsi WHERE g = 'g1'$$, NULL, ', "ConsistentRead": true');
SELECT pq($$SELECT * FROM tab.nothing WHERE g = 'g1'$$);
SELECT pq($$SELECT * FROM nothing WHERE g = 'g1'$$);
SELECT dynamo.request_safe('ExecuteStatement', '{"Statement": "SELECT * FROM \"tab\u0000\""}') #>> '{body,message}';
SELECT dynamo.request_safe('ExecuteStatement', '{"Statement": "SELECT * FROM \"tab\".\"gsi\u0000\""}') #>> '{body,message}';
SELECT dynamo.request_safe('ExecuteStatement', '{"Statement": "SELECT \"\u0000\" FROM tab WHERE \"\u0000x\" = ''\u0000''"}') -> 'body';

-- tables by schema and by ARN
SELECT pq($$SELECT id FROM "t_partiql_select.hash" WHERE id = 1$$);
SELECT pq($$SELECT id FROM "arn:aws:dynamodb:us-east-1:000000000000:table/hash" WHERE id = 1$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$SELECT id FROM "arn:aws:dynamodb:us-east-1:000000000001:table/hash" WHERE id = 1$$);

-- keys of other types
SELECT pq($$SELECT id FROM hash WHERE id = '1'$$);
SELECT pq($$SELECT id FROM tab WHERE pk IN ['a', 1]$$);
SELECT pq($$SELECT id FROM tab WHERE pk = 'a' AND sk > 1$$);
SELECT pq($$SELECT id FROM tab WHERE pk = 'a' AND begins_with(sk, ?)$$, '[{"B": "AA=="}]');
SELECT pq($$SELECT id FROM tab WHERE pk = ''$$);
SELECT pq($$SELECT id FROM tab WHERE pk.x = 'a'$$);

SET client_min_messages = warning;
DROP SCHEMA t_partiql_select CASCADE;
