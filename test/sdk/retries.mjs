// retries.mjs: the AWS SDK for JavaScript with an endpoint that fails.
//	node retries.mjs ENDPOINT KEY SECRET put|batch|pages
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, paginateQuery, PutCommand } from "@aws-sdk/lib-dynamodb";

const [endpoint, accessKeyId, secretAccessKey, what] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({
	endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey }, maxAttempts: 3,
}));
const TableName = "songs";

async function pages(artist) {
	const counts = [];
	for await (const page of paginateQuery({ client }, {
		TableName, KeyConditionExpression: "artist = :a", ExpressionAttributeValues: { ":a": artist },
	}))
		counts.push(page.Count);
	return counts;
}

if (what === "put") {
	try {
		const { $metadata } = await client.send(new PutCommand({ TableName, Item: { artist: "sdk", song: "javascript" } }));
		console.log(`stored at attempt ${$metadata.attempts}`);
	} catch (error) {
		console.log(`${error.name} at attempt ${error.$metadata.attempts}`);
	}
} else if (what === "batch") {
	let RequestItems = { [TableName]: Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: { artist: "javascript", song: `${i}` } } })) };
	while (Object.keys(RequestItems).length > 0)
		RequestItems = (await client.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
	console.log(`${(await pages("javascript")).reduce((sum, n) => sum + n, 0)} items`);
} else {
	console.log(JSON.stringify(await pages("p")).replaceAll(",", ", "));
}
