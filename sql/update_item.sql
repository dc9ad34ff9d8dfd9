-- update_item: changes attributes of one item
CREATE SCHEMA t_update;
SET search_path = t_update;
SELECT dynamo.create_table('game', partition_key => 'player', sort_key => 'game');
\set key '\'{"player": {"S": "ann"}, "game": {"S": "go"}}\''

-- creates the item
SELECT dynamo.update_item('game', :key, 'SET score = :s, #l = list_append(if_not_exists(#l, :none), :one)', NULL,
	'{":s": {"N": "10"}, ":none": {"L": []}, ":one": {"L": [{"S": "x"}]}}', '{"#l": "list"}', 'ALL_NEW');
-- all kinds of actions in one expression
SELECT dynamo.update_item('game', :key, 'ADD score :s, tags :t SET #l[5] = :x REMOVE nope', 'score = :old',
	'{":s": {"N": "-2.5"}, ":t": {"SS": ["a", "b"]}, ":x": {"S": "y"}, ":old": {"N": "10"}}', '{"#l": "list"}', 'UPDATED_NEW');
SELECT dynamo.update_item('game', :key, 'DELETE tags :t SET score = score + :s', NULL,
	'{":s": {"N": "0.5"}, ":t": {"SS": ["a"]}}', return_values => 'UPDATED_OLD');
SELECT dynamo.update_item('game', :key, 'REMOVE tags, score', return_values => 'ALL_OLD');
SELECT dynamo.update_item('game', :key, 'REMOVE tags', return_values => 'UPDATED_NEW');
SELECT * FROM game;

-- without an update expression: creates the item, or does not change it
SELECT dynamo.update_item('game', :key, return_values => 'ALL_NEW');
SELECT dynamo.update_item('game', :key, return_values => 'UPDATED_NEW');
SELECT dynamo.update_item('game', '{"player": {"S": "bob"}, "game": {"S": "go"}}', return_values => 'ALL_NEW');
SELECT dynamo.update_item('game', '{"player": {"S": "cid"}, "game": {"S": "go"}}', return_values => 'ALL_OLD');
-- only REMOVE or DELETE on a missing item: nothing is stored
SELECT dynamo.update_item('game', '{"player": {"S": "dan"}, "game": {"S": "go"}}', 'REMOVE a', return_values => 'ALL_NEW');
SELECT player FROM game ORDER BY player;

-- conditions
SELECT dynamo.update_item('game', :key, 'SET a = :a', 'attribute_not_exists(player)', '{":a": {"N": "1"}}');
SELECT dynamo.update_item('game', :key, 'SET a = :a', 'a = :a', '{":a": {"N": "1"}}', return_values_on_condition_check_failure => 'ALL_OLD');
-- a false condition hides errors of the update
SELECT dynamo.update_item('game', :key, 'SET a = nope', 'a = :a', '{":a": {"N": "1"}}');

-- errors
SELECT dynamo.update_item('game', :key, 'SET a = nope');
SELECT dynamo.update_item('game', :key, 'SET x.y = :a', NULL, '{":a": {"N": "1"}}');
SELECT dynamo.update_item('game', :key, 'ADD #l :a', NULL, '{":a": {"N": "1"}}', '{"#l": "list"}');
SELECT dynamo.update_item('game', :key, 'SET player = :a', NULL, '{":a": {"S": "ann"}}');
SELECT dynamo.update_item('game', :key, 'SET a = :a', 'game.x = :a', '{":a": {"S": "ann"}}');
SELECT dynamo.update_item('game', :key, 'SET a = if_not_exists(b, player[0])');
SELECT dynamo.update_item('game', '{"player": {"S": "ann"}}', 'SET a = :a', NULL, '{":a": {"S": "ann"}}');
SELECT dynamo.update_item('game', :key, NULL, NULL, '{":a": {"S": "ann"}}');
SELECT dynamo.update_item('game', :key, 'SET a = :b', NULL, '{":b": {"S": "x"}, ":c": {"S": "x"}}');
SELECT dynamo.update_item('game', :key, 'SET a = ', 'b = ');
SELECT dynamo.update_item('game', :key, 'SET a = :a', 'b = ', '{":a": {"N": "1"}}');
SELECT dynamo.update_item('game', :key, 'SET a = :a', return_values => 'NEW');
-- an item that becomes too large
SELECT dynamo.update_item('game', :key, 'SET a = :a, b = :a', NULL, jsonb_build_object(':a', repeat('x', 210000)));
SELECT item FROM game WHERE player = 'ann';

-- a counter: many updates of one key in one statement and in one transaction
SELECT dynamo.update_item('game', '{"player": {"S": "ann"}, "game": {"S": "n"}}', 'ADD n :one', NULL, '{":one": {"N": "1"}}', return_values => 'UPDATED_NEW')
FROM generate_series(1, 3);
BEGIN;
SELECT count(dynamo.update_item('game', '{"player": {"S": "ann"}, "game": {"S": "n"}}', 'ADD n :one', NULL, '{":one": {"N": "1"}}')) FROM generate_series(1, 50);
SAVEPOINT a;
SELECT count(dynamo.update_item('game', '{"player": {"S": "ann"}, "game": {"S": "n"}}', 'ADD n :one', NULL, '{":one": {"N": "1"}}')) FROM generate_series(1, 50);
ROLLBACK TO a;
COMMIT;
SELECT item OPERATOR(dynamo.->) 'n' AS n FROM game WHERE game = 'n';

SET client_min_messages = warning;
DROP SCHEMA t_update CASCADE;
