// javascript.mjs: the AWS SDK for JavaScript, as it is, against the HTTP endpoint.
//	node javascript.mjs ENDPOINT KEY SECRET
import assert from "node:assert";
import * as dynamodb from "@aws-sdk/client-dynamodb";
import {
	ConditionalCheckFailedException, CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DynamoDBClient,
	ListTablesCommand, ListTagsOfResourceCommand, ResourceNotFoundException, TagResourceCommand,
	TransactionCanceledException, waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
	BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, GetCommand, paginateQuery, paginateScan, PutCommand,
	TransactWriteCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(2);
const config = { endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey } };
const client = new DynamoDBClient(config);
const documents = DynamoDBDocumentClient.from(client);
const TableName = "sdk_javascript";

async function table() {
	const made = await client.send(new CreateTableCommand({
		TableName,
		BillingMode: "PAY_PER_REQUEST",
		AttributeDefinitions: ["PK", "SK", "Kind"].map(AttributeName => ({ AttributeName, AttributeType: "S" })),
		KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }, { AttributeName: "SK", KeyType: "RANGE" }],
		GlobalSecondaryIndexes: [{
			IndexName: "ByKind", KeySchema: [{ AttributeName: "Kind", KeyType: "HASH" }], Projection: { ProjectionType: "ALL" },
		}],
	}));
	assert.equal(made.TableDescription.TableStatus, "CREATING");
	assert.match(made.$metadata.requestId, /^[A-Z0-9]{52}$/);
	await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
	const ResourceArn = (await client.send(new DescribeTableCommand({ TableName }))).Table.TableArn;
	await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: "k", Value: "v" }] }));
	assert.deepEqual((await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags, [{ Key: "k", Value: "v" }]);
}

async function items() {
	const Key = { PK: "a", SK: "1" };
	const item = {
		...Key, n: 42, text: "h\u00e9llo", list: [1, "x", null, true], set: new Set(["a", "b"]), bytes: new Uint8Array([1, 2, 3]),
	};
	await documents.send(new PutCommand({ TableName, Item: item }));
	assert.deepEqual((await documents.send(new GetCommand({ TableName, Key }))).Item, item);
	const updated = await documents.send(new UpdateCommand({
		TableName, Key, UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": 1 }, ReturnValues: "UPDATED_NEW",
	}));
	assert.equal(updated.Attributes.n, 43);
}

async function many() {
	await Promise.all(Array.from({ length: 300 }, (_, i) => documents.send(new PutCommand({
		TableName, Item: { PK: "b", SK: String(i), text: "x".repeat(10000), Kind: i % 2 ? "odd" : "even" },
	}))));
	let pages = 0, n = 0;
	for await (const page of paginateQuery({ client: documents },
		{ TableName, KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": "b" } })) {
		pages++;
		n += page.Items.length;
	}
	assert.equal(n, 300);
	assert.ok(pages > 1);
	n = 0;
	for await (const page of paginateScan({ client: documents, pageSize: 50 }, { TableName, IndexName: "ByKind" }))
		n += page.Items.length;
	assert.equal(n, 300);
	const put = SK => ({ PutRequest: { Item: { PK: "w", SK } } });
	await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: [put("1"), put("2")] } }));
	const got = await documents.send(new BatchGetCommand({
		RequestItems: { [TableName]: { Keys: [{ PK: "w", SK: "1" }, { PK: "w", SK: "2" }] } },
	}));
	assert.equal(got.Responses[TableName].length, 2);
}

async function errors() {
	await assert.rejects(documents.send(new PutCommand({
		TableName, Item: { PK: "a", SK: "1" }, ConditionExpression: "attribute_not_exists(PK)",
		ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	})), e => e instanceof ConditionalCheckFailedException && e.Item.n.N === "43" && e.message === "The conditional request failed");
	await assert.rejects(documents.send(new TransactWriteCommand({
		TransactItems: [
			{ Put: { TableName, Item: { PK: "t", SK: "1" } } },
			{ ConditionCheck: { TableName, Key: { PK: "none", SK: "1" }, ConditionExpression: "attribute_exists(PK)" } },
		],
	})), e => e instanceof TransactionCanceledException && e.CancellationReasons[1].Code === "ConditionalCheckFailed");
	assert.equal((await documents.send(new GetCommand({ TableName, Key: { PK: "t", SK: "1" } }))).Item, undefined);
	await assert.rejects(documents.send(new GetCommand({ TableName, Key: { PK: 1 } })),
		e => e.name === "ValidationException" && e.$metadata.httpStatusCode === 400);
	await assert.rejects(documents.send(new GetCommand({ TableName: "nothing", Key: { PK: "a" } })),
		e => e instanceof ResourceNotFoundException);
	const forger = new DynamoDBClient({ ...config, credentials: { accessKeyId, secretAccessKey: "wrong" } });
	await assert.rejects(forger.send(new ListTablesCommand({})), e => e.name === "InvalidSignatureException");
}

// Versions of August 2026 and later know vector indexes.
async function vectors() {
	if (!dynamodb.SearchVectorsCommand)
		return;
	const index = {
		IndexName: "vec", VectorAttribute: { AttributeName: "emb" }, Dimensions: 2, DistanceFunction: "EUCLIDEAN", Projection: { ProjectionType: "ALL" },
		SearchSchema: [{ AttributeName: "tenant", SearchSchemaElementType: "HASH" }, { AttributeName: "lang", SearchSchemaElementType: "INLINE_FILTER" }],
	};
	const AttributeDefinitions = ["pk", "tenant", "lang"].map(AttributeName => ({ AttributeName, AttributeType: "S" }));
	const of = { TableName: "sdk_vectors" };
	await client.send(new CreateTableCommand({
		...of, BillingMode: "PAY_PER_REQUEST", AttributeDefinitions, KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }], VectorIndexes: [index],
	}));
	await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, of);
	for (let i = 1; i <= 5; i++)
		await documents.send(new PutCommand({ ...of, Item: { pk: `d${i}`, tenant: i < 5 ? "acme" : "other", lang: i % 2 ? "en" : "de", emb: [i, 0.5] } }));
	const search = {
		...of, IndexName: "vec", TopK: 2, SearchVector: [{ N: "3.25" }, { N: "0.5" }], SearchConditionExpression: "tenant = :t",
		ExpressionAttributeValues: { ":t": { S: "acme" } }, ReturnConsumedCapacity: "TOTAL",
	};
	const found = await client.send(new dynamodb.SearchVectorsCommand(search));
	assert.deepEqual(found.SearchResults.map(r => [r.Item.pk.S, r.Score]), [["d3", 0.25], ["d4", 0.75]]);
	assert.equal(found.SearchResults[0].Item.emb, undefined);
	assert.ok(found.ConsumedCapacity.VectorSearchRequestBytes >= 1024);
	const filtered = await client.send(new dynamodb.SearchVectorsCommand({
		...search, SearchConditionExpression: "tenant = :t AND lang = :l", ProjectionExpression: "pk, emb",
		ExpressionAttributeValues: { ":t": { S: "acme" }, ":l": { S: "en" } },
	}));
	assert.deepEqual(filtered.SearchResults.map(r => r.Item.pk.S), ["d3", "d1"]);
	assert.deepEqual(filtered.SearchResults[0].Item.emb, { L: [{ N: "3" }, { N: "0.5" }] });
	await assert.rejects(client.send(new dynamodb.SearchVectorsCommand({ ...search, SearchVector: [{ N: "1" }] })),
		e => e.name === "ValidationException" && e.message === "Input search vector dimension 1 does not match vector index dimension 2");
	await client.send(new dynamodb.UpdateTableCommand({
		...of, AttributeDefinitions, VectorIndexUpdates: [{ Create: { ...index, IndexName: "later", DistanceFunction: "COSINE" } }],
	}));
	await until(async () => (await describe(of)).find(i => i.IndexName === "later").IndexStatus === "ACTIVE");
	const later = (await describe(of)).find(i => i.IndexName === "later");
	assert.deepEqual([later.Dimensions, later.DistanceFunction, later.VectorAttribute, later.SearchSchema],
		[2, "COSINE", index.VectorAttribute, index.SearchSchema]);
	await client.send(new dynamodb.UpdateTableCommand({ ...of, VectorIndexUpdates: [{ Delete: { IndexName: "later" } }] }));
	await until(async () => (await describe(of)).length === 1);
	await client.send(new DeleteTableCommand(of));
}

async function describe(of) {
	return (await client.send(new DescribeTableCommand(of))).Table.VectorIndexes;
}

async function until(condition) {
	for (let i = 0; i < 100 && !await condition(); i++)
		await new Promise(resolve => setTimeout(resolve, 100));
	assert.ok(await condition());
}

await table();
await items();
await many();
await errors();
await vectors();
await client.send(new DeleteTableCommand({ TableName }));
await waitUntilTableNotExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
console.log("ok");
