"""What an advertiser may ask (`docs/explanation/service.md#rest-forms`).

The account is the advertiser of one program. The fields of a report are assumed:
those of the publisher's report, and the ids and names it is grouped by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields as fields_of
from datetime import date, timedelta

from ..berlin import day_of
from ..data.catalogue import Program
from ..data.partners import Partnership, Traffic
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value
from .registry import Call, handles

MAX_CODES = 25  # docs/explanation/service.md#rest-forms
MAX_DAYS_BACK = 90
_NAMES = {
    "views": "viewCount",
    "tpvs": "tpvCount",
    "clicks": "clickCount",
    "click_commission": "clickCommission",
    "leads": "leadCount",
    "lead_commission": "leadCommission",
    "sales": "saleCount",
    "sale_commission": "saleCommission",
    "sale_amount": "saleAmount",
}


@handles("advertiser", "GetPartnerships")
def get_partnerships(call: Call) -> Payload:
    """In the order asked for. Of codes of other programs only the ids; `errorList` has those of nobody."""
    own = call.store.partners.program_of(call.connect_id)
    return _partnerships(
        call, lambda one: _item(one) if one.admedium.program_id == own else _public_item(one)
    )


@handles("advertiser", "GetPublicPartnerships")
def get_public_partnerships(call: Call) -> Payload:
    """The ids alone, whosever the code is."""
    return _partnerships(call, _public_item)


@handles("advertiser", "GetProgramReport")
def get_program_report(call: Call) -> Payload:
    """Sums per group; a group without any traffic has no entry. Days are Berlin's, the last is not included.

    Raises `InvalidValue` 403 for any program but the account's own, 105 for days and groups that do not go.
    """
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    if program is None or program.id != call.store.partners.program_of(call.connect_id):
        raise InvalidValue(Code.DENIED, "this is not a program of yours")
    groups = call.fields.texts("groupBy") or ["day"]
    if len(set(groups)) < len(groups):
        raise InvalidValue(Code.OUT_OF_RANGE, "groupby names something twice")
    if {"day", "month"} <= set(groups):
        raise InvalidValue(Code.OUT_OF_RANGE, "groupby: day and month exclude each other")
    rows: dict[tuple[Value, ...], tuple[Payload, list[Traffic]]] = {}
    for day in _days(call.fields, day_of(call.now)):
        for one in call.store.partners.of_program(program.id):
            traffic = call.store.partners.traffic(program, one, day)
            if traffic.clicks:
                head = _head(groups, program, one, day)
                rows.setdefault(tuple(head.values()), (head, []))[1].append(traffic)
    return {"aggregatedReportList": [{**head, **_sums(parts)} for head, parts in rows.values()]}


def _partnerships(call: Call, item: Callable[[Partnership], Payload]) -> Payload:
    codes = call.fields.texts("partnerCode")
    if not 1 <= len(codes) <= MAX_CODES:
        raise InvalidValue(
            Code.OUT_OF_RANGE, f"partnerCode: {len(codes)} codes are not allowed, 1 to {MAX_CODES} are"
        )
    if "" in codes:
        raise InvalidValue(Code.OUT_OF_RANGE, "partnerCode: there is nothing between two commas, or at all")
    found: list[Value] = []
    errors: list[Value] = []
    for code in codes:
        one = call.store.partners.by_code(code)
        if one is not None:
            found.append(item(one))
        else:
            errors.append(
                {
                    "partnerCode": code,
                    "code": int(Code.UNKNOWN_ID),
                    "message": "invalid partner code",
                    "reason": f"nobody has the partner code {code[:40]!r}",
                }
            )
    return {"partnerCodeList": found, "errorList": errors or None}


def _public_item(one: Partnership) -> Payload:
    return {"partnerCode": one.code, "userId": one.user_id, "adspaceId": one.adspace_id}


def _item(one: Partnership) -> Payload:
    return {
        **_public_item(one),
        "partnerCodeStatus": one.code_status,
        "userName": one.user_name,
        "userStatus": one.user_status,
        "adspaceName": one.adspace_name,
        "adspaceUrl": one.adspace_url,
        "adspaceStatus": one.adspace_status,
        "admediaId": one.admedium.id,
        "admediaName": one.admedium.name,
        "admediaStatus": one.admedium_status,
    }


def _days(fields: Fields, today: date) -> Iterator[date]:
    first, end = fields.day("fromDate"), fields.day("toDate")
    if first is None or end is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "fromdate and todate are needed")
    if first >= end:
        raise InvalidValue(Code.OUT_OF_RANGE, f"todate: {end} is not included, so it must be after {first}")
    oldest = today - timedelta(days=MAX_DAYS_BACK)
    if first < oldest:
        raise InvalidValue(
            Code.OUT_OF_RANGE, f"fromdate: {first} is more than {MAX_DAYS_BACK} days back, before {oldest}"
        )
    # Nothing has been tracked after today.
    for shift in range((min(end, today + timedelta(days=1)) - first).days):
        yield first + timedelta(days=shift)


def _head(groups: list[str], program: Program, one: Partnership, day: date) -> dict[str, Value]:
    head: dict[str, Value] = {}
    if "day" in groups:
        head["day"] = day.isoformat()
    if "month" in groups:
        head["month"] = f"{day:%Y-%m}"
    if "adspace" in groups:
        head |= {
            "adspaceId": one.adspace_id,
            "adspaceName": one.adspace_name,
            "userId": one.user_id,
            "userName": one.user_name,
        }
    if "admedium" in groups:
        head |= {"admediaId": one.admedium.id, "admediaName": one.admedium.name}
    return {**head, "currency": program.currency}


def _sums(parts: list[Traffic]) -> Payload:
    sums: dict[str, Value] = {}
    for field in fields_of(Traffic):
        values = [getattr(part, field.name) for part in parts]
        sums[_NAMES[field.name]] = sum(values[1:], values[0])
    return sums
