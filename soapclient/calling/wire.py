"""A request of a built-in contract as wire values: its Python types checked, and what a protocol lacks."""

from __future__ import annotations

from lxml import etree

from soapclient.errors import ContractError, UnsupportedByCarrier
from soapclient.runtime import EncodeError, Operation, Wire, Writer
from soapclient.runtime.errors import local_name
from soapclient.runtime.operation import ReplyT, RequestT


def wire_of(
    operation: Operation[RequestT, ReplyT],
    request: RequestT,
    writer: Writer,
    missing: frozenset[str] | None,
    protocol: str,
) -> Wire:
    """The request as wire values.

    `missing` are the elements that the protocol lacks; None: it lacks the operation. Raises ContractError,
    and UnsupportedByCarrier for what is missing.
    """
    if missing is None:
        raise UnsupportedByCarrier(operation.name, protocol)
    try:
        wire = operation.write_request(request, writer, local_name(operation.request_tag))
    except EncodeError as error:
        raise refused(error, operation.name) from None
    for element in wire:
        if element in missing:
            raise UnsupportedByCarrier(f"{operation.name}: the element {element}", protocol)
    return wire


def as_element(wire: Wire, tag: str) -> etree._Element:
    """A wire value as an element: all in the namespace of `tag` (Clark notation), in the wire's order.

    Raises EncodeError, with the path, for a character that XML cannot hold.
    """
    space = tag[1:].partition("}")[0] if tag.startswith("{") else ""
    root = etree.Element(tag, nsmap={None: space} if space else None)
    _fill(root, wire, f"{{{space}}}" if space else "", local_name(tag))
    return root


def refused(error: EncodeError, operation: str) -> ContractError:
    """What could not be written, as the error of a call."""
    return ContractError(error.path, error.value, error.allowed, error.reason, operation=operation)


def unfit(path: str, text: str) -> EncodeError:
    """The error for a text that a document cannot hold."""
    return EncodeError(path, text, "text", "a character that the document cannot hold")


def _fill(element: etree._Element, wire: Wire, space: str, path: str) -> None:
    for name, value in wire.items():
        where = f"{path}/{name}"
        if isinstance(value, str) and (name == "$" or name.startswith("@")):
            try:
                if name == "$":
                    element.text = value
                else:
                    element.set(name[1:], value)
            except ValueError:
                raise unfit(path if name == "$" else where, value) from None
            continue
        several = isinstance(value, list)
        for at, each in enumerate(value if isinstance(value, list) else [value], 1):
            _add(element, f"{space}{name}", each, space, f"{where}[{at}]" if several else where)


def _add(element: etree._Element, tag: str, value: str | Wire, space: str, path: str) -> None:
    child = etree.SubElement(element, tag)
    if not isinstance(value, str):
        _fill(child, value, space, path)
        return
    try:
        child.text = value
    except ValueError:
        raise unfit(path, value) from None
