-- Expression attribute names and values: undefined, unused and malformed ones; the
-- order in which errors are reported.
CREATE SCHEMA t_expr_placeholders;
SET search_path = t_expr_placeholders;
\set VERBOSITY terse

CREATE FUNCTION is(condition text, v dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL) RETURNS boolean
	LANGUAGE sql AS $$SELECT dynamo.matches('{"a": {"N": "1"}, "b": {"S": "x"}, "a b.c": {"N": "5"}}', condition, v, names)$$;

-- one placeholder many times, one name under several placeholders
SELECT is('#a = :v AND #a >= :v AND #also = :v', '{":v": {"N": "1"}}', '{"#a": "a", "#also": "a"}'),
	is('#x > :v', '{":v": {"N": "1"}}', '{"#x": "a b.c"}'),
	is('#_1 = :_1', '{":_1": {"N": "1"}}', '{"#_1": "a"}');
-- more names than are searched linearly
SELECT is(':v IN (#n11, #n2, #n3, #n4, #n5, #n6, #n7, #n8, #n9, #n10, #n1)', '{":v": {"N": "1"}}',
	'{"#n1": "a", "#n2": "b", "#n3": "c", "#n4": "d", "#n5": "e", "#n6": "f", "#n7": "g", "#n8": "h", "#n9": "i", "#n10": "j", "#n11": "k"}');
-- undefined; names and values are case-sensitive
SELECT is('#q = :v', '{":v": {"N": "1"}}');
SELECT is('a = :v');
SELECT is('a = :V', '{":v": {"N": "1"}}');
SELECT is('a.#q = a');
-- unused: all are listed; names before values
SELECT is('a = :v', '{":v": {"N": "1"}, ":w": {"N": "2"}, ":x": {"N": "3"}}');
SELECT is('a = :v', '{":v": {"N": "1"}, ":w": {"N": "2"}}', '{"#a": "a", "#b": "b"}');
SELECT dynamo.project('{}', 'a', '{"#a": "a"}');
SELECT dynamo.apply_update('{}', 'REMOVE a', '{":v": {"N": "1"}}');
-- empty maps
SELECT is('a = b', '{}');
SELECT is('a = b', NULL, '{}');
-- malformed placeholders
SELECT is('a = :v', '{"v": {"N": "1"}}');
SELECT is('a = :v', '{"#v": {"N": "1"}}');
SELECT is('a = :v', '{":": {"N": "1"}}');
SELECT is('a = :v', '{":v-1": {"N": "1"}}');
SELECT is('a = b', NULL, '{"a": "a"}');
SELECT is('a = b', NULL, '{":a": "a"}');
SELECT is('a = b', NULL, '{"#": "a"}');
SELECT is('a = b', NULL, '{"#a b": "a"}');
SELECT is('a = b', NULL, '{"#a": ""}');
-- names that are not an object of strings
SELECT is('a = b', NULL, '["#a"]');
SELECT is('a = b', NULL, '"#a"');
SELECT is('a = b', NULL, '{"#a": 1}');
SELECT is('a = b', NULL, '{"#a": {"S": "a"}}');
-- malformed names and values are more important than the expression
SELECT is('a = ', '{"v": {"N": "1"}}', '{"a": "a"}');
-- order within a condition: redundant parentheses, unknown function, misused
-- function, reserved word; then the first faulty predicate
SELECT is('((a = b)) AND nope(a) AND size(a) AND item = :q');
SELECT is('nope(a) AND size(a) AND item = :q');
SELECT is('item = :q AND size(a)');
SELECT is('a = a AND item = :q');
SELECT is('a = b AND a.key = b');
-- inside a predicate: undefined, number of operands, same operands, types
SELECT is('a < :t AND #q = :q', '{":t": {"BOOL": true}}');
SELECT is('contains(a, :q, a)');
SELECT is('contains(a, a, a)');
SELECT is('begins_with(a, a) AND a < :t', '{":t": {"BOOL": true}}');
SELECT is('a BETWEEN a AND :t', '{":t": {"BOOL": true}}');
SELECT is('a BETWEEN :s AND :t', '{":s": {"N": "1"}, ":t": {"BOOL": true}}');
-- two placeholders for the same path
SELECT is('a = a');
SELECT is('#a.b[0] <> a.b[0]', NULL, '{"#a": "a"}');
SELECT is('b IN (a, b)');
SELECT is('a BETWEEN b AND a');
SELECT is('contains(a.b, a.b)');
SELECT is('size(a) = size(a)') AS sizes, is('a = #x', NULL, '{"#x": "a.b"}') AS dotted;
-- reserved words in any case, at any depth; placeholders are not affected
SELECT is('NAME = a');
SELECT is('a.b[1].Status = a');
SELECT is('size = a');
SELECT is('#n = :v', '{":v": {"N": "1"}}', '{"#n": "name"}') AS exempt, is('names1 = a') AS longer, is('remove = a') AS free;

SET client_min_messages = warning;
DROP SCHEMA t_expr_placeholders CASCADE;
