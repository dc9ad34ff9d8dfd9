-- Definitions are arguments of triggers, which any user can write: none of them gives
-- away or removes another user's objects, or stops the server
CREATE SCHEMA t_planted;
SET search_path = t_planted, dynamo;
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE ROLE plant_thief;
CREATE ROLE plant_victim;
GRANT USAGE, CREATE ON SCHEMA t_planted TO plant_thief, plant_victim;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO plant_thief', current_database()); END $$;

SET ROLE plant_victim;
SELECT create_table('shop', 'PK', 'SK');
SELECT put_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "b"}, "card": {"S": "4111"}}');
CREATE INDEX shop_card ON shop ((item ->> 'card'));
SET ROLE plant_thief;
CREATE FUNCTION plant(table_name text, relation text, storage text, shards text DEFAULT '0') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
		table_name, format('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "S", "column": "SK"}],
			"partition": ["PK"], "sort": ["SK"], "indexes": [{"name": "GSI", "local": false, "partition": ["PK"], "sort": ["SK"], "projection": "ALL",
			"non_key_attributes": [], "storage": %s, "shards": %s, "relation": %s, "status": "ACTIVE"}]}',
			to_json(storage), shards, to_json(relation)));
END $$;

-- an index table that is another user's table: not read with its owner's rights
CREATE TABLE bait ("PK" text COLLATE "C", "SK" text COLLATE "C", item item NOT NULL, PRIMARY KEY ("PK", "SK"));
CREATE TRIGGER maintain_indexes AFTER INSERT OR UPDATE OR DELETE ON bait
	FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
SELECT plant('bait', 'shop', 'table');
SELECT query('bait', 'PK = :a', '{":a": {"S": "a"}}', index_name => 'GSI');
SELECT scan('bait', index_name => 'GSI');
ALTER TABLE bait ENABLE ROW LEVEL SECURITY;
SELECT scan('bait', index_name => 'GSI');
ALTER TABLE bait DISABLE ROW LEVEL SECURITY;

-- not dropped or truncated either, when a superuser drops or truncates the table
RESET ROLE;
SELECT reindex('bait', 'GSI');
SELECT drop_index('bait', 'GSI');
SET ROLE plant_thief;
SELECT plant('bait', 'shop_card', 'inline');
RESET ROLE;
SELECT reindex('bait', 'GSI');
SELECT drop_index('bait', 'GSI');
SET ROLE plant_thief;
SELECT plant('bait', 'shop_card', 'inline');
SELECT query('bait', 'PK = :a', '{":a": {"S": "a"}}', index_name => 'GSI');
SELECT plant('bait', 'shop', 'table');
RESET ROLE;
SELECT drop_table('bait');
SELECT count(*), to_regclass('shop_card') FROM shop;

-- columns of other types, and nulls
SET ROLE plant_thief;
CREATE TABLE bait ("PK" text COLLATE "C", "SK" text COLLATE "C", item item NOT NULL, PRIMARY KEY ("PK", "SK"));
CREATE TRIGGER maintain_indexes AFTER INSERT OR UPDATE OR DELETE ON bait
	FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE TABLE wrong ("PK" text COLLATE "C", "SK" text COLLATE "C", item bigint NOT NULL, PRIMARY KEY ("PK", "SK"));
INSERT INTO wrong VALUES ('a', 'b', 42);
SELECT plant('bait', 'wrong', 'table');
SELECT query('bait', 'PK = :a', '{":a": {"S": "a"}}', index_name => 'GSI');
SELECT scan('bait', index_name => 'GSI');
ALTER TABLE wrong ALTER item DROP NOT NULL, ALTER item TYPE item USING NULL;
SELECT query('bait', 'PK = :a', '{":a": {"S": "a"}}', index_name => 'GSI');
ALTER TABLE bait ALTER item DROP NOT NULL;
CREATE TABLE nulls ("PK" text COLLATE "C", "SK" text COLLATE "C", item item NOT NULL);
SELECT plant('nulls', 'wrong', 'inline');

-- definitions that views cannot read
SELECT plant('bait', 'wrong', 'table', '1.5');
CREATE TABLE stream (a int);
CREATE TRIGGER guard BEFORE INSERT ON stream FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream(
	'{"table": "x", "label": "2026-01-01T00:00:00.000", "view": "KEYS_ONLY", "partition": "p", "closed": 5}');
CREATE SCHEMA t_planted_2
	CREATE TABLE bait (item item NOT NULL)
	CREATE TRIGGER derive_keys BEFORE INSERT ON bait FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('no JSON');
SELECT index_name, local, shards FROM indexes WHERE schema_name LIKE 't\_planted%';
SELECT enabled_at, disabled_at FROM streams WHERE schema_name LIKE 't\_planted%';

-- a reference without a definition
SELECT create_table('one', 'PK');
SELECT create_table('other', 'PK');
CREATE CONSTRAINT TRIGGER referenced AFTER DELETE ON one FROM other
	FOR EACH ROW EXECUTE FUNCTION dynamo_system.check_referenced();
CREATE TRIGGER truncated AFTER TRUNCATE ON one FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.check_referenced();
TRUNCATE one, other;

-- a reference is checked for all items, even if row security is forced on the owner
SELECT put_item('one', '{"PK": {"S": "a"}, "other": {"S": "nobody"}}');
ALTER TABLE one ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT add_reference('one', 'other_key', '{"PK": "{other}"}', referenced_table => 'other');

-- an expression in a partition key would run as the user who looks up partitions
SET ROLE plant_thief;
CREATE TABLE by_expression ("PK" text COLLATE "C" NOT NULL, "SK" text COLLATE "C" NOT NULL, item item NOT NULL) PARTITION BY LIST ((left("PK", 1)));
SELECT plant('by_expression', 'gone', 'inline');
RESET ROLE;

-- statements of a superuser on the thief's tables do not affect the victim's tables
SET ROLE plant_victim;
CREATE TABLE precious (a int);
INSERT INTO precious VALUES (1);
SELECT create_table('till', 'PK', 'SK');
SELECT enable_stream('till') AS label \gset
SELECT create_table('kept', 'PK', 'SK');
GRANT TRIGGER ON kept TO plant_thief;
CREATE TRIGGER links_referenced AFTER UPDATE ON kept EXECUTE FUNCTION dynamo_system.entity_view_write();
SET ROLE plant_thief;
SELECT create_table('claim', 'PK', 'SK');
SELECT plant('claim', 'precious', 'table');
CREATE TRIGGER "!dynamo_capture_changes" AFTER INSERT OR DELETE OR UPDATE ON claim FOR EACH ROW
	EXECUTE FUNCTION dynamo_system.capture_changes('till$stream', 'KEYS_ONLY', :'label');
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE CONSTRAINT TRIGGER links AFTER INSERT ON claim FROM kept FOR EACH ROW EXECUTE FUNCTION nothing('{}');
RESET ROLE;
SELECT describe_table('claim') #>> '{global_secondary_indexes,0,index_size_bytes}' AS size_of_precious;
SELECT change_index('claim', 'GSI', projection => 'KEYS_ONLY');
SELECT change_index('claim', 'GSI', storage => 'inline');
SELECT reshard_index('claim', 'GSI', 2);
SELECT disable_stream('claim');
SELECT drop_constraint('claim', 'links');
SET ROLE plant_thief;
SELECT plant('claim', 'precious', 'table');
RESET ROLE;
ALTER TABLE claim OWNER TO CURRENT_USER;
SELECT c.relname, c.relowner::regrole, t.tgname FROM pg_class c LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname LIKE 'links%'
WHERE c.relnamespace = 't_planted'::regnamespace AND c.relname IN ('precious', 'kept', 'till$stream') ORDER BY 1;
SELECT stream_relation, status FROM streams WHERE schema_name = 't_planted';
DROP TABLE precious;
GRANT SELECT ON claim TO plant_victim;
SET ROLE plant_victim;
SELECT create_entity_view('watched', 'claim', '{"a": "text"}');
RESET ROLE;
SELECT drop_table('claim');
DROP VIEW watched;
SELECT drop_table('claim');

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_planted CASCADE;
DROP OWNED BY plant_thief;
DROP ROLE plant_thief;
DROP ROLE plant_victim;
