// parts.mjs: the AWS SDK for JavaScript, as it is, with keys by parts and access patterns.
//	node parts.mjs ENDPOINT KEY SECRET
// The table sdk_parts and its patterns are declared by http_sdk.pl.  Nothing here names PK or SK.
import assert from "node:assert";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
	BatchGetCommand, BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, paginateQuery, QueryCommand,
	TransactWriteCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({
	endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey },
}));
const TableName = "sdk_parts";
const order = order_id => ({ kind: "order", customer_id: "js", order_id });
const ids = answer => answer.Items.map(i => i.order_id);

await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: [1, 2, 3, 4, 5, 6].map(n => ({
	PutRequest: { Item: { ...order(n), placed_at: `2026-02-0${n}T00:00:00Z` } },
})) } }));

// items by their parts
assert.equal((await client.send(new GetCommand({ TableName, Key: order(4) }))).Item.placed_at, "2026-02-04T00:00:00Z");
const made = await client.send(new UpdateCommand({
	TableName, Key: order(7), UpdateExpression: "SET note = :n", ExpressionAttributeValues: { ":n": "new" }, ReturnValues: "ALL_NEW",
}));
assert.equal(made.Attributes.status, "OPEN");
await client.send(new DeleteCommand({ TableName, Key: order(7) }));
const several = await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [order(1), order(2), order(7)] } } }));
assert.equal(several.Responses[TableName].length, 2);
await client.send(new TransactWriteCommand({ TransactItems: [{ Delete: { TableName, Key: order(6) } }] }));
await assert.rejects(client.send(new GetCommand({ TableName, Key: { kind: "order", customer_id: "js" } })), /Entity "order" needs "order_id"/);

// key conditions on parts, access patterns by name
const between = { ":k": "order", ":c": "js", ":a": 2, ":b": 3 };
assert.deepEqual(ids(await client.send(new QueryCommand({
	TableName, KeyConditionExpression: "kind = :k AND customer_id = :c AND order_id BETWEEN :a AND :b", ExpressionAttributeValues: between,
}))), [2, 3]);
const pattern = { TableName, IndexName: "pattern:orders_of_customer", ExpressionAttributeValues: { ":customer": "js", ":first": 2 } };
assert.deepEqual(ids(await client.send(new QueryCommand({ ...pattern, ScanIndexForward: false }))), [5, 4, 3, 2]);
const pages = [];
for await (const page of paginateQuery({ client, pageSize: 3 }, pattern))
	pages.push(ids(page));
assert.deepEqual(pages, [[2, 3, 4], [5]]);
// the checksum of the model
const checksum = await client.send(new QueryCommand({ TableName, IndexName: "model:checksum" }));
assert.equal(checksum.Items[0].checksum.length, 64);
console.log("ok");
