-- UPDATE of an entity view is one of its table, if nothing but the view's own trigger takes part
SELECT set_config('search_path', 'public, dynamo', false) \g /dev/null
SELECT create_table('vu_direct', 'PK', sort_key => 'SK') \g /dev/null
SELECT create_table('vu_trigger', 'PK', sort_key => 'SK') \g /dev/null
CREATE FUNCTION vu_none() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
DO $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['vu_direct', 'vu_trigger'] LOOP
		PERFORM create_entity(t, 'order', '{"PK": "C#{c}", "SK": "O#{n:04}"}',
			'{"c": "text", "n": "int", "total": "numeric", "note": "text", "day": "date", "tags": "text[]", "vip": "boolean"}',
			type_attribute => 'kind', view_name => t || '_v');
		EXECUTE format('INSERT INTO %I_v (c, n, total, note, day, vip) SELECT ''c'' || i %% 3, i, i * 1.50, ''n'' || i, date ''2026-01-01'' + i, i %% 2 = 0 FROM generate_series(1, 9) i', t);
		EXECUTE format($q$INSERT INTO %I (item) VALUES ('{"kind": {"S": "order"}, "c": {"S": "odd"}, "n": {"N": "1"}, "total": {"S": "12.50"}, "note": {"NULL": true}, "tags": {"SS": ["a", "b"]}, "hidden": {"L": []}}'),
			('{"kind": {"S": "order"}, "c": {"S": "odd"}, "n": {"N": "2"}, "total": {"S": "many"}, "vip": {"S": "perhaps"}}'), ('{"PK": {"S": "other"}, "SK": {"S": "x"}}')$q$, t);
	END LOOP;
END $$;
-- row security, which a superuser bypasses, so that the trigger is called
ALTER TABLE vu_trigger ENABLE ROW LEVEL SECURITY;
EXPLAIN (COSTS OFF) UPDATE vu_direct_v SET total = 1 WHERE c = 'c1' AND n = 4;
EXPLAIN (COSTS OFF) UPDATE vu_trigger_v SET total = 1 WHERE c = 'c1' AND n = 4;

-- both ways change items alike, and fail alike
CREATE FUNCTION vu_both(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text[];
	told text;
	n bigint;
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['vu_direct', 'vu_trigger'] LOOP
		BEGIN
			EXECUTE replace(statement, 'THE_VIEW', t || '_v');
			GET DIAGNOSTICS n = ROW_COUNT;
			told := n || ' rows';
		EXCEPTION WHEN OTHERS THEN
			told := replace(replace(SQLERRM, t || '_v', 'THE_VIEW'), t, 'the table');
		END;
		result := result || told;
	END LOOP;
	IF result[1] <> result[2] THEN
		RETURN 'DIFFERENT: ' || result[1] || ' / ' || result[2];
	END IF;
	IF EXISTS ((TABLE vu_direct EXCEPT TABLE vu_trigger) UNION ALL (TABLE vu_trigger EXCEPT TABLE vu_direct)) THEN
		RETURN 'DIFFERENT ITEMS';
	END IF;
	RETURN result[1];
END $$;
SELECT statement, vu_both(statement) FROM (VALUES
	(1, 'UPDATE THE_VIEW SET total = total + 1 WHERE c = ''c1'''),
	(2, 'UPDATE THE_VIEW SET note = NULL'),
	(3, 'UPDATE THE_VIEW SET total = 12.50, note = NULL WHERE c = ''odd'' AND n = 1'),
	(4, 'UPDATE THE_VIEW SET total = 12.5 WHERE c = ''odd'' AND n = 1'),
	(5, 'UPDATE THE_VIEW SET tags = ''{b,c,c}'' WHERE c = ''odd'''),
	(6, 'UPDATE THE_VIEW SET tags = ''{b,c}'' WHERE c = ''odd'''),
	(7, 'UPDATE THE_VIEW SET tags[2] = ''d'' WHERE c = ''odd'' AND n = 1'),
	(8, 'UPDATE THE_VIEW SET n = n + 100 WHERE c = ''c2'''),
	(9, 'UPDATE THE_VIEW SET n = 12345 WHERE c = ''c0'''),
	(10, 'UPDATE THE_VIEW SET c = NULL WHERE c = ''c0'''),
	(11, 'UPDATE THE_VIEW SET "SK" = ''O#0001'' WHERE c = ''c0'''),
	(12, 'UPDATE THE_VIEW SET c = ''c0'', n = 3 WHERE c = ''c1'''),
	(13, 'UPDATE THE_VIEW SET total = total + 1 WHERE n = 2'),
	(14, 'UPDATE THE_VIEW SET total = 3 WHERE n = 2'),
	(15, 'UPDATE THE_VIEW SET vip = NULL WHERE n = 2'),
	(16, 'UPDATE THE_VIEW SET vip = note IS NULL, note = c || n, day = day + 1 WHERE day > ''2026-01-04'''),
	(17, 'UPDATE THE_VIEW v SET note = x.t FROM (VALUES (1, ''one''), (4, ''four'')) x(i, t) WHERE v.n = x.i'),
	(18, 'UPDATE THE_VIEW SET note = (SELECT max(i.note) FROM THE_VIEW i WHERE i.c = THE_VIEW.c)'),
	(19, 'UPDATE THE_VIEW SET (note, total) = (SELECT ''both'', 7) WHERE n = 3'),
	(20, 'UPDATE THE_VIEW SET note = DEFAULT WHERE n = 3'),
	(21, 'WITH w AS (UPDATE THE_VIEW SET note = ''with'' WHERE n = 4 RETURNING n) UPDATE THE_VIEW v SET note = ''joined'' FROM w WHERE v.n = w.n + 2'),
	(22, 'UPDATE THE_VIEW SET note = repeat(''x'', 500000) WHERE n = 4'),
	(23, 'UPDATE THE_VIEW SET note = ''none'' WHERE false')) s(i, statement) ORDER BY i;
SELECT item FROM vu_direct ORDER BY "PK", "SK";

-- RETURNING shows what is stored
UPDATE vu_direct_v SET n = 104, note = 'moved', total = 2.50 WHERE c = 'c1' AND n = 4 RETURNING *;
UPDATE vu_direct_v v SET note = x.t FROM (VALUES (1, 'one')) x(i, t) WHERE v.n = x.i AND v.c = 'c1' RETURNING v, x.t, (SELECT count(*) FROM vu_direct_v i WHERE i.n = v.n);
PREPARE vu_set AS UPDATE vu_direct_v SET total = $3 WHERE c = $1 AND n = $2 RETURNING total, "SK";
EXECUTE vu_set('c1', 1, 1);
EXECUTE vu_set('c1', 104, NULL);
DEALLOCATE vu_set;

-- statements that the trigger executes
CREATE FUNCTION vu_updates(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN plan #>> '{0,Plan,Relation Name}';
END $$;
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS plain,
	vu_updates('UPDATE vu_direct_v SET (note, total) = (SELECT ''a'', 1)') AS multiple;
CREATE VIEW vu_upper AS SELECT c, n, note FROM vu_direct_v WHERE n < 5;
CREATE VIEW vu_checked AS SELECT c, n, note FROM vu_direct_v WHERE n < 5 WITH CHECK OPTION;
SELECT vu_updates('UPDATE vu_upper SET note = ''a''') AS upper, vu_updates('UPDATE vu_checked SET note = ''a''') AS checked;
UPDATE vu_upper SET note = 'upper' WHERE c = 'c1' RETURNING *;
ALTER VIEW vu_direct_v SET (security_invoker = false);
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS of_owner;
ALTER VIEW vu_direct_v SET (security_invoker = true, security_barrier = true);
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS barrier;
ALTER VIEW vu_direct_v RESET (security_barrier);
ALTER TABLE vu_direct ENABLE ROW LEVEL SECURITY;
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS row_security;
ALTER TABLE vu_direct DISABLE ROW LEVEL SECURITY;
CREATE RULE vu_rule AS ON UPDATE TO vu_direct DO ALSO NOTIFY vu;
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS rule;
DROP RULE vu_rule ON vu_direct;
ALTER TABLE vu_direct ADD made int GENERATED ALWAYS AS (octet_length("PK")) STORED;
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS generated;
ALTER TABLE vu_direct DROP made;
CREATE TRIGGER vu_other AFTER UPDATE ON vu_direct_v EXECUTE FUNCTION vu_none();
SELECT vu_updates('UPDATE vu_direct_v SET note = ''a''') AS other_trigger;
DROP TRIGGER vu_other ON vu_direct_v;

-- more columns than the call of a function can have
SELECT create_table('vu_wide', 'PK') \g /dev/null
SELECT create_entity('vu_wide', 'wide', '{"PK": "W#{c}"}', (SELECT json_object_agg(CASE i WHEN 0 THEN 'c' ELSE 'a' || i END, 'int') FROM generate_series(0, 33) i), view_name => 'vu_wide_v') \g /dev/null
INSERT INTO vu_wide_v (c) VALUES (1);
SELECT n, vu_updates((SELECT format('UPDATE vu_wide_v SET %s', string_agg(format('a%s = %s', i, i), ', ')) FROM generate_series(1, n) i)) FROM generate_series(32, 33) n;
SELECT format('UPDATE vu_wide_v SET %s RETURNING a1, a33', string_agg(format('a%s = %s', i, i), ', ')) FROM generate_series(1, 33) i \gexec

-- the table's rights count, and those of its column item
CREATE ROLE regress_vu;
GRANT SELECT, UPDATE ON vu_direct_v TO regress_vu;
GRANT SELECT ON vu_direct TO regress_vu;
SET ROLE regress_vu;
UPDATE vu_direct_v SET note = 'mine' WHERE c = 'c1';
RESET ROLE;
GRANT UPDATE ("PK") ON vu_direct TO regress_vu;
SET ROLE regress_vu;
UPDATE vu_direct_v SET note = 'mine' WHERE c = 'c1';
RESET ROLE;
GRANT UPDATE (item) ON vu_direct TO regress_vu;
REVOKE UPDATE ON vu_direct_v FROM regress_vu;
GRANT UPDATE (note) ON vu_direct_v TO regress_vu;
SET ROLE regress_vu;
UPDATE vu_direct_v SET note = 'mine' WHERE c = 'c1' AND n = 1 RETURNING note;
UPDATE vu_direct_v SET total = 1 WHERE c = 'c1' AND n = 1;
RESET ROLE;

-- a row that is joined to several
INSERT INTO vu_direct_v (c, n) VALUES ('joined', 1);
INSERT INTO vu_trigger_v (c, n) VALUES ('joined', 1);
UPDATE vu_direct_v v SET note = j.note FROM (VALUES ('x'), ('y')) j(note) WHERE c = 'joined' RETURNING v.note IN ('x', 'y') AS one_of_them;
UPDATE vu_trigger_v v SET note = j.note FROM (VALUES ('x'), ('y')) j(note) WHERE c = 'joined';

-- the function checks its arguments
SELECT dynamo_internal.set_columns('vu_direct_v'::regclass, 'vu_direct'::regclass, 'order', item, 'note'::text, 'a'::text) FROM vu_direct LIMIT 1;
SELECT dynamo_internal.set_columns('vu_direct_v'::regclass, 'vu_direct'::regclass, 'order', item, 'note'::text, 'a'::text, 1) FROM vu_direct LIMIT 1;
SELECT dynamo_internal.set_columns('vu_direct_v'::regclass, 'vu_direct_v'::regclass, 'order', item, 'note'::text, 'a'::text, 'b'::text) FROM vu_direct LIMIT 1;
SELECT dynamo_internal.set_columns('vu_direct_v'::regclass, 'vu_direct'::regclass, 'order', item, VARIADIC ARRAY['a', 'b', 'c']) FROM vu_direct LIMIT 1;

DROP VIEW vu_upper, vu_checked;
SELECT drop_table('vu_direct'), drop_table('vu_trigger'), drop_table('vu_wide') \g /dev/null
DROP FUNCTION vu_none, vu_both, vu_updates;
DROP ROLE regress_vu;
