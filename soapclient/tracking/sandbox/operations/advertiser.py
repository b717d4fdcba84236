"""Handlers of the Advertiser interface (`docs/explanation/service.md#rest-forms`).

The account is the advertiser of one program. No public source lists the fields of its report. The sandbox
returns the fields of the publisher's report, and the ids and names of the groups.
"""

from __future__ import annotations

from collections import Counter
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
    """Return the partnerships of the requested partner codes, in the order of the request.

    For the codes of other programs, only the code and the ids of publisher and ad space are returned. Unknown
    codes are listed in `errorList`.
    """
    own = call.store.partners.program_of(call.connect_id)
    return _partnerships(
        call, lambda item: _item(item) if item.admedium.program_id == own else _public_item(item)
    )


@handles("advertiser", "GetPublicPartnerships")
def get_public_partnerships(call: Call) -> Payload:
    """Return the ids of publisher and ad space for each requested partner code, of any program."""
    return _partnerships(call, _public_item)


@handles("advertiser", "GetProgramReport")
def get_program_report(call: Call) -> Payload:
    """Return the traffic of the program, summed per group. Groups without traffic are omitted.

    Days are days in Berlin; toDate is excluded. Raises `InvalidValue` 403 for a program of another
    advertiser, 105 for invalid days or groups.
    """
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    if program is None or program.id != call.store.partners.program_of(call.connect_id):
        raise InvalidValue(Code.DENIED, "the account is not the advertiser of this program")
    groups = call.fields.texts("groupBy") or ["day"]
    repeated = next((name for name, times in Counter(groups).items() if times > 1), None)
    if repeated is not None:
        raise InvalidValue(Code.OUT_OF_RANGE, f"groupby: {repeated!r} occurs twice")
    if {"day", "month"} <= set(groups):
        raise InvalidValue(Code.OUT_OF_RANGE, "groupby: day and month cannot be combined")
    rows: dict[tuple[Value, ...], tuple[Payload, list[Traffic]]] = {}
    for day in _days(call.fields, day_of(call.now)):
        for partnership in call.store.partners.of_program(program.id):
            traffic = call.store.partners.traffic(program, partnership, day)
            if traffic.clicks:
                head = _head(groups, program, partnership, day)
                rows.setdefault(tuple(head.values()), (head, []))[1].append(traffic)
    return {"aggregatedReportList": [{**head, **_sums(parts)} for head, parts in rows.values()]}


def _partnerships(call: Call, item: Callable[[Partnership], Payload]) -> Payload:
    """Return the response: an item for each requested partner code, and an error for each unknown code.

    `item` converts a partnership to a response item.
    """
    codes = call.fields.texts("partnerCode")
    if not 1 <= len(codes) <= MAX_CODES:
        raise InvalidValue(
            Code.OUT_OF_RANGE, f"partnerCode must have 1 to {MAX_CODES} codes, got {len(codes)}"
        )
    if "" in codes:
        raise InvalidValue(Code.OUT_OF_RANGE, "partnerCode has an empty code")
    items: list[Value] = []
    errors: list[Value] = []
    for code in codes:
        partnership = call.store.partners.by_code(code)
        if partnership is not None:
            items.append(item(partnership))
        else:
            errors.append(
                {
                    "partnerCode": code,
                    "code": int(Code.UNKNOWN_ID),
                    "message": "invalid partner code",
                    "reason": f"the partner code {code[:40]!r} does not exist",
                }
            )
    return {"partnerCodeList": items, "errorList": errors or None}


def _public_item(partnership: Partnership) -> Payload:
    return {
        "partnerCode": partnership.code,
        "userId": partnership.user_id,
        "adspaceId": partnership.adspace_id,
    }


def _item(partnership: Partnership) -> Payload:
    return {
        **_public_item(partnership),
        "partnerCodeStatus": partnership.code_status,
        "userName": partnership.user_name,
        "userStatus": partnership.user_status,
        "adspaceName": partnership.adspace_name,
        "adspaceUrl": partnership.adspace_url,
        "adspaceStatus": partnership.adspace_status,
        "admediaId": partnership.admedium.id,
        "admediaName": partnership.admedium.name,
        "admediaStatus": partnership.admedium_status,
    }


def _days(fields: Fields, today: date) -> Iterator[date]:
    first, end = fields.day("fromDate"), fields.day("toDate")
    if first is None or end is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "fromdate and todate are required")
    if first >= end:
        raise InvalidValue(Code.OUT_OF_RANGE, f"todate: {end} is excluded, so it must be after {first}")
    oldest = today - timedelta(days=MAX_DAYS_BACK)
    if first < oldest:
        raise InvalidValue(
            Code.OUT_OF_RANGE,
            f"fromdate: {first} is more than {MAX_DAYS_BACK} days ago; the first possible day is {oldest}",
        )
    # There is no traffic after today.
    for shift in range((min(end, today + timedelta(days=1)) - first).days):
        yield first + timedelta(days=shift)


def _head(groups: list[str], program: Program, partnership: Partnership, day: date) -> dict[str, Value]:
    head: dict[str, Value] = {}
    if "day" in groups:
        head["day"] = day.isoformat()
    if "month" in groups:
        head["month"] = f"{day:%Y-%m}"
    if "adspace" in groups:
        head |= {
            "adspaceId": partnership.adspace_id,
            "adspaceName": partnership.adspace_name,
            "userId": partnership.user_id,
            "userName": partnership.user_name,
        }
    if "admedium" in groups:
        head |= {"admediaId": partnership.admedium.id, "admediaName": partnership.admedium.name}
    return {**head, "currency": program.currency}


def _sums(parts: list[Traffic]) -> Payload:
    sums: dict[str, Value] = {}
    for field in fields_of(Traffic):
        values = [getattr(part, field.name) for part in parts]
        sums[_NAMES[field.name]] = sum(values[1:], values[0])
    return sums
