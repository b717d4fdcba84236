"""The edits that turn code for zeep into code for a generated package."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from soapclient.cli.migration.constructors import Constructors
from soapclient.cli.migration.imports import Imports
from soapclient.cli.migration.packages import FieldName, NamedPackage, snake
from soapclient.cli.migration.source import Source
from soapclient.cli.migration.values import Value, Values, clients_in, wsdl_of
from soapclient.cli.migration.zeep_names import CLIENTS, ERROR_ATTRIBUTES, ERRORS, KEPT, ZeepNames

_ON_CLIENT: Final = {  # methods of zeep's client that `service.soap` has, too
    "set_default_soapheaders": ".soap.set_default_soapheaders",
    "create_message": ".soap.create_message",
}
_SETTINGS: Final = ("raw_response", "extra_http_headers")
_DICT: Final = "pass an object of a class in `{}.types` instead of a dict"
_REQUESTS: Final = (
    "calls do not raise exceptions of requests: use Timeout and ConnectionFailed of soapclient.errors"
)
_UNKNOWN: Final = {
    "wsdl": "a generated package has no `wsdl`: `bindgen docs` writes its reference",
    "transport": "there is no `transport`: pass the options of the connection to connect()",
    "wsse": "pass wsse= to connect()",
    "plugins": "pass plugins= to connect()",
    "namespaces": "not needed: import the classes from the module `types` of the package",
    "set_ns_prefix": "not needed: prefixes of namespaces cannot be chosen",
    "get_ns_prefix": "not needed: prefixes of namespaces cannot be chosen",
    "get_element": "import the class of the element from the module `types` of the package",
    "get_type": "import the class of the type from the module `types` of the package",
}


@dataclass(frozen=True)
class Migration:
    """The converted code.

    `left` are the comments that say what is left to do. `commands` are the command lines that generate the
    packages which the code imports.
    """

    text: str
    left: list[str]
    commands: list[str]


def migrate(text: str, package_for: Callable[[str], NamedPackage]) -> Migration:
    """Convert code that uses zeep. Code without zeep is returned unchanged.

    `package_for` is called with the WSDL as the code names it, or with "" if the code does not name one. It
    returns the package for this WSDL. Raises SyntaxError or ValueError if the code cannot be parsed.
    """
    source = Source(text)
    names = ZeepNames(source.tree)
    if not names:
        return Migration(text, [], [])
    wsdls = dict.fromkeys(wsdl_of(call, source.tree) for call in clients_in(source.tree, names))
    packages = {wsdl: package_for(wsdl) for wsdl in wsdls or {"": None}}
    return _Rewriter(source, names, packages).run()


class _Rewriter:
    """Converts one module that uses zeep. Inner expressions are edited before those that contain them."""

    def __init__(self, source: Source, names: ZeepNames, packages: Mapping[str, NamedPackage]) -> None:
        self._source = source
        self._names = names
        self._packages = packages
        self._values = Values(source, names, dict(packages))
        self._imports = Imports(source, names)
        self._visited: set[ast.AST] = set()
        self._constructors = Constructors(source, names, self._values, self._imports)

    def run(self) -> Migration:
        """Make all edits, and return the result."""
        for call in clients_in(self._source.tree, self._names):  # first: other services have their options
            self._visit(call)
        self._visit(self._source.tree)
        self._constructors.delete_unused()
        self._note_rest()
        used = {item.name: item for item in self._packages.values() if self._imports.uses(item.name)}
        commands = {name: item.command for name, item in used.items()}
        self._imports.write(commands)
        left = self._source.notes
        return Migration(self._source.result(), left, list(commands.values()))

    def _visit(self, node: ast.AST) -> None:
        if node in self._visited:
            return
        self._visited.add(node)
        for child in ast.iter_child_nodes(node):
            self._visit(child)
        if isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, ast.Subscript):
            self._subscript(node)
        elif isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            if self._names.is_of_requests(node.type):
                self._source.note(node, _REQUESTS)
        elif isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            self._take_only(node, node.value)

    # ---- names of zeep

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and (name := self._names.resolve(node)):
            self._zeep_name(node, name)

    def _zeep_name(self, node: ast.Name | ast.Attribute, name: str) -> None:
        """Replace a reference to a name of zeep.

        If the reference is the function of a call, it is replaced together with the call.
        """
        if name in ERRORS:
            self._replace(node, self._imports.add("soapclient.errors", ERRORS[name]))
        elif name == "zeep.xsd.SkipValue":
            self._replace(node, "None")
        elif name == "zeep.xsd.Nil":
            self._replace(node, self._imports.add("soapclient.runtime", "NIL"))
        elif name in CLIENTS and not self._is_called(node):
            package = next(iter(self._packages.values()))
            suffix = "Async" if name == "zeep.AsyncClient" else ""
            self._replace(node, self._imports.add(package.name, package.service_class() + suffix))

    def _is_called(self, node: ast.expr) -> bool:
        parent = next(self._source.parents(node))
        return isinstance(parent, ast.Call) and parent.func is node

    def _replace(self, node: ast.AST, text: str) -> None:
        self._imports.drop(node)
        self._source.replace(node, text)

    # ---- attributes and items

    def _attribute(self, node: ast.Attribute) -> None:
        name = self._names.resolve(node)
        if name:
            self._zeep_name(node, name)
            return
        owner = self._values.of(node.value)
        if owner is None:
            return
        if owner.kind == "client":
            self._of_client(node)
        elif owner.kind == "service" and isinstance(node.ctx, ast.Load):
            self._of_service(node, owner)
        elif owner.kind == "response" and owner.package is not None and not owner.many:
            self._of_response(node, owner, owner.package)
        elif owner.kind == "factory" and owner.package is not None:
            name = owner.package.type_class(node.attr)
            self._constructors.use(node.value)
            self._replace(node, self._imports.add(f"{owner.package.name}.types", name))
        elif owner.kind == "fault" and node.attr in (known := ERROR_ATTRIBUTES.get(owner.name, {})):
            other = known[node.attr]
            if other is not None:
                self._rename(node, f".{other}")
            elif node.attr == "detail":
                self._source.note(node, "`detail` is an object of a class in `types`, not an lxml element")
            else:
                self._source.note(node, f"there is no `{node.attr}` here: use another attribute, or str()")

    def _rename(self, node: ast.Attribute, text: str) -> None:
        """Replace the name of an attribute, and the dot before it, with `text`."""
        self._source.replace_between(self._source.end_of_value(node), self._source.span(node)[1], text)

    def _of_client(self, node: ast.Attribute) -> None:
        if node.attr == "service":
            self._rename(node, ".soap.service" if self._is_raw(node) else "")
        elif node.attr in _ON_CLIENT:
            self._rename(node, _ON_CLIENT[node.attr])
        elif node.attr == "settings":
            if self._is_called(node):
                self._rename(node, ".soap.settings")
                self._check_settings(next(self._source.parents(node)))
            else:
                self._source.note(node, "not needed: delete it, unless it is raw_response")
        elif node.attr in _UNKNOWN and not (
            node.attr in ("get_type", "get_element") and self._values.of(next(self._source.parents(node)))
        ):
            self._source.note(node, _UNKNOWN[node.attr])

    def _check_settings(self, call: ast.AST) -> None:
        assert isinstance(call, ast.Call)
        others = [kw.arg or "**" for kw in call.keywords if kw.arg not in _SETTINGS]
        if others:
            self._source.note(call, f"has no effect here: {', '.join(others)}")

    def _of_service(self, node: ast.Attribute, owner: Value) -> None:
        if node.attr.startswith("_"):
            self._source.note(node, f"there is no `{node.attr}` here: pass address= or port= to connect()")
        elif owner.package is not None and not self._is_raw(node):
            if self._is_called(node):
                self._rename(node, f".{owner.package.operation(node.attr).method}")
            else:
                self._rename(node, f".{owner.package.operation(node.attr).method}")
                self._source.note(node, "the method takes the Python names of the fields")

    def _of_response(self, node: ast.Attribute, owner: Value, package: NamedPackage) -> None:
        field = package.field(owner.name, node.attr)
        if owner.item == node.attr:  # zeep has an object for the wrapper element of a list
            self._rename(node, "")
        elif field.python != node.attr:
            self._rename(node, f".{field.python}")

    def _subscript(self, node: ast.Subscript) -> None:
        key, owner = node.slice, self._values.of(node.value)
        if owner is None or owner.package is None or not isinstance(key, ast.Constant):
            return
        if not isinstance(key.value, str):
            return
        end, stop = self._source.end_of_value(node), self._source.span(node)[1]
        if owner.kind == "service":
            self._source.replace_between(end, stop, f".{owner.package.operation(key.value).method}")
        elif owner.kind == "response":
            python = owner.package.field(owner.name, key.value).python
            self._source.replace_between(end, stop, "" if owner.item == key.value else f".{python}")

    def _is_raw(self, node: ast.AST) -> bool:
        """Return True if `node` is in code for which zeep does not parse the response.

        This code is inside `with client.settings(raw_response=True)`, or is an argument of `create_message`.
        """
        for parent in self._source.parents(node):
            if isinstance(parent, ast.With) and any(
                _asks_for_raw(item.context_expr) for item in parent.items
            ):
                return True
            function = parent.func if isinstance(parent, ast.Call) and node in parent.args else None
            if isinstance(function, ast.Attribute) and function.attr == "create_message":
                return True
        return False

    # ---- calls

    def _call(self, node: ast.Call) -> None:
        name = self._names.resolve(node.func)
        if name:
            self._constructors.call(node, name)
            return
        owner = self._values.of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if owner is not None and owner.kind == "client" and isinstance(node.func, ast.Attribute):
            self._client_method(node, node.func, owner)
            return
        function = self._values.of(node.func)
        if function is None or function.package is None:
            return
        if function.kind == "operation":
            self._operation(node, function.package, function.name)
        elif function.kind == "type":
            self._type(node, function.package, function.name)

    def _client_method(self, node: ast.Call, function: ast.Attribute, owner: Value) -> None:
        if function.attr in ("create_service", "bind"):
            self._constructors.other_service(node, function, owner)
        elif function.attr == "type_factory":
            if not self._constructors.is_assigned(node):
                self._source.note(node, "import the classes from the module `types` of the package")
        elif function.attr in ("get_type", "get_element"):
            value = self._values.of(node)
            if value is not None and value.package is not None:
                self._replace(node, self._imports.add(f"{value.package.name}.types", value.name))
        elif function.attr == "create_message" and owner.package is not None and len(node.args) > 1:
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            self._arguments(node, owner.package, str(name), positional=2)

    def _operation(self, node: ast.Call, package: NamedPackage, name: str) -> None:
        headers = next((kw for kw in node.keywords if kw.arg == "_soapheaders"), None)
        self._arguments(node, package, name)
        if headers is not None:
            self._soap_headers(node, headers, package, name)
        self._take_only(node, node)

    def _take_only(self, node: ast.Call | ast.Await, call: ast.Call) -> None:
        """Append `.NAME` to a call if the response has only one element, which is called NAME.

        zeep returns the value of this element instead of the response. `node` is `call`, or its `await`.
        """
        function, parent = self._values.of(call.func), next(self._source.parents(node))
        if function is None or function.kind != "operation" or function.package is None:
            return
        only = function.package.operation(function.name).only
        if only is None or isinstance(parent, ast.Expr | ast.Await) or self._is_raw(call):
            return
        text = self._source.edited(node)
        if isinstance(node, ast.Await):
            text = f"({text})"
        elif function.is_async:
            self._source.note(node, f"the value is in `{only.python}` of the response")
            return
        self._source.replace(node, f"{text}.{only.python}")

    def _arguments(self, node: ast.Call, package: NamedPackage, name: str, positional: int = 0) -> None:
        """Rename the arguments of a call of the operation `name`, and pass them by name.

        `positional` is the number of arguments at the beginning that are not fields of the request.
        """
        operation = package.operation(name)
        fields = list((operation.fields or {}).values())
        self._by_name(node, node.args[positional:], fields, operation.method, package)
        for keyword in node.keywords:
            if keyword.arg is None:
                self._source.note(node, f"the keys must be the arguments of {operation.method}")
            elif keyword.arg.startswith("_value_") or keyword.arg == "_attr_1":
                self._source.note(node, f"replace {keyword.arg}: see `soapclient describe` for the fields")
            elif keyword.arg != "_soapheaders":
                known = (operation.fields or {}).get(keyword.arg)
                if known is None and operation.fields is not None:
                    self._source.note(node, f"{keyword.arg} is not a field of {name}")
                self._keyword(keyword, known or FieldName(snake(keyword.arg)), package)

    def _by_name(
        self,
        node: ast.Call,
        arguments: Sequence[ast.expr],
        fields: Sequence[FieldName],
        called: str,
        package: NamedPackage,
    ) -> None:
        """Pass the positional arguments of a call by name.

        If one of them has no name, they all stay positional: none can follow an argument with a name.
        """
        if len(arguments) > len(fields) or any(isinstance(item, ast.Starred) for item in arguments):
            self._source.note(node, f"{called} takes arguments by name: write NAME=VALUE")
            return
        for argument, field in zip(arguments, fields, strict=False):
            text = self._converted(argument, field, package)
            self._source.replace(argument, f"{field.python}={text}")

    def _keyword(self, keyword: ast.keyword, field: FieldName, package: NamedPackage) -> None:
        self._source.replace(keyword, f"{field.python}={self._converted(keyword.value, field, package)}")

    def _converted(self, node: ast.expr, field: FieldName, package: NamedPackage) -> str:
        """Return the converted code of `node`, the value that a call passes for `field`.

        A dict in the code becomes a call of the field's class.
        """
        if isinstance(node, ast.List):
            single = FieldName(field.python, field.type)
            for item in node.elts:
                if isinstance(item, ast.Dict | ast.List):
                    self._source.replace(item, self._converted(item, single, package))
            return self._source.edited(node)
        if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.Dict):
            self._source.replace(node.elt, self._converted(node.elt, FieldName("", field.type), package))
            return self._source.edited(node)
        if isinstance(node, ast.Name) and self._is_dict(node):
            self._source.note(node, _DICT.format(package.name))
        if not isinstance(node, ast.Dict):
            return self._source.edited(node)
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        if field.item and keys == [field.item]:  # the wrapper element of a list
            return self._converted(node.values[0], FieldName(field.python, field.type), package)
        if not field.type or not all(isinstance(key, str) for key in keys):
            self._source.note(node, _DICT.format(package.name))
            return self._source.edited(node)
        arguments = []
        for key, value in zip(keys, node.values, strict=True):
            inner = package.field(field.type, str(key))
            arguments.append(f"{inner.python}={self._converted(value, inner, package)}")
        name = self._imports.add(f"{package.name}.types", field.type)
        return f"{name}({', '.join(arguments)})"

    def _is_dict(self, node: ast.Name) -> bool:
        """Return True if the module assigns a dict, or a list with a dict, to the variable `node`."""
        for item in ast.walk(self._source.tree):
            if isinstance(item, ast.Assign) and any(
                ast.unparse(target) == node.id for target in item.targets
            ):
                values = item.value.elts if isinstance(item.value, ast.List) else [item.value]
                if any(isinstance(value, ast.Dict | ast.DictComp) for value in values):
                    return True
        return False

    def _type(self, node: ast.Call, package: NamedPackage, name: str) -> None:
        """Edit the arguments of `node`, a call of the class `name` in the package's module `types`.

        The arguments get the Python names of the fields, and are passed by name.
        """
        fields = package.fields(name)
        if len(node.args) == 1 and not (node.keywords or fields or isinstance(node.args[0], ast.Starred)):
            self._source.replace(node.args[0], f"value={self._source.edited(node.args[0])}")
        else:
            self._by_name(node, node.args, fields, name, package)
        for keyword in node.keywords:
            if keyword.arg is not None:
                self._keyword(keyword, package.field(name, keyword.arg), package)
            else:
                self._source.note(node, f"the keys must be the fields of {name}")

    def _soap_headers(self, node: ast.Call, keyword: ast.keyword, package: NamedPackage, name: str) -> None:
        """Replace the argument `_soapheaders`.

        If the value is a dict of headers that the WSDL declares, they become arguments of the method. Any
        other dict gets a comment. A value that is not a dict is passed with `with_options(soapheaders=…)`.
        """
        value, headers = keyword.value, package.operation(name).headers
        if isinstance(value, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in value.keys]
            if headers and all(key in headers for key in keys):
                arguments = []
                for key, item in zip(keys, value.values, strict=True):
                    header = headers[str(key)]
                    text = self._converted(item, header, package)
                    if package.is_text(header.type) and self._values.of(item) is None:
                        text = f"{self._imports.add(f'{package.name}.types', header.type)}(value={text})"
                    arguments.append(f"{header.python}={text}")
                self._source.replace(keyword, ", ".join(arguments))
                return
            self._source.note(node, "pass each declared header as NAME_header=…, not in _soapheaders")
            return
        assert isinstance(node.func, ast.Attribute | ast.Subscript)
        self._source.replace(keyword, "")
        start, end = self._source.span(keyword)
        before = self._source.text.rfind(",", self._source.span(node.func)[1], start)
        if before >= 0 and self._source.text[before + 1 : start].isspace():
            self._source.replace_between(before, end, "")
        position = self._source.end_of_value(node.func)
        options = f".with_options(soapheaders={self._source.edited(value)})"
        self._source.replace_between(position, position, options)

    # ---- the rest

    def _note_rest(self) -> None:
        """Put comments above the names of zeep that are left because there is no replacement for them."""
        for text in self._imports.quoted():
            self._source.note(text, "an annotation in quotes is not converted")
        for node in self._imports.left():
            full: ast.expr = node
            for parent in self._source.parents(node):
                if not isinstance(parent, ast.Attribute):
                    break
                full = parent
            name = self._names.resolve(full)
            if not any(name == kept or (kept.endswith(".") and name.startswith(kept)) for kept in KEPT):
                self._source.note(node, f"no replacement is known for {name}")


def _asks_for_raw(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "settings"
        and any(keyword.arg == "raw_response" for keyword in node.keywords)
    )
