"""Preconditions of the comparisons in this folder: the ways differ, and their sandboxes do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from werkzeug.wrappers import Request

if TYPE_CHECKING:
    from tests.protocols.conftest import Ways


@pytest.mark.exhaustive
def test_each_variant_has_the_protocol_of_its_name(fresh_ways: Ways) -> None:
    for name, way in fresh_ways.items():
        codes = way.sandbox.partner_codes(str(way.client.settings.connect_id))
        seen: list[Request] = []
        way.sandbox.interfere = seen.append
        way.client.publisher.get_profile()
        way.client.publisher.delete_adspace(adspace_id=7)
        way.client.data.get_jobs()
        public = len(seen)
        way.client.publisher.search_programs()
        way.client.advertiser.get_partnerships(partner_code=codes)
        *theirs, advertiser = seen
        beginning = "/soap/" if name == "soap" else f"/{way.form}/"
        assert len(theirs) == 4
        assert all(one.path.startswith(f"{beginning}2011-0") for one in theirs)
        assert advertiser.path == "/2015-03-01/member/partnership"
        for one in [*seen[:public], advertiser]:
            assert ("signature" in one.args) == (way.signature == "query"), one.url
            assert (":" in one.headers.get("Authorization", "")) == (way.signature == "headers"), one.url
        assert ("connectid" in seen[public].args) == (way.signature == "query")
        assert "signature" not in seen[public].args
        assert ":" not in seen[public].headers.get("Authorization", "")


def test_all_clients_have_the_same_clock(ways: Ways) -> None:
    assert len({way.clock.now() for way in ways.values()}) == 1
    assert len({way.client.publisher.engine.clock.now() for way in ways.values()}) == 1
