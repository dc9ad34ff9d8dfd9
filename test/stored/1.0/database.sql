SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA dynamo;
CREATE EXTENSION IF NOT EXISTS dynamo WITH SCHEMA dynamo;
COMMENT ON EXTENSION dynamo IS 'DynamoDB single-table design: items, expressions, secondary indexes and requests';
CREATE FUNCTION public.orders_of_customer(cid text, first integer) RETURNS SETOF dynamo.item
    LANGUAGE sql STABLE ROWS 10 PARALLEL RESTRICTED
    AS $_$/* dynamo access pattern {"arguments": {"M": {"entities": {"S": "{order}"}, "key_condition": {"S": "cid = :cid AND oid >= :first"}, "scan_index_forward": {"S": "t"}}}, "basis": {"S": "{\"keys\": [{\"known\": \"2\", \"whole\": true, \"attribute\": \"PK\"}, {\"known\": \"1\", \"attribute\": \"SK\"}], \"pattern\": \"orders_of_customer\", \"entities\": [{\"name\": \"order\", \"value\": \"order\", \"attribute\": \"kind\", \"templates\": {\"PK\": \"C#{cid}\", \"SK\": \"O#{oid:04}\"}}]}"}, "condition": {"S": "cid = :cid AND oid >= :first"}, "entities": {"L": [{"S": "order"}]}, "keys": {"L": [{"M": {"attribute": {"S": "PK"}, "operator": {"S": "="}, "values": {"L": [{"M": {"comparison": {"S": "="}, "parameters": {"L": [{"S": "cid"}]}, "parts": {"L": [{"S": "cid"}]}, "template": {"S": "C#{cid}"}}}]}}}, {"M": {"attribute": {"S": "SK"}, "operator": {"S": "BETWEEN"}, "values": {"L": [{"M": {"comparison": {"S": ">="}, "parameters": {"L": [{"S": "first"}]}, "parts": {"L": [{"S": "oid"}]}, "template": {"S": "O#{oid:04}"}}}, {"M": {"comparison": {"S": "<="}, "parameters": {"L": [{"S": ""}]}, "parts": {"L": [{"S": "oid"}]}, "template": {"S": "O#{oid:04}"}}}]}}}]}, "order": {"S": "forward"}, "parameters": {"L": [{"M": {"name": {"S": "cid"}, "type": {"S": "pg_catalog.text"}}}, {"M": {"name": {"S": "first"}, "type": {"S": "integer"}}}]}, "relation": {"S": "public.tab"}, "returns": {"S": "items"}, "sum": {"S": "564874ac"}, "table": {"S": "public.tab"}} */
SELECT dynamo.query('public.tab'::pg_catalog.regclass, '#_k0 = :_k0 AND #_k1 BETWEEN :_k1 AND :_k1b'::pg_catalog.text, dynamo.build_item(':_k0'::pg_catalog.text, dynamo_system.pattern_key('='::pg_catalog.text, 'C#{cid}'::pg_catalog.text, 'cid'::pg_catalog.text, $1), ':_k1'::pg_catalog.text, dynamo_system.pattern_key('>='::pg_catalog.text, 'O#{oid:04}'::pg_catalog.text, 'oid'::pg_catalog.text, $2), ':_k1b'::pg_catalog.text, dynamo_system.pattern_key('<='::pg_catalog.text, 'O#{oid:04}'::pg_catalog.text, 'oid'::pg_catalog.text, NULL::pg_catalog.text)), '{"#_k0": "PK", "#_k1": "SK"}'::pg_catalog.jsonb, NULL::pg_catalog.text, true, NULL::pg_catalog.int4, NULL::dynamo.item, NULL::pg_catalog.text, NULL::pg_catalog.text) WHERE dynamo_system.pattern_holds('public.tab'::pg_catalog.regclass, '{"keys": [{"known": "2", "whole": true, "attribute": "PK"}, {"known": "1", "attribute": "SK"}], "pattern": "orders_of_customer", "entities": [{"name": "order", "value": "order", "attribute": "kind", "templates": {"PK": "C#{cid}", "SK": "O#{oid:04}"}}]}'::pg_catalog.text) AND dynamo_system.pattern_key('='::pg_catalog.text, 'C#{cid}'::pg_catalog.text, 'cid'::pg_catalog.text, $1) IS NOT NULL AND dynamo_system.pattern_key('>='::pg_catalog.text, 'O#{oid:04}'::pg_catalog.text, 'oid'::pg_catalog.text, $2) IS NOT NULL AND dynamo_system.pattern_key('<='::pg_catalog.text, 'O#{oid:04}'::pg_catalog.text, 'oid'::pg_catalog.text, NULL::pg_catalog.text) IS NOT NULL$_$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.tab (
    "PK" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL,
    "G" text COLLATE pg_catalog."C",
    dynamo_expires_at bigint
)
WITH (fillfactor='90');
CREATE VIEW public.customers WITH (security_invoker='true') AS
 SELECT t."PK",
    t."SK",
    COALESCE((t.item OPERATOR(dynamo.->>) 'cid'::text), (dynamo.parse_key(t."PK", 'C#{cid}'::text) OPERATOR(dynamo.->>) 'cid'::text)) AS cid,
    (t.item OPERATOR(dynamo.->>) 'name'::text) AS name,
    (t.item OPERATOR(dynamo.->>) 'email'::text) AS email
   FROM public.tab t
  WHERE dynamo_system.entity_filter(t.tableoid, 'customer'::text, t.item, 'cid'::text, COALESCE((t.item OPERATOR(dynamo.->>) 'cid'::text), (dynamo.parse_key(t."PK", 'C#{cid}'::text) OPERATOR(dynamo.->>) 'cid'::text)));
CREATE VIEW public.orders WITH (security_invoker='true') AS
 SELECT t."PK",
    t."SK",
    COALESCE((t.item OPERATOR(dynamo.->>) 'cid'::text), (dynamo.parse_key(t."PK", 'C#{cid}'::text) OPERATOR(dynamo.->>) 'cid'::text)) AS cid,
    dynamo_system.typed_attribute(t.tableoid, t.item, 'oid'::text, NULL::integer, '-1'::integer, COALESCE((t.item OPERATOR(dynamo.->>) 'oid'::text), (dynamo.parse_key(t."SK", 'O#{oid:04}'::text) OPERATOR(dynamo.->>) 'oid'::text))) AS oid,
    (t.item OPERATOR(dynamo.->>) 'state'::text) AS state,
    dynamo_system.typed_attribute(t.tableoid, t.item, 'amount'::text, NULL::numeric, '-1'::integer) AS amount,
    (t.item OPERATOR(dynamo.->>) 'cname'::text) AS cname
   FROM public.tab t
  WHERE dynamo_system.entity_filter(t.tableoid, 'order'::text, t.item, 'cid'::text, COALESCE((t.item OPERATOR(dynamo.->>) 'cid'::text), (dynamo.parse_key(t."PK", 'C#{cid}'::text) OPERATOR(dynamo.->>) 'cid'::text)), 'oid'::text, dynamo_system.typed_attribute(t.tableoid, t.item, 'oid'::text, NULL::integer, '-1'::integer, COALESCE((t.item OPERATOR(dynamo.->>) 'oid'::text), (dynamo.parse_key(t."SK", 'O#{oid:04}'::text) OPERATOR(dynamo.->>) 'oid'::text))), 'state'::text, (t.item OPERATOR(dynamo.->>) 'state'::text));
CREATE TABLE public."tab$own" (
    "G" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    "PK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL
)
WITH (fillfactor='90');
CREATE TABLE public."tab$shd" (
    dynamo_shard integer NOT NULL,
    "G" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    "PK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL
)
PARTITION BY LIST (dynamo_shard);
CREATE TABLE public."tab$shd$0" (
    dynamo_shard integer NOT NULL,
    "G" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    "PK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL
)
WITH (fillfactor='90');
CREATE TABLE public."tab$shd$1" (
    dynamo_shard integer NOT NULL,
    "G" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    "PK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL
)
WITH (fillfactor='90');
CREATE TABLE public."tab$shd$2" (
    dynamo_shard integer NOT NULL,
    "G" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    "PK" text NOT NULL COLLATE pg_catalog."C",
    item dynamo.item NOT NULL
)
WITH (fillfactor='90');
CREATE TABLE public."tab$stream" (
    number bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    horizon xid8 NOT NULL,
    event "char" NOT NULL,
    keys dynamo.item,
    new_item dynamo.item,
    old_item dynamo.item
);
ALTER TABLE public."tab$stream" ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public."tab$stream_number_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public."tab$vec" (
    "PK" text NOT NULL COLLATE pg_catalog."C",
    "SK" text NOT NULL COLLATE pg_catalog."C",
    dynamo_vector real[] NOT NULL,
    item dynamo.item NOT NULL
)
WITH (fillfactor='100', toast_tuple_target='2032');
ALTER TABLE ONLY public."tab$vec" ALTER COLUMN dynamo_vector SET STATISTICS 0;
ALTER TABLE ONLY public."tab$vec" ALTER COLUMN dynamo_vector SET STORAGE MAIN;
ALTER TABLE ONLY public."tab$shd" ATTACH PARTITION public."tab$shd$0" FOR VALUES IN (0);
ALTER TABLE ONLY public."tab$shd" ATTACH PARTITION public."tab$shd$1" FOR VALUES IN (1);
ALTER TABLE ONLY public."tab$shd" ATTACH PARTITION public."tab$shd$2" FOR VALUES IN (2);
COPY dynamo_internal.archive_jobs (id, kind, status, owner, owner_role, owner_server, relation, source, moment, since, images, table_name, table_id, table_arn, arn, parameters, details, model, token, directory, bucket, prefix, format, compression, delimiter, header, expected, started, ended, items, processed, errors, bytes, failure_code, failure_message, filter, output_bucket, output_prefix, outputs, units, file, line, put_bytes, error_bytes, condition_bytes) FROM stdin;
01795870370398-23bb0937	backup	completed	postgres	10	7713204489119163808	18215	0	0	0	\N	tab	601b9d21-05ec-43eb-94c5-874df749faea	arn:aws:dynamodb:us-east-1:000000000000:table/tab	arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01795870370398-23bb0937	{"TableName": "tab", "BackupName": "kept"}	{"Creation":{"TableName":"tab","AttributeDefinitions":[{"AttributeName":"G","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"inl","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"own","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}},{"IndexName":"shd","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"VectorIndexes":[{"IndexName":"vec","VectorAttribute":{"AttributeName":"at"},"Dimensions":2,"DistanceFunction":"EUCLIDEAN","Projection":{"ProjectionType":"ALL"}}]},"TableCreationDateTime":1795870370.147,"SourceTableFeatureDetails":{"GlobalSecondaryIndexes":[{"IndexName":"inl","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"own","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}},{"IndexName":"shd","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"VectorIndexes":[{"IndexName":"vec","VectorAttribute":{"AttributeName":"at"},"Dimensions":2,"DistanceFunction":"EUCLIDEAN","Projection":{"ProjectionType":"ALL"}}],"StreamDescription":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"until"}},"Parts":{"options":[{"name":"fillfactor","value":"90"}],"indexes":[{"index_name":"own","storage":"table"},{"index_name":"shd","storage":"table","shards":3}],"views":[{"view_name":"customers","entity_name":"customer"},{"view_name":"orders","entity_name":"order"}],"access_patterns":[{"entities":"{order}","pattern_name":"orders_of_customer","key_condition":"cid = :cid AND oid >= :first","scan_index_forward":"t"}],"sql_indexes":[{"name":"one_email","unique":true,"definition":"USING btree (((item OPERATOR(dynamo.->) 'email'::text)))"},{"name":"ordered_by_key","unique":false,"definition":"USING btree (dynamo.render_key(item, 'C#{cid}'::text))"}],"omitted":["references"]}}	{"entities": [{"keys": [{"template": "C#{cid}", "attribute": "PK"}, {"template": "M", "attribute": "SK"}], "name": "customer", "type": {"value": "customer", "attribute": "kind"}, "applied": true, "attributes": [{"name": "cid", "type": "text", "holds": "S"}, {"name": "name", "type": "text", "holds": "S"}, {"name": "email", "type": "text", "holds": "S"}], "on_mismatch": "error"}, {"keys": [{"template": "G#{state}", "attribute": "G"}, {"template": "C#{cid}", "attribute": "PK"}, {"template": "O#{oid:04}", "attribute": "SK"}], "name": "order", "type": {"value": "order", "attribute": "kind"}, "applied": true, "attributes": [{"name": "cid", "type": "text", "holds": "S"}, {"name": "oid", "type": "int", "holds": "N"}, {"name": "state", "type": "text", "holds": "S"}, {"name": "amount", "type": "numeric", "holds": "N"}, {"name": "cname", "type": "text", "holds": "S"}], "check_types": true, "on_mismatch": "error"}], "copies": [{"name": "names", "child": "order", "parent": "customer", "attributes": {"cname": "name"}, "hidden_parent": "refuse"}, {"name": "sums", "parent": "customer", "child": "order", "totals": {"most": "max(amount)", "total": "sum(amount)", "orders": "count"}, "hidden_parent": "refuse"}]}	\N	ARCHIVE	.backups	\N	\N	\N	\N	\N	0	1795870370398227	1795870370473406	24	0	0	5632	\N	\N	\N	\N	\N	\N	0	\N	0	0	0	0
\.
COPY dynamo_internal.index_settings (table_id, index_name, read_capacity_units, write_capacity_units, increased_at, decreased_at, decreases, max_read_request_units, max_write_request_units, warm_read_units, warm_write_units) FROM stdin;
\.
COPY dynamo_internal.table_attachments (table_id, kind, name, value, changed_at) FROM stdin;
\.
COPY dynamo_internal.table_settings (table_id, relation, created_at, on_demand, on_demand_since, read_capacity_units, write_capacity_units, increased_at, decreased_at, decreases, max_read_request_units, max_write_request_units, warm_read_units, warm_write_units, stream_label, deletion_protection, table_class, table_class_changed_at, sse_type, sse_key, time_to_live_changed_at, recovery_period_days, recovery_since, recovery_stream) FROM stdin;
601b9d21-05ec-43eb-94c5-874df749faea	18215	2026-11-28 12:52:50.147354+00	t	2026-11-28 12:52:50.147354+00	0	0	\N	\N	0	0	0	0	0	2026-11-28T12:52:50.301	f	\N	\N	\N	\N	2026-11-28 12:52:50.273363+00	0	\N	\N
\.
COPY dynamo_internal.table_tags (table_id, tag_key, tag_value) FROM stdin;
601b9d21-05ec-43eb-94c5-874df749faea	stage	test
\.
COPY public.tab ("PK", "SK", item, "G", dynamo_expires_at) FROM stdin;
C#c2	O#0002	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0002"}, "amount": {"N": "2"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "2"}, "state": {"S": "s0"}}	G#s0	\N
C#c0	O#0003	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0003"}, "amount": {"N": "3"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "3"}, "state": {"S": "s1"}}	G#s1	\N
C#c2	O#0005	{"G": {"S": "G#s1"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0005"}, "amount": {"N": "5"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "5"}, "state": {"S": "s1"}}	G#s1	\N
C#c0	O#0006	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0006"}, "amount": {"N": "6"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "6"}, "state": {"S": "s0"}}	G#s0	\N
C#c2	O#0008	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0008"}, "amount": {"N": "8"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "8"}, "state": {"S": "s0"}}	G#s0	\N
C#c0	O#0009	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0009"}, "amount": {"N": "9"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "9"}, "state": {"S": "s1"}}	G#s1	\N
types	all	{"PK": {"S": "types"}, "SK": {"S": "all"}, "b": {"B": "AP8="}, "bs": {"BS": ["AA=="]}, "l": {"L": [{"M": {"deep": {"L": []}}}]}, "n": {"N": "-0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000015"}, "ns": {"NS": ["2", "10"]}, "s": {"S": "é"}, "ss": {"SS": ["a", "b"]}, "t": {"BOOL": true}, "z": {"NULL": true}}	\N	\N
C#c2	O#0010	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}, "amount": {"N": "10"}, "at": {"L": [{"N": "10"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "10"}, "state": {"S": "s0"}}	G#s0	\N
C#c3	O#0011	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}, "amount": {"N": "11"}, "at": {"L": [{"N": "11"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "11"}, "state": {"S": "s1"}}	G#s1	\N
C#c0	O#0012	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}, "amount": {"N": "12"}, "at": {"L": [{"N": "12"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "12"}, "state": {"S": "s0"}}	G#s0	\N
C#c2	O#0014	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}, "amount": {"N": "14"}, "at": {"L": [{"N": "14"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "14"}, "state": {"S": "s0"}}	G#s0	\N
C#c3	O#0015	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}, "amount": {"N": "15"}, "at": {"L": [{"N": "15"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "15"}, "state": {"S": "s1"}}	G#s1	\N
C#c0	O#0016	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}, "amount": {"N": "16"}, "at": {"L": [{"N": "16"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "16"}, "state": {"S": "s0"}}	G#s0	\N
C#c0	M	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}, "cid": {"S": "c0"}, "email": {"S": "0@x"}, "kind": {"S": "customer"}, "most": {"N": "16"}, "name": {"S": "Name 0"}, "orders": {"N": "5"}, "total": {"N": "46"}, "until": {"N": "9999999999"}}	\N	9999999999
C#c2	O#0018	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}, "amount": {"N": "18"}, "at": {"L": [{"N": "18"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "18"}, "state": {"S": "s0"}}	G#s0	\N
C#c2	M	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "18"}, "name": {"S": "Name 2"}, "orders": {"N": "6"}, "total": {"N": "57"}, "until": {"N": "9999999999"}}	\N	9999999999
C#c3	O#0019	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}, "amount": {"N": "19"}, "at": {"L": [{"N": "19"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "19"}, "state": {"S": "s1"}}	G#s1	\N
C#c3	M	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "19"}, "name": {"S": "Name 3"}, "orders": {"N": "3"}, "total": {"N": "45"}, "until": {"N": "9999999999"}}	\N	9999999999
C#c1	M	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "17"}, "name": {"S": "New"}, "orders": {"N": "5"}, "total": {"N": "42"}}	\N	\N
C#c1	O#0001	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}, "amount": {"N": "1"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "1"}, "state": {"S": "s1"}}	G#s1	\N
C#c1	O#0004	{"G": {"S": "G#s0"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}, "amount": {"N": "4"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "4"}, "state": {"S": "s0"}}	G#s0	\N
C#c1	O#0007	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}, "amount": {"N": "7"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "7"}, "state": {"S": "s1"}}	G#s1	\N
C#c1	O#0013	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "at": {"L": [{"N": "13"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}	G#s1	\N
C#c1	O#0017	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "at": {"L": [{"N": "17"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}	G#s1	\N
\.
COPY public."tab$own" ("G", "SK", "PK", item) FROM stdin;
G#s1	O#0001	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}}
G#s0	O#0002	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0002"}}
G#s1	O#0003	C#c0	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0003"}}
G#s0	O#0004	C#c1	{"G": {"S": "G#s0"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}}
G#s1	O#0005	C#c2	{"G": {"S": "G#s1"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0005"}}
G#s0	O#0006	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0006"}}
G#s1	O#0007	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}}
G#s0	O#0008	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0008"}}
G#s1	O#0009	C#c0	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0009"}}
G#s0	O#0010	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}}
G#s1	O#0011	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}}
G#s0	O#0012	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}}
G#s1	O#0013	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}}
G#s0	O#0014	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}}
G#s1	O#0015	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}}
G#s0	O#0016	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}}
G#s1	O#0017	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}}
G#s0	O#0018	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}}
G#s1	O#0019	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}}
\.
COPY public."tab$shd$0" (dynamo_shard, "G", "SK", "PK", item) FROM stdin;
0	G#s1	O#0005	C#c2	{"G": {"S": "G#s1"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0005"}, "amount": {"N": "5"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "5"}, "state": {"S": "s1"}}
0	G#s0	O#0008	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0008"}, "amount": {"N": "8"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "8"}, "state": {"S": "s0"}}
0	G#s0	O#0010	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}, "amount": {"N": "10"}, "at": {"L": [{"N": "10"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "10"}, "state": {"S": "s0"}}
0	G#s1	O#0011	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}, "amount": {"N": "11"}, "at": {"L": [{"N": "11"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "11"}, "state": {"S": "s1"}}
0	G#s0	O#0016	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}, "amount": {"N": "16"}, "at": {"L": [{"N": "16"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "16"}, "state": {"S": "s0"}}
0	G#s0	O#0018	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}, "amount": {"N": "18"}, "at": {"L": [{"N": "18"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "18"}, "state": {"S": "s0"}}
0	G#s1	O#0001	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}, "amount": {"N": "1"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "1"}, "state": {"S": "s1"}}
\.
COPY public."tab$shd$1" (dynamo_shard, "G", "SK", "PK", item) FROM stdin;
1	G#s0	O#0012	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}, "amount": {"N": "12"}, "at": {"L": [{"N": "12"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "12"}, "state": {"S": "s0"}}
1	G#s1	O#0015	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}, "amount": {"N": "15"}, "at": {"L": [{"N": "15"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "15"}, "state": {"S": "s1"}}
1	G#s1	O#0013	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "at": {"L": [{"N": "13"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}
\.
COPY public."tab$shd$2" (dynamo_shard, "G", "SK", "PK", item) FROM stdin;
2	G#s0	O#0002	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0002"}, "amount": {"N": "2"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "2"}, "state": {"S": "s0"}}
2	G#s1	O#0003	C#c0	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0003"}, "amount": {"N": "3"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "3"}, "state": {"S": "s1"}}
2	G#s0	O#0006	C#c0	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0006"}, "amount": {"N": "6"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "6"}, "state": {"S": "s0"}}
2	G#s1	O#0009	C#c0	{"G": {"S": "G#s1"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0009"}, "amount": {"N": "9"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "9"}, "state": {"S": "s1"}}
2	G#s0	O#0014	C#c2	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}, "amount": {"N": "14"}, "at": {"L": [{"N": "14"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "14"}, "state": {"S": "s0"}}
2	G#s1	O#0019	C#c3	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}, "amount": {"N": "19"}, "at": {"L": [{"N": "19"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "19"}, "state": {"S": "s1"}}
2	G#s0	O#0004	C#c1	{"G": {"S": "G#s0"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}, "amount": {"N": "4"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "4"}, "state": {"S": "s0"}}
2	G#s1	O#0007	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}, "amount": {"N": "7"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "7"}, "state": {"S": "s1"}}
2	G#s1	O#0017	C#c1	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "at": {"L": [{"N": "17"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}
\.
COPY public."tab$stream" (number, created_at, horizon, event, keys, new_item, old_item) FROM stdin;
1	2026-11-28 12:52:50.321054+00	748	I	{"PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}, "amount": {"N": "10"}, "at": {"L": [{"N": "10"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "10"}, "state": {"S": "s0"}}	\N
2	2026-11-28 12:52:50.321637+00	748	M	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "10"}, "name": {"S": "Name 2"}, "orders": {"N": "4"}, "total": {"N": "25"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "8"}, "name": {"S": "Name 2"}, "orders": {"N": "3"}, "total": {"N": "15"}, "until": {"N": "9999999999"}}
3	2026-11-28 12:52:50.321724+00	748	I	{"PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}, "amount": {"N": "11"}, "at": {"L": [{"N": "11"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "11"}, "state": {"S": "s1"}}	\N
4	2026-11-28 12:52:50.321798+00	748	M	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "11"}, "name": {"S": "Name 3"}, "orders": {"N": "1"}, "total": {"N": "11"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "name": {"S": "Name 3"}, "orders": {"N": "0"}, "total": {"N": "0"}, "until": {"N": "9999999999"}}
5	2026-11-28 12:52:50.321854+00	748	I	{"PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}, "amount": {"N": "12"}, "at": {"L": [{"N": "12"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "12"}, "state": {"S": "s0"}}	\N
6	2026-11-28 12:52:50.322013+00	748	M	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}, "cid": {"S": "c0"}, "email": {"S": "0@x"}, "kind": {"S": "customer"}, "most": {"N": "12"}, "name": {"S": "Name 0"}, "orders": {"N": "4"}, "total": {"N": "30"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}, "cid": {"S": "c0"}, "email": {"S": "0@x"}, "kind": {"S": "customer"}, "most": {"N": "9"}, "name": {"S": "Name 0"}, "orders": {"N": "3"}, "total": {"N": "18"}, "until": {"N": "9999999999"}}
7	2026-11-28 12:52:50.322067+00	748	I	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "at": {"L": [{"N": "13"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}	\N
8	2026-11-28 12:52:50.322121+00	748	M	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "13"}, "name": {"S": "Name 1"}, "orders": {"N": "4"}, "total": {"N": "25"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "7"}, "name": {"S": "Name 1"}, "orders": {"N": "3"}, "total": {"N": "12"}, "until": {"N": "9999999999"}}
9	2026-11-28 12:52:50.322168+00	748	I	{"PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}, "amount": {"N": "14"}, "at": {"L": [{"N": "14"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "14"}, "state": {"S": "s0"}}	\N
10	2026-11-28 12:52:50.322223+00	748	M	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "14"}, "name": {"S": "Name 2"}, "orders": {"N": "5"}, "total": {"N": "39"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "10"}, "name": {"S": "Name 2"}, "orders": {"N": "4"}, "total": {"N": "25"}, "until": {"N": "9999999999"}}
11	2026-11-28 12:52:50.322264+00	748	I	{"PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}, "amount": {"N": "15"}, "at": {"L": [{"N": "15"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "15"}, "state": {"S": "s1"}}	\N
12	2026-11-28 12:52:50.32231+00	748	M	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "15"}, "name": {"S": "Name 3"}, "orders": {"N": "2"}, "total": {"N": "26"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "11"}, "name": {"S": "Name 3"}, "orders": {"N": "1"}, "total": {"N": "11"}, "until": {"N": "9999999999"}}
13	2026-11-28 12:52:50.322355+00	748	I	{"PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}, "amount": {"N": "16"}, "at": {"L": [{"N": "16"}, {"N": "1"}]}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "16"}, "state": {"S": "s0"}}	\N
14	2026-11-28 12:52:50.3224+00	748	M	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}, "cid": {"S": "c0"}, "email": {"S": "0@x"}, "kind": {"S": "customer"}, "most": {"N": "16"}, "name": {"S": "Name 0"}, "orders": {"N": "5"}, "total": {"N": "46"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c0"}, "SK": {"S": "M"}, "cid": {"S": "c0"}, "email": {"S": "0@x"}, "kind": {"S": "customer"}, "most": {"N": "12"}, "name": {"S": "Name 0"}, "orders": {"N": "4"}, "total": {"N": "30"}, "until": {"N": "9999999999"}}
15	2026-11-28 12:52:50.322439+00	748	I	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "at": {"L": [{"N": "17"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}	\N
16	2026-11-28 12:52:50.322484+00	748	M	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "17"}, "name": {"S": "Name 1"}, "orders": {"N": "5"}, "total": {"N": "42"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "13"}, "name": {"S": "Name 1"}, "orders": {"N": "4"}, "total": {"N": "25"}, "until": {"N": "9999999999"}}
17	2026-11-28 12:52:50.322524+00	748	I	{"PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}, "amount": {"N": "18"}, "at": {"L": [{"N": "18"}, {"N": "1"}]}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "18"}, "state": {"S": "s0"}}	\N
18	2026-11-28 12:52:50.322568+00	748	M	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "18"}, "name": {"S": "Name 2"}, "orders": {"N": "6"}, "total": {"N": "57"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c2"}, "SK": {"S": "M"}, "cid": {"S": "c2"}, "email": {"S": "2@x"}, "kind": {"S": "customer"}, "most": {"N": "14"}, "name": {"S": "Name 2"}, "orders": {"N": "5"}, "total": {"N": "39"}, "until": {"N": "9999999999"}}
19	2026-11-28 12:52:50.322606+00	748	I	{"PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}, "amount": {"N": "19"}, "at": {"L": [{"N": "19"}, {"N": "1"}]}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "19"}, "state": {"S": "s1"}}	\N
20	2026-11-28 12:52:50.322652+00	748	M	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "19"}, "name": {"S": "Name 3"}, "orders": {"N": "3"}, "total": {"N": "45"}, "until": {"N": "9999999999"}}	{"PK": {"S": "C#c3"}, "SK": {"S": "M"}, "cid": {"S": "c3"}, "email": {"S": "3@x"}, "kind": {"S": "customer"}, "most": {"N": "15"}, "name": {"S": "Name 3"}, "orders": {"N": "2"}, "total": {"N": "26"}, "until": {"N": "9999999999"}}
21	2026-11-28 12:52:50.328711+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "17"}, "name": {"S": "New"}, "orders": {"N": "5"}, "total": {"N": "42"}}	{"PK": {"S": "C#c1"}, "SK": {"S": "M"}, "cid": {"S": "c1"}, "email": {"S": "1@x"}, "kind": {"S": "customer"}, "most": {"N": "17"}, "name": {"S": "Name 1"}, "orders": {"N": "5"}, "total": {"N": "42"}, "until": {"N": "9999999999"}}
22	2026-11-28 12:52:50.328823+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}, "amount": {"N": "1"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "1"}, "state": {"S": "s1"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0001"}, "amount": {"N": "1"}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "1"}, "state": {"S": "s1"}}
23	2026-11-28 12:52:50.328943+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}, "amount": {"N": "4"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "4"}, "state": {"S": "s0"}}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0004"}, "amount": {"N": "4"}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "4"}, "state": {"S": "s0"}}
24	2026-11-28 12:52:50.329017+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}, "amount": {"N": "7"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "7"}, "state": {"S": "s1"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0007"}, "amount": {"N": "7"}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "7"}, "state": {"S": "s1"}}
25	2026-11-28 12:52:50.329064+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "at": {"L": [{"N": "13"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "at": {"L": [{"N": "13"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}
26	2026-11-28 12:52:50.32915+00	749	M	{"PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "at": {"L": [{"N": "17"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "at": {"L": [{"N": "17"}, {"N": "1"}]}, "cid": {"S": "c1"}, "cname": {"S": "Name 1"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}
\.
COPY public."tab$vec" ("PK", "SK", dynamo_vector, item) FROM stdin;
C#c2	O#0010	{10,1}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}, "amount": {"N": "10"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "10"}, "state": {"S": "s0"}}
C#c3	O#0011	{11,1}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0011"}, "amount": {"N": "11"}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "11"}, "state": {"S": "s1"}}
C#c0	O#0012	{12,1}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0012"}, "amount": {"N": "12"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "12"}, "state": {"S": "s0"}}
C#c2	O#0014	{14,1}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0014"}, "amount": {"N": "14"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "14"}, "state": {"S": "s0"}}
C#c3	O#0015	{15,1}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0015"}, "amount": {"N": "15"}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "15"}, "state": {"S": "s1"}}
C#c0	O#0016	{16,1}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c0"}, "SK": {"S": "O#0016"}, "amount": {"N": "16"}, "cid": {"S": "c0"}, "cname": {"S": "Name 0"}, "kind": {"S": "order"}, "oid": {"N": "16"}, "state": {"S": "s0"}}
C#c2	O#0018	{18,1}	{"G": {"S": "G#s0"}, "PK": {"S": "C#c2"}, "SK": {"S": "O#0018"}, "amount": {"N": "18"}, "cid": {"S": "c2"}, "cname": {"S": "Name 2"}, "kind": {"S": "order"}, "oid": {"N": "18"}, "state": {"S": "s0"}}
C#c3	O#0019	{19,1}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c3"}, "SK": {"S": "O#0019"}, "amount": {"N": "19"}, "cid": {"S": "c3"}, "cname": {"S": "Name 3"}, "kind": {"S": "order"}, "oid": {"N": "19"}, "state": {"S": "s1"}}
C#c1	O#0013	{13,1}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0013"}, "amount": {"N": "13"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "13"}, "state": {"S": "s1"}}
C#c1	O#0017	{17,1}	{"G": {"S": "G#s1"}, "PK": {"S": "C#c1"}, "SK": {"S": "O#0017"}, "amount": {"N": "17"}, "cid": {"S": "c1"}, "cname": {"S": "New"}, "kind": {"S": "order"}, "oid": {"N": "17"}, "state": {"S": "s1"}}
\.
SELECT pg_catalog.setval('public."tab$stream_number_seq"', 26, true);
ALTER TABLE ONLY public."tab$own"
    ADD CONSTRAINT "tab$own_pkey" PRIMARY KEY ("G", "SK", "PK");
ALTER TABLE ONLY public."tab$shd"
    ADD CONSTRAINT "tab$shd_pkey" PRIMARY KEY ("G", "SK", "PK", dynamo_shard);
ALTER TABLE ONLY public."tab$shd$0"
    ADD CONSTRAINT "tab$shd$0_pkey" PRIMARY KEY ("G", "SK", "PK", dynamo_shard);
ALTER TABLE ONLY public."tab$shd$1"
    ADD CONSTRAINT "tab$shd$1_pkey" PRIMARY KEY ("G", "SK", "PK", dynamo_shard);
ALTER TABLE ONLY public."tab$shd$2"
    ADD CONSTRAINT "tab$shd$2_pkey" PRIMARY KEY ("G", "SK", "PK", dynamo_shard);
ALTER TABLE ONLY public."tab$stream"
    ADD CONSTRAINT "tab$stream_pkey" PRIMARY KEY (number);
ALTER TABLE ONLY public."tab$vec"
    ADD CONSTRAINT "tab$vec_pkey" PRIMARY KEY ("PK", "SK");
ALTER TABLE ONLY public.tab
    ADD CONSTRAINT tab_pkey PRIMARY KEY ("PK", "SK");
CREATE UNIQUE INDEX one_email ON public.tab USING btree (((item OPERATOR(dynamo.->) 'email'::text)));
COMMENT ON INDEX public.one_email IS 'dynamo unique constraint {"unique": {"L": [{"S": "email"}]}}';
CREATE INDEX ordered_by_key ON public.tab USING btree (dynamo.render_key(item, 'C#{cid}'::text));
CREATE INDEX "tab$inl" ON public.tab USING btree ("G", "SK", "PK") WHERE ("G" IS NOT NULL);
CREATE INDEX "tab$vec_vector_sketch_idx" ON public."tab$vec" USING btree (dynamo_system.vector_sketch(dynamo_vector, 64));
ALTER INDEX public."tab$vec_vector_sketch_idx" ALTER COLUMN 1 SET STATISTICS 0;
CREATE INDEX tab_dynamo_expires_at_idx ON public.tab USING btree (dynamo_expires_at) WHERE (dynamo_expires_at IS NOT NULL);
ALTER INDEX public."tab$shd_pkey" ATTACH PARTITION public."tab$shd$0_pkey";
ALTER INDEX public."tab$shd_pkey" ATTACH PARTITION public."tab$shd$1_pkey";
ALTER INDEX public."tab$shd_pkey" ATTACH PARTITION public."tab$shd$2_pkey";
CREATE TRIGGER "!dynamo_capture_changes" AFTER INSERT OR DELETE OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('tab$stream', 'NEW_AND_OLD_IMAGES', '2026-11-28T12:52:50.301');
ALTER TABLE public.tab ENABLE ALWAYS TRIGGER "!dynamo_capture_changes";
CREATE TRIGGER "!dynamo_capture_truncate" BEFORE TRUNCATE ON public.tab FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.capture_changes('tab$stream', 'NEW_AND_OLD_IMAGES', '2026-11-28T12:52:50.301');
ALTER TABLE public.tab ENABLE ALWAYS TRIGGER "!dynamo_capture_truncate";
CREATE TRIGGER dynamo_entity_view INSTEAD OF INSERT OR UPDATE ON public.customers FOR EACH ROW EXECUTE FUNCTION dynamo_system.entity_view_write('{"columns": {"L": [{"M": {"attribute": {"S": "PK"}, "column": {"S": "PK"}}}, {"M": {"attribute": {"S": "SK"}, "column": {"S": "SK"}}}, {"M": {"attribute": {"S": "cid"}, "column": {"S": "cid"}}}, {"M": {"attribute": {"S": "name"}, "column": {"S": "name"}}}, {"M": {"attribute": {"S": "email"}, "column": {"S": "email"}}}]}, "declared": {"BOOL": true}, "entity": {"S": "customer"}}');
ALTER TRIGGER dynamo_entity_view ON public.customers DEPENDS ON EXTENSION dynamo;
CREATE TRIGGER dynamo_entity_view INSTEAD OF INSERT OR UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION dynamo_system.entity_view_write('{"columns": {"L": [{"M": {"attribute": {"S": "PK"}, "column": {"S": "PK"}}}, {"M": {"attribute": {"S": "SK"}, "column": {"S": "SK"}}}, {"M": {"attribute": {"S": "cid"}, "column": {"S": "cid"}}}, {"M": {"attribute": {"S": "oid"}, "column": {"S": "oid"}}}, {"M": {"attribute": {"S": "state"}, "column": {"S": "state"}}}, {"M": {"attribute": {"S": "amount"}, "column": {"S": "amount"}}}, {"M": {"attribute": {"S": "cname"}, "column": {"S": "cname"}}}]}, "declared": {"BOOL": true}, "entity": {"S": "order"}}');
ALTER TRIGGER dynamo_entity_view ON public.orders DEPENDS ON EXTENSION dynamo;
CREATE CONSTRAINT TRIGGER ordered_by AFTER INSERT OR UPDATE ON public.tab FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION dynamo_system.check_reference('{"cascade": {"BOOL": false}, "keys": {"M": {"PK": {"S": "C#{cid}"}, "SK": {"S": "M"}}}, "name": {"S": "ordered_by"}, "prefix": {"M": {"SK": {"S": "O#"}}}}');
CREATE CONSTRAINT TRIGGER ordered_by_referenced AFTER DELETE OR UPDATE ON public.tab FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION dynamo_system.check_referenced('{"cascade": {"BOOL": false}, "keys": {"M": {"PK": {"S": "C#{cid}"}, "SK": {"S": "M"}}}, "name": {"S": "ordered_by"}, "prefix": {"M": {"SK": {"S": "O#"}}}}');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON public."tab$own" FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('tab$own');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON public."tab$shd" FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('tab$shd');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON public."tab$stream" FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('tab$stream');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON public."tab$vec" FROM public.tab NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('tab$vec');
CREATE TRIGGER "~dynamo_collect_copies" AFTER INSERT OR DELETE OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies('[{"name": "names", "child": "order", "parent": "customer", "attributes": {"cname": "name"}, "hidden_parent": "refuse"}, {"name": "sums", "parent": "customer", "child": "order", "totals": {"most": "max(amount)", "total": "sum(amount)", "orders": "count"}, "hidden_parent": "refuse"}]');
CREATE TRIGGER "~dynamo_copy" BEFORE INSERT OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies();
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "id": "601b9d21-05ec-43eb-94c5-874df749faea", "time_to_live": "until", "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "S", "column": "SK"}, {"name": "G", "type": "S", "column": "G"}], "partition": ["PK"], "sort": ["SK"], "indexes": [{"name": "inl", "local": false, "partition": ["G"], "sort": ["SK"], "projection": "ALL", "non_key_attributes": [], "storage": "inline", "shards": 0, "shard_by": null, "relation": "tab$inl", "status": "ACTIVE"}, {"name": "own", "local": false, "partition": ["G"], "sort": ["SK"], "projection": "KEYS_ONLY", "non_key_attributes": [], "storage": "table", "shards": 0, "shard_by": null, "relation": "tab$own", "status": "ACTIVE"}, {"name": "shd", "local": false, "partition": ["G"], "sort": ["SK"], "projection": "ALL", "non_key_attributes": [], "storage": "table", "shards": 3, "shard_by": null, "relation": "tab$shd", "status": "ACTIVE"}, {"name": "vec", "local": false, "partition": [], "sort": [], "projection": "ALL", "non_key_attributes": [], "storage": "table", "shards": 0, "shard_by": null, "relation": "tab$vec", "status": "ACTIVE", "vector": {"attribute": "at", "dimensions": 2, "distance": "EUCLIDEAN", "filters": [], "method": "exact"}}], "entities": [{"keys": [{"template": "C#{cid}", "attribute": "PK"}, {"template": "M", "attribute": "SK"}], "name": "customer", "type": {"value": "customer", "attribute": "kind"}, "applied": true, "attributes": [{"name": "cid", "type": "text", "holds": "S"}, {"name": "name", "type": "text", "holds": "S"}, {"name": "email", "type": "text", "holds": "S"}], "on_mismatch": "error"}, {"keys": [{"template": "G#{state}", "attribute": "G"}, {"template": "C#{cid}", "attribute": "PK"}, {"template": "O#{oid:04}", "attribute": "SK"}], "name": "order", "type": {"value": "order", "attribute": "kind"}, "applied": true, "attributes": [{"name": "cid", "type": "text", "holds": "S"}, {"name": "oid", "type": "int", "holds": "N"}, {"name": "state", "type": "text", "holds": "S"}, {"name": "amount", "type": "numeric", "holds": "N"}, {"name": "cname", "type": "text", "holds": "S"}], "check_types": true, "on_mismatch": "error"}]}');
ALTER TABLE public.tab ENABLE ALWAYS TRIGGER "~dynamo_derive_keys";
CREATE TRIGGER "~dynamo_guard_index" BEFORE INSERT OR DELETE OR UPDATE ON public."tab$own" FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$own" ENABLE ALWAYS TRIGGER "~dynamo_guard_index";
CREATE TRIGGER "~dynamo_guard_index" BEFORE INSERT OR DELETE OR UPDATE ON public."tab$shd" FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$shd" ENABLE ALWAYS TRIGGER "~dynamo_guard_index";
CREATE TRIGGER "~dynamo_guard_index" BEFORE INSERT OR DELETE OR UPDATE ON public."tab$vec" FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$vec" ENABLE ALWAYS TRIGGER "~dynamo_guard_index";
CREATE TRIGGER "~dynamo_guard_stream" BEFORE INSERT OR DELETE OR UPDATE ON public."tab$stream" FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{"version": 1, "table": "tab", "label": "2026-11-28T12:52:50.301", "view": "NEW_AND_OLD_IMAGES", "partition": "PK", "sort": "SK"}');
ALTER TABLE public."tab$stream" ENABLE ALWAYS TRIGGER "~dynamo_guard_stream";
CREATE TRIGGER "~dynamo_guard_stream_truncate" BEFORE TRUNCATE ON public."tab$stream" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_stream('{"version": 1, "table": "tab", "label": "2026-11-28T12:52:50.301", "view": "NEW_AND_OLD_IMAGES", "partition": "PK", "sort": "SK"}');
ALTER TABLE public."tab$stream" ENABLE ALWAYS TRIGGER "~dynamo_guard_stream_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$own" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$own" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$shd" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$shd" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$shd$0" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$shd$0" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$shd$1" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$shd$1" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$shd$2" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$shd$2" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_guard_truncate" BEFORE TRUNCATE ON public."tab$vec" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index();
ALTER TABLE public."tab$vec" ENABLE ALWAYS TRIGGER "~dynamo_guard_truncate";
CREATE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR DELETE OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
ALTER TABLE public.tab ENABLE ALWAYS TRIGGER "~dynamo_maintain_indexes";
CREATE TRIGGER "~dynamo_spread_copies" AFTER INSERT OR DELETE OR UPDATE ON public.tab FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.keep_copies();
CREATE TRIGGER "~dynamo_truncate_indexes" AFTER TRUNCATE ON public.tab FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.maintain_indexes();
ALTER TABLE public.tab ENABLE ALWAYS TRIGGER "~dynamo_truncate_indexes";
