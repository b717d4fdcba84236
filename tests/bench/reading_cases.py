"""Cases that read responses and write requests."""

from __future__ import annotations

import contextlib
import importlib
import json
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from lxml import etree

from tests.bench import ours, peers
from tests.bench.cases import OURS, Case, Opened, Prepared, Way
from tests.bench.equality import Get, plain
from tests.bench.shapes import (
    ROWS,
    SALE,
    SALES,
    SALES_SPACE,
    SHAPES,
    SHAPES_SPACE,
    SOAP,
    WIDE,
    Shape,
    Values,
    deep,
    document,
    json_document,
    sales_of,
    sales_pieces,
    sales_values,
    sample,
)

LXML: Final = "lxml.etree.fromstring"
_ZEEP, _SUDS, _XSDATA, _PYDANTIC, _DICT = "zeep", "suds", "xsdata", "pydantic-xml", "xmltodict"
_PARSERS: Final = (
    Way(LXML),
    Way(OURS),
    Way(_ZEEP, heavy=True),
    Way(_XSDATA, ("xsdata",), heavy=True),
    Way(_PYDANTIC, ("pydantic_xml",), heavy=True),
    Way(_DICT, ("xmltodict",)),
    Way(_SUDS, ("suds",), heavy=True),
)


def _ways(
    shape: Shape, values: Values, data: bytes, readers: Mapping[str, tuple[Callable[[], peers.Read], Get]]
) -> Opened:
    """Return the ways of reading a document: a function that makes the reader, and one that gets a field."""

    def prepare(make: Callable[[], peers.Read], get: Get) -> Prepared:
        return Prepared(partial(make(), data), lambda result: plain(shape, result, get))

    return Opened(values, {name: partial(prepare, *reader) for name, reader in readers.items()})


def _reads(
    shape: Shape,
    space: str,
    values: Values,
    wsdl: Path,
    operation: str,
    ours_reader: Callable[[], peers.Read],
) -> Opened:
    """Return the ways of reading a message over SOAP."""
    readers: dict[str, tuple[Callable[[], peers.Read], Get]] = {
        LXML: (lambda: _parse, peers.get_element),
        OURS: (ours_reader, ours.get),
        _ZEEP: (partial(peers.zeep_reader, wsdl, operation), peers.get_zeep),
        _XSDATA: (partial(peers.xsdata_reader, shape, space), peers.get_xsdata),
        _PYDANTIC: (partial(peers.pydantic_reader, shape, space), peers.get_attribute),
        _DICT: (peers.xmltodict_reader, peers.get_mapping("@", "#text")),
        _SUDS: (partial(peers.suds_reader, wsdl, operation), peers.get_suds),
    }
    return _ways(shape, values, document(shape, values, space), readers)


def _parse(data: bytes) -> object:
    return peers.body_of(etree.fromstring(data))


@contextlib.contextmanager
def _open_sales(size: int) -> Iterator[Opened]:
    yield _reads(SALES, SALES_SPACE, sales_values(size), ours.CONTRACT, "GetSales", ours.sales_reader)


@contextlib.contextmanager
def _open_shapes(size: int, *, field: str, item: Values) -> Iterator[Opened]:
    values: Values = {field: [item] * size}
    yield _reads(SHAPES, SHAPES_SPACE, values, ours.shapes_contract(), "Get", ours.shapes_reader)


# ---- JSON

_LOADS, _UNTYPED, _STRUCTS = "json.loads", "msgspec, untyped", "msgspec, its own structs"


@contextlib.contextmanager
def _open_json(size: int) -> Iterator[Opened]:
    import msgspec

    by_key, values = peers.get_mapping("@", "$"), sales_values(size)
    readers: dict[str, tuple[Callable[[], peers.Read], Get]] = {
        _LOADS: (lambda: json.loads, by_key),
        _UNTYPED: (lambda: msgspec.json.decode, by_key),
        _STRUCTS: (partial(peers.msgspec_reader, SALES), peers.get_struct),
        OURS: (ours.json_reader, ours.get),
    }
    yield _ways(SALES, values, json_document(SALES, values), readers)


# ---- a stream: items are counted and dropped, and the first and the last one compared

_ITERPARSE: Final = "lxml.etree.iterparse, cleared"


class _Ends:
    """Counts items and keeps the first and the last one."""

    def __init__(self) -> None:
        self.count = 0
        self.first: object = None
        self.last: object = None

    def take(self, item: object) -> None:
        self.first = self.first if self.count else item
        self.last = item
        self.count += 1


@contextlib.contextmanager
def _open_stream(size: int) -> Iterator[Opened]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sales.xml")
        with file.open("wb") as target:
            target.writelines(sales_pieces(size))
        yield _streams(file, size)


def _streams(file: Path, size: int) -> Opened:
    sales = sales_of(size)
    first = next(sales)
    last = next(iter(deque(sales, maxlen=1)), first)

    def values(get: Get) -> Callable[[object], object]:
        def of(result: object) -> object:
            assert isinstance(result, _Ends)
            return [result.count, plain(SALE, result.first, get), plain(SALE, result.last, get)]

        return of

    def way(read: Callable[[BinaryIO, Callable[[object], None]], None], get: Get) -> Prepared:
        def run() -> _Ends:
            ends = _Ends()
            with file.open("rb") as body:
                read(body, ends.take)
            return ends

        return Prepared(run, values(get))

    def ours_way() -> Prepared:
        items = ours.sales_stream()

        def read(body: BinaryIO, take: Callable[[object], None]) -> None:
            for item in items(body):
                take(item)

        return way(read, ours.get)

    def dict_way() -> Prepared:
        parse = importlib.import_module("xmltodict").parse

        def read(body: BinaryIO, take: Callable[[object], None]) -> None:
            def take_item(path: list[tuple[str, dict[str, str] | None]], item: object) -> bool:
                if path[-1][0] == "saleItem":
                    assert isinstance(item, dict)
                    take(item)
                return True

            parse(body, item_depth=5, item_callback=take_item)

        return way(read, peers.get_mapping("@", "#text"))

    floor = partial(way, _iterparsed, peers.get_element)
    return Opened([size, first, last], {_ITERPARSE: floor, OURS: ours_way, _DICT: dict_way})


def _iterparsed(body: BinaryIO, take: Callable[[object], None]) -> None:
    """Read items as the documentation of lxml recommends: each item is removed when the next one is read."""
    for _, node in etree.iterparse(body, tag=f"{{{SALES_SPACE}}}saleItem"):
        take(node)
        parent = node.getparent()
        assert parent is not None
        while node.getprevious() is not None:
            del parent[0]


# ---- requests

_TREE: Final = "lxml, from ready texts"


@contextlib.contextmanager
def _open_request(size: int) -> Iterator[Opened]:
    wsdl = ours.shapes_contract()
    (field,) = ROWS.fields
    assert isinstance(field.kind, Shape)
    values: Values = {field.name: [sample(field.kind)] * size}

    def written(root: object) -> object:
        assert isinstance(root, etree._Element)
        return plain(ROWS, root.find(f"{{{SOAP}}}Body/*"), peers.get_element)

    def floor() -> Prepared:
        write = peers.lxml_rows(ROWS, SHAPES_SPACE)
        return Prepared(partial(write, peers.row_texts(ROWS, values, SHAPES_SPACE)), written)

    def ours_way() -> Prepared:
        types = importlib.import_module("shapes.types")
        rows = [
            types.Row(**{ours.snake(name): value for name, value in sample(field.kind).items()})  # type: ignore[arg-type]  # checked above
            for _ in range(size)
        ]
        return Prepared(partial(ours.writer(), types.Put(row=rows)), written)

    def zeep_way() -> Prepared:
        return Prepared(partial(peers.zeep_writer(wsdl, "Put"), values), written)

    yield Opened(values, {_TREE: floor, OURS: ours_way, _ZEEP: zeep_way})


CASES: Final = (
    Case(
        name="decode", title="Decode a response of sales",
        base_is="floor", unit="sale", size=10_000, few=200, memory=True, reads=True,
        ways=_PARSERS, open=_open_sales,
    ),
    Case(
        name="page", title="Decode a page of sales",
        base_is="floor", unit="sale", size=50, few=50, reads=True, repeat=20, ways=_PARSERS, open=_open_sales,
    ),
    Case(
        name="wide", title="Decode items with 300 fields",
        base_is="floor", unit="item", size=500, few=10, reads=True, ways=_PARSERS,
        open=partial(_open_shapes, field="wide", item=sample(WIDE)),
    ),
    Case(
        name="deep", title="Decode items nested 100 levels deep",
        base_is="floor", unit="item", size=500, few=20, reads=True, ways=_PARSERS,
        open=partial(_open_shapes, field="deep", item=deep(100)),
    ),
    Case(
        name="json", title="Decode the JSON of sales",
        base_is="floor", unit="sale", size=10_000, few=200, reads=True,
        ways=(Way(_LOADS), Way(OURS), Way(_UNTYPED), Way(_STRUCTS)), open=_open_json,
    ),
    Case(
        name="stream", title="Read sales one by one",
        base_is="floor", unit="sale", size=100_000, few=200, memory=True, reads=True,
        ways=(Way(_ITERPARSE), Way(OURS), Way(_DICT, ("xmltodict",))), open=_open_stream,
    ),
    Case(
        name="request", title="Write a request with rows of 20 fields",
        base_is="floor", unit="row", size=1000, few=50,
        ways=(Way(_TREE), Way(OURS), Way(_ZEEP, heavy=True)), open=_open_request,
    ),
)  # fmt: skip
