-- Mistakes that new users make, and the hints
\set SHOW_CONTEXT never
CREATE SCHEMA t_hints;
SET search_path = t_hints, dynamo;
SELECT dynamo.create_table('music', 'Artist', 'Song');
SELECT put_item('music', '{"Artist": "a", "Song": "s", "Year": 2015, "Genre": "Rock"}'::jsonb);
SELECT query('music', 'Artist = :a AND Song LIKE :p', '{":a": {"S": "a"}, ":p": {"S": "s"}}');
SELECT scan('music', 'Artist == :a', '{":a": {"S": "a"}}');
SELECT scan('music', 'Genre != :a', '{":a": {"S": "a"}}');
SELECT scan('music', 'Genre = $1', '{":a": {"S": "a"}}');
SELECT scan('music', 'Genre IS NULL');
SELECT scan('music', 'a && b');
SELECT update_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', 'SET Plays += :one', expression_attribute_values => '{":one": {"N":"1"}}');
SELECT update_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', 'Plays = :one', expression_attribute_values => '{":one": {"N":"1"}}');
SELECT update_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', 'SET Plays = :one', '{":one": {"N":"1"}}');
SELECT update_item('music', '{"Artist": "a", "Song": "s"}'::jsonb, 'SET Plays = :one', '{":one": 1}'::jsonb);
SELECT update_item('music', '{"Artist": "a", "Song": "s"}'::jsonb, 'SET Plays = :one', '{":one": {"N": "1"}}'::item);
SELECT update_item('music', '{"Artist": "a", "Song": "s"}'::jsonb, 'REMOVE Plays', 'attribute_exists(Genre)') IS NULL AS updated;
SELECT update_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', 'SET Plays = Plays + 1');
SELECT put_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', '{":one": {"N":"1"}}');
SELECT query('music', 'Artist = :a OR Artist = :b', '{":a": {"S": "a"}, ":b": {"S": "s"}}');
SELECT query('music', 'Artist IN (:a, :b)', '{":a": {"S": "a"}, ":b": {"S": "s"}}');
SELECT query('music', 'Artist = :a AND contains(Song, :b)', '{":a": {"S": "a"}, ":b": {"S": "s"}}');
SELECT query('music', 'Artist = :a AND Genre = :b', '{":a": {"S": "a"}, ":b": {"S": "s"}}');
SELECT query('music', 'begins_with(Artist, :a)', '{":a": {"S": "a"}}');
SELECT query('music', 'Artist = :a', '{":a": {"N": "1"}}');
SELECT query('music', 'Artist = :a', '{":a": {"S": "a"}, ":b": {"S": "s"}}', filter_expression => 'Song = :b');
SELECT query('music', 'Genre = :a', '{":a": {"S": "a"}}', index_name => 'bygenre');
SELECT create_index('music', 'ByGenre', 'Genre', 'Song');
SELECT query('music', 'Genre = :a', '{":a": {"S": "a"}}', index_name => 'bygenre');
SELECT request('Query', '{"TableName": "music", "IndexName": "bygenre", "KeyConditionExpression": "Genre = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT query('Music', 'Artist = :a', '{":a": {"S": "a"}}');
SELECT request('GetItem', '{"TableName": "Music", "Key": {"Artist": {"S": "a"}, "Song": {"S": "s"}}}');
SELECT request('PutItem', '{"TableName": "music", "Item": {"Artist": "a", "Song": "s"}}');
SELECT request('PutItem', '{"TableName": "music", "Item": {"Artist": {"S": "a"}, "Song": {"S": "s"}, "m": {"M": {"x": 5}}}}');
SELECT request('GetItem', '{"TableName": "music", "Key": {"Artist": "a", "Song": "s"}}');
SELECT request('Query', '{"TableName": "music", "KeyConditionExpression": "Genre = :a", "ExpressionAttributeValues": {":a": 5}}');
SELECT request('PutItem', '{"TableName": "music", "Item": {"Artist": {"s": "a"}, "Song": {"S": "s"}}}');
SELECT create_index('music', 'ByYear', 'Year');
SELECT update_item('music', '{"Artist": {"S":"a"}, "Song": {"S":"s"}}', 'SET Plays = :one', expression_attribute_values => '{":one": {"N":"1"}}');
SELECT put_item('music', '{"Artist": "b", "Song": "s", "Year": 2015, "Genre": "Rock"}'::jsonb);
SELECT drop_index('music', 'byyear');
SELECT drop_index('music', 'ByYear');
SELECT put_item('music', '{"Artist": "a", "Song": 5}');
SELECT put_item('music', '{"Artist": "a"}'::jsonb);
SELECT query('music', 'Artist = Genre');
SELECT create_table('dated', 'id', 'at', sort_key_type => 'date');
INSERT INTO music ("Artist", "Song", item) VALUES ('a', 'b', '{"Genre": {"S": "Rock"}}');
ALTER TABLE music DROP COLUMN "Genre";

-- entities
SELECT create_table('shop', 'pk', 'sk');
SELECT create_entity('shop', 'song', '{"pk": "ARTIST#{artist}", "sk": "SONG#{song:8}"}');
SELECT create_entity('shop', 'song', '{"pk": "ARTIST#{artist}", "sk": "SONG#{song:08}"}', '{"artist": "text", "song": "int", "title": "text"}');
SELECT create_access_pattern('shop', 'wrong', 'artst = :a', '{song}');
SELECT create_access_pattern('shop', 'wrong', 'artist = :a AND snog = :n', '{song}');
SELECT create_access_pattern('shop', 'wrong', 'artist = :a AND title = :n', '{song}');
SELECT create_access_pattern('shop', 'wrong', 'painter = :a', '{song}');

-- names of one or two letters: in SQL, not in requests
SELECT create_table('t', 'pk', indexes => '[{"index_name": "g1", "partition_key": "gpk"}]');
SELECT create_index('t', 'g', 'gpk');
SELECT put_item('t', '{"pk": "1", "gpk": "x"}'::jsonb);
SELECT query('t', 'gpk = :x', '{":x": {"S": "x"}}', index_name => 'g');
SELECT index_name, partition_key FROM indexes WHERE schema_name = 't_hints' AND table_name = 't' ORDER BY 1;
SELECT request('ListTables', '{"ExclusiveStartTableName": "sho"}');
SELECT request('CreateTable', '{"TableName": "u", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}');

-- plain JSON where a value is needed
UPDATE music SET item['Year'] = '2016';
UPDATE music SET item['Genre'] = '"Pop"';

-- the names of parameters in SQL
SELECT create_table('bad!name', 'pk');
SELECT create_index('music', 'bad!name', 'Genre');
SELECT create_index('music', 'Other', 'Genre', projection => 'SOME');

-- an index that is built in the background
SET dynamo.in_place_build_limit = 0;
SELECT create_index('music', 'Later', 'Genre', 'Song', storage => 'table');
SET client_min_messages = warning;
CALL build_indexes('music');
DROP SCHEMA t_hints CASCADE;
