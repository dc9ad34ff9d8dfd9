-- Reference system 4, five strategies for one-to-many: the example, its access
-- patterns by plain SQL, and the bound on a complex attribute.
SET client_min_messages = warning;
CREATE SCHEMA t_system_4;
SET search_path = t_system_4;
\i test/agree.sql
\i examples/one_to_many.sql

-- the 21st address is refused, and the map stays as it was
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

-- duplication: every copy of one author and no other was changed
SELECT item ->> 'AuthorName' AS author, item ->> 'AuthorBirthdate' AS born, count(*) FROM books GROUP BY 1, 2 ORDER BY 1;

-- the other strategies by plain SQL
SELECT agree($$SELECT * FROM dynamo.query('organizations', 'PK = :o AND begins_with(SK, :u)', '{":o": {"S": "ORG#MICROSOFT"}, ":u": {"S": "USER#"}}')$$,
	$$SELECT item FROM organizations WHERE "PK" = 'ORG#MICROSOFT' AND "SK" LIKE 'USER#%' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('tickets', 'GSI1PK = :u', '{":u": {"S": "ORG#MICROSOFT#USER#BILLGATES"}}', index_name => 'GSI1', scan_index_forward => false, max_items => 3)$$,
	$$SELECT item FROM tickets WHERE "GSI1PK" = 'ORG#MICROSOFT#USER#BILLGATES' ORDER BY "GSI1SK" DESC LIMIT 3$$);
SELECT agree($$SELECT * FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#OMAHA#"}}')$$,
	$$SELECT item FROM stores WHERE "Country" = 'USA' AND dynamo.begins_with("Place", 'NEBRASKA#OMAHA#') ORDER BY "Place"$$);

-- the direct path reads not one entry more than max_items, the other one in batches
SET dynamo.direct_access = on;
SELECT reads($$SELECT * FROM dynamo.query('tickets', 'GSI1PK = :u', '{":u": {"S": "ORG#MICROSOFT#USER#BILLGATES"}}', index_name => 'GSI1', scan_index_forward => false, max_items => 2)$$, '"tickets$GSI1"');
SELECT reads($$SELECT * FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)', '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#OMAHA#"}}')$$, 'stores_pkey');
SELECT * FROM dynamo.verify_index('tickets', 'GSI1');

DROP SCHEMA t_system_4 CASCADE;
