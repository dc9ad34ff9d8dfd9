-- One-to-many, five strategies.
--
-- Run it with: psql -f examples/one_to_many.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS customers, books, organizations, tickets, stores CASCADE;
COMMIT;

-- ------------------------------------------------------------------------
-- 1. A complex attribute: the "many" side is a map inside the "one" side.
-- Right where the number is small and bounded and nothing looks for an address
-- alone.

SELECT dynamo.create_table('customers', partition_key => 'CustomerId');
SELECT dynamo.put_item('customers', '{"CustomerId": "alice", "Name": "Alice", "MailingAddresses": {}}'::jsonb);

\echo '1.1 Adding an address by document path, at most 20'
SELECT dynamo.update_item('customers', '{"CustomerId": {"S": "alice"}}',
	'SET MailingAddresses.#name = :address',
	expression_attribute_values => '{":address": {"street": "1 Main Street", "city": "Springfield"}, ":max": 20}'::jsonb,
	expression_attribute_names => '{"#name": "Home"}',
	condition_expression => 'size(MailingAddresses) < :max',
	return_values => 'UPDATED_NEW');
SELECT dynamo.update_item('customers', '{"CustomerId": {"S": "alice"}}',
	'SET MailingAddresses.#name = :address',
	expression_attribute_values => '{":address": {"street": "9 Market Square", "city": "Shelbyville"}, ":max": 20}'::jsonb,
	expression_attribute_names => '{"#name": "Business"}',
	condition_expression => 'size(MailingAddresses) < :max');

\echo '1.2 Correcting one field of one address'
SELECT dynamo.update_item('customers', '{"CustomerId": {"S": "alice"}}',
	'SET MailingAddresses.Home.street = :street',
	expression_attribute_values => '{":street": "3 Main Street"}'::jsonb,
	return_values => 'UPDATED_NEW');

\echo '1.3 The customer with every address'
SELECT jsonb_pretty(dynamo.get_item('customers', '{"CustomerId": {"S": "alice"}}')::jsonb) AS customer;

-- ------------------------------------------------------------------------
-- 2. Duplication: each book carries facts of its author, so that one read shows
-- all.  One SQL statement corrects every copy.

SELECT dynamo.create_table('books', partition_key => 'AuthorName', sort_key => 'Title');
SELECT count(*) AS books_put
FROM (VALUES
	('{"AuthorName": "Stephen King", "Title": "It", "AuthorBirthdate": "1947-09-20", "ReleaseYear": 1986}'::jsonb),
	('{"AuthorName": "Stephen King", "Title": "The Shining", "AuthorBirthdate": "1947-09-20", "ReleaseYear": 1977}'),
	('{"AuthorName": "James Patterson", "Title": "Along Came a Spider", "AuthorBirthdate": "1947-03-22", "ReleaseYear": 1993}')
) AS data (item), dynamo.put_item('books', data.item);

\echo '2.1 Correcting a duplicated fact in every copy'
UPDATE books
SET item = dynamo.apply_update(item, 'SET AuthorBirthdate = :date', '{":date": {"S": "1947-09-21"}}')
WHERE "AuthorName" = 'Stephen King';

\echo '2.2 The books of an author, with the facts of the author'
SELECT item ->> 'Title' AS title, item ->> 'ReleaseYear' AS year, item ->> 'AuthorBirthdate' AS author_born
FROM dynamo.query('books', 'AuthorName = :author', '{":author": {"S": "Stephen King"}}') AS item;

-- ------------------------------------------------------------------------
-- 3. A composite key: an organization and its users share a partition key.

SELECT dynamo.create_table('organizations', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_entity('organizations', 'organization', view_name => 'organization_rows',
	keys => '{"PK": "ORG#{Org:upper}", "SK": "METADATA#{Org:upper}"}',
	attributes => '{"Org": "text", "OrgName": "text", "PlanType": "text"}');
SELECT dynamo.create_entity('organizations', 'user', view_name => 'organization_users',
	keys => '{"PK": "ORG#{Org:upper}", "SK": "USER#{UserId:upper}"}',
	attributes => '{"Org": "text", "UserId": "text", "UserName": "text", "UserType": {"type": "text", "default": "Member"}}');

INSERT INTO organization_rows ("Org", "OrgName", "PlanType")
VALUES ('microsoft', 'Microsoft', 'Enterprise'), ('amazon', 'Amazon', 'Pro');
INSERT INTO organization_users ("Org", "UserId", "UserName", "UserType")
VALUES ('microsoft', 'SatyaNadella', 'Satya Nadella', 'Admin'), ('amazon', 'JeffBezos', 'Jeff Bezos', 'Admin');
INSERT INTO organization_users ("Org", "UserId", "UserName") VALUES ('microsoft', 'BillGates', 'Bill Gates')
RETURNING "PK", "SK", "UserType";

\echo '3.1 An organization'
SELECT dynamo.get_item('organizations', '{"PK": {"S": "ORG#MICROSOFT"}, "SK": {"S": "METADATA#MICROSOFT"}}');

\echo '3.2 An organization with its users'
SELECT item ->> 'SK' AS "SK", coalesce(item ->> 'OrgName', item ->> 'UserName') AS name
FROM dynamo.query('organizations', 'PK = :org', '{":org": {"S": "ORG#MICROSOFT"}}') AS item;

\echo '3.3 Its users only'
SELECT item ->> 'UserName' AS name, item ->> 'UserType' AS type
FROM dynamo.query('organizations', 'PK = :org AND begins_with(SK, :users)',
				  '{":org": {"S": "ORG#MICROSOFT"}, ":users": {"S": "USER#"}}') AS item;

\echo '3.4 One user'
SELECT "UserName", "UserType" FROM organization_users WHERE "Org" = 'amazon' AND "UserId" = 'JeffBezos';
SELECT dynamo.get_item('organizations', '{"PK": {"S": "ORG#AMAZON"}, "SK": {"S": "USER#JEFFBEZOS"}}');

-- ------------------------------------------------------------------------
-- 4. A secondary index: tickets live in collections of their own; the index
-- gathers a user and the user's tickets, the user last, for USER# sorts after TICKET#.

SELECT dynamo.create_table('tickets', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('tickets', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_entity('tickets', e.name, e.keys, type_attribute => 'Kind')
FROM (VALUES
	('user', '{"PK": "ORG#{Org:upper}", "SK": "USER#{UserId:upper}",
		"GSI1PK": "ORG#{Org:upper}#USER#{UserId:upper}", "GSI1SK": "USER#{UserId:upper}"}'::jsonb),
	('ticket', '{"PK": "TICKET#{TicketId}", "SK": "TICKET#{TicketId}",
		"GSI1PK": "ORG#{Org:upper}#USER#{UserId:upper}", "GSI1SK": "TICKET#{TicketId}"}'),
	('comment', '{"PK": "TICKET#{TicketId}", "SK": "COMMENT#{CommentId}"}')
) AS e (name, keys);

SELECT count(*) AS items_put
FROM (VALUES
	('{"Kind": "user", "Org": "microsoft", "UserId": "BillGates", "UserName": "Bill Gates"}'::jsonb),
	('{"Kind": "ticket", "TicketId": "1584043200-a1", "Org": "microsoft", "UserId": "BillGates", "Subject": "Cannot log in"}'),
	('{"Kind": "comment", "TicketId": "1584043200-a1", "CommentId": 1, "Text": "Which browser?"}'),
	('{"Kind": "ticket", "TicketId": "1586721600-b2", "Org": "microsoft", "UserId": "BillGates", "Subject": "Printer on fire"}'),
	('{"Kind": "ticket", "TicketId": "1589313600-c3", "Org": "microsoft", "UserId": "BillGates", "Subject": "Invoice missing"}')
) AS data (item), dynamo.put_item('tickets', data.item);

\echo '4.1 A user and the two latest tickets in one backward read'
SELECT item ->> 'GSI1SK' AS id, coalesce(item ->> 'UserName', item ->> 'Subject') AS what
FROM dynamo.query('tickets', 'GSI1PK = :user', '{":user": {"S": "ORG#MICROSOFT#USER#BILLGATES"}}',
				  index_name => 'GSI1', scan_index_forward => false, max_items => 3) AS item;

\echo '4.2 A ticket with its comments'
SELECT item ->> 'SK' AS "SK", coalesce(item ->> 'Subject', item ->> 'Text') AS text
FROM dynamo.query('tickets', 'PK = :ticket', '{":ticket": {"S": "TICKET#1584043200-a1"}}') AS item;

-- ------------------------------------------------------------------------
-- 5. A composite sort key: a hierarchy in one string, searched at every level.

SELECT dynamo.create_table('stores', partition_key => 'Country', sort_key => 'Place');
SELECT dynamo.create_entity('stores', 'store', type_attribute => 'Kind', view_name => 'store_rows',
	keys => '{"Place": "{State:upper}#{City:upper}#{Zip}"}',
	attributes => '{"Country": "text", "State": "text", "City": "text", "Zip": "text", "Street": "text"}');
INSERT INTO store_rows ("Country", "State", "City", "Zip", "Street") VALUES
	('USA', 'Nebraska', 'Omaha', '68118', '1 Farnam'),
	('USA', 'Nebraska', 'Omaha', '68131', '2 Dodge'),
	('USA', 'Nebraska', 'Lincoln', '68502', '3 South'),
	('USA', 'Nevada', 'Reno', '89501', '4 Virginia'),
	('FRANCE', 'Provence', 'Nice', '06000', '5 Massena');

\echo '5.1 The stores of a country'
SELECT item ->> 'Place' AS place
FROM dynamo.query('stores', 'Country = :c', '{":c": {"S": "USA"}}') AS item;

\echo '5.2 of a state'
SELECT item ->> 'Place' AS place
FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)',
				  '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#"}}') AS item;

\echo '5.3 of a city'
SELECT item ->> 'Place' AS place
FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)',
				  '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#OMAHA#"}}') AS item;

\echo '5.4 of a zip code'
SELECT item ->> 'Place' AS place, item ->> 'Street' AS street
FROM dynamo.query('stores', 'Country = :c AND begins_with(Place, :p)',
				  '{":c": {"S": "USA"}, ":p": {"S": "NEBRASKA#OMAHA#68118"}}') AS item;

\echo '5.5 The same by attributes: the view makes the range of the key'
SELECT "Zip", "Street" FROM store_rows WHERE "Country" = 'USA' AND "State" = 'Nebraska' AND "City" = 'Omaha' ORDER BY "Zip";
