"""xmlschema's reading of schemas: slower than libxml2's by far, but it explains, and takes what is not quite
right with what it is about (`validation="lax"`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lxml import etree

from soapclient.contract.alone import standing_alone

if TYPE_CHECKING:
    import xmlschema


def compiled(sources: Sequence[bytes]) -> xmlschema.XMLSchema | None:
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
    except (xmlschema.XMLSchemaException, ValueError, TypeError, LookupError, RecursionError):
        return None
    return made


def first_error(
    schema: xmlschema.XMLSchema, message: etree._Element, *, values_only: bool = False
) -> xmlschema.XMLSchemaValidationError | None:
    """The first thing that is wrong with a message; None where nothing is.

    `values_only`: what stands where it may not, or is missing, does not count. Where a schema leaves two ways
    to read an element, which XSD forbids, xmlschema may take the wrong one.
    """
    from xmlschema.validators import XMLSchemaChildrenValidationError

    # It takes lxml's elements, though its hints do not say so.
    errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = schema.iter_errors
    for error in errors(message):
        if not (values_only and isinstance(error, XMLSchemaChildrenValidationError)):
            return error
    return None
