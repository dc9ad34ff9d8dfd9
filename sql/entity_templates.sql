-- key templates: dynamo.render_key and dynamo.parse_key
CREATE SCHEMA t_templates;
SET search_path = t_templates, dynamo;

-- every format, and the attributes that a key shows
CREATE VIEW formats AS
SELECT template FROM (VALUES
	(1, 'ORDER#{order_id}'), (2, '{address.city}#{x:any}#{order_id:08}'), (3, '{order_id:05.1}'), (4, '{order_id:+05.1}'),
	(5, '{order_id:05:desc}'), (6, '{order_id:+05:desc}'), (7, '{at:date}'), (8, '{at:s}'), (9, '{at:ms}'), (10, '{at:us}'),
	(11, '{at:s:desc}'), (12, '{at:us}|{at:date}'), (13, '{x:upper}'), (14, '{x:lower}'), (15, '{order_id:word}'),
	(16, '{#13:order_id}#{order_id}'), (17, '{"odd.name"}'), (18, '{{{order_id}}}'), (19, '{at:date}{order_id:04}')) v(n, template)
ORDER BY n;
CREATE TABLE shown (item dynamo.item);
INSERT INTO shown VALUES ('{"order_id": {"N": "42"}, "at": {"S": "2026-01-31T23:30:00.1234567-05:00"}, "x": {"S": "Éa#B"},
	"odd.name": {"S": "odd"}, "address": {"M": {"city": {"S": "Oslo"}}}}');
SELECT template, render_key(item, template), parse_key(render_key(item, template), template) FROM formats, shown;

-- the text does not depend on settings
SET TimeZone = 'Asia/Kathmandu';
SET DateStyle = 'SQL, DMY';
SELECT render_key('{"at": {"S": "2026-07-01 12:00"}}', '{at:s}'), render_key('{"at": {"N": "1782907200.5"}}', '{at:ms}'),
	render_key('{"at": {"N": "-0.0000001"}}', '{at:us}');
RESET TimeZone;
RESET DateStyle;

-- values that do not fit have no key
SELECT template, value, render_key(value::item, template)
FROM (VALUES ('{n:02}', '{"n": {"N": "100"}}'), ('{n:02}', '{"n": {"N": "-1"}}'), ('{n:02}', '{"n": {"N": "1.5"}}'),
	('{n:02}', '{"n": {"S": "01"}}'), ('{n:02}', '{"n": {"S": "x"}}'), ('{n}', '{"n": {"S": ""}}'), ('{n}', '{"n": {"NULL": true}}'),
	('{n}', '{"n": {"BOOL": true}}'), ('{n}', '{}'), ('{n.a}', '{"n": {"S": "a"}}'), ('{n}#', '{"n": {"S": "a#b"}}'),
	('{n}##', '{"n": {"S": "a#"}}'), ('{n:any}#{n}', '{"n": {"S": "a#b"}}'), ('{n:word}', '{"n": {"S": "a b"}}'),
	('{n:s}', '{"n": {"S": "2026-02-30"}}'), ('{n:s}', '{"n": {"S": "2026-02-28T24:00:00Z"}}'), ('{n:s}', '{"n": {"S": "01/02/2026"}}'),
	('{n:s}', '{"n": {"S": "9999-12-31T23:00:00-02:00"}}'), ('{n:s}', '{"n": {"N": "253402300800"}}'),
	('{n:s}', '{"n": {"N": "99999999999999999999999999999999999999"}}')) v(template, value);

-- keys that do not match a template show nothing
SELECT template, key, parse_key(key, template)
FROM (VALUES ('A#{n}', 'A#'), ('A#{n}', 'B#1'), ('{a}#{b}', 'x'), ('{a}#{b}', '#x'), ('{n:02}', '1'), ('{n:02}', '1x'), ('{n:+02}', 'n99'),
	('{at:s}', '2026-02-30T00:00:00Z'), ('{at:s}', '2026-02-28T00:00:00z'), ('{at:s:desc}', '999999999999'), ('{#13:n}', '13'),
	('{n:word}', 'a#b'), ('{n:upper}', 'a'), ('{a:any}#', 'x#y')) v(template, key);

-- malformed templates
DO $$
DECLARE
	template text;
BEGIN
	FOREACH template IN ARRAY ARRAY['', '{', '}', '{}', '{a', '{a}}', '{a:}', '{a:x}', '{a:8}', '{a:0}', '{a:039}', '{a:038.1}', '{a:08.0}',
		'{a:08:s}', '{a:desc}', '{a:08:upper}', '{a:s:any}', '{a:any:word}', '{a}{b}', '{a:any}#{b:any}', '{a:any}#{b:02}{c}', '{#1:a}',
		'{#100001:a}', '{#13}', '{#13:a:word}', '{a b}', '{a.}', '{.a}', '{"a}', '{a#b}', repeat('x', 1025), repeat('{a:01}', 33)]
	LOOP
		BEGIN
			PERFORM render_key('{}', template);
			RAISE NOTICE '%: well-formed', template;
		EXCEPTION WHEN invalid_parameter_value THEN
			RAISE NOTICE '%', left(sqlerrm, 120);
		END;
	END LOOP;
END $$;

SET client_min_messages = warning;
DROP SCHEMA t_templates CASCADE;
