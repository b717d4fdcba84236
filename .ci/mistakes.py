"""Common mistakes, ten of each kind, with the messages that they lead to, for docs/reference/mistakes.md.

A mistake is a command, or an expression of Python with `client`. Each runs in its own folder, with settings
that name a closed port.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

import bindgen.cli
from soapclient import Client, Settings, days
from soapclient.cli.application import cli
from soapclient.errors import SoapClientError

ROOT = Path(__file__).parents[1]
NOWHERE = "http://127.0.0.1:9"
ACCOUNT = {"SOAPCLIENT_CONNECT_ID": "connect", "SOAPCLIENT_SECRET_KEY": "secret"}
ACCOUNT |= {f"SOAPCLIENT_{service}_URL": NOWHERE for service in ("PUBLISHER", "DATA", "ADVERTISER")}
_SALES = "soapclient call publisher GetSales"
_DAY = "date=2026-11-01"
_TRACKED = "dateType=trackingDate"
_PERIOD = "--from 2026-11-01 --to 2026-11-02"
_PAGE = {"page.html": "<html><title>Sign in</title></html>"}
_INIT = "bindgen init weather --offline --file weather.wsdl"


@dataclass(frozen=True)
class Mistake:
    """A mistake: `done` is a command or Python, with these files and environment variables.

    `changed` has the old and the new text in weather.wsdl.
    """

    done: str
    files: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    changed: tuple[str, str] = ("", "")

    @property
    def command(self) -> bool:
        return self.done.startswith(("soapclient ", "bindgen "))


MISTAKES: dict[str, list[Mistake]] = {
    "Options": [
        Mistake("soapclient cal publisher GetSales"),
        Mistake("soapclient call publsher GetSales"),
        Mistake("soapclient call publisher GetSals"),
        Mistake("soapclient call publisher GetSale saleId=5 --protocl rest"),
        Mistake("soapclient call publisher GetSale saleId=5 --protocol grpc"),
        Mistake("soapclient call publisher GetApplication applicationId=5 --protocol rest"),
        Mistake(f"soapclient export click {_PERIOD} -o clicks.csv.gz --deadline soon"),
        Mistake(f"soapclient table publisher GetSales {_PERIOD} -o sales.txt {_TRACKED}"),
        Mistake("soapclient sandbox --port 99999"),
        Mistake("client.with_options(deadline=-1)"),
    ],
    "Dates": [
        Mistake(f"{_SALES} date=01.11.2026 {_TRACKED}"),
        Mistake(f"{_SALES} date=2026-02-30 {_TRACKED}"),
        Mistake(f"{_SALES} date=yesterday {_TRACKED}"),
        Mistake(f"{_SALES} date=2026-11-01T10:00:00 {_TRACKED}"),
        Mistake("soapclient export click --from 01.11.2026 --to 2026-11-02 -o clicks.csv.gz"),
        Mistake("soapclient export click --from 2026-11-02 --to 2026-11-01 -o clicks.csv.gz"),
        Mistake(f"soapclient table publisher GetSales --from 2026-11-02 --to 2026-11-01 -o s.csv {_TRACKED}"),
        Mistake(f"soapclient table publisher GetSales {_PERIOD} --zone CET+1 -o s.csv {_TRACKED}"),
        Mistake('client.publisher.get_sales(date="2026-11-01", date_type="trackingDate")'),
        Mistake('days("01.11.2026", "2026-11-30")'),
    ],
    "Values of enumerations": [
        Mistake(f"{_SALES} {_DAY} dateType=yesterday"),
        Mistake(f"{_SALES} {_DAY} dateType=TrackingDate"),
        Mistake(f"{_SALES} {_DAY} {_TRACKED} reviewState=denied"),
        Mistake(f"{_SALES} {_DAY} {_TRACKED} reviewState="),
        Mistake("soapclient call publisher SearchPrograms isExclusive=maybe"),
        Mistake(
            "soapclient call publisher GetReportBasic fromDate=2026-11-01 toDate=2026-11-02 groupBy=week"
        ),
        Mistake(f"soapclient export view {_PERIOD} -o views.csv.gz"),
        Mistake(f"soapclient export clik {_PERIOD} -o clicks.csv.gz"),
        Mistake(f"soapclient export sale {_PERIOD} -o sales.csv.gz --review-state denied"),
        Mistake('client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="yesterday")'),
    ],
    "Missing fields": [
        Mistake(f"{_SALES} {_TRACKED}"),
        Mistake(f"{_SALES} {_DAY}"),
        Mistake("soapclient call publisher GetSale"),
        Mistake("soapclient call publisher CreateAdspace adspaceItem.name=Blog"),
        Mistake("soapclient call advertiser GetPartnerships"),
        Mistake("soapclient export click --to 2026-11-02 -o clicks.csv.gz"),
        Mistake(f"soapclient export click {_PERIOD}"),
        Mistake("soapclient call publisher GetSale saleId"),
        Mistake("soapclient call publisher GetSale sale=5"),
        Mistake("client.publisher.get_sales(date=dt.date(2026, 11, 1))"),
    ],
    "Files": [
        Mistake("soapclient decode publisher GetSales gone.json"),
        Mistake("soapclient decode publisher GetSales broken.json", {"broken.json": '{"page": 0,'}),
        Mistake("soapclient decode publisher GetSales page.html", _PAGE),
        Mistake(f"{_SALES} request.json", {"request.json": '{"items": 5}'}),
        Mistake("soapclient drift page.html", _PAGE),
        Mistake("soapclient export resume broken.json -o clicks.csv.gz", {"broken.json": '{"page": 0,'}),
        Mistake(f"soapclient export click {_PERIOD} -o nowhere/clicks.csv.gz"),
        Mistake("soapclient backfill gone.toml"),
        Mistake(
            "soapclient mock --file weather.wsdl --rules rules.toml",
            {"rules.toml": '[[on]]\noperation = "GetWeather"\nreply = { degreees = 21 }\n'},
        ),
        Mistake("bindgen diff weather.wsdl weather.wsdl --ignore list", {"list": "element-added\n"}),
    ],
    "Configuration": [
        Mistake("soapclient config", environ={"SOAPCLIENT_DEADLINE": "1m"}),
        Mistake("soapclient config", environ={"SOAPCLIENT_PUBLISHER_PROTOCOL": "reST"}),
        Mistake("soapclient config", environ={"SOAPCLIENT_PUBLISHER_URL": "http://service.example"}),
        Mistake(
            "soapclient call publisher GetProfile",
            environ={"SOAPCLIENT_PUBLISHER_URL": "", "SOAPCLIENT_PUBLISHER_ULR": "https://service.example"},
        ),
        Mistake("soapclient call publisher GetProfile", environ={"SOAPCLIENT_SECRET_KEY": ""}),
        Mistake("soapclient call publisher GetProfile", environ={"SOAPCLIENT_VERIFY": "gone.pem"}),
        Mistake("soapclient --config gone.toml config"),
        Mistake("soapclient --config settings.toml config", {"settings.toml": "[soapclient\ndeadline = 5\n"}),
        Mistake("soapclient --config all.toml --profile nigth config", {"all.toml": "[profiles.night]\n"}),
        Mistake('Settings.load(publisher_ulr="https://service.example")'),
    ],
    "WSDLs of one's own": [
        Mistake("bindgen init weather --offline --file gone.wsdl"),
        Mistake("bindgen init weather --offline --file page.html", _PAGE),
        Mistake(_INIT, changed=("http://schemas.xmlsoap.org/wsdl/", "http://www.w3.org/ns/wsdl")),
        Mistake(_INIT, changed=("</definitions>", "")),
        Mistake(_INIT, changed=('message="t:Out"', 'message="t:Output"')),
        Mistake("bindgen init 2weather --offline --file weather.wsdl"),
        Mistake(f"{_INIT} --operation GetWether"),
        Mistake(_INIT, {"weather.toml": 'format = 2\n[operations]\nsafe = ["GetWether"]\n'}),
        Mistake("soapclient call --file weather.wsdl GetWeather town=Berlin"),
        Mistake("soapclient call --file weather.wsdl --address weather.example GetWeather city=Berlin"),
    ],
    "Commands": [
        Mistake("soapclient descibe publisher GetSales"),
        Mistake("soapclient operation"),
        Mistake("soapclient list"),
        Mistake(f"soapclient GetSales {_DAY} {_TRACKED}"),
        Mistake("soapclient publisher GetSale saleId=5"),
        Mistake("soapclient weather.wsdl GetWeather city=Berlin"),
        Mistake("soapclient diff weather.wsdl weather.wsdl"),
        Mistake("soapclient init weather --file weather.wsdl"),
        Mistake("soapclient help cal"),
        Mistake("bindgen call weather.wsdl GetWeather"),
    ],
    "Places of options": [
        Mistake("soapclient config --profile night"),
        Mistake("soapclient call publisher GetSale saleId=5 --debug"),
        Mistake("soapclient --port 8642 sandbox"),
        Mistake("soapclient sandbox --prot 8642"),
        Mistake("soapclient --confg settings.toml config"),
        Mistake("soapclient call publisher GetSale saleId=5 --verbose"),
        Mistake("soapclient call publisher GetSale saleId=5 --output sale.json"),
        Mistake(f"soapclient table publisher GetSales --start 2026-11-01 --to 2026-11-02 -o s {_TRACKED}"),
        Mistake("bindgen init weather --wsdl weather.wsdl"),
        Mistake("soapclient migrate --wsdl weather.wsdl shop.py", {"shop.py": "import zeep\n"}),
    ],
    "Names": [
        Mistake(f"soapclient call publisher getsales {_DAY} {_TRACKED}"),
        Mistake(f"soapclient call publisher get-sales {_DAY} {_TRACKED}"),
        Mistake(f"soapclient call Publisher GetSales {_DAY} {_TRACKED}"),
        Mistake(f"soapclient call GetSales {_DAY} {_TRACKED}"),
        Mistake("soapclient describe GetSales"),
        Mistake("soapclient describe publisher.GetSales"),
        Mistake("soapclient call publisher/GetSale saleId=5"),
        Mistake("soapclient call publisher CreateAdspace adspaceItem.nmae=Blog"),
        Mistake("soapclient call wether.wsdl GetWeather city=Berlin"),
        Mistake("soapclient config time_out"),
    ],
    "Arguments": [
        Mistake("soapclient call publisher GetSale --saleId 5"),
        Mistake("soapclient call publisher GetSale -saleId=5"),
        Mistake("soapclient call publisher GetSale saleId = 5"),
        Mistake("soapclient call publisher GetSale saleId:5"),
        Mistake("""soapclient call publisher GetSale '{"saleId": "5"}'"""),
        Mistake("soapclient call publisher GetSale @request.json", {"request.json": '{"saleId": "5"}'}),
        Mistake("soapclient config timeout=20"),
        Mistake("soapclient completion powershell"),
        Mistake("soapclient config get timeout"),
        Mistake("soapclient set timeout 20"),
    ],
}  # fmt: skip


def weather() -> str:
    """Return the WSDL that a page shows."""
    page = (ROOT / "docs/how-to/own-wsdl.md").read_text(encoding="utf-8")
    found = re.search(r"^```xml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def said(mistake: Mistake) -> tuple[str, int | str]:
    """Make a mistake. Returns the message, and the exit code or the class of the error."""
    environ = {**dict.fromkeys(key for key in os.environ if key.startswith("SOAPCLIENT_")), **ACCOUNT}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        wsdl, (what, becomes) = weather(), mistake.changed
        assert not what or what in wsdl
        files = {"weather.wsdl": wsdl.replace(what, becomes) if what else wsdl, **mistake.files}
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        if not mistake.command:
            return _error_of(mistake.done)
        program, *arguments = shlex.split(mistake.done)
        command = cli if program == "soapclient" else bindgen.cli.main
        settings = {**environ, "COLUMNS": "100", **mistake.environ}
        done = CliRunner().invoke(command, arguments, env=settings, prog_name=program)
        assert isinstance(done.exception, SystemExit), f"{mistake.done}: {done.exception!r}: {done.output}"
        text = re.sub(r"\AUsage: .*?\n\n", "", done.stderr, flags=re.DOTALL).replace(f"{folder}/", "")
        return text.rstrip(), done.exit_code


def _error_of(code: str) -> tuple[str, str]:
    with Client(Settings.load(environ=ACCOUNT)) as client:
        names = {"client": client, "Settings": Settings, "days": days, "dt": dt}
        try:
            eval(code, names)  # what stands above
        except SoapClientError as error:
            return str(error), type(error).__name__
    raise AssertionError(f"{code}: nothing was said")


def rows(kind: str) -> list[tuple[str, str, str]]:
    """Return the mistakes of a kind: input, message, and the exit code or the class of the error."""
    found = []
    for mistake in MISTAKES[kind]:
        text, code = said(mistake)
        lines = [line for line in text.splitlines() if line.strip()]
        found.append((_done(mistake), "<br>".join(map(_code, lines)), f"`{code}`"))
    return found


def _code(line: str) -> str:
    """Return a code span for any text."""
    return f"`` {line.rstrip()} ``" if "`" in line else f"`{line.rstrip()}`"


def _done(mistake: Mistake) -> str:
    settings = "".join(f"{name}={value} " for name, value in mistake.environ.items())
    parts = [f"`{settings}{mistake.done}`"]
    files = ((name, " ⏎ ".join(text.splitlines())) for name, text in mistake.files.items())
    parts += [f"with `{name}`: `{text}`" for name, text in files]
    if mistake.changed[0]:
        what, becomes = mistake.changed
        parts.append(f"where `{what}` is " + (f"`{becomes}`" if becomes else "missing"))
    return "<br>".join(parts)
