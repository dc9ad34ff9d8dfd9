-- statistics of items: ANALYZE keeps attribute names, not whole items
CREATE SCHEMA t_statistics;
SET search_path = t_statistics;

CREATE TABLE items (item dynamo.item);
INSERT INTO items SELECT format('{"PK": {"S": "%s"}%s%s}', i,
	CASE WHEN i % 2 = 0 THEN ', "email": {"S": "e"}' END,
	CASE WHEN i % 100 = 0 THEN ', "rare": {"L": [{"N": "1"}]}' END)::dynamo.item
FROM generate_series(1, 1000) i;
INSERT INTO items SELECT NULL FROM generate_series(1, 250);
ANALYZE items;

SELECT null_frac, n_distinct, most_common_vals, histogram_bounds,
	most_common_elems, most_common_elem_freqs
FROM pg_stats WHERE schemaname = 't_statistics' AND tablename = 'items';

-- the planner's use of them
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;
SELECT name, estimate(format('SELECT FROM items WHERE item OPERATOR(dynamo.?) %L', name)) AS estimated,
	count(*) FILTER (WHERE item OPERATOR(dynamo.?) name) AS actual
FROM items, (VALUES ('PK'), ('email'), ('rare'), ('none')) n(name)
GROUP BY name ORDER BY actual DESC;

-- items that are too large to be examined, empty items and missing items
CREATE TABLE large (item dynamo.item);
ANALYZE large;
INSERT INTO large VALUES ('{}'),
	(format('{"PK": {"S": "a"}, "blob": {"S": "%s"}}', repeat('x', 100000))::dynamo.item);
ANALYZE large;
SELECT null_frac, n_distinct, most_common_elems FROM pg_stats
WHERE schemaname = 't_statistics' AND tablename = 'large';

SET client_min_messages = warning;
DROP SCHEMA t_statistics CASCADE;
