-- IAM policies as GRANT, REVOKE and row security policies
CREATE SCHEMA t_iam;
SET search_path = t_iam, dynamo;
CREATE ROLE regress_iam_alice;
CREATE ROLE "regress iam ""bob""";
SELECT dynamo.create_table('game', 'UserId', 'GameTitle');
SELECT dynamo.create_table('numbers', 'n', partition_key_type => 'N');
SELECT dynamo.create_table('other', 'pk');
SELECT dynamo.put_item('game', jsonb_build_object('UserId', u, 'GameTitle', g, 'score', 10, 'secret', 'hidden'))
FROM unnest(ARRAY['regress_iam_alice', 'carol', 'shared_1', 'sharedX1']) u, unnest(ARRAY['a', 'b']) g;
SELECT dynamo.put_item('numbers', jsonb_build_object('n', n)) FROM generate_series(1, 3) n;
SELECT dynamo.put_item('other', '{"pk": {"S": "x"}}');
-- Translates for a role and executes the result, all of it.
CREATE PROCEDURE apply(policy jsonb, role_name text) LANGUAGE plpgsql AS $$
DECLARE l record; BEGIN
	FOR l IN SELECT * FROM dynamo.iam_policy_to_sql(policy, role_name) LOOP
		RAISE NOTICE '% %: %', COALESCE(l.statement::text, '-'), l.kind, l.line;
		IF l.kind = 'sql' THEN EXECUTE l.line; END IF;
	END LOOP;
END $$;

-- the service's example: each user their own items
CALL apply('{"Version": "2012-10-17", "Statement": [{"Sid": "OwnItems", "Effect": "Allow",
	"Action": ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
	"Resource": ["arn:aws:dynamodb:us-west-2:123456789012:table/game", "arn:aws:dynamodb:us-west-2:123456789012:table/game/index/*"],
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}]}', 'regress_iam_alice');
SET ROLE regress_iam_alice;
SELECT item ->> 'UserId' AS user, item ->> 'GameTitle' AS game FROM dynamo.scan('game') item ORDER BY 2;
SELECT dynamo.get_item('game', '{"UserId": {"S": "carol"}, "GameTitle": {"S": "a"}}');
SELECT dynamo.put_item('game', '{"UserId": {"S": "regress_iam_alice"}, "GameTitle": {"S": "c"}}');
SELECT dynamo.update_item('game', '{"UserId": {"S": "regress_iam_alice"}, "GameTitle": {"S": "c"}}', 'SET x = :x', expression_attribute_values => '{":x": {"N": "1"}}');
SELECT dynamo.delete_item('game', '{"UserId": {"S": "regress_iam_alice"}, "GameTitle": {"S": "c"}}');
SELECT dynamo.put_item('game', '{"UserId": {"S": "carol"}, "GameTitle": {"S": "c"}}');
SELECT dynamo.delete_item('game', '{"UserId": {"S": "carol"}, "GameTitle": {"S": "a"}}');
SELECT count(*) FROM game;
SELECT dynamo.get_item('other', '{"pk": {"S": "x"}}');
RESET ROLE;
SELECT count(*) AS of_carol FROM game WHERE "UserId" = 'carol';

-- patterns: an underscore is no pattern of LIKE; another statement for all rows, and a Deny of some
CALL apply('{"Statement": [
	{"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "arn:aws:dynamodb:*:*:table/game",
	 "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["shared_*", "100%"]}}},
	{"Effect": "Deny", "Action": "dynamodb:*", "Resource": "arn:aws:dynamodb:*:*:table/numbers",
	 "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["2"]}}},
	{"Effect": "Allow", "Action": ["dynamodb:Get*", "dynamodb:Scan"], "Resource": "arn:aws:dynamodb:*:*:table/num*"}]}', 'regress iam "bob"');
SET ROLE "regress iam ""bob""";
SELECT item ->> 'UserId' AS user, item ->> 'GameTitle' AS game FROM dynamo.scan('game') item ORDER BY 1, 2;
SELECT item ->> 'n' AS n FROM dynamo.scan('numbers') item ORDER BY 1;
SELECT dynamo.put_item('numbers', '{"n": {"N": "4"}}');
RESET ROLE;

-- attributes: a view of them
CALL apply('{"Statement": {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:UpdateItem"], "Resource": "arn:aws:dynamodb:*:*:table/game",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["UserId", "GameTitle", "score", "qu\"ote''s"], "dynamodb:LeadingKeys": ["carol"]},
		"StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}}}', 'regress iam "bob"');
SET ROLE "regress iam ""bob""";
SELECT * FROM "game$regress iam ""bob""$1" ORDER BY 2;
RESET ROLE;

-- what denies is stronger, and later
CALL apply('{"Statement": [
	{"Sid": "no", "Effect": "Deny", "Action": ["dynamodb:PutItem", "dynamodb:CreateTable", "dynamodb:ListTables"], "Resource": "*",
	 "Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}},
	{"Sid": "yes", "Effect": "Allow", "Action": "dynamodb:*Item", "Resource": "arn:aws:dynamodb:*:*:table/other"}]}', 'regress_iam_alice');
SET ROLE regress_iam_alice;
SELECT dynamo.get_item('other', '{"pk": {"S": "x"}}');
SELECT dynamo.put_item('other', '{"pk": {"S": "y"}}');
RESET ROLE;

-- what cannot be translated is told, and not granted
SELECT kind, line FROM unnest(ARRAY[
	'{"Condition": {"Bool": {"aws:MultiFactorAuthPresent": true}}}',
	'{"Condition": {"StringEquals": {"dynamodb:LeadingKeys": "x"}}}',
	'{"Condition": {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": "x"}}}',
	'{"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${cognito-identity.amazonaws.com:sub}"}}}',
	'{"Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "${aws:username}*"}}}',
	'{"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "x", "dynamodb:Other": "y"}}}',
	'{"Principal": "*"}',
	'{"Resource": "arn:aws:dynamodb:*:*:table/other/index/i"}',
	'{"Resource": "arn:aws:dynamodb:*:*:table/${aws:username}"}',
	'{"Resource": "arn:aws:dynamodb:*:*:table/none"}',
	'{"Resource": "arn:aws:s3:::bucket"}',
	'{"Action": ["s3:GetObject", "dynamodb:DeleteTable", "dynamodb:DescribeTable"]}',
	'{"Action": "dynamodb:None*"}']::jsonb[]) extra,
	dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object('Effect', 'Allow', 'Action', 'dynamodb:GetItem',
		'Resource', 'arn:aws:dynamodb:*:*:table/other') || extra), 'regress_iam_alice');
-- leading keys that are a list of none, variables with a value, NotAction and NotResource
SELECT kind, line FROM dynamo.iam_policy_to_sql('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "NotAction": ["dynamodb:*Item", "dynamodb:B*", "dynamodb:C*", "dynamodb:D*", "dynamodb:R*", "dynamodb:I*", "dynamodb:L*", "dynamodb:U*", "dynamodb:T*", "dynamodb:E*", "dynamodb:P*"],
	"NotResource": ["arn:aws:dynamodb:*:*:table/game", "arn:aws:dynamodb:*:*:table/numbers/index/i"],
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a${sub}b", "c"]}}},
	{"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "*/table/other", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": []}}},
	{"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "arn:aws:dynamodb:*:*:table/numbers", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["1"]}}}]}',
	'regress_iam_alice', variables => '{"sub": "it''s"}');
-- no policy at all
SELECT dynamo.iam_policy_to_sql(p, 'regress_iam_alice') FROM unnest(ARRAY['[]', '{}', '{"Statement": 1}', '{"Statement": [{}]}', '{"Statement": {"Effect": "allow"}}']::jsonb[]) p;
SELECT dynamo.iam_policy_to_sql('{"Statement": 1}', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('{"Statement": [{"Effect": "allow", "Action": "*", "Resource": "*"}]}', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('{"Statement": [{"Effect": "Allow", "Action": {"a": 1}, "Resource": "*"}]}', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('{"Statement": [{"Effect": "Allow", "Action": "*", "NotAction": "*", "Resource": "*"}]}', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('{"Statement": []}', NULL);
SELECT dynamo.iam_policy_to_sql('{"Statement": []}', 'a', 'no such schema');

-- hostile texts stay texts
CREATE TABLE victim (i int);
SELECT dynamo.create_table('xxx', 'p"; DROP TABLE victim; --');
ALTER TABLE xxx RENAME TO "xxx""; DROP TABLE victim; --";
CREATE ROLE "regress_iam""; DROP TABLE victim; --";
CALL apply(replace($${"Statement": [{"Sid": "'; @", "Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/xxx*",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["'; @", "\\'; @", "$x$; @", "\"; @"]}}},
	{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/xxx*",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["'; @", "\\'; @", "\"; @", "p\"; DROP TABLE victim; --"]}}},
	{"Effect": "Deny", "Action": "dynamodb:Get\n; @", "Resource": "\n; @", "Condition": {"\n; @": {"\n; @": "\n; @"}}}]}$$, '@', 'DROP TABLE victim; --')::jsonb,
	'regress_iam"; DROP TABLE victim; --');
SELECT count(*) FROM victim;
SELECT DISTINCT sid FROM dynamo.iam_policy_to_sql('{"Statement": [{"Sid": "a\n\u007f\u00e9; DROP", "Effect": "Allow", "Action": "*", "Resource": "*"}]}', 'regress_iam_alice') WHERE sid IS NOT NULL;
SELECT dynamo.iam_policy_to_sql('{"Statement": []}', 'public');
-- a question mark is one character, not one byte
SELECT dynamo.create_table('cafe', 'pk');
ALTER TABLE cafe RENAME TO U&"caf\00e9";
SELECT p AS pattern, count(*) FILTER (WHERE kind = 'sql' AND line ~ 'REVOKE .*caf') AS denied
FROM unnest('{caf?,caf??,*?,c*?,c?f?,*f?,*f??}'::text[]) p, dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object(
	'Effect', 'Deny', 'Action', 'dynamodb:PutItem', 'Resource', 'arn:aws:dynamodb:*:*:table/' || p)), 'regress_iam_alice')
GROUP BY p ORDER BY p COLLATE "C";

-- a resource that can mean a table denies it, and grants nothing: patterns that name no table
SELECT r AS resource, count(*) FILTER (WHERE kind = 'sql' AND line ~ 'REVOKE .*other') AS other,
	count(*) FILTER (WHERE kind = 'sql' AND line ~ 'REVOKE .*numbers') AS numbers,
	max(line) FILTER (WHERE kind = 'not translated') AS told
FROM unnest('{**,arn:aws:dynamodb:us-east-1:123456789012:*,arn:aws:*:*:*:table/other,*other,arn:aws:dynamodb:*:*:table?o*r,arn:aws:dynamodb:*:*:tab*,
	arn:aws:dynamodb:*:*:*/index/*,arn:aws:*:*:*:table/numbers/stream/*,*:table/n?mbers,"${x}*",arn:aws:dynamodb:*:*:table?other/strea?/2026-01-01T00:00:00.000,arn:aws:s3:dynamodb:bucket:table/none,arn:aws:s3:*,arn:aws:*:*:*:table/none,*others}'::text[]) r,
	dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object(
	'Effect', 'Deny', 'Action', 'dynamodb:PutItem', 'Resource', r)), 'regress_iam_alice')
GROUP BY r ORDER BY r COLLATE "C";
SELECT * FROM dynamo.iam_policy_to_sql('{"Statement": [
	{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:us-east-1:123456789012:*"},
	{"Effect": "Allow", "Action": "dynamodb:GetItem", "NotResource": ["arn:aws:dynamodb:*:*:*"]}]}', 'regress_iam_alice');
-- writes of attributes are not granted, and reading them is another right
SELECT * FROM dynamo.iam_policy_to_sql('{"Statement": {"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "arn:aws:dynamodb:*:*:table/other",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "a"]}}}}', 'regress_iam_alice');
-- names that differ only behind what is cut have views of their own
SELECT dynamo.create_table('other_items_of_the_first_store', 'pk'), dynamo.create_table('other_items_of_the_second_store', 'pk');
SELECT role, regexp_replace(line, ' WITH .*', '') AS view FROM unnest('{regress_iam_reader_of_the_first,regress_iam_reader_of_the_second}'::text[]) role,
	dynamo.iam_policy_to_sql('{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/other_*",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk"]}}}}', role) WHERE line ~ '^CREATE VIEW';

-- nor names with the same CRC, nor those that a $ joins to the same text
ALTER TABLE other_items_of_the_first_store RENAME TO "other$a";
SELECT count(*), count(DISTINCT view) FROM (SELECT regexp_replace(line, ' WITH .*', '') AS view FROM unnest('{a$regress_iam,regress_iam,regress_iam_reader_of_nidmovh,regress_iam_reader_of_bubanxn}'::text[]) role,
	dynamo.iam_policy_to_sql('{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/other*",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk"]}}}}', role) WHERE line ~ '^CREATE VIEW') v;
-- a table is named as requests do, also if its name is too long for a relation; an ARN of another service is none
SELECT dynamo.create_table(repeat('long', 30), 'pk') IS NOT NULL AS long;
SELECT kind, regexp_replace(line, repeat('long', 30), '<long>', 'g') FROM dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_array(
	jsonb_build_object('Effect', 'Deny', 'Action', 'dynamodb:PutItem', 'Resource', 'arn:aws:dynamodb:us-east-1:1:table/' || repeat('long', 30)),
	jsonb_build_object('Effect', 'Allow', 'Action', 'dynamodb:GetItem', 'Resource', 'arn:aws:s3:dynamodb:bucket:table/other'))), 'regress_iam_alice');
-- the leading key of a query of an index is the index's
SELECT dynamo.create_table('indexed', 'pk', indexes => '[{"index_name": "i", "partition_key": "g"}, {"index_name": "same", "partition_key": "pk", "sort_key": "g"}]');
SELECT r, kind, line FROM unnest('{*,arn:aws:dynamodb:*:*:table/indexed,arn:aws:dynamodb:*:*:table/indexed/index/same,arn:aws:dynamodb:*:*:table/indexed/index/?}'::text[]) r,
	dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object('Effect', 'Deny', 'Action', 'dynamodb:Query', 'Resource', r,
	'Condition', '{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["x"]}}'::jsonb)), 'regress_iam_alice') WHERE line ~ 'indexed';
-- a Deny of all other resources: indexes and streams are resources of their own
SELECT r, string_agg(line, '; ') FROM unnest(ARRAY['{table/indexed}', '{table/indexed,table/indexed/index/*}', '{table/index*}', '{table/index?d}', '{table/indexed,table/indexed/index/i}']::text[][]) WITH ORDINALITY u(r, n),
	dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object('Effect', 'Deny', 'Action', 'dynamodb:Query',
	'NotResource', (SELECT jsonb_agg('arn:aws:dynamodb:*:*:' || x) FROM unnest(r::text[]) x))), 'regress_iam_alice') WHERE line ~ 'indexed' AND kind = 'sql'
GROUP BY r ORDER BY r;
SELECT dynamo.enable_stream('other') IS NOT NULL AS stream;
SELECT a, count(*) FILTER (WHERE kind = 'sql' AND line ~ 'REVOKE .*other ') FROM unnest('{Query,GetRecords}'::text[]) a,
	dynamo.iam_policy_to_sql(jsonb_build_object('Statement', jsonb_build_object('Effect', 'Deny', 'Action', 'dynamodb:' || a, 'NotResource', 'arn:aws:dynamodb:*:*:table/other')), 'regress_iam_alice')
GROUP BY a ORDER BY a;
-- a number is one, and variables are text before their version
SELECT v, statement, kind, line FROM unnest('{2012-10-17,2008-10-17}'::text[]) v, dynamo.iam_policy_to_sql(jsonb_build_object('Version', v, 'Statement', '[
	{"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "arn:aws:dynamodb:*:*:table/numbers", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["1", "x"]}}},
	{"Effect": "Deny", "Action": "dynamodb:Scan", "Resource": "arn:aws:dynamodb:*:*:table/numbers", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}},
	{"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "arn:aws:dynamodb:*:*:table/indexed", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}]'::jsonb), 'regress_iam_alice')
WHERE kind <> 'note' AND line !~ 'USAGE' ORDER BY v, statement;
SELECT dynamo.iam_policy_to_sql('{"Statement": [{"Effect": "Allow", "Action": [], "NotAction": "*", "Resource": "*"}]}', 'regress_iam_alice');
-- all policies of a role: a Deny of one overrides an Allow of another that follows, and numbers go on; each has its version
SELECT statement, kind, line FROM dynamo.iam_policy_to_sql('[
	{"Statement": {"Effect": "Deny", "Action": "dynamodb:PutItem", "Resource": "arn:aws:dynamodb:*:*:table/other"}},
	{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:PutItem"], "Resource": "arn:aws:dynamodb:*:*:table/other"},
		{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/game", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}]},
	{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/game", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}}]', 'regress_iam_alice')
WHERE kind = 'sql';
SELECT * FROM dynamo.iam_policy_to_sql('[]', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('["x"]', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('[[]]', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('"x"', 'regress_iam_alice');
SELECT dynamo.iam_policy_to_sql('[{"Statement": []}, {}]', 'regress_iam_alice');

SET client_min_messages = warning;
DROP SCHEMA t_iam CASCADE;
DROP ROLE regress_iam_alice, "regress iam ""bob""", "regress_iam""; DROP TABLE victim; --";
