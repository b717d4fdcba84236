"""Each pass on its own, with a small contract."""

from __future__ import annotations

import re

import msgspec
import pytest

from bindgen import passes
from bindgen.model import AuthenticationElement, Contract, Enum, Field, Simple, Struct
from bindgen.passes import fields, names, operations, settings_names, signing, walk
from bindgen.problems import ContractRefused
from bindgen.sections import OPERATION_FLAGS
from soapclient.runtime.operations import Operation
from soapclient.runtime.schema import OperationRow
from tests.bindgen.conftest import parse
from tests.support.cases import case_text

_MESSAGES = case_text(__file__, "passes.xsd")
_SIGNING = {"connect_id": "who", "timestamp": "t", "nonce": "n", "signature": "proof", "service_name": "s"}


def _field(contract: Contract, path: str) -> Field:
    found = walk.field_at(contract, path, "test")
    assert found is not None, path
    return found


def _filled(places: list[AuthenticationElement]) -> list[str]:
    return [place.tag.rpartition("}")[2] for place in places]


def _said(contract: Contract) -> list[str]:
    return [problem.message for problem in contract.problems]


def test_wrapped_lists_marks_only_pure_list_wrappers() -> None:
    contract = parse(_MESSAGES)
    fields.wrapped_lists(contract)
    things = _field(contract, "AskResponse/things")
    assert things.item is not None
    assert isinstance(things.item.type, Struct)
    assert (things.item.wire, things.item.type.name, things.most) == ("thing", "Thing", 1)
    assert _field(contract, "Thing/part").item is None


def test_wrapped_lists_leaves_a_wrapper_with_an_attribute_or_a_second_element() -> None:
    for addition in ('<x:attribute name="count" type="x:int"/></x:complexType>', "</x:complexType>"):
        second = "" if "attribute" in addition else '<x:element name="more" type="x:int" minOccurs="0"/>'
        end = '<x:element name="thing" type="t:Thing" minOccurs="0" maxOccurs="unbounded"/>\n</x:sequence></x:complexType>'
        assert end in _MESSAGES
        changed = end.replace("\n</x:sequence></x:complexType>", f"{second}</x:sequence>{addition}")
        contract = parse(_MESSAGES.replace(end, changed))
        fields.wrapped_lists(contract)
        assert _field(contract, "AskResponse/things").item is None
        assert _field(contract, "Things/thing").repeats


def test_authentication_detects_public_operations_by_declared_elements() -> None:
    public = re.sub('<x:element name="(t|n|proof)" type="x:string"/>', "", _MESSAGES)
    contract = parse(public, signing=_SIGNING)
    signing.run(contract)
    (operation,) = contract.operations
    assert (_filled(operation.authentication), operation.signed) == (["who"], False)


def test_authentication_uses_the_settings_if_nothing_is_declared() -> None:
    for public, signed in ((["Ask"], False), ([], True)):
        roles = {role: f"no {role}" for role in ("connect_id", "timestamp", "nonce", "signature")}
        contract = parse(_MESSAGES, signing=roles | {"public": public})
        signing.run(contract)
        assert (contract.operations[0].authentication, contract.operations[0].signed) == ([], signed)


def test_authentication_is_equal_for_operations_that_share_a_request() -> None:
    contract = parse(_MESSAGES, signing=_SIGNING)
    contract.operations.append(contract.operations[0])
    signing.run(contract)
    for operation in contract.operations:
        assert (_filled(operation.authentication), operation.signed) == (["who", "t", "n", "proof"], True)
        assert [field.wire for field in operation.request.fields] == ["kind", "since"]


def test_authentication_leaves_an_unsigned_contract_unchanged() -> None:
    contract = parse(_MESSAGES)
    signing.run(contract)
    assert len(contract.operations[0].request.fields) == 6
    assert contract.operations[0].signed is False


def test_numbers_are_exact_except_configured_ones() -> None:
    contract = parse(_MESSAGES, types={"binary": ["Thing/rank"]})
    fields.numbers(contract)
    kinds = {name: _field(contract, f"Thing/{name}").type for name in ("price", "rank")}
    annotations = {name: kind.annotation for name, kind in kinds.items() if isinstance(kind, Simple)}
    assert annotations == {"price": "Decimal", "rank": "float"}


def test_days_become_dates() -> None:
    contract = parse(_MESSAGES, types={"day": ["AskRequest/since"]})
    fields.days(contract)
    kind = _field(contract, "AskRequest/since").type
    assert isinstance(kind, Simple)
    assert (kind.annotation, kind.scalar) == ("dt.date", "DAY")


def test_optionality_marks_elements_and_attributes() -> None:
    contract = parse(_MESSAGES, types={"may_be_missing": ["Thing/price", "Thing/@id"]})
    fields.optionality(contract)
    required = {name: _field(contract, f"Thing/{name}").required for name in ("price", "rank", "@id")}
    assert required == {"price": False, "rank": True, "@id": False}
    assert _field(contract, "Thing/price").least == 1


def test_refused_adds_unsent_fields_and_notes_values() -> None:
    contract = parse(
        _MESSAGES,
        refused={"fields": {"AskRequest/gone": "why"}, "values": {"AskRequest/who": {"nobody": "no more"}}},
    )
    fields.refused(contract)
    assert _field(contract, "AskRequest/gone").refused == "why"
    assert _field(contract, "AskRequest/who").refused_values == {"nobody": "no more"}
    assert not contract.problems


def test_refused_values_must_not_be_in_the_enumeration() -> None:
    contract = parse(_MESSAGES, refused={"values": {"AskRequest/kind": {"old": "no more", "a": "never"}}})
    kind = _field(contract, "AskRequest/kind")
    assert isinstance(kind.type, Enum)
    kind.type.values = ["a", "b"]
    fields.refused(contract)
    assert kind.refused_values == {"old": "no more"}
    assert contract.problems == []
    assert [each.message for each in contract.notes] == [
        "contracts.toml: contracts.shop.refused.values: the line has no effect, because the contract "
        "allows 'a' for AskRequest/kind"
    ]


def test_refused_values_apply_to_plain_strings() -> None:
    for path in ("AskRequest/since", "AskResponse/things"):
        contract = parse(_MESSAGES, refused={"values": {path: {"a": "b"}}})
        fields.refused(contract)
        assert _said(contract) == [
            f"contracts.toml: contracts.shop.refused.values: {path} must be a field with a single text and have "
            "a table of values and reasons"
        ]


def test_flags_mark_only_configured_names() -> None:
    for safe in ([], ["Ask"]):
        contract = parse(_MESSAGES, operations={"safe": safe})
        operations.flags(contract)
        assert [operation.safe for operation in contract.operations] == [bool(safe)]


def test_operation_settings_reach_the_run_time() -> None:
    """A new key of `operations` needs only a field in the row and one in the operation."""
    fields = {field.name: field.type for field in msgspec.structs.fields(OperationRow)}
    assert {fields[key] for key in OPERATION_FLAGS} == {bool}
    assert set(OPERATION_FLAGS) <= set(Operation.__annotations__)


def test_streams_finds_the_one_list_of_complex_items() -> None:
    contract = parse(_MESSAGES)
    fields.wrapped_lists(contract)
    operations.streams(contract)
    assert contract.operations[0].list_field is _field(contract, "AskResponse/things")


def test_streams_leaves_responses_with_two_lists_or_plain_items() -> None:
    things = '<x:element name="things" type="t:Things" minOccurs="0"/>'
    for changed in (
        _MESSAGES.replace(things, things + things.replace('"things"', '"others"')),
        _MESSAGES.replace('name="thing" type="t:Thing"', 'name="thing" type="x:string"'),
        _MESSAGES.replace(things, ""),
    ):
        contract = parse(changed)
        fields.wrapped_lists(contract)
        operations.streams(contract)
        assert contract.operations[0].list_field is None


def test_reachable_keeps_schema_order_and_reachable_types() -> None:
    contract = parse(_MESSAGES)
    fields.wrapped_lists(contract)
    names.reachable(contract)
    assert [struct.name for struct in contract.structs] == ["AskRequest", "AskResponse", "Thing"]
    assert [enum.qname for enum in contract.enums] == ["{urn:example:shop}kindEnum"]


def test_names_are_unique_in_their_scope() -> None:
    contract = parse(_MESSAGES)
    fields.wrapped_lists(contract)
    operations.streams(contract)
    names.reachable(contract)
    names.names(contract)
    (enum,) = contract.enums
    assert (enum.python, enum.python_values) == ("Kind", "KindValue")
    assert enum.members == {"ONE_THING": "one thing", "ONE_THING_2": "one-thing", "UNNAMED": ""}
    assert [struct.python for struct in contract.structs] == ["AskRequest", "AskResponse", "Thing"]
    assert (contract.operations[0].method, contract.operations[0].constant) == ("ask", "ASK")
    assert contract.service_class == "ShopService"
    further = ("ShopServiceAsync", "ShopServiceStreams", "ShopServiceAsyncStreams")
    assert contract.further_classes == {name: name for name in further}


def test_mentioned_accepts_existing_names() -> None:
    contract = parse(_MESSAGES, paging={"page": "who", "items": "kind", "total": "total"})
    settings_names.run(contract)
    assert not contract.problems


def test_mentioned_reports_all_missing_names() -> None:
    contract = parse(
        _MESSAGES,
        paging={"page": "who", "items": "some", "total": "who"},
        fault={"element": "Trouble", "code": "code"},
        columns={"click": {"id": "xsd:nothing"}},
    )
    settings_names.run(contract)
    settings = [message.split(": ")[1].removeprefix("contracts.shop.") for message in _said(contract)]
    assert settings == ["paging.items", "paging.total", "columns.click.id"]
    (note,) = contract.notes
    assert note.message == (
        "contracts.toml: contracts.shop.fault.element: the contract does not declare faults; 'Trouble' is expected"
    )


def test_walk_visits_each_struct_once_in_recursive_types() -> None:
    contract = parse(_MESSAGES)
    found = [struct.name for struct in walk.structs(contract)]
    assert sorted(found) == ["AskRequest", "AskResponse", "Thing", "Things"]


def test_problems_of_all_passes_are_reported_together() -> None:
    contract = parse(
        _MESSAGES,
        operations={"safe": ["Tell"]},
        types={"binary": ["Thing/none"], "day": ["Nothing/at"], "may_be_missing": ["AskRequest/@id"]},
    )
    with pytest.raises(ContractRefused) as caught:
        passes.run(contract)
    assert len(caught.value.problems) == 2
    named = [note.message.split(": ")[1].partition(" names")[0] for note in contract.notes]
    assert named == ["contracts.shop.types.day", "contracts.shop.operations.safe"]


def test_anonymous_types_are_named_by_path_and_unique() -> None:
    """An element, an attribute and a type may share a name. Each has its own type."""
    schema = """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="kind"><x:simpleType><x:restriction base="x:string"><x:enumeration value="a"/></x:restriction></x:simpleType></x:element>
<x:element name="other" type="t:AskRequest"/><x:element name="sort" type="t:kind"/>
</x:sequence><x:attribute name="kind"><x:simpleType><x:restriction base="x:string"><x:enumeration value="b"/></x:restriction></x:simpleType></x:attribute>
</x:complexType></x:element>
<x:complexType name="AskRequest"><x:sequence><x:element name="own" type="x:int"/></x:sequence></x:complexType>
<x:simpleType name="kind"><x:restriction base="x:string"><x:enumeration value="c"/></x:restriction></x:simpleType>
<x:element name="AskResponse"><x:complexType/></x:element>"""
    contract = parse(schema)
    request = contract.operations[0].request
    kinds = {(field.kind, field.wire): field.type for field in request.fields}
    values = {key: kind.values for key, kind in kinds.items() if isinstance(kind, Enum)}
    assert values == {("attribute", "kind"): ["b"], ("element", "kind"): ["a"], ("element", "sort"): ["c"]}
    other = kinds["element", "other"]
    assert isinstance(other, Struct)
    assert [field.wire for field in other.fields] == ["own"]
    names.reachable(contract)
    names.names(contract)
    assert len({struct.python for struct in contract.structs}) == 3
    assert len({enum.python for enum in contract.enums}) == 3


# ruff: noqa: E501 - schemas are easier to read unbroken


def test_other_places_may_be_attributes_and_renamed_elements() -> None:
    contract = parse(_MESSAGES, types={"also_read_as": {"Thing/@id": ["@number", "id", "number"]}})
    fields.other_places(contract)
    assert contract.problems == []
    space = contract.namespace
    assert _field(contract, "Thing/@id").elsewhere == (
        ("attribute", "number"),
        ("element", f"{{{space}}}id"),
        ("element", f"{{{space}}}number"),
    )


@pytest.mark.parametrize(
    ("path", "other", "said"),
    [
        ("Thing/@no", ["id"], "does not have this field"),
        ("Thing/@id", ["price"], "the contract declares 'price' as a separate field"),
        ("Thing/@id", [], "must be a list of names, got "),
        ("Thing/@id", "id", "must be a list of names, got "),
        ("Thing/part", ["piece"], "only single values can"),
        ("Things/thing", ["piece"], "only single values can"),
    ],
)
def test_invalid_other_places_are_refused(path: str, other: object, said: str) -> None:
    contract = parse(_MESSAGES, types={"also_read_as": {path: other}})
    fields.other_places(contract)
    (problem,) = _said(contract)
    assert said in problem
    assert path in problem
