-- Schools, courses and pupils: one-to-many by key prefix, then many-to-many by
-- edge items and an inverted index (the sort key as partition key).
--
--   PK              SK                entity
--   SCHOOL#<id>     #METADATA#<id>    school
--   SCHOOL#<id>     COURSE#<id>       course of a school
--   SCHOOL#<id>     PUPIL#<id>        pupil of a school (a pupil may have several)
--   COURSE#<id>     PUPIL#<id>        a pupil attends a course (an edge)
--
-- Each of these is an entity, known by its key: no attribute tells the kind.
--
-- Run it with: psql -f examples/schools.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS schools CASCADE;
COMMIT;

SELECT dynamo.create_table('schools', partition_key => 'PK', sort_key => 'SK');

SELECT dynamo.create_entity('schools', e.name, e.keys, e.attributes, view_name => e.view)
FROM (VALUES
	('school', 'school_rows', '{"PK": "SCHOOL#{school_id}", "SK": "#METADATA#{school_id}"}'::jsonb,
	 '{"school_id": "text", "name": "text", "city": "text"}'::json),
	('course', 'course_rows', '{"PK": "SCHOOL#{school_id}", "SK": "COURSE#{course_id}"}',
	 '{"school_id": "text", "course_id": "text", "title": "text"}'),
	('pupil', 'pupil_rows', '{"PK": "SCHOOL#{school_id}", "SK": "PUPIL#{pupil_id:03}"}',
	 '{"school_id": "text", "pupil_id": "int", "name": "text", "enrolled": "int"}')
) AS e (name, view, keys, attributes);

INSERT INTO school_rows (school_id, name, city) VALUES ('1', 'Northside High', 'Leeds'), ('2', 'City College', 'York');
INSERT INTO course_rows (school_id, course_id, title) VALUES ('1', 'ART', 'Art'), ('1', 'BIO', 'Biology'), ('2', 'MUS', 'Music');
INSERT INTO pupil_rows (school_id, pupil_id, name, enrolled)
VALUES ('1', 100, 'Ada', 2022), ('1', 101, 'Ben', 2023), ('2', 101, 'Ben', 2024), ('2', 102, 'Cleo', 2024);

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
SELECT dynamo.create_entity('schools', 'attendance', view_name => 'attendance_rows',
	keys => '{"PK": "COURSE#{course_id}", "SK": "PUPIL#{pupil_id:03}"}',
	attributes => '{"course_id": "text", "pupil_id": "int", "since": "date"}');

INSERT INTO attendance_rows (course_id, pupil_id, since)
VALUES ('ART', 100, '2022-09-01'), ('ART', 101, '2023-09-01'), ('BIO', 101, '2023-09-01'),
	('MUS', 101, '2024-09-01'), ('MUS', 102, '2024-09-01');

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

\echo '8. A pupil with the courses, in one statement: both ends are read by their keys'
SELECT p.name, a.course_id, a.since
FROM attendance_rows a JOIN pupil_rows p ON p.school_id = '2' AND p.pupil_id = a.pupil_id
WHERE a.course_id = 'MUS' ORDER BY p.name;
