-- put_item: stores whole items
CREATE SCHEMA t_put;
SET search_path = t_put;
SELECT dynamo.create_table('music', partition_key => 'Artist', sort_key => 'Song');

-- a new item: nothing is returned, even if the old item is requested
SELECT dynamo.put_item('music', '{"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}, "year": {"N": "1965"}}');
SELECT dynamo.put_item('music', '{"Artist": {"S": "Nina"}, "Song": {"S": "Ain''t"}}', return_values => 'ALL_OLD');
SELECT * FROM music ORDER BY 1, 2;

-- an existing item is replaced as a whole
SELECT dynamo.put_item('music', '{"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}, "minutes": {"N": "10.3"}}', return_values => 'ALL_OLD');
SELECT item FROM music WHERE "Song" = 'Sinnerman';

-- parameters by name, plain JSON
SELECT dynamo.put_item(item => jsonb_build_object('Artist', 'Bob', 'Song', 'Hurricane', 'tags', jsonb_build_array('a', 1)), table_name => 't_put.music');
SELECT item FROM music WHERE "Artist" = 'Bob';

-- conditions
SELECT dynamo.put_item('music', '{"Artist": {"S": "Bob"}, "Song": {"S": "Hurricane"}}', 'attribute_not_exists(Artist)');
SELECT dynamo.put_item('music', '{"Artist": {"S": "Bob"}, "Song": {"S": "Hurricane"}}', 'attribute_not_exists(Artist)',
	return_values_on_condition_check_failure => 'ALL_OLD');
-- no item to return
SELECT dynamo.put_item('music', '{"Artist": {"S": "Bob"}, "Song": {"S": "Other"}}', 'attribute_exists(Artist)',
	return_values_on_condition_check_failure => 'ALL_OLD');
SELECT dynamo.put_item('music', '{"Artist": {"S": "Bob"}, "Song": {"S": "Hurricane"}, "v": {"N": "2"}}',
	'#t[1] = :one', '{":one": {"N": "1.0"}}', '{"#t": "tags"}', 'ALL_OLD');
SELECT item FROM music WHERE "Artist" = 'Bob';
-- the error has its own SQLSTATE
DO $$
DECLARE
	detail text;
BEGIN
	PERFORM dynamo.put_item('music', '{"Artist": {"S": "Bob"}, "Song": {"S": "Hurricane"}}', 'v > :v', '{":v": {"N": "2"}}',
		return_values_on_condition_check_failure => 'ALL_OLD');
EXCEPTION WHEN SQLSTATE 'KV002' THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '% / %', SQLERRM, detail::dynamo.item;
END $$;

-- request errors
SELECT dynamo.put_item(NULL, '{}');
SELECT dynamo.put_item('', '{}');
SELECT dynamo.put_item('music', NULL);
SELECT dynamo.put_item('music', '{}', return_values => 'ALL_NEW');
SELECT dynamo.put_item('music', '{}', return_values => 'all_old');
SELECT dynamo.put_item('music', '{}', return_values_on_condition_check_failure => 'UPDATED_OLD');
SELECT dynamo.put_item('music', '{}', expression_attribute_values => '{":v": {"N": "2"}}');
SELECT dynamo.put_item('music', '{}', expression_attribute_names => '{"#v": "v"}');
SELECT dynamo.put_item('music', '{}', 'attribute_exists(a)', '{":v": {"N": "2"}}');
SELECT dynamo.put_item('music', '{}', 'attribute_exists(a)', NULL, '{"#v": "v"}');
SELECT dynamo.put_item('music', '{}', 'attribute_exists(a)', NULL, '["#v"]');
SELECT dynamo.put_item('music', '{}', '');
-- expressions are checked before the table is looked up, keys after it
SELECT dynamo.put_item('nowhere', '{}', 'a = ');
SELECT dynamo.put_item('nowhere', '{}');
SELECT dynamo.put_item('pg_class', '{}');

-- keys
SELECT dynamo.put_item('music', '{"Artist": {"S": "Nina"}}');
SELECT dynamo.put_item('music', '{"Artist": {"N": "1"}, "Song": {"S": "x"}}');
SELECT dynamo.put_item('music', '{"Artist": {"S": "Nina"}, "Song": {"S": "x"}}'::jsonb);
SELECT dynamo.get_item('music', '{"Artist": {"S": "Nina"}, "Song": {"S": "x"}}'::jsonb);
SELECT dynamo.get_item('music', '{"Artist": {"name": "Nina"}, "Song": "x"}'::jsonb);
SELECT dynamo.put_item('music', '{"Artist": {"S": ""}, "Song": {"S": "x"}}');
SELECT dynamo.put_item('music', jsonb_build_object('Artist', repeat('x', 2049), 'Song', 'x'));
SELECT dynamo.put_item('music', jsonb_build_object('Artist', 'x', 'Song', repeat('x', 1025)));
SELECT dynamo.put_item('music', '{"Artist": {"S": "x"}, "Song": {"S": "x"}}', 'attribute_exists(Song.a)');
SELECT dynamo.put_item('music', '{"Artist": {"S": "a\u0000b"}, "Song": {"S": "x"}}');
-- item size: names and values, 409600 bytes
SELECT dynamo.put_item('music', jsonb_build_object('Artist', 'size', 'Song', 'x', 'd', repeat('x', 409600 - 6 - 4 - 4 - 1 - 1)));
SELECT dynamo.put_item('music', jsonb_build_object('Artist', 'size', 'Song', 'y', 'd', repeat('x', 409600 - 6 - 4 - 4 - 1 - 1 + 1)));
SELECT "Artist", "Song", dynamo.item_size(item) FROM music WHERE "Artist" = 'size';

-- many items in one statement, and one key several times
SELECT count(dynamo.put_item('music', jsonb_build_object('Artist', 'many', 'Song', 's' || g % 3, 'n', g), return_values => 'ALL_OLD'))
FROM generate_series(1, 100) g;
SELECT item FROM music WHERE "Artist" = 'many' ORDER BY "Song";

-- key types and a table without a sort key
SELECT dynamo.create_table('numbers', partition_key => 'n', partition_key_type => 'N');
SELECT dynamo.put_item('numbers', '{"n": {"N": "1.0"}, "a": {"S": "first"}}');
SELECT dynamo.put_item('numbers', '{"n": {"N": "1"}, "a": {"S": "second"}}', return_values => 'ALL_OLD');
SELECT dynamo.create_table('bytes', partition_key => 'b', sort_key => 'n', partition_key_type => 'B', sort_key_type => 'N');
SELECT dynamo.put_item('bytes', '{"b": {"B": "AAEC"}, "n": {"N": "-1e-130"}}');
SELECT dynamo.put_item('bytes', '{"b": {"B": "AAEC"}, "n": {"N": "-1e-130"}, "again": {"BOOL": true}}', return_values => 'ALL_OLD') IS NOT NULL AS replaced;
SELECT * FROM numbers;
SELECT b, n = -1e-130 AS n FROM bytes;

-- temporary and unlogged tables
ALTER TABLE music SET UNLOGGED;
SELECT dynamo.put_item('music', '{"Artist": {"S": "unlogged"}, "Song": {"S": "x"}}');
SELECT count(*) FROM music WHERE "Artist" = 'unlogged';
SET search_path = pg_temp;
SELECT dynamo.create_table('scratch', partition_key => 'id');
BEGIN READ ONLY;
SELECT dynamo.put_item('scratch', '{"id": {"S": "x"}}');
SELECT dynamo.get_item('scratch', '{"id": {"S": "x"}}');
COMMIT;
DROP TABLE scratch;

SET client_min_messages = warning;
DROP SCHEMA t_put CASCADE;
