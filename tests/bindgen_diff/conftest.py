"""Small contracts in two states, and the findings of comparing them."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest
from lxml import etree

from bindgen.diff import sources
from bindgen.diff.check import Side, check, compared, side
from bindgen.diff.findings import Finding, Report
from tests.bindgen_diff.mutators import Mutator, Node, W, X, local, one
from tests.support.cases import case_text

# One operation. `{request}` and `{response}` are the bodies of its message types, `{schema}` is other
# declarations.
WSDL = case_text(__file__, "ask.wsdl")


def wsdl(schema: str = "", request: str = "", response: str = "") -> str:
    """Return a complete contract from parts of a schema."""
    return WSDL.format(schema=schema, request=request, response=response)


Change = Callable[[str], str]


def replacing(old: str, new: str) -> Change:
    def changed(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return changed


def with_operation(text: str, message: str = "AskIn") -> str:
    """Add an operation Tell with this message, which may be missing."""
    told = f'<operation name="Tell"><input message="t:{message}"/><output message="t:AskOut"/></operation>'
    bound = """<operation name="Tell"><s:operation soapAction="urn:tell"/>
      <input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>"""
    text = text.replace("  </portType>", f"    {told}\n  </portType>")
    return text.replace("  </binding>", f"    {bound}\n  </binding>")


def compare(old: str, new: str) -> Report:
    """Compare two contracts of one document each."""
    return check(
        lambda: sources.of_bytes("shop", "old.wsdl", old.encode()),
        lambda: sources.of_bytes("shop", "new.wsdl", new.encode()),
        shown=("old.wsdl", "new.wsdl"),
    )


def found(old: str, new: str) -> list[Finding]:
    """Compare two contracts, which must be comparable, and return the findings."""
    report = compare(old, new)
    assert report.error == ""
    return list(report.findings)


# ---- the repository's contracts, changed


REPOSITORY = Path(__file__).parents[2]
FILES = {
    "small": REPOSITORY / "wsdl/data/2011-05-01/data.wsdl",
    "large": REPOSITORY / "wsdl/publisher/2011-03-01/publisher.wsdl",
}
PLACES = {"small": 8, "large": 2}
SEED = os.environ.get("DIFF_SEED", "usual")
ORDER = ("info", "warning", "breaking")
EXIT = {"info": "compatible", "warning": "compatible", "breaking": "breaking"}
MARK = "{urn:mark}made"

# Per change: its level in requests, its level in responses, and the name of the reverse change.
_TABLE = case_text(__file__, "levels.txt")
TABLE = {words[0]: tuple(words[1:3]) for line in _TABLE.split("\n") if (words := line.split())}
WHOLE = {
    "soap-action-changed": "breaking",
    "address-changed": "warning",
    "type-renamed": "info",
    "base-type-changed": "info",
}
BACK = {words[0]: words[3] for line in _TABLE.split("\n") if (words := line.split())}
BACK |= {name: name for name in WHOLE}


class Nowhere(Exception):
    """Raised if the random place is not suitable for this change."""


@dataclass(eq=False)
class Document:
    """A contract as XML, and the types that requests and responses use. Computed here from the XML alone."""

    root: Node
    types: dict[str, Node] = field(default_factory=dict)
    requests: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        schema = self.schema
        kinds = [*schema.iterchildren(f"{X}complexType", f"{X}simpleType")]
        self.types = {each.get("name", ""): each for each in kinds}
        self.requests = self.reached(f"{W}input")
        self.responses = self.reached(f"{W}output", f"{W}fault")

    @property
    def schema(self) -> Node:
        return one(self.root.find(f"{W}types/{X}schema"))

    @property
    def port_type(self) -> Node:
        return one(self.root.find(f"{W}portType"))

    @property
    def binding(self) -> Node:
        return one(self.root.find(f"{W}binding"))

    def reached(self, *ends: str) -> set[str]:
        messages = {local(end.get("message")) for end in self.port_type.iter(*ends)}
        elements = {
            local(part.get("element"))
            for message in self.root.iterchildren(f"{W}message")
            if message.get("name") in messages
            for part in message
        }
        waiting = [
            local(each.get("type"))
            for each in self.schema.iterchildren(f"{X}element")
            if each.get("name") in elements
        ]
        used: set[str] = set()  # by elements; a type derived from one of these can be sent instead (xsi:type)
        while waiting:
            name = waiting.pop()
            if name in used or name not in self.types:
                continue
            used.add(name)
            waiting += [local(node.get("type")) for node in self.types[name].iter() if node.get("type")]
            waiting += [each for each in self.types if self.base(each) == name]
            waiting += [
                local(node.get("type"))
                for above in self.above(name)
                for node in self.types[above].iter()
                if node.get("type")
            ]
        return used | {above for name in used for above in self.above(name)}

    def base(self, name: str) -> str:
        extensions = self.types[name].iter(f"{X}extension")
        return next((local(each.get("base")) for each in extensions), "")

    def above(self, name: str) -> list[str]:
        """Return the base types of a type."""
        base = self.base(name)
        return [base, *self.above(base)] if base in self.types else []

    def level(self, change: str, name: str) -> str:
        """Return the expected level of a change of a type: the more severe one if both directions use it."""
        if change in WHOLE:
            return WHOLE[change]
        request, response = TABLE[change]
        levels = [request] * (name in self.requests) + [response] * (name in self.responses)
        return max(levels, key=ORDER.index)

    def copy(self) -> Document:
        return Document(copy.deepcopy(self.root))

    def document(self) -> bytes:
        return etree.tostring(self.root)


@dataclass
class Chance:
    """Random places in a contract."""

    wsdl: Document
    random: random.Random

    @property
    def _used(self) -> list[tuple[str, Node]]:
        """The types that a message uses, by their names."""
        used = self.wsdl.requests | self.wsdl.responses
        return [(name, node) for name, node in self.wsdl.types.items() if name in used]

    def complex(self, fits: Callable[[Node], bool] = lambda node: True) -> tuple[str, Node]:
        """Return the name of a random complex type that a message uses, and its node."""
        return self._one(
            [(name, node) for name, node in self._used if node.tag == f"{X}complexType" and fits(node)]
        )

    def sequence(self, least: int = 1) -> tuple[str, Node]:
        """Return the name and the sequence of a random complex type with at least `least` elements."""
        name, node = self.complex(lambda each: len(each.findall(f"{X}sequence/{X}element")) >= least)
        return name, one(node.find(f"{X}sequence"))

    def element(self, fits: Callable[[Node], bool] = lambda node: True) -> tuple[str, Node]:
        """Return the name of a random complex type, and an element of its sequence."""
        return self._one(
            [
                (name, node)
                for name, kind in self._used
                for node in kind.iterfind(f"{X}sequence/{X}element")
                if fits(node)
            ]
        )

    def enum(self) -> tuple[str, Node]:
        """Return the name of a random enumeration that a message uses, and its restriction."""
        name, node = self._one([(name, node) for name, node in self._used if node.tag == f"{X}simpleType"])
        return name, one(node.find(f"{X}restriction"))

    def attribute(self) -> tuple[str, Node]:
        """Return the name of a random type that a message uses, and an attribute of it."""
        return self._one([(name, node) for name, kind in self._used for node in kind.iter(f"{X}attribute")])

    def operation(self) -> tuple[str, Node, Node]:
        """Return a random operation: its name, its node in the port type, and its node in the binding."""
        node = self.random.choice(self.wsdl.port_type.findall(f"{W}operation"))
        name = node.get("name", "")
        bound = [each for each in self.wsdl.binding.iterfind(f"{W}operation") if each.get("name") == name]
        return name, node, bound[0]

    def marked(self) -> Node:
        """Return the node that the first of two steps created."""
        return next(node for node in self.wsdl.root.iter() if node.get(MARK))

    def nowhere(self) -> NoReturn:
        """Reject this random place."""
        raise Nowhere

    def _one(self, places: list[tuple[str, Node]]) -> tuple[str, Node]:
        if not places:
            raise Nowhere
        return self.random.choice(places)


class Judge:
    """Creates mutants and compares their findings with the table."""

    def __init__(self) -> None:
        self._originals = {size: _parsed(file.read_bytes()) for size, file in FILES.items()}
        self._read = {id(wsdl): _side(wsdl) for wsdl in self._originals.values()}

    def mutant(self, mutator: Mutator, size: str, number: int) -> None:
        """Create one mutant and compare in both directions. Fails if the contract has no suitable place."""
        made = self._mutated(mutator, size, number)
        if made is None:
            pytest.fail("the contract has no place for it, so nothing was tried")
        old, new, change, place = made
        assert change in mutator.names
        by = new if place in new.types else old
        was, now = self._side(old), self._side(new)
        for one_side, other, what in ((was, now, change), (now, was, BACK[change])):
            level = by.level(what, place)
            found = compared(one_side, other)
            told = {(name_of(each.rule), each.level) for each in found.findings}
            where = f"DIFF_SEED={SEED} {size} {number}: {what} in {place}: {found.error}"
            assert told == {(what, level)}, where
            assert found.verdict == EXIT[level], where

    def changed(self, make: Callable[[Chance], None], size: str, number: int) -> Report | None:
        """Return the report for a changed contract, or None if it has no suitable place."""
        original = self._originals[size]
        chance = Chance(original.copy(), random.Random(f"{SEED}/{size}/{make.__name__}/{number}"))
        try:
            make(chance)
        except Nowhere:
            return None
        document = _tidy(chance.wsdl).document()
        source = sources.of_bytes("mutant", "mutant.wsdl", document)
        return check(lambda: self._side(original).source, lambda: source, shown=("old", "new"))

    def levels(self, size: str, changes: list[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return the expected levels of several changes, given with the changed types."""
        return {(change, self._originals[size].level(change, place)) for change, place in changes}

    def _side(self, wsdl: Document) -> Side:
        return self._read.get(id(wsdl)) or _side(wsdl)

    def _mutated(
        self, mutator: Mutator, size: str, number: int
    ) -> tuple[Document, Document, str, str] | None:
        """Return both sides, the change and its place. Tries other places if the first is not suitable."""
        for attempt in range(20):
            chosen = random.Random(f"{SEED}/{size}/{mutator}/{number}/{attempt}")
            with suppress(Nowhere):
                old = self._originals[size]
                chance = Chance(old.copy(), chosen)
                if mutator.first is not None:
                    _, node = mutator.first(chance)
                    node.set(MARK, "1")
                    old = _tidy(chance.wsdl.copy())
                    chance = Chance(chance.wsdl.copy(), chosen)
                change, place = mutator.make(chance)
                return old, _tidy(chance.wsdl), change, place
        return None


def _parsed(document: bytes) -> Document:
    return Document(etree.fromstring(document, etree.XMLParser(remove_blank_text=True)))


def _side(wsdl: Document) -> Side:
    return side(sources.of_bytes("mutant", "mutant.wsdl", wsdl.document()))


def _tidy(wsdl: Document) -> Document:
    for node in wsdl.root.iter("*"):
        node.attrib.pop(MARK, None)
    etree.cleanup_namespaces(wsdl.root, keep_ns_prefixes=["tns", "xsd", "wsdl", "soap"])
    return wsdl


def name_of(rule: str) -> str:
    return rule.removeprefix("request-").removeprefix("response-")


@pytest.fixture(scope="session")
def judge() -> Judge:
    return Judge()


@pytest.fixture(params=[(size, number) for size, count in PLACES.items() for number in range(count)], ids=str)
def where(request: pytest.FixtureRequest) -> tuple[str, int]:
    """A contract, and the number of a random place in it."""
    found: tuple[str, int] = request.param
    return found
