-- UpdateItem: answers, messages, capacity
CREATE SCHEMA t_request_update_item;
SET search_path = t_request_update_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('bin', 'b', partition_key_type => 'B');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
CREATE FUNCTION upd(more text, key text DEFAULT '{"pk": {"S": "a"}, "sk": {"S": "1"}}') RETURNS text LANGUAGE sql AS $$
	SELECT req('UpdateItem', '{"TableName": "tab", "Key": ' || key || ', ' || more || '}') $$;

-- creating and changing items, returned values
SELECT upd('"UpdateExpression": "SET x = :one, m = :m", "ExpressionAttributeValues": {":one": {"N": "1"}, ":m": {"M": {"l": {"L": [{"N": "0"}, {"N": "1"}]}}}}, "ReturnValues": "ALL_NEW"');
SELECT upd('"UpdateExpression": "SET x = x + :one, y = if_not_exists(y, :s)", "ExpressionAttributeValues": {":one": {"N": "1"}, ":s": {"S": "y"}}, "ReturnValues": "UPDATED_OLD"');
SELECT upd('"UpdateExpression": "SET x = x - :one, m.l[1] = :one", "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "UPDATED_NEW"');
SELECT upd('"UpdateExpression": "REMOVE m.l[0] SET z = :one ADD s :ss", "ExpressionAttributeValues": {":one": {"N": "1"}, ":ss": {"SS": ["a", "b"]}}, "ReturnValues": "ALL_OLD"');
SELECT upd('"UpdateExpression": "DELETE s :ss", "ExpressionAttributeValues": {":ss": {"SS": ["a", "b"]}}, "ReturnValues": "ALL_NEW"');
SELECT upd('"UpdateExpression": "REMOVE nothing", "ReturnValues": "UPDATED_NEW"');
SELECT upd('"UpdateExpression": "REMOVE x"');
SELECT upd('"ReturnValues": "ALL_NEW"', '{"pk": {"S": "new"}, "sk": {"S": "1"}}');
SELECT upd('"ReturnValues": "ALL_NEW", "UpdateExpression": "REMOVE x"', '{"pk": {"S": "gone"}, "sk": {"S": "1"}}');
SELECT upd('"ReturnValues": "ALL_OLD", "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"S": ""}}', '{"pk": {"S": "b"}, "sk": {"S": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ConditionExpression": "x = :y", "ExpressionAttributeValues": {":x": {"S": ""}, ":y": {"S": "1"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"', '{"pk": {"S": "b"}, "sk": {"S": "1"}}');

-- static errors
SELECT upd('"UpdateExpression": ""');
SELECT upd(format('"UpdateExpression": "%s"', repeat('x', 4097)));
SELECT upd('"UpdateExpression": "SET x"');
SELECT upd('"UpdateExpression": "SET x = 1"');
SELECT upd('"UpdateExpression": "SET name = :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = foo(:x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = attribute_exists(y)"');
SELECT upd('"UpdateExpression": "SET x = y SET z = y"');
SELECT upd('"UpdateExpression": "SET #x = y"');
SELECT upd('"UpdateExpression": "SET x = :y"');
SELECT upd('"UpdateExpression": "SET x = y, x.z = y"');
SELECT upd('"UpdateExpression": "SET x.y = y, x[0] = y"');
SELECT upd('"UpdateExpression": "ADD x :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "DELETE x :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = y + :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = if_not_exists(:x, :x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = list_append(y)"');
SELECT upd('"UpdateExpression": "SET x = list_append(list_append(y, y), y)"');
SELECT upd('"UpdateExpression": "SET x[100000000000] = y"');
SELECT upd('"ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"ExpressionAttributeNames": {"#x": "x"}');
SELECT upd('"UpdateExpression": "SET x = y", "AttributeUpdates": {}, "Expected": {}');

-- keys and index keys
SELECT upd('"UpdateExpression": "SET pk = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "REMOVE sk"');
SELECT upd('"UpdateExpression": "SET pk.x = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET g.x = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET g = x"');
SELECT upd('"UpdateExpression": "SET g = if_not_exists(nothing, :x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET g = if_not_exists(nothing, :x)", "ExpressionAttributeValues": {":x": {"S": "' || repeat('x', 2049) || '"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ConditionExpression": "attribute_exists(nothing)", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x"', '{"pk": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}', '{"pk": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}', '{"pk": {"S": ""}, "sk": {"S": "1"}}');

-- errors of the update, which a false condition hides
SELECT upd('"UpdateExpression": "SET x = nothing"');
SELECT upd('"UpdateExpression": "SET x = y + :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET nothing.x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "ADD y :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "ADD z :x", "ExpressionAttributeValues": {":x": {"N": "1E38"}}');
SELECT upd('"UpdateExpression": "SET nothing.x = :x", "ConditionExpression": "attribute_exists(nothing)", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x, w = :x", "ExpressionAttributeValues": {":x": {"S": "' || repeat('x', 210000) || '"}}');
SELECT req('UpdateItem', '{"TableName": "none", "Key": {"a": {"S": "a"}}}');

-- operands can use the key of an item to be created; the condition sees no item
SELECT upd('"UpdateExpression": "SET x = pk, y = if_not_exists(sk, :n), z = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}, "ReturnValues": "ALL_NEW"', '{"pk": {"S": "new"}, "sk": {"S": "2"}}');
SELECT req('UpdateItem', '{"TableName": "num", "Key": {"n": {"N": "20"}}, "UpdateExpression": "SET x = n + n REMOVE y", "ReturnValues": "ALL_NEW"}');
SELECT upd('"UpdateExpression": "SET x = pk", "ConditionExpression": "attribute_exists(pk)"', '{"pk": {"S": "new"}, "sk": {"S": "3"}}');
SELECT upd('"UpdateExpression": "SET x = pk", "ConditionExpression": "attribute_not_exists(pk)", "ReturnValues": "UPDATED_NEW"', '{"pk": {"S": "new"}, "sk": {"S": "3"}}');
SELECT upd('"UpdateExpression": "SET x = y"', '{"pk": {"S": "new"}, "sk": {"S": "4"}}');
SELECT upd('"UpdateExpression": "SET x = pk.y"', '{"pk": {"S": "new"}, "sk": {"S": "4"}}');
SELECT req('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "num", "Key": {"n": {"N": "21"}}, "UpdateExpression": "SET x = n"}}]}');
SELECT dynamo.get_item('num', '{"n": {"N": "21"}}');

-- the largest item: the size of the update counts, the key does not
SELECT dynamo.create_table('big', 'pk');
-- the difference in bytes between 409600 and the largest item that an operation stores
CREATE FUNCTION room(update text, more text DEFAULT '', door text DEFAULT 'UpdateItem', key text DEFAULT 'k') RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	low int := 409600 - 160;
	high int := 409600;
	v text;
	answer text;
BEGIN
	PERFORM dynamo.put_item('big', jsonb_build_object('pk', key, 'l', array['', ''], 'm', '{"a": ""}'::jsonb, 'n', 0));
	WHILE low < high LOOP
		v := format('{"S": "%s"}', repeat('x', (low + high + 1) / 2));
		answer := CASE door
			WHEN 'UpdateItem' THEN req(door, format('{"TableName": "big", "Key": {"pk": {"S": "%s"}}, "UpdateExpression": "%s", "ExpressionAttributeValues": {":v": %s%s}}', key, update, v, more))
			WHEN 'TransactWriteItems' THEN req(door, format('{"TransactItems": [{"Update": {"TableName": "big", "Key": {"pk": {"S": "%s"}}, "UpdateExpression": "%s", "ExpressionAttributeValues": {":v": %s%s}}}]}', key, update, v, more))
			WHEN 'AttributeUpdates' THEN req('UpdateItem', format('{"TableName": "big", "Key": {"pk": {"S": "%s"}}, "AttributeUpdates": {"v": {"Value": %s}}}', key, v))
			ELSE req(door, format('{"%s": [{"Statement": "%s WHERE pk = ''%s''", "Parameters": [%s]}]}', more, update, key, v))
			END;
		IF answer ~ 'Item size to update has exceeded the maximum allowed size' THEN
			high := (low + high + 1) / 2 - 1;
		ELSIF answer ~ 'Exception' THEN
			RAISE '%', left(answer, 200);
		ELSE
			low := (low + high + 1) / 2;
		END IF;
	END LOOP;
	RETURN 409600 - dynamo.item_size(dynamo.get_item('big', jsonb_build_object('pk', key)));
END $$;
SELECT room('SET v = :v') AS set, room('SET v = :v, w = :w', ', ":w": {"S": ""}') AS two, room('SET v = :v ADD z :w', ', ":w": {"N": "0"}') AS add;
SELECT room('SET v = :v REMOVE z') AS remove, room('SET v = :v DELETE z :w', ', ":w": {"SS": [""]}') AS delete, room('SET v = :v REMOVE l[5]') AS remove_element;
SELECT room('SET l[0] = :v') AS element, room('SET m.a = :v') AS nested, room('SET v = :v, n = n + :w', ', ":w": {"N": "0"}') AS sum;
SELECT room('', door => 'AttributeUpdates') AS legacy, room('SET v = :v', door => 'TransactWriteItems') AS transaction,
	room('UPDATE big SET v = ?', 'TransactStatements', 'ExecuteTransaction') AS transact_statement, room('UPDATE big SET v = ?', 'Statements', 'BatchExecuteStatement') AS batch_statement;
-- a key that is longer than the added size makes no difference
SELECT room('SET v = :v', key => repeat('k', 19)), room('SET v = :v', key => repeat('k', 20)), room('SET v = :v', key => repeat('k', 30));
-- every use of a value and every path counts, what is read does not; of a set that is added the new members
SELECT room('SET v = :v, l[1] = if_not_exists(m.zz, :w)', ', ":w": {"S": "abc"}') AS if_not_exists, room('SET v = :v, l = list_append(l, :w)', ', ":w": {"L": [{"S": "abc"}]}') AS append,
	room('SET v = :v, n = n - :w, z = m.a', ', ":w": {"N": "1"}') AS minus, room('SET v = :v ADD z :w', ', ":w": {"SS": ["abc", "de"]}') AS members;
-- an item of nearly the largest size can be updated
SELECT dynamo.put_item('big', jsonb_build_object('pk', 'full', 'x', repeat('x', 409599 - 2 - 4 - 1)));
SELECT req('UpdateItem', '{"TableName": "big", "Key": {"pk": {"S": "full"}}, "UpdateExpression": "SET c = :empty", "ExpressionAttributeValues": {":empty": {"S": ""}}, "ReturnValues": "UPDATED_NEW"}');
SELECT req('UpdateItem', '{"TableName": "big", "Key": {"pk": {"S": "full"}}, "UpdateExpression": "SET d = :empty", "ExpressionAttributeValues": {":empty": {"S": ""}}}');
-- the charge is checked before the condition
SELECT req('UpdateItem', format('{"TableName": "big", "Key": {"pk": {"S": "none"}}, "UpdateExpression": "SET v = :v, w = :v", "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {":v": {"S": "%s"}}}', repeat('x', len)))
	FROM unnest('{204778,204779}'::int[]) len;
-- dynamo.update_item has the same limit
SELECT dynamo.put_item('big', '{"pk": {"S": "k"}}');
SELECT dynamo.update_item('big', '{"pk": {"S": "k"}}', 'SET v = :v', NULL, jsonb_build_object(':v', repeat('x', 409600 - 4 - 18)));
SELECT dynamo.update_item('big', '{"pk": {"S": "k"}}', 'SET v = :v', NULL, jsonb_build_object(':v', repeat('x', 409600 - 4 - 19)));

-- capacity
SELECT upd('"UpdateExpression": "SET x = :x, g = :g, n = :n", "ExpressionAttributeValues": {":x": {"N": "1"}, ":g": {"S": "a"}, ":n": {"N": "1"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "REMOVE n", "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"');
SELECT upd('"UpdateExpression": "REMOVE n", "ReturnConsumedCapacity": "TOTAL"', '{"pk": {"S": "gone"}, "sk": {"S": "1"}}');

SET client_min_messages = warning;
DROP SCHEMA t_request_update_item CASCADE;
