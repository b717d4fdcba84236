"""`bindgen init` for a WSDL without a usable operation: each reason has its file and line, and quotes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from bindgen.cli import main

_SCHEMA = """<x:element name="AskRequest"><x:complexType><x:sequence/></x:complexType></x:element>
<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>"""
_BOUND = '<operation name="Ask">\n      <s:operation'
_OFFERED = '<operation name="Ask"><input message'


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return the messages of a refusal: file, line and text, then the quoted line."""

    def run(text: str) -> list[str]:
        file = tmp_path / "shop.wsdl"
        file.write_text(text)
        done = CliRunner().invoke(main, ["init", "shop", "--file", str(file), "--out", str(tmp_path / "out")])
        assert done.exit_code == 2, done.output
        assert not (tmp_path / "out").exists()
        return done.output.removeprefix("bindgen: ").strip().split("\n\n")

    return run


def _at(text: str, piece: str) -> tuple[int, str]:
    ((number, line),) = [
        (at, line) for at, line in enumerate(text.split("\n"), 1) if piece.split("\n")[0] in line
    ]
    return number, line


def test_binding_without_operations_of_its_port_type_is_refused(
    document: Callable[[str], str], refused: Callable[[str], list[str]]
) -> None:
    text = document(_SCHEMA)
    assert text.count(_BOUND) == text.count(_OFFERED) == 1
    text = text.replace(_BOUND, _BOUND.replace("Ask", "Ping")).replace(
        _OFFERED, _OFFERED.replace("Ask", "Pong")
    )
    said = refused(text)
    wanted = {
        '<operation name="Ping">': "the port type 'ShopPort' has no operation 'Ping'; it is omitted",
        '<operation name="Pong">': "no binding has the operation 'Pong'; it is omitted",
        '<binding name="ShopBinding"': "no operation can be generated",
    }
    assert len(said) == 3
    for piece, why in wanted.items():
        number, line = _at(text, piece)
        (message,) = [each for each in said if why in each]
        assert message.startswith(f"shop.wsdl:{number}: {why}\n  {number:>5} | {line}"), message


def test_server_initiated_operation_is_refused(
    document: Callable[[str], str], refused: Callable[[str], list[str]]
) -> None:
    text = document(_SCHEMA).replace('<input message="t:AskIn"/>', "")
    said = refused(text)
    assert [message.split(": ", 1)[1].split("\n")[0] for message in said] == [
        "the operation 'Ask' is started by the server (notification): not supported",
        "no operation can be generated",
    ]
    number, _ = _at(text, '<operation name="Ask"><output')
    assert said[0].startswith(f"shop.wsdl:{number}: ")
    number, _ = _at(text, '<binding name="ShopBinding"')
    assert said[1].startswith(f"shop.wsdl:{number}: ")


def test_missing_soap_binding_is_refused(
    document: Callable[[str], str], refused: Callable[[str], list[str]]
) -> None:
    text = document(_SCHEMA).replace("http://schemas.xmlsoap.org/wsdl/soap/", "urn:example:other")
    (said,) = refused(text)
    number, line = _at(text, "<definitions ")
    why = "no binding over SOAP 1.1 or 1.2, so there is nothing to call"
    assert said.startswith(f"shop.wsdl:{number}: {why}\n  {number:>5} | {line}")
