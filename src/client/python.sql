/*
 * python.sql
 *	  Clients in Python: over boto3 (option aws), and over psycopg 3 (option pg).
 *
 * Items are TypedDicts.  Values travel in DynamoDB's JSON, so that no number goes through a double.
 */
CREATE FUNCTION dynamo_internal.client_python(options jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_build_object('options', $1, 'styles', '{"type": "pascal", "method": "snake", "field": "snake"}'::jsonb,
	'reserved', '{
		"type": ["Any", "AnyItem", "ArithmeticError", "Callable", "Condition", "Connection", "Decimal", "Ellipsis", "False", "Generic", "Iterator", "Item", "LastKey", "Literal", "Mapping", "ModelChangedError", "None", "NotImplemented",
			"NotRequired", "Optional", "Page", "Read", "RuntimeError", "Sequence", "True", "TypeError", "TypeVar", "TypedDict", "T", "Union", "Value", "ValueError", "Wire", "WireItem", "Write"],
		"method": ["connect", "transact_get", "transact_write", "bool", "bytes", "dict", "float", "int", "list", "object", "str", "tuple", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
			"in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "type", "property", "staticmethod", "classmethod"],
		"field": ["add", "changes", "condition", "consistent_read", "expressions", "forward", "if_absent", "item", "json", "limit", "remove", "self", "start_key", "cls",
			"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
			"in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "rows", "found"]}'::jsonb,
	'types', '{"text": "str", "int": "int", "bigint": "int", "numeric": "Decimal", "float": "float", "bool": "bool", "binary": "bytes", "any": "Value", "list": "list[%s]"}'::jsonb,
	'inputs', '{"numeric": "Union[Decimal, int]"}'::jsonb,
	'codecs', '{"text": "_text", "int": "_integer", "bigint": "_integer", "numeric": "_decimal", "float": "_float", "bool": "_bool", "binary": "_binary", "any": "_anything", "list": "_list_of(%s)"}'::jsonb,
	'template', $template$"""A client of the table @{table|doc}, made by dynamo.generate_client(..., '@{language}').

It is made anew when the model has changed: do not edit it. It needs Python 3.11.
"""
from __future__ import annotations

@{#pg}
import base64
import json
@{/pg}
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, Literal, NotRequired, Optional, TypedDict, TypeVar, Union, overload
@{#pg}

from psycopg import Connection
from psycopg.rows import tuple_row
@{/pg}

#: The checksum of the model that this client knows.
MODEL_CHECKSUM = @{checksum|string}

#: A value of any type: None, bool, str, int, Decimal, bytes, and sets, lists and dicts of them.
Value = Any
#: An item of no entity, or some attributes of one.
Item = dict[str, Any]

Wire = dict[str, Any]
WireItem = dict[str, Wire]
T = TypeVar("T")
_R = TypeVar("_R", covariant=True)
_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_D = TypeVar("_D")

# ---- values ----


@dataclass(frozen=True)
class _Codec:
    encode: Callable[[Any], Wire]
    decode: Callable[[Wire], Any]


def _unfit(wire: Wire, wanted: str) -> TypeError:
    return TypeError(f"is of type {next(iter(wire), 'nothing')}, not {wanted}")


def _digits(wire: Wire) -> str:
    for member in ("N", "S"):
        if member in wire:
            return str(wire[member])
    raise _unfit(wire, "a number")


def _decode_text(wire: Wire) -> str:
    for member in ("S", "N"):
        if member in wire:
            return str(wire[member])
    raise _unfit(wire, "a text")


def _decode_bool(wire: Wire) -> bool:
    if "BOOL" not in wire:
        raise _unfit(wire, "a boolean")
    return bool(wire["BOOL"])


def _to_binary(value: Union[bytes, bytearray]) -> Any:
@{#aws}
    return bytes(value)
@{/aws}
@{#pg}
    return base64.b64encode(value).decode("ascii")
@{/pg}


def _from_binary(value: Any) -> bytes:
@{#aws}
    return bytes(value)
@{/aws}
@{#pg}
    return base64.b64decode(value)
@{/pg}


def _decode_binary(wire: Wire) -> bytes:
    if "B" not in wire:
        raise _unfit(wire, "binary")
    return _from_binary(wire["B"])


def _decode_number(digits: str) -> Union[int, Decimal]:
    return int(digits) if re.fullmatch("-?[0-9]+", digits) else Decimal(digits)


def _encode_set(members: Any) -> Wire:
    kind = next(iter(members), "")
    if isinstance(kind, str):
        return {"SS": sorted(members)}
    if isinstance(kind, (bytes, bytearray)):
        return {"BS": [_to_binary(member) for member in members]}
    return {"NS": [str(member) for member in members]}


def _encode_value(value: Any) -> Wire:
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, float, Decimal)):
        return {"N": str(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"B": _to_binary(value)}
    if isinstance(value, (set, frozenset)):
        return _encode_set(value)
    if isinstance(value, Mapping):
        return {"M": {name: _encode_value(member) for name, member in value.items()}}
    if isinstance(value, Sequence):
        return {"L": [_encode_value(member) for member in value]}
    raise TypeError(f"a value of type {type(value).__name__} cannot be stored")


def _decode_value(wire: Wire) -> Value:
    ((kind, value),) = wire.items()
    if kind == "NULL":
        return None
    if kind == "N":
        return _decode_number(value)
    if kind == "B":
        return _from_binary(value)
    if kind == "SS":
        return set(value)
    if kind == "NS":
        return {_decode_number(member) for member in value}
    if kind == "BS":
        return {_from_binary(member) for member in value}
    if kind == "L":
        return [_decode_value(member) for member in value]
    if kind == "M":
        return {name: _decode_value(member) for name, member in value.items()}
    return value


_text = _Codec(lambda value: {"S": str(value)}, _decode_text)
_integer = _Codec(lambda value: {"N": str(int(value))}, lambda wire: int(Decimal(_digits(wire))))
_decimal = _Codec(lambda value: {"N": str(value)}, lambda wire: Decimal(_digits(wire)))
_float = _Codec(lambda value: {"N": repr(float(value))}, lambda wire: float(_digits(wire)))
_bool = _Codec(lambda value: {"BOOL": bool(value)}, _decode_bool)
_binary = _Codec(lambda value: {"B": _to_binary(value)}, _decode_binary)
_anything = _Codec(_encode_value, _decode_value)


def _list_of(element: _Codec) -> _Codec:
    def decode(wire: Wire) -> Any:
        if "L" in wire:
            return [element.decode(member) for member in wire["L"]]
        for kind in ("SS", "NS", "BS"):
            if kind in wire:
                return [element.decode({kind[0]: member}) for member in wire[kind]]
        raise _unfit(wire, "a list")

    return _Codec(lambda value: {"L": [element.encode(member) for member in value]}, decode)


# ---- entities as the functions below know them ----


@dataclass(frozen=True)
class _Entity:
    name: str
    #: the attribute by which items are recognized, and its value
    type: Optional[tuple[str, str]]
    #: the keys that the database composes
    composed: frozenset[str]
    attributes: dict[str, _Codec]


def _convert(entity: _Entity, attribute: str, work: Callable[[_Codec], Any]) -> Any:
    try:
        return work(entity.attributes.get(attribute, _anything))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise TypeError(f"attribute {attribute!r} of entity {entity.name!r}: {error}") from error


def _encode_item(entity: _Entity, item: Mapping[str, Any], with_type: bool = True) -> WireItem:
    wire = {
        name: _convert(entity, name, lambda codec: codec.encode(value))
        for name, value in item.items()
        if name not in entity.composed and not (value is None and name in entity.attributes)
    }
    if with_type and entity.type is not None:
        wire[entity.type[0]] = {"S": entity.type[1]}
    return wire


def _decode_item(entity: _Entity, wire: Optional[WireItem]) -> Any:
    if wire is None:
        return None
    return {
        name: _convert(entity, name, lambda codec: codec.decode(value))
        for name, value in wire.items()
        if name not in entity.composed and not ("NULL" in value and name in entity.attributes)
    }


def _decode_any(entities: Sequence[_Entity], wire: WireItem) -> Any:
    """Decodes an item as one of the entity that its type attribute names."""
    for entity in entities:
        if entity.type is not None and wire.get(entity.type[0]) == {"S": entity.type[1]}:
            return _decode_item(entity, wire)
    return {name: _decode_value(value) for name, value in wire.items()}


# ---- options and pages ----


@dataclass(frozen=True)
class Condition:
    """A condition: names and values stand for #placeholders and :placeholders."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)


#: Where the next page starts.
LastKey = WireItem


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    #: None after the last page
    last_key: Optional[LastKey]


def every_item(read: Callable[[Optional[LastKey]], Page[T]]) -> Iterator[T]:
    """Reads page by page: every_item(lambda start_key: client.pattern(..., start_key=start_key))."""
    page = read(None)
    yield from page.items
    while page.last_key is not None:
        page = read(page.last_key)
        yield from page.items


class ModelChangedError(RuntimeError):
    """The database has another model than this client knows."""

    def __init__(self, found: Optional[str]) -> None:
        super().__init__(f"the model of the table has changed (its checksum is {found}): generate this client anew")
        self.found = found


class _Expressions:
    def __init__(self, condition: Optional[Condition], if_absent: bool = False) -> None:
        conditions: list[str] = []
        self.names: dict[str, str] = {}
        self.values: WireItem = {}
        if if_absent:
            conditions.append("attribute_not_exists(#_key)")
            self.names["#_key"] = @{partition_key|string}
        if condition is not None:
            conditions.append(f"({condition.expression})" if if_absent else condition.expression)
            self.names.update(condition.names)
            self.values.update({name: _encode_value(value) for name, value in condition.values.items()})
        self.condition = " AND ".join(conditions) or None
        self.update: Optional[str] = None

    def _name(self, attribute: str) -> str:
        placeholder = f"#_{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def _value(self, wire: Wire) -> str:
        placeholder = f":_{len(self.values)}"
        self.values[placeholder] = wire
        return placeholder

    def set_update(self, entity: _Entity, changes: Optional[Mapping[str, Any]], remove: Sequence[str], add: Optional[Mapping[Any, Any]]) -> None:
        put = [f"{self._name(name)} = {self._value(wire)}" for name, wire in _encode_item(entity, changes or {}, False).items()]
        drop = [self._name(name) for name in remove]
        plus = [f"{self._name(name)} {self._value({'N': str(number)})}" for name, number in (add or {}).items()]
        clauses = (("SET", put), ("REMOVE", drop), ("ADD", plus))
        self.update = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts) or None

    def members(self) -> dict[str, Any]:
        """The members of a request that say this."""
        members = {
            "ConditionExpression": self.condition,
            "UpdateExpression": self.update,
            "ExpressionAttributeNames": self.names,
            "ExpressionAttributeValues": self.values,
        }
        return {name: value for name, value in members.items() if value}


# ---- transactions ----


@dataclass(frozen=True)
class Write:
    """One of the writes of transact_write: `writes` makes it."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    members: Mapping[str, Any]


@dataclass(frozen=True)
class Read(Generic[_R]):
    """One of the reads of transact_get: `reads` makes it."""

    entity: _Entity
    key: WireItem


def _write_items(table: str, writes: Sequence[Write]) -> list[dict[str, Any]]:
    return [{write.action: {"TableName": table, **write.members}} for write in writes]


def _read_items(table: str, reads: Sequence[Read[Any]]) -> list[dict[str, Any]]:
    return [{"Get": {"TableName": table, "Key": read.key}} for read in reads]


# ---- the model ----
@{#entities}

#: Items of the entity @{name|line}, as they are read.
@{type_} = TypedDict(@{type_|string}, {
@{#type}
    @{type_attribute|string}: Literal[@{type_value|string}],
@{/type}
@{#attributes}
    # @{notes|line}
    @{name|string}: @{^present}NotRequired[@{/present}@{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{type}@{/has_enum}@{^present}]@{/present},
@{/attributes}
})

#: What is given to put one.
@{type_input} = TypedDict(@{type_input|string}, {
@{#type}
    @{type_attribute|string}: NotRequired[Literal[@{type_value|string}]],
@{/type}
@{#writable}
    @{name|string}: @{^given}NotRequired[@{/given}@{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}@{^given}]@{/given},
@{/writable}
})

#: What an update can set.
@{type_changes} = TypedDict(@{type_changes|string}, {
@{#changeable}
    @{name|string}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum},
@{/changeable}
}, total=False)
@{/entities}

#: An item of any entity that has a type attribute, or of none.
AnyItem = Union[@{#entities}@{#type}@{type_}, @{/type}@{/entities}Item]

_entities: list[_Entity] = [
@{#entities}
    _Entity(
        @{name|string},
        @{#type}(@{type_attribute|string}, @{type_value|string})@{/type}@{^type}None@{/type},
        frozenset([@{#composed}@{.|string}@{^-last}, @{/-last}@{/composed}]),
        {
@{#attributes}
            @{name|string}: @{codec},
@{/attributes}
        },
    ),
@{/entities}
]


class _Writes:
    """The writes of transact_write: as the client's methods, but nothing is sent."""
@{#entities}

    @staticmethod
    def @{method_put}(item: @{type_input}, *, if_absent: bool = False, condition: Optional[Condition] = None) -> Write:
        """Creates or replaces an item of the entity @{name|doc}; with if_absent it must not exist."""
        return Write("Put", {"Item": _encode_item(_entities[@{index}], item), **_Expressions(condition, if_absent).members()})

    @staticmethod
    def @{method_update}(
        *,
@{#key}
        @{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum},
@{/key}
        changes: Optional[@{type_changes}] = None,
        remove: Sequence[@{#has_changeable}Literal[@{#changeable}@{name|string}@{^-last}, @{/-last}@{/changeable}]@{/has_changeable}@{^has_changeable}str@{/has_changeable}] = (),
        add: Optional[Mapping[@{#has_numbers}Literal[@{#numbers}@{name|string}@{^-last}, @{/-last}@{/numbers}]@{/has_numbers}@{^has_numbers}str@{/has_numbers}, Union[int, Decimal]]] = None,
        condition: Optional[Condition] = None,
    ) -> Write:
        """Updates an item of the entity @{name|doc}, or creates it."""
        expressions = _Expressions(condition)
        expressions.set_update(_entities[@{index}], changes, remove, add)
        return Write("Update", {"Key": _encode_item(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}), **expressions.members()})

    @staticmethod
    def @{method_delete}(*, @{#key}@{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}, @{/key}condition: Optional[Condition] = None) -> Write:
        """Deletes an item of the entity @{name|doc}."""
        return Write("Delete", {"Key": _encode_item(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}), **_Expressions(condition).members()})

    @staticmethod
    def @{method_check}(*, @{#key}@{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}, @{/key}condition: Condition) -> Write:
        """Writes nothing, but all fails unless the condition holds for this item of the entity @{name|doc}."""
        return Write("ConditionCheck", {"Key": _encode_item(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}), **_Expressions(condition).members()})
@{/entities}


class _Reads:
    """The reads of transact_get: as the client's methods, but nothing is sent."""
@{#entities}

    @staticmethod
    def @{method_get}(*, @{#key}@{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}@{^-last}, @{/-last}@{/key}) -> Read[@{type_}]:
        """Reads an item of the entity @{name|doc}."""
        return Read(_entities[@{index}], _encode_item(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}))
@{/entities}


writes = _Writes()
reads = _Reads()


# ---- the client ----


class @{client}:
    """The entities and access patterns of the table @{table|doc}."""
@{#aws}

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    @classmethod
    def connect(cls, client: Any, table: str = @{table|string}) -> @{client}:
        """Makes a client of boto3.client("dynamodb").

        Raises ModelChangedError if the table has another model than this file was made of.
        """
        items = client.query(TableName=table, IndexName="model:checksum").get("Items", [])
        checksum = items[0]["checksum"]["S"] if items else None
        if checksum != MODEL_CHECKSUM:
            raise ModelChangedError(checksum)
        return cls(client, table)

    def _get(self, entity: _Entity, key: Mapping[str, Any], consistent_read: bool) -> Any:
        answer = self._client.get_item(TableName=self._table, Key=_encode_item(entity, key), ConsistentRead=consistent_read)
        return _decode_item(entity, answer.get("Item"))

    def _put(self, entity: _Entity, item: Mapping[str, Any], expressions: _Expressions) -> None:
        self._client.put_item(TableName=self._table, Item=_encode_item(entity, item), **expressions.members())

    def _update(self, entity: _Entity, key: Mapping[str, Any], expressions: _Expressions) -> Any:
        answer = self._client.update_item(
            TableName=self._table, Key=_encode_item(entity, key), ReturnValues="ALL_NEW", **expressions.members()
        )
        return _decode_item(entity, answer.get("Attributes", {}))

    def _delete(self, entity: _Entity, key: Mapping[str, Any], expressions: _Expressions) -> Any:
        answer = self._client.delete_item(
            TableName=self._table, Key=_encode_item(entity, key), ReturnValues="ALL_OLD", **expressions.members()
        )
        return _decode_item(entity, answer.get("Attributes"))

    def _query(
        self,
        pattern: str,
        parameters: Sequence[tuple[str, _Codec, Any]],
        decode: Callable[[WireItem], Any],
        limit: Optional[int],
        start_key: Optional[LastKey],
        forward: Optional[bool],
        consistent_read: bool,
    ) -> Page[Any]:
        values = {f":{name}": codec.encode(value) for name, codec, value in parameters if value is not None}
        members = {
            "ExpressionAttributeValues": values or None,
            "Limit": limit,
            "ExclusiveStartKey": start_key,
            "ScanIndexForward": forward,
            "ConsistentRead": consistent_read or None,
        }
        given = {name: value for name, value in members.items() if value is not None}
        answer = self._client.query(TableName=self._table, IndexName=pattern, **given)
        return Page([decode(item) for item in answer.get("Items", [])], answer.get("LastEvaluatedKey"))

    def transact_write(self, writes: Sequence[Write], *, token: Optional[str] = None) -> None:
        """Makes all of these writes or none.

        With the same token it is made once, however often it is sent within ten minutes.
        """
        given = {} if token is None else {"ClientRequestToken": token}
        self._client.transact_write_items(TransactItems=_write_items(self._table, writes), **given)

    def _found(self, reads: Sequence[Read[Any]]) -> list[Optional[WireItem]]:
        answer = self._client.transact_get_items(TransactItems=_read_items(self._table, reads))
        return [found.get("Item") for found in answer["Responses"]]
@{/aws}
@{#pg}

    def __init__(self, connection: Connection[Any], schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self._table = _quoted(schema) + "." + _quoted(@{table|string})

    @classmethod
    def connect(cls, connection: Connection[Any], schema: str = @{schema|string}) -> @{client}:
        """Makes a client of a connection of psycopg.

        Raises ModelChangedError if the table has another model than this file was made of.
        """
        client = cls(connection, schema)
        ((checksum,),) = client._execute("SELECT dynamo.model_checksum(%s::text)", [client._table])
        if checksum != MODEL_CHECKSUM:
            raise ModelChangedError(checksum)
        return client

    def _execute(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._connection.cursor(row_factory=tuple_row) as cursor:
            return cursor.execute(statement.encode(), values).fetchall()

    def _call(self, call: str, values: Sequence[Any]) -> Any:
        ((item,),) = self._execute(f"SELECT dynamo.{call}::text", values)
        return None if item is None else json.loads(item)

    def _write(self, verb: str, item: WireItem, expressions: _Expressions, returned: str) -> Any:
        return self._call(
            f"{verb}(%s::text, %s::dynamo.item, %s::text, %s::dynamo.item, %s::jsonb, %s::text)",
            [self._table, json.dumps(item), expressions.condition, _json(expressions.values), _json(expressions.names), returned],
        )

    def _get(self, entity: _Entity, key: Mapping[str, Any]) -> Any:
        return _decode_item(entity, self._call("get_item(%s::text, %s::dynamo.item)", [self._table, json.dumps(_encode_item(entity, key))]))

    def _put(self, entity: _Entity, item: Mapping[str, Any], expressions: _Expressions) -> None:
        self._write("put_item", _encode_item(entity, item), expressions, "NONE")

    def _update(self, entity: _Entity, key: Mapping[str, Any], expressions: _Expressions) -> Any:
        values = [
            self._table, json.dumps(_encode_item(entity, key)), expressions.update, expressions.condition,
            _json(expressions.values), _json(expressions.names),
        ]
        call = "update_item(%s::text, %s::dynamo.item, %s::text, %s::text, %s::dynamo.item, %s::jsonb, 'ALL_NEW')"
        return _decode_item(entity, self._call(call, values))

    def _delete(self, entity: _Entity, key: Mapping[str, Any], expressions: _Expressions) -> Any:
        return _decode_item(entity, self._write("delete_item", _encode_item(entity, key), expressions, "ALL_OLD"))

    def _query(
        self,
        select: str,
        schema: Optional[str],
        function: str,
        parameters: Sequence[tuple[str, _Codec, Any]],
        more: Sequence[tuple[str, Any]] = (),
    ) -> list[tuple[Any, ...]]:
        """Calls the function of an access pattern, with the parameters that are given."""
        given = [(name, _sql_value(codec.encode(value))) for name, codec, value in parameters if value is not None]
        given += [(name, value) for name, value in more if value is not None]
        name_of_function = _quoted(self._schema if schema is None else schema) + "." + function
        arguments = ", ".join(name.replace("%", "%%") + " => %s" for name, _ in given)
        call = f"{name_of_function.replace('%', '%%')}({arguments})"
        return self._execute(select.replace("CALL", call), [value for _, value in given])

    def transact_write(self, writes: Sequence[Write]) -> None:
        """Makes all of these writes or none, by one statement."""
        self._execute("SELECT dynamo.transact_write_items(%s::json)", [json.dumps(_write_items(self._table, writes))])

    def _found(self, reads: Sequence[Read[Any]]) -> list[Optional[WireItem]]:
        items = json.dumps(_read_items(self._table, reads))
        rows = self._execute("SELECT i::text FROM dynamo.transact_get_items(%s::json) i", [items])
        return [None if item is None else json.loads(item) for (item,) in rows]
@{/pg}

    @overload
    def transact_get(self, a: Read[_A], /) -> tuple[Optional[_A]]: ...

    @overload
    def transact_get(self, a: Read[_A], b: Read[_B], /) -> tuple[Optional[_A], Optional[_B]]: ...

    @overload
    def transact_get(self, a: Read[_A], b: Read[_B], c: Read[_C], /) -> tuple[Optional[_A], Optional[_B], Optional[_C]]: ...

    @overload
    def transact_get(
        self, a: Read[_A], b: Read[_B], c: Read[_C], d: Read[_D], /
    ) -> tuple[Optional[_A], Optional[_B], Optional[_C], Optional[_D]]: ...

    @overload
    def transact_get(self, *reads: Read[T]) -> tuple[Optional[T], ...]: ...

    def transact_get(self, *reads: Read[Any]) -> tuple[Any, ...]:
        """Reads items as they are at one moment: one for each read, None where there is none."""
        return tuple(_decode_item(read.entity, item) for read, item in zip(reads, self._found(reads)))
@{#entities}

    def @{method_get}(self, *, @{#key}@{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}, @{/key}@{#aws}consistent_read: bool = False@{/aws}) -> Optional[@{type_}]:
        """Reads an item of the entity @{name|doc}; None if there is none."""
        found: Optional[@{type_}] = self._get(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}@{#aws}, consistent_read@{/aws})
        return found

    def @{method_put}(self, item: @{type_input}, *, if_absent: bool = False, condition: Optional[Condition] = None) -> None:
        """Creates or replaces an item of the entity @{name|doc}; with if_absent it must not exist."""
        self._put(_entities[@{index}], item, _Expressions(condition, if_absent))

    def @{method_update}(
        self,
        *,
@{#key}
        @{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum},
@{/key}
        changes: Optional[@{type_changes}] = None,
        remove: Sequence[@{#has_changeable}Literal[@{#changeable}@{name|string}@{^-last}, @{/-last}@{/changeable}]@{/has_changeable}@{^has_changeable}str@{/has_changeable}] = (),
        add: Optional[Mapping[@{#has_numbers}Literal[@{#numbers}@{name|string}@{^-last}, @{/-last}@{/numbers}]@{/has_numbers}@{^has_numbers}str@{/has_numbers}, Union[int, Decimal]]] = None,
        condition: Optional[Condition] = None,
    ) -> @{type_}:
        """Updates an item of the entity @{name|doc}, or creates it, and returns it as it is then."""
        expressions = _Expressions(condition)
        expressions.set_update(_entities[@{index}], changes, remove, add)
        found: @{type_} = self._update(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}, expressions)
        return found

    def @{method_delete}(self, *, @{#key}@{field}: @{#has_enum}Literal[@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]@{/has_enum}@{^has_enum}@{input}@{/has_enum}, @{/key}condition: Optional[Condition] = None) -> Optional[@{type_}]:
        """Deletes an item of the entity @{name|doc} and returns it as it was; None if there was none."""
        found: Optional[@{type_}] = self._delete(_entities[@{index}], {@{#key}@{name|string}: @{field}@{^-last}, @{/-last}@{/key}}, _Expressions(condition))
        return found
@{/entities}
@{#patterns}

    def @{method}(
        self,
@{#takes_keywords}
        *,
@{/takes_keywords}
@{#parameters}
        @{field}: @{#optional}Optional[@{/optional}@{input}@{#optional}] = None@{/optional},
@{/parameters}
@{#aws}
        limit: Optional[int] = None,
        start_key: Optional[LastKey] = None,
        forward: Optional[bool] = None,
        consistent_read: bool = False,
    ) -> Page[@{#one}@{type_}@{/one}@{^one}@{#any}AnyItem@{/any}@{^any}@{#union}Union[@{#entities}@{type_}@{^-last}, @{/-last}@{/entities}@{#other}, Item@{/other}]@{/union}@{^union}Item@{/union}@{/any}@{/one}]:
@{/aws}
@{#pg}
@{#page}
        limit: Optional[int] = None,
        start_key: Optional[LastKey] = None,
@{/page}
    ) -> @{#document}Value@{/document}@{^document}@{#page}Page[@{/page}@{^page}list[@{/page}@{#one}@{type_}@{/one}@{^one}@{#any}AnyItem@{/any}@{^any}@{#union}Union[@{#entities}@{type_}@{^-last}, @{/-last}@{/entities}@{#other}, Item@{/other}]@{/union}@{^union}Item@{/union}@{/any}@{/one}]@{/document}:
@{/pg}
        """@{description|doc}@{#condition}

        @{condition|doc}
        @{/condition}"""
@{#aws}
        return self._query(
            @{request|string},
            [@{#parameters}(@{name|string}, @{codec}, @{field})@{^-last}, @{/-last}@{/parameters}],
            lambda item: @{#one}_decode_item(_entities[@{index}], item)@{/one}@{^one}_decode_any([@{#entities}_entities[@{index}]@{^-last}, @{/-last}@{/entities}], item)@{/one},
            limit, start_key, forward, consistent_read,
        )
@{/aws}
@{#pg}
        rows = self._query(
            @{#rows}"SELECT dynamo.row_to_item(r)::text FROM CALL r"@{/rows}@{#items}"SELECT i::text FROM CALL i"@{/items}@{#page}"SELECT to_json(p.items::text[])::text, p.last_evaluated_key::text FROM CALL p"@{/page}@{#document}"SELECT CALL::text"@{/document},
            @{#schema}@{schema|string}@{/schema}@{^schema}None@{/schema},
            @{function|string},
            [@{#parameters}(@{argument|string}, @{codec}, @{field})@{^-last}, @{/-last}@{/parameters}],
@{#page}
            [("page_size", limit), ("start_key", _json(start_key))],
@{/page}
        )
@{#document}
        return None if not rows or rows[0][0] is None else json.loads(rows[0][0], parse_float=Decimal)
@{/document}
@{#page}
        found = [@{#one}_decode_item(_entities[@{index}], json.loads(item))@{/one}@{^one}_decode_any([@{#entities}_entities[@{index}]@{^-last}, @{/-last}@{/entities}], json.loads(item))@{/one} for item in json.loads(rows[0][0] or "[]")]
        return Page(found, None if rows[0][1] is None else json.loads(rows[0][1]))
@{/page}
@{#rows}
        return [@{#one}_decode_item(_entities[@{index}], _typed(_entities[@{index}], json.loads(row[0])))@{/one}@{^one}_decode_any([@{#entities}_entities[@{index}]@{^-last}, @{/-last}@{/entities}], json.loads(row[0]))@{/one} for row in rows]
@{/rows}
@{#items}
        return [@{#one}_decode_item(_entities[@{index}], json.loads(row[0]))@{/one}@{^one}_decode_any([@{#entities}_entities[@{index}]@{^-last}, @{/-last}@{/entities}], json.loads(row[0]))@{/one} for row in rows]
@{/items}
@{/pg}
@{/patterns}
@{#pg}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _json(value: Any) -> Optional[str]:
    return json.dumps(value) if value else None


def _sql_value(wire: Wire) -> Any:
    """A parameter of a function in SQL."""
    ((kind, value),) = wire.items()
    if kind == "B":
        return _from_binary(value)
    return value if kind in ("S", "N", "BOOL") else json.dumps(wire)


def _typed(entity: _Entity, item: WireItem) -> WireItem:
    """A row of a view as an item: it has no type attribute."""
    return item if entity.type is None else {**item, entity.type[0]: {"S": entity.type[1]}}
@{/pg}
$template$);
END;
COMMENT ON FUNCTION dynamo_internal.client_python(jsonb) IS 'returns the data and the template of clients in Python';
