"""Faults are assigned to requests by the seed and the caller."""

from __future__ import annotations

import threading
from contextvars import copy_context

import pytest

from tests.campaigns.faults import FAMILIES, Family
from tests.campaigns.plan import Plan, Tags, request_id, tag_of
from tests.campaigns.wire import Head

pytestmark = pytest.mark.exhaustive


def asked(tag: str) -> Head:
    return Head("GET /x HTTP/1.1", (("nonce", f"CAMPAIGN-{tag}-0001-run"),))


def drawn(plan: Plan, tags: list[str]) -> dict[tuple[str, int], str | None]:
    found = {}
    for tag in tags:
        count, random = plan.next_of(tag)
        fault = plan.fault(random)
        found[tag, count] = None if fault is None else fault.name
    return found


def test_faults_depend_on_seed_and_tag_not_on_order() -> None:
    tags = [f"{number:03d}" for number in range(100)] * 3
    one = drawn(Plan(7, FAMILIES), tags)
    assert one == drawn(Plan(7, FAMILIES), tags[::-1])
    assert one != drawn(Plan(8, FAMILIES), tags)
    share = sum(name is not None for name in one.values()) / len(one)
    assert 0.1 < share < 0.3


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0].name)
def test_all_faults_of_a_family_occur(family: Family) -> None:
    plan = Plan(1, [family], share=1.0)
    assert set(drawn(plan, ["a"] * 15 * len(family)).values()) == {fault.name for fault in family}


def test_all_families_occur() -> None:
    plan = Plan(1, [(family[0],) for family in FAMILIES], share=1.0)
    assert set(drawn(plan, ["a"] * 1000).values()) == {family[0].name for family in FAMILIES}


def test_request_is_identified_by_nonce_query_id_or_user_agent() -> None:
    tags = Tags("run")
    tags.begin("000001a")
    first, second = tags.nonce(), tags.nonce()
    assert first != second
    assert len(first) >= 20
    assert tag_of(Head("GET /x HTTP/1.1", (("Nonce", first),))) == "000001a"
    assert tag_of(Head(f"GET /x?a=b&nonce={second}&signature=x HTTP/1.1", ())) == "000001a"
    assert (
        tag_of(Head("GET /x HTTP/1.1", (("User-Agent", "soapclient CAMPAIGN-export1x02-"),))) == "export1x02"
    )
    assert tag_of(Head("POST /x HTTP/1.1", (("X-Request-ID", request_id("000002b")),))) == "000002b"
    public = Head("GET /programs/program/1 HTTP/1.1", ())
    assert tag_of(public) == "GET /programs/program/1 HTTP/1.1"


def test_threads_have_separate_tags() -> None:
    tags = Tags("run")
    tags.begin("mine")
    told = []

    def other() -> None:
        tags.begin("other")
        told.append(tags.nonce())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert told[0].startswith("CAMPAIGN-other-")
    assert tags.nonce().startswith("CAMPAIGN-mine-0001")


def test_thread_that_runs_the_call_of_another_has_its_tag() -> None:
    tags, told = Tags("run"), []
    tags.begin("mine")
    context = copy_context()
    thread = threading.Thread(target=context.run, args=(lambda: told.append(tags.nonce()),))
    thread.start()
    thread.join()
    assert told == ["CAMPAIGN-mine-0001-run"]
