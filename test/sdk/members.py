"""Every member of every operation's input or output in botocore's model, as "Operation Member.Member": members.py input|output"""
import sys

import botocore.session

session = botocore.session.get_session()
lines = set()


def walk(operation, shape, path, inside):
    if shape.name == "AttributeValue" or shape.name in inside:
        return
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            lines.add(f"{operation} {path}{name}")
            walk(operation, member, f"{path}{name}.", inside + [shape.name])
    elif shape.type_name == "list":
        walk(operation, shape.member, path, inside + [shape.name])
    elif shape.type_name == "map":
        walk(operation, shape.value, path, inside + [shape.name])


for service in "dynamodb", "dynamodbstreams":
    model = session.get_service_model(service)
    for operation in model.operation_names:
        shape = getattr(model.operation_model(operation), sys.argv[1] + "_shape")
        if shape:
            walk(operation, shape, "", [])
print("\n".join(sorted(lines)))
