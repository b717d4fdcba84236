"""A contract whose requests declare no authentication fields: only the headers authenticate."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lxml import etree

from bindgen.cli import main
from soapclient import Settings, connect
from soapclient.auth.credentials import Credentials
from soapclient.calling.engine import Engine
from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError, ConfigError
from soapclient.tracking.client import open_engine
from soapclient.tracking.sandbox import Sandbox, serve
from tests.conftest import CONNECT_ID, SECRET_KEY
from tests.soap.conftest import responses
from tests.stage import NOW
from tests.support.schemas import AUTHENTICATION, XSD

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

REPOSITORY = Path(__file__).parents[2]
IN_HEADERS = "Fri, 20 Nov 2026 12:00:00 GMT"
# docs/explanation/service.md#rest-resources lists the operations that are public over REST. Without the
# fields in the requests, the settings must list them.
PUBLIC = ["GetProgram", "SearchPrograms"]
PACKAGE = "headers_only"
Open = Callable[..., Engine[Settings]]


def bindgen(folder: Path, *arguments: str) -> None:
    done = CliRunner().invoke(main, ["--wsdl", str(folder), *arguments])
    assert done.exit_code == 0, (done.output, done.exception)


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("variant")
    shutil.copytree(REPOSITORY / "wsdl", folder / "wsdl")
    root = etree.fromstring((folder / "wsdl/publisher/2011-03-01/publisher.wsdl").read_bytes())
    for kind in root.iter(f"{XSD}complexType"):
        if kind.get("name", "").endswith("Request"):
            for element in list(kind.iter(f"{XSD}element")):
                if element.get("name") in AUTHENTICATION:
                    element.getparent().remove(element)  # type: ignore[union-attr] # it has a parent
    stripped = folder / "stripped.wsdl"
    stripped.write_bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))
    tables = folder / "wsdl/contracts.toml"
    head, _, rest = tables.read_text(encoding="utf-8").partition("public = []")
    tables.write_text(f"{head}public = {PUBLIC}{rest}", encoding="utf-8")
    bindgen(folder / "wsdl", "fetch", "publisher", "--file", str(stripped))
    bindgen(folder / "wsdl", "generate", "publisher")

    # Under its own package name, with the same run time.
    home = folder / "lib" / PACKAGE
    shutil.copytree(folder / "generated/zxws/publisher", home / "publisher")
    (home / "__init__.py").write_text("")
    for path in (home / "publisher").glob("*.py"):
        path.write_text(path.read_text().replace("zxws.publisher", f"{PACKAGE}.publisher"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "lib"))
        yield import_module(f"{PACKAGE}.publisher.service")


@pytest.fixture
def opening(variant: Any, open_client: OpenClient) -> Open:
    """Open an engine for the variant, with the clock and the nonces of the other tests."""

    def opened(url: str | None = None, placement: str = "headers") -> Engine[Settings]:
        client = open_client(url, signature_placement=placement)
        given: dict[str, Any] = {"clock": client._clock, "nonce_source": client._nonce_source}
        engine = open_engine(variant.PACKAGE, "soap", client.settings, **given)
        client._engines.append(engine)
        return engine

    return opened


@pytest.mark.exhaustive
def test_variant_declares_no_signature_elements(variant: Any) -> None:
    assert all(not operation.filled_names for operation in variant.PACKAGE.operations.values())
    assert {name for name, one in variant.PACKAGE.operations.items() if not one.signed} == set(PUBLIC)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("placement", ["headers", "auto"])
def test_only_http_headers_are_signed(
    variant: Any, opening: Open, wire: Wire, hmac_of: Any, placement: str
) -> None:
    publisher = variant.PublisherService(opening(placement=placement))
    wire.answers(responses.profile())
    assert publisher.get_profile().profile_item.id == 4711
    (sent,) = wire.sent
    assert list(sent.message) == []
    nonce = sent.headers["nonce"]
    assert sent.headers["date"] == IN_HEADERS
    assert sent.headers["authorization"] == f"ZXWS {CONNECT_ID}:{hmac_of('POST', '/', IN_HEADERS, nonce)}"


@pytest.mark.parametrize(("lowercase", "uri"), [(False, "/Data/Api"), (True, "/data/api")])
def test_the_path_is_signed_in_lower_case_if_the_setting_says_so(
    variant: Any, wire: Wire, hmac_of: Any, lowercase: bool, uri: str
) -> None:
    """An address without `/soap` and version, whose path is signed."""
    wire.answers(responses.profile())
    given: Any = {"credentials": Credentials(CONNECT_ID, SECRET_KEY), "lowercase_path": lowercase}
    address = f"{wire.url}/Data/Api"
    with connect(variant.PublisherService, address=address, clock=ManualClock(NOW), **given) as publisher:
        publisher.get_profile()
    (sent,) = wire.sent
    assert sent.path == "/Data/Api"
    signature = hmac_of("POST", uri, IN_HEADERS, sent.headers["nonce"])
    assert sent.headers["authorization"] == f"ZXWS {CONNECT_ID}:{signature}"


def test_public_operation_has_the_connect_id_in_its_header(variant: Any, opening: Open, wire: Wire) -> None:
    wire.answers(responses.of("GetProgram"))
    variant.PublisherService(opening()).get_program(program_id=5)
    (sent,) = wire.sent
    assert sent.fields == {"programId": "5"}
    assert sent.headers["authorization"] == f"ZXWS {CONNECT_ID}"
    assert "date" not in sent.headers
    assert "nonce" not in sent.headers


def test_body_placement_is_refused(opening: Open) -> None:
    with pytest.raises(ConfigError, match="signature_placement") as caught:
        opening("http://127.0.0.1:1", placement="body")
    assert "headers" in str(caught.value)


def test_a_service_with_this_contract_accepts_the_headers(
    variant: Any, opening: Open, open_client: OpenClient
) -> None:
    contracts = {"publisher": Path(variant.__file__).parent / "contract.wsdl"}
    with (
        Sandbox(clock=lambda: NOW, contracts=contracts, public=PUBLIC) as service,
        serve(service, timeout=5) as server,
    ):
        publisher = variant.PublisherService(opening(server.url))
        assert publisher.get_profile().profile_item.email.endswith("@example.org")
        assert publisher.search_programs(items=2).items == 2
        day = dt.date(2026, 11, 1)
        assert publisher.get_sales(date=day, date_type="trackingDate").total > 0

        wrong = open_client(server.url, secret_key="another", signature_placement="headers")
        engine = open_engine(variant.PACKAGE, "soap", wrong.settings, clock=wrong._clock)
        wrong._engines.append(engine)
        with pytest.raises(AuthenticationError):
            variant.PublisherService(engine).get_profile()
