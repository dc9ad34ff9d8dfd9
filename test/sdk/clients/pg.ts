// pg.ts: generated clients over node-postgres: pg.js CONNECTION HOST PORT [changed]
import assert from "node:assert";
import os from "node:os";
import pg from "pg";
import * as desk from "./desk_pg.js";
import * as nasty from "./nasty_pg.js";
import * as words from "./words_pg.js";
import * as ecommerce from "./ecommerce_pg.js";
import * as shop from "./shop_pg.js";
import * as schools from "./schools_pg.js";
import * as customers from "./customers_pg.js";
import * as books from "./books_pg.js";
import * as organizations from "./organizations_pg.js";
import * as tickets from "./tickets_pg.js";
import * as stores from "./stores_pg.js";
import * as hr from "./hr_oe_pg.js";

const [, host, port, changed] = process.argv.slice(2) as [string, string, string, string?];
const db = new pg.Client({ host, port: Number(port), database: "postgres", user: os.userInfo().username });

async function testDesk(): Promise<void> {
    const client = await desk.DeskClient.connect(db);
    const key = { team: "tp", number: 1 };
    const ticket: desk.TicketInput = {
        ...key, title: "Hello", urgent: true, cost: new desk.Decimal("12345678901234567890123456789012345678"), serial: 2n ** 60n, weight: 0.1,
        labels: ["a", "b"], sizes: [new desk.Decimal("1.5")], picture: new Uint8Array([0, 255]),
        details: { set: new Set(["x", "y"]), list: [1, "two", null, true] }, anything: new Set([1, 2n ** 70n]),
    };

    await client.putTeam({ team: "tp", title: "node-postgres" });
    await client.putTicket(ticket, { ifAbsent: true });
    const read = await client.getTicket(key);
    assert.ok(read?.opened_at !== undefined);
    assert.deepStrictEqual(read, { ...ticket, kind: "ticket", state: "NEW", format: 2, loud: "HELLO", opened_at: read.opened_at });
    await assert.rejects(client.putTicket(ticket, { ifAbsent: true }), { code: "KV002" });
    const updated = await client.updateTicket(key, { set: { state: "OPEN", title: "Bye" }, remove: ["details", "anything"], add: { weight: 1, cost: -1n } },
        { condition: { expression: "#t = :t", names: { "#t": "title" }, values: { ":t": "Hello" } } });
    assert.equal(updated.cost?.digits, "12345678901234567890123456789012345677");
    assert.equal(await client.getTicket({ team: "tp", number: 99 }), undefined);
    for (let number = 2; number <= 7; number++)
        await client.putTicket({ team: "tp", number, title: `ticket ${number}`, state: "CLOSED", cost: number });

    const rows = await client.ticketsOf({ team: "tp", last: 2 });
    assert.deepEqual(rows.map(t => [t.kind, t.number, t.title, t.loud]), [["ticket", 1, "Bye", "BYE"], ["ticket", 2, "ticket 2", "TICKET 2"]]);
    assert.equal(rows[0]?.cost?.digits, "12345678901234567890123456789012345677");
    assert.equal(rows[0]?.serial, 2n ** 60n);
    assert.deepEqual(rows[0]?.picture, new Uint8Array([0, 255]));
    assert.deepEqual(rows[0]?.labels, ["a", "b"]);
    assert.deepEqual((await client.ticketsOf({ team: "tp", first: 6, last: null })).map(t => t.number), [6, 7]);
    const numbers: number[] = [];
    for await (const item of desk.everyItem(startKey => client.ticketPages({ team: "tp" }, { limit: 3, ...(startKey && { startKey }) })))
        numbers.push(item.number);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual((await client.inState({ state: "CLOSED", least: new desk.Decimal("5.5") })).filter(t => t.team === "tp").map(t => t.number), [6, 7]);
    assert.equal((await client.wholeTeam({ team: "tp" })).filter(i => i.kind === "ticket").length, 7);
    assert.equal((await client.teamDocument({ team: "tp" }) as any).ticket.length, 7);
    assert.equal((await client.titles({ team: "tp" }))[0]?.["title"], "Bye");
    assert.equal((await client.everythingOf({ team: "tp" })).length, 8);
    assert.equal((await client.deleteTicket({ team: "tp", number: 7 }))?.title, "ticket 7");
    assert.equal(await client.deleteTicket({ team: "tp", number: 7 }), undefined);

    // several writes and reads as one
    const { writes, reads } = desk;
    await client.transactWrite([
        writes.putTicket({ team: "tp", number: 20, title: "first", cost: 5, picture: new Uint8Array([1, 255]) }, { ifAbsent: true }),
        writes.putTicket({ team: "tp", number: 21, title: "second" }),
        writes.updateTicket(key, { set: { title: "third" }, add: { cost: 1n } }, { condition: { expression: "#t = :t", names: { "#t": "title" }, values: { ":t": "Bye" } } }),
        writes.deleteTicket({ team: "tp", number: 6 }),
        writes.checkTeam({ team: "tp" }, { expression: "attribute_exists(title)" }),
    ]);
    const [first, third, sixth, whole_] = await client.transactGet([reads.getTicket({ team: "tp", number: 20 }), reads.getTicket(key), reads.getTicket({ team: "tp", number: 6 }), reads.getTeam({ team: "tp" })]);
    assert.deepEqual([first?.title, first?.state, first?.picture, third?.loud, sixth, whole_?.kind], ["first", "NEW", new Uint8Array([1, 255]), "THIRD", undefined, "team"]);
    await assert.rejects(client.transactWrite([writes.deleteTicket({ team: "tp", number: 20 }), writes.checkTeam({ team: "tp" }, { expression: "attribute_not_exists(title)" })]), { code: "KV005" });
    assert.equal((await client.getTicket({ team: "tp", number: 20 }))?.title, "first");
    await assert.rejects(client.transactWrite([writes.deleteTicket({ team: "tp", number: 20 }), writes.putTicket({ team: "tp", number: 21, title: "third" }, { ifAbsent: true })]), { code: "KV005" });
    assert.equal((await client.getTicket({ team: "tp", number: 20 }))?.title, "first");
    await assert.rejects(client.transactWrite([writes.updateTicket({ team: "tp", number: 20 }, {})]), /updateExpression/);
    // @ts-expect-error: of another table
    const foreign: desk.Write = nasty.writes.deleteClass({ class: "x", "dots.in": 1 });
    assert.equal(foreign.action, "Delete");
    // @ts-expect-error
    assert.throws(() => writes.putTicket({ team: "tp", number: 22, title: "x", cost: "many" }), /cost/);
}

async function testNasty(): Promise<void> {
    const client = await nasty.NastyTableClient.connect(db);
    const item = { "type\"\n*/'": "class", class: "tp", "dots.in": "d", self: "s", async: 1, type: "t", item: "i", constructor: "c" } as nasty.Class2;

    await client.putClass2(item);
    assert.deepEqual(await client.getClass2({ class: "tp", "dots.in": "d" }), item);
    assert.deepEqual(await client.getClass3({ class: "tp", in: "d" }), [item]);
    await client.putClass({ class: "tp", "dots.in": 5, orderId: "1", order_id: 2, OrderID: 3 });
    assert.deepEqual((await client.delete({ class: "tp", in: 5 })).map(i => [i.orderId, i.order_id, i.OrderID?.digits]), [["1", 2, "3"]]);

    const other = await words.WordsClient.connect(db);
    await other.updatePart({ json: "tp", expressions: "e" }, { set: { count: 1 } });
    assert.deepEqual((await other.partsSince({ json: "tp" })).map(i => i.count), [1]);
}

async function testSystems(): Promise<void> {
    const e = await ecommerce.EcommerceClient.connect(db);
    await e.putCustomer({ customer_id: "tp", name: "Ann", email: "a@example.com" });
    await e.putOrder({ customer_id: "tp", order_id: "o1", order_date: "2026-01-31T12:00:00Z" });
    await e.putItem({ customer_id: "tp", order_id: "o1", product_id: "p1", quantity: 2, price: 9.95 });
    assert.equal((await e.customerById({ customer: "tp" }))[0]?.name, "Ann");
    assert.deepEqual((await e.customerCollection({ customer: "tp" })).map(i => i.kind).sort(), ["customer", "item", "order"]);
    assert.equal((await e.customerDocument({ customer: "tp" }) as any).name, "Ann");
    assert.equal((await e.latestOrders({ customer: "tp" }))[0]?.total_amount?.digits, "19.9");
    const s = await shop.ShopClient.connect(db);
    await s.putOrderItem({ OrderId: "tp1", ProductId: "tpp", CustomerId: "c1", Date: "2026-01-02T00:00:00Z", Quantity: 3, Price: 2 });
    assert.equal((await s.shopOrdersOfProduct({ product: "tpp", since: "2026-01-01", until: "2026-01-31" }))[0]?.Quantity, 3);
    const c = await schools.SchoolsClient.connect(db);
    await c.updatePupil({ school_id: "tp", pupil_id: 7 }, { set: { name: "Bea" } });    // a put could be one of a school
    assert.equal((await c.pupilsOfSchool({ school: "tp" }))[0]?.name, "Bea");
    const o = await organizations.OrganizationsClient.connect(db);
    await o.updateUser({ Org: "Tp", UserId: "u1" }, { set: { UserName: "Cy" } });
    assert.equal((await o.organizationUser({ org: "Tp", id: "u1" }))[0]?.UserType, "Member");
    const t = await tickets.TicketsClient.connect(db);
    await t.putTicket({ TicketId: "tp1", Org: "Tp", UserId: "u1", Subject: "x" });
    assert.equal((await t.ticketWithComments({ ticket: "tp1" }))[0]?.Kind, "ticket");
    const st = await stores.StoresClient.connect(db);
    await st.putStore({ Country: "TP", State: "A", City: "B", Zip: "1", Street: "x" });
    assert.equal((await st.storesIn({ country: "TP", state: "A" }))[0]?.Street, "x");
    await customers.CustomersClient.connect(db);
    await books.BooksClient.connect(db);
    const h = await hr.HrOeClient.connect(db);
    await h.putEmployee({ EmployeeId: "tp", Name: "Dot", Salary: 5 });
    await h.putJobHistory({ EmployeeId: "tp", Since: "2026-01-01", Title: "Clerk" });
    assert.deepEqual((await h.hrEmployee({ employee: "tp" })).map(i => i.Kind).sort(), ["employee", "job_history"]);
    assert.deepEqual((await h.hrCurrentJob({ employee: "tp" })).map(i => i.Kind === "job_history" && i["Title"]), ["Clerk"]);
}

await db.connect();
if (changed === undefined) {
    await testDesk();
    await testNasty();
    await testSystems();
} else
    await assert.rejects(desk.DeskClient.connect(db), desk.ModelChangedError);
await db.end();
console.log("ok");
