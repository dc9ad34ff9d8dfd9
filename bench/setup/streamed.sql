-- 50,000 orders in three dynamo tables: with a stream, with the outbox an expert
-- writes as a trigger in PL/pgSQL, with nothing.  A consumer of the outbox needs
-- the transaction id to know what is settled.
SELECT dynamo.create_table(name, partition_key => 'PK', sort_key => 'SK')
FROM unnest('{streamed,outboxed,unstreamed}'::text[]) name;

CREATE TABLE outbox (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
	event text NOT NULL, pk text NOT NULL, sk text NOT NULL,
	old_item dynamo.item, new_item dynamo.item);
CREATE FUNCTION write_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO outbox (event, pk, sk, new_item) VALUES ('INSERT', NEW."PK", NEW."SK", NEW.item);
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO outbox (event, pk, sk, old_item) VALUES ('REMOVE', OLD."PK", OLD."SK", OLD.item);
	ELSIF OLD.item <> NEW.item THEN
		INSERT INTO outbox (event, pk, sk, old_item, new_item) VALUES ('MODIFY', NEW."PK", NEW."SK", OLD.item, NEW.item);
	END IF;
	RETURN NULL;
END $$;

CREATE TABLE stream_source AS SELECT bench_order(i)::dynamo.item AS item FROM generate_series(1, 50000) i;
INSERT INTO streamed (item) SELECT item FROM stream_source;
INSERT INTO outboxed (item) SELECT item FROM stream_source;
INSERT INTO unstreamed (item) SELECT item FROM stream_source;
SELECT dynamo.enable_stream('streamed');
CREATE TRIGGER outbox AFTER INSERT OR UPDATE OR DELETE ON outboxed FOR EACH ROW EXECUTE FUNCTION write_outbox();

-- every item in two states, so that each put changes something
CREATE TABLE stream_sample AS
SELECT turn, dynamo.set_attribute(item, 'turn', dynamo.to_value(turn))::text AS item
FROM (SELECT item FROM stream_source ORDER BY random() LIMIT 10000) s, generate_series(1, 2) turn
ORDER BY turn;
VACUUM ANALYZE;
