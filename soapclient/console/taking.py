"""Convert a request element to the values of a form."""

from __future__ import annotations

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.testing.examples import Examples


class Taking:
    """Fills `values` from elements. The keys are the paths that `forms` describes."""

    def __init__(self, examples: Examples, values: dict[str, str]) -> None:
        self._examples = examples
        self._codec = examples.codec
        self._values = values

    def take(self, node: etree._Element, name: str, path: str) -> None:
        """Add the values of an element of a type."""
        self._fields(node, list(node.iterchildren("*")), name, path)

    def _fields(self, node: etree._Element, children: list[etree._Element], name: str, path: str) -> None:
        fields = self._codec.fields(name)
        present: dict[str, bool] = {}
        for field in fields:
            field_path = f"{path}.{field.python}" if path else field.python
            present[field.python] = self._field(node, children, field, field_path)
        if self._examples.takes_one(name):
            number = next((index for index, field in enumerate(fields) if present[field.python]), 0)
            self._choose(f"arm:{path}", number)
            return
        branches = self._codec.arms(name)
        for field in fields:
            for choice, branch in field.arms if present[field.python] else ():
                self._choose(f"arm:{path}{choice}", list(branches[choice]).index(branch))

    def _choose(self, key: str, branch: int) -> None:
        self._values[key] = self._values[f"was:{key}"] = str(branch)

    def _field(self, node: etree._Element, children: list[etree._Element], field: Field, path: str) -> bool:
        """Add the values of a field. Return False if there are no elements of it."""
        if field.kind == "attribute":
            value = node.get(field.tag)
            if value is not None:
                self._values[f"v:{path}"] = value
            return value is not None
        if field.kind == "text":
            self._values[f"v:{path}"] = node.text or ""
            return True
        if field.kind == "content":
            self._values[f"v:{path}"] = _inner(node)
            return True
        if field.kind == "group":
            return self._group(node, children, field, path)
        if field.kind != "element":
            return False
        nodes = [child for child in children if child.tag == field.tag]
        if field.item:
            nodes = [item for child in nodes for item in child.iterchildren("*")]
        if field.repeats or field.item:
            self._values[f"n:{path}"] = str(len(nodes))
            for index, child in enumerate(nodes):
                self._element(child, field, f"{path}.{index}")
        elif nodes:
            self._element(nodes[0], field, path)
        return bool(nodes)

    def _group(self, node: etree._Element, children: list[etree._Element], field: Field, path: str) -> bool:
        tags = {item.tag for item in self._codec.fields(field.holds)}
        inside = [child for child in children if child.tag in tags]
        if not inside:
            return False
        if field.repeats:
            # Only one occurrence of a repeated group is shown.
            self._values[f"n:{path}"] = "1"
            path = f"{path}.0"
        self._values[f"on:{path}"] = "1"
        self._fields(node, inside, field.holds, path)
        return True

    def _element(self, node: etree._Element, field: Field, path: str) -> None:
        """Add the value of an element of a field."""
        if node.get(NIL_ATTRIBUTE) in ("true", "1"):
            self._values[f"nil:{path}"] = "1"
            self._values[f"on:{path}"] = "1"
        elif field.holds:
            self._values[f"on:{path}"] = "1"
            kind = field.holds
            xsi_type = node.get(XSI_TYPE)
            if xsi_type is not None:
                prefix, _, local = xsi_type.rpartition(":")
                tag = f"{{{node.nsmap.get(prefix or None, '')}}}{local}"
                names = {
                    self._codec.xml_name(type_name): type_name
                    for type_name in self._codec.standing_for(field.holds)
                }
                kind = names.get(tag, kind)
                self._values[f"type:{path}"] = kind
            self.take(node, kind, path)
        elif field.leaf is None:
            self._values[f"v:{path}"] = _inner(node)
        else:
            self._values[f"v:{path}"] = node.text or ""


def _inner(node: etree._Element) -> str:
    """Return the content of an element as text."""
    return (node.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in node)
