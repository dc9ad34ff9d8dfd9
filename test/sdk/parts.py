"""boto3, as it is, with keys by parts and access patterns: parts.py ENDPOINT KEY SECRET

The table sdk_parts and its patterns are declared by http_sdk.pl.  Nothing here names PK or SK."""
import sys

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

endpoint, key, secret = sys.argv[1:]
dynamodb = boto3.resource("dynamodb", endpoint_url=endpoint, region_name="us-east-1",
                          aws_access_key_id=key, aws_secret_access_key=secret)
table = dynamodb.Table("sdk_parts")


def order(n, **more):
    return {"kind": "order", "customer_id": "py", "order_id": n, **more}


def refused(code, text, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        assert text in error.response["Error"]["Message"], error
        return
    raise AssertionError("should have been refused")


table.put_item(Item={"kind": "customer", "customer_id": "py", "name": "Ann"})
with table.batch_writer() as batch:
    for i in range(1, 11):
        batch.put_item(Item=order(i, placed_at=f"2026-01-{i:02}T00:00:00Z"))

# items by their parts
assert table.get_item(Key=order(7))["Item"]["placed_at"] == "2026-01-07T00:00:00Z"
assert table.get_item(Key={"customer_id": "py"})["Item"]["name"] == "Ann"
made = table.update_item(Key=order(11), UpdateExpression="SET note = :n", ExpressionAttributeValues={":n": "new"},
                         ReturnValues="ALL_NEW")["Attributes"]
assert made["kind"] == "order" and made["status"] == "OPEN" and made["order_id"] == 11, made
table.delete_item(Key=order(11), ConditionExpression=Attr("note").eq("new"))
assert "Item" not in table.get_item(Key=order(11))
batched = dynamodb.batch_get_item(RequestItems={"sdk_parts": {"Keys": [order(1), {"customer_id": "py"}, order(99)]}})
assert len(batched["Responses"]["sdk_parts"]) == 2 and batched["UnprocessedKeys"] == {}, batched
refused("ValidationException", "Entity \"order\" needs \"order_id\"", table.get_item, Key={"kind": "order", "customer_id": "py"})
refused("ValidationException", "duplicates", dynamodb.batch_get_item,
        RequestItems={"sdk_parts": {"Keys": [{"customer_id": "py"}, {"kind": "customer", "customer_id": "py"}]}})
with table.batch_writer() as batch:
    batch.delete_item(Key=order(10))

client = dynamodb.meta.client
client.transact_write_items(TransactItems=[
    {"Update": {"TableName": "sdk_parts", "Key": order(9), "UpdateExpression": "SET #s = :s",
                "ExpressionAttributeNames": {"#s": "status"}, "ExpressionAttributeValues": {":s": "PAID"}}},
    {"ConditionCheck": {"TableName": "sdk_parts", "Key": {"customer_id": "py"}, "ConditionExpression": "attribute_exists(kind)"}}])
got = client.transact_get_items(TransactItems=[{"Get": {"TableName": "sdk_parts", "Key": order(9)}}])
assert got["Responses"][0]["Item"]["status"] == "PAID", got

# key conditions on parts
found = table.query(KeyConditionExpression=Key("kind").eq("order") & Key("customer_id").eq("py") & Key("order_id").between(3, 5))
assert [i["order_id"] for i in found["Items"]] == [3, 4, 5], found
found = table.query(IndexName="by_status", KeyConditionExpression=Key("status").eq("OPEN") & Key("placed_at").between("2026-01-07", "2026-01-31"))
assert [i["order_id"] for i in found["Items"]] == [7, 8], found

# access patterns by name, page by page
pattern = {"IndexName": "pattern:orders_of_customer", "ExpressionAttributeValues": {":customer": "py", ":first": 2}}
found = table.query(**pattern, ScanIndexForward=False)
assert [i["order_id"] for i in found["Items"]] == list(range(9, 1, -1)), found
pages = client.get_paginator("query").paginate(TableName="sdk_parts", **pattern, PaginationConfig={"PageSize": 3})
assert [[i["order_id"] for i in page["Items"]] for page in pages] == [[2, 3, 4], [5, 6, 7], [8, 9]]
refused("ValidationException", "access pattern: nothing", table.query, IndexName="pattern:nothing")

# the checksum of the model
checksum = table.query(IndexName="model:checksum")
assert checksum["Count"] == 1 and len(checksum["Items"][0]["checksum"]) == 64, checksum

statements = client.execute_statement(Statement="SELECT order_id FROM sdk_parts WHERE kind = 'order' AND customer_id = 'py' AND order_id = 4")
assert [i["order_id"] for i in statements["Items"]] == [4], statements
print("ok")
