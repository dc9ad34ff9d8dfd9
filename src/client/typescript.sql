/*
 * typescript.sql
 *	  Clients in TypeScript: over the AWS SDK for JavaScript, version 3 (option aws), and over
 *	  node-postgres (option pg).
 *
 * Both have the same types and methods but for access patterns, which over PostgreSQL return what
 * their functions do.  Values travel in DynamoDB's JSON, so that no number goes through a double.
 */
CREATE FUNCTION dynamo_internal.client_typescript(options jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_build_object('options', $1, 'styles', '{"type": "pascal", "method": "camel", "field": "camel"}'::jsonb,
	'reserved', '{
		"type": ["Any", "AnyItem", "Array", "AsyncGenerator", "AttributeValue", "BigInt", "Boolean", "Buffer", "Client", "Codec", "Condition", "Database", "Date", "Decimal", "DeleteItemCommand", "DynamoDBClient", "Entity",
			"Error", "Expressions", "GetItemCommand", "Item", "JSON", "LastKey", "Map", "ModelChangedError", "Number", "Object", "Page", "PageOptions", "Partial", "Promise", "PutItemCommand",
			"PutOptions", "QueryCommand", "RangeError", "Read", "ReadOptions", "Readonly", "Record", "RegExp", "Set", "String", "Symbol", "TransactGetItemsCommand", "TransactWriteItem",
			"TransactWriteItemsCommand", "TypeError", "Uint8Array", "Update", "UpdateItemCommand", "Value", "Wire", "WireItem", "Write", "WriteOptions"],
		"method": ["client", "connect", "constructor", "prototype", "schema", "table", "then", "toString", "toJSON", "transactGet", "transactWrite", "valueOf"],
		"field": []}'::jsonb,
	'types', '{"text": "string", "int": "number", "bigint": "bigint", "numeric": "Decimal", "float": "number", "bool": "boolean", "binary": "Uint8Array", "any": "Value", "list": "%s[]"}'::jsonb,
	'inputs', '{"bigint": "bigint | number", "numeric": "Decimal | number | bigint", "list": "Array<%s>"}'::jsonb,
	'codecs', '{"text": "text", "int": "integer", "bigint": "bigInteger", "numeric": "decimal", "float": "float", "bool": "bool", "binary": "binary", "any": "anything", "list": "listOf(%s)"}'::jsonb,
	'template', $template$// A client of the table @{table|line}, made by dynamo.generate_client(..., '@{language}').
// It is made anew when the model has changed: do not edit it.
/* eslint-disable */
@{#aws}
import {
    DeleteItemCommand, GetItemCommand, PutItemCommand, QueryCommand, TransactGetItemsCommand, TransactWriteItemsCommand, UpdateItemCommand,
    type AttributeValue, type DynamoDBClient, type TransactWriteItem,
} from "@aws-sdk/client-dynamodb";
@{/aws}

/** The checksum of the model that this client knows. */
export const MODEL_CHECKSUM = @{checksum|string};

@{#pg}
/** A Client or Pool of node-postgres. */
export interface Database {
    query(text: string, values: unknown[]): Promise<{ rows: any[] }>;
}

@{/pg}
// ---- values ----

/** A number with up to 38 digits, exactly. */
export class Decimal {
    readonly digits: string;

    constructor(value: string | number | bigint) {
        this.digits = String(value);
        if (!/^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$/.test(this.digits))
            throw new RangeError(`not a number: ${this.digits}`);
    }

    /** The nearest double. */
    toNumber(): number {
        return Number(this.digits);
    }

    toString(): string {
        return this.digits;
    }

    toJSON(): string {
        return this.digits;
    }
}

/** A value of any type. Numbers that a double cannot hold are bigint or Decimal. */
export type Value =
    | null | boolean | string | number | bigint | Decimal | Uint8Array
    | Set<string | number | bigint | Decimal | Uint8Array> | Value[] | { [name: string]: Value };

/** An item of no entity, or some attributes of one. */
export interface Item {
    [attribute: string]: Value | undefined;
}

@{#aws}
type Wire = AttributeValue;
@{/aws}
@{#pg}
type Wire = {
    S?: string; N?: string; B?: string; BOOL?: boolean; NULL?: boolean;
    SS?: string[]; NS?: string[]; BS?: string[]; L?: Wire[]; M?: Record<string, Wire>;
};
@{/pg}
type WireItem = Record<string, Wire>;

interface Codec {
    encode(value: any): Wire;
    decode(wire: Wire): any;
}

function unfit(wire: Wire, wanted: string): never {
    throw new TypeError(`is of type ${Object.keys(wire)[0]}, not ${wanted}`);
}

@{#aws}
const toBinary = (bytes: Uint8Array) => bytes;
const fromBinary = (bytes: Uint8Array) => bytes;
@{/aws}
@{#pg}
const toBinary = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const fromBinary = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
@{/pg}

const numberOf = (wire: Wire) => wire.N ?? wire.S ?? unfit(wire, "a number");
const text: Codec = {
    encode: value => ({ S: String(value) }),
    decode: wire => wire.S ?? wire.N ?? unfit(wire, "a text"),
};
const integer: Codec = {
    encode: value => ({ N: String(BigInt(value)) }),
    decode: wire => Number(numberOf(wire)),
};
const bigInteger: Codec = {
    encode: value => ({ N: String(BigInt(value)) }),
    decode: wire => BigInt(numberOf(wire)),
};
const decimal: Codec = {
    encode: value => ({ N: new Decimal(value instanceof Decimal ? value.digits : value).digits }),
    decode: wire => new Decimal(numberOf(wire)),
};
const float: Codec = {
    encode: value => ({ N: new Decimal(value).digits }),
    decode: wire => Number(numberOf(wire)),
};
const bool: Codec = {
    encode: value => ({ BOOL: Boolean(value) }),
    decode: wire => wire.BOOL ?? unfit(wire, "a boolean"),
};
const binary: Codec = {
    encode: value => ({ B: toBinary(value) }),
    decode: wire => fromBinary(wire.B ?? unfit(wire, "binary")),
};

function decodeNumber(digits: string): number | bigint | Decimal {
    const number = Number(digits);

    if (String(number) === digits)
        return number;
    return /^-?[0-9]+$/.test(digits) ? BigInt(digits) : new Decimal(digits);
}

function encodeSet(set: Set<any>): Wire {
    const members = [...set];

    if (typeof members[0] === "string")
        return { SS: members };
    if (members[0] instanceof Uint8Array)
        return { BS: members.map(toBinary) };
    return { NS: members.map(String) };
}

function encodeValue(value: any): Wire {
    if (value === null)
        return { NULL: true };
    if (typeof value === "string")
        return { S: value };
    if (typeof value === "boolean")
        return { BOOL: value };
    if (typeof value === "number" || typeof value === "bigint" || value instanceof Decimal)
        return decimal.encode(value);
    if (value instanceof Uint8Array)
        return { B: toBinary(value) };
    if (value instanceof Set)
        return encodeSet(value);
    if (Array.isArray(value))
        return { L: value.map(encodeValue) };
    if (typeof value === "object")
        return { M: encodeMap(value) };
    throw new TypeError(`a ${typeof value} cannot be stored`);
}

function encodeMap(map: Record<string, any>): WireItem {
    return Object.fromEntries(Object.entries(map).filter(([, v]) => v !== undefined).map(([k, v]) => [k, encodeValue(v)]));
}

function decodeMap(map: WireItem): Record<string, any> {
    return Object.fromEntries(Object.entries(map).map(([k, v]) => [k, decodeValue(v)]));
}

function decodeValue(wire: Wire): any {
    if (wire.NULL !== undefined)
        return null;
    if (wire.N !== undefined)
        return decodeNumber(wire.N);
    if (wire.B !== undefined)
        return fromBinary(wire.B);
    if (wire.SS !== undefined)
        return new Set(wire.SS);
    if (wire.NS !== undefined)
        return new Set(wire.NS.map(decodeNumber));
    if (wire.BS !== undefined)
        return new Set(wire.BS.map(fromBinary));
    if (wire.L !== undefined)
        return wire.L.map(decodeValue);
    if (wire.M !== undefined)
        return decodeMap(wire.M);
    return wire.S ?? wire.BOOL;
}

const anything: Codec = { encode: encodeValue, decode: decodeValue };

function listOf(element: Codec): Codec {
    return {
        encode: value => ({ L: value.map(element.encode) }),
        decode: wire => wire.L !== undefined ? wire.L.map(element.decode) :
            wire.SS !== undefined ? wire.SS.map(S => element.decode({ S })) :
            wire.NS !== undefined ? wire.NS.map(N => element.decode({ N })) :
            wire.BS !== undefined ? wire.BS.map(B => element.decode({ B })) : unfit(wire, "a list"),
    };
}

// ---- entities as the functions below know them ----

interface Entity {
    name: string;
    /** The attribute by which items are recognized, and its value. */
    type?: { attribute: string; value: string };
    /** The attributes of which the table's key is composed. */
    key: string[];
    /** The keys that the database composes. */
    composed: string[];
    attributes: Map<string, Codec>;
}

function named<T>(entity: Entity, attribute: string, work: () => T): T {
    try {
        return work();
    } catch (error) {
        throw new TypeError(`attribute ${JSON.stringify(attribute)} of entity ${JSON.stringify(entity.name)}: ${error instanceof Error ? error.message : error}`);
    }
}

function encodeItem(entity: Entity, item: object): WireItem {
    const entries: [string, Wire][] = Object.entries(item)
        .filter(([name, value]) => value !== undefined && !entity.composed.includes(name) && !(value === null && entity.attributes.has(name)))
        .map(([name, value]) => [name, named(entity, name, () => (entity.attributes.get(name) ?? anything).encode(value))]);

    if (entity.type !== undefined)
        entries.push([entity.type.attribute, { S: entity.type.value }]);
    return Object.fromEntries(entries);
}

function encodeKey(entity: Entity, key: object): WireItem {
    return encodeItem(entity, Object.fromEntries(Object.entries(key).filter(([name]) => entity.key.includes(name))));
}

function decodeItem(entity: Entity, item: WireItem): any {
    const entries = Object.entries(item)
        .filter(([name, wire]) => !entity.composed.includes(name) && !(wire.NULL !== undefined && entity.attributes.has(name)))
        .map(([name, wire]) => [name, named(entity, name, () => (entity.attributes.get(name) ?? anything).decode(wire))]);

    return Object.fromEntries(entries);
}

/** Decodes an item as one of the entity that its type attribute names. */
function decodeAny(entities: Entity[], item: WireItem): any {
    for (const entity of entities) {
        if (entity.type !== undefined && Object.hasOwn(item, entity.type.attribute) && item[entity.type.attribute]?.S === entity.type.value)
            return decodeItem(entity, item);
    }
    return decodeMap(item);
}

// ---- options ----

/** A condition, or none: names and values stand for #placeholders and :placeholders. */
export interface Condition {
    expression: string;
    names?: Record<string, string>;
    values?: Record<string, Value>;
}

@{#aws}
export interface ReadOptions {
    consistentRead?: boolean;
}

@{/aws}
export interface WriteOptions {
    condition?: Condition;
}

export interface PutOptions extends WriteOptions {
    /** Fails if the item exists. */
    ifAbsent?: boolean;
}

/** Attributes to set, to remove, and numbers to add. */
export interface Update<Changes, Numbers extends string> {
    set?: Changes;
    remove?: (keyof Changes)[];
    add?: { [attribute in Numbers]?: number | bigint | Decimal };
}

/** Where the next page starts. */
export type LastKey = WireItem & { readonly __lastKey?: never };

export interface Page<T> {
    items: T[];
    /** Absent after the last page. */
    lastKey?: LastKey;
}

export interface PageOptions {
    limit?: number;
    startKey?: LastKey;
@{#aws}
    /** The other direction than that of the access pattern, or the same. */
    forward?: boolean;
    consistentRead?: boolean;
@{/aws}
}

/** Reads page by page: `for await (const item of everyItem(startKey => client.pattern(parameters, { startKey })))`. */
export async function* everyItem<T>(read: (startKey?: LastKey) => Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
    let page: Page<T> | undefined;

    do {
        page = await (page?.lastKey === undefined ? read() : read(page.lastKey));
        yield* page.items;
    } while (page.lastKey !== undefined);
}

/** The database has another model than this client knows. */
export class ModelChangedError extends Error {
    constructor(readonly found: string | undefined) {
        super(`the model of the table has changed (its checksum is ${found ?? "unknown"}): generate this client anew`);
        this.name = "ModelChangedError";
    }
}

interface Expressions {
    condition: string | undefined;
    names: Record<string, string> | undefined;
    values: WireItem | undefined;
}

const orNothing = <T extends object>(object: T): T | undefined => Object.keys(object).length === 0 ? undefined : object;

function expressionsOf(options: PutOptions, names: Record<string, string> = {}, values: WireItem = {}): Expressions {
    const conditions: string[] = [];

    if (options.ifAbsent === true) {
        conditions.push("attribute_not_exists(#_key)");
        names["#_key"] = @{partition_key|string};
    }
    if (options.condition !== undefined) {
        conditions.push(options.ifAbsent === true ? `(${options.condition.expression})` : options.condition.expression);
        Object.assign(names, options.condition.names);
        Object.assign(values, encodeMap(options.condition.values ?? {}));
    }
    return { condition: conditions.length === 0 ? undefined : conditions.join(" AND "), names: orNothing(names), values: orNothing(values) };
}

/** The update expression; undefined if nothing changes. */
function updateOf(entity: Entity, update: Update<any, any>, names: Record<string, string>, values: WireItem): string | undefined {
    const set: string[] = [], remove: string[] = [], add: string[] = [];
    const name = (attribute: string) => {
        const placeholder = `#_${Object.keys(names).length}`;

        names[placeholder] = attribute;
        return placeholder;
    };
    const value = (wire: Wire) => {
        const placeholder = `:_${Object.keys(values).length}`;

        values[placeholder] = wire;
        return placeholder;
    };

    for (const [attribute, wire] of Object.entries(encodeItem({ ...entity, type: undefined } as any, update.set ?? {})))
        set.push(`${name(attribute)} = ${value(wire)}`);
    for (const attribute of update.remove ?? [])
        remove.push(name(String(attribute)));
    for (const [attribute, number] of Object.entries(update.add ?? {}).filter(([, number]) => number !== undefined))
        add.push(`${name(attribute)} ${value(named(entity, attribute, () => decimal.encode(number)))}`);
    const clauses = [["SET", set], ["REMOVE", remove], ["ADD", add]] as const;
    return clauses.filter(([, list]) => list.length > 0).map(([verb, list]) => `${verb} ${list.join(", ")}`).join(" ") || undefined;
}

// ---- transactions ----

/** One of the writes of transactWrite: `writes` makes it. */
export interface Write {
    readonly model: typeof MODEL_CHECKSUM;
    readonly action: "Put" | "Update" | "Delete" | "ConditionCheck";
    readonly members: object;
}

/** One of the reads of transactGet: `reads` makes it. */
export interface Read<T> {
    readonly model: typeof MODEL_CHECKSUM;
    readonly key: WireItem;
    readonly decode: (item: WireItem) => T;
}

function writeOf(action: Write["action"], members: object, { condition, names, values }: Expressions): Write {
    return {
        model: MODEL_CHECKSUM, action,
        members: { ...members, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values },
    };
}

function updateWriteOf(entity: Entity, key: object, update: Update<any, any>, options: WriteOptions): Write {
    const names = {}, values = {};
    const UpdateExpression = updateOf(entity, update, names, values);

    return writeOf("Update", { Key: encodeKey(entity, key), UpdateExpression }, expressionsOf(options, names, values));
}

const readOf = (entity: Entity, key: object): Read<any> =>
    ({ model: MODEL_CHECKSUM, key: encodeKey(entity, key), decode: item => decodeItem(entity, item) });

// ---- the model ----

@{#entities}
/** Items of the entity @{name|comment}, as they are read. */
export interface @{type_} {
@{#type}
    @{type_attribute|property}: @{type_value|string};
@{/type}
@{#attributes}
    /** @{notes|comment} */
    @{name|property}@{^present}?@{/present}: @{#enum}@{.|string}@{^-last} | @{/-last}@{/enum}@{^enum}@{type}@{/enum};
@{/attributes}
@{#open}
    [attribute: string]: Value | undefined;
@{/open}
}

/** What is given to put one. */
export interface @{type_input} {
@{#type}
    @{type_attribute|property}?: @{type_value|string};
@{/type}
@{#writable}
    /** @{notes|comment} */
    @{name|property}@{^given}?@{/given}: @{#enum}@{.|string}@{^-last} | @{/-last}@{/enum}@{^enum}@{input}@{/enum}@{^given} | undefined@{/given};
@{/writable}
@{#open}
    [attribute: string]: Value | undefined;
@{/open}
}

/** The parts of its key. */
export interface @{type_key} {
@{#key}
    @{name|property}: @{#enum}@{.|string}@{^-last} | @{/-last}@{/enum}@{^enum}@{input}@{/enum};
@{/key}
}

/** What an update can set. */
export interface @{type_changes} {
@{#changeable}
    @{name|property}?: @{#enum}@{.|string}@{^-last} | @{/-last}@{/enum}@{^enum}@{input}@{/enum} | undefined;
@{/changeable}
@{#open}
    [attribute: string]: Value | undefined;
@{/open}
}

@{/entities}
/** An item of any entity that has a type attribute, or of none. */
export type AnyItem = @{#entities}@{#type}@{type_} | @{/type}@{/entities}Item;

const entities = [
@{#entities}
    {
        name: @{name|string},
@{#type}
        type: { attribute: @{type_attribute|string}, value: @{type_value|string} },
@{/type}
        key: [@{#key}@{name|string}@{^-last}, @{/-last}@{/key}],
        composed: [@{#composed}@{.|string}@{^-last}, @{/-last}@{/composed}],
        attributes: new Map<string, Codec>([
@{#attributes}
            [@{name|string}, @{codec}],
@{/attributes}
        ]),
    },
@{/entities}
] as Entity[];

const entityOf = (name: string): Entity => entities.find(entity => entity.name === name)!;

@{#patterns}
@{#has_parameters}
/** The parameters of @{name|comment}: @{condition|comment} */
export interface @{type_parameters} {
@{#parameters}
    @{name|property}@{#optional}?@{/optional}: @{input}@{#optional} | null | undefined@{/optional};
@{/parameters}
}

@{/has_parameters}
@{/patterns}
/** The writes of transactWrite: as the client's methods, but nothing is sent. */
export const writes = {
@{#entities}
    /** Creates or replaces an item of the entity @{name|comment}. */
    @{method_put}(item: @{type_input}, options: PutOptions = {}): Write {
        return writeOf("Put", { Item: encodeItem(entityOf(@{name|string}), item) }, expressionsOf(options));
    },

    /** Updates an item of the entity @{name|comment}, or creates it. */
    @{method_update}(key: @{type_key}, update: Update<@{type_changes}, @{#numbers}@{name|string}@{^-last} | @{/-last}@{/numbers}@{^numbers}never@{/numbers}>, options: WriteOptions = {}): Write {
        return updateWriteOf(entityOf(@{name|string}), key, update, options);
    },

    /** Deletes an item of the entity @{name|comment}. */
    @{method_delete}(key: @{type_key}, options: WriteOptions = {}): Write {
        return writeOf("Delete", { Key: encodeKey(entityOf(@{name|string}), key) }, expressionsOf(options));
    },

    /** Writes nothing, but all fails unless the condition holds for this item of the entity @{name|comment}. */
    @{method_check}(key: @{type_key}, condition: Condition): Write {
        return writeOf("ConditionCheck", { Key: encodeKey(entityOf(@{name|string}), key) }, expressionsOf({ condition }));
    },
@{^-last}

@{/-last}
@{/entities}
};

/** The reads of transactGet: as the client's methods, but nothing is sent. */
export const reads = {
@{#entities}
    /** Reads an item of the entity @{name|comment}. */
    @{method_get}(key: @{type_key}): Read<@{type_}> {
        return readOf(entityOf(@{name|string}), key);
    },
@{^-last}

@{/-last}
@{/entities}
};

// ---- the client ----

/** The entities and access patterns of the table @{table|comment}. */
export class @{client} {
@{#aws}
    readonly #client: DynamoDBClient;
    readonly #table: string;

    private constructor(client: DynamoDBClient, table: string) {
        this.#client = client;
        this.#table = table;
    }

    /** Makes a client. Fails with ModelChangedError if the table has another model than this file was made of. */
    static async connect(client: DynamoDBClient, table: string = @{table|string}): Promise<@{client}> {
        const { Items } = await client.send(new QueryCommand({ TableName: table, IndexName: "model:checksum" }));
        const checksum = Items?.[0]?.["checksum"]?.S;

        if (checksum !== MODEL_CHECKSUM)
            throw new ModelChangedError(checksum);
        return new @{client}(client, table);
    }

    async #get(entity: Entity, key: object, options: ReadOptions): Promise<any> {
        const { Item } = await this.#client.send(new GetItemCommand({
            TableName: this.#table, Key: encodeKey(entity, key), ConsistentRead: options.consistentRead,
        }));

        return Item === undefined ? undefined : decodeItem(entity, Item);
    }

    async #put(entity: Entity, item: object, options: PutOptions): Promise<void> {
        const { condition, names, values } = expressionsOf(options);

        await this.#client.send(new PutItemCommand({
            TableName: this.#table, Item: encodeItem(entity, item),
            ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
        }));
    }

    async #update(entity: Entity, key: object, update: Update<any, any>, options: WriteOptions): Promise<any> {
        const ownNames = {}, ownValues = {};
        const expression = updateOf(entity, update, ownNames, ownValues);
        const { condition, names, values } = expressionsOf(options, ownNames, ownValues);
        const { Attributes } = await this.#client.send(new UpdateItemCommand({
            TableName: this.#table, Key: encodeKey(entity, key), UpdateExpression: expression, ReturnValues: "ALL_NEW",
            ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
        }));

        return decodeItem(entity, Attributes ?? {});
    }

    async #delete(entity: Entity, key: object, options: WriteOptions): Promise<any> {
        const { condition, names, values } = expressionsOf(options);
        const { Attributes } = await this.#client.send(new DeleteItemCommand({
            TableName: this.#table, Key: encodeKey(entity, key), ReturnValues: "ALL_OLD",
            ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
        }));

        return Attributes === undefined ? undefined : decodeItem(entity, Attributes);
    }

    async #query(pattern: string, parameters: [string, Codec, any][], options: PageOptions, decode: (item: WireItem) => any): Promise<Page<any>> {
        const values = parameters.filter(([, , value]) => value !== undefined)
            .map(([name, codec, value]): [string, Wire] => [":" + name, value === null ? { NULL: true } : codec.encode(value)]);
        const { Items, LastEvaluatedKey } = await this.#client.send(new QueryCommand({
            TableName: this.#table, IndexName: pattern, ExpressionAttributeValues: orNothing(Object.fromEntries(values)),
            Limit: options.limit, ExclusiveStartKey: options.startKey, ScanIndexForward: options.forward, ConsistentRead: options.consistentRead,
        }));
        const items = (Items ?? []).map(decode);

        return LastEvaluatedKey === undefined ? { items } : { items, lastKey: LastEvaluatedKey };
    }

    /**
     * Makes all of these writes or none. With the same token it is made once, however often it is sent within
     * ten minutes.
     */
    async transactWrite(writes: readonly Write[], options: { token?: string } = {}): Promise<void> {
        await this.#client.send(new TransactWriteItemsCommand({
            TransactItems: writes.map(({ action, members }) => ({ [action]: { TableName: this.#table, ...members } }) as TransactWriteItem),
            ClientRequestToken: options.token,
        }));
    }

    async #found(reads: readonly Read<unknown>[]): Promise<(WireItem | undefined)[]> {
        const { Responses } = await this.#client.send(new TransactGetItemsCommand({
            TransactItems: reads.map(({ key }) => ({ Get: { TableName: this.#table, Key: key } })),
        }));

        return (Responses ?? []).map(({ Item }) => Item);
    }
@{/aws}
@{#pg}
    readonly #database: Database;
    readonly #schema: string;
    readonly #table: string;

    private constructor(database: Database, schema: string) {
        this.#database = database;
        this.#schema = schema;
        this.#table = `${quoted(schema)}.${quoted(@{table|string})}`;
    }

    /** Makes a client. Fails with ModelChangedError if the table has another model than this file was made of. */
    static async connect(database: Database, schema: string = @{schema|string}): Promise<@{client}> {
        const client = new @{client}(database, schema);
        const { rows } = await database.query("SELECT dynamo.model_checksum($1::text) AS checksum", [client.#table]);

        if (rows[0]?.checksum !== MODEL_CHECKSUM)
            throw new ModelChangedError(rows[0]?.checksum ?? undefined);
        return client;
    }

    async #call(call: string, values: unknown[]): Promise<WireItem | undefined> {
        const { rows } = await this.#database.query(`SELECT dynamo.${call}::text AS item`, values);

        return rows[0].item === null ? undefined : JSON.parse(rows[0].item);
    }

    async #get(entity: Entity, key: object): Promise<any> {
        const item = await this.#call("get_item($1::text, $2::dynamo.item)", [this.#table, JSON.stringify(encodeKey(entity, key))]);

        return item === undefined ? undefined : decodeItem(entity, item);
    }

    async #write(verb: string, item: WireItem, options: PutOptions, returned: string): Promise<WireItem | undefined> {
        const { condition, names, values } = expressionsOf(options);

        return this.#call(`${verb}($1::text, $2::dynamo.item, $3::text, $4::dynamo.item, $5::jsonb, $6::text)`,
            [this.#table, JSON.stringify(item), condition ?? null, values ? JSON.stringify(values) : null, names ? JSON.stringify(names) : null, returned]);
    }

    async #put(entity: Entity, item: object, options: PutOptions): Promise<void> {
        await this.#write("put_item", encodeItem(entity, item), options, "NONE");
    }

    async #update(entity: Entity, key: object, update: Update<any, any>, options: WriteOptions): Promise<any> {
        const ownNames = {}, ownValues = {};
        const expression = updateOf(entity, update, ownNames, ownValues);
        const { condition, names, values } = expressionsOf(options, ownNames, ownValues);
        const item = await this.#call("update_item($1::text, $2::dynamo.item, $3::text, $4::text, $5::dynamo.item, $6::jsonb, 'ALL_NEW')",
            [this.#table, JSON.stringify(encodeKey(entity, key)), expression ?? null, condition ?? null,
                values ? JSON.stringify(values) : null, names ? JSON.stringify(names) : null]);

        return decodeItem(entity, item ?? {});
    }

    async #delete(entity: Entity, key: object, options: WriteOptions): Promise<any> {
        const item = await this.#write("delete_item", encodeKey(entity, key), options, "ALL_OLD");

        return item === undefined ? undefined : decodeItem(entity, item);
    }

    /** Calls the function of an access pattern, with the parameters that are given. */
    async #query(select: (call: string) => string, schema: string | null, pattern: string, parameters: [string, Codec, any][], more: [string, unknown][] = []): Promise<any[]> {
        const values: [string, unknown][] = parameters.filter(([, , value]) => value !== undefined)
            .map(([name, codec, value]): [string, unknown] => [name, value === null ? null : sqlValue(codec.encode(value))]);
        const all = [...values, ...more];
        const call = `${quoted(schema ?? this.#schema)}.${pattern}(${all.map(([name], i) => `${name} => $${i + 1}`).join(", ")})`;
        const { rows } = await this.#database.query(select(call), all.map(([, value]) => value));

        return rows;
    }

    /** Makes all of these writes or none, by one statement. */
    async transactWrite(writes: readonly Write[]): Promise<void> {
        await this.#database.query("SELECT dynamo.transact_write_items($1::json)",
            [JSON.stringify(writes.map(({ action, members }) => ({ [action]: { TableName: this.#table, ...members } })))]);
    }

    async #found(reads: readonly Read<unknown>[]): Promise<(WireItem | undefined)[]> {
        const { rows } = await this.#database.query("SELECT i::text AS item FROM dynamo.transact_get_items($1::json) i",
            [JSON.stringify(reads.map(({ key }) => ({ Get: { TableName: this.#table, Key: key } })))]);

        return rows.map(({ item }) => item === null ? undefined : JSON.parse(item));
    }
@{/pg}

    /** Reads items as they are at one moment: one for each read, undefined where there is none. */
    async transactGet<T extends readonly Read<unknown>[] | []>(reads: T): Promise<{ -readonly [i in keyof T]: (T[i] extends Read<infer R> ? R : never) | undefined }> {
        const items = await this.#found(reads);

        return reads.map(({ decode }, i) => items[i] === undefined ? undefined : decode(items[i]!)) as any;
    }
@{#entities}

    /** Reads an item of the entity @{name|comment}; undefined if there is none. */
    async @{method_get}(key: @{type_key}@{#aws}, options: ReadOptions = {}@{/aws}): Promise<@{type_} | undefined> {
        return this.#get(entityOf(@{name|string}), key@{#aws}, options@{/aws});
    }

    /** Creates or replaces an item of the entity @{name|comment}. */
    async @{method_put}(item: @{type_input}, options: PutOptions = {}): Promise<void> {
        await this.#put(entityOf(@{name|string}), item, options);
    }

    /** Updates an item of the entity @{name|comment}, or creates it, and returns it as it is then. */
    async @{method_update}(key: @{type_key}, update: Update<@{type_changes}, @{#numbers}@{name|string}@{^-last} | @{/-last}@{/numbers}@{^numbers}never@{/numbers}>, options: WriteOptions = {}): Promise<@{type_}> {
        return this.#update(entityOf(@{name|string}), key, update, options);
    }

    /** Deletes an item of the entity @{name|comment} and returns it as it was; undefined if there was none. */
    async @{method_delete}(key: @{type_key}, options: WriteOptions = {}): Promise<@{type_} | undefined> {
        return this.#delete(entityOf(@{name|string}), key, options);
    }
@{/entities}
@{#patterns}

    /**
     * @{description|comment}
@{#condition}
     *
     * @{condition|comment}
@{/condition}
     */
@{#aws}
    async @{method}(@{#has_parameters}parameters: @{type_parameters}@{^needs_parameters} = {}@{/needs_parameters}, @{/has_parameters}options: PageOptions = {}): Promise<Page<@{#one}@{type_}@{/one}@{^one}@{#any}AnyItem@{/any}@{^any}@{#entities}@{type_}@{^-last} | @{/-last}@{/entities}@{#other}@{#entities}@{#-last} | @{/-last}@{/entities}Item@{/other}@{/any}@{/one}>> {
        return this.#query(@{request|string}, [
@{#parameters}
            [@{name|string}, @{codec}, parameters[@{name|string}]],
@{/parameters}
        ], options, @{#one}item => decodeItem(entityOf(@{name|string}), item)@{/one}@{^one}item => decodeAny([@{#entities}entityOf(@{name|string})@{^-last}, @{/-last}@{/entities}], item)@{/one});
    }
@{/aws}
@{#pg}
    async @{method}(@{#has_parameters}parameters: @{type_parameters}@{^needs_parameters} = {}@{/needs_parameters}@{/has_parameters}@{#page}@{#has_parameters}, @{/has_parameters}options: PageOptions = {}@{/page}): Promise<@{#document}unknown@{/document}@{^document}@{#page}Page<@{/page}@{^page}Array<@{/page}@{#one}@{type_}@{/one}@{^one}@{#any}AnyItem@{/any}@{^any}@{#entities}@{type_}@{^-last} | @{/-last}@{/entities}@{#other}@{#entities}@{#-last} | @{/-last}@{/entities}Item@{/other}@{/any}@{/one}>@{/document}> {
        const rows = await this.#query(call => @{#rows}`SELECT dynamo.row_to_item(r)::text AS item FROM ${call} r`@{/rows}@{#items}`SELECT i::text AS item FROM ${call} i`@{/items}@{#page}`SELECT to_json(p.items::text[])::text AS items, p.last_evaluated_key::text AS last FROM ${call} p`@{/page}@{#document}`SELECT ${call}::text AS document`@{/document}, @{#schema}@{schema|string}@{/schema}@{^schema}null@{/schema}, @{function|string}, [
@{#parameters}
            [@{argument|string}, @{codec}, parameters[@{name|string}]],
@{/parameters}
        ]@{#page}, pageArguments(options)@{/page});
@{#document}

        return rows[0]?.document == null ? undefined : JSON.parse(rows[0].document);
@{/document}
@{^document}
        const decode = @{#one}(item: WireItem) => decodeItem(entityOf(@{name|string}), @{#rows}typed(entityOf(@{name|string}), item)@{/rows}@{^rows}item@{/rows})@{/one}@{^one}(item: WireItem) => decodeAny([@{#entities}entityOf(@{name|string})@{^-last}, @{/-last}@{/entities}], item)@{/one};

@{#page}
        const items = JSON.parse(rows[0].items ?? "[]").map((item: string) => decode(JSON.parse(item)));

        return rows[0].last === null ? { items } : { items, lastKey: JSON.parse(rows[0].last) };
@{/page}
@{^page}
        return rows.map(row => decode(JSON.parse(row.item)));
@{/page}
@{/document}
    }
@{/pg}
@{/patterns}
}
@{#pg}

function quoted(name: string): string {
    return `"${name.replaceAll('"', '""')}"`;
}

/** A parameter of a function in SQL. */
function sqlValue(wire: Wire): unknown {
    return wire.S ?? wire.N ?? wire.BOOL ?? (wire.B !== undefined ? Buffer.from(wire.B, "base64") : JSON.stringify(wire));
}

function pageArguments(options: PageOptions): [string, unknown][] {
    const all: [string, unknown][] = [["page_size", options.limit], ["start_key", options.startKey && JSON.stringify(options.startKey)]];

    return all.filter(([, value]) => value !== undefined);
}

/** A row of a view as an item: it has no type attribute. */
function typed(entity: Entity, item: WireItem): WireItem {
    return entity.type === undefined ? item : { ...item, [entity.type.attribute]: { S: entity.type.value } };
}
@{/pg}
$template$);
END;
COMMENT ON FUNCTION dynamo_internal.client_typescript(jsonb) IS 'returns the data and the template of clients in TypeScript';
