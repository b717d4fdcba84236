"""The profile: complete items over both protocols, single changes only over REST.

See docs/explanation/service.md#rest-resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from soapclient.errors import ContractError, ServiceFault, UnsupportedByProtocol
from zxws.publisher.types import ProfileItem, ProfileItemChanges

if TYPE_CHECKING:
    from tests.protocols.conftest import Way, Ways

REST = ("rest-xml-headers", "rest-xml-query", "rest-json-headers", "rest-json-query")
NUMBER = 259785


def profile_of(way: Way) -> ProfileItem:
    item = way.client.publisher.get_profile().profile_item
    assert item is not None
    return item


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "changes",
    [
        {"first_name": "Ann"},
        {"zipcode": "420", "phone": "12.50", "title": "-0"},  # strings that look like numbers
        {"zipcode": "00420", "phone": "007"},
        {"city": "Łódź & <more>", "title": "true", "street2": "  two  blanks "},
        {"company": "", "fax": "null"},
        {},
    ],
)
def test_partial_profile_is_accepted_over_rest(fresh_ways: Ways, changes: ProfileItemChanges) -> None:
    for name in REST:
        way = fresh_ways[name]
        before = profile_of(way)
        sent: ProfileItemChanges = {"id": NUMBER, **changes}
        told = way.client.publisher.update_profile(profile_item=sent).profile_item
        kept = way.by_soap.publisher.get_profile().profile_item
        assert kept == msgspec.structs.replace(before, **changes), name
        assert told == profile_of(way) == as_answered(way, kept), name
        assert way.client.drift.counts() == {}


def as_answered(way: Way, item: ProfileItem) -> ProfileItem:
    """Return an item as a way's responses contain it.

    JSON converts digits to numbers (docs/explanation/service.md#json), which drops leading zeros. A client
    cannot restore them.
    """
    if way.form == "xml":
        return item
    texts = {name: getattr(item, name) for name in item.__struct_fields__}
    digits = {name: text for name, text in texts.items() if isinstance(text, str) and text.isdecimal()}
    return msgspec.structs.replace(item, **{name: str(int(text)) for name, text in digits.items()})


def test_partial_profile_is_refused_over_soap(fresh_ways: Ways) -> None:
    way = fresh_ways["soap"]
    before = profile_of(way)
    with pytest.raises(UnsupportedByProtocol) as caught:
        way.client.publisher.update_profile(profile_item={"id": NUMBER, "first_name": "Ann"})
    assert "profileItem" in str(caught.value)
    assert "Nothing was sent" in str(caught.value)
    assert profile_of(way) == before


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"first_nam": "Ann"}, "first_nam"),
        ({"first_name": 7}, "firstName"),
        ({"is_advertiser": "perhaps"}, "isAdvertiser"),
        ({"first_name": None}, "first"),
    ],
)
def test_invalid_changes_are_refused_before_sending(
    ways: Ways, changes: ProfileItemChanges, path: str
) -> None:
    for name in REST:
        before = profile_of(ways[name])
        with pytest.raises(ContractError, match=path):
            ways[name].client.publisher.update_profile(profile_item={"id": NUMBER, **changes})
        assert profile_of(ways[name]) == before


def test_read_only_fields_are_refused_by_the_service_without_other_changes(ways: Ways) -> None:
    for way in ways.values():
        before = profile_of(way)
        changed = msgspec.structs.replace(before, email="other@example.org", city="Elsewhere")
        with pytest.raises(ServiceFault, match="email") as caught:
            way.client.publisher.update_profile(profile_item=changed)
        assert 100 <= caught.value.code < 200  # docs/explanation/service.md#fault-codes: an invalid request
        assert profile_of(way) == before
