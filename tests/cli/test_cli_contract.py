"""`soapclient contract check`: against the sandbox, and against a service that publishes something else."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


class Publishing:
    """Serves a WSDL at every address, and remembers the requests."""

    def __init__(self) -> None:
        self.wsdl = b""
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append((self.path, headers))
                self.send_response(200 if outer.wsdl else 404)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(outer.wsdl)))
                self.end_headers()
                self.wfile.write(outer.wsdl)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def publishing() -> Iterator[Publishing]:
    server = Publishing()
    yield server
    server.close()


@pytest.fixture
def packaged() -> str:
    return resources.files("zxws.publisher").joinpath("contract.wsdl").read_text(encoding="utf-8")


@pytest.fixture
def check(run_unset: Run, publishing: Publishing) -> Callable[..., Result]:
    """Check the publisher contract against what is published."""
    settings = {
        "SOAPCLIENT_CONNECT_ID": "802B8BF4AE99EBE00F41",
        "SOAPCLIENT_SECRET_KEY": "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44",
        "SOAPCLIENT_PUBLISHER_URL": publishing.url,
    }

    def run(*arguments: str) -> Result:
        return run_unset("contract", "check", *arguments, env=settings)

    return run


def test_the_sandbox_keeps_both_contracts(run: Run) -> None:
    done = run("contract", "check")
    assert done.exit_code == 0, done.output
    assert done.output.count("no change") == 2
    assert run("contract", "check", "data").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "code", "rule"),
    [
        ("</wsdl:definitions>", "<!-- later --></wsdl:definitions>", 0, ""),
        ('name="total" type="xsd:long"', 'name="total" type="xsd:string"', 2, "reply-type-changed"),
        ("https://publisher.invalid/soap", "https://moved.invalid/soap", 1, "address-changed"),
        ('<xsd:complexType name="saleItem">', "<<", 3, ""),
    ],
)
def test_what_the_service_publishes_now(
    old: str,
    new: str,
    code: int,
    rule: str,
    check: Callable[..., Result],
    publishing: Publishing,
    packaged: str,
) -> None:
    assert old in packaged
    publishing.wsdl = packaged.replace(old, new).encode()
    done = check("publisher", "--format", "json")
    assert done.exit_code == code, done.output
    assert rule in done.output
    assert check("publisher", "--format", "html").exit_code == code


def test_nothing_is_signed_and_no_credentials_are_sent(
    check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    publishing.wsdl = packaged.encode()
    assert check("publisher").exit_code == 0
    ((path, headers),) = publishing.asked
    assert path == "/wsdl/2011-03-01"
    told = f"{path} {headers}"
    assert "802B8BF4" not in told
    assert not {"authorization", "date", "nonce", "cookie"} & set(headers)


def test_a_service_that_publishes_nothing_is_unchecked(check: Callable[..., Result]) -> None:
    done = check("publisher", "--format", "json")
    assert done.exit_code == 3
    assert "404" in done.output


def test_without_names_what_has_an_address_is_checked(
    check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    publishing.wsdl = packaged.encode()
    done = check("--format", "json")
    assert done.exit_code == 0
    assert "data is left out" in done.stderr
    found = json.loads(done.stdout)
    assert [each["contract"] for each in found["reports"]] == ["publisher"]


@pytest.mark.parametrize(
    "arguments", [(), ("publisher",), ("advertiser",), ("--nothing",), ("publisher", "--ignore", "nowhere")]
)
def test_what_cannot_be_checked_is_exit_3(run_unset: Run, arguments: tuple[str, ...]) -> None:
    done = run_unset("contract", "check", *arguments)
    assert done.exit_code == 3, done.output
    assert "Traceback" not in done.output


def test_an_ignore_file_of_both_contracts(
    check: Callable[..., Result], publishing: Publishing, packaged: str, tmp_path: Path
) -> None:
    publishing.wsdl = packaged.replace(
        "https://publisher.invalid/soap", "https://moved.invalid/soap"
    ).encode()
    (tmp_path / "accepted").write_text("address-changed * # they moved\noperation-added * # none\n")
    done = check("publisher", "--ignore", str(tmp_path / "accepted"))
    assert done.exit_code == 0
    assert "accepted:2: nothing needs" in done.output
    assert check("publisher", "--ignore", str(tmp_path / "accepted"), "--strict-ignore").exit_code == 3


def test_without_bindgen_it_says_what_is_missing() -> None:
    code = """
import sys
sys.modules["bindgen"] = None
sys.argv = ["soapclient", "contract", "check", "publisher"]
from soapclient.cli import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert "needs bindgen" in done.stderr
    assert "Traceback" not in done.stderr
