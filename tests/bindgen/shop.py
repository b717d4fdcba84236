"""A WSDL that imports a schema, and `bindgen init` for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from bindgen.cli import main
from tests.support.cases import case_text

SHOP = case_text(__file__, "shop.wsdl")
KINDS = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:kinds">
  <x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="small"/></x:restriction>
  </x:simpleType></x:schema>"""
LOST = '<operation name="Lose"><input message="t:Lost"/><output message="t:Out"/></operation>'
LOST_BOUND = """<operation name="Lose"><s:operation soapAction=""/><input><s:body use="literal"/></input>
    <output><s:body use="literal"/></output></operation>"""


def shop(location: str = "kinds.xsd", more: str = "", bound: str = "") -> str:
    return SHOP.format(location=location, more=more, bound=bound)


def invoke(*arguments: object, code: int | None = None) -> Result:
    """Run a command of bindgen in this process. Check its exit code if `code` is given.

    Unexpected exceptions are raised.
    """
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert code is None or done.exit_code == code, done.output
    return done


def run(*arguments: str | Path, code: int | None = None) -> Result:
    return invoke("init", *arguments, code=code)


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def imported(out: Path, code: str) -> str:
    """Run code in a new process that can import the generated packages. Return its stdout."""
    path = os.pathsep.join([str(out), *(entry for entry in sys.path if entry)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
