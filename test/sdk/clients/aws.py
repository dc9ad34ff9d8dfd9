"""Generated clients over boto3: test_aws.py ENDPOINT KEY SECRET [changed]"""
import sys
from decimal import Decimal
from typing import Any

import boto3
from botocore.exceptions import ParamValidationError

import books_aws
import customers_aws
import desk_aws
import ecommerce_aws
import hr_oe_aws
import nasty_aws
import organizations_aws
import schools_aws
import shop_aws
import stores_aws
import tickets_aws
import words_aws

endpoint, key, secret = sys.argv[1:4]
db: Any = boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret)


def refused(text: str, call: Any) -> None:
    try:
        call()
    except (db.exceptions.ClientError, ParamValidationError) as error:
        assert text in str(error), error
        return
    raise AssertionError("should have been refused")


def test_desk() -> None:
    client = desk_aws.DeskClient.connect(db)
    ticket: desk_aws.TicketInput = {
        "team": "py", "number": 1, "title": "Hello", "urgent": True, "cost": Decimal("12345678901234567890123456789012345678"),
        "serial": 2**60, "weight": 0.1, "labels": ["a", "b"], "sizes": [Decimal("1.5")], "picture": b"\x00\xff",
        "details": {"set": {"x", "y"}, "list": [1, "two", None, True], "binary": b"\x07"}, "anything": {1, 2**70},
    }
    client.put_team({"team": "py", "title": "Python"})
    client.put_ticket(ticket, if_absent=True)
    read = client.get_ticket(team="py", number=1, consistent_read=True)
    assert read is not None
    assert read == {**ticket, "kind": "ticket", "state": "NEW", "format": 2, "loud": "HELLO", "opened_at": read["opened_at"]}, read
    refused("ConditionalCheckFailed", lambda: client.put_ticket(ticket, if_absent=True))
    refused("ConditionalCheckFailed", lambda: client.update_ticket(
        team="py", number=1, changes={"title": "no"}, condition=desk_aws.Condition("#t = :t", {"#t": "title"}, {":t": "Other"})))
    updated = client.update_ticket(
        team="py", number=1, changes={"state": "OPEN", "title": "Bye"}, remove=["details", "anything"], add={"weight": 1, "cost": -1},
        condition=desk_aws.Condition("attribute_exists(#t)", {"#t": "title"}))
    assert updated["loud"] == "BYE" and updated["cost"] == Decimal("12345678901234567890123456789012345677"), updated
    assert updated["weight"] == 1.1 and "details" not in updated
    assert client.get_ticket(team="py", number=99) is None
    for number in range(2, 8):
        client.put_ticket({"team": "py", "number": number, "title": f"ticket {number}", "state": "CLOSED", "cost": number})
    team = client.get_team(team="py")
    assert team is not None and team["tickets"] == 7
    page = client.tickets_of(team="py", first=2, limit=2)
    assert [t["number"] for t in page.items] == [2, 3]
    assert [t["number"] for t in client.tickets_of(team="py", first=2, start_key=page.last_key).items] == [4, 5, 6, 7]
    every = desk_aws.every_item(lambda start_key: client.tickets_of(team="py", limit=3, start_key=start_key))
    assert [t["number"] for t in every] == [1, 2, 3, 4, 5, 6, 7]
    assert [t["number"] for t in client.ticket_pages(team="py", forward=False).items] == [7, 6, 5, 4, 3, 2, 1]
    assert [t["number"] for t in client.in_state(state="CLOSED", least=Decimal("5.5")).items if t["team"] == "py"] == [6, 7]
    titles = {i["title"] for i in client.whole_team(team="py").items if i["kind"] == "team"}
    assert titles == {"Python"}
    assert client.titles(team="py").items[0]["title"] == "Bye"
    assert len(client.everything_of(team="py").items) == 8
    gone = client.delete_ticket(team="py", number=7)
    assert gone is not None and gone["title"] == "ticket 7"
    assert client.delete_ticket(team="py", number=7) is None
    # several writes and reads as one
    writes, reads = desk_aws.writes, desk_aws.reads
    client.transact_write([
        writes.put_ticket({"team": "py", "number": 20, "title": "first", "cost": 5, "picture": b"\x01\xff"}, if_absent=True),
        writes.put_ticket({"team": "py", "number": 21, "title": "second"}),
        writes.update_ticket(team="py", number=1, changes={"title": "third"}, add={"cost": 1}, condition=desk_aws.Condition("#t = :t", {"#t": "title"}, {":t": "Bye"})),
        writes.delete_ticket(team="py", number=6),
        writes.check_team(team="py", condition=desk_aws.Condition("attribute_exists(title)")),
    ])
    first, third, sixth, whole = client.transact_get(
        reads.get_ticket(team="py", number=20), reads.get_ticket(team="py", number=1), reads.get_ticket(team="py", number=6), reads.get_team(team="py"))
    assert first is not None and first["title"] == "first" and first["state"] == "NEW" and first["picture"] == b"\x01\xff"
    assert third is not None and third["loud"] == "THIRD" and sixth is None and whole is not None and whole["kind"] == "team"
    refused("TransactionCanceled", lambda: client.transact_write([
        writes.delete_ticket(team="py", number=20), writes.check_team(team="py", condition=desk_aws.Condition("attribute_not_exists(title)"))]))
    refused("TransactionCanceled", lambda: client.transact_write([
        writes.delete_ticket(team="py", number=20), writes.put_ticket({"team": "py", "number": 21, "title": "x"}, if_absent=True)]))
    assert client.get_ticket(team="py", number=20) is not None
    refused("UpdateExpression", lambda: client.transact_write([writes.update_ticket(team="py", number=20)]))
    for _ in range(2):
        client.transact_write([writes.update_ticket(team="py", number=21, add={"weight": 1})], token="once-py")
    once = client.get_ticket(team="py", number=21)
    assert once is not None and once["weight"] == 1
    writes.put_ticket({"team": "py", "number": 22})  # type: ignore[typeddict-item]
    # what the types refuse, and the database as well
    refused("title", lambda: client.put_ticket({"team": "py", "number": 8}))  # type: ignore[typeddict-item]
    refused("state", lambda: client.put_ticket({"team": "py", "number": 8, "title": "x", "state": "LOST"}))  # type: ignore[typeddict-item]
    refused("opened_at", lambda: client.update_ticket(team="py", number=1, changes={"opened_at": "2000-01-01"}))  # type: ignore[arg-type]


def test_nasty() -> None:
    client = nasty_aws.NastyTableClient.connect(db)
    item: nasty_aws.ClassInput2 = {
        "class": "py", "dots.in": "d", "self": "s", "async": 1, "type": "t", "item": "i", "constructor": "c", "__proto__": "p"}
    client.put_class_2(item)
    found = client.get_class_2(class_="py", dots_in="d")
    anything: Any = item
    assert found is not None and dict(found) == {**anything, "type\"\n*/'": "class"}, found
    assert len(client.get_class_3(class_="py", in_="d").items) == 1
    client.put_class({"class": "py", "dots.in": 5, "orderId": "1", "order_id": 2, "OrderID": 3, "order-id": "4"})
    (other,) = client.delete(class_="py", in_=5).items
    assert (other["orderId"], other["order_id"], other["OrderID"]) == ("1", 2, Decimal(3))
    words = words_aws.WordsClient.connect(db)
    assert words.update_part(json_="py", expressions_="e", changes={"count": 1})["count"] == 1
    assert words.bool_(json_="py", expressions_="e").items[0]["count"] == 1
    assert words.bytes_(json_="py", expressions_="e").items[0]["count"] == 1


def test_systems() -> None:
    e = ecommerce_aws.EcommerceClient.connect(db)
    e.put_customer({"customer_id": "py", "name": "Ann", "email": "a@example.com"})
    e.put_order({"customer_id": "py", "order_id": "o1", "order_date": "2026-01-31T12:00:00Z"})
    e.put_item({"customer_id": "py", "order_id": "o1", "product_id": "p1", "quantity": 2, "price": Decimal("9.95")})
    assert e.customer_by_id(customer="py").items[0]["name"] == "Ann"
    assert sorted(i["kind"] for i in e.customer_collection(customer="py").items) == ["customer", "item", "order"]
    assert e.latest_orders(customer="py").items[0]["total_amount"] == Decimal("19.9")
    s = shop_aws.ShopClient.connect(db)
    s.put_order_item({"OrderId": "py1", "ProductId": "pyp", "CustomerId": "c1", "Date": "2026-01-02T00:00:00Z", "Quantity": 3, "Price": 2})
    assert s.shop_orders_of_product(product="pyp", since="2026-01-01", until="2026-01-31").items[0]["Quantity"] == 3
    c = schools_aws.SchoolsClient.connect(db)
    c.update_pupil(school_id="py", pupil_id=7, changes={"name": "Bea"})  # a put could be one of a school
    assert c.pupils_of_school(school="py").items[0]["name"] == "Bea"
    o = organizations_aws.OrganizationsClient.connect(db)
    o.update_user(org="Py", user_id="u1", changes={"UserName": "Cy"})
    assert o.organization_user(org="Py", id="u1").items[0]["UserType"] == "Member"
    t = tickets_aws.TicketsClient.connect(db)
    t.put_ticket({"TicketId": "py1", "Org": "Py", "UserId": "u1"})
    assert t.ticket_with_comments(ticket="py1").items[0]["Kind"] == "ticket"
    st = stores_aws.StoresClient.connect(db)
    st.put_store({"Country": "PY", "State": "A", "City": "B", "Zip": "1", "Street": "x"})
    assert st.stores_in(country="PY", state="A").items[0]["Street"] == "x"
    customers_aws.CustomersClient.connect(db)
    books_aws.BooksClient.connect(db)
    h = hr_oe_aws.HrOeClient.connect(db)
    h.put_employee({"EmployeeId": "py", "Name": "Dot"})
    h.put_job_history({"EmployeeId": "py", "Since": "2026-01-01"})
    assert sorted(i["Kind"] for i in h.hr_employee(employee="py").items) == ["employee", "job_history"]


if len(sys.argv) == 4:
    test_desk()
    test_nasty()
    test_systems()
else:
    try:
        desk_aws.DeskClient.connect(db)
        raise AssertionError("the model has changed")
    except desk_aws.ModelChangedError:
        pass
print("ok")
