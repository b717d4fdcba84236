"""Instances of a contract's messages, generated from its schema with xmlschema and hypothesis.

This uses neither bindgen nor generated code: the bindings must accept every instance.
"""

from __future__ import annotations

import base64
import datetime as dt
import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import xmlschema
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from lxml import etree
from xmlschema.validators import XsdAnyElement, XsdElement, XsdGroup

from bindgen import init

CORPUS = Path(__file__).parent / "contracts"
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"

# Neither xmlschema's components nor hypothesis' `draw` have useful types.
Draw = Callable[[Any], Any]
Maps = Any


def contracts() -> list[Path]:
    """The root documents of the corpus."""
    return sorted(path for path in CORPUS.rglob("*.wsdl") if path.parent in (CORPUS, CORPUS / path.stem))


ROOTS = contracts()
Packages = Callable[[Path], init.GeneratedPackage]
for_each_contract = pytest.mark.parametrize("path", ROOTS, ids=lambda path: path.stem)


def examples(number: int) -> settings:
    """Settings for the same few examples in each run."""
    return settings(
        max_examples=number,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


@dataclass(frozen=True)
class Message:
    """A request or response: its class, its element, and the functions that read and write it."""

    operation: str
    way: str
    type: Any
    tag: str
    read: Callable[..., Any]
    write: Callable[..., None]


def messages(package: str) -> Iterator[Message]:
    """Yield the messages of a package. Attributes of SOAP encoding are not part of the contract's types."""
    for each in importlib.import_module(f"{package}.service").PACKAGE.operations.values():
        if not each.encoded:
            functions = each.read_request, each.write_request
            yield Message(each.name, "input", each.request_type, each.request_tag, *functions)
            if not each.one_way:
                functions = each.read_response, each.write_response
                yield Message(each.name, "output", each.response_type, each.response_tag, *functions)


@functools.cache
def load(path: Path) -> Maps:
    """Read all schemas that a WSDL contains or references with xmlschema. Return the global components."""
    main = None
    beside = path.parent.glob("*.wsdl") if path.parent != CORPUS else ()
    for wsdl in [path, *sorted(set(beside) - {path})]:
        root = etree.parse(wsdl).getroot()
        for node in root.iter(f"{XSD}schema"):
            source = etree.tostring(node).decode()
            more: dict[str, Any] = {} if main is None else {"global_maps": main.maps}
            base = f"{wsdl.parent.as_uri()}/"
            loaded = xmlschema.XMLSchema10(source, base_url=base, build=False, allow="local", **more)
            main = main or loaded
    assert main is not None
    main.maps.build()
    return main.maps


# ---- values

_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn"]), max_size=12)
_NAME = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True)
_ZONE = st.sampled_from(["", "Z", "+02:00", "-05:30"])
_YEAR, _DAY, _MONTH = st.integers(1000, 9000), st.integers(1, 28), st.integers(1, 12)


def _bounded(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map(str)


_DECIMAL = st.decimals(-(10**9), 10**9, places=3).map(lambda value: f"{value:f}")
_FLOAT = st.one_of(
    st.integers(-1000, 1000).map(str), st.sampled_from(["INF", "-INF", "0.5", "1.5E3", "-2.25e-2"])
)
_DATES = st.dates(dt.date(1000, 1, 1), dt.date(9000, 1, 1)).map(dt.date.isoformat)
_TIMES = st.times().map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000).isoformat())

VALUES: dict[str, st.SearchStrategy[str]] = {
    "string": _TEXT,
    "normalizedString": _TEXT.map(lambda text: re.sub(r"[\t\n\r]", " ", text)),
    "token": _TEXT.map(lambda text: " ".join(text.split())),
    "language": st.sampled_from(["en", "de-DE", "zh-Hant-TW"]),
    "Name": _NAME,
    "NCName": _NAME,
    "ID": st.uuids().map(lambda value: f"i{value}"),  # unique in a document
    "IDREF": _NAME,
    "ENTITY": _NAME,
    "NMTOKEN": _NAME,
    "QName": _NAME,
    "NOTATION": _NAME,
    "anyURI": st.sampled_from(["", "https://example.invalid/a?b=c&d", "urn:a:b", "../x"]),
    "boolean": st.sampled_from(["true", "false", "1", "0"]),
    "decimal": _DECIMAL,
    "integer": st.integers(-(10**20), 10**20).map(str),
    "nonPositiveInteger": _bounded(-(10**20), 0),
    "negativeInteger": _bounded(-(10**20), -1),
    "nonNegativeInteger": _bounded(0, 10**20),
    "positiveInteger": _bounded(1, 10**20),
    "long": _bounded(-(2**63), 2**63 - 1),
    "int": _bounded(-(2**31), 2**31 - 1),
    "short": _bounded(-(2**15), 2**15 - 1),
    "byte": _bounded(-128, 127),
    "unsignedLong": _bounded(0, 2**64 - 1),
    "unsignedInt": _bounded(0, 2**32 - 1),
    "unsignedShort": _bounded(0, 2**16 - 1),
    "unsignedByte": _bounded(0, 255),
    "float": _FLOAT,
    "double": _FLOAT,
    "duration": st.sampled_from(["P1Y2M", "-P3D", "PT1H30M", "P1DT0.5S", "PT0S"]),
    "dateTime": st.builds(lambda day, time, zone: f"{day}T{time}{zone}", _DATES, _TIMES, _ZONE),
    "date": st.builds(lambda day, zone: f"{day}{zone}", _DATES, _ZONE),
    "time": st.builds(lambda time, zone: f"{time}{zone}", _TIMES, _ZONE),
    "gYearMonth": st.builds(lambda y, m, z: f"{y}-{m:02}{z}", _YEAR, _MONTH, _ZONE),
    "gYear": st.builds(lambda y, z: f"{y}{z}", _YEAR, _ZONE),
    "gMonthDay": st.builds(lambda m, d, z: f"--{m:02}-{d:02}{z}", _MONTH, _DAY, _ZONE),
    "gDay": st.builds(lambda d, z: f"---{d:02}{z}", _DAY, _ZONE),
    "gMonth": st.builds(lambda m, z: f"--{m:02}{z}", _MONTH, _ZONE),
    "hexBinary": st.binary(max_size=6).map(bytes.hex),
    "base64Binary": st.binary(max_size=6).map(lambda raw: base64.b64encode(raw).decode()),
    "anySimpleType": _TEXT,
    "anyAtomicType": _TEXT,
}


def text_of(draw: Draw, kind: Any) -> str:
    """Draw a text of a simple type that satisfies its facets."""
    if kind.name in (f"{XSD}NMTOKENS", f"{XSD}IDREFS", f"{XSD}ENTITIES"):
        return " ".join(draw(st.lists(_NAME, min_size=1, max_size=3)))
    for _ in range(50):
        text = _candidate(draw, kind)
        if _fits(kind, text):
            return text
    pytest.fail(f"no value found for {kind}")


def _fits(kind: Any, text: str) -> bool:
    try:
        return bool(kind.is_valid(text))
    except ArithmeticError:  # a duration too large for Python
        return False


def _candidate(draw: Draw, kind: Any) -> str:
    if kind.enumeration:
        return _plain(draw(st.sampled_from(list(kind.enumeration))))
    if kind.is_union():
        return text_of(draw, draw(st.sampled_from(list(kind.member_types))))
    low: Any = getattr(kind, "min_value", None)
    high: Any = getattr(kind, "max_value", None)
    shortest, longest = kind.min_length or 0, kind.max_length
    if kind.is_list():
        items = draw(st.integers(shortest, max(min(longest or 3, 4), shortest)))
        return " ".join(text_of(draw, _item_type(kind)) for _ in range(items))
    if kind.patterns and kind.patterns is not _built_in(kind).patterns:
        return str(draw(_matching(draw(st.sampled_from([each.pattern for each in kind.patterns.patterns])))))
    name = str(_built_in(kind).name.removeprefix(XSD))
    bounded = low is not None or high is not None
    if name in {"hexBinary", "base64Binary"} and shortest:
        raw = draw(st.binary(min_size=shortest, max_size=longest))
        return str(raw.hex() if name == "hexBinary" else base64.b64encode(raw).decode())
    if name == "decimal":
        return f"{draw(st.integers(-9999, 9999))}.{draw(st.integers(0, 99)):02}"
    if bounded and name == "date":
        return f"20{draw(st.integers(20, 29))}-0{draw(st.integers(1, 9))}-{draw(st.integers(10, 28))}"
    if bounded:  # numbers
        first = int(low if low is not None else high - 100)
        return str(draw(st.integers(first, int(high) if high is not None else first + 100)))
    if longest is not None:
        return str(draw(st.text("abcXYZ019", min_size=shortest, max_size=min(longest, 20))))
    return str(draw(VALUES[name]))


@functools.cache
def _matching(pattern: str) -> st.SearchStrategy[str]:
    """Return ASCII texts for a pattern. libxml2's tables of other characters are older than Python's."""
    return st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True, alphabet=st.characters(codec="ascii"))


def _item_type(kind: Any) -> Any:
    while not hasattr(kind, "item_type"):
        kind = kind.base_type
    return kind.item_type


def _built_in(kind: Any) -> Any:
    while kind.name is None or kind.name.removeprefix(XSD) not in VALUES:
        kind = kind.base_type
    return kind


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- elements


def element(draw: Draw, declared: Any, maps: Maps, depth: int = 0) -> etree._Element:
    """Draw an element for a declaration. A member of its substitution group may replace it."""
    declared = declared.ref or declared
    others = [each for each in _members(declared, maps) if not each.abstract]
    if others and (declared.abstract or draw(st.booleans())):
        declared = draw(st.sampled_from(sorted(others, key=lambda each: str(each.name))))
    node = etree.Element(declared.name)
    if declared.nillable and draw(st.integers(0, 3)) == 0:
        node.set(f"{XSI}nil", "true")
        if declared.type.is_complex():
            attributes(draw, declared.type, node)
        return node
    if declared.fixed is not None:
        node.text = declared.fixed
        return node
    kind = declared.type
    derived = [each for each in _derived(kind, maps) if not each.abstract]
    if derived and (kind.abstract or draw(st.booleans())) and (depth < 4 or kind.abstract):
        kind = draw(st.sampled_from(sorted(derived, key=lambda each: str(each.name))))
        node.set(f"{XSI}type", kind.name)  # the prefix is set when the tree is complete: `_prefixed`
    if kind.name != f"{XSD}anyType" or not declared.substitution_group:
        fill(draw, kind, node, maps, depth)
    # (without a type it has the type of its group's head, which xmlschema does not see)
    return node


def _prefixed(root: etree._Element) -> etree._Element:
    """Return the tree with the types in xsi:type written with the tree's prefixes."""
    for node in root.iter():
        if (name := node.get(f"{XSI}type")) is not None:
            node.set(f"{XSI}type", etree.QName(name))
    return root


def fill(draw: Draw, kind: Any, node: etree._Element, maps: Maps, depth: int) -> None:
    """Add attributes and content of a type."""
    if kind.is_simple():
        node.text = text_of(draw, kind) or None
        return
    if kind.name == f"{XSD}anyType":
        if depth:  # a message without a type is read as its child elements
            node.text = draw(st.sampled_from([None, "text", "1"]))
        return
    attributes(draw, kind, node)
    if kind.has_simple_content():
        node.text = text_of(draw, kind.content) or None
    elif kind.content is not None:
        particles(draw, kind.content, node, maps, depth)
        if kind.mixed and len(node):
            node[0].tail = "between"


def attributes(draw: Draw, kind: Any, node: etree._Element) -> None:
    """Add the attributes of a complex type."""
    for name, declared in kind.attributes.items():
        if name is None:
            if draw(st.booleans()):
                node.set("{urn:elsewhere}extra", "1")
        elif declared.use != "prohibited" and (declared.use == "required" or draw(st.booleans())):
            node.set(name, declared.fixed if declared.fixed is not None else text_of(draw, declared.type))


def particles(draw: Draw, group: Any, node: etree._Element, maps: Maps, depth: int) -> None:
    """Add the elements of a group, within their occurrence limits."""
    for _ in range(_times(draw, group, depth)):
        parts: Iterable[Any] = list(group)
        if group.model == "choice":
            parts = [draw(st.sampled_from(_shallow(list(group), depth)))] if len(group) else []
        for part in parts:
            if isinstance(part, XsdGroup):
                particles(draw, part, node, maps, depth)
                continue
            for _ in range(_times(draw, part, depth)):
                if isinstance(part, XsdElement):
                    node.append(element(draw, part, maps, depth + 1))
                elif isinstance(part, XsdAnyElement):
                    node.append(_foreign(draw, part))


def _shallow(parts: list[Any], depth: int) -> list[Any]:
    """Below a certain depth, keep only branches that end."""
    if depth < 4:
        return parts
    leaves = [part for part in parts if isinstance(part, XsdElement) and part.type.is_simple()]
    return leaves or parts


def _foreign(draw: Draw, wildcard: Any) -> etree._Element:
    spaces = [space for space in wildcard.namespace if space not in ("##any", "##other", "##local")]
    space = spaces[0] if spaces else "urn:elsewhere"
    space = wildcard.target_namespace if space == "##targetNamespace" else space
    node = etree.Element(f"{{{space}}}{draw(_NAME)}")
    node.text = draw(st.sampled_from([None, "text"]))
    if draw(st.booleans()):
        inner = etree.SubElement(node, f"{{{space}}}inner", {"a": "1"})
        inner.tail = "tail"
    return node


def _times(draw: Draw, particle: Any, depth: int) -> int:
    least = particle.min_occurs
    most = least + 2 if particle.max_occurs is None else min(particle.max_occurs, least + 2)
    if depth > 4:
        most = least
    return int(draw(st.integers(least, most)))


def _members(declared: Any, maps: Maps) -> list[Any]:
    """Return the elements that may replace an element, including indirect members."""
    found: list[Any] = []
    todo = [declared.name]
    while todo:
        for each in maps.substitution_groups.get(todo.pop(), ()):
            if each not in found:
                found.append(each)
                todo.append(each.name)
    return found


def _derived(kind: Any, maps: Maps) -> list[Any]:
    """Return the global types derived from a complex type, including indirectly."""
    if kind.is_simple() or kind.name is None or kind.name.startswith(XSD):
        return []
    found = []
    for each in maps.types.values():
        above = each.base_type if not each.is_simple() else None
        while above is not None and not above.is_simple():
            if above is kind:
                found.append(each)
                break
            above = above.base_type if above.base_type is not above else None
    return found


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    """Returns the importable package of a contract. Each is generated once."""
    folder = tmp_path_factory.mktemp("packages")
    made: dict[Path, init.GeneratedPackage] = {}

    def package(path: Path) -> init.GeneratedPackage:
        if path not in made:
            name = f"corpus_{path.stem.replace('-', '_')}"
            made[path] = init.make(name, path, offline=True)
            init.write(folder / name, made[path].files)
            importlib.invalidate_caches()
        return made[path]

    sys.path.insert(0, str(folder))
    yield package
    sys.path.remove(str(folder))


def instances(path: Path, tag: str) -> st.SearchStrategy[etree._Element] | None:
    """Return instances of an element of a contract, or None if its schemas do not declare it (RPC style)."""
    maps = load(path)
    if tag not in maps.elements:
        return None

    @st.composite
    def one(draw: Draw) -> etree._Element:
        return _prefixed(element(draw, maps.elements[tag], maps))

    return one()


def _parts(path: Path, operation: str, way: str) -> list[tuple[str, str, str]]:
    """Return the parts of an operation's message: name, "element" or "type", and that in Clark notation."""
    root = etree.parse(path).getroot()
    names = [
        str(node.get("message")).rpartition(":")[2]
        for owner in root.iter(f"{WSDL}operation")
        if owner.get("name") == operation
        for node in owner.iter(f"{WSDL}{way}")
        if node.get("message")
    ]
    found = []
    for message in root.iter(f"{WSDL}message"):
        for part in message.iter(f"{WSDL}part") if message.get("name") in names else ():
            kind = "element" if part.get("element") else "type"
            prefix, _, local = str(part.get(kind)).rpartition(":")
            found.append((str(part.get("name")), kind, f"{{{part.nsmap[prefix or None]}}}{local}"))
    return found


def wrapped(path: Path, operation: str, way: str, tag: str) -> st.SearchStrategy[etree._Element]:
    """Return instances of a message that no schema declares: parts in `tag` (RPC style) or in the body."""
    maps, parts = load(path), _parts(path, operation, way)

    @st.composite
    def one(draw: Draw) -> etree._Element:
        node = etree.Element(tag or "{http://schemas.xmlsoap.org/soap/envelope/}Body")
        for name, kind, what in parts:
            if kind == "element":
                node.append(element(draw, maps.elements[what], maps, 1))
            else:
                fill(draw, maps.types[what], etree.SubElement(node, name), maps, 1)
        return _prefixed(node)

    return one()


@functools.cache
def compiled_schema(path: Path) -> etree.XMLSchema:
    """Return libxml2's schema of a contract's own documents with imports, compiled without bindgen."""
    sources: dict[str, bytes] = {}
    spaces: dict[str, list[str]] = {}
    beside = path.parent.glob("*.wsdl") if path.parent != CORPUS else ()
    for wsdl in [path, *sorted(set(beside) - {path})]:
        for at, node in enumerate(etree.parse(wsdl).getroot().iter(f"{XSD}schema")):
            copy = etree.fromstring(etree.tostring(node))
            for link in copy.iter(f"{XSD}import", f"{XSD}include"):
                if location := link.get("schemaLocation"):
                    link.set("schemaLocation", (wsdl.parent / location).as_uri())
            name = f"memory:{wsdl.stem}-{at}"
            sources[name] = etree.tostring(copy)
            spaces.setdefault(node.get("targetNamespace", ""), []).append(name)
    top = [f'<x:schema xmlns:x="{XSD[1:-1]}" targetNamespace="memory:top">']
    for number, (space, names) in enumerate(spaces.items()):
        inner = "".join(f'<x:include schemaLocation="{name}"/>' for name in names)
        target = f' targetNamespace="{space}"' if space else ""
        combined = f'<x:schema xmlns:x="{XSD[1:-1]}"{target}>{inner}</x:schema>'
        sources[f"memory:space-{number}"] = combined.encode()
        named = f' namespace="{space}"' if space else ""
        top.append(f'<x:import{named} schemaLocation="memory:space-{number}"/>')
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Memory(sources))
    return etree.XMLSchema(etree.fromstring("".join((*top, "</x:schema>")), parser))


class _Memory(etree.Resolver):
    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Resolve a document in memory. libxml2 reads files itself."""
        found = self._sources.get(str(system_url))
        return None if found is None else self.resolve_string(found, context, base_url=str(system_url))
