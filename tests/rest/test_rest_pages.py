"""Iterating over all pages of a scripted list, by the rules of docs/explanation/service.md#paging."""

from __future__ import annotations

from decimal import Decimal
from typing import cast

import pytest
from msgspec.structs import replace

from soapclient.calling.pages import Pages
from soapclient.errors import ContractError, ResponseError, UnexpectedResponse
from soapclient.runtime import OnPage, Operation
from soapclient.runtime.operations import RequestT, ResponseT
from zxws.publisher.service import GET_BALANCES, PACKAGE
from zxws.publisher.types import BalanceItem, GetBalancesRequest, GetBalancesResponse

BalancePages = Pages[GetBalancesRequest, GetBalancesResponse, BalanceItem]


def page(number: int, names: str, total: int) -> GetBalancesResponse:
    """Return a page with one item per letter."""
    items = [BalanceItem(id=name, open=Decimal(1), confirmed=Decimal(0)) for name in names]
    return GetBalancesResponse(page=number, items=len(items), total=total, balance_items=items)


class Script:
    """Returns the next scripted response to each call, and records the requests."""

    def __init__(self, *responses: GetBalancesResponse | Exception) -> None:
        self.responses = list(responses)
        self.asked: list[tuple[int | None, int | None]] = []

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        assert operation.name == "GetBalances"
        assert isinstance(request, GetBalancesRequest)
        self.asked.append((request.page, request.items))
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return cast(ResponseT, response)


def pages(
    script: Script,
    *,
    on_page: OnPage | None = None,
    page: int | None = None,
    items: int | None = None,
    default: int | None = None,
) -> BalancePages:
    paging = PACKAGE.settings.paging
    assert paging is not None
    request = GetBalancesRequest(page=page, items=items)
    if default is None:
        return Pages(script.call, GET_BALANCES, request, paging, on_page)
    found = Pages(script.call, GET_BALANCES, request, replace(paging, default=default), on_page)
    found._fields = replace(found._fields, response_total="")
    return found


def names(found: BalancePages) -> str:
    return "".join(item.id or "" for item in found)


def test_all_items_are_returned_in_order() -> None:
    script = Script(page(0, "ab", 5), page(1, "cd", 5), page(2, "e", 5))
    assert names(pages(script, items=2)) == "abcde"
    assert script.asked == [(0, 2), (1, 2), (2, 2)]


def test_default_is_the_first_page_and_the_maximum_size() -> None:
    script = Script(page(0, "a", 1))
    assert names(pages(script)) == "a"
    assert script.asked == [(0, 50)]


def test_pages_are_requested_lazily() -> None:
    script = Script(page(0, "ab", 4), page(1, "cd", 4))
    found = pages(script, items=2)
    assert script.asked == []
    assert [next(found).id, next(found).id] == ["a", "b"]
    assert len(script.asked) == 1
    assert next(found).id == "c"
    assert len(script.asked) == 2


@pytest.mark.parametrize("total", [3, 4, 100])
def test_empty_page_is_the_end_for_any_total(total: int) -> None:
    script = Script(page(0, "ab", total), page(1, "", total))
    assert names(pages(script, items=2)) == "ab"
    assert len(script.asked) == 2
    assert names(pages(Script(page(0, "", total)), items=2)) == ""


@pytest.mark.parametrize("total", [0, 1, 2, 3])
def test_full_pages_continue_although_the_total_is_too_low(total: int) -> None:
    script = Script(page(0, "ab", total), page(1, "cd", total), page(2, "", total))
    assert names(pages(script, items=2)) == "abcd"


def test_short_page_is_not_the_end_if_the_total_is_higher() -> None:
    """No items are lost if the service limits the page size."""
    script = Script(page(0, "ab", 5), page(1, "cd", 5), page(2, "e", 5), page(3, "", 5))
    assert names(pages(script, items=3)) == "abcde"


@pytest.mark.parametrize(
    ("sent", "asked"),
    [
        (["abc", "def", "g"], 3),  # the service returns three of four: the third page is shorter
        (["abc", "def", ""], 3),
        (["abcd", "ef"], 2),
        (["a"], 1),  # fewer than the service returns by default
        (["ab", ""], 2),
    ],
)
def test_without_a_total_a_limited_page_is_not_the_end(sent: list[str], asked: int) -> None:
    script = Script(*(page(number, names, 0) for number, names in enumerate(sent)))
    assert names(pages(script, items=4, default=2)) == "".join(sent)
    assert len(script.asked) == asked


def test_exhausted_iterator_stays_exhausted() -> None:
    found = pages(Script(page(0, "a", 1)), items=2)
    assert names(found) == "a"
    assert next(found, None) is None
    assert next(found, None) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("items", wrong) for wrong in (51, 0, -1, True, 10**9)]
    + [("page", wrong) for wrong in (-1, False, True)],
)
def test_invalid_page_is_refused_at_once(field: str, value: int) -> None:
    script = Script()
    with pytest.raises(ContractError) as caught:
        pages(script, items=value) if field == "items" else pages(script, page=value)
    assert caught.value.path == f"GetBalancesRequest/{field}"
    assert caught.value.value == repr(value)
    assert script.asked == []


def test_iteration_can_start_at_a_page() -> None:
    found = pages(Script(page(0, "ab", 6), page(1, "cd", 6)), items=2)
    assert [next(found).id for _ in range(3)] == ["a", "b", "c"]
    assert (found.page, found.given, found.total) == (1, 3, 6)
    script = Script(page(1, "cd", 6), page(2, "ef", 6), page(3, "", 6))
    assert names(pages(script, page=found.page, items=2)) == "cdef"
    assert script.asked[0] == (1, 2)


def test_iterator_reports_its_position() -> None:
    found = pages(Script(page(0, "ab", 3), page(1, "c", 3)), items=2)
    seen = [(found.page, found.given, found.total)]
    for _ in found:
        seen.append((found.page, found.given, found.total))
    assert seen == [(0, 0, None), (0, 1, 3), (1, 2, 3), (2, 3, 3)]


def test_every_page_is_reported_to_listeners() -> None:
    told: list[tuple[int, int, int | None]] = []
    script = Script(page(4, "ab", 11), page(5, "c", 11), page(6, "", 11))
    assert names(pages(script, on_page=lambda *one: told.append(one), page=4, items=2)) == "abc"
    assert told == [(4, 2, 11), (5, 3, 11)]


def test_failed_page_can_be_requested_again() -> None:
    broken = UnexpectedResponse(503, None, b"")
    script = Script(broken, page(0, "ab", 3), broken, broken, page(1, "c", 3))
    found = pages(script, items=2)
    got = ""
    failed = 0
    for _ in range(6):
        try:
            got += next(found).id or ""
        except UnexpectedResponse:
            failed += 1
    assert (got, failed) == ("abc", 3)
    assert script.asked == [(0, 2), (0, 2), (1, 2), (1, 2), (1, 2)]
    assert next(found, None) is None


def test_repeated_page_does_not_loop_forever() -> None:
    script = Script(*[page(number, "ab", 99) for number in range(9)])
    found = pages(script, items=2)
    assert [next(found).id, next(found).id] == ["a", "b"]
    with pytest.raises(ResponseError, match="again"):
        next(found)
    assert len(script.asked) == 2


def test_other_page_than_requested_is_refused() -> None:
    found = pages(Script(page(0, "ab", 99), page(0, "cd", 99)), items=2)
    assert [next(found).id, next(found).id] == ["a", "b"]
    with pytest.raises(ResponseError, match="the requested page 1"):
        next(found)
