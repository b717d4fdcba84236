"""Infer which expressions of a module are clients, services, responses, factories and types of zeep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

from soapclient.cli.migration.packages import FieldName, NamedPackage
from soapclient.cli.migration.source import Source
from soapclient.cli.migration.zeep_names import CLIENTS, TRANSPORTS, ZeepNames

Kind = Literal[
    "client", "service", "operation", "response", "factory", "type", "transport", "settings", "fault", "other"
]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ROUNDS = 6  # of inference: a value may depend on values that are assigned later in the file


@dataclass(frozen=True)
class Value:
    """What is known about the value of an expression, for example that it is a client of zeep.

    `package` is the generated package that replaces the client from which the value comes.

    - `name`: the name of the operation or the exception. For a type or a response, the name of its generated
      class; "" if the class is not known.
    - `many`: the value is a list of responses.
    - `item`: the name of the item element, if the value is the wrapper element of a list.
    - `node`: the call that creates a client, a transport or settings.
    """

    kind: Kind
    package: NamedPackage | None = None
    name: str = ""
    many: bool = False
    node: ast.Call | None = None
    item: str = ""

    @property
    def is_async(self) -> bool:
        """True if the client of this value is for asyncio."""
        return self.node is not None and ast.unparse(self.node.func).endswith("AsyncClient")


class Values:
    """Infers which expressions in a module are objects of zeep, and describes each by a `Value`.

    `packages` maps the WSDLs, as they are written in the code, to their packages. If the WSDL of a client is
    not known, the first package is used.
    """

    def __init__(self, source: Source, names: ZeepNames, packages: dict[str, NamedPackage]) -> None:
        self._source = source
        self._names = names
        self._packages = packages
        self._bound: dict[tuple[ast.AST | None, str], dict[ast.AST, Value]] = {}
        self._makers: dict[str, Value] = {}
        for _ in range(_ROUNDS):
            before = {key: dict(values) for key, values in self._bound.items()}, dict(self._makers)
            for node in ast.walk(source.tree):
                self._bind(node)
            if before == (self._bound, self._makers):
                break

    def of(self, node: ast.AST) -> Value | None:
        """Return the description of an expression's value, or None if the value is not an object of zeep."""
        value = self._value(node)
        return None if value is None or value.kind == "other" else value

    def package_of(self, call: ast.Call) -> NamedPackage:
        """Return the package for the WSDL of the zeep client that `call` creates."""
        return self._packages[wsdl_of(call, self._source.tree)]

    def _value(self, node: ast.AST) -> Value | None:
        if isinstance(node, ast.Await):
            return self._value(node.value)
        if isinstance(node, ast.NamedExpr):
            return self._value(node.value)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Name | ast.Attribute) and (value := self._assigned(node)) is not None:
            return value
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node)
        if isinstance(node, ast.Subscript):
            return self._of_item(node)
        return None

    def _of_call(self, node: ast.Call) -> Value | None:
        name = self._names.resolve(node.func)
        if name in CLIENTS:
            return Value("client", self.package_of(node), node=node)
        if name in TRANSPORTS:
            return Value("transport", node=node)
        if name == "zeep.Settings":
            return Value("settings", node=node)
        if isinstance(node.func, ast.Attribute):
            owner = self._value(node.func.value)
            if owner is not None and owner.kind == "client":
                return self._of_client_method(node, owner, node.func.attr)
        function = self._value(node.func)
        if function is not None and function.kind == "operation" and function.package is not None:
            operation = function.package.operation(function.name)
            if operation.only is not None:
                return _value_of(function.package, operation.only)
            return Value("response", function.package, operation.response)
        if function is not None and function.kind == "type":
            return Value("response", function.package, function.name)
        return self._makers.get(ast.unparse(node.func).removeprefix("self."))

    def _of_client_method(self, node: ast.Call, owner: Value, method: str) -> Value | None:
        if method in ("create_service", "bind"):
            return Value("service", owner.package, node=owner.node)
        if method == "type_factory":
            return Value("factory", owner.package)
        name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if method in ("get_type", "get_element") and isinstance(name, str) and owner.package is not None:
            return Value("type", owner.package, owner.package.type_class(name))
        return None

    def _of_attribute(self, node: ast.Attribute) -> Value | None:
        owner = self._value(node.value)
        if owner is None or owner.package is None:
            return None
        if owner.kind == "client" and node.attr == "service":
            return Value("service", owner.package, node=owner.node)
        if owner.kind == "service" and not node.attr.startswith("_"):
            return Value("operation", owner.package, node.attr, node=owner.node)
        if owner.kind == "factory":
            return Value("type", owner.package, owner.package.type_class(node.attr))
        if owner.kind == "response" and not owner.many:
            return self._of_field(owner, owner.package, node.attr)
        return None

    def _of_field(self, owner: Value, package: NamedPackage, name: str) -> Value:
        if owner.item == name:
            return Value("response", package, owner.name, many=True)
        return _value_of(package, package.field(owner.name, name))

    def _of_item(self, node: ast.Subscript) -> Value | None:
        owner, key = self._value(node.value), node.slice
        if owner is None or owner.package is None:
            return None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            if owner.kind == "service":
                return Value("operation", owner.package, key.value, node=owner.node)
            if owner.kind == "response":
                return self._of_field(owner, owner.package, key.value)
            return None
        return self._item(owner)

    def _item(self, value: Value | None) -> Value | None:
        """Return the `Value` of an item of `value`. Returns None if the kind of `value` is not "response"."""
        if value is None or value.kind != "response":
            return None
        return Value("response", value.package, value.name)

    def _assigned(self, node: ast.Name | ast.Attribute) -> Value | None:
        """Return the value of the variable `node`, from the last assignment before `node`.

        Looks in the scope of `node`, then in the outer scopes. If no assignment precedes `node`, returns the
        value of another assignment. Returns None if no known object of zeep is assigned to the variable.
        """
        text = ast.unparse(node)
        for scope in self._scopes(node):
            values = self._bound.get((scope, text))
            if values:
                outer = set(self._source.parents(node))
                earlier = [
                    (_position(target), value)
                    for target, value in values.items()
                    if _position(target) < _position(node) and not self._is_assigning(target, outer)
                ]
                return max(earlier, key=itemgetter(0))[1] if earlier else next(iter(values.values()))
        return None

    def _is_assigning(self, target: ast.AST, outer: set[ast.AST]) -> bool:
        """Return True if the statement or `:=` expression that assigns to `target` is in `outer`."""
        parent = next(self._source.parents(target))
        return isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr) and parent in outer

    def _scopes(self, node: ast.AST) -> Iterator[ast.AST | None]:
        """Yield the scopes in which the variable `node` may be assigned.

        These are the functions that contain the node, innermost first, and None for the module. For an
        attribute, such as `self.client`, only None is yielded.
        """
        if isinstance(node, ast.Name):
            yield from (parent for parent in self._source.parents(node) if isinstance(parent, _SCOPES))
        yield None

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._store(target, self._value(node.value))
        elif isinstance(node, ast.AnnAssign):
            value = self._value(node.value) if node.value is not None else self._annotated(node.annotation)
            self._store(node.target, value)
        elif isinstance(node, ast.NamedExpr):
            self._store(node.target, self._value(node.value))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._store(node.optional_vars, self._value(node.context_expr))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._store(node.target, self._item(self._value(node.iter)))
        elif isinstance(node, ast.arg) and node.annotation is not None:
            if (value := self._annotated(node.annotation)) is not None:
                self._bound.setdefault((self._function(node), node.arg), {})[node] = value
        elif isinstance(node, ast.Return) and node.value is not None:
            function, value = self._function(node), self._value(node.value)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and value is not None:
                self._makers[function.name] = value
        elif isinstance(node, ast.ExceptHandler) and node.name and node.type is not None:
            name = self._names.resolve(node.type)
            error = Value("fault" if name else "other", name=name)
            self._bound.setdefault((self._function(node), node.name), {})[node] = error

    def _function(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost function that contains a node, or None for the module."""
        return next((parent for parent in self._source.parents(node) if isinstance(parent, _SCOPES)), None)

    def _annotated(self, node: ast.expr) -> Value | None:
        if self._names.resolve(node) in CLIENTS:
            return Value("client", next(iter(self._packages.values())))
        return None

    def _store(self, target: ast.AST, value: Value | None) -> None:
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        key = (next(self._scopes(target)), ast.unparse(target))
        if value is not None or key in self._bound:
            self._bound.setdefault(key, {})[target] = value or Value("other")


def _value_of(package: NamedPackage, field: FieldName) -> Value:
    """Return the `Value` of a field of a response. Its kind is `other` if the field is known to be simple."""
    if package.is_known and not field.type and not field.item:
        return Value("other")
    return Value("response", package, field.type, field.many and not field.item, item=field.item)


def _position(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.expr | ast.ExceptHandler | ast.arg)
    return node.lineno, node.col_offset


def wsdl_of(call: ast.Call, tree: ast.Module) -> str:
    """Return the WSDL that is passed to zeep.Client in `call`; "" if it is not a string in the code.

    A variable counts as a string if the module assigns it once, and the value is a string.
    """
    node = call.args[0] if call.args else next((kw.value for kw in call.keywords if kw.arg == "wsdl"), None)
    if isinstance(node, ast.Name):
        constants = [
            item.value
            for item in ast.walk(tree)
            if isinstance(item, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in item.targets)
        ]
        node = constants[0] if len(constants) == 1 else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def clients_in(tree: ast.Module, names: ZeepNames) -> list[ast.Call]:
    """Return the calls that create a client, in the order of the file."""
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and names.resolve(node.func) in CLIENTS
    ]
    return sorted(calls, key=_position)
