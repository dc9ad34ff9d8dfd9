-- Reference system 3, schools, courses and pupils: the example, its access
-- patterns in plain SQL, and the number of items they read.
SET client_min_messages = warning;
CREATE SCHEMA t_system_3;
SET search_path = t_system_3;
\i test/agree.sql
\i examples/schools.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_3, dynamo;

-- many to many by a join: the pupils of each course by name
SELECT course.item ->> 'title' AS course, string_agg(DISTINCT pupil.item ->> 'name', ', ') AS pupils
FROM schools AS edge
JOIN schools AS course ON course."SK" = edge."PK" AND course."PK" LIKE 'SCHOOL#%'
JOIN schools AS pupil ON pupil."SK" = edge."SK" AND pupil."PK" LIKE 'SCHOOL#%'
WHERE edge."PK" LIKE 'COURSE#%'
GROUP BY course.item ->> 'title' ORDER BY 1;

SELECT count(*) FROM generate_series(200, 400) i,
	dynamo.put_item('schools', jsonb_build_object('PK', 'COURSE#BIO', 'SK', 'PUPIL#' || i));

SELECT agree($$SELECT * FROM dynamo.query('schools', '#PK = :PK AND begins_with(#SK, :SK)', '{":PK": {"S": "SCHOOL#1"}, ":SK": {"S": "PUPIL#"}}', '{"#PK": "PK", "#SK": "SK"}')$$,
	$$SELECT item FROM schools WHERE "PK" = 'SCHOOL#1' AND dynamo.begins_with("SK", 'PUPIL#') ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('schools', 'PK = :c', '{":c": {"S": "COURSE#BIO"}}')$$,
	$$SELECT item FROM schools WHERE "PK" = 'COURSE#BIO' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('schools', 'SK = :p', '{":p": {"S": "PUPIL#101"}}', index_name => 'inverted')$$,
	$$SELECT item FROM schools WHERE "SK" = 'PUPIL#101' ORDER BY "PK"$$);
SELECT agree($$SELECT * FROM dynamo.query('schools', 'SK = :p AND begins_with(PK, :c)', '{":p": {"S": "PUPIL#101"}, ":c": {"S": "COURSE#"}}', index_name => 'inverted', scan_index_forward => false)$$,
	$$SELECT item FROM schools WHERE "SK" = 'PUPIL#101' AND dynamo.begins_with("PK", 'COURSE#') ORDER BY "PK" DESC$$);

SELECT reads($$SELECT * FROM dynamo.query('schools', 'PK = :PK AND begins_with(SK, :SK)', '{":PK": {"S": "SCHOOL#1"}, ":SK": {"S": "COURSE#"}}')$$, 'schools_pkey', 'schools$inverted');
SELECT reads($$SELECT * FROM dynamo.query('schools', 'SK = :p', '{":p": {"S": "PUPIL#101"}}', index_name => 'inverted')$$, 'schools$inverted');

SELECT * FROM dynamo.verify_index('schools', 'inverted');
-- a pupil leaves a course: removed from both sides
SELECT dynamo.delete_item('schools', '{"PK": {"S": "COURSE#MUS"}, "SK": {"S": "PUPIL#101"}}');
SELECT item ->> 'PK' AS course
FROM dynamo.query('schools', 'SK = :p AND begins_with(PK, :c)', '{":p": {"S": "PUPIL#101"}, ":c": {"S": "COURSE#"}}', index_name => 'inverted') AS item;

DROP SCHEMA t_system_3, dynamo_examples CASCADE;
