"""The types that public signatures name, and the classes of errors."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
import sys
import typing
from collections.abc import Collection, Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from types import FunctionType, ModuleType

import soapclient
from soapclient.errors import SoapClientError
from soapclient.runtime.cached_attribute import cached_attribute

# Libraries whose objects users pass or receive. opentelemetry: the providers of `otel.instrument`. lxml:
# elements for WS-Security and mocks. msgspec: the base of generated types. werkzeug: requests and responses
# of a sandbox's `interfere`. cryptography: keys and certificates for WS-Security.
MEANT = {
    "cryptography",
    "zeep",
    "requests",
    "pyarrow",
    "pandas",
    "polars",
    "opentelemetry",
    "lxml",
    "msgspec",
    "werkzeug",
}
_GENERATED = ("advertiser", "data", "publisher")
# Their parameters and methods are called by users, too.
_SPECIAL = {
    "__init__",
    "__new__",
    "__call__",
    "__enter__",
    "__aenter__",
    "__iter__",
    "__aiter__",
    "__await__",
}


@cache
def _for_types_alone(module: str) -> dict[str, tuple[str, str | None]]:
    """Name → (module, name in it) of the imports that only a type checker runs."""
    found: dict[str, tuple[str, str | None]] = {}
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    for block in (node for node in ast.walk(tree) if isinstance(node, ast.If)):
        if ast.unparse(block.test) == "TYPE_CHECKING":
            for node in block.body:
                if isinstance(node, ast.Import):
                    found |= {name.asname or name.name: (name.name, None) for name in node.names}
                elif isinstance(node, ast.ImportFrom):
                    home = "." * node.level + (node.module or "")
                    found |= {name.asname or name.name: (home, name.name) for name in node.names}
                elif isinstance(node, ast.Assign):  # another name for an import
                    found[ast.unparse(node.targets[0])] = found[ast.unparse(node.value)]
    return found


def _attribute(module: ModuleType, name: str) -> object:
    """An attribute of a module, which may be an import for types alone, too."""
    if not hasattr(module, name) and name in _for_types_alone(module.__name__):
        return _resolved(module.__name__, name)
    return getattr(module, name)


def _resolved(module: str, dotted: str) -> object:
    """The object that an annotation in `module` names."""
    first, *rest = dotted.split(".")
    if first in vars(sys.modules[module]):
        value: object = vars(sys.modules[module])[first]
    elif first in _for_types_alone(module):
        home, name = _for_types_alone(module)[first]
        if home.startswith("_typeshed"):  # the standard library's types, which only checkers have
            return object
        holder = importlib.import_module(home, module.rpartition(".")[0])
        value = holder if name is None else _attribute(holder, name)
    else:
        value = getattr(builtins, first)
    for name in rest:
        value = getattr(value, name)
    return value


def _names(node: ast.AST) -> Iterator[str]:
    """The dotted names in an annotation, but for the values of a Literal."""
    if isinstance(node, ast.Attribute | ast.Name):
        yield ast.unparse(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _names(ast.parse(node.value, mode="eval").body)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
        yield ast.unparse(node.value)
    else:
        for below in ast.iter_child_nodes(node):
            if not isinstance(below, ast.expr_context | ast.operator):
                yield from _names(below)


def _named(module: str, annotations: dict[str, object]) -> Iterator[tuple[str, object]]:
    for annotation in annotations.values():
        home, text = module, annotation
        if isinstance(annotation, typing.ForwardRef):  # of a TypedDict, which can inherit from another module
            home, text = annotation.__forward_module__ or module, annotation.__forward_arg__
        if isinstance(text, str):
            for name in _names(ast.parse(text, mode="eval").body):
                yield name, _resolved(home, name)


def _functions(value: object) -> Iterator[FunctionType]:
    """The functions behind a method or property, their overloads included."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, cached_property):
        value = value.func
    elif isinstance(value, cached_attribute):
        value = value._function
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, FunctionType) and value.__code__.co_filename != "<string>":  # not of a dataclass
        yield value
        for overload in typing.get_overloads(value):
            assert isinstance(overload, FunctionType)
            yield overload


def _of_fields(module: str, fields: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The types that fields name. If a field converts its value: the types that it takes and returns."""
    for name, kind in _named(module, fields):
        if isinstance(kind, type) and hasattr(kind, "__set__"):
            for access in (vars(kind)["__get__"], vars(kind)["__set__"]):
                yield from _named(kind.__module__, access.__annotations__)
        else:
            yield name, kind


def _parts(alias: object) -> Iterator[type]:
    """The classes in the value of an alias."""
    for part in typing.get_args(alias):
        kinds = part if isinstance(part, list) else [part]
        for kind in kinds:
            if typing.get_args(kind):
                yield from _parts(kind)
            elif isinstance(kind, type):
                yield kind


def types_named(value: object, *, constructed: bool = True) -> Iterator[tuple[str, str, object]]:
    """(part, name, type) of each type that the annotations of a public function or class name.

    Parts of a class: its fields, public methods and properties, inherited ones included, and its constructor
    if it is `constructed` by users.
    """
    if typing.get_args(value):
        for inner in _parts(value):
            yield "", inner.__qualname__, inner
    if not isinstance(value, type):
        for function in _functions(value):
            for name, kind in _named(function.__module__, function.__annotations__):
                yield "", name, kind
        return
    for kind in value.__mro__:
        if not kind.__module__.startswith("soapclient"):
            continue
        fields = {key: hint for key, hint in vars(kind).get("__annotations__", {}).items() if key[0] != "_"}
        for name, found in _of_fields(kind.__module__, fields):
            yield "fields", name, found
        for part, member in vars(kind).items():
            # A base's method counts if the class has no other.
            special = part in _SPECIAL and getattr(value, part) is getattr(kind, part)
            if part in ("__init__", "__new__") and not constructed:
                continue
            if not part.startswith("_") or special:
                for function in _functions(member):
                    if function.__module__.startswith("soapclient"):
                        for name, found in _named(function.__module__, function.__annotations__):
                            yield part, name, found


def is_meant(kind: object, homes: Collection[str] = ()) -> bool:
    """True for types of the standard library, of libraries that are meant, and of the packages in `homes`."""
    if kind is None or isinstance(kind, typing.TypeVar | typing.ParamSpec) or id(kind) in _others():
        return True
    module = str(getattr(kind, "__module__", ""))
    if isinstance(kind, type):
        package = module.partition(".")[0]
        return package in sys.stdlib_module_names or package in MEANT or _is_in(module, homes)
    return bool(homes)  # an alias, whose value does not say where it is defined


def _is_in(module: str, homes: Collection[str]) -> bool:
    return any(module == home or module.startswith(f"{home}.") for home in homes)


@cache
def _others() -> dict[int, object]:
    """By id: special forms of the standard library, and the types of generated packages, which are public."""
    modules = [typing, *(importlib.import_module(f"zxws.{name}.types") for name in _GENERATED)]
    return {id(value): value for module in modules for value in vars(module).values()}


def error_classes() -> Iterator[type[SoapClientError]]:
    """Yield every error class of the package, from all of its modules."""
    for module in pkgutil.walk_packages(soapclient.__path__, "soapclient."):
        if module.name.endswith(".dask_engine") and find_spec("distributed") is None:
            continue  # without the extra dask
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting = [SoapClientError]
    while waiting:
        kind = waiting.pop()
        if kind.__module__.startswith("soapclient."):
            yield kind
        waiting += kind.__subclasses__()
