-- The evaluators in plain SQL: WHERE, CHECK, UPDATE, indexes, prepared
-- statements and PL/pgSQL; nulls; what is cached between calls.
CREATE SCHEMA t_expr_statements;
SET search_path = t_expr_statements;

CREATE TABLE product (
	id int PRIMARY KEY,
	item dynamo.item,
	CONSTRAINT at_most_three CHECK (dynamo.matches(item,
		'attribute_not_exists(tags) OR size(tags) <= :max', '{":max": {"N": "3"}}')));
INSERT INTO product SELECT i, ('{"price": {"N": "' || i || '"}, "name": {"S": "p' || i % 3 || '"}}')::dynamo.item
FROM generate_series(1, 9) i;
INSERT INTO product VALUES (10, NULL);

-- WHERE; the result for a null item is null
SELECT id FROM product WHERE dynamo.matches(item, 'price BETWEEN :a AND :b AND #n = :n',
	'{":a": {"N": "3"}, ":b": {"N": "8"}, ":n": {"S": "p1"}}', '{"#n": "name"}') ORDER BY id;
SELECT count(*) FROM product WHERE NOT dynamo.matches(item, 'price < :p', '{":p": {"N": "4"}}');
SELECT count(*) FROM product WHERE dynamo.matches(item, 'price < :p', '{":p": {"N": "4"}}') IS NULL;
-- named arguments, values built in SQL
SELECT id FROM product WHERE dynamo.matches(item, condition_expression => '#n = :n',
	expression_attribute_names => '{"#n": "name"}',
	expression_attribute_values => jsonb_build_object(':n', 'p2')) ORDER BY id;

-- UPDATE and CHECK
UPDATE product SET item = dynamo.apply_update(item, 'ADD tags :t', '{":t": {"SS": ["a", "b"]}}') WHERE id < 3;
UPDATE product SET item = dynamo.apply_update(item, 'ADD tags :t', '{":t": {"SS": ["b", "c"]}}') WHERE id = 1
	RETURNING item;
\set VERBOSITY terse
UPDATE product SET item = dynamo.apply_update(item, 'ADD tags :t', '{":t": {"SS": ["d"]}}') WHERE id < 3;
\set VERBOSITY default
SELECT id, dynamo.project(item, 'tags, price') FROM product WHERE id < 4 ORDER BY id;
-- one statement corrects all copies of a duplicated attribute
UPDATE product SET item = dynamo.apply_update(item, 'SET #n = :new', '{":new": {"S": "renamed"}, ":old": {"S": "p0"}}', '{"#n": "name"}')
WHERE dynamo.matches(item, '#n = :old', '{":old": {"S": "p0"}}', '{"#n": "name"}');
UPDATE product SET item = dynamo.apply_update(item, 'SET #n = :new', '{":new": {"S": "renamed"}}', '{"#n": "name"}')
WHERE dynamo.matches(item, '#n = :old', '{":old": {"S": "p0"}}', '{"#n": "name"}');
SELECT count(*) FROM product WHERE dynamo.matches(item, '#n = :n', '{":n": {"S": "renamed"}}', '{"#n": "name"}');

-- immutable: usable in an index and its query
CREATE INDEX ON product ((dynamo.project(item, 'price'))) WHERE dynamo.matches(item, 'attribute_exists(tags)');
SET enable_seqscan = off;
SELECT id FROM product WHERE dynamo.matches(item, 'attribute_exists(tags)') AND dynamo.project(item, 'price') OPERATOR(dynamo.=) '{"price": {"N": "1"}}';
RESET enable_seqscan;

-- expression, values and names can differ from row to row
SELECT c, dynamo.matches(item, c, v, n) FROM product, (VALUES
	('price = :a', '{":a": {"N": "5"}}'::dynamo.item, NULL::jsonb), ('price < :a', '{":a": {"N": "5"}}', NULL),
	('price < :a', '{":a": {"N": "6"}}', NULL), ('#p < :a', '{":a": {"N": "6"}}', '{"#p": "price"}'),
	('#p < :a', '{":a": {"N": "6"}}', '{"#p": "name"}'), ('price < #p', NULL, '{"#p": "price2"}'), (NULL, NULL, NULL)) x (c, v, n)
WHERE id = 5;
-- parameters of a prepared statement change between executions
PREPARE cheaper(dynamo.item, text) AS
	SELECT count(*) FROM product WHERE dynamo.matches(item, $2, $1);
SET plan_cache_mode = force_generic_plan;
EXECUTE cheaper('{":p": {"N": "3"}}', 'price < :p');
EXECUTE cheaper('{":p": {"N": "5"}}', 'price < :p');
EXECUTE cheaper('{":p": {"N": "5"}}', 'price >= :p');
RESET plan_cache_mode;
-- PL/pgSQL keeps expression states; the variables change
CREATE FUNCTION walk() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	c text;
	v dynamo.item;
	i dynamo.item := '{"a": {"N": "2"}}';
BEGIN
	FOR k IN 1..3 LOOP
		v := jsonb_build_object(':v', k);
		FOREACH c IN ARRAY ARRAY['a = :v', 'a < :v'] LOOP
			RETURN NEXT k || ': ' || c || ' ' || dynamo.matches(i, c, v);
		END LOOP;
	END LOOP;
	BEGIN
		c := 'a = :w';
		RETURN NEXT dynamo.matches(i, c, v);
	EXCEPTION WHEN SQLSTATE 'KV001' THEN
		RETURN NEXT sqlerrm;
	END;
	RETURN NEXT dynamo.matches(i, 'a = :v', v);
END $$;
SELECT walk();

-- more expressions than the cache can hold; one remains in use while the others
-- are replaced
CREATE FUNCTION attribute(i int) RETURNS text LANGUAGE sql AS $$SELECT 'a' || i$$;
SELECT count(*) FILTER (WHERE dynamo.matches(('{"a' || i || '": {"N": "1"}}')::dynamo.item, 'attribute_exists(' || attribute(i) || ')')
	AND dynamo.matches('{"kept": {"N": "1"}}', 'kept = :one AND attribute_not_exists(' || CASE WHEN j > 0 THEN 'lost' END || '.x)', '{":one": {"N": "1"}}')) AS found
FROM generate_series(1, 300) j, LATERAL (SELECT j % 150 AS i) k;
SELECT entries <= capacity AS bounded, evictions >= 150 AS evicted, misses >= evictions AS missed FROM dynamo.expression_cache_stats();
-- a whole scan parses the expression once, the next scan does not parse it
SELECT hits, misses FROM dynamo.expression_cache_stats() \gset before_
SELECT count(dynamo.project(item, 'price, fresh_name')) FROM product;
SELECT count(dynamo.project(item, 'price, fresh_name')) FROM product WHERE id > 0;
SELECT hits - :before_hits AS hits, misses - :before_misses AS misses FROM dynamo.expression_cache_stats();

SET client_min_messages = warning;
DROP SCHEMA t_expr_statements CASCADE;
