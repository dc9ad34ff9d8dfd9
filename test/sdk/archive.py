"""Exports, imports, backups and restores by boto3: archive.py URL KEY SECRET"""
import sys
import time

import boto3

url, key, secret = sys.argv[1:]
client = boto3.client("dynamodb", endpoint_url=url, region_name="us-east-1",
                      aws_access_key_id=key, aws_secret_access_key=secret)


def wait(describe, *path):
    for _ in range(600):
        answer = describe()
        for name in path:
            answer = answer[name]
        if answer not in ("IN_PROGRESS", "CREATING"):
            return answer
        time.sleep(0.05)
    raise RuntimeError("it does not end")


keys = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST"}
client.create_table(TableName="sdk", **keys)
client.put_item(TableName="sdk", Item={"pk": {"S": "a"}, "b": {"B": b"\0\xff"}, "n": {"NS": ["1", "2"]}})
client.update_continuous_backups(TableName="sdk", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
arn = client.describe_table(TableName="sdk")["Table"]["TableArn"]

export = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="bucket", S3Prefix="sdk")["ExportDescription"]
assert wait(lambda: client.describe_export(ExportArn=export["ExportArn"]), "ExportDescription", "ExportStatus") == "COMPLETED"
assert export["ExportArn"] in [e["ExportArn"] for e in client.list_exports(TableArn=arn)["ExportSummaries"]]
manifest = client.describe_export(ExportArn=export["ExportArn"])["ExportDescription"]["ExportManifest"]

started = client.import_table(S3BucketSource={"S3Bucket": "bucket", "S3KeyPrefix": manifest.replace("manifest-summary.json", "data/")},
                              InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP",
                              TableCreationParameters={"TableName": "sdk2", **keys})["ImportTableDescription"]
assert wait(lambda: client.describe_import(ImportArn=started["ImportArn"]), "ImportTableDescription", "ImportStatus") == "COMPLETED"
assert started["ImportArn"] in [i["ImportArn"] for i in client.list_imports()["ImportSummaryList"]]
assert client.scan(TableName="sdk2")["Items"] == client.scan(TableName="sdk")["Items"]

backup = client.create_backup(TableName="sdk", BackupName="backup")["BackupDetails"]
assert wait(lambda: client.describe_backup(BackupArn=backup["BackupArn"]), "BackupDescription", "BackupDetails", "BackupStatus") == "AVAILABLE"
assert [b["BackupArn"] for b in client.list_backups(TableName="sdk")["BackupSummaries"]] == [backup["BackupArn"]]
client.restore_table_from_backup(TargetTableName="sdk3", BackupArn=backup["BackupArn"])
client.get_waiter("table_exists").wait(TableName="sdk3", WaiterConfig={"Delay": 1})
assert client.scan(TableName="sdk3")["Items"] == client.scan(TableName="sdk")["Items"]
assert client.delete_backup(BackupArn=backup["BackupArn"])["BackupDescription"]["BackupDetails"]["BackupStatus"] == "DELETED"
try:
    client.describe_backup(BackupArn=backup["BackupArn"])
    raise AssertionError("the backup is still there")
except client.exceptions.BackupNotFoundException:
    pass
print("ok")
