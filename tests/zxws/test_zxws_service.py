"""The service classes: a method builds its operation's request from its keywords and passes it on."""

from __future__ import annotations

import inspect
import types as python_types
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec
import pytest
from lxml import etree

from soapclient.runtime import (
    AnyOperation,
    CountingReader,
    EncodeError,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
)
from zxws.data.service import DataService
from zxws.publisher.service import GET_SALES, PublisherService, PublisherServiceStreams

if TYPE_CHECKING:
    from tests.zxws.conftest import Contract

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
ItemT = TypeVar("ItemT")

_CLASSES = {"publisher": "PublisherService", "data": "DataService"}


class _Recorder:
    """A caller that returns a unique token."""

    def __init__(self) -> None:
        self.calls: list[tuple[AnyOperation, object]] = []
        self.answer = object()
        self.on_page: object = None

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        self.calls.append((operation, request))
        return cast(ResponseT, self.answer)

    def stream(
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ResponseT, ItemT]]:
        self.calls.append((operation, request))
        return cast(AbstractContextManager[ItemStream[ResponseT, ItemT]], self.answer)

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        /,
    ) -> ItemPages[ItemT]:
        self.calls.append((operation, request))
        self.on_page = on_page
        return cast(ItemPages[ItemT], self.answer)


def _class(contract: str, suffix: str = "") -> type:
    return cast(type, getattr(import_module(f"zxws.{contract}.service"), _CLASSES[contract] + suffix))


def _methods(cls: type) -> dict[str, Callable[..., object]]:
    return {
        name: method
        for name, method in vars(cls).items()
        if name.islower() and name[0] != "_" and not isinstance(method, property)
    }


def _arguments(method: Callable[..., object]) -> dict[str, object]:
    """Return a different value for each keyword. Only its destination matters."""
    hints = typing.get_type_hints(method, localns=vars(import_module(f"{method.__module__[:-8]}.types")))
    given: dict[str, object] = {}
    for name in inspect.signature(method).parameters:
        if name == "self":
            continue
        union = hints[name]
        kinds = union.__args__ if isinstance(union, python_types.UnionType) else (union,)
        many = any(typing.get_origin(kind) is Sequence for kind in kinds)
        given[name] = [object(), object()] if many else object()
    return given


@pytest.mark.parametrize("suffix", ["", "Streams", "Pages"])
def test_every_method_builds_its_request_from_its_keywords(contract_name: str, suffix: str) -> None:
    cls, plain = _class(contract_name, suffix), _class(contract_name)
    called: list[str] = []
    for name in _methods(cls):
        recorder = _Recorder()
        given = _arguments(getattr(plain, name))
        asked = {"on_page": object()} if suffix == "Pages" else {}
        answer = getattr(cls(recorder), name)(**given, **asked)
        assert recorder.on_page is asked.get("on_page")
        assert answer is recorder.answer
        ((operation, request),) = recorder.calls
        called.append(operation.name)
        assert operation.method == name
        assert isinstance(request, msgspec.Struct)
        assert {field: getattr(request, field) for field in request.__struct_fields__} == given
        for field, value in given.items():
            if isinstance(value, list):
                assert getattr(request, field) is not value, "a list is copied"
    assert len(called) == len(set(called))
    operations = import_module(f"zxws.{contract_name}.service").PACKAGE.operations
    streamed = {key for key, value in operations.items() if isinstance(value, ListOperation)}
    paged = {key for key in streamed if operations[key].pages is not None}
    assert set(called) == {"": set(operations), "Streams": streamed, "Pages": paged}[suffix]


def test_parameters_are_keyword_fields_with_the_required_ones_of_the_contract(the_contract: Contract) -> None:
    cls = _class(the_contract.name)
    for name, (request_element, _) in the_contract.messages.items():
        operation = the_contract.operations()[name]
        parameters = dict(inspect.signature(getattr(cls, operation.method)).parameters)
        del parameters["self"]
        assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters.values())
        declared = [
            node
            for node in the_contract.type_of(request_element).iter("{*}element")
            if node.get("name") not in operation.filled_names
        ]
        required = {node.get("name", "") for node in declared if node.get("minOccurs", "1") != "0"}
        required -= operation.rest_optional  # fields that only SOAP requires are checked when it is sent
        assert {_camel(each) for each in parameters} >= {node.get("name") for node in declared}
        assert {_camel(key) for key, each in parameters.items() if each.default is each.empty} == required


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def test_operations_match_the_contract(the_contract: Contract, contract_name: str) -> None:
    operations: Mapping[str, AnyOperation] = the_contract.operations()
    assert list(operations) == list(the_contract.messages)
    assert len(operations) == {"publisher": 50, "data": 3}[contract_name]
    bindings = {
        node.getparent().get("name"): node.get("soapAction")  # type: ignore[union-attr]  # it has a parent
        for node in the_contract.root.iter("{http://schemas.xmlsoap.org/wsdl/soap/}operation")
    }
    for name, operation in operations.items():
        request, response = the_contract.messages[name]
        space = f"{{{the_contract.namespace}}}"
        assert (operation.request_tag, operation.response_tag) == (space + request, space + response)
        assert (operation.name, operation.contract) == (name, contract_name)
        assert operation.soap_action == bindings[name]


def test_reads_are_safe_and_writes_are_not(the_contract: Contract) -> None:
    safe = {name for name, operation in the_contract.operations().items() if operation.safe}
    assert safe == {name for name in the_contract.messages if name.startswith(("Get", "Search"))}


def test_docstrings_describe_purpose_access_and_result(the_contract: Contract) -> None:
    cls = _class(the_contract.name)
    for node in the_contract.root.iterfind("{*}portType/{*}operation"):
        operation = the_contract.operations()[node.get("name", "")]
        said = " ".join((getattr(cls, operation.method).__doc__ or "").split())
        documentation = node.findtext("{*}documentation")
        assert documentation
        assert said.startswith(documentation)
        assert ("Signed." in said) is operation.signed
        assert ("Public: the connect ID is enough." in said) is not operation.signed
        _, response = the_contract.messages[operation.name]
        answer = said.partition("Response: ")[2]
        for field in the_contract.children(response):
            assert any(_camel(word.strip(",.;")) == field for word in answer.split()), (operation.name, field)


def test_list_operations_have_one_wrapped_list_in_the_response(the_contract: Contract) -> None:
    for name, operation in the_contract.operations().items():
        _, response = the_contract.messages[name]
        wrappers = []
        for node in the_contract.type_of(response).iter("{*}element"):
            kind = the_contract.types.get(node.get("type", "").removeprefix("tns:"))
            inner = list(kind.iter("{*}element", "{*}attribute")) if kind is not None else []
            if len(inner) == 1 and inner[0].get("maxOccurs") == "unbounded":
                item = the_contract.types.get(inner[0].get("type", "").removeprefix("tns:"))
                if item is not None and not str(item.tag).endswith("simpleType"):
                    wrappers.append((node.get("name"), inner[0].get("name")))
        if not isinstance(operation, ListOperation):
            assert len(wrappers) != 1
            continue
        space = f"{{{the_contract.namespace}}}"
        assert [(operation.list_tag, operation.item_tag)] == [
            (f"{space}{a}", f"{space}{b}") for a, b in wrappers
        ]
        assert _camel(operation.list_field) == wrappers[0][0]


def test_stream_uses_the_item_decoder_of_the_response(publisher: Contract) -> None:
    response = publisher.instances("stream", "full").message("GetSalesResponse")
    whole = GET_SALES.read_response(response, CountingReader())
    wrapper = response.find(GET_SALES.list_tag)
    assert wrapper is not None
    items = [GET_SALES.read_item(node, CountingReader()) for node in wrapper.iter(GET_SALES.item_tag)]
    assert len(items) >= 2
    assert repr(items) == repr(getattr(whole, GET_SALES.list_field))


@pytest.mark.parametrize("given", [7, "78", b"78", 0])
def test_value_that_is_not_a_list_is_refused_by_field_name(given: object) -> None:
    recorder = _Recorder()
    # wrong on purpose
    PublisherService(recorder).search_products(query="q", program_id=given)  # type: ignore[arg-type]
    ((operation, request),) = recorder.calls
    assert isinstance(operation, Operation)
    with pytest.raises(EncodeError) as caught:
        operation.write_request(request, etree.Element("SearchProductsRequest"), "SearchProductsRequest")
    assert caught.value.path == "SearchProductsRequest/programId"


def test_services_need_only_a_caller() -> None:
    recorder = _Recorder()
    for service in (PublisherService(recorder), DataService(recorder), PublisherServiceStreams(recorder)):
        assert vars(service) == {"_caller": recorder}
