-- Subscripts of items and values, without dynamo in the search_path.
CREATE SCHEMA t_item_subscripts;
SET search_path = t_item_subscripts;
CREATE TABLE subscripts (n int PRIMARY KEY, item dynamo.item);
INSERT INTO subscripts VALUES
	(1, '{"Year": 2013, "address": {"city": "Springfield", "lines": ["a", "b"]}, "tags": ["x", {"deep": true}], "nothing": null}'::jsonb),
	(2, NULL);

-- read: like jsonb, null where there is nothing
SELECT item['Year'], item['address']['city'], item['address']['lines'][1], item['address']['lines'][-1], item['tags'][1]['deep'] FROM subscripts;
SELECT item['no'], item['Year']['no'], item['tags'][7], item['tags']['x'], item['tags'][NULL::int], item[NULL::text] FROM subscripts;
SELECT (item['Year'])::int + 1, (item['address']['city'])::text, item['nothing'] FROM subscripts WHERE n = 1;
SELECT (dynamo.to_value(item))['address']['city'], ((item['address'])['lines'])[0] FROM subscripts WHERE n = 1;
SELECT item['tags'][i] FROM subscripts, generate_series(-3, 2) i WHERE n = 1 ORDER BY i;
SELECT item[k] FROM subscripts, unnest(ARRAY['Year', 'no']) k WHERE n = 1 ORDER BY k;
SELECT item['address']['lines'][n] FROM (SELECT item, 1::smallint AS n FROM subscripts WHERE n = 1) s;
PREPARE part AS SELECT item[$1::text] FROM subscripts WHERE n = 1;
EXECUTE part('Year');
CREATE VIEW years AS SELECT n, (item['Year'])::int AS year, item['tags'][0] AS tag FROM subscripts;
SELECT regexp_replace(regexp_replace(pg_get_viewdef('years'), 'subscripts\.|\n ', '', 'g'), ' +', ' ', 'g') AS definition;
SELECT * FROM years ORDER BY n;
CREATE INDEX ON subscripts (((item['Year'])::int));

-- assign
UPDATE subscripts SET item['Year'] = 2014, item['address']['city'] = '{"S": "Shelbyville"}' WHERE n = 1 RETURNING item['Year'], item['address'];
UPDATE subscripts SET item['address']['lines'][0] = dynamo.to_value('first'::text) WHERE n = 1 RETURNING item['address']['lines'];
UPDATE subscripts SET item['address']['lines'][-1] = dynamo.to_value('last'::text) WHERE n = 1 RETURNING item['address']['lines'];
UPDATE subscripts SET item['address']['lines'][9] = '["nested", 1]'::jsonb WHERE n = 1 RETURNING item['address']['lines'];
UPDATE subscripts SET item['new']['made'][0]['of'] = true WHERE n = 1 RETURNING item['new'];
UPDATE subscripts SET item['tags'][1]['deep'] = NULL WHERE n = 1 RETURNING item['tags'];
UPDATE subscripts SET item['a']['b'] = 1.50 WHERE n = 2 RETURNING item;
INSERT INTO subscripts (n, item['PK'], item['list'][0]) VALUES (3, '{"S": "x"}', 5) RETURNING item;
DO $$
DECLARE i dynamo.item := '{"a": 1}'::jsonb;
BEGIN
	i['b'] := 2;
	i['c']['d'] := to_jsonb(ARRAY[1, 2]);
	RAISE NOTICE '%', i::jsonb;
END $$;

-- a value as container has one level less
CREATE TABLE kept (v dynamo.value);
INSERT INTO kept VALUES (dynamo.to_value('[1, 2]'::jsonb)), (NULL);
UPDATE kept SET v[0] = 7 RETURNING v;
UPDATE kept SET v['a'] = 7 WHERE dynamo.value_type(v[0]) = 'N';

-- items of a table keep their keys and columns
SELECT dynamo.create_table('subscripted', 'PK', 'SK');
INSERT INTO subscripted (item['PK'], item['SK'], item['n']) VALUES ('{"S": "p"}', '{"S": "s"}', 1);
UPDATE subscripted SET item['n'] = (item['n'])::int + 1 RETURNING "PK", "SK", item['n'];
UPDATE subscripted SET item['SK'] = '{"S": "other"}' RETURNING "PK", "SK", item::jsonb;

-- errors
SELECT item[1:2] FROM subscripts;
SELECT item[:] FROM subscripts;
SELECT item[1.5] FROM subscripts;
SELECT item[now()] FROM subscripts;
UPDATE subscripts SET item['Year']['x'] = 1 WHERE n = 1;
UPDATE subscripts SET item['tags']['x'] = 1 WHERE n = 1;
UPDATE subscripts SET item['tags'][-9] = 1 WHERE n = 1;
UPDATE subscripts SET item[NULL::text] = 1 WHERE n = 1;
UPDATE subscripts SET item[''] = 1 WHERE n = 1;
UPDATE subscripts SET item['status'] = 'PAID' WHERE n = 1;
UPDATE subscripts SET item['status'] = 'PAID'::text WHERE n = 1;
DO $$
DECLARE i dynamo.item := '{"a": 1}'::jsonb;
BEGIN
	i['1']['2']['3']['4']['5']['6']['7']['8']['9']['10']['11']['12']['13']['14']['15']['16']['17']['18']['19']['20']['21']['22']['23']['24']['25']['26']['27']['28']['29']['30']['31'] := 1;
	RAISE NOTICE 'fits';
	i['1']['2']['3']['4']['5']['6']['7']['8']['9']['10']['11']['12']['13']['14']['15']['16']['17']['18']['19']['20']['21']['22']['23']['24']['25']['26']['27']['28']['29']['30']['31'] := '{"x": {"y": {}}}'::jsonb;
END $$;

DROP VIEW years;
DROP TABLE subscripts, kept;
SELECT dynamo.drop_table('subscripted');
