"""boto3, as it is, against the HTTP endpoint: python.py ENDPOINT KEY SECRET"""
import sys
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

endpoint, key, secret = sys.argv[1:]
dynamodb = boto3.resource("dynamodb", endpoint_url=endpoint, region_name="us-east-1",
                          aws_access_key_id=key, aws_secret_access_key=secret)
table = dynamodb.create_table(
    TableName="sdk_python", BillingMode="PAY_PER_REQUEST",
    AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "N"}],
    KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}])
table.wait_until_exists()

item = {"PK": "a", "SK": Decimal("1.5"), "set": {"x", "y"}, "list": [Decimal(1), None, True], "bytes": b"\x00\x01"}
table.put_item(Item=item)
got = table.get_item(Key={"PK": "a", "SK": Decimal("1.5")})["Item"]
assert {**got, "bytes": bytes(got["bytes"])} == item, got

with table.batch_writer() as batch:
    for i in range(60):
        batch.put_item(Item={"PK": "b", "SK": i, "n": i, "text": "x" * 1000})
found = table.query(KeyConditionExpression=Key("PK").eq("b") & Key("SK").between(10, 19), FilterExpression=Attr("n").gt(14),
                    ScanIndexForward=False)
assert [int(i["SK"]) for i in found["Items"]] == [19, 18, 17, 16, 15], found
pages = dynamodb.meta.client.get_paginator("scan").paginate(TableName="sdk_python", PaginationConfig={"PageSize": 10})
assert sum(page["Count"] for page in pages) == 61

try:
    table.put_item(Item={"PK": "a", "SK": Decimal("1.5")}, ConditionExpression=Attr("PK").not_exists())
    raise AssertionError("the condition should have failed")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ConditionalCheckFailedException", error

table.delete()
table.wait_until_not_exists()
print("ok")
