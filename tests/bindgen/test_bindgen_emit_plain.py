"""Packages of `bindgen init` with plain constructs: written, validated, read back and compared with zeep."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from lxml import etree

from soapclient.runtime import DecodeError, EncodeError
from tests.bindgen.conftest import Made, Make
from tests.bindgen.shop import imported
from tests.support.cases import case_text

_SCHEMA = case_text(__file__, "plain.xsd")


@pytest.fixture
def made(make: Make) -> Made:
    return make(_SCHEMA)


def test_smallest_request_roundtrips(made: Made) -> None:
    value = made.types.AskRequest(mode="red", who="", color="dark blue")
    sent = made.write(value)
    assert [etree.QName(node).localname for node in sent] == ["who", "color"]
    assert made.read(sent) == value
    assert value.lang == "en"


def test_absent_attributes_and_empty_elements_have_their_defaults(made: Made) -> None:
    value = made.parse("<who/><color>red</color><level/>", attributes='mode="red"')
    assert (value.lang, value.level) == ("en", 7)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"who": None}, "AskRequest/who"),
        ({"who": 3}, "AskRequest/who"),
        ({"who": "\x00"}, "AskRequest/who"),
        ({"count": "3"}, "AskRequest/count"),
        ({"count": 2**31}, "AskRequest/count"),
        ({"color": "green"}, "AskRequest/color"),
        ({"mode": None}, "AskRequest/@mode"),
        ({"since": dt.date(2026, 1, 1)}, "AskRequest/since"),
        ({"part": "x"}, "AskRequest/part"),
        ({"part": [3]}, "AskRequest/part[1]"),
        ({"tags": ["a", 1]}, "AskRequest/tags/tag[2]"),
        ({"lang": "not a language"}, "AskRequest/@lang"),
    ],
)
def test_invalid_values_are_refused_with_their_path(
    made: Made, changed: dict[str, object], path: str
) -> None:
    value = made.types.AskRequest(**{"mode": "red", "who": "", "color": "red", **changed})
    with pytest.raises(EncodeError) as caught:
        made.write(value)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("inner", "path"),
    [
        ("<color>red</color>", "AskRequest/who"),
        ("<who/><who/><color>red</color>", "AskRequest/who[2]"),
        ("<who/><color>red</color><part>x</part>", "AskRequest/part"),
        ("<who/><count>1.5</count><color>red</color>", "AskRequest/count"),
    ],
)
def test_undecodable_values_are_refused_with_their_path(made: Made, inner: str, path: str) -> None:
    with pytest.raises(DecodeError) as caught:
        made.parse(inner, attributes='mode="red"', valid=False)
    assert caught.value.path == path


def test_unknown_content_is_counted_as_findings(made: Made) -> None:
    inner = "<who/><color>pink</color><news/>"
    value = made.parse(inner, attributes='mode="red" other="1"', valid=False, findings=3)
    assert value.color == "pink"


def test_request_of_an_unknown_type_is_refused(made: Made) -> None:
    with pytest.raises(EncodeError):
        made.write(made.types.Part(value=Decimal(1)))


def test_package_modules_are_loaded_lazily(made: Made) -> None:
    code = f"import sys, {made.package} as p; assert '{made.package}.service' not in sys.modules; p.ShopService; print(sorted(p.__all__))"
    assert imported(made.folder, code) == "['ShopService', 'ShopServiceAsync']"
