-- title: scan of 100 items of 100 kB, one attribute of each
-- setup: large
-- modes: pipeline
-- executions: 4
--:: dynamo
SELECT dynamo.scan('large', projection_expression => 'author')
--:: SQL over jsonb
SELECT item -> 'author' FROM raw_large ORDER BY pk, sk
