"""Responses over SOAP: when the compiled reader reads them, and that both readers read the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import zeep
from hypothesis import given, settings
from hypothesis import strategies as st
from zeep.wsse.username import UsernameToken

from soapclient import Client, Settings
from soapclient._support import speedups
from soapclient.calling.compiled_streams import CompiledStream
from soapclient.errors import BrokenResponse, ConfigError, ConnectionFailed, ResponseError, ServiceFault
from soapclient.runtime import compiled
from soapclient.soap.operations import TypedOperation
from tests.bench.shapes import sales_pieces
from tests.rings import examples
from tests.soap.conftest import envelope, responses
from zxws.publisher.service import GET_SALES, PACKAGE

if TYPE_CHECKING:
    from tests.campaigns.fuzz.speedups import Case
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

needs_compiled = pytest.mark.skipif(not speedups.in_use(), reason="the compiled reader is not in use")


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """One entry per document for the compiled reader: True if it accepted the document."""
    result: list[bool] = []
    original = compiled.ResponseReader.read

    def read(self: compiled.ResponseReader, document: bytes, check: Callable[[], None]) -> object | None:
        value = original(self, document, check)
        result.append(value is not None)
        return value

    monkeypatch.setattr(compiled.ResponseReader, "read", read)
    return result


@needs_compiled
def test_usual_response_is_read_by_the_compiled_reader(
    once: Client, wire: Wire, accepted: list[bool]
) -> None:
    wire.answers(responses.profile())
    compiled_value = once.publisher.get_profile()
    wire.answers(responses.profile("<!-- left to the Python reader -->"))
    assert once.publisher.get_profile() == compiled_value
    assert compiled_value.profile_item is not None
    assert compiled_value.profile_item.first_name == "Erika"
    assert accepted == [True, False]


@needs_compiled
def test_findings_and_errors_come_from_the_python_reader(
    open_client: OpenClient, wire: Wire, accepted: list[bool]
) -> None:
    client = open_client(attempts=1, drift="tolerate")
    wire.answers(responses.profile("<novelty/>"))
    client.publisher.get_profile()
    assert [finding.path for _, finding in client.drift.counts()] == [
        "GetProfileResponse/profileItem/novelty"
    ]
    wire.answers(responses.profile(adrank="high"))
    with pytest.raises(ResponseError, match="adrank"):
        client.publisher.get_profile()
    wire.answers(responses.fault(107, "no"), 500)
    with pytest.raises(ServiceFault):
        client.publisher.get_profile()
    wire.answers(responses.profile()[:-20])
    with pytest.raises(BrokenResponse):
        client.publisher.get_profile()
    assert accepted == [False, False, False]  # the fault has another status


class Ingress(zeep.Plugin):
    # Any: zeep has no types.
    def ingress(self, envelope: Any, http_headers: Any, operation: Any) -> Any:
        return envelope, http_headers


class Verifying:
    """A security object that verifies responses."""

    def apply(self, envelope: Any, headers: Any) -> Any:
        return envelope, headers

    def verify(self, envelope: Any) -> Any:
        return envelope


@needs_compiled
@pytest.mark.parametrize(
    ("options", "times"),
    [
        ({}, 1),
        ({"wsse": UsernameToken("user", "password")}, 1),  # type: ignore[no-untyped-call] # zeep has no types
        ({"wsse": Verifying()}, 0),
        ({"plugins": [Ingress()]}, 0),
        ({"settings": Settings(validate="all")}, 0),
        ({"on_headers": lambda name, headers: None}, 0),
    ],
    ids=["plain", "user name", "verified security", "plugin", "validation of responses", "headers"],
)
def test_calls_that_need_the_tree_do_not_use_the_compiled_reader(
    opened: Any, wire: Wire, accepted: list[bool], options: dict[str, Any], times: int
) -> None:
    wire.answers(envelope())
    assert opened(**options).get_weather(city="Rome").degrees == Decimal("-3.50")
    assert accepted == [True] * times


@needs_compiled
@pytest.mark.parametrize(
    ("content_type", "times"),
    [
        ("text/xml", 1),
        ("text/xml; charset=UTF-8", 1),
        ('text/xml; action="charset"; charset="utf-8"', 1),
        ("text/xml; charset=iso-8859-1", 0),
        ('text/xml; charset=iso-8859-1; action="utf-8"', 0),
    ],
)
def test_another_charset_is_left_to_the_python_reader(
    once: Client, wire: Wire, accepted: list[bool], content_type: str, times: int
) -> None:
    wire.answers(responses.profile(), Content_Type=content_type)
    once.publisher.get_profile()
    assert accepted == [True] * times


# ---- the choice of the reader


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def choose(choice: str, *, installed: bool = True) -> None:
        monkeypatch.setenv(speedups.VARIABLE, choice)
        if not installed:
            monkeypatch.setitem(sys.modules, "_soapclient_xmlread", None)
        speedups.in_use.cache_clear()

    yield choose
    monkeypatch.undo()
    speedups.in_use.cache_clear()


def test_compiled_reader_can_be_switched_off(choose: Any) -> None:
    choose("0")
    assert not speedups.in_use()
    assert speedups.reader_name() == "pure Python"
    assert TypedOperation(GET_SALES, fault_shape=PACKAGE.settings.fault).compiled is None


@pytest.mark.parametrize("choice", ["", "auto"])
def test_missing_compiled_reader_is_not_an_error(choose: Any, choice: str) -> None:
    choose(choice, installed=False)
    assert not speedups.in_use()


def test_required_compiled_reader_that_is_missing_is_an_error(choose: Any, open_client: OpenClient) -> None:
    choose("1", installed=False)
    said = "SOAPCLIENT_SPEEDUPS: is 1, but the compiled reader is not installed"
    with pytest.raises(ConfigError, match=said):
        open_client().publisher.get_profile()


def test_required_compiled_reader_that_cannot_be_imported_is_an_error(
    choose: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "_soapclient_xmlread.py").write_text("raise ImportError('another interface')")
    monkeypatch.delitem(sys.modules, "_soapclient_xmlread", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    choose("1")
    said = r"is 1, but the .* reader cannot be imported \(another interface\)"
    with pytest.raises(ConfigError, match=said):
        speedups.in_use()


@pytest.mark.parametrize("interface", [0, 1_000_000])
def test_compiled_reader_of_another_version_is_not_used(
    choose: Any, monkeypatch: pytest.MonkeyPatch, interface: int
) -> None:
    monkeypatch.setitem(sys.modules, "_soapclient_xmlread", SimpleNamespace(INTERFACE=interface))
    choose("auto")
    assert not speedups.in_use()
    choose("1")
    with pytest.raises(ConfigError, match="was compiled for another version of soapclient"):
        speedups.in_use()


@pytest.mark.parametrize("choice", ["2", "yes", "AUTO", " 1"])
def test_another_choice_is_an_error(choose: Any, choice: str) -> None:
    choose(choice)
    with pytest.raises(ConfigError, match="must be one of 0, 1, auto, got"):
        speedups.in_use()


# ---- equal to the Python reader


@pytest.fixture(scope="module")
def tracking() -> list[tuple[Case, bytes]]:
    """Examples of the responses of the built-in services, with both readers."""
    from soapclient.cli.contracts import SERVICES, package_named
    from tests.campaigns.fuzz.speedups import cases, seeds_of

    result = []
    for service in SERVICES:
        for name, case in cases(package_named(service), service):
            seeds = seeds_of(name, case)
            result += [(case, seed.content) for seed in seeds if case.compiled.read(seed.content)]
    return result


@needs_compiled
@settings(max_examples=examples(3_000))
@given(seed=st.integers(0, 2**64))
def test_changed_responses_are_read_equally(tracking: list[tuple[Case, bytes]], seed: int) -> None:
    from tests.campaigns.fuzz.speedups import changed_bytes, changed_texts

    random = Random(seed)
    case, content = random.choice(tracking)
    change = random.choice((changed_texts, changed_bytes))
    case.compare(change(content, random))


@needs_compiled
@settings(max_examples=examples(1_000))
@given(seed=st.integers(0, 2**64), count=st.integers(0, 9))
def test_streams_continue_with_the_python_reader(
    tracking: list[tuple[Case, bytes]], seed: int, count: int
) -> None:
    """No item is lost or returned twice."""
    from tests.campaigns.fuzz.speedups import changed_bytes

    random = Random(seed)
    case = next(case for case, _ in tracking if case.operation.name == "GetSales")
    content = b"".join(sales_pieces(count))
    content = random.choice((content, changed_bytes(content, random)))
    case.compare_streams(content, random, broken=random.random() < 0.2)


@needs_compiled
@pytest.mark.parametrize("size", [100, 5_000, 100_000])
def test_stream_keeps_a_bounded_part_of_the_response(size: int) -> None:
    reader = TypedOperation(GET_SALES, fault_shape=PACKAGE.settings.fault).compiled
    assert reader is not None
    stream = CompiledStream(reader)
    content, returned, most = b"".join(sales_pieces(1_000)), 0, 0
    for start in range(0, len(content), size):
        returned += len(stream.feed(content[start : start + size]))
        most = max(most, sum(map(len, stream.kept)))
        assert returned == stream.dropped + stream.skipped
    items, head = stream.close()
    assert returned + len(items) == 1_000
    assert getattr(head, "sale_items") == []  # noqa: B009 - its type is not known here
    assert most < 3 * (size + 4_000)  # the beginning and the rest: each at most two pieces and an item


@needs_compiled
@pytest.mark.sampled(1)
@pytest.mark.parametrize("at", [0, 300, 599])
def test_long_stream_continues_with_the_python_reader(tracking: list[tuple[Case, bytes]], at: int) -> None:
    case = next(case for case, _ in tracking if case.operation.name == "GetSales")
    items = b"".join(sales_pieces(600)).split(b"<saleItem ")
    items[at] += b"<!-- left to the Python reader -->" if at else b""
    content = b"<saleItem ".join(items)
    assert case.compare_streams(content, Random(at))
    assert case.compare_streams(content.replace(b"</saleItem>", b"</saleItem >"), Random(at))


@needs_compiled
@pytest.mark.parametrize("count", [6, 7, 9])
def test_complete_items_come_before_the_error_of_a_connection(
    tracking: list[tuple[Case, bytes]], count: int
) -> None:
    """Also after a long item, of which the compiled reader does not read each piece at once."""
    case = next(case for case, _ in tracking if case.operation.name == "GetSales")
    items = b"".join(sales_pieces(10)).split(b"<saleItem ")
    items[5] = items[5].replace(b"<reviewNote>", b"<reviewNote>" + b"x" * 50_000)
    content = b"<saleItem ".join(items[: count + 1]) + b"<saleItem "
    assert len(content) > 50_000
    pieces = [content[start : start + 1_000] for start in range(0, len(content), 1_000)]
    python, compiled = (case.streamed(pieces, compiled=which, broken=True) for which in (False, True))
    assert repr(python) == repr(compiled)
    (*returned, _), error = python
    assert (len(returned), error) == (count - 1, ConnectionFailed)  # the last one may not be complete


@needs_compiled
def test_stream_without_an_end_of_an_item_is_left_to_the_python_reader() -> None:
    from _soapclient_xmlread import Slow

    reader = TypedOperation(GET_SALES, fault_shape=PACKAGE.settings.fault).compiled
    assert reader is not None
    stream, start = CompiledStream(reader), b"".join(sales_pieces(1)).partition(b"<saleItem")[0]
    stream.feed(start)
    for _ in range(1_049):
        stream.feed(b" " * 1_000)
    with pytest.raises(Slow):
        stream.feed(b" ")
    assert b"".join(stream.kept).startswith(start)
    assert (stream.skipped, stream.dropped) == (0, 0)
