"""Names of zeep that a module imports, and the names of soapclient that replace them."""

from __future__ import annotations

import ast
from typing import Final

# Other places from which zeep's public names can be imported.
_PUBLIC: Final = {
    "zeep.client.Client": "zeep.Client",
    "zeep.client.AsyncClient": "zeep.AsyncClient",
    "zeep.client.CachingClient": "zeep.CachingClient",
    "zeep.client.Factory": "zeep.Factory",
    "zeep.settings.Settings": "zeep.Settings",
    "zeep.transports.Transport": "zeep.Transport",
    "zeep.transports.AsyncTransport": "zeep.AsyncTransport",
    "zeep.wsse.username.UsernameToken": "zeep.wsse.UsernameToken",
    "zeep.wsse.signature.Signature": "zeep.wsse.Signature",
    "zeep.wsse.signature.BinarySignature": "zeep.wsse.BinarySignature",
    "zeep.wsse.compose.Compose": "zeep.wsse.Compose",
    "zeep.xsd.const.SkipValue": "zeep.xsd.SkipValue",
    "zeep.xsd.const.Nil": "zeep.xsd.Nil",
    "zeep.xsd.valueobjects.Nil": "zeep.xsd.Nil",
    "zeep.plugins.Plugin": "zeep.Plugin",
}
CLIENTS: Final = ("zeep.Client", "zeep.CachingClient", "zeep.AsyncClient")
TRANSPORTS: Final = ("zeep.Transport", "zeep.AsyncTransport")
ERRORS: Final = {
    "zeep.exceptions.Error": "SoapClientError",
    "zeep.exceptions.Fault": "ServiceFault",
    "zeep.exceptions.TransportError": "TransportError",
    "zeep.exceptions.ValidationError": "ContractError",
    "zeep.exceptions.XMLParseError": "ResponseError",
    "zeep.exceptions.XMLSyntaxError": "ResponseError",
    "zeep.exceptions.UnexpectedElementError": "ResponseError",
    "zeep.exceptions.SignatureVerificationFailed": "SecurityError",
}
# Attributes of zeep's exceptions. None: the attribute has no equivalent of the same form.
ERROR_ATTRIBUTES: Final[dict[str, dict[str, str | None]]] = {
    "zeep.exceptions.Fault": {
        "message": "reason",
        "code": "fault_code",
        "detail": None,
        "actor": None,
        "subcodes": None,
    },
    "zeep.exceptions.TransportError": {"status_code": "status", "content": None, "message": None},
}
# Names that the result may still use: zeep's plugins, transports with a session, and settings work here.
KEPT: Final = ("zeep.plugins.", "zeep.Plugin", "zeep.Transport", "zeep.Settings", "zeep.wsse.", "zeep.ns.")


def is_zeep(node: ast.ImportFrom) -> bool:
    """Return True if a statement imports from zeep or one of its modules."""
    return not node.level and (node.module or "").partition(".")[0] == "zeep"


class ZeepNames:
    """The names that a module imports from zeep, and their dotted names in zeep, such as `zeep.Client`."""

    def __init__(self, tree: ast.Module) -> None:
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self._names: dict[str, str] = {}
        self._of_requests: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.partition(".")[0] == "requests":
                        self._of_requests.add(alias.asname or "requests")
                    elif alias.name.partition(".")[0] == "zeep":
                        self._names[alias.asname or "zeep"] = alias.name if alias.asname else "zeep"
                        self._add(node)
            elif isinstance(node, ast.ImportFrom) and is_zeep(node):
                for alias in node.names:
                    self._names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                self._add(node)
            elif isinstance(node, ast.ImportFrom) and node.module in ("requests", "requests.exceptions"):
                self._of_requests |= {alias.asname or alias.name for alias in node.names}

    def __bool__(self) -> bool:
        return bool(self.imports)

    def _add(self, node: ast.Import | ast.ImportFrom) -> None:
        if node not in self.imports:
            self.imports.append(node)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def is_of_requests(self, node: ast.AST) -> bool:
        """Return True if an expression contains a name that is imported from requests."""
        return any(isinstance(item, ast.Name) and item.id in self._of_requests for item in ast.walk(node))

    def resolve(self, node: ast.AST) -> str:
        """Return the dotted name in zeep to which an expression refers, such as `zeep.wsse.Signature`.

        Returns "" if the expression does not refer to a name of zeep.
        """
        if isinstance(node, ast.Name):
            name = self._names.get(node.id, "")
        elif isinstance(node, ast.Attribute) and (outer := self.resolve(node.value)):
            name = f"{outer}.{node.attr}"
        else:
            name = ""
        return _PUBLIC.get(name, name)
