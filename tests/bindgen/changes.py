"""Change the contracts of a copied repository, and run bindgen there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path

from tests.bindgen.shop import invoke

Change = Callable[[str], str]


def everywhere(**names: str) -> Change:
    """Rename elements or attributes in all types: old name = new name."""

    def change(text: str) -> str:
        for old, new in names.items():
            assert f'name="{old}"' in text
            text = text.replace(f'name="{old}"', f'name="{new}"')
        return text

    return change


def within(owner: str, **names: str) -> Change:
    """Rename elements or attributes in one complex type: old name = new name."""

    def change(text: str) -> str:
        body = re.search(rf'<xsd:complexType name="{owner}">.*?</xsd:complexType>', text, re.DOTALL)
        assert body is not None
        return text.replace(body[0], everywhere(**names)(body[0]))

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


def run(repository: Path, *arguments: str, code: int = 0) -> str:
    """Run a command of bindgen, which must end with this exit code. Return its output."""
    return invoke("--wsdl", repository / "wsdl", *arguments, code=code).output


def take_in(repository: Path, name: str, change: Change) -> None:
    """Fetch a changed copy of a contract."""
    (document,) = (repository / "wsdl" / name).rglob("*.wsdl")
    text = document.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    copy = repository / f"{name}.wsdl"
    copy.write_text(changed, encoding="utf-8")
    run(repository, "fetch", name, "--file", str(copy))


def changed_lines(before: str, after: str) -> list[str]:
    return [
        line[1:].strip() for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] == "+"
    ]


def proposed(repository: Path, name: str, change: Change) -> tuple[list[str], str]:
    """Return the lines that `--propose` changes for a changed contract, with single blanks before comments.

    A second run changes nothing.
    """
    path = repository / "wsdl/contracts.toml"
    before = path.read_bytes().decode()
    take_in(repository, name, change)
    said = run(repository, "generate", "--propose", name)
    after = path.read_bytes().decode()
    run(repository, "generate", "--propose", name)
    assert path.read_bytes().decode() == after
    lines = changed_lines(before, after)
    assert all(line in said for line in lines)
    return [re.sub(r" +#", " #", line) for line in lines], after


def not_proposed(repository: Path, name: str, change: Change) -> list[str]:
    """Return the messages on what `--propose` leaves open for a changed contract. It writes nothing."""
    kept = {path: path.read_bytes() for path in _written(repository, name)}
    take_in(repository, name, change)
    output = run(repository, "generate", "--propose", name, code=2)
    assert {path: path.read_bytes() for path in _written(repository, name)} == kept
    return [line for line in output.splitlines() if "was not changed" in line]


def _written(repository: Path, name: str) -> list[Path]:
    folder = repository / "generated/zxws" / name
    return [repository / "wsdl/contracts.toml", *(path for path in folder.iterdir() if path.is_file())]
