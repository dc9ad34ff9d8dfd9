"""Every answer of the HTTP endpoint against the service's own model, as botocore has it: model.py ENDPOINT KEY SECRET

Clients in typed languages are generated from this model, and fail at a member of another type or a value that is in no enumeration.
"""
import base64
import json
import sys

import boto3
from botocore.exceptions import ClientError

endpoint, key, secret = sys.argv[1:]
options = dict(endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret)
db = boto3.client("dynamodb", **options)
streams = boto3.client("dynamodbstreams", **options)

# What models older than these members do not have.
NEWER = {"DeletionProtectionEnabled", "OnDemandThroughput", "WarmThroughput"}
SCALARS = {"string": str, "blob": str, "boolean": bool, "integer": int, "long": int, "double": (int, float), "float": (int, float),
           "timestamp": (int, float)}
faults = set()
answered = set()


def check(shape, value, path):
    kind = shape.type_name
    if kind == "structure" and isinstance(value, dict):
        for name, member in value.items():
            if name in shape.members:
                check(shape.members[name], member, path + "." + name)
            elif name not in NEWER:
                faults.add(path + "." + name + " is not in the model")
        faults.update(path + "." + name + " is missing" for name in shape.required_members if name not in value)
    elif kind == "list" and isinstance(value, list):
        for element in value:
            check(shape.member, element, path + "[]")
    elif kind == "map" and isinstance(value, dict):
        for element in value.values():
            check(shape.value, element, path + "{}")
    elif kind not in SCALARS or not isinstance(value, SCALARS[kind]) or isinstance(value, bool) != (kind == "boolean"):
        faults.add(f"{path} is {value!r}, no {kind}")
    elif kind == "string" and shape.enum and value not in shape.enum:
        faults.add(f"{path} is {value!r}, none of {shape.enum}")
    elif kind == "blob":
        base64.b64decode(value, validate=True)


def look(http_response, model, **_):
    body = json.loads(http_response.content or "{}")
    error = body.pop("__type", "").rpartition("#")[2]
    answered.add(model.name)
    if not error and model.output_shape:
        check(model.output_shape, body, model.name)
    for shape in model.error_shapes:
        if shape.name == error:
            check(shape, {name: value for name, value in body.items() if name not in ("message", "Message")}, error)


def fails(code, call, **request):
    try:
        call(**request)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return
    raise AssertionError("expected " + code)


for client in (db, streams):
    client.meta.events.register("after-call", look)

# ---- tables ----

T = "sdk_model"


def keys(partition, sort):
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


arn = db.create_table(
    TableName=T, BillingMode="PAY_PER_REQUEST", TableClass="STANDARD_INFREQUENT_ACCESS", SSESpecification={"Enabled": True, "SSEType": "KMS"},
    Tags=[{"Key": f"k{i}", "Value": "v"} for i in range(12)],
    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "S"), ("sk", "N"), ("l", "S"), ("g", "B"))],
    KeySchema=keys("pk", "sk"),
    LocalSecondaryIndexes=[{"IndexName": "lsi", "KeySchema": keys("pk", "l"),
                            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}],
    GlobalSecondaryIndexes=[{"IndexName": "gsi", "KeySchema": keys("g", "sk"), "Projection": {"ProjectionType": "ALL"}}],
)["TableDescription"]["TableArn"]
stream = db.describe_table(TableName=T)["Table"]["LatestStreamArn"]
units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
for change in (
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units,
         "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": units}}]},
        {"ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 6}},
        {"AttributeDefinitions": [{"AttributeName": "x", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
         "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": keys("x", "sk"), "ProvisionedThroughput": units,
                                                     "Projection": {"ProjectionType": "KEYS_ONLY"}}}]},
        {"BillingMode": "PAY_PER_REQUEST"}, {"TableClass": "STANDARD"}, {"SSESpecification": {"Enabled": False}}):
    db.update_table(TableName=T, **change)
    db.describe_table(TableName=T)
db.update_time_to_live(TableName=T, TimeToLiveSpecification={"Enabled": True, "AttributeName": "e"})
db.list_tags_of_resource(ResourceArn=arn)
db.tag_resource(ResourceArn=arn, Tags=[{"Key": "a", "Value": ""}])
db.untag_resource(ResourceArn=arn, TagKeys=["a"])
for call in (db.describe_time_to_live, db.describe_continuous_backups, db.describe_contributor_insights,
             db.describe_kinesis_streaming_destination):
    call(TableName=T)
fails("ResourceNotFoundException", db.describe_table_replica_auto_scaling, TableName=T)
for call in (db.list_tables, db.list_backups, db.list_exports, db.list_imports, db.list_global_tables, db.list_contributor_insights,
             db.describe_limits, db.describe_endpoints):
    call()

# ---- items ----

metrics = {"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}
read = {"ReturnConsumedCapacity": "INDEXES"}
item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "l": {"S": "x"}, "g": {"B": b"\xff"}, "x": {"S": "i"}, "empty": {"S": ""}, "n": {"N": "1"},
        "m": {"M": {"l": {"L": [{"NULL": True}, {"BOOL": False}, {"SS": ["a"]}, {"NS": ["1.5"]}, {"BS": [b"q"]}]}}}}
one = {name: item[name] for name in ("pk", "sk")}
none = {"pk": {"S": "none"}, "sk": {"N": "1"}}
db.put_item(TableName=T, Item=item, **metrics)
db.put_item(TableName=T, Item=item, ReturnValues="ALL_OLD", **metrics)
for values in ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
    db.update_item(TableName=T, Key=one, UpdateExpression="SET n = n + :n, m.l[0] = :n", ExpressionAttributeValues={":n": {"N": "1"}},
                   ReturnValues=values, **metrics)
db.batch_write_item(RequestItems={T: [{"PutRequest": {"Item": {**item, "sk": {"N": "2"}}}}, {"DeleteRequest": {"Key": none}}]}, **metrics)
db.get_item(TableName=T, Key=one, **read)
db.get_item(TableName=T, Key=none, **read)
db.batch_get_item(RequestItems={T: {"Keys": [one, none]}}, **read)
for index in ({}, {"IndexName": "lsi"}, {"IndexName": "gsi"}, {"IndexName": "new"}):
    db.scan(TableName=T, Limit=1, **index, **read)
for index, partition in (({}, "pk"), ({"IndexName": "lsi"}, "pk"), ({"IndexName": "gsi"}, "g")):
    for select in ({"Limit": 1}, {"Select": "COUNT"}):
        db.query(TableName=T, KeyConditionExpression=partition + " = :v", ExpressionAttributeValues={":v": item[partition]}, **index, **select,
                 **read)

# ---- transactions and PartiQL ----

absent = {"TableName": T, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
for _ in range(2):
    db.transact_write_items(TransactItems=[{"Put": {"TableName": T, "Item": {**item, "sk": {"N": "3"}}}},
                                           {"ConditionCheck": {"Key": none, **absent}}], ClientRequestToken="model", **metrics)
db.transact_get_items(TransactItems=[{"Get": {"TableName": T, "Key": key}} for key in (one, none)], **read)
fails("TransactionCanceledException", db.transact_write_items,
      TransactItems=[{"Put": {"Item": item, **absent}}, {"Delete": {"TableName": T, "Key": none}}])
fails("IdempotentParameterMismatchException", db.transact_write_items, ClientRequestToken="model",
      TransactItems=[{"Delete": {"TableName": T, "Key": none}}])
select = f"SELECT * FROM {T} WHERE pk = 'a'"
insert = f"INSERT INTO {T} VALUE {{'pk': 'a', 'sk': 1}}"
update = f"UPDATE {T} SET n = 0 WHERE pk = '%s' AND sk = 1"
db.execute_statement(Statement=select, NextToken=db.execute_statement(Statement=select, Limit=1, **read)["NextToken"], **read)
db.execute_statement(Statement=update % "a" + " RETURNING ALL NEW *", **read)
db.batch_execute_statement(**read, Statements=[{"Statement": statement} for statement in (
    insert, update % "none", "DELETE FROM nothing WHERE pk = 'a'")])
db.batch_execute_statement(Statements=[{"Statement": select + " AND sk = " + n} for n in "19"], **read)
db.execute_transaction(TransactStatements=[{"Statement": select + " AND sk = 1"}], **read)
db.execute_transaction(TransactStatements=[{"Statement": update % "a"}], **read)
fails("TransactionCanceledException", db.execute_transaction, TransactStatements=[{"Statement": insert}, {"Statement": update % "none"}])
fails("DuplicateItemException", db.execute_statement, Statement=insert)

# ---- streams ----

streams.list_streams(Limit=1)
shard = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
iterator = streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
assert len(streams.get_records(ShardIterator=iterator)["Records"]) > 5
db.update_table(TableName=T, StreamSpecification={"StreamEnabled": False})
streams.describe_stream(StreamArn=stream)

# ---- errors ----

fails("ConditionalCheckFailedException", db.put_item, TableName=T, Item=item, ConditionExpression="attribute_not_exists(pk)")
fails("ResourceInUseException", db.create_table, TableName=T, BillingMode="PAY_PER_REQUEST", KeySchema=keys("pk", "sk"),
      AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")])
fails("ResourceNotFoundException", db.get_item, TableName="nothing", Key=one)
fails("ValidationException", db.get_item, TableName=T, Key=item)
db.delete_item(TableName=T, Key=one, ReturnValues="ALL_OLD", **metrics)
db.delete_table(TableName=T)
assert len(answered) > 35, answered
assert not faults, "\n".join(sorted(faults))
print("ok")
