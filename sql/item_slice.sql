-- reading an attribute of a large stored item reads only a part of it
CREATE SCHEMA t_item_slice;
SET search_path = t_item_slice, dynamo;

-- text that cannot be compressed, and text that can
CREATE FUNCTION noise(n int) RETURNS text LANGUAGE sql AS $$
	SELECT left(string_agg(md5(i::text), ''), n) FROM generate_series(1, n / 32 + 1) i $$;
CREATE TABLE t (id int PRIMARY KEY, i item);
INSERT INTO t VALUES
	-- small, at the size from which on slices are read, and large
	(1, build_item('a', noise(100), 'b', 'x')),
	(2, build_item('a', 'x', 'b', noise(7000), 'c', noise(960), 'd', 'y')),
	(3, build_item('a', 'x', 'b', noise(50000), 'c', 'y')),
	-- values and names across the border of the first slice
	(4, build_item('a', noise(1980), 'b', noise(20000), 'c', 'x')),
	(5, build_item('a', noise(1970), repeat('name', 100), 'x', 'z', noise(20000))),
	-- many attributes: the table itself is longer than the slice
	(6, (SELECT jsonb_object_agg('attribute' || i, i) FROM generate_series(1, 3000) i)),
	-- compressible
	(7, build_item('a', repeat('x', 100), 'b', repeat('y', 50000), 'c', repeat('z', 100)));

CREATE VIEW problems AS
	SELECT id, left(name, 20) AS name FROM t, each(t.i) e WHERE t.i -> e.name IS DISTINCT FROM e.value OR NOT t.i ? e.name
		OR t.i #> ARRAY[name] IS DISTINCT FROM e.value OR t.i #> ARRAY[name, '0'] IS NOT NULL
	UNION ALL
	SELECT id, name FROM t, unnest(ARRAY['', '0', 'aa', 'attribute1500x', 'bb', 'zz', 'c ', repeat('name', 99)]) name
	WHERE t.i -> name IS NOT NULL OR t.i ->> name IS NOT NULL OR t.i ? name OR t.i #> ARRAY[name] IS NOT NULL;

-- compressed and out of line, for each storage of the column
SELECT * FROM problems;
ALTER TABLE t ALTER i SET STORAGE external;
UPDATE t SET i = i || '{}';
SELECT * FROM problems;
ALTER TABLE t ALTER i SET STORAGE main;
UPDATE t SET i = i || '{}' WHERE id IN (1, 2, 6, 7);
SELECT * FROM problems;

-- a projection of a large item, by functions and by a request, with both settings
SELECT create_table('docs', partition_key => 'id', partition_key_type => 'N');
INSERT INTO docs (item) SELECT i || jsonb_build_object('id', id) FROM t WHERE NOT i ? 'id';
CREATE FUNCTION reads(key jsonb, projection text) RETURNS SETOF item LANGUAGE sql AS $$
	SELECT get_item('docs', key, projection_expression => projection)
	UNION ALL SELECT batch_get_item('docs', ARRAY[key::item], projection_expression => projection)
	UNION ALL SELECT query('docs', 'id = :id', build_item(':id', key -> 'id'), projection_expression => projection)
	UNION ALL SELECT scan('docs', 'id = :id AND (size(c) > :zero OR attribute_not_exists(c))', build_item(':id', key -> 'id', ':zero', 0), projection_expression => projection)
	UNION ALL SELECT i FROM transact_get_items(json_build_array(json_build_object('Get', json_build_object('TableName', 'docs',
		'Key', key::item::text::json, 'ProjectionExpression', projection)))) i
$$;
CREATE FUNCTION wrong_reads() RETURNS TABLE (id numeric, names text) LANGUAGE sql AS $$
	SELECT d.id, n FROM docs d, unnest('{a,b,c,d,z,"a,b","c,a",attribute7,"attribute3000,attribute1","id,absent",absent}'::text[]) n,
		string_to_array(n, ',') list, reads(jsonb_build_object('id', d.id), n) r
	WHERE (SELECT count(*) FROM each(r)) <> (SELECT count(*) FROM unnest(list) name WHERE d.item ? name)
		OR EXISTS (SELECT FROM unnest(list) name WHERE r -> name IS DISTINCT FROM d.item -> name)
$$;
SET dynamo.direct_access = on;
SELECT count(*) FROM docs;
SELECT * FROM wrong_reads();
SET dynamo.direct_access = off;
SELECT * FROM wrong_reads();
RESET dynamo.direct_access;

-- values, which may be other than maps
CREATE TABLE v AS SELECT to_value(noise(20000)) AS v UNION ALL SELECT to_value(ARRAY(SELECT noise(30) FROM generate_series(1, 1000)));
SELECT value_type(v), v -> 'a' IS NULL AS null, v ? 'a' AS no FROM v;
SELECT value_type(v #> '{}') AS root, v #>> '{0}' AS first, v #>> '{-1}' AS last, v #> '{a}' IS NULL AS null, v #> '{0,0}' IS NULL AS deeper FROM v;
-- a path reads only as much of a large item as its first step needs
CREATE TABLE nested AS SELECT build_item('a', jsonb_build_object('b', jsonb_build_array('x', 'y')), 'c', noise(300000)) AS i;
CREATE FUNCTION blocks(expression text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT %s FROM nested', expression) INTO plan;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
SELECT i #>> '{a,b,1}' FROM nested;
SELECT e AS expression, blocks(e) < blocks('i::text') / 2 AS less FROM unnest(ARRAY['i', 'i #>> ''{a,b,1}''', 'i #> ''{x,b}''', 'i #> ''{c}''']) e;
-- expressions read only the attributes that they name
SELECT dynamo.matches(i, 'a.b[1] = :y AND attribute_not_exists(x)', '{":y": {"S": "y"}}'), dynamo.project(i, 'a.b[1], x') FROM nested;
SELECT e AS expression, blocks(e) < blocks('i::text') / 2 AS less FROM unnest(ARRAY[
	$$matches(i, 'a.b[0] = :x', '{":x": {"S": "x"}}')$$, $$matches(i, 'attribute_exists(c)')$$,
	$$matches(i, ':x = :x OR :x > :x', '{":x": {"S": "x"}}')$$, $$project(i, 'a.b, x')$$, $$project(i, 'c')$$]) e;
SELECT id, left(name, 20) AS name FROM t, LATERAL (SELECT jsonb_object_keys(i::jsonb) UNION SELECT unnest(ARRAY['aa', 'attribute1500x', 'zz']) EXCEPT SELECT 'a') AS n(name),
	jsonb_build_object('#n', name, '#a', 'a') AS names
	WHERE name !~ '^attribute.*[1-9]$' AND (project(i, '#n, #a', names) IS DISTINCT FROM project(i || '{}', '#n, #a', names)
		OR matches(i, 'attribute_exists(#n)', NULL, names - '#a') <> (i ? name));

SET client_min_messages = warning;
DROP SCHEMA t_item_slice CASCADE;
