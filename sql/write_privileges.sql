-- Writing: privileges, row security, read-only transactions
CREATE SCHEMA t_priv;
SET search_path = t_priv, dynamo;
CREATE ROLE regress_dynamo_writer;
GRANT USAGE ON SCHEMA t_priv TO regress_dynamo_writer;
SELECT dynamo.create_table('docs', partition_key => 'id');
INSERT INTO docs (item) VALUES (jsonb_build_object('id', 'a', 'n', 1));

CREATE PROCEDURE run(statements text[]) LANGUAGE plpgsql AS $$
DECLARE
	setting text;
	statement text;
	result dynamo.item;
BEGIN
	FOREACH setting IN ARRAY ARRAY['on', 'off'] LOOP
		PERFORM set_config('dynamo.direct_access', setting, false);
		FOREACH statement IN ARRAY statements LOOP
			BEGIN
				EXECUTE statement INTO result;
				RAISE NOTICE '% => %', setting, result;
			EXCEPTION WHEN OTHERS THEN
				RAISE NOTICE '% ERROR % %', setting, SQLSTATE, SQLERRM;
			END;
		END LOOP;
	END LOOP;
	RESET dynamo.direct_access;
END $$;
CREATE PROCEDURE all_operations() LANGUAGE sql AS $$
	CALL t_priv.run(ARRAY[
	'SELECT dynamo.get_item(''docs'', jsonb_build_object(''id'', ''a''))',
	'SELECT dynamo.put_item(''docs'', jsonb_build_object(''id'', ''a'', ''n'', 1))',
	'SELECT dynamo.update_item(''docs'', jsonb_build_object(''id'', ''b''), ''ADD n :n'', NULL, jsonb_build_object('':n'', 1))',
	'SELECT dynamo.delete_item(''docs'', jsonb_build_object(''id'', ''b''))'])
$$;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA t_priv TO regress_dynamo_writer;

-- no privileges, then one after another
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;
GRANT SELECT ON docs TO regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;
GRANT DELETE ON docs TO regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;
GRANT INSERT ON docs TO regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;
GRANT UPDATE ON docs TO regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;

-- column privileges: key and item for reading and inserting, item for updating
REVOKE ALL ON docs FROM regress_dynamo_writer;
GRANT SELECT (id, item), INSERT (id, item), UPDATE (item) ON docs TO regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;
REVOKE UPDATE (item) ON docs FROM regress_dynamo_writer;
SET ROLE regress_dynamo_writer;
CALL all_operations();
RESET ROLE;

-- row security
GRANT ALL ON docs TO regress_dynamo_writer;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON docs TO regress_dynamo_writer USING (item ->> 'owner' = current_user);
DELETE FROM docs WHERE id <> 'a';
SET ROLE regress_dynamo_writer;
CALL run(ARRAY[
	$$SELECT dynamo.get_item('docs', jsonb_build_object('id', 'a'))$$,
	$$SELECT dynamo.delete_item('docs', jsonb_build_object('id', 'a'), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.put_item('docs', jsonb_build_object('id', 'a', 'owner', current_user))$$,
	$$SELECT dynamo.put_item('docs', jsonb_build_object('id', 'mine', 'owner', 'somebody'))$$,
	$$SELECT dynamo.put_item('docs', jsonb_build_object('id', 'mine', 'owner', current_user))$$,
	$$SELECT dynamo.get_item('docs', jsonb_build_object('id', 'mine'))$$,
	$$SELECT dynamo.update_item('docs', jsonb_build_object('id', 'mine'), 'SET #o = :o', NULL, jsonb_build_object(':o', 'other'), '{"#o": "owner"}')$$,
	$$SELECT dynamo.delete_item('docs', jsonb_build_object('id', 'mine'), return_values => 'ALL_OLD')$$]);
RESET ROLE;
SELECT item FROM docs;

-- the policy does not apply to the owner
CALL run(ARRAY[$$SELECT dynamo.put_item('docs', jsonb_build_object('id', 'a'), return_values => 'ALL_OLD')$$]);

-- read-only transactions
BEGIN READ ONLY;
CALL all_operations();
COMMIT;

SET client_min_messages = warning;
DROP SCHEMA t_priv CASCADE;
DROP ROLE regress_dynamo_writer;
