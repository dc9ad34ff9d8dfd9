-- Schools, courses and pupils: one-to-many by key prefix, then many-to-many by
-- edge items and an inverted index (the sort key as partition key).
--
--   PK              SK                entity
--   SCHOOL#<id>     #METADATA#<id>    school
--   SCHOOL#<id>     COURSE#<id>       course of a school
--   SCHOOL#<id>     PUPIL#<id>        pupil of a school (a pupil may have several)
--   COURSE#<id>     PUPIL#<id>        a pupil attends a course (an edge)
--
-- Run it with: psql -f examples/schools.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

DROP TABLE IF EXISTS schools;

SELECT dynamo.create_table('schools', partition_key => 'PK', sort_key => 'SK');

SELECT count(*) AS items_put
FROM (VALUES
	('{"PK": "SCHOOL#1", "SK": "#METADATA#1", "name": "Northside High", "city": "Leeds"}'::jsonb),
	('{"PK": "SCHOOL#1", "SK": "COURSE#ART", "title": "Art"}'),
	('{"PK": "SCHOOL#1", "SK": "COURSE#BIO", "title": "Biology"}'),
	('{"PK": "SCHOOL#1", "SK": "PUPIL#100", "name": "Ada", "enrolled": 2022}'),
	('{"PK": "SCHOOL#1", "SK": "PUPIL#101", "name": "Ben", "enrolled": 2023}'),
	('{"PK": "SCHOOL#2", "SK": "#METADATA#2", "name": "City College", "city": "York"}'),
	('{"PK": "SCHOOL#2", "SK": "COURSE#MUS", "title": "Music"}'),
	('{"PK": "SCHOOL#2", "SK": "PUPIL#101", "name": "Ben", "enrolled": 2024}'),
	('{"PK": "SCHOOL#2", "SK": "PUPIL#102", "name": "Cleo", "enrolled": 2024}')
) AS data (item), dynamo.put_item('schools', data.item);

\echo '1. A school by id'
SELECT item - '{PK,SK}'::text[] AS school
FROM dynamo.query('schools', '#PK = :PK AND begins_with(#SK, :SK)',
				  '{":PK": {"S": "SCHOOL#1"}, ":SK": {"S": "#METADATA#"}}',
				  '{"#PK": "PK", "#SK": "SK"}') AS item;

\echo '2. The courses of a school'
SELECT item ->> 'SK' AS course, item ->> 'title' AS title
FROM dynamo.query('schools', '#PK = :PK AND begins_with(#SK, :SK)',
				  '{":PK": {"S": "SCHOOL#1"}, ":SK": {"S": "COURSE#"}}',
				  '{"#PK": "PK", "#SK": "SK"}') AS item;

\echo '3. The pupils of a school'
SELECT item ->> 'SK' AS pupil, item ->> 'name' AS name, item ->> 'enrolled' AS enrolled
FROM dynamo.query('schools', '#PK = :PK AND begins_with(#SK, :SK)',
				  '{":PK": {"S": "SCHOOL#1"}, ":SK": {"S": "PUPIL#"}}',
				  '{"#PK": "PK", "#SK": "SK"}') AS item;

\echo '4. Everything of a school in one read'
SELECT item ->> 'SK' AS "SK", coalesce(item ->> 'name', item ->> 'title') AS name
FROM dynamo.query('schools', '#PK = :PK',
				  '{":PK": {"S": "SCHOOL#2"}}', '{"#PK": "PK"}') AS item;

-- Many-to-many: an edge item per course that a pupil attends.  The course's
-- collection lists its pupils; the inverted index lists a pupil's courses
-- and schools.

SELECT dynamo.create_index('schools', 'inverted', 'SK', 'PK');

SELECT count(*) AS edges_put
FROM (VALUES
	('{"PK": "COURSE#ART", "SK": "PUPIL#100", "since": "2022-09-01"}'::jsonb),
	('{"PK": "COURSE#ART", "SK": "PUPIL#101", "since": "2023-09-01"}'),
	('{"PK": "COURSE#BIO", "SK": "PUPIL#101", "since": "2023-09-01"}'),
	('{"PK": "COURSE#MUS", "SK": "PUPIL#101", "since": "2024-09-01"}'),
	('{"PK": "COURSE#MUS", "SK": "PUPIL#102", "since": "2024-09-01"}')
) AS data (item), dynamo.put_item('schools', data.item);

\echo '5. The pupils of a course'
SELECT item ->> 'SK' AS pupil, item ->> 'since' AS since
FROM dynamo.query('schools', '#PK = :PK AND begins_with(#SK, :SK)',
				  '{":PK": {"S": "COURSE#MUS"}, ":SK": {"S": "PUPIL#"}}',
				  '{"#PK": "PK", "#SK": "SK"}') AS item;

\echo '6. The courses of a pupil, from the other side'
SELECT item ->> 'PK' AS course, item ->> 'since' AS since
FROM dynamo.query('schools', '#SK = :SK AND begins_with(#PK, :PK)',
				  '{":SK": {"S": "PUPIL#101"}, ":PK": {"S": "COURSE#"}}',
				  '{"#PK": "PK", "#SK": "SK"}', index_name => 'inverted') AS item;

\echo '7. The schools of a pupil'
SELECT item ->> 'PK' AS school, item ->> 'enrolled' AS enrolled
FROM dynamo.query('schools', '#SK = :SK AND begins_with(#PK, :PK)',
				  '{":SK": {"S": "PUPIL#101"}, ":PK": {"S": "SCHOOL#"}}',
				  '{"#PK": "PK", "#SK": "SK"}', index_name => 'inverted') AS item;
