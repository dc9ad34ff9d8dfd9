/* dynamo--1.0.sql: the extension's objects, in the order they depend on each other */

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

--
-- Item and value types: input and output, casts, operators, operator classes
--

--
-- Item functions: building, reading, measuring
--

--
-- Expressions over items
--

--
-- Tables: the key trigger, definitions, settings, views
--

--
-- Operations on items
--

--
-- Reading: query and scan
--

--
-- Secondary indexes: index tables, building, verification
--

--
-- Plain SQL: planner support, entity views, constraints, import and export
--

--
-- Requests in DynamoDB's JSON
--
