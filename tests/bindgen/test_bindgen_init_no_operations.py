"""`bindgen init` for a WSDL without a usable operation: each reason has its file and line, and quotes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bindgen.cli import main
from tests.bindgen.conftest import document

_SCHEMA = """<x:element name="AskRequest"><x:complexType><x:sequence/></x:complexType></x:element>
<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>"""
_BOUND = '<operation name="Ask">\n      <s:operation'
_OFFERED = '<operation name="Ask"><input message'
_BINDING = ('<binding name="ShopBinding"', "no operation can be generated")


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        (
            {_BOUND: _BOUND.replace("Ask", "Ping"), _OFFERED: _OFFERED.replace("Ask", "Pong")},
            [
                (
                    '<operation name="Ping">',
                    "the port type 'ShopPort' has no operation 'Ping'; it is omitted",
                ),
                ('<operation name="Pong">', "no binding has the operation 'Pong'; it is omitted"),
                _BINDING,
            ],
        ),
        (
            {'<input message="t:AskIn"/>': ""},
            [
                (
                    '<operation name="Ask"><output',
                    "the operation 'Ask' is started by the server (notification): not supported",
                ),
                _BINDING,
            ],
        ),
        (
            {"http://schemas.xmlsoap.org/wsdl/soap/": "urn:example:other"},
            [("<definitions ", "no binding over SOAP 1.1 or 1.2, so there is nothing to call")],
        ),
    ],
    ids=["operations of one side", "a notification", "no SOAP binding"],
)
def test_contract_without_usable_operations_is_refused(
    tmp_path: Path, changes: dict[str, str], reasons: list[tuple[str, str]]
) -> None:
    text = document(_SCHEMA)
    for usual, instead in changes.items():
        assert text.count(usual) == 1
        text = text.replace(usual, instead)
    file = tmp_path / "shop.wsdl"
    file.write_text(text)
    done = CliRunner().invoke(main, ["init", "shop", "--file", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2, done.output
    assert not (tmp_path / "out").exists()
    said = done.output.removeprefix("bindgen: ").strip().split("\n\n")
    assert len(said) == len(reasons)
    for piece, why in reasons:
        ((number, line),) = [(at, line) for at, line in enumerate(text.split("\n"), 1) if piece in line]
        (message,) = [each for each in said if why in each]
        assert message.startswith(f"shop.wsdl:{number}: {why}\n  {number:>5} | {line}"), message
