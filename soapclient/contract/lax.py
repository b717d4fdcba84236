"""xmlschema's reading of schemas: slower than libxml2's by far, but it explains, and takes what is not quite
right with what it is about (`validation="lax"`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lxml import etree

from soapclient.contract import patterns
from soapclient.contract.alone import standing_alone

if TYPE_CHECKING:
    import xmlschema

_XSI_TYPE: Final = "{http://www.w3.org/2001/XMLSchema-instance}type"
# What xmlschema raises beside its own exceptions.
_FAILURES: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)


def compiled(sources: Sequence[bytes], too_much: patterns.TooMuch) -> xmlschema.XMLSchema | None:
    """The schemas as one; None where even so nothing can be made of them. Nothing is ever fetched."""
    import logging

    import xmlschema

    first, *others = [
        etree.tostring(etree.fromstring(standing_alone(source)), encoding="unicode") for source in sources
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = xmlschema.XMLSchema(
                first, validation="lax", build=False, allow="none", loglevel=logging.CRITICAL
            )
            for other in others:
                made.add_schema(other)
            made.build()
            patterns.bound(made, too_much)
    except (xmlschema.XMLSchemaException, *_FAILURES):
        return None
    return made


class Unable(Exception):
    """xmlschema came to no end with a message."""


def first_error(
    schema: xmlschema.XMLSchema, message: etree._Element, *, values_only: bool = False
) -> xmlschema.XMLSchemaValidationError | None:
    """The first thing that is wrong with a message; None where nothing is.

    `values_only`: what stands where it may not, or is missing, does not count. Where a schema leaves two ways
    to read an element, which XSD forbids, xmlschema may take the wrong one. Raises Unable where xmlschema
    raises what it should tell, as it does of an `xsi:type` that names no type.
    """
    import xmlschema
    from xmlschema.validators import XMLSchemaChildrenValidationError

    # It takes lxml's elements, though its hints do not say so.
    errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = schema.iter_errors
    try:
        for error in errors(message):
            if not (values_only and isinstance(error, XMLSchemaChildrenValidationError)):
                return error
    except (*_FAILURES, xmlschema.XMLSchemaException) as failure:
        raise Unable(str(failure)) from None
    return None


def undeclared_type(schema: xmlschema.XMLSchema, message: etree._Element) -> etree._Element | None:
    """The first element whose `xsi:type` names no type of the schema."""
    for node in message.iter("*"):
        said = node.get(_XSI_TYPE)
        if said is not None:
            prefix, _, local = said.strip().rpartition(":")
            space = node.nsmap.get(prefix or None)
            if (f"{{{space}}}{local}" if space else local) not in schema.maps.types:
                return node
    return None
