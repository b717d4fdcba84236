"""The Python types for the schema's types, and the documentation in the generated files."""

from __future__ import annotations

import ast
import datetime as dt
import hashlib
import sys
import typing
from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING

import msgspec
import pytest
import zeep

import zxws
from soapclient.runtime.record import Record

if TYPE_CHECKING:
    from tests.zxws.conftest import Contract

_PACKAGE = Path(zxws.__file__).parent
_PYTHON = {
    "string": str,
    "anyURI": str,
    "boolean": bool,
    "int": int,
    "long": int,
    "float": Decimal,
    "double": Decimal,
    "date": dt.date,
    "dateTime": dt.datetime,
}
# Date-times that mean a calendar day; docs/explanation/service.md#dates calls them days.
_DAYS = {
    ("GetLeadsRequest", "date"),
    ("GetSalesRequest", "date"),
    ("GetReportBasicRequest", "fromDate"),
    ("GetReportBasicRequest", "toDate"),
    ("SearchProgramsRequest", "startDate"),
}


def _structs(contract: Contract) -> dict[str, type[msgspec.Struct]]:
    """Map schema types to structs. The class has the type's name with an upper-case initial."""
    module = import_module(f"zxws.{contract.name}.types")
    kinds = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Record)]
    named = {name[:1].upper() + name[1:]: name for name in (*contract.types, "basketItem")}
    return {named.get(kind.__name__, kind.__name__): kind for kind in kinds if kind is not Record}


def _declared(contract: Contract) -> Iterator[tuple[str, str, str]]:
    """Yield every field that has a built-in type: type's name, field's name, built-in type."""
    for name, kind in contract.types.items():
        for node in kind.iter("{*}element", "{*}attribute"):
            prefix, _, local = node.get("type", "").partition(":")
            if prefix == "xsd":
                yield name, node.get("name", ""), local


def _kinds(struct: type[msgspec.Struct]) -> dict[str, set[object]]:
    """Map wire names of fields to the plain types in their annotations, without list and None."""
    found: dict[str, set[object]] = {}
    for field in msgspec.structs.fields(struct):
        todo: list[object] = [field.type]
        kinds = found.setdefault(field.encode_name, set())
        while todo:
            kind = todo.pop()
            parts = typing.get_args(kind)
            todo += parts
            if not parts and kind is not type(None):
                kinds.add(kind)
    return found


def test_every_number_except_the_rank_is_exact(the_contract: Contract) -> None:
    structs = _structs(the_contract)
    checked, exact = 0, set()
    for name, field, local in _declared(the_contract):
        # Wrappers have no struct, faults are not responses, and the signature's elements are not fields.
        if name not in structs or field not in (kinds := _kinds(structs[name])):
            continue
        wanted: object = _PYTHON[local]
        if field == "adrank" and local == "float":
            wanted = float
        if (name, field) in _DAYS:
            wanted = dt.date
        assert kinds[field] == {wanted}, (name, field)
        checked += 1
        if wanted is Decimal:
            exact.add((name, field))
    decimals = {
        (name, field)
        for name, kind in structs.items()
        if name in the_contract.types
        for field, kinds in _kinds(kind).items()
        if Decimal in kinds
    }
    assert decimals == exact
    assert checked > {"publisher": 300, "data": 20}[the_contract.name]  # nearly all fields were checked
    assert bool(exact) == (the_contract.name == "publisher")


# Fields that REST accepts and SOAP does not (docs/explanation/service.md#rest-resources).
_REST_ALONE = {
    "GetReportBasicRequest": {"dateType"},
    "SearchProductsRequest": {"ean", "merchantCategory", "partnership"},
    "SearchProgramsRequest": {"industry", "isExclusive"},
}


def test_known_structs_have_all_fields(the_contract: Contract) -> None:
    structs = _structs(the_contract)
    requests = {request for request, _ in the_contract.messages.values()}
    beside = {"GetSaleBasketRequest", "GetSaleBasketResponse", "basketItem"}  # only in REST
    assert set(structs) - set(the_contract.types) == (beside if the_contract.name == "publisher" else set())
    for name, struct in structs.items():
        if name in beside:
            continue
        declared = [node.get("name", "") for node in the_contract.types[name].iter("{*}attribute")]
        declared += [node.get("name", "") for node in the_contract.types[name].iter("{*}element")]
        if name in requests:
            declared = [
                each for each in declared if each not in {"connectId", "timestamp", "nonce", "signature"}
            ]
        own = [
            field.encode_name
            for field in msgspec.structs.fields(struct)
            if field.encode_name != "value" or "value" in declared
        ]
        assert set(own) - {"notifyUrl"} >= set(declared)
        further = {"notifyUrl", *_inherited(struct), *_REST_ALONE.get(name, ())}
        assert set(own) - set(declared) <= further
        assert set(own) >= _REST_ALONE.get(name, set())


def _inherited(struct: type[msgspec.Struct]) -> set[str]:
    (base,) = struct.__bases__
    return {field.encode_name for field in msgspec.structs.fields(base)} if base is not Record else set()


def test_enumerations_have_the_contract_values_in_order(the_contract: Contract) -> None:
    module = import_module(f"zxws.{the_contract.name}.types")
    reached = {
        node.get("type", "").removeprefix("tns:")
        for kind in the_contract.types.values()
        for node in kind.iter("{*}element", "{*}attribute")
    }
    for name, kind in the_contract.types.items():
        if not str(kind.tag).endswith("simpleType") or name not in reached:
            continue
        values = [node.get("value") for node in kind.iter("{*}enumeration")]
        python = name.removesuffix("Enum")
        python = python[0].upper() + python[1:]
        assert [member.value for member in getattr(module, python)] == values
        assert list(typing.get_args(getattr(module, f"{python}Value"))) == values


def test_structs_have_the_fast_msgspec_options(the_contract: Contract) -> None:
    for struct in _structs(the_contract).values():
        config = struct.__struct_config__
        assert getattr(config, "kw_only", True) is True
        assert (config.gc, config.frozen) == (False, False)


def test_packaged_contract_equals_the_document(the_contract: Contract) -> None:
    packaged = (_PACKAGE / the_contract.name / "contract.wsdl").read_bytes()
    assert packaged == the_contract.path.read_bytes()
    tables = import_module(f"zxws.{the_contract.name}.service").PACKAGE.settings
    assert tables.sha256 == hashlib.sha256(packaged).hexdigest()
    # zeep has no types
    client = zeep.Client(str(_PACKAGE / the_contract.name / "contract.wsdl"))  # type: ignore[no-untyped-call]
    assert set(client.wsdl.services[tables.service].ports[tables.port].binding._operations) == set(
        the_contract.messages
    )
    assert tables.binding in client.wsdl.bindings
    assert tables.namespace == the_contract.namespace


@pytest.mark.parametrize(
    "file", sorted(_PACKAGE.glob("[pd]*/*.py")), ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_generated_files_name_their_source(file: Path) -> None:
    text = file.read_text()
    ast.parse(text)
    if file.name != "__init__.py":
        name = file.parent.name
        sha = hashlib.sha256((file.parent / "contract.wsdl").read_bytes()).hexdigest()
        assert text.startswith(f"# Made by `bindgen generate {name}`. Do not edit")
        assert sha in text.partition("from __future__")[0]


def test_importing_the_bindings_loads_no_protocol_module() -> None:
    heavy = {"zeep", "requests", "lxml", "xmlschema", "bindgen"}
    heavy |= {"soapclient.tracking.client", "soapclient.settings"}
    code = f"""import sys, zxws, zxws.publisher.service, zxws.data.service
zxws.publisher.service.PACKAGE.settings
print(sorted({heavy!r} & set(sys.modules)))"""
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("module", ["_runtime", "_runtime.leaves", "_runtime.soap_tables"])
def test_package_of_version_0_1_error_says_to_generate_again(module: str) -> None:
    with pytest.raises(ImportError, match=r"an earlier version of soapclient\. Generate the package again"):
        import_module(f"zxws.{module}")
