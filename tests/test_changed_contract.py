"""A changed contract is fetched, generated and called with command lines only, without editing Python.

The change: another namespace, an additional list operation with its own types, and no authentication fields
in the requests. The service is a stub that validates requests with the changed document.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lxml import etree

from tests.contracts_matrix.loopback import serving
from tests.support.cases import case_text
from tests.support.soap import envelope

pytestmark = pytest.mark.exhaustive

REPOSITORY = Path(__file__).parents[1]
DOCUMENTS = "publisher/2011-03-01"  # below wsdl/
OLD = "http://api.zanox.com/namespace/2011-03-01/"
NEW = "urn:example:publisher:next"
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP = "{http://schemas.xmlsoap.org/wsdl/soap/}"
ENVELOPE = "{http://schemas.xmlsoap.org/soap/envelope/}"
AUTHENTICATION = {"connectId", "timestamp", "nonce", "signature"}
CONNECT_ID, SECRET_KEY = "0123456789ABCDEF0123", "a key of this test"
WSDL_PATH, SOAP_PATH = "/next?wsdl", "/soap/2011-03-01"

# The additional parts of the changed contract. Two pages of greetings are the response to the new operation.
TYPES = case_text(__file__, "greetings.xsd")
PAGES = (
    '<greetingItem id="1"><text>Grüß Gott</text><mood>warm</mood><price>1.10</price></greetingItem>'
    '<greetingItem id="2"><text>Moin</text><mood>warm</mood></greetingItem>',
    '<greetingItem id="3"><text>Servus</text><mood>warm</mood></greetingItem>',
)

# The code that a user would type. It prints the results.
PROGRAM = """
import json, sys
from soapclient import Client, Settings

with Client(Settings.load()) as client:
    listed = client.publisher.get_greetings(mood="warm", page=0, items=2)
    first, second = listed.greeting_items
    given = [item.text for item in client.publisher.iterate.get_greetings(mood="warm", items=2)]
    lead = client.publisher.get_lead(lead_id="L-1").lead_item
    print(json.dumps({
        "total": listed.total,
        "first": [first.id, first.text, str(first.mood.value), str(first.price)],
        "second": [second.id, second.text, second.price],
        "types": [type(first).__name__, type(first.mood).__name__, type(first.price).__name__],
        "all": given,
        "lead": lead,
    }))
"""


def changed(document: bytes) -> bytes:
    """Return the contract in another namespace, with another operation and without authentication fields."""
    old = etree.fromstring(document)
    nsmap = {prefix: NEW if space == OLD else space for prefix, space in old.nsmap.items()}
    root = etree.Element(old.tag, dict(old.attrib.items()), nsmap=nsmap)
    root.extend(list(old))
    for node in root.iter():
        for name, value in node.attrib.items():
            if str(name) in {"targetNamespace", "soapAction", "namespace"}:
                node.set(name, value.replace(OLD, NEW))
    for kind in root.iter(f"{XSD}complexType"):
        if kind.get("name", "").endswith("Request"):
            for sequence in kind.iter(f"{XSD}sequence"):
                for element in list(sequence):
                    if element.get("name") in AUTHENTICATION:
                        sequence.remove(element)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def with_greetings(document: bytes) -> bytes:
    """Return the contract with one more operation, modelled on GetLeads."""
    root = etree.fromstring(document)
    schema = root.find(f"{WSDL}types/{XSD}schema")
    assert schema is not None
    schema.extend(list(etree.fromstring(TYPES)))
    for node in [*root.iter(f"{WSDL}message"), *root.iter(f"{WSDL}operation")]:
        if node.get("name") in {"GetLeads", "GetLeadsRequest", "GetLeadsResponse"}:
            text = etree.tostring(node, encoding="unicode", with_tail=False).replace("Leads", "Greetings")
            node.addnext(etree.fromstring(text.replace("leads of a day", "greetings of a mood")))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


@dataclass
class Stub:
    """The service: the document at one path, and calls at another.

    Validates with the document's own schema.
    """

    document: bytes
    called: list[tuple[str, list[tuple[str, str]], Mapping[str, str]]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        schema = etree.fromstring(self.document).find(f"{WSDL}types/{XSD}schema")
        assert schema is not None
        self.schema = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))

    def answer(
        self, verb: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        """Return status, media type and body."""
        path, content = (
            (SOAP_PATH, self.respond(headers, body)) if verb == "POST" else (WSDL_PATH, self.document)
        )
        return 200 if target == path else 404, "text/xml; charset=utf-8", content

    def respond(self, headers: Mapping[str, str], body: bytes) -> bytes:
        (request,) = etree.fromstring(body).iterfind(f"{ENVELOPE}Body/*")
        if not self.schema.validate(request):
            self.errors.append(f"request: {self.schema.error_log.last_error}")
        name = etree.QName(request).localname.removesuffix("Request")
        if headers.get("soapaction", "").strip('"') != f"{NEW}{name}":
            self.errors.append(f"SOAPAction {headers.get('soapaction')}")
        if reason := wrong_signature(headers):
            self.errors.append(reason)
        fields = [(etree.QName(one).localname, one.text or "") for one in request]
        self.called.append((name, fields, headers))
        content = ""
        if name == "GetGreetings":
            page = int(dict(fields)["page"])
            items = PAGES[page] if page < len(PAGES) else ""
            count = items.count("</greetingItem>")
            content = f"<page>{page}</page><items>{count}</items><total>3</total>"
            content += f"<greetingItems>{items}</greetingItems>"
        text = f'<{name}Response xmlns="{NEW}">{content}</{name}Response>'
        self.schema.assertValid(etree.fromstring(text))
        return envelope(text).encode()


def wrong_signature(headers: Mapping[str, str]) -> str | None:
    """Return the errors in the headers' signature.

    Recomputes it from verb, path, date and nonce with the key.
    """
    text = f"POST/{headers.get('date')}{headers.get('nonce')}"
    mac = hmac.new(SECRET_KEY.encode(), text.encode(), hashlib.sha1).digest()
    wanted = f"ZXWS {CONNECT_ID}:{base64.b64encode(mac).decode()}"
    sent = headers.get("authorization")
    return None if sent == wanted else f"Authorization: {sent!r} instead of {wanted!r}"


@pytest.fixture
def stub() -> Iterator[Stub]:
    document = (REPOSITORY / "wsdl" / DOCUMENTS / "publisher.wsdl").read_bytes()
    made = Stub(with_greetings(changed(document)))
    with serving(made.answer, made.errors) as made.url:
        yield made


Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command in the test's folder, with only the given environment. Returns its output."""
    names = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP", "LANG", "XDG_STATE_HOME", "LOCALAPPDATA")
    plain = {name: os.environ[name] for name in names if name in os.environ} | {"NO_PROXY": "127.0.0.1"}

    def ran(*command: str, **environ: str) -> str:
        env = plain | environ
        done = subprocess.run(
            command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return ran


def test_changed_contract_is_fetched_generated_and_called_without_python_edits(
    stub: Stub, run: Run, tmp_path: Path
) -> None:
    shutil.copytree(REPOSITORY / "wsdl", tmp_path / "wsdl")
    bindings = tmp_path / "generated"
    # Not generated: only the files that make it a package.
    (bindings / "zxws").mkdir(parents=True)
    for name in ("__init__.py", "py.typed"):
        shutil.copy(REPOSITORY / "generated/zxws" / name, bindings / "zxws" / name)
    bindgen = (sys.executable, "-m", "bindgen", "--wsdl", str(tmp_path / "wsdl"))
    run(*bindgen, "fetch", "publisher", "--url", stub.url + WSDL_PATH)
    assert (tmp_path / "wsdl" / DOCUMENTS / "publisher.wsdl").read_bytes() == stub.document
    run(*bindgen, "generate")
    run(*bindgen, "check")

    mood, items = ("mood", "warm"), ("items", "2")
    for placement in ("headers", "auto"):
        stub.called.clear()
        printed = run(
            sys.executable,
            "-c",
            PROGRAM,
            PYTHONPATH=str(bindings),
            SOAPCLIENT_CONNECT_ID=CONNECT_ID,
            SOAPCLIENT_SECRET_KEY=SECRET_KEY,
            SOAPCLIENT_PUBLISHER_URL=stub.url,
            SOAPCLIENT_SIGNATURE_PLACEMENT=placement,
        )
        assert stub.errors == []
        assert json.loads(printed) == {
            "total": 3,
            "first": [1, "Grüß Gott", "warm", "1.10"],
            "second": [2, "Moin", None],
            "types": ["GreetingItem", "Mood", "Decimal"],
            "all": ["Grüß Gott", "Moin", "Servus"],
            "lead": None,
        }
        assert [(name, fields) for name, fields, _ in stub.called] == [
            ("GetGreetings", [mood, ("page", "0"), items]),
            ("GetGreetings", [mood, ("page", "0"), items]),
            ("GetGreetings", [mood, ("page", "1"), items]),
            ("GetLead", [("leadId", "L-1")]),
        ]
        nonces = [headers["nonce"] for _, _, headers in stub.called]
        assert len(set(nonces)) == len(nonces)
