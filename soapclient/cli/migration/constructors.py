"""Edits of calls that create zeep's objects: clients, transports, settings, and WS-Security."""

from __future__ import annotations

import ast
from itertools import takewhile
from typing import Final

from soapclient.cli.migration.imports import Imports
from soapclient.cli.migration.source import Source
from soapclient.cli.migration.values import Value, Values
from soapclient.cli.migration.zeep_names import CLIENTS, TRANSPORTS, ZeepNames

_SECURITY: Final = "soapclient.security"
_CLIENT: Final = ("wsdl", "wsse", "transport", "service_name", "port_name", "plugins", "settings")
_TRANSPORT: Final = ("cache", "timeout", "operation_timeout", "session")
_TOKEN: Final = ("username", "password", "password_digest", "use_digest")
_SIGNATURE: Final = ("key_file", "certfile", "password", "signature_method", "digest_method")
_SIGNATURES: Final = {"zeep.wsse.Signature": "issuer-serial", "zeep.wsse.BinarySignature": "binary"}
_VERIFY: Final = (
    "zeep verifies responses with this certificate: pass verify=Verify(trust=…) "
    "with the certificate of the service"
)


class Constructors:
    """Edits calls that create objects of zeep, such as clients and transports.

    Deletes the assignments of variables that the edited code does not use any more.
    """

    def __init__(self, source: Source, names: ZeepNames, values: Values, imports: Imports) -> None:
        self._source = source
        self._names = names
        self._values = values
        self._imports = imports
        self._client_options: dict[ast.Call, list[str]] = {}

    def call(self, node: ast.Call, name: str) -> None:
        """Edit a call of a class or function of zeep. `name` is its dotted name, such as `zeep.Client`."""
        if name in CLIENTS:
            self._client(node, name)
        elif name in TRANSPORTS:
            self._transport(node, name)
        elif name == "zeep.helpers.serialize_object":
            self._imports.drop(node.func)
            for argument in node.args[1:]:
                self._imports.drop(argument)
            value = node.args[0] if node.args else node.keywords[0].value if node.keywords else None
            if value is not None:
                function = self._imports.add("soapclient", "to_dict")
                self._source.replace(node, f"{function}({self._source.edited(value)})")
        elif name == "zeep.wsse.Compose":
            self._compose(node)
        elif self._block(node, name) and not self._is_composed(node):
            security = self._imports.add(_SECURITY, "Security")
            self._imports.drop(node.func)
            self._source.replace(node, f"{security}([{self._block(node, name)}])")

    # ---- clients

    def _client(self, node: ast.Call, name: str) -> None:
        package = self._values.package_of(node)
        given = _arguments(node, _CLIENT)
        port, service = _constant(given.get("port_name")), _constant(given.get("service_name"))
        full = f"{service}/{port}" if service and port else port
        class_name = package.service_class(full)
        arguments = [
            self._imports.add(package.name, class_name + ("Async" if name == "zeep.AsyncClient" else ""))
        ]
        if full:
            arguments.append(f'port="{full}"')
        elif "service_name" in given or "port_name" in given:
            self._source.note(node, "pass port=, as `Port` or `Service/Port`, to connect()")
        arguments += self._options(node)
        for starred in [*node.args, *(kw for kw in node.keywords if kw.arg is None)]:
            if isinstance(starred, ast.Starred | ast.keyword):
                self._source.note(node, "pass the other arguments to connect() by name")
        if not package.source:
            self._source.note(node, f"run `bindgen init {package.name} WSDL` with the WSDL of this client")
        if not package.is_known:
            self._source.note(
                node,
                "the WSDL was not read (see --file): check the names. If a response has one element, zeep "
                "returns its value; here it is an attribute of the response",
            )
        function = "connect_async" if name == "zeep.AsyncClient" else "connect"
        self._imports.drop(node.func)
        self._source.replace(
            node, self._source.call(node, self._imports.add("soapclient", function), arguments)
        )

    def _options(self, node: ast.Call) -> list[str]:
        """Return the code of the arguments of `connect` that replace the options of a client.

        `node` is the call that creates the client.
        """
        if node in self._client_options:  # their edits are gone after the call has been replaced
            return self._client_options[node]
        given = _arguments(node, _CLIENT)
        options = self._client_options[node] = []
        for name in ("wsse", "plugins"):
            if name in given:
                options.append(f"{name}={self._source.edited(given[name])}")
        if "transport" in given:
            options += self._transport_options(given["transport"])
        if "settings" in given:
            options += self._settings_options(given["settings"])
        return options

    def _transport_options(self, node: ast.expr) -> list[str]:
        value = self._values.of(node)
        if value is None or value.kind != "transport" or value.node is None:
            return [f"transport={self._source.edited(node)}"]
        given, options = _arguments(value.node, _TRANSPORT), []
        if "session" in given:
            options.append(f"transport={self._source.edited(node)}")
        else:
            self.use(node)
        timeout = given.get("operation_timeout")
        if timeout is not None and not (isinstance(timeout, ast.Constant) and timeout.value is None):
            options.append(f"timeout={self._source.edited(timeout)}")
        return options

    def _transport(self, node: ast.Call, name: str) -> None:
        """Remove the arguments of a zeep transport that have no effect in soapclient."""
        given = _arguments(node, _TRANSPORT)
        for argument in ("cache", "timeout", "operation_timeout"):
            if argument in given:
                self._imports.drop(given[argument])
        others = [kw.arg for kw in node.keywords if kw.arg not in _TRANSPORT]
        if name == "zeep.AsyncTransport" or others:
            self._source.note(node, "pass the options of the connection to connect(), such as verify=")
        elif "session" in given:
            session = f"session={self._source.edited(given['session'])}"
            self._source.replace(node, f"{self._source.edited(node.func)}({session})")

    def _settings_options(self, node: ast.expr) -> list[str]:
        value = self._values.of(node)
        if value is None or value.kind != "settings" or value.node is None:
            return [f"zeep_settings={self._source.edited(node)}"]
        self.use(node)
        given, options = {kw.arg: kw.value for kw in value.node.keywords}, []
        if (headers := given.get("extra_http_headers")) is not None:
            options.append(f"headers={self._source.edited(headers)}")
        if "raw_response" in given:
            message = "use `with client.soap.settings(raw_response=True)` for the calls that need it"
            self._source.note(value.node, message)
        return options

    def other_service(self, node: ast.Call, function: ast.Attribute, owner: Value) -> None:
        """Replace a call of a client's `create_service` or `bind` with a call of `connect`.

        The new call names the port and the address, if they are given. `node` is the old call, `function` the
        method that it calls, and `owner` the client.
        """
        package = owner.package
        assert package is not None
        parameters = (
            ("binding_name", "address")
            if function.attr == "create_service"
            else ("service_name", "port_name")
        )
        given = _arguments(node, parameters)
        first, second = (_constant(given.get(name)) for name in parameters)
        options = []
        if function.attr == "create_service":
            class_name = package.service_class(binding=first)
            if port := package.port_of(first):
                options.append(f'port="{port}"')
            if "address" in given:
                options.append(f"address={self._source.edited(given['address'])}")
        else:
            full = f"{first}/{second}" if first and second else second
            class_name = package.service_class(full)
            if full:
                options.append(f'port="{full}"')
            elif given:
                self._source.note(node, "pass port=, as `Port` or `Service/Port`, to connect()")
        if owner.node is not None:
            options += self._options(owner.node)
        is_async = owner.node is not None and self._names.resolve(owner.node.func) == "zeep.AsyncClient"
        name = self._imports.add(package.name, class_name + ("Async" if is_async else ""))
        connect = self._imports.add("soapclient", "connect_async" if is_async else "connect")
        self._imports.drop(node.func)
        self._source.replace(node, self._source.call(node, connect, [name, *options]))
        self.use(function.value)

    # ---- WS-Security

    def _block(self, node: ast.Call, name: str) -> str:
        """Return the code of the `soapclient.security` object that replaces an object of `zeep.wsse`.

        `node` is the call that creates the zeep object, and `name` is the dotted name of its class. Returns
        "" if there is no replacement.
        """
        if name == "zeep.wsse.UsernameToken":
            given = _arguments(node, _TOKEN)
            if "password_digest" in given or not set(given) <= set(_TOKEN) or "username" not in given:
                return ""
            arguments = [self._source.edited(given[key]) for key in ("username", "password") if key in given]
            if "use_digest" in given:
                arguments.append(f"digest={self._source.edited(given['use_digest'])}")
            return f"{self._imports.add(_SECURITY, 'UsernameToken')}({', '.join(arguments)})"
        if name in _SIGNATURES:
            given = _arguments(node, _SIGNATURE)
            if not {"key_file", "certfile"} <= set(given) <= {"key_file", "certfile", "password"}:
                return ""
            self._source.note(node, _VERIFY)
            arguments = [self._source.edited(given[key]) for key in ("key_file", "certfile")]
            arguments.append('parts=["Body"]')
            arguments.append(f'token="{_SIGNATURES[name]}"')
            if "password" in given:
                arguments.append(f"password={self._source.edited(given['password'])}")
            return f"{self._imports.add(_SECURITY, 'Signature')}({', '.join(arguments)})"
        return ""

    def _compose(self, node: ast.Call) -> None:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.List):
            return
        items = node.args[0].elts
        blocks = [
            self._block(item, self._names.resolve(item.func)) if isinstance(item, ast.Call) else ""
            for item in items
        ]
        if all(blocks):
            security = self._imports.add(_SECURITY, "Security")
            self._imports.drop(node)
            self._source.replace(node, f"{security}([{', '.join(blocks)}])")
        else:
            self._imports.drop(node.func)
            self._source.replace(node, self._source.edited(node.args[0]))

    def _is_composed(self, node: ast.Call) -> bool:
        """Return True if `node` is an item of the list in `Compose([…])`, and all items can be converted."""
        parents = self._source.parents(node)
        if not isinstance(items := next(parents), ast.List) or not isinstance(
            outer := next(parents), ast.Call
        ):
            return False
        calls = [item for item in items.elts if isinstance(item, ast.Call)]
        return self._names.resolve(outer.func) == "zeep.wsse.Compose" and (
            len(calls) == len(items.elts)
            and all(self._block(item, self._names.resolve(item.func)) for item in calls)
        )

    # ---- variables

    def use(self, node: ast.AST) -> None:
        """Record that the edited code does not need `node`, a call or a variable, any more."""
        self._imports.drop(node)

    def is_assigned(self, node: ast.Call) -> bool:
        """Return True if the call is assigned to a variable, as in `name = call()`."""
        parent = next(self._source.parents(node))
        return isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name)

    def delete_unused(self) -> None:
        """Delete assignments of zeep transports, settings and type factories that became unused.

        An assignment is deleted if edits have removed all uses of its variable.
        """
        for node in ast.walk(self._source.tree):
            if not isinstance(node, ast.Assign) or len(node.targets) != 1:
                continue
            target, value = node.targets[0], self._values.of(node.value)
            if not isinstance(target, ast.Name) or value is None:
                continue
            if value.kind not in ("transport", "settings", "factory"):
                continue
            loads = [
                item
                for item in ast.walk(self._source.tree)
                if isinstance(item, ast.Name) and item.id == target.id and isinstance(item.ctx, ast.Load)
            ]
            if loads and all(self._imports.is_dropped(item) for item in loads):
                self._imports.drop(node)
                self._source.delete(node)


def _arguments(node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """Return the arguments of a call by name. `names` are the names of the positional arguments, in order."""
    by_position = takewhile(lambda item: not isinstance(item, ast.Starred), node.args)
    given = dict(zip(names, by_position, strict=False))
    return given | {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}


def _constant(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
