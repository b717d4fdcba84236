"""The sender's identity in a request, read from each place. The texts to sign are from the published examples
(`docs/explanation/service.md#known-answers`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
import requests

from soapclient.console.response_tree import Node, Table, table_of, tree
from soapclient.console.signatures import Signed, parsed_date, signed_of
from soapclient.runtime.any_element import AnyElement
from zxws.publisher.service import GET_SALES, PACKAGE

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
ID = "43EEF0445509C7205827"
REST_PATH = "/xml/2011-03-01/reports/sales/date/2013-07-20"
DATE, NONCE = "Thu, 15 Aug 2013 15:56:07 GMT", "17811FEFBA7448CE848327F835729AA2"
REST_TEXT = f"GET/reports/sales/date/2013-07-20{DATE}{NONCE}"
TIME, SOAP_NONCE = "2013-08-20T14:44:21", "b382e074-2fc4-41c9-8d5c-f679805f609c"
SOAP_TEXT = f"publisherservicegetsales{TIME}{SOAP_NONCE}"
HEADERS = {"Authorization": f"ZXWS {ID}:c2lnbmVk", "Date": DATE, "nonce": NONCE}
QUERY = f"connectid={ID}&date=Thu%2C+15+Aug+2013+15%3A56%3A07+GMT&nonce={NONCE}"


def envelope(fields: str) -> str:
    return (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
        f'<GetSalesRequest xmlns="{SPACE}">{fields}</GetSalesRequest></s:Body></s:Envelope>'
    )


def posted(fields: str) -> requests.Request:
    return requests.Request("POST", "/soap/2011-03-01", data=envelope(fields))


SIGNATURE = "<signature>c2lnbmVk</signature>"
BODY = f"<connectId>{ID}</connectId><timestamp>{TIME}</timestamp><nonce>{SOAP_NONCE}</nonce>"


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (requests.Request("GET", REST_PATH), []),
        (requests.Request("GET", REST_PATH, {"Authorization": "Basic eDp5"}), []),
        (requests.Request("GET", REST_PATH, HEADERS), [Signed("the headers", ID, DATE, NONCE, REST_TEXT)]),
        (requests.Request("GET", REST_PATH, {"Authorization": f"ZXWS {ID}"}), [Signed("the headers", ID)]),
        (
            requests.Request("GET", f"{REST_PATH}?datetype=tracking_date&{QUERY}&signature=c2lnbmVk"),
            [Signed("the query", ID, DATE, NONCE, REST_TEXT)],
        ),
        (requests.Request("GET", f"{REST_PATH}?connectid={ID}"), [Signed("the query", ID)]),
        (posted(BODY + SIGNATURE), [Signed("the body", ID, TIME, SOAP_NONCE, SOAP_TEXT)]),
        (posted(BODY), [Signed("the body", ID, TIME, SOAP_NONCE)]),
        (posted("<connectId/>"), []),
        (posted(f"<own>{BODY}</own>"), []),  # the caller's own signature, in another place
        (posted("<connectId>"), []),  # not XML
        (
            requests.Request("POST", "/soap/2011-03-01", HEADERS, data=envelope("").encode()),
            [Signed("the headers", ID, DATE, NONCE, f"POST/{DATE}{NONCE}")],
        ),
    ],
)
def test_signatures_are_found_in_every_place(request_: requests.Request, found: list[Signed]) -> None:
    request_.url = f"https://api.invalid{request_.url}"
    assert list(signed_of(request_.prepare(), GET_SALES)) == found


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        (DATE, datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC)),
        (TIME, datetime(2013, 8, 20, 14, 44, 21, tzinfo=UTC)),
        ("2013-08-20T14:44:21+02:00", datetime(2013, 8, 20, 14, 44, 21, tzinfo=timezone(timedelta(hours=2)))),
        ("yesterday", None),
        ("", None),
    ],
)
def test_time_of_signing_is_read(text: str, moment: datetime | None) -> None:
    assert parsed_date(text) == moment
    assert Signed("the body", ID, text).moment == moment


def _record(*items: Node) -> Node:
    return Node("v", "record", items=items)


class Point(msgspec.Struct):
    x: int
    seen: bool


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": 1, "b": None}, _record(Node("a", "number", "1"), Node("b", "null", "null"))),
        (Point(3, True), _record(Node("x", "number", "3"), Node("seen", "bool", "true"))),
        ([b"abc"], Node("v", "list", items=(Node("1", "text", "3 bytes, in base64: YWJj"),))),
        (AnyElement(name="{urn:x}e", text="abc"), Node("v", "text", "abc")),
        ({"password": "open"}, _record(Node("password", "text", "(not shown)"))),
        (["said hidden-word"], Node("v", "list", items=(Node("1", "text", "said [hidden]"),))),
    ],
)
def test_values_are_shown_as_a_tree(value: object, shown: Node) -> None:
    assert tree(PACKAGE.codec, value, "v", ["hidden-word"]) == shown


def test_longest_list_of_records_is_shown_as_a_table() -> None:
    sales = [{"id": 1, "by": {"name": "N"}}, {"id": 2, "tags": [1, 2]}]
    table = table_of(tree(PACKAGE.codec, {"page": 1, "few": [{"a": 1}], "sales": sales}))
    assert isinstance(table, Table)
    assert (table.name, table.columns) == ("sales", {"id": "number", "by.name": "text", "tags": "text"})
    cells = [{column: node.value for column, node in row.items()} for row in table.rows]
    assert cells == [{"id": "1", "by.name": "N"}, {"id": "2", "tags": "1, 2"}]
    assert table_of(tree(PACKAGE.codec, {"names": ["a", "b"]})) is None


def test_large_response_is_shown_in_part() -> None:
    response = tree(PACKAGE.codec, {"rows": [{"a": 1}] * 40_000, "more": ["b"]})
    rows, more = response.items
    assert (len(rows.items) + rows.omitted, len(rows.items) < 30_000) == (40_000, True)
    assert (more.items, more.omitted) == ((), 1)
    table = table_of(response)
    assert table is not None
    assert len(table.rows) + table.omitted == 40_000
