"""The constants of a codec in XML: tags, simple types, groups and families of types, each named once."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen import naming
from bindgen.emit import compounds
from bindgen.emit.hints import value
from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.families import of_messages
from bindgen.emit.xml.module import Uses
from bindgen.model import Anything, Contract, Enum, Field, ListOf, Struct, Type, UnionOf, Wildcard
from bindgen.naming import Space
from bindgen.simple_types import TEXTS

# Where contracts.toml does not say that numbers are money, what the schema allows is sent: INF and NaN, too;
# and where it is not known whose the contract is, date-times without a zone.
_LOOSE = {
    "DATE_TIME": "LOCAL_DATE_TIME",
    "EXACT_DOUBLE": "ENDLESS_DOUBLE",
    "EXACT_FLOAT": "ENDLESS_FLOAT",
}


def clark(name: str) -> str:
    """A qualified name as lxml has it: without a namespace it is the name alone."""
    return name.removeprefix("{}")


def namespace(qname: str) -> str:
    """The namespace of a qualified name."""
    return qname.rpartition("}")[0][1:]


class Constants:
    """Gives the name of a constant to whoever asks for what it holds, and writes down all it gave."""

    def __init__(self, contract: Contract, uses: Uses) -> None:
        self.uses = uses
        self._contract = contract
        self._space = Space()
        self._tags: dict[str, str] = {}
        self._leaves: dict[Type, str] = {}
        self._sets: dict[tuple[str, ...], str] = {}
        self._wild: dict[tuple[str, str], str] = {}
        self._turns: dict[int, tuple[str, Struct]] = {}
        self._known: dict[int, tuple[str, Struct]] = {}
        self._families: dict[int, tuple[str, Struct]] = {}
        for compound in contract.compounds:
            self._space.add([compound.constant])
        for struct in of_messages(contract):  # first, so that other modules can know their names
            self.family(struct)

    # ---- names

    def tag(self, tag: str) -> str:
        """An element's qualified name."""
        if tag not in self._tags:
            self._tags[tag] = self._space.claim(f"T_{naming.constant(tag.rpartition('}')[2])}")
        return self._tags[tag]

    def leaf(self, kind: Type) -> str:
        """What reads and writes a simple type."""
        if kind not in self._leaves:
            self._leaves[kind] = self._leaf(kind)
        return self._leaves[kind]

    def _leaf(self, kind: Type) -> str:
        assert not isinstance(kind, Struct | Anything)  # attributes and texts are of simple types only
        if isinstance(kind, ListOf | UnionOf):
            return kind.constant
        if isinstance(kind, Enum):
            return self._space.claim(f"C_{naming.constant(kind.python)}")
        scalar = _LOOSE.get(kind.scalar, kind.scalar)
        return self.uses.of("texts" if scalar in TEXTS else "scalars", scalar)

    def tags(self, tags: tuple[str, ...], called: str) -> str:
        """A set of elements."""
        if tags not in self._sets:
            self._sets[tags] = self._space.claim(f"S_{naming.constant(called)}")
        return self._sets[tags]

    def wild(self, wildcard: Wildcard) -> str:
        """A wildcard."""
        namespaces = wildcard.namespaces.split()
        relative = "##other" in namespaces or "##targetNamespace" in namespaces
        key = (" ".join(namespaces), wildcard.target if relative else "")
        if key not in self._wild:
            self._wild[key] = self._space.claim(f"W_{naming.constant(key[0])}")
        return self._wild[key]

    def turns(self, holder: Struct) -> str:
        """A group that repeats."""
        if id(holder) not in self._turns:
            name = self._space.claim(f"P_{naming.constant(holder.python)}")
            self._turns[id(holder)] = (name, holder)
        return self._turns[id(holder)][0]

    def family(self, struct: Struct) -> str:
        """A type with all that may stand for it."""
        if id(struct) not in self._families:
            name = self._space.claim(f"D_{naming.constant(struct.python)}")
            self._families[id(struct)] = (name, struct)
        return self._families[id(struct)][0]

    # ---- lines

    def above(self, lines: Lines) -> None:
        """What functions use."""
        turns = Lines()
        for name, holder in self._all_turns():
            self._turn(turns, name, holder)
        made = Lines()
        for compound in self._contract.compounds:
            self.uses("list_of" if isinstance(compound, ListOf) else "union_of")
            made(compounds.constant(compound, self.leaf, self.uses("Scalar")))
        lines(*(f"{name} = {literal(clark(tag))}" for tag, name in self._tags.items()))
        for enum in self._contract.enums:
            if enum in self._leaves:
                self.uses.own("types", enum.python)
                choice = self.uses("Choice")
                lines(f"{self._leaves[enum]} = {choice}({enum.python}, collapse=True)")
        lines.extend(made)
        for tags, name in self._sets.items():
            lines(f"{name} = frozenset({{{', '.join(map(self.tag, tags))}}})")
        for (namespaces, target), name in self._wild.items():
            lines(f"{name} = {self.uses('Wild')}({literal(namespaces)}, {literal(target)})")
        lines.extend(turns)

    def below(self, lines: Lines) -> None:
        """What is made of functions."""
        families = Lines()
        for name, struct in self._families.values():
            self._family(families, name, struct)
        if not self._families:
            return
        lines("")
        for name, struct in self._known.values():
            abstract = ", abstract=True" if struct.abstract else ""
            what = f"{literal(clark(struct.qname))}, {struct.python}"
            functions = f"read_{struct.function}, write_{struct.function}"
            lines(f"{name} = {self.uses('Known')}({what}, {functions}{abstract})")
        lines.extend(families)

    def _all_turns(self) -> Iterator[tuple[str, Struct]]:
        """Groups in groups are found as these are written; those come first."""
        done: set[int] = set()
        while todo := [each for key, each in self._turns.items() if key not in done]:
            for name, holder in todo:
                done.add(id(holder))
                yield name, holder

    def _turn(self, lines: Lines, name: str, holder: Struct) -> None:
        steps: dict[str, list[str]] = {}
        wild: list[str] = []
        for at, field in enumerate(holder.fields):
            step = f"{self.uses('Step')}({_step(at, field)})"
            for tag in tags_of(field):
                steps.setdefault(tag, []).append(step)
            for wildcard in wildcards_of(field):
                wild.append(f"({self.wild(wildcard)}, {step})")
        with lines.block(f"{name} = {self.uses('Turns')}(", ")"):
            with lines.block("{", "},"):
                for tag, found in steps.items():
                    several = "".join(f"{step}, " for step in found).strip()
                    lines(f"{self.tag(tag)}: ({several if len(found) == 1 else several.rstrip(',')}),")
            if wild:
                lines(f"[{', '.join(wild)}],")

    def _family(self, lines: Lines, name: str, struct: Struct) -> None:
        members = struct.standing_for()
        for member in members:
            if id(member) not in self._known:
                known = self._space.claim(f"K_{naming.constant(member.python)}")
                self._known[id(member)] = (known, member)
                self.uses.own("types", member.python)
        derived = self.uses("Derived")
        with lines.block(f"{name}: {derived}[{value(struct)}] = {derived}([", "])"):
            for member in members:
                lines(f"{self._known[id(member)][0]},")


def _step(place: int, field: Field) -> str:
    arms = ", ".join(f"({literal(path)}, {arm})" for path, arm in field.choices)
    if not arms:
        return f"{place}, True" if field.repeats else f"{place}"
    return f"{place}, {field.repeats}, ({arms}{',' if len(field.choices) == 1 else ''})"


def tags_of(field: Field) -> Iterator[str]:
    """The elements that a field may be, those of groups in groups, too."""
    if field.kind == "element":
        yield field.tag
    elif field.kind == "group" and isinstance(field.type, Struct):
        for inner in field.type.fields:
            yield from tags_of(inner)


def wildcards_of(field: Field) -> Iterator[Wildcard]:
    """The wildcards that a field is or has among its groups."""
    if field.kind == "any":
        yield field.wildcard or Wildcard()
    elif field.kind == "group" and isinstance(field.type, Struct):
        for inner in field.type.fields:
            yield from wildcards_of(inner)
