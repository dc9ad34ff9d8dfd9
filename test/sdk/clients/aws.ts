// aws.ts: generated clients over the AWS SDK for JavaScript: aws.js ENDPOINT KEY SECRET [changed]
// test/tap/clients.pl generates the modules beside this file, and compiles all of them.
import assert from "node:assert";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as desk from "./desk.js";
import * as nasty from "./nasty.js";
import * as words from "./words.js";
import * as ecommerce from "./ecommerce.js";
import * as shop from "./shop.js";
import * as schools from "./schools.js";
import * as customers from "./customers.js";
import * as books from "./books.js";
import * as organizations from "./organizations.js";
import * as tickets from "./tickets.js";
import * as stores from "./stores.js";
import * as hr from "./hr_oe.js";

const [endpoint, accessKeyId, secretAccessKey, changed] = process.argv.slice(2) as [string, string, string, string?];
const db = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey } });

async function all<T>(read: (startKey?: desk.LastKey) => Promise<desk.Page<T>>): Promise<T[]> {
    const items: T[] = [];

    for await (const item of desk.everyItem(read))
        items.push(item);
    return items;
}

async function testDesk(): Promise<void> {
    const client = await desk.DeskClient.connect(db);
    const key = { team: "ts", number: 1 };
    const ticket: desk.TicketInput = {
        ...key, title: "Hello", urgent: true, cost: new desk.Decimal("12345678901234567890123456789012345678"), serial: 2n ** 60n, weight: 0.1,
        labels: ["a", "b"], sizes: [new desk.Decimal("1.50")], picture: new Uint8Array([0, 255]),
        details: { set: new Set(["x", "y"]), list: [1, "two", null, true], large: new desk.Decimal("0.12345678901234567890"), binary: new Uint8Array([7]) },
        anything: new Set([1, 2n ** 70n]),
    };

    await client.putTeam({ team: "ts", title: "TypeScript" });
    await client.putTicket(ticket, { ifAbsent: true });
    const read = await client.getTicket(key, { consistentRead: true });
    assert.ok(read?.opened_at !== undefined);
    assert.deepStrictEqual(read, {
        ...ticket, kind: "ticket", state: "NEW", format: 2, loud: "HELLO", opened_at: read.opened_at, sizes: [new desk.Decimal("1.5")],
        details: { set: new Set(["x", "y"]), list: [1, "two", null, true], large: new desk.Decimal("0.1234567890123456789"), binary: new Uint8Array([7]) },
    });
    await assert.rejects(client.putTicket(ticket, { ifAbsent: true }), { name: "ConditionalCheckFailedException" });
    await client.putTicket(read);   // what was read can be written
    await assert.rejects(client.updateTicket(key, { set: { title: "no" } }, { condition: { expression: "#t = :t", names: { "#t": "title" }, values: { ":t": "Other" } } }),
        { name: "ConditionalCheckFailedException" });
    const updated = await client.updateTicket(key, { set: { state: "OPEN", title: "Bye" }, remove: ["details", "anything"], add: { weight: 1, cost: -1n } },
        { condition: { expression: "attribute_exists(#t)", names: { "#t": "title" } } });
    assert.equal(updated.loud, "BYE");
    assert.equal(updated.cost?.digits, "12345678901234567890123456789012345677");
    assert.equal(updated.weight, 1.1);
    assert.equal(updated.details, undefined);
    assert.equal((await client.updateTicket({ team: "ts", number: 2 }, { set: { title: "made by an update" } })).state, "NEW");
    assert.equal(await client.getTicket({ team: "ts", number: 99 }), undefined);
    for (let number = 3; number <= 7; number++)
        await client.putTicket({ team: "ts", number, title: `ticket ${number}`, state: "CLOSED", cost: number });
    assert.equal((await client.getTeam({ team: "ts" }))?.tickets, 7);   // kept by the database

    const page = await client.ticketsOf({ team: "ts", first: 2 }, { limit: 2 });
    assert.deepEqual(page.items.map(t => t.number), [2, 3]);
    assert.deepEqual((await client.ticketsOf({ team: "ts", first: 2 }, { startKey: page.lastKey!, forward: true })).items.map(t => t.number), [4, 5, 6, 7]);
    assert.deepEqual((await all(startKey => client.ticketsOf({ team: "ts" }, { limit: 3, ...(startKey && { startKey }) }))).map(t => t.number), [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual((await client.ticketPages({ team: "ts" }, { forward: false })).items.map(t => t.number), [7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual((await client.inState({ state: "CLOSED", least: new desk.Decimal("5.5") })).items.map(t => t.number), [6, 7]);
    const whole = (await client.wholeTeam({ team: "ts" })).items;
    assert.deepEqual(whole.map(i => i.kind === "team" ? i.title : i.number), ["TypeScript", 1, 2, 3, 4, 5, 6, 7].slice(1).concat("TypeScript").sort((a, b) => Number(typeof a === "number") - Number(typeof b === "number")));
    assert.equal((await client.titles({ team: "ts" })).items[0]?.["title"], "Bye");
    assert.equal((await client.everythingOf({ team: "ts" })).items.length, 8);
    assert.equal((await client.deleteTicket({ team: "ts", number: 7 }))?.title, "ticket 7");
    assert.equal(await client.deleteTicket({ team: "ts", number: 7 }), undefined);

    // several writes and reads as one
    const { writes, reads } = desk;
    await client.transactWrite([
        writes.putTicket({ team: "ts", number: 20, title: "first", cost: 5, picture: new Uint8Array([1, 255]) }, { ifAbsent: true }),
        writes.putTicket({ team: "ts", number: 21, title: "second" }),
        writes.updateTicket(key, { set: { title: "third" }, add: { cost: 1n } }, { condition: { expression: "#t = :t", names: { "#t": "title" }, values: { ":t": "Bye" } } }),
        writes.deleteTicket({ team: "ts", number: 6 }),
        writes.checkTeam({ team: "ts" }, { expression: "attribute_exists(title)" }),
    ]);
    const [first, third, sixth, whole_] = await client.transactGet([reads.getTicket({ team: "ts", number: 20 }), reads.getTicket(key), reads.getTicket({ team: "ts", number: 6 }), reads.getTeam({ team: "ts" })]);
    assert.deepEqual([first?.title, first?.state, first?.picture, third?.loud, sixth, whole_?.kind], ["first", "NEW", new Uint8Array([1, 255]), "THIRD", undefined, "team"]);
    await assert.rejects(client.transactWrite([writes.deleteTicket({ team: "ts", number: 20 }), writes.checkTeam({ team: "ts" }, { expression: "attribute_not_exists(title)" })]), { name: "TransactionCanceledException" });
    assert.equal((await client.getTicket({ team: "ts", number: 20 }))?.title, "first");
    await assert.rejects(client.transactWrite([writes.deleteTicket({ team: "ts", number: 20 }), writes.putTicket({ team: "ts", number: 21, title: "third" }, { ifAbsent: true })]), { name: "TransactionCanceledException" });
    assert.equal((await client.getTicket({ team: "ts", number: 20 }))?.title, "first");
    await assert.rejects(client.transactWrite([writes.updateTicket({ team: "ts", number: 20 }, {})]), /updateExpression/);
    await client.transactWrite([desk.writes.updateTicket({ team: "ts", number: 21 }, { add: { weight: 1 } })], { token: "once-ts" });
    await client.transactWrite([desk.writes.updateTicket({ team: "ts", number: 21 }, { add: { weight: 1 } })], { token: "once-ts" });
    assert.equal((await client.getTicket({ team: "ts", number: 21 }))?.weight, 1);
    // @ts-expect-error: of another table
    const foreign: desk.Write = nasty.writes.deleteClass({ class: "x", "dots.in": 1 });
    assert.equal(foreign.action, "Delete");
    // @ts-expect-error
    assert.throws(() => writes.putTicket({ team: "ts", number: 22, title: "x", cost: "many" }), /cost/);

    // what the types refuse, and the database as well
    // @ts-expect-error
    await assert.rejects(client.putTicket({ team: "ts", number: 8 }), /title/);
    // @ts-expect-error
    await assert.rejects(client.putTicket({ team: "ts", number: 8, title: "x", state: "LOST" }), /state/);
    // @ts-expect-error
    await assert.rejects(client.updateTicket(key, { set: { opened_at: "2000-01-01" } }), /opened_at/);
    // @ts-expect-error
    await assert.rejects(client.getTicket({ team: "ts" }), /number/);
}

async function testNasty(): Promise<void> {
    const client = await nasty.NastyTableClient.connect(db);
    const item: nasty.Class2 = { "type\"\n*/'": "class", class: "ts", "dots.in": "d", self: "s", async: 1, type: "t", item: "i", constructor: "c" } as nasty.Class2;

    await client.putClass2(item);
    assert.deepEqual(await client.getClass2({ class: "ts", "dots.in": "d" }), item);
    assert.deepEqual((await client.getClass3({ class: "ts", in: "d" })).items, [item]);
    await client.putClass({ class: "ts", "dots.in": 5, orderId: "1", order_id: 2, OrderID: 3, "order-id": "4", "order id": "5", Other: "6", "1st": "7" });
    assert.deepEqual(await client.delete({ class: "ts", in: 5 }).then(page => page.items.map(i => [i.orderId, i.order_id, i.OrderID?.digits, i["order-id"]])), [["1", 2, "3", "4"]]);

    const other = await words.WordsClient.connect(db);
    await other.updatePart({ json: "ts", expressions: "e" }, { set: { count: 1 } });
    assert.deepEqual((await other.partsSince({ json: "ts" })).items.map(i => i.count), [1]);
}

async function testSystems(): Promise<void> {
    const e = await ecommerce.EcommerceClient.connect(db);
    await e.putCustomer({ customer_id: "ts", name: "Ann", email: "a@example.com" });
    await e.putOrder({ customer_id: "ts", order_id: "o1", order_date: "2026-01-31T12:00:00Z" });
    await e.putItem({ customer_id: "ts", order_id: "o1", product_id: "p1", quantity: 2, price: 9.95 });
    assert.equal((await e.customerById({ customer: "ts" })).items[0]?.name, "Ann");
    const collection = (await e.customerCollection({ customer: "ts" })).items;
    assert.deepEqual(collection.map(i => i.kind).sort(), ["customer", "item", "order"]);
    const item = collection.find(i => i.kind === "item");
    assert.ok(item?.kind === "item" && item.price?.toNumber() === 9.95);
    assert.equal((await e.latestOrders({ customer: "ts" })).items[0]?.total_amount?.digits, "19.9");

    const s = await shop.ShopClient.connect(db);
    await s.putOrder({ OrderId: "ts1", CustomerId: "c1", Date: "2026-01-01" });
    await s.putOrderItem({ OrderId: "ts1", ProductId: "tsp", CustomerId: "c1", Date: "2026-01-02T00:00:00Z", Quantity: 3, Price: 2 });
    assert.deepEqual((await s.shopOrderDetails({ order: "ts1" })).items.map(i => i.EntityType).sort(), ["order", "orderItem"]);
    assert.equal((await s.shopOrdersOfProduct({ product: "tsp", since: "2026-01-01", until: "2026-01-31" })).items[0]?.Quantity, 3);
    assert.equal((await s.updateOrder({ OrderId: "ts1", CustomerId: "c1" }, { set: { Status: "paid" } })).Status, "paid");

    const c = await schools.SchoolsClient.connect(db);
    await c.updatePupil({ school_id: "ts", pupil_id: 7 }, { set: { name: "Bea" } });    // a put could be one of a school
    await c.putAttendance({ course_id: "tsc", pupil_id: 7, since: "2026-01-01" });
    assert.equal((await c.pupilsOfSchool({ school: "ts" })).items[0]?.name, "Bea");
    assert.deepEqual((await c.coursesOfPupil({ pupil: 7 })).items.filter(a => a.course_id === "tsc").map(a => a.since), ["2026-01-01"]);
    assert.equal((await c.deletePupil({ school_id: "ts", pupil_id: 7 }))?.name, "Bea");

    const o = await organizations.OrganizationsClient.connect(db);
    await o.updateUser({ Org: "Ts", UserId: "u1" }, { set: { UserName: "Cy" } });
    assert.equal((await o.organizationUser({ org: "Ts", id: "u1" })).items[0]?.UserType, "Member");
    const t = await tickets.TicketsClient.connect(db);
    await t.putTicket({ TicketId: "ts1", Org: "Ts", UserId: "u1", Subject: "an attribute that is not declared" });
    assert.equal((await t.getTicket({ TicketId: "ts1" }))?.["Subject"], "an attribute that is not declared");
    assert.equal((await t.ticketWithComments({ ticket: "ts1" })).items[0]?.Kind, "ticket");
    const st = await stores.StoresClient.connect(db);
    await st.putStore({ Country: "TS", State: "A", City: "B", Zip: "1", Street: "x" });
    assert.equal((await st.storesIn({ country: "TS", state: "A" })).items[0]?.Street, "x");
    assert.equal((await st.getStore({ Country: "TS", State: "a", City: "b", Zip: "1" }))?.Street, "x");
    await customers.CustomersClient.connect(db);
    await books.BooksClient.connect(db);

    const h = await hr.HrOeClient.connect(db);
    await h.putEmployee({ EmployeeId: "ts", Name: "Dot", Salary: 5 });
    await h.putJobHistory({ EmployeeId: "ts", Since: "2026-01-01", Title: "Clerk" });
    await h.putOrder({ OrderId: 900, CustomerId: "ts", Date: "2026-02-01", Total: new hr.Decimal("100.10") });
    assert.deepEqual((await h.hrEmployee({ employee: "ts" })).items.map(i => i.Kind).sort(), ["employee", "job_history"]);
    assert.equal((await h.getEmployee({ EmployeeId: "ts", Name: "Dot" }))?.["Salary"], 5);
    assert.equal((await h.oeOrdersByStatus({ status: "OPEN", since: "2026-02-01", until: "2026-02-01" })).items.find(i => i.OrderId === 900)?.Total?.digits, "100.1");
    assert.deepEqual((await h.hrCurrentJob({ employee: "ts" })).items.map(i => i.Kind === "job_history" && i["Title"]), ["Clerk"]);
}

if (changed === undefined) {
    await testDesk();
    await testNasty();
    await testSystems();
} else
    await assert.rejects(desk.DeskClient.connect(db), desk.ModelChangedError);
console.log("ok");
