-- Reference system 4, five strategies for one-to-many: the example, its access
-- patterns in plain SQL, and the limit of a complex attribute.
SET client_min_messages = warning;
CREATE SCHEMA t_system_4;
SET search_path = t_system_4;
\i test/agree.sql
\i examples/one_to_many.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_4, dynamo;

-- the 21st address is refused, and the map does not change
SELECT count(*) FROM generate_series(3, 20) i,
	dynamo.update_item('customers', '{"CustomerId": {"S": "alice"}}', 'SET MailingAddresses.#name = :address',
		condition_expression => 'size(MailingAddresses) < :max',
		expression_attribute_values => '{":address": {"city": "Springfield"}, ":max": 20}'::jsonb,
		expression_attribute_names => jsonb_build_object('#name', 'Address' || i));
SELECT dynamo.update_item('customers', '{"CustomerId": {"S": "alice"}}', 'SET MailingAddresses.#name = :address',
	condition_expression => 'size(MailingAddresses) < :max',
	expression_attribute_values => '{":address": {"city": "Springfield"}, ":max": 20}'::jsonb,
	expression_attribute_names => '{"#name": "OneTooMany"}');
SELECT count(*) FROM customers, jsonb_object_keys((item -> 'MailingAddresses')::jsonb);

-- duplication: all copies of one author were changed, and no other item
SELECT item ->> 'AuthorName' AS author, item ->> 'AuthorBirthdate' AS born, count(*) FROM books GROUP BY 1, 2 ORDER BY 1;

-- the other strategies in plain SQL
SELECT agree($$SELECT * FROM dynamo.query('organizations', 'PK = :o AND begins_with(SK, :u)', '{":o": {"S": "ORG#MICROSOFT"}, ":u": {"S": "USER#"}}')$$,
	$$SELECT item FROM organizations WHERE "PK" = 'ORG#MICROSOFT' AND "SK" LIKE 'USER#%' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('tickets', 'GSI1PK = :u', '{":u": {"S": "ORG#MICROSOFT#USER#BILLGATES"}}', index_name => 'GSI1', scan_index_forward => false, max_items => 3)$$,
	$$SELECT item FROM tickets WHERE "GSI1PK" = 'ORG#MICROSOFT#USER#BILLGATES' ORDER BY "GSI1SK" DESC LIMIT 3$$);
SELECT agree($$SELECT * FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#OMAHA#"}}')$$,
	$$SELECT item FROM stores WHERE "Country" = 'USA' AND dynamo.begins_with("Place", 'NEBRASKA#OMAHA#') ORDER BY "Place"$$);

-- every pattern reads only what it returns, by PostgreSQL's counters, among many more items
SELECT count(*) FROM generate_series(1, 200) i,
	dynamo.put_item('tickets', jsonb_build_object('Kind', 'ticket', 'TicketId', i, 'Org', 'microsoft', 'UserId', 'b' || i)) AS ticket,
	dynamo.put_item('stores', jsonb_build_object('Country', 'USA', 'Place', 'OHIO#DAYTON#' || i)) AS store;
SELECT pattern, counted(query, tab) FROM (VALUES
	('a user with all tickets', 'tickets', query_of('tickets', 'GSI1PK = :u', '{":u": "ORG#MICROSOFT#USER#BILLGATES"}', 'GSI1', false)),
	('the tickets alone', 'tickets', query_of('tickets', 'GSI1PK = :u AND begins_with(GSI1SK, :t)', '{":u": "ORG#MICROSOFT#USER#BILLGATES", ":t": "TICKET#"}', 'GSI1')),
	('a ticket with its comments', 'tickets', query_of('tickets', 'PK = :t', '{":t": "TICKET#1584043200-a1"}')),
	('stores of a country', 'stores', query_of('stores', 'Country = :c', '{":c": "FRANCE"}')),
	('of a state', 'stores', query_of('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": "USA", ":p": "NEBRASKA#"}')),
	('of a city', 'stores', query_of('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": "USA", ":p": "NEBRASKA#OMAHA#"}')),
	('of a zip code', 'stores', query_of('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": "USA", ":p": "NEBRASKA#OMAHA#68118"}'))
) AS patterns (pattern, tab, query);
-- a filter also reads the items that it rejects
SELECT counted($$SELECT * FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": "USA", ":p": "NEBRASKA#", ":s": "2 Dodge"}'::jsonb,
	filter_expression => 'Street = :s')$$, 'stores');
-- with a limit, the direct path reads no further entry, and the SQL path reads in batches
SET dynamo.direct_access = on;
SELECT counted(query_of('tickets', 'GSI1PK = :u', '{":u": "ORG#MICROSOFT#USER#BILLGATES"}', 'GSI1', false, 3), 'tickets');
SELECT * FROM dynamo.verify_index('tickets', 'GSI1');

DROP SCHEMA t_system_4, dynamo_examples CASCADE;
