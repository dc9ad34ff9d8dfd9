# use_image.py: what an application does with the image: `write`, and later `read`.
import sys

import boto3

dynamodb = boto3.resource("dynamodb", endpoint_url="http://localhost:8000", region_name="us-east-1")
table = dynamodb.Table("music")
if sys.argv[1] == "write":
    dynamodb.create_table(
        TableName="music",
        KeySchema=[{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": "Artist", "AttributeType": "S"}, {"AttributeName": "Song", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    ).wait_until_exists()
    table.put_item(Item={"Artist": "a", "Song": "s", "Year": 2020})
assert table.get_item(Key={"Artist": "a", "Song": "s"})["Item"]["Year"] == 2020
