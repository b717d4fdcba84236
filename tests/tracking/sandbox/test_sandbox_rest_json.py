"""Details of the JSON form: numbers, arrays, empty values (`docs/explanation/service.md#json`)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.tracking.sandbox.codec import encode
from soapclient.tracking.sandbox.contracts import Contract, load
from soapclient.tracking.sandbox.payload import Payload
from soapclient.tracking.sandbox.rest.json_codec import from_element, plain
from tests.tracking.sandbox.caller import Caller

CONTRACT = load()["publisher"]


def form(operation: str, tree: Payload, contract: Contract = CONTRACT) -> Any:
    """Return a response as JSON, read with decimals."""
    tag = f"{{{contract.namespace}}}{operation}Response"
    return json.loads(from_element(contract, tag, encode(contract, tag, tree)), parse_float=Decimal)


def profile(**changes: object) -> Any:
    return form("GetProfile", {"profileItem": changes})["profileItem"]  # type: ignore[dict-item]  # leaves


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10115", 10115),
        ("01067", 1067),  # leading zeros are lost
        ("000", 0),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("1e5", "1e5"),
        ("-5", "-5"),
        ("12.50", "12.50"),
        ("1 2", "1 2"),
        ("٣", "٣"),
        ("", ""),
        ('"quoted" \\ & <ü> \n\t\u2028', '"quoted" \\ & <ü> \n\t\u2028'),
    ],
)
def test_texts_are_typed_by_their_form(text: str, value: object) -> None:
    found = profile(zipcode=text)["zipcode"]
    assert found == value
    assert type(found) is type(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**17), max_value=10**17))
def test_amounts_keep_their_digits(amount: Decimal) -> None:
    tag = f"{{{CONTRACT.namespace}}}GetBalanceResponse"
    tree: Payload = {"balanceItem": {"@id": "EUR", "open": amount, "confirmed": Decimal("1.50")}}
    text = from_element(CONTRACT, tag, encode(CONTRACT, tag, tree))
    assert text == f'{{"balanceItem":{{"@id":"EUR","open":{amount:f},"confirmed":1.50}}}}'


def test_attributes_and_text_next_to_them_are_always_strings() -> None:
    one = form("GetSale", {"saleItem": {"@id": "007", "adspace": {"@id": 12, "$": "00123"}}})["saleItem"]
    assert one == {"@id": "007", "adspace": {"@id": "12", "$": "00123"}}


@pytest.mark.parametrize("many", [False, True])
def test_some_lists_collapse_when_single_and_others_never_do(many: bool) -> None:
    count = 1 + many
    regions = ["DE", "AT"][:count]
    link: Payload = {"@adspaceId": 1, "ppv": "a", "ppc": "b", "tpv": "c"}
    ids: list[Payload] = [{"@id": number, "$": "x"} for number in range(count)]
    medium: Payload = {"@id": 1, "tags": {"tag": regions}, "trackingLinks": {"trackingLink": [link] * count}}
    media: Payload = {"admediumItem": [medium] * count}
    incentive: Payload = {"@id": "1", "regions": {"region": regions}, "admedia": media}
    found = form("SearchIncentives", {"incentiveItems": {"incentiveItem": [incentive] * count}})
    item = found["incentiveItems"]["incentiveItem"]
    assert isinstance(item, list) == many
    item = item[0] if many else item
    assert item["regions"] == [{"region": regions if many else "DE"}]
    shown = item["admedia"]["admediumItem"]
    assert isinstance(shown, list) == many
    shown = shown[0] if many else shown
    assert shown["tags"] == {"tag": regions}
    assert len(shown["trackingLinks"]["trackingLink"]) == count

    industries: Payload = {"main": ids[0], "sub": ids}
    program: Payload = {"@id": 1, "categories": {"category": ids}, "policies": {"policy": ids}}
    found = form("SearchPrograms", {"programItems": {"programItem": [{**program, "industries": industries}]}})
    (item,) = found["programItems"]["programItem"]
    entries = [{"@id": str(number), "$": "x"} for number in range(count)]
    assert item["categories"] == [{"category": entries if many else entries[0]}]
    assert item["policies"] == {"policy": entries if many else entries[0]}
    assert item["industries"]["sub"] == (entries if many else entries[0])

    gpps: Payload = {"saleItem": {"gpps": {"gpp": [{"@id": "zpar0", "$": "1"}] * count}}}
    found = form("GetSale", gpps)["saleItem"]["gpps"]["gpp"]
    assert found == ([{"@id": "zpar0", "$": "1"}] * 2 if many else {"@id": "zpar0", "$": "1"})
    inner: Payload = {"trackingCategoryItem": [{"@id": "1", "name": "n"}] * count}
    found = form("GetTrackingCategories", {"trackingCategoryItem": inner})["trackingCategoryItem"]
    assert isinstance(found["trackingCategoryItem"], list) == many


def test_an_empty_element_is_an_empty_text() -> None:
    tree: Payload = {"page": 0, "items": 0, "total": 0, "saleItems": {"saleItem": []}}
    assert form("GetSales", tree) == {"page": 0, "items": 0, "total": 0, "saleItems": ""}
    assert form("GetProgramCategories", {"categories": {"category": []}}) == {"categories": ""}


def test_missing_content_is_an_empty_text(caller: Caller) -> None:
    for form, body in (("json", '""'), ("xml", "GetLeadResponse")):
        response = caller.rest("GET", "/reports/leads/lead/unknown", form=form)
        assert response.status_code == 200
        assert body in response.text


def test_plain_json_converts_no_texts() -> None:
    tree: Payload = {"a": "0012", "b": [Decimal("1.50"), True, 7], "c": None, "d": {"e": "true"}}
    assert plain(tree) == '{"a":"0012","b":[1.50,true,7],"d":{"e":"true"}}'
    with pytest.raises(TypeError):
        plain(1.5)  # type: ignore[arg-type]  # a float must be refused


# ---- responses of the service


def asked(caller: Caller, target: str) -> Any:
    return caller.ask("GET", "/json/2011-03-01", target).json()


def test_text_is_written_as_utf_8(caller: Caller) -> None:
    body = caller.ask("GET", "/json/2011-03-01", "/adspaces?items=1").body
    assert "Über".encode() in body
    assert b"\\u" not in body


def test_programs_occur_in_every_shape(caller: Caller) -> None:
    programs = asked(caller, "/programs?items=50")["programItems"]["programItem"]
    assert len(programs) == 50
    shapes = set()
    for one in programs:
        (regions,) = one["regions"]
        (categories,) = one["categories"]
        shapes.add(("region", type(regions["region"])))
        shapes.add(("category", type(categories["category"])))
        shapes.add(("policy", type(one["policies"]["policy"])))
        shapes.add(("sub", type(one["industries"].get("sub"))))
        for held in (regions["region"], categories["category"], one["policies"]["policy"]):
            assert not isinstance(held, list) or len(held) > 1
        assert isinstance(one["@id"], str)
        assert isinstance(one["applicationRequired"], bool)
    assert shapes == {
        ("region", list), ("region", str), ("category", list), ("category", dict), ("policy", list),
        ("policy", dict), ("sub", list), ("sub", dict), ("sub", type(None)),
    }  # fmt: skip


def test_list_of_one_sale_is_an_array_and_of_one_ad_medium_is_not(caller: Caller) -> None:
    sales = asked(caller, "/reports/sales/date/2026-11-01?items=1")
    media = asked(caller, "/admedia?items=1")
    assert isinstance(sales["saleItems"]["saleItem"], list)
    assert isinstance(media["admediumItems"]["admediumItem"], dict)
