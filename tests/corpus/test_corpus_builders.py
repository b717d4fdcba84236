"""Build every type of every package of the corpus, minimal and complete. Messages are valid when encoded."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient.runtime.record import Record
from soapclient.testing import builders
from tests.corpus.conftest import Packages, compiled_schema, for_each_contract, messages

pytestmark = pytest.mark.sampled(4)

# With two adjacent wildcards the generated tables only say that any element is allowed.
_UNSAID = {"dataset"}
BUILD: list[Callable[[Any], Any]] = [builders.build, builders.complete]


def _classes(types: ModuleType) -> list[type]:
    own = [kind for kind in vars(types).values() if getattr(kind, "__module__", "") == types.__name__]
    return [kind for kind in own if isinstance(kind, type) and issubclass(kind, StrEnum | Record)]


@pytest.mark.parametrize("build", BUILD, ids=["build", "complete"])
@for_each_contract
def test_every_type_is_built_and_every_message_is_valid(
    path: Path, build: Callable[[Any], Any], packages: Packages
) -> None:
    name = packages(path).contract.name
    for kind in _classes(importlib.import_module(f"{name}.types")):
        made = build(kind)
        assert isinstance(made, kind)
        assert build(kind) == made
    root = etree.fromstring(packages(path).contract.one_file)
    declared = {
        f"{{{schema.get('targetNamespace', '')}}}{node.get('name')}".removeprefix("{}")
        for schema in root.iterfind("{*}types/{*}schema")
        for node in schema.iterfind("{*}element")
    }
    for each in messages(name):
        if each.tag not in declared or (path.stem in _UNSAID and build is builders.complete):
            continue  # RPC style: no schema declares it
        node = etree.Element(each.tag)
        each.write(build(each.type), node, "message")
        sent, schema = etree.fromstring(etree.tostring(node, encoding="UTF-8")), compiled_schema(path)
        assert schema.validate(sent), f"{etree.tostring(sent)!r}: {schema.error_log.last_error}"
