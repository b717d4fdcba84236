"""WSDLs and schemas for `bindgen init` and `bindgen diff` that are hard for schema compilers."""

# ruff: noqa: E501 - values, many a line

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from lxml import etree

from bindgen import init
from bindgen.cli.common import FAILURES
from bindgen.diff import reports, sources
from bindgen.diff.check import check
from bindgen.init import InitError
from soapclient.runtime.package import parse_schema

from .mutation import OCCURRENCES, PATTERNS
from .target import Seed, Target, Wrong, words_of
from .xml_mutation import Change, mutated, named, parsed

_CORPUS: Final = Path(__file__).parents[2] / "corpus" / "contracts"
_XSD: Final = "http://www.w3.org/2001/XMLSchema"
_WSDL: Final = "http://schemas.xmlsoap.org/wsdl/"
_FACETS: Final = (
    *("pattern", "pattern", "pattern", "enumeration", "length", "minLength", "maxLength", "minInclusive"),
    *("maxExclusive", "totalDigits", "fractionDigits", "whiteSpace"),
)
_BUILT_IN: Final = (
    "string", "int", "decimal", "dateTime", "anyType", "anySimpleType", "ID", "QName", "NOTATION",
    "base64Binary", "duration", "gYear", "NMTOKENS", "boolean", "anyURI", "nope", "integer", "unsignedByte",
)  # fmt: skip
_NAMED: Final = (
    "name", "type", "ref", "base", "element", "message", "binding", "itemType", "memberTypes",
    "substitutionGroup",
)  # fmt: skip


def _of_schema(root: etree._Element, random: Random) -> etree._Element:
    found = list(root.iter(f"{{{_XSD}}}*"))
    return random.choice(found) if found else root


def _occurs(root: etree._Element, node: etree._Element, random: Random) -> None:
    holders = list(
        root.iter(*(f"{{{_XSD}}}{name}" for name in ("element", "sequence", "choice", "any", "group", "all")))
    )
    if holders:
        holder = random.choice(holders)
        for name in random.choice((("minOccurs",), ("maxOccurs",), ("minOccurs", "maxOccurs"))):
            holder.set(name, random.choice(OCCURRENCES))


def _facet(root: etree._Element, node: etree._Element, random: Random) -> None:
    simple = list(root.iterfind(f".//{{{_XSD}}}simpleType/{{{_XSD}}}restriction"))
    if not simple:
        schema = next(root.iter(f"{{{_XSD}}}schema"), root)
        kind = etree.SubElement(schema, f"{{{_XSD}}}simpleType", name="made")
        simple = [etree.SubElement(kind, f"{{{_XSD}}}restriction", base=_type(root, random))]
    name = random.choice(_FACETS)
    said = random.choice(PATTERNS) if name == "pattern" else named(random.choice(OCCURRENCES), random)
    try:
        etree.SubElement(random.choice(simple), f"{{{_XSD}}}{name}", value=said)
    except ValueError:  # characters that an attribute cannot hold
        return


def _type(root: etree._Element, random: Random) -> str:
    """Return the name of a type, with a prefix that is bound to XSD somewhere."""
    schema = next(root.iter(f"{{{_XSD}}}schema"), root)
    prefix = next((each for each, space in schema.nsmap.items() if space == _XSD and each), "")
    local = random.choice(_BUILT_IN)
    return f"{prefix}:{local}" if prefix else local


def _reference(root: etree._Element, node: etree._Element, random: Random) -> None:
    """Replace a name with one that is already taken, or with an undefined one."""
    nodes = [each for each in root.iter("*") if set(map(str, each.attrib)) & set(_NAMED)]
    if not nodes:
        return
    one, other = random.choice(nodes), random.choice(nodes)
    attribute = random.choice([name for name in _NAMED if one.get(name) is not None])
    values = [str(other.get(name)) for name in _NAMED if other.get(name) is not None]
    one.set(attribute, random.choice((*values, _type(root, random), named(values[0], random))))


def _multiplied(root: etree._Element, node: etree._Element, random: Random) -> None:
    """Add nested groups that double in size with each step, or a chain of derived types."""
    schema = next(root.iter(f"{{{_XSD}}}schema"), None)
    if schema is None:
        return
    steps, times = random.choice(((4, 8), (8, 3), (12, 2), (20, 2), (30, 2), (300, 1), (2, 300), (3, 60)))
    space = schema.get("targetNamespace")
    prefix = next((each for each, known in schema.nsmap.items() if known == space and each), None)
    way = random.randrange(3)
    for step in range(steps):
        refers = f"{prefix}:m{step - 1}" if prefix else f"m{step - 1}"
        if way == 2 and step:
            kind = etree.SubElement(schema, f"{{{_XSD}}}complexType", name=f"m{step}")
            content = etree.SubElement(kind, f"{{{_XSD}}}complexContent")
            holder = etree.SubElement(content, f"{{{_XSD}}}extension", base=refers)
        elif way == 2:
            holder = etree.SubElement(schema, f"{{{_XSD}}}complexType", name="m0")
        else:
            holder = etree.SubElement(schema, f"{{{_XSD}}}group", name=f"m{step}")
        model = etree.SubElement(holder, f"{{{_XSD}}}{random.choice(('sequence', 'choice'))}")
        for at in range(times):
            if step and way != 2:
                particle = etree.SubElement(model, f"{{{_XSD}}}group", ref=refers)
            else:
                particle = etree.SubElement(
                    model, f"{{{_XSD}}}element", name=f"e{step}x{at}", type=_type(root, random)
                )
            if way or random.random() < 0.3:
                particle.set("minOccurs", "0")
                particle.set("maxOccurs", random.choice(("1", "unbounded", "50")))
    kind = etree.SubElement(schema, f"{{{_XSD}}}complexType", name="multiplied")
    refers = f"{prefix}:m{steps - 1}" if prefix else f"m{steps - 1}"
    if way != 2:
        etree.SubElement(etree.SubElement(kind, f"{{{_XSD}}}sequence"), f"{{{_XSD}}}group", ref=refers)
    if random.random() < 0.6 and (used := prefix) is not None:
        elements = [each for each in root.iter(f"{{{_XSD}}}element") if each.get("type")]
        if elements:
            random.choice(elements).set("type", f"{used}:multiplied" if way != 2 else refers)


def _located(root: etree._Element, node: etree._Element, random: Random) -> None:
    """Add an import of another document, or of the document itself."""
    schema = next(root.iter(f"{{{_XSD}}}schema"), root)
    kind = random.choice(("import", "include", "redefine"))
    where = random.choice(
        ("", "alls.wsdl", "../contracts/alls.wsdl", "../../../etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x.xsd",
         "x.xsd", "a%00b.xsd", "\u00a0", "http://[::1", "fuzzed.wsdl", "split/split.wsdl", "x" * 5000 + ".xsd")
    )  # fmt: skip
    link = etree.Element(f"{{{_XSD}}}{kind}", schemaLocation=where)
    if random.random() < 0.5:
        link.set("namespace", random.choice(("urn:x", "", _XSD, _WSDL, schema.get("targetNamespace") or "")))
    schema.insert(0, link)


def _component(root: etree._Element, node: etree._Element, random: Random) -> None:
    """Add a schema component inside another one."""
    holder = _of_schema(root, random)
    name = random.choice(
        ("sequence", "choice", "all", "any", "element", "attribute", "anyAttribute", "complexType", "simpleType", "key",
         "simpleContent", "complexContent", "extension", "restriction", "list", "union", "annotation", "notation", "unique")
    )  # fmt: skip
    child = etree.Element(f"{{{_XSD}}}{name}")
    types = _type(root, random), _type(root, random)
    for attribute, said in ("name", "made"), ("type", types[0]), ("base", types[1]), ("mixed", "true"):
        if random.random() < 0.4:
            child.set(attribute, said)
    holder.insert(random.randrange(len(holder) + 1), child)


def _flag(root: etree._Element, node: etree._Element, random: Random) -> None:
    name, said = random.choice(_FLAGS)
    _of_schema(root, random).set(name, said)


_FLAGS: Final = (
    ("nillable", "true"), ("abstract", "true"), ("mixed", "true"), ("fixed", "1"), ("default", "x"),
    ("use", "prohibited"), ("use", "required"), ("form", "qualified"), ("elementFormDefault", "qualified"),
    ("targetNamespace", ""), ("final", "#all"), ("block", "restriction"), ("processContents", "skip"),
    ("namespace", "##other ##any"), ("id", "1"), ("targetNamespace", "urn:x"), ("blockDefault", "#all"),
    ("version", "x"), ("nillable", "maybe"), ("fixed", ""),
)  # fmt: skip
_CHANGES: Final[tuple[Change, ...]] = (
    _occurs, _occurs, _facet, _facet, _reference, _reference, _reference, _component, _component, _flag,
    _flag, _located, _multiplied,
)  # fmt: skip


class _Contracts:
    """The contracts of the corpus, each in the folder of its own documents."""

    def __init__(self, folder: Path) -> None:
        self._home = folder / "contracts"
        shutil.copytree(_CORPUS, self._home)
        self._roots = {
            path.stem: path
            for path in sorted(self._home.rglob("*.wsdl"))
            if path.parent in (self._home, self._home / path.stem)
        }
        self.seeds = tuple(Seed(name, path.read_bytes()) for name, path in self._roots.items())

    def mutated(self, seed: Seed, random: Random) -> bytes:
        return mutated(parsed(seed.content), random, _CHANGES)

    def _written(self, seed: Seed, content: bytes) -> Path:
        path = self._roots[seed.name].with_name("fuzzed.wsdl")
        path.write_bytes(content)
        return path


class _Init(_Contracts):
    """Generate a package, or reject the contract. The package must be valid Python with readable tables."""

    def run(self, seed: Seed, content: bytes) -> bool:
        path = self._written(seed, content)
        try:
            made = init.make("fuzzed", path, offline=True)
        except (*FAILURES, InitError) as error:
            words_of(error)
            return False
        finally:
            path.unlink()
        for name, file in made.files.items():
            if name.endswith(".py"):
                compile(file, name, "exec")
        parse_schema("fuzzed", made.files["schema.json"])
        for problem in made.problems:
            assert str(problem).strip()
        return True


class _Diff(_Contracts):
    """Compare a contract with a changed one, in both directions, and render the report in every format."""

    def run(self, seed: Seed, content: bytes) -> bool:
        sides = (("old", seed.content), ("new", content))
        one, other = (sources.of_bytes("", name, document) for name, document in sides)
        report = check(lambda: one, lambda: other, shown=("old", "new"))
        back = check(lambda: other, lambda: one, shown=("new", "old"))
        for form in reports.FORMATS:
            reports.render([report, back], form, "breaking")
        if bool(report.error) != bool(back.error):
            raise Wrong(f"compared one way round alone: {report.error or back.error}")
        changed = [each for each in (*report.findings, *back.findings) if each.rule != "not-checked"]
        if changed and _same(seed.content, content):
            raise Wrong(f"the same document differs from itself: {changed[0]}")
        return not report.error


def _same(one: bytes, other: bytes) -> bool:
    parser = etree.XMLParser(
        remove_comments=True, remove_pis=True, remove_blank_text=True, resolve_entities=False
    )
    try:
        texts = [etree.tostring(etree.fromstring(each, parser), method="c14n") for each in (one, other)]
    except etree.XMLSyntaxError:
        return False
    return texts[0] == texts[1]


TARGETS: Final[Sequence[Target]] = (
    Target("init", 3_000, _Init, seconds=5.0),
    Target("diff", 2_500, _Diff, seconds=10.0),
)
