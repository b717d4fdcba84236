"""Invalid values of a request are refused before anything is sent. Errors have path, value and rule."""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

import msgspec
import pytest
from lxml import etree

from soapclient.runtime import EncodeError, Wire
from soapclient.runtime.package import package
from soapclient.runtime.request_values import wire_of
from zxws.data import types as data
from zxws.publisher import types

# Valid requests, with their writers.
_DAY = dt.date(2026, 11, 1)
_PLACE = types.SubStringIdentifierType(id=1, value="a place")
_GOOD: dict[type[msgspec.Struct], msgspec.Struct] = {
    types.GetSalesRequest: types.GetSalesRequest(date=_DAY, date_type="trackingDate"),
    types.SearchProductsRequest: types.SearchProductsRequest(query="q"),
    types.GetReportBasicRequest: types.GetReportBasicRequest(from_date=_DAY, to_date=_DAY),
    types.SubPublisherType: types.SubPublisherType(),
    types.ProfileItem: types.ProfileItem(
        adrank=1.5, first_name="", last_name="", email="", country="", street1="", city="", zipcode="",
        login_name="", user_name="", is_advertiser=False, is_sublogin=False,
    ),
    types.ApplicationItem: types.ApplicationItem(name="a"),
    types.ImageType: types.ImageType(),
    types.MediaSlotItem: types.MediaSlotItem(name="m", adspace=_PLACE, applications=[], status="active"),
    data.CreateReportJobRequest: data.CreateReportJobRequest(
        report_type="click", from_date=_DAY, to_date=_DAY
    ),
}  # fmt: skip

_INT = "a whole number from -2147483648 to 2147483647 (xsd:int)"
_DAYS = "a date such as 2026-11-01"
_EXACT = "a number (xsd:double): give a Decimal"
_DATE_TYPES = "one of 'clickDate', 'trackingDate', 'modifiedDate', 'reviewStateChangedDate'"
_TEXT = "text (xsd:string)"
_TIME = "a date-time with a zone (xsd:dateTime): give a datetime with a tzinfo"
_SALES, _SEARCH, _REPORT = types.GetSalesRequest, types.SearchProductsRequest, types.GetReportBasicRequest
_JOB, _NUMBER, _RANK = data.CreateReportJobRequest, types.SubPublisherType, types.ProfileItem
_SLOT = types.MediaSlotItem


def _write(kind: type[msgspec.Struct], **changed: object) -> Wire:
    return _written(msgspec.structs.replace(_GOOD[kind], **changed), "R")


def _written(value: msgspec.Struct, path: str) -> Wire:
    """Write a value of any type like a part of a request."""
    kind = type(value)
    codec = package(kind.__module__.rpartition(".")[0]).codec
    node = etree.Element(codec.schema.tag(path))
    codec.writer(kind.__name__)(value, node, path)
    return wire_of(node, codec, kind.__name__)


def _refusal(write: Callable[..., object], *args: Any, **changed: object) -> EncodeError:
    """Return the error of `_write` or `_written`."""
    with pytest.raises(EncodeError) as caught:
        write(*args, **changed)
    return caught.value


@pytest.mark.parametrize("kind", _GOOD)
def test_base_request_of_these_tests_is_valid(kind: type[msgspec.Struct]) -> None:
    assert isinstance(_write(kind), dict)


@pytest.mark.parametrize(
    ("kind", "field", "value", "path", "allowed"),
    [
        (_SALES, "program_id", True, "R/programId", _INT),
        (_SALES, "program_id", 7.0, "R/programId", _INT),
        (_SALES, "program_id", Decimal(7), "R/programId", _INT),
        (_SALES, "program_id", 2**31, "R/programId", _INT),
        (_SALES, "page", -(2**31) - 1, "R/page", _INT),
        (_SALES, "date_type", "nonsense", "R/dateType", _DATE_TYPES),
        (_SALES, "date_type", "TrackingDate", "R/dateType", _DATE_TYPES),
        (_SALES, "date_type", types.ReviewState.OPEN, "R/dateType", _DATE_TYPES),
        (_SALES, "date_type", 1, "R/dateType", _DATE_TYPES),
        (_SALES, "date", dt.datetime(2026, 11, 1), "R/date", _DAYS),
        (_SALES, "date", dt.datetime(2026, 11, 1, tzinfo=dt.UTC), "R/date", _DAYS),
        (_SEARCH, "query", 7, "R/query", _TEXT),
        (_SEARCH, "has_images", 1, "R/hasImages", "true or false (xsd:boolean)"),
        (_SALES, "date", "01.11.2026", "R/date", _DAYS),
        (_SEARCH, "has_images", "yes", "R/hasImages", "true or false (xsd:boolean)"),
        (_SEARCH, "min_price", Decimal("9.99"), "R/minPrice", _INT),
        (_SEARCH, "program_id", 7, "R/programId", "a list"),
        (_SEARCH, "program_id", 0, "R/programId", "a list"),
        (_SEARCH, "program_id", "78", "R/programId", "a list"),
        (_SEARCH, "program_id", [7, "eight", 9], "R/programId[2]", _INT),
        (_NUMBER, "commission", 0.1, "R/commission", _EXACT),
        (_NUMBER, "commission", "0,1", "R/commission", _EXACT),
        (_NUMBER, "commission", Decimal("NaN"), "R/commission", _EXACT),
        (_NUMBER, "commission", Decimal("-Infinity"), "R/commission", _EXACT),
        (_NUMBER, "commission", False, "R/commission", _EXACT),
        (_RANK, "adrank", Decimal("1.5"), "R/adrank", "a number (xsd:float)"),
        (_RANK, "adrank", float("inf"), "R/adrank", "a number (xsd:float)"),
        (_RANK, "adrank", True, "R/adrank", "a number (xsd:float)"),
        (types.ApplicationItem, "start_date", dt.datetime(2026, 11, 1), "R/startDate", _TIME),
        (types.ApplicationItem, "start_date", dt.date(2026, 11, 1), "R/startDate", _TIME),
        (types.ApplicationItem, "preview_url", ["ok", None], "R/previewUrl[2]", _TEXT),
        (types.ImageType, "small", "http://[", "R/small", "an address (xsd:anyURI)"),
        (_SLOT, "applications", 7, "R/applications/application", "a list"),
        (_SLOT, "applications", ["a"], "R/applications/application[1]", "a SubStringIdentifierStringType"),
        (_SLOT, "adspace", "a place", "R/adspace", None),
        (_JOB, "from_date", dt.datetime(2026, 11, 1), "R/fromDate", "a date (xsd:date)"),
        (_JOB, "to_date", 20261101, "R/toDate", "a date (xsd:date)"),
        (_REPORT, "group_by", ["day", "nonsense"], "R/groupBy[2]", None),
        (_REPORT, "group_by", "day", "R/groupBy", "a list"),
    ],
)
def test_invalid_value_is_refused_with_its_path(
    kind: type[msgspec.Struct], field: str, value: object, path: str, allowed: str | None
) -> None:
    error = _refusal(_write, kind, **{field: value})
    assert error.path == path
    assert allowed in (None, error.allowed)
    given = value[1 if "[2]" in path else 0] if isinstance(value, list) else value
    assert str(error) == f"{path} must be {error.allowed}, got {given!r}"


@pytest.mark.parametrize(
    ("kind", "field", "value", "path", "allowed"),
    [
        (_SALES, "program_id", "7", "R/programId", "an int from -2147483648 to 2147483647"),
        (_SEARCH, "program_id", [7, "8", 9], "R/programId[2]", "an int from -2147483648 to 2147483647"),
        (_SALES, "date", "2026-11-01", "R/date", "a datetime.date such as date(2026, 11, 1)"),
        (_JOB, "to_date", "2026-11-01", "R/toDate", "a datetime.date such as date(2026, 11, 1)"),
        (_SEARCH, "has_images", "true", "R/hasImages", "True or False"),
        (_NUMBER, "commission", "0.1", "R/commission", 'a Decimal such as Decimal("4.20")'),
        (_RANK, "adrank", "1.5", "R/adrank", "a float such as 4.2"),
        (
            types.ApplicationItem, "start_date", "2026-11-01T12:00:00Z", "R/startDate",
            "a datetime.datetime such as datetime(2026, 11, 1, 12, tzinfo=UTC)",
        ),
    ],
)  # fmt: skip
def test_text_is_refused_with_the_expected_type(
    kind: type[msgspec.Struct], field: str, value: object, path: str, allowed: str
) -> None:
    error = _refusal(_write, kind, **{field: value})
    given = value[1] if isinstance(value, list) else value
    assert (error.path, error.allowed, error.reason) == (path, allowed, "a string is not allowed")
    assert str(error) == f"{path} must be {allowed}, got the string {given!r}"


@pytest.mark.parametrize("sign", ["\x00", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda text: _SEARCH(query=text), "R/query"),
        (lambda text: _SEARCH(query="q", merchant_category=["x", text]), "R/merchantCategory[2]"),
        (lambda text: types.GppType(id=text, value="x"), "R/@id"),
    ],
)
def test_text_forbidden_in_xml_is_refused(
    make: Callable[[str], msgspec.Struct], path: str, sign: str
) -> None:
    error = _refusal(_written, make(f"a{sign}b"), "R")
    assert (error.path, error.allowed) == (path, _TEXT)
    assert str(error).isprintable()
    assert error.reason == "the text has a character that XML does not allow"


@pytest.mark.parametrize("text", ["\t\n\r", "\x7f\x85", "ä ✓ \U0001f600", "]]>&<"])
def test_text_allowed_in_xml_is_sent_unchanged(text: str) -> None:
    assert _write(_SEARCH, query=text)["query"] == text


@pytest.mark.parametrize("kind", _GOOD)
def test_none_is_refused_for_required_fields(kind: type[msgspec.Struct]) -> None:
    for field in msgspec.structs.fields(kind):
        path = f"R/{field.encode_name}"
        if field.required:
            error = _refusal(_write, kind, **{field.name: None})
            assert (error.path, error.value, str(error)) == (path, None, f"{path} is required")


def test_fields_that_responses_may_lack_are_required_in_requests() -> None:
    """`may_be_missing` is about the service's responses, not about its requests."""
    account = types.BankAccountItem(
        name="n", bank_code="1", account_number="2", owner="o", country="DE", min_payout=Decimal(1)
    )
    assert _refusal(_written, account, "R").path == "R/iban"


def test_nested_error_has_the_full_path() -> None:
    inner = types.SubStringIdentifierStringType(id=cast(str, 7), value="v")
    slot = msgspec.structs.replace(
        cast(types.MediaSlotItem, _GOOD[_SLOT]),
        applications=[types.SubStringIdentifierStringType(id="1", value="v"), inner],
    )
    request = types.CreateMediaSlotRequest(media_slot_item=slot)
    error = _refusal(_written, request, "CreateMediaSlotRequest")
    assert error.path == "CreateMediaSlotRequest/mediaSlotItem/applications/application[2]/@id"


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("notify_url", "https://example.org/ready", "R/notifyUrl"),
        ("report_type", "aggregated", "R/reportType"),
        ("report_type", "view", "R/reportType"),
        ("report_type", "postview", "R/reportType"),
    ],
)
def test_removed_values_are_refused_by_name(field: str, value: str, path: str) -> None:
    error = _refusal(_write, _JOB, **{field: value})
    assert (error.path, error.value) == (path, value)
    assert "removed in 2011-05-01" in str(error)
    if field == "report_type":
        assert str(error).endswith(f"use click (ppc), clickin (lpt), lead or sale (got '{value}')")


def test_other_report_types_are_sent() -> None:
    for report_type in ("click", "clickin", "of the future"):
        assert _write(_JOB, report_type=report_type)["reportType"] == report_type


@pytest.mark.parametrize("value", [2**31, "text", [1, 2], object(), b"bytes", None])
def test_errors_can_be_pickled(value: object) -> None:
    error = _refusal(_write, _SALES, date=value)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path, again.allowed) == (str(error), "R/date", error.allowed)


def test_error_shows_a_shortened_long_value() -> None:
    assert len(str(_refusal(_write, _SALES, date_type="x" * 10_000))) < 300


def test_enum_members_and_their_texts_are_equal_on_the_wire() -> None:
    member = _write(_SALES, date_type=types.DateType.CLICK_DATE)
    assert member == _write(_SALES, date_type="clickDate")
    assert type(member["dateType"]) is str


def test_date_times_with_seconds_in_their_offset_are_sent_in_utc() -> None:
    """Local mean times have such offsets, but XSD cannot express them."""
    odd = dt.datetime(1890, 1, 1, tzinfo=dt.timezone(dt.timedelta(minutes=53, seconds=28)))
    assert _write(types.ApplicationItem, start_date=odd)["startDate"] == "1889-12-31T23:06:32+00:00"
