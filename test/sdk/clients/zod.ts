// zod.ts: generated schemas for zod.
import assert from "node:assert";
import * as desk from "./desk_zod.js";
import "./nasty_zod.js";
import * as shop from "./shop_zod.js";

const ticket = { kind: "ticket", team: "z", number: 1, title: "x", labels: new Set(["a"]), cost: 19.9, serial: 5n };

assert.deepEqual(desk.Ticket.parse(ticket), ticket);
assert.ok(!desk.Ticket.safeParse({ ...ticket, state: "LOST" }).success);
assert.ok(!desk.Ticket.safeParse({ ...ticket, number: 1.5 }).success);
assert.ok(!desk.TicketInput.safeParse({ kind: "ticket", team: "z", number: 1 }).success);
assert.ok(desk.TicketKey.safeParse({ kind: "ticket", team: "z", number: 1 }).success);
const order: shop.Order = { EntityType: "order", OrderId: "o", CustomerId: "c", Status: "open" };
assert.deepEqual(shop.Order.parse(order), order);
console.log("ok");
