"""The values of a request's element, as a form keeps them."""

from __future__ import annotations

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.testing.examples import Examples


class Taking:
    """Puts the values of elements where a form has them: by the paths that `forms` describes."""

    def __init__(self, examples: Examples, found: dict[str, str]) -> None:
        self._examples = examples
        self._codec = examples.codec
        self._found = found

    def take(self, node: etree._Element, name: str, path: str) -> None:
        """The values of an element of a type."""
        self._fields(node, list(node.iterchildren("*")), name, path)

    def _fields(self, node: etree._Element, children: list[etree._Element], name: str, path: str) -> None:
        fields = self._codec.fields(name)
        present: dict[str, bool] = {}
        for each in fields:
            here = f"{path}.{each.python}" if path else each.python
            present[each.python] = self._field(node, children, each, here)
        if self._examples.takes_one(name):
            at = next((at for at, each in enumerate(fields) if present[each.python]), 0)
            self._choose(f"arm:{path}", at)
            return
        arms = self._codec.arms(name)
        for each in fields:
            for choice, arm in each.arms if present[each.python] else ():
                self._choose(f"arm:{path}{choice}", list(arms[choice]).index(arm))

    def _choose(self, key: str, arm: int) -> None:
        self._found[key] = self._found[f"was:{key}"] = str(arm)

    def _field(self, node: etree._Element, children: list[etree._Element], field: Field, path: str) -> bool:
        """Take the values of a field; whether there are any."""
        if field.kind == "attribute":
            value = node.get(field.tag)
            if value is not None:
                self._found[f"v:{path}"] = value
            return value is not None
        if field.kind == "text":
            self._found[f"v:{path}"] = node.text or ""
            return True
        if field.kind == "content":
            self._found[f"v:{path}"] = _inner(node)
            return True
        if field.kind == "group":
            return self._group(node, children, field, path)
        if field.kind != "element":
            return False
        nodes = [child for child in children if child.tag == field.tag]
        if field.item:
            nodes = [item for child in nodes for item in child.iterchildren("*")]
        if field.repeats or field.item:
            self._found[f"n:{path}"] = str(len(nodes))
            for at, child in enumerate(nodes):
                self._one(child, field, f"{path}.{at}")
        elif nodes:
            self._one(nodes[0], field, path)
        return bool(nodes)

    def _group(self, node: etree._Element, children: list[etree._Element], field: Field, path: str) -> bool:
        tags = {each.tag for each in self._codec.fields(field.holds)}
        inside = [child for child in children if child.tag in tags]
        if not inside:
            return False
        if field.repeats:
            # Of what recurs one occurrence is shown.
            self._found[f"n:{path}"] = "1"
            path = f"{path}.0"
        self._found[f"on:{path}"] = "1"
        self._fields(node, inside, field.holds, path)
        return True

    def _one(self, node: etree._Element, field: Field, path: str) -> None:
        if node.get(NIL_ATTRIBUTE) in ("true", "1"):
            self._found[f"nil:{path}"] = "1"
            self._found[f"on:{path}"] = "1"
        elif field.holds:
            self._found[f"on:{path}"] = "1"
            kind = field.holds
            said = node.get(XSI_TYPE)
            if said is not None:
                prefix, _, local = said.rpartition(":")
                tag = f"{{{node.nsmap.get(prefix or None, '')}}}{local}"
                names = {self._codec.xml_name(each): each for each in self._codec.standing_for(field.holds)}
                kind = names.get(tag, kind)
                self._found[f"type:{path}"] = kind
            self.take(node, kind, path)
        elif field.leaf is None:
            self._found[f"v:{path}"] = _inner(node)
        else:
            self._found[f"v:{path}"] = node.text or ""


def _inner(node: etree._Element) -> str:
    """What stands in an element, as a text."""
    return (node.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in node)
