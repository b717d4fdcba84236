"""The JSON form on the wire: forms and tokens of real responses (docs/explanation/service.md#json)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

JSON = "/json/2011-03-01"


def asked(caller: Caller, target: str) -> dict[str, dict[str, object]]:
    found = caller.ask("GET", JSON, target).json()
    assert isinstance(found, dict)
    return found


def test_text_is_written_as_utf_8(caller: Caller) -> None:
    response = caller.ask("GET", JSON, "/adspaces?items=1")
    assert "Über".encode() in response.body
    assert b"\\u" not in response.body


def test_programs_occur_in_every_shape(caller: Caller) -> None:
    programs = asked(caller, "/programs?items=50")["programItems"]["programItem"]
    assert isinstance(programs, list)
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


def test_amounts_keep_their_digits(caller: Caller) -> None:
    target = "/reports/sales/date/2026-11-01?items=50"
    xml = caller.ask("GET", "/xml/2011-03-01", target).xml()
    sales = asked(caller, target)["saleItems"]["saleItem"]
    assert isinstance(sales, list)
    tokens = [one["amount"] for one in sales]
    assert tokens == [one.text for one in xml.iter("{*}amount")]
    assert any(token.endswith("0") for token in tokens)  # a binary float would drop the zeros
