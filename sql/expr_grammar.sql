-- The grammar of conditions: tokens, white space, precedence, parentheses,
-- syntax errors with their positions.
CREATE SCHEMA t_expr_grammar;
SET search_path = t_expr_grammar;
\set VERBOSITY terse

CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{"a": {"N": "1"}, "b": {"N": "2"}, "c": {"S": "x"}, "remove": {"N": "7"},
	"m": {"M": {"k": {"L": [{"N": "10"}, {"N": "20"}]}, "x.y": {"N": "3"}}}}');
CREATE FUNCTION is(condition text, names jsonb DEFAULT NULL) RETURNS boolean
	LANGUAGE plpgsql AS $$
DECLARE
	v jsonb := '{}';
	p text[];
BEGIN
	-- bind only the values that the condition mentions
	FOR p IN SELECT DISTINCT regexp_matches(condition, ':[a-z0-9]+', 'g') LOOP
		v := v || jsonb_build_object(p[1], CASE p[1] WHEN ':x' THEN '{"S": "x"}'::jsonb
			ELSE jsonb_build_object('N', substr(p[1], 2)) END);
	END LOOP;
	RETURN dynamo.matches(item, condition,
		CASE WHEN v <> '{}' THEN v::text::dynamo.item END, names) FROM t;
END $$;

-- white space anywhere between tokens, or none
SELECT is(' a=:1 '), is(E'a\t=\r\n:1'), is('m . k [ 1 ] = :20'), is('(a=:1)AND(b=:2)');
-- keywords in any case; NOT binds tighter than AND, AND tighter than OR
SELECT is('a = :1 And b = :2'), is('not a = :2'), is('NOT NOT a = :1'),
	is('a between :0 aNd :1'), is('a iN (:1)');
SELECT is('a = :1 OR b = :9 AND c = :9') AS and_first,
	is('(a = :1 OR b = :9) AND c = :9') AS parentheses,
	is('NOT a = :2 AND b = :9') AS not_first,
	is('NOT (a = :2 AND b = :9)') AS not_all;
SELECT is('a BETWEEN :0 AND :1 AND b BETWEEN :2 AND :3') AS between_and;
-- operands on either side, in parentheses
SELECT is(':1 = a'), is('(a) = (:1)'), is('(a = :1)'), is('(size(c)) = :1'),
	is('(:1) IN ((a), b)');
-- names: placeholders can contain anything, and dots in them do not separate
SELECT is('m.#n = :3', '{"#n": "x.y"}'), is('#0_a = :1', '{"#0_a": "a"}'),
	is('remove = :7') AS no_reserved_word, is('m.k[00] = :10');
-- functions are case-sensitive
SELECT is('SIZE(c) = :1');
-- syntax errors with the token and the text around it
SELECT is('a');
SELECT is(':1');
SELECT is('a =');
SELECT is('a = :1 AND');
SELECT is('a = :1 AND AND b = :2');
SELECT is('AND a = :1');
SELECT is('a == :1');
SELECT is('a != :1');
SELECT is('a = 1');
SELECT is('_a = :1');
SELECT is('1a = :1');
SELECT is('a = "x"');
SELECT is('a.[0] = :1');
SELECT is('m[k] = :1');
SELECT is('m[-1] = :1');
SELECT is('m. = :1');
SELECT is('# = :1');
SELECT is('a = : 1');
SELECT is('(a = :1');
SELECT is('a = :1)');
SELECT is('(a = :1) = :1');
SELECT is('a = (b = :1)');
SELECT is('a IN ()');
SELECT is('a IN :1');
SELECT is('a BETWEEN :1, :2');
SELECT is('a = :1 b = :2');
SELECT is('NOT a');
SELECT is('size(a b) = :1');
SELECT is('a + :1 = :2');
SELECT is('a = :1 ☃ b');
SELECT is('');
SELECT is('   ');
-- syntax errors come before all other errors
SELECT is('nope(a) AND ((size = :1)) AND');
-- redundant parentheses
SELECT is('((a = :1))');
SELECT is('((a)) = :1');
SELECT is('((a = :1) AND (b = :2))');
-- the position in the expression, for SQL users
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT dynamo.matches('{}', 'a = :v AND ☃ = :w');

SET client_min_messages = warning;
DROP SCHEMA t_expr_grammar CASCADE;
