"""Contracts of several documents: includes and imports are resolved through the catalogue."""

# ruff: noqa: E501 - a table of cases, one per line

from __future__ import annotations

import pytest
from lxml import etree

from bindgen.problems import ContractRefused
from bindgen.reading.documents import Documents
from tests.bindgen.conftest import Workshop, document
from tests.support.cases import case_text

_XSD = "http://www.w3.org/2001/XMLSchema"
_ROOT = case_text(__file__, "documents/root.xsd")
_ITEMS = case_text(__file__, "documents/items.xsd")
_KINDS = case_text(__file__, "documents/kinds.xsd")
_MONEY = case_text(__file__, "documents/money.xsd")
_OTHERS = {"schemas/money.xsd": _MONEY, "schemas/items.xsd": _ITEMS, "schemas/kinds.xsd": _KINDS}

_RESPONSE = """<t:AskResponse xmlns:t="urn:example:shop" xmlns:m="urn:example:money"><t:items>
<t:item id="7"><t:kind>idea</t:kind><t:price><amount>1.10</amount><m:currency>EUR</m:currency></t:price></t:item>
</t:items></t:AskResponse>"""


def _document() -> str:
    return document(_ROOT).replace("<definitions ", '<definitions xmlns:m="urn:example:money" ')


@pytest.fixture
def shop(workshop: Workshop) -> Workshop:
    workshop.generated(_document(), others=_OTHERS)
    return workshop


def _compiled(shop: Workshop) -> etree.XMLSchema:
    """Compile the schemas of the merged contract, each in a file. One more file per namespace includes them."""
    contract = etree.parse(shop.output / shop.package / "shop/contract.wsdl").getroot()
    nodes = contract.findall(f"{{*}}types/{{{_XSD}}}schema")
    joined: dict[str, list[str]] = {}
    for at, node in enumerate(nodes):
        own = node.get("targetNamespace", "")
        joined.setdefault(own, []).append(f'<x:include schemaLocation="{at}.xsd"/>')
        for link in node.iter(f"{{{_XSD}}}import"):
            link.set("schemaLocation", f"{(link.get('namespace') or '').rpartition(':')[2]}.xsd")
        (shop.wsdl / f"{at}.xsd").write_bytes(etree.tostring(node))
    for own, links in joined.items():
        whole = f'<x:schema xmlns:x="{_XSD}" targetNamespace="{own}">{"".join(links)}</x:schema>'
        (shop.wsdl / f"{own.rpartition(':')[2]}.xsd").write_text(whole)
    return etree.XMLSchema(file=str(shop.wsdl / "shop.xsd"))


def test_a_changed_included_document_is_refused_until_it_is_locked(shop: Workshop) -> None:
    paths = [each for each in (shop.wsdl / "shop").rglob("*") if each.is_file()]
    (path,) = [each for each in paths if 'value="idea"' in each.read_text()]
    path.write_text(path.read_text().replace("idea", "thought"))
    before = shop.files()
    for command in ("generate", "check"):
        refused = shop.run(command, code=2)
        for piece in (path.name, "differs from the document fetched", "bindgen fetch shop"):
            assert piece in refused.output
    assert shop.files() == before
    (root,) = (shop.wsdl / "shop").rglob("*.wsdl")
    assert shop.run("fetch", "shop", "--file", str(root)).exit_code == 0
    different = shop.run("check", code=1)
    assert '+    THOUGHT = "thought"' in different.output


@pytest.mark.parametrize(
    ("file", "usual", "instead", "said"),
    [
        ("schemas/kinds.xsd", 'targetNamespace="urn:example:shop"', 'targetNamespace="urn:example:other"', "includes a schema of another namespace"),
        ("schemas/items.xsd", 'type="m:Price"', 'type="m:Prize"', "type 'm:Prize' is not declared"),
        ("schemas/items.xsd", '<x:complexType name="Items"', '<x:complexType name="Item"><x:all/></x:complexType><x:complexType name="Items"', "declared twice"),
    ],
)  # fmt: skip
def test_unsupported_constructs_are_reported_with_their_document(
    workshop: Workshop, file: str, usual: str, instead: str, said: str
) -> None:
    assert usual in _OTHERS[file]
    others = _OTHERS | {file: _OTHERS[file].replace(usual, instead)}
    refused = workshop.refused(_document(), others=others)
    assert said in refused
    names = ["items.xsd", "kinds.xsd", "money.xsd"]
    assert any(f"{name}:" in refused for name in names)
    assert not workshop.output.exists()


@pytest.mark.parametrize(
    ("usual", "instead"),
    [
        ('targetNamespace="urn:example:shop"', ""),
        ('xmlns:t="urn:example:shop"', 'xmlns:t="urn:example:shop" xmlns:m="urn:else"'),
        ('elementFormDefault="qualified"', ""),
    ],
    ids=["no namespace", "another prefix", "another form"],
)
def test_schemas_of_one_namespace_may_have_different_defaults(
    workshop: Workshop, usual: str, instead: str
) -> None:
    kinds = _KINDS.replace('<x:include schemaLocation="items.xsd"/>', "").replace(usual, instead)
    workshop.generated(_document(), others=_OTHERS | {"schemas/kinds.xsd": kinds})
    _compiled(workshop).assertValid(etree.fromstring(_RESPONSE))


@pytest.mark.parametrize("name", ["idna", "punycode", "undefined", "rot13", "nothing"])
def test_unsupported_encoding_is_refused_with_its_location(name: str) -> None:
    """Python has codecs with these names, but they do not decode XML text."""
    raw = f"<?xml version='1.0' encoding='{name}'?>\n<definitions/>".encode()
    with pytest.raises(ContractRefused, match=r"a.wsdl:1: not well-formed"):
        Documents.parse("https://shop.invalid/a.wsdl", "a.wsdl", raw)
