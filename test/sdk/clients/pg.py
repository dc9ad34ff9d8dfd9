"""Generated clients over psycopg: test_pg.py CONNECTION [changed]"""
import sys
from decimal import Decimal
from typing import Any

import psycopg

import books_pg
import customers_pg
import desk_pg
import ecommerce_pg
import hr_oe_pg
import nasty_pg
import organizations_pg
import schools_pg
import shop_pg
import stores_pg
import tickets_pg
import words_pg

db: psycopg.Connection[Any] = psycopg.connect(sys.argv[1], autocommit=True)


def refused(text: str, call: Any) -> None:
    try:
        call()
    except psycopg.Error as error:
        assert text in str(error), error
        return
    raise AssertionError("should have been refused")


def test_desk() -> None:
    client = desk_pg.DeskClient.connect(db)
    ticket: desk_pg.TicketInput = {
        "team": "pp", "number": 1, "title": "Hello", "urgent": True, "cost": Decimal("12345678901234567890123456789012345678"),
        "serial": 2**60, "weight": 0.1, "labels": ["a", "b"], "sizes": [Decimal("1.5")], "picture": b"\x00\xff",
        "details": {"set": {"x", "y"}, "list": [1, "two", None, True], "binary": b"\x07"}, "anything": {1, 2**70},
    }
    client.put_team({"team": "pp", "title": "Python"})
    client.put_ticket(ticket, if_absent=True)
    read = client.get_ticket(team="pp", number=1)
    assert read is not None
    assert read == {**ticket, "kind": "ticket", "state": "NEW", "format": 2, "loud": "HELLO", "opened_at": read["opened_at"]}, read
    refused("conditional request failed", lambda: client.put_ticket(ticket, if_absent=True))
    refused("conditional request failed", lambda: client.update_ticket(
        team="pp", number=1, changes={"title": "no"}, condition=desk_pg.Condition("#t = :t", {"#t": "title"}, {":t": "Other"})))
    updated = client.update_ticket(
        team="pp", number=1, changes={"state": "OPEN", "title": "Bye"}, remove=["details", "anything"], add={"weight": 1, "cost": -1},
        condition=desk_pg.Condition("attribute_exists(#t)", {"#t": "title"}))
    assert updated["loud"] == "BYE" and updated["cost"] == Decimal("12345678901234567890123456789012345677"), updated
    assert updated["weight"] == 1.1 and "details" not in updated
    assert client.get_ticket(team="pp", number=99) is None
    for number in range(2, 8):
        client.put_ticket({"team": "pp", "number": number, "title": f"ticket {number}", "state": "CLOSED", "cost": number})
    team = client.get_team(team="pp")
    assert team is not None and team["tickets"] == 7
    rows = client.tickets_of(team="pp", last=2)
    assert [(t["kind"], t["number"], t["loud"]) for t in rows] == [("ticket", 1, "BYE"), ("ticket", 2, "TICKET 2")]
    assert rows[0]["cost"] == Decimal("12345678901234567890123456789012345677") and rows[0]["picture"] == b"\x00\xff"
    page = client.ticket_pages(team="pp", limit=3)
    assert [t["number"] for t in page.items] == [1, 2, 3] and page.last_key is not None
    every = desk_pg.every_item(lambda start_key: client.ticket_pages(team="pp", limit=3, start_key=start_key))
    assert [t["number"] for t in every] == [1, 2, 3, 4, 5, 6, 7]
    assert len(client.team_document(team="pp")["ticket"]) == 7
    assert [t["number"] for t in client.in_state(state="CLOSED", least=Decimal("5.5")) if t["team"] == "pp"] == [6, 7]
    titles = {i["title"] for i in client.whole_team(team="pp") if i["kind"] == "team"}
    assert titles == {"Python"}
    assert client.titles(team="pp")[0]["title"] == "Bye"
    assert len(client.everything_of(team="pp")) == 8
    gone = client.delete_ticket(team="pp", number=7)
    assert gone is not None and gone["title"] == "ticket 7"
    assert client.delete_ticket(team="pp", number=7) is None
    # several writes and reads as one
    writes, reads = desk_pg.writes, desk_pg.reads
    client.transact_write([
        writes.put_ticket({"team": "pp", "number": 20, "title": "first", "cost": 5, "picture": b"\x01\xff"}, if_absent=True),
        writes.put_ticket({"team": "pp", "number": 21, "title": "second"}),
        writes.update_ticket(team="pp", number=1, changes={"title": "third"}, add={"cost": 1}, condition=desk_pg.Condition("#t = :t", {"#t": "title"}, {":t": "Bye"})),
        writes.delete_ticket(team="pp", number=6),
        writes.check_team(team="pp", condition=desk_pg.Condition("attribute_exists(title)")),
    ])
    first, third, sixth, whole = client.transact_get(
        reads.get_ticket(team="pp", number=20), reads.get_ticket(team="pp", number=1), reads.get_ticket(team="pp", number=6), reads.get_team(team="pp"))
    assert first is not None and first["title"] == "first" and first["state"] == "NEW" and first["picture"] == b"\x01\xff"
    assert third is not None and third["loud"] == "THIRD" and sixth is None and whole is not None and whole["kind"] == "team"
    refused("Transaction cancelled", lambda: client.transact_write([
        writes.delete_ticket(team="pp", number=20), writes.check_team(team="pp", condition=desk_pg.Condition("attribute_not_exists(title)"))]))
    refused("Transaction cancelled", lambda: client.transact_write([
        writes.delete_ticket(team="pp", number=20), writes.put_ticket({"team": "pp", "number": 21, "title": "x"}, if_absent=True)]))
    assert client.get_ticket(team="pp", number=20) is not None
    refused("updateExpression", lambda: client.transact_write([writes.update_ticket(team="pp", number=20)]))
    writes.put_ticket({"team": "pp", "number": 22})  # type: ignore[typeddict-item]
    # what the types refuse, and the database as well
    refused("title", lambda: client.put_ticket({"team": "pp", "number": 8}))  # type: ignore[typeddict-item]
    refused("state", lambda: client.put_ticket({"team": "pp", "number": 8, "title": "x", "state": "LOST"}))  # type: ignore[typeddict-item]
    refused("opened_at", lambda: client.update_ticket(team="pp", number=1, changes={"opened_at": "2000-01-01"}))  # type: ignore[arg-type]


def test_nasty() -> None:
    client = nasty_pg.NastyTableClient.connect(db)
    item: nasty_pg.ClassInput2 = {
        "class": "pp", "dots.in": "d", "self": "s", "async": 1, "type": "t", "item": "i", "constructor": "c", "__proto__": "p"}
    client.put_class_2(item)
    found = client.get_class_2(class_="pp", dots_in="d")
    anything: Any = item
    assert found is not None and dict(found) == {**anything, "type\"\n*/'": "class"}, found
    assert len(client.get_class_3(class_="pp", in_="d")) == 1
    client.put_class({"class": "pp", "dots.in": 5, "orderId": "1", "order_id": 2, "OrderID": 3, "order-id": "4"})
    (other,) = client.delete(class_="pp", in_=5)
    assert (other["orderId"], other["order_id"], other["OrderID"]) == ("1", 2, Decimal(3))
    words = words_pg.WordsClient.connect(db)
    assert words.update_part(json_="pp", expressions_="e", changes={"count": 1})["count"] == 1
    assert words.bool_(json_="pp", expressions_="e")[0]["count"] == 1
    assert words.bytes_(json_="pp", expressions_="e").items[0]["count"] == 1


def test_systems() -> None:
    e = ecommerce_pg.EcommerceClient.connect(db)
    e.put_customer({"customer_id": "pp", "name": "Ann", "email": "a@example.com"})
    e.put_order({"customer_id": "pp", "order_id": "o1", "order_date": "2026-01-31T12:00:00Z"})
    e.put_item({"customer_id": "pp", "order_id": "o1", "product_id": "p1", "quantity": 2, "price": Decimal("9.95")})
    assert e.customer_by_id(customer="pp")[0]["name"] == "Ann"
    assert sorted(i["kind"] for i in e.customer_collection(customer="pp")) == ["customer", "item", "order"]
    assert e.latest_orders(customer="pp")[0]["total_amount"] == Decimal("19.9")
    s = shop_pg.ShopClient.connect(db)
    s.put_order_item({"OrderId": "pp1", "ProductId": "ppp", "CustomerId": "c1", "Date": "2026-01-02T00:00:00Z", "Quantity": 3, "Price": 2})
    assert s.shop_orders_of_product(product="ppp", since="2026-01-01", until="2026-01-31")[0]["Quantity"] == 3
    c = schools_pg.SchoolsClient.connect(db)
    c.update_pupil(school_id="pp", pupil_id=7, changes={"name": "Bea"})  # a put could be one of a school
    assert c.pupils_of_school(school="pp")[0]["name"] == "Bea"
    o = organizations_pg.OrganizationsClient.connect(db)
    o.update_user(org="Pp", user_id="u1", changes={"UserName": "Cy"})
    assert o.organization_user(org="Pp", id="u1")[0]["UserType"] == "Member"
    t = tickets_pg.TicketsClient.connect(db)
    t.put_ticket({"TicketId": "pp1", "Org": "Pp", "UserId": "u1"})
    assert t.ticket_with_comments(ticket="pp1")[0]["Kind"] == "ticket"
    st = stores_pg.StoresClient.connect(db)
    st.put_store({"Country": "PP", "State": "A", "City": "B", "Zip": "1", "Street": "x"})
    assert st.stores_in(country="PP", state="A")[0]["Street"] == "x"
    customers_pg.CustomersClient.connect(db)
    books_pg.BooksClient.connect(db)
    h = hr_oe_pg.HrOeClient.connect(db)
    h.put_employee({"EmployeeId": "pp", "Name": "Dot"})
    h.put_job_history({"EmployeeId": "pp", "Since": "2026-01-01"})
    assert sorted(i["Kind"] for i in h.hr_employee(employee="pp")) == ["employee", "job_history"]


if len(sys.argv) == 2:
    test_desk()
    test_nasty()
    test_systems()
else:
    try:
        desk_pg.DeskClient.connect(db)
        raise AssertionError("the model has changed")
    except desk_pg.ModelChangedError:
        pass
print("ok")
