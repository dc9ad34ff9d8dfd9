-- An order as a shop keeps it: two key attributes and ten others, one of them
-- nested.  Ten orders a customer.
CREATE FUNCTION bench_order(i bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT jsonb_build_object(
	'PK', 'CUSTOMER#' || lpad((i / 10)::text, 8, '0'),
	'SK', 'ORDER#' || lpad(i::text, 10, '0'),
	'EntityType', 'Order',
	'name', 'Customer number ' || (i / 10),
	'email', 'customer' || (i / 10) || '@example.com',
	'status', (ARRAY['OPEN', 'PAID', 'SHIPPED', 'CLOSED', 'RETURNED'])[i % 5 + 1],
	'total', (i * 7919 % 100000) / 100.0,
	'quantity', i % 17,
	'active', i % 3 = 0,
	'created_at', '2026-' || lpad((i % 12 + 1)::text, 2, '0') || '-' || lpad((i % 28 + 1)::text, 2, '0') || 'T10:00:00Z',
	'address', jsonb_build_object('street', (i % 500) || ' Long Street', 'city', 'Springfield',
								  'geo', jsonb_build_object('lat', 51.5, 'lng', 0.12)),
	'tags', jsonb_build_array('new', 'gift', 'export'))
$$;

-- The same with the key attributes of three overloaded indexes.
CREATE FUNCTION bench_indexed_order(i bigint, version int DEFAULT 0) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT bench_order(i) || jsonb_build_object(
	'GSI1PK', 'PRODUCT#' || (i + version) % 10007, 'GSI1SK', '2026-01-01T00:00:' || i,
	'GSI2PK', 'STATUS#' || (i + version) % 1009, 'GSI2SK', '2026-01-01T00:00:' || i,
	'GSI3PK', 'WAREHOUSE#' || (i + version) % 101, 'GSI3SK', '2026-01-01T00:00:' || i)
$$;

-- DynamoDB's JSON of a key.
CREATE FUNCTION bench_key(item jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT json_build_object('PK', json_build_object('S', item ->> 'PK'),
						 'SK', json_build_object('S', item ->> 'SK'))::text
$$;
