"""boto3 with an endpoint that fails: retries.py ENDPOINT KEY SECRET put|batch|pages"""
import sys

import boto3
from boto3.dynamodb.conditions import Key
from botocore.config import Config
from botocore.exceptions import ClientError

endpoint, key, secret, what = sys.argv[1:]
dynamodb = boto3.resource("dynamodb", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=key,
                          aws_secret_access_key=secret, config=Config(retries={"total_max_attempts": 3, "mode": "standard"}))
table = dynamodb.Table("songs")

if what == "put":
    try:
        answer = table.put_item(Item={"artist": "sdk", "song": "python"})
        print("stored at attempt", answer["ResponseMetadata"]["RetryAttempts"] + 1)
    except ClientError as error:
        print(error.response["Error"]["Code"], "at attempt", error.response["ResponseMetadata"]["RetryAttempts"] + 1)
elif what == "batch":
    with table.batch_writer() as batch:
        for i in range(60):
            batch.put_item(Item={"artist": "python", "song": f"{i:02}"})
    print(table.query(KeyConditionExpression=Key("artist").eq("python"))["Count"], "items")
else:
    pages = list(dynamodb.meta.client.get_paginator("query").paginate(
        TableName="songs", KeyConditionExpression=Key("artist").eq("p")))
    print([page["Count"] for page in pages])
