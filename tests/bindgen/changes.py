"""Change the contracts of a copied repository, and run bindgen there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from bindgen.cli import main

Change = Callable[[str], str]


def within(owner: str, old: str, new: str) -> Change:
    """Rename an element or attribute in one complex type."""

    def change(text: str) -> str:
        body = re.search(rf'<xsd:complexType name="{owner}">.*?</xsd:complexType>', text, re.DOTALL)
        assert body is not None
        assert f'name="{old}"' in body[0]
        return text.replace(body[0], body[0].replace(f'name="{old}"', f'name="{new}"'))

    return change


def everywhere(old: str, new: str) -> Change:
    """Rename an element or attribute in all types."""

    def change(text: str) -> str:
        assert f'name="{old}"' in text
        return text.replace(f'name="{old}"', f'name="{new}"')

    return change


def all_of(*changes: Change) -> Change:
    def change(text: str) -> str:
        for each in changes:
            text = each(text)
        return text

    return change


def without_operation(name: str) -> Change:
    return lambda text: re.sub(
        rf'<wsdl:operation name="{name}">.*?</wsdl:operation>', "", text, flags=re.DOTALL
    )


def run(repository: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["--wsdl", str(repository / "wsdl"), *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def take_in(repository: Path, name: str, change: Change) -> None:
    """Fetch a changed copy of a contract."""
    (document,) = (repository / "wsdl" / name).rglob("*.wsdl")
    text = document.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    copy = repository / f"{name}.wsdl"
    copy.write_text(changed, encoding="utf-8")
    code, said = run(repository, "fetch", name, "--file", str(copy))
    assert code == 0, said


def changed_lines(before: str, after: str) -> list[str]:
    return [
        line[1:].strip() for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] == "+"
    ]
