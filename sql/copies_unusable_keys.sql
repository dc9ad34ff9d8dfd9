-- Copies and totals of rows that were stored by hand, whose items have no usable key.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA copies_unusable_keys;
SET search_path = copies_unusable_keys, dynamo, public;

SELECT create_table('made', 'PK', 'SK');
SELECT create_entity('made', 'customer', keys => '{"PK": "C#{cid}", "SK": "M"}', attributes => '{"cid": "text", "name": "text"}',
                     type_attribute => 'kind', type_value => 'customer');
SELECT create_entity('made', 'order', keys => '{"PK": "C#{cid}", "SK": "O#{oid}"}',
                     attributes => '{"cid": "text", "oid": "text", "cname": "text"}', type_attribute => 'kind', type_value => 'order');
SELECT create_total('made', 'count', 'customer', 'order', '{"orders": "count"}');
SELECT create_copy('made', 'names', 'customer', 'order', '{"cname": "name"}');

-- A table that gets the triggers only when it has its rows, as from a dump.
CREATE TABLE planted (LIKE made);
ALTER TABLE planted ADD PRIMARY KEY ("PK", "SK");
INSERT INTO planted ("PK", "SK", item) VALUES
    ('C#1', 'M', '{"kind": {"S": "customer"}, "cid": {"S": "1"}, "orders": {"N": "7"}}'),
    ('C#2', 'M', '{"PK": {"N": "2"}, "SK": {"S": "M"}, "kind": {"S": "customer"}, "cid": {"S": "2"}, "orders": {"N": "7"}}'),
    ('C#3', 'M', '{"PK": {"S": "C#3"}, "SK": {"S": "M"}, "kind": {"S": "customer"}, "cid": {"S": "3"}, "name": {"S": "Eve"}, "orders": {"N": "7"}}'),
    ('C#3', 'O#1', '{"PK": {"S": "C#3"}, "kind": {"S": "order"}, "cid": {"S": "3"}, "oid": {"S": "1"}}'),
    ('C#3', 'O#2', '{"PK": {"S": "C#3"}, "SK": {"S": "O#2"}, "kind": {"S": "order"}, "cid": {"S": "3"}, "oid": {"S": "2"}}');
DO $$
DECLARE
    d record;
BEGIN
    FOR d IN SELECT pg_get_triggerdef(oid) AS statement FROM pg_trigger WHERE tgrelid = 'made'::regclass AND NOT tgisinternal ORDER BY tgname LOOP
        EXECUTE replace(d.statement, 'ON copies_unusable_keys.made ', 'ON copies_unusable_keys.planted ');
    END LOOP;
END $$;

SELECT * FROM check_copies('planted') ORDER BY key::text, problem;

-- What has a key is repaired; the rest remains.
SELECT repair_copies('planted');
SELECT * FROM check_copies('planted') ORDER BY key::text, problem;
SELECT "PK", "SK", item -> 'orders' AS orders, item -> 'cname' AS cname FROM planted ORDER BY 1, 2;

-- A change of the parent reaches the children that have keys.
SELECT update_item('planted', '{"PK": {"S": "C#3"}, "SK": {"S": "M"}}', 'SET #n = :n', NULL, '{":n": {"S": "Ada"}}', '{"#n": "name"}');
SELECT "PK", "SK", item -> 'cname' AS cname FROM planted ORDER BY 1, 2;
SELECT check_entity('planted');

DROP SCHEMA copies_unusable_keys CASCADE;
