-- title: verify_index of 100,000 items
-- setup: indexed
-- modes: pipeline
-- count: 1
-- executions: 1
--:: verify_index
SELECT count(*) FROM dynamo.verify_index('shop3', 'GSI1')
--:: index against expression, in SQL over jsonb
SELECT count(*) FROM (SELECT (item ->> 'GSI1PK') COLLATE "C" AS a, (item ->> 'GSI1SK') COLLATE "C" AS b, pk, sk FROM raw_shop3) x FULL JOIN (SELECT (item ->> 'GSI1PK') COLLATE "C" AS a, (item ->> 'GSI1SK') COLLATE "C" AS b, pk, sk FROM raw_shop3 ORDER BY 1, 2) y USING (a, b, pk, sk) WHERE x.pk IS NULL OR y.pk IS NULL
