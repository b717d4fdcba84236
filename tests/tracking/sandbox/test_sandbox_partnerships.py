"""Applying to programs and ending partnerships, with the effects on other operations."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tests.tracking.sandbox.caller import Caller, SoapResponse

ALL = "programApplicationItems.programApplicationItem"
ADMEDIA = "admediumItems.admediumItem"


def between(caller: Caller, program: int, adspace: int) -> list[SoapResponse]:
    return caller.call("GetProgramApplications", programId=program, adspaceId=adspace).entries()


def programs(caller: Caller, *, decides: bool) -> list[int]:
    """Return programs that this account never applied to."""
    known = {one.number("program.id") for one in caller.pages("GetProgramApplications")}
    found = caller.pages("SearchPrograms")
    return [
        one.number("id")
        for one in found
        if one.at("applicationRequired") is decides and one.number("id") not in known
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("decides", "status"), [(True, "open"), (False, "confirmed")])
def test_application_state_depends_on_the_program(fresh: Caller, decides: bool, status: str) -> None:
    program = programs(fresh, decides=decides)[0]
    adspace = fresh.call("GetAdspaces").number("adspaceItems.adspaceItem.3.id")
    before = fresh.call("GetProgramApplications").number("total")
    fresh.clock.advance(90)
    made = fresh.call(
        "CreateProgramApplication", programId=program, adspaceId=adspace, publisherComment="Größe & <so>"
    )
    assert made.text("status") == status
    assert made.number("program.id") == program
    assert made.number("adspace.id") == adspace
    assert made.text("publisherComment") == "Größe & <so>"
    created = datetime(2026, 11, 20, 13, 1, 30, tzinfo=timezone(timedelta(hours=1)))
    assert made.at("createDate") == created
    assert made.at("approvedDate") == (None if decides else created)
    assert [one.value for one in between(fresh, program, adspace)] == [made.value]
    assert fresh.call("GetProgramApplications").number("total") == before + 1


@pytest.mark.exhaustive
def test_at_most_one_application_is_active_and_an_ended_one_does_not_block(fresh: Caller) -> None:
    program = programs(fresh, decides=True)[0]
    first, second = (one.number("id") for one in fresh.call("GetAdspaces").entries()[:2])
    made = fresh.call("CreateProgramApplication", programId=program, adspaceId=first)
    assert made.at("publisherComment") is None
    words = (str(program), "DeleteProgramApplication")
    pair = {"programId": program, "adspaceId": first}
    assert fresh.refused("CreateProgramApplication", 109, *words, **pair)
    fresh.call("CreateProgramApplication", programId=program, adspaceId=second)
    assert fresh.call("DeleteProgramApplication", programId=program, adspaceId=first).value == 1
    assert fresh.call("DeleteProgramApplication", programId=program, adspaceId=first).value == 0
    assert [one.at("status") for one in between(fresh, program, first)] == ["terminated"]
    assert [one.at("status") for one in between(fresh, program, second)] == ["open"]
    again = fresh.call("CreateProgramApplication", programId=program, adspaceId=first)
    assert again.number("id") != made.number("id")
    assert [one.at("status") for one in between(fresh, program, first)] == ["terminated", "open"]


@pytest.mark.exhaustive
def test_unknown_and_foreign_items_are_refused(two: list[Caller]) -> None:
    fresh, other = two
    theirs = other.call("GetAdspaces").number("adspaceItems.adspaceItem.0.id")
    mine = fresh.call("GetAdspaces").number("adspaceItems.adspaceItem.0.id")
    program = programs(fresh, decides=True)[0]
    for wrong in ({"programId": 1, "adspaceId": mine}, {"programId": program, "adspaceId": theirs}):
        named = str(1 if wrong["programId"] == 1 else theirs)
        assert fresh.refused("CreateProgramApplication", 108, named, **wrong)
        assert fresh.call("DeleteProgramApplication", **wrong).value == 0
    fresh.call("CreateProgramApplication", programId=program, adspaceId=mine)
    assert between(other, program, mine) == []
    assert other.call("DeleteProgramApplication", programId=program, adspaceId=mine).value == 0
    assert len(between(fresh, program, mine)) == 1


@pytest.mark.exhaustive
def test_partnership_adds_tracking_links_and_its_end_removes_them(fresh: Caller) -> None:
    program = programs(fresh, decides=False)[0]
    first, second = (one.number("id") for one in fresh.call("GetAdspaces").entries()[:2])

    def links(**fields: object) -> list[object]:
        one = fresh.call("GetAdmedia", programId=program, **fields).entries()[0]
        return [link.at("adspaceId") for link in one.each("trackingLinks.trackingLink")]

    path = f"{ADMEDIA}.0.trackingLinks"
    assert fresh.call("GetAdmedia", programId=program).at(path) is None
    for adspace in (first, second):
        fresh.call("CreateProgramApplication", programId=program, adspaceId=adspace)
    assert links() == [first, second]
    assert links(adspaceId=second) == [second]
    fresh.call("DeleteProgramApplication", programId=program, adspaceId=second)
    assert links() == [first]
    assert fresh.call("GetAdmedia", programId=program, adspaceId=second).at(path) is None


def test_tracking_categories_match_the_transactions(caller: Caller, day: datetime) -> None:
    wrapper = "trackingCategoryItem.trackingCategoryItem"
    for operation, kind in (("GetSales", "sale"), ("GetLeads", "lead")):
        one = caller.call(operation, date=day, dateType="trackingDate").entries()[0]
        pair = {"programId": one.number("program.id"), "adspaceId": one.number("adspace.id")}
        found = caller.call("GetTrackingCategories", **pair)
        assert (found.at("page"), found.at("items"), found.at("total")) == (0, 4, 4)
        entries = {each.text("id"): each for each in found.each(wrapper)}
        mine = entries[str(one.number("trackingCategory.id"))]
        assert mine.at("transactionType") == f"{kind}s"
        assert mine.at("name") == one.at("trackingCategory._value_1")
        assert mine.at("adspace.id") == pair["adspaceId"]
        assert mine.at("program.id") == pair["programId"]
        if kind == "lead":
            assert mine.at("leadFixed") == one.at("commission")
        else:
            amount, percent = one.at("amount"), mine.at("salePercent")
            assert one.at("commission") == pytest.approx(amount * percent / 100, abs=0.0051)
        last = caller.call("GetTrackingCategories", page=1, items=3, **pair)
        assert [each.text("id") for each in last.each(wrapper)] == [list(entries)[3]]
        assert caller.refusal("GetTrackingCategories", items=51, **pair)[0] == 105
        for unknown in ({**pair, "programId": 1}, {**pair, "adspaceId": 1}):
            assert caller.call("GetTrackingCategories", **unknown).number("total") == 0
