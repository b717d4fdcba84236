"""Operations of a hand-written package: their attributes, pickling, streams and pages."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from soapclient.runtime.errors import DecodeError, EncodeError
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.operations import SoapHeader
from soapclient.runtime.package import OutdatedPackage, package, refuse_outdated
from soapclient.runtime.schema import FORMAT
from tests.support.cases import case_text

SPACE = "urn:shop"
TYPES = """
from __future__ import annotations
import datetime as dt
from typing import Any
from soapclient.runtime.record import Record

class Ask(Record):
    day: dt.date
    at: dt.datetime | None = None
    inner: list[Ask] = []
    item: Item | dict[str, Any] | None = None
    page: int | None = None

class Item(Record):
    id: int
    day: dt.date | None = None

class Told(Record):
    total: int | None = None
    items: list[Item] | None = None

class Token(Record):
    value: str
"""
SERVICE = '''
from __future__ import annotations
import datetime as dt
from soapclient.runtime.operations import HeaderCaller, ListOperation
from soapclient.runtime.operations import PageCaller, StreamCaller, paged, streamed
from soapclient.runtime.package import package
from . import types

PACKAGE = package(__name__.rpartition(".")[0])
LIST: ListOperation[types.Ask, types.Told, types.Item] = PACKAGE.list_operation("List")

class Shop:
    def __init__(self, caller: HeaderCaller) -> None:
        self._caller = caller

    def list(self, *, day: dt.date, token: types.Token | None = None) -> types.Told:
        """All items."""
        return self._caller.call(LIST, types.Ask(day=day), LIST.headers({"Token": token}))

class ShopStreams:
    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    list = streamed(Shop.list, LIST)

class ShopPages:
    def __init__(self, caller: PageCaller) -> None:
        self._caller = caller

    list = paged(Shop.list, LIST)
'''
SCHEMA: dict[str, Any] = {**json.loads(case_text(__file__, "operations.json")), "format": FORMAT}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for packages on the import path."""
    made = tmp_path_factory.mktemp("packages")
    sys.path.insert(0, str(made))
    yield made
    sys.path.remove(str(made))


def make(folder: Path, name: str, schema: object) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("")
    (folder / name / "types.py").write_text(TYPES)
    (folder / name / "service.py").write_text(SERVICE)
    if schema is not None:
        text = schema if isinstance(schema, str) else json.dumps(schema)
        (folder / name / "schema.json").write_text(text)


@pytest.fixture(scope="module")
def shop(folder: Path) -> ModuleType:
    make(folder, "shop_of_a_test", SCHEMA)
    return import_module("shop_of_a_test.service")


@pytest.fixture
def types(shop: ModuleType) -> ModuleType:
    return import_module("shop_of_a_test.types")


def written(shop: ModuleType, request: object, zone: dt.tzinfo | None = None) -> etree._Element:
    root = etree.Element(shop.LIST.request_tag)
    shop.LIST.write_request(request, root, "Ask", zone=zone)
    return root


# ---- attributes of an operation


def test_operation_has_the_facts_of_its_row(shop: ModuleType) -> None:
    operation = shop.LIST
    assert (operation.name, operation.method, operation.contract) == ("List", "list", "shop")
    assert (operation.safe, operation.signed, operation.soap) == (True, False, True)
    assert (operation.request_tag, operation.response_tag) == (f"{{{SPACE}}}Ask", f"{{{SPACE}}}Told")
    assert (operation.list_tag, operation.item_tag) == (f"{{{SPACE}}}items", f"{{{SPACE}}}item")
    assert (operation.list_field, operation.wrapped, operation.pages.page) == ("items", True, "page")
    assert (operation.rest_only, operation.rest_optional, operation.soap_only) == ({"page"}, {"page"}, set())
    assert (operation.rest.root, operation.rest.wrapped.root) == (f"{{{SPACE}}}root", "{urn:other}r")
    assert list(operation.request_headers) == ["{urn:other}Token"]
    with pytest.raises(AttributeError):
        operation.nothing_like_it  # noqa: B018 - the look-up is tested


def test_nil_message_of_a_named_type_becomes_an_empty_one_and_a_finding(folder: Path) -> None:
    operation = {**SCHEMA["operations"]["List"], "response_nil": True}
    make(folder, "shop_of_nothing", {**SCHEMA, "operations": {"List": operation}})
    service = import_module("shop_of_nothing.service")
    reader = CountingReader()
    nil = f'<Told xmlns="{SPACE}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>'
    empty = service.LIST.read_response(etree.fromstring(f'<Told xmlns="{SPACE}"/>'), reader)
    assert reader.findings == {}
    assert service.LIST.read_response(etree.fromstring(nil), reader) == empty
    assert reader.findings == {("shortened", "Told", ""): 1}


def test_operation_can_be_pickled(shop: ModuleType) -> None:
    again = pickle.loads(pickle.dumps(shop.LIST))
    assert (again, hash(again), again.package) == (shop.LIST, hash(shop.LIST), shop.PACKAGE)
    assert again.list_field == "items"


def test_package_operations_are_found_by_name(shop: ModuleType) -> None:
    assert dict(shop.PACKAGE.operations) == {"List": shop.LIST}
    assert shop.PACKAGE.operations["List"].item_tag == f"{{{SPACE}}}item"
    assert "Other" not in shop.PACKAGE.operations


def test_concurrent_first_accesses_see_the_same_object(folder: Path) -> None:
    make(folder, "shop_of_threads", SCHEMA)
    service = import_module("shop_of_threads.service")
    text = f'<Told xmlns="{SPACE}"><total>1</total><items><item id="1"/></items></Told>'
    start = threading.Barrier(8)

    def read(_: int) -> tuple[object, str]:
        node = etree.fromstring(text)
        start.wait()
        return service.LIST.read_response(node, CountingReader()), service.LIST.list_tag

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(read, range(8)))
    assert found == [found[0]] * 8


# ---- packages of other versions


def test_package_without_a_schema_file_error_says_what_to_do(folder: Path) -> None:
    make(folder, "shop_without", None)
    with pytest.raises(
        OutdatedPackage, match=r"shop_without: it has no schema.json\. Generate the package again"
    ):
        _ = package("shop_without").schema


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({**SCHEMA, "format": 99}, f"has format 99, but this version of soapclient reads format {FORMAT}"),
        ({"format": 99, "unheard": "of"}, "has format 99"),
        ({**SCHEMA, "unheard": "of"}, "cannot be read"),
        ("[]", "cannot be read"),
        ("{", "cannot be read"),
    ],
)
def test_package_of_another_format_error_says_what_to_do(folder: Path, schema: object, said: str) -> None:
    name = f"shop_{abs(hash(str(schema)))}"
    make(folder, name, schema)
    with pytest.raises(OutdatedPackage, match=said) as caught:
        _ = package(name).schema
    assert "`bindgen init`" in str(caught.value)
    assert caught.value.name == name
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_packages_of_the_first_version_are_refused_by_name() -> None:
    with pytest.raises(ImportError, match="shop: it was generated by an earlier version of soapclient"):
        refuse_outdated("shop")


# ---- messages


def test_day_is_sent_as_midnight_over_soap_at_any_depth(shop: ModuleType, types: ModuleType) -> None:
    at = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
    summer, winter = dt.date(2026, 7, 1), dt.date(2026, 11, 1)
    request = types.Ask(day=winter, at=at, inner=[types.Ask(day=summer)], item=types.Item(id=1, day=winter))
    bare = [each.text for each in written(shop, request).iter(f"{{{SPACE}}}day")]
    assert bare == ["2026-11-01", "2026-07-01", "2026-11-01"]
    root = written(shop, request, ZoneInfo("Europe/Berlin"))
    in_winter, in_summer = "2026-11-01T00:00:00+01:00", "2026-07-01T00:00:00+02:00"
    assert [each.text for each in root.iter(f"{{{SPACE}}}day")] == [in_winter, in_summer, in_winter]
    assert root.findtext(f"{{{SPACE}}}at") == "2026-07-01T00:00:00+00:00"


def test_only_changes_are_written_and_described(shop: ModuleType, types: ModuleType) -> None:
    request = types.Ask(day=dt.date(2026, 11, 1), item={"id": 5})
    assert shop.LIST.changes_in(request) == "item"
    assert shop.LIST.wire_of(written(shop, request)) == {"day": "2026-11-01", "item": {"@id": "5"}}
    assert shop.LIST.changes_in(types.Ask(day=dt.date(2026, 11, 1), item=types.Item(id=1))) == ""
    with pytest.raises(EncodeError, match="Ask/item: unknown field"):
        written(shop, types.Ask(day=dt.date(2026, 11, 1), item={"colour": "red"}))


def test_header_without_a_value_is_named(shop: ModuleType) -> None:
    (part,) = shop.LIST.sent_headers.values()
    parent = etree.Element("Header")
    with pytest.raises(EncodeError) as caught:
        SoapHeader(part, None).write(parent)
    assert (caught.value.path, caught.value.reason) == (part.name, "it is required")
    assert len(parent) == 0


def test_messages_are_read_back(shop: ModuleType, types: ModuleType) -> None:
    request = types.Ask(day=dt.date(2026, 11, 1), inner=[types.Ask(day=dt.date(2026, 7, 1))])
    reader = CountingReader(report_zone=ZoneInfo("Europe/Berlin"))
    assert shop.LIST.read_request(written(shop, request, ZoneInfo("Europe/Berlin")), reader) == request
    root = etree.Element("told")
    told = types.Told(total=1, items=[types.Item(id=1)])
    shop.LIST.write_response(told, root, "Told")
    assert shop.LIST.read_response(root, reader) == told
    assert shop.LIST.read_item(root[1][0], reader) == types.Item(id=1)
    with pytest.raises(DecodeError, match="item/@id"):
        shop.LIST.read_item(etree.Element("item"), reader)


# ---- services


class _Caller:
    """Records the arguments of its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def call(self, *given: Any) -> Any:
        self.calls.append(given)
        return "response"

    @contextmanager
    def stream(self, *given: Any) -> Iterator[Any]:
        self.calls.append(given)
        yield "stream"

    def pages(self, *given: Any) -> Any:
        self.calls.append(given)
        return "pages"


def test_stream_has_the_parameters_of_its_method(shop: ModuleType, types: ModuleType) -> None:
    caller, day = _Caller(), dt.date(2026, 11, 1)
    streams = shop.ShopStreams(caller)
    context: AbstractContextManager[Any] = streams.list(day=day)
    with context as stream:
        assert stream == "stream"
    assert caller.calls == [(shop.LIST, types.Ask(day=day), ())]
    assert (streams.list.__name__, streams.list.__doc__) == ("list", "All items.")
    with pytest.raises(TypeError, match="days"):
        streams.list(days=day)


def test_iterator_has_the_parameters_of_its_method_and_one_more(shop: ModuleType, types: ModuleType) -> None:
    caller, day = _Caller(), dt.date(2026, 11, 1)

    def on_page(page: int, given: int, total: int | None) -> None:
        raise AssertionError

    pages = shop.ShopPages(caller)
    assert (pages.list(day=day), pages.list(day=day, on_page=on_page)) == ("pages", "pages")
    request = types.Ask(day=day)
    assert caller.calls == [(shop.LIST, request, None, ()), (shop.LIST, request, on_page, ())]


def test_headers_are_parameters(shop: ModuleType, types: ModuleType) -> None:
    caller = _Caller()
    shop.Shop(caller).list(day=dt.date(2026, 11, 1), token=types.Token(value="x"))
    headers: Sequence[Any] = caller.calls[0][2]
    parent = etree.Element("Header")
    headers[0].write(parent)
    assert etree.tostring(parent) == b'<Header><ns0:Token xmlns:ns0="urn:other">x</ns0:Token></Header>'
