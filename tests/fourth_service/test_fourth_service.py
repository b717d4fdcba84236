"""A user adds a service with a WSDL, its settings and a signing scheme, in their own folder.

The toolkit is not changed. The contract has other names and places for its signature than the built-in
services, and the settings have REST rows. The service recomputes every signature independently.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bindgen.cli import main
from tests.fourth_service.service import CLIENT, SECRET, Meters, served

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from tests.conftest import TypeCheck

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]

SCHEME = '''\
"""The signing scheme of the meters: HMAC-SHA256 in hex, with times in seconds since 1970."""

import hashlib
import hmac
from collections.abc import Mapping

from soapclient.connection import Credentials
from soapclient.signing import Stamp


class Sealed:
    """A scheme that a stranger wrote."""

    roles = ("customer", "seconds", "salt", "seal")

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        """The fields in the envelope."""
        return _fields(credentials, stamp, f"{service}.{operation}")

    def headers(
        self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str
    ) -> Mapping[str, str]:
        """HTTP headers."""
        fields = _fields(credentials, stamp, f"{verb} {uri}")
        return {f"X-Seal-{role}": text for role, text in fields.items()}

    def query(self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str) -> Mapping[str, str]:
        """Query parameters."""
        return _fields(credentials, stamp, f"{verb} {uri}")


def _fields(credentials: Credentials, stamp: Stamp | None, what: str) -> dict[str, str]:
    fields = {"customer": credentials.connect_id}
    if stamp is not None:
        seconds = str(int(stamp.moment.timestamp()))
        key = credentials.require_secret_key().reveal().encode()
        text = f"{what}|{seconds}|{stamp.nonce}"
        mac = hmac.new(key, text.encode(), hashlib.sha256).hexdigest().upper()
        fields |= {"seconds": seconds, "salt": stamp.nonce, "seal": mac}
    return fields


SEALED = Sealed()
'''
PROGRAM = '''\
"""A program that calls the meters at an address."""

import datetime as dt
import json
import sys
from decimal import Decimal

from meters import MetersService
from meters.types import Reading
from sealed import SEALED
from soapclient import connect
from soapclient.connection import Credentials
from soapclient.signing import register_scheme


def main() -> None:
    """Call each operation, and print what it returns."""
    register_scheme("sealed", SEALED)
    credentials = Credentials("client-7", "a secret")
    with connect(MetersService, address=sys.argv[1], credentials=credentials) as meters:
        price: Decimal = meters.get_tariff(town="Ulm").price
        added = meters.add_reading(meter=7, reading=Reading(day=dt.date(2026, 11, 4), value=Decimal("4.5")))
        values = [reading.value for reading in meters.iterate.list_readings(meter=7, size=3)]
        with meters.stream.list_readings(meter=7, size=10) as stream:
            last = [reading.day for reading in stream][-1]
    print(json.dumps([str(price), added.number, list(map(str, values)), last.isoformat()]))


if __name__ == "__main__":
    main()
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's files: the package that bindgen generates, and two modules."""
    found = tmp_path_factory.mktemp("meters")
    for name in ("meters.wsdl", "meters.toml"):
        shutil.copy(HERE / name, found)
    (found / "sealed.py").write_text(SCHEME, encoding="utf-8")
    (found / "by_soap.py").write_text(PROGRAM, encoding="utf-8")
    by_rest = PROGRAM.replace("credentials=credentials", 'credentials=credentials, protocol="rest"')
    (found / "by_rest.py").write_text(by_rest, encoding="utf-8")
    file, out = str(found / "meters.wsdl"), str(found)
    done = CliRunner().invoke(main, ["init", "meters", "--file", file, "--out", out, "--offline"])
    (found / "said.txt").write_text(done.output, encoding="utf-8")
    assert done.exit_code == 0, done.output
    return found


def run(folder: Path, *command: str, **environ: str) -> str:
    done = subprocess.run(
        (sys.executable, *command),
        check=False,
        env={**os.environ, "NO_PROXY": "127.0.0.1", **environ},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_bindgen_says_where_each_signature_goes(folder: Path) -> None:
    said = (folder / "said.txt").read_text(encoding="utf-8")
    assert "signed, SOAP header Seal/client; SOAP header Seal/at; " in said
    assert (
        "signed, in the message: seal/@client, seal/@at, seal/@salt, seal/@mac: 1 operation (AddReading)"
        in said
    )
    assert "public, in the message: client: 1 operation (GetTariff)" in said
    assert "meters.toml: signing.scheme: the scheme 'sealed' is not known here (known: zxws)" in said


def test_the_package_and_a_program_are_typed(folder: Path, type_check: TypeCheck) -> None:
    programs = ("sealed.py", "by_soap.py", "by_rest.py")
    done = type_check("meters", *programs, cwd=folder, path=[ROOT, ROOT / "generated"])
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.parametrize("protocol", ["soap", "rest"])
def test_fourth_service_is_called(folder: Path, protocol: str) -> None:
    with served(Meters(HERE / "meters.wsdl")) as service:
        address = f"{service.url}/{'api' if protocol == 'rest' else 'soap'}"
        try:
            printed = run(folder, f"by_{protocol}.py", address)
        finally:
            assert service.problems == []
    assert json.loads(printed) == ["0.31", 4, ["1.5", "2.5", "3.5", "4.5"], "2026-11-04"]
    places = {"ListReadings": "header", "AddReading": "attributes", "GetTariff": "message"}
    names = ["GetTariff", "AddReading", "ListReadings", "ListReadings", "ListReadings"]
    if protocol == "rest":
        places = dict.fromkeys(places, "HTTP headers")
    assert service.calls == [(name, places[name]) for name in names]
    assert len(set(service.salts)) == 4


def test_missing_scheme_registration_is_a_clear_error(folder: Path) -> None:
    program = f"""
from meters import MetersService
from soapclient import connect
from soapclient.connection import Credentials
from soapclient.errors import ConfigError

try:
    connect(MetersService, credentials=Credentials({CLIENT!r}, {SECRET!r}))
except ConfigError as error:
    print(error)
"""
    assert "unknown scheme 'sealed'; registered: zxws" in run(folder, "-c", program)


def test_command_line_finds_the_scheme_of_an_installed_package(folder: Path, tmp_path: Path) -> None:
    info = tmp_path / "sealed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sealed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[soapclient.signing]\nsealed = sealed:SEALED\n")
    with served(Meters(HERE / "meters.wsdl")) as service:
        printed = run(
            folder,
            *("-m", "soapclient", "call", "--package", "meters", "--address", f"{service.url}/soap"),
            *("AddReading", "meter=7", "reading.day=2026-11-04", "reading.value=4.5"),
            PYTHONPATH=os.pathsep.join([str(tmp_path), str(folder)]),
            SOAPCLIENT_CONNECT_ID=CLIENT,
            SOAPCLIENT_SECRET_KEY=SECRET,
        )
    assert service.problems == []
    assert json.loads(printed) == {"number": 4}
    assert service.calls == [("AddReading", "attributes")]
