"""Takes the authentication elements out of the requests: whoever sends them fills them in.

An operation whose request declares the signature is signed, one that declares the connect ID alone is public
(docs/explanation/service.md#signing). Where a contract declares neither, `signing.public` says which
operations need no signature.
"""

from __future__ import annotations

from bindgen import naming
from bindgen.model import Contract, Operation
from bindgen.passes.walk import refuse

_ROLES = ("connect_id", "timestamp", "nonce", "signature")


def run(contract: Contract) -> None:
    """Set each operation's `authentication` and `signed`; a contract without signing has neither."""
    if not contract.settings.section("signing"):
        return
    roles = {role: str(contract.settings.section("signing").get(role, role)) for role in _ROLES}
    public = contract.settings.texts("signing", "public")
    for unknown in sorted(set(public) - {operation.name for operation in contract.operations}):
        refuse(contract, "signing.public", f": no operation {unknown!r}")
    for operation in contract.operations:
        declared = [field.wire for field in operation.request.fields if field.wire in roles.values()]
        if declared and not _fits(operation, declared):
            why = f": {', '.join(declared)} are to be the last elements of {operation.name}, in its namespace"
            refuse(contract, "signing", why)
        operation.authentication = declared
        operation.authentication_fields = [
            (at, field) for at, field in enumerate(operation.request.fields) if field.wire in declared
        ]
        operation.signed = roles["signature"] in declared or not (declared or operation.name in public)
    for operation in contract.operations:  # after all of them, for two may have one request
        request = operation.request
        request.fields = [field for field in request.fields if field.wire not in operation.authentication]


def _fits(operation: Operation, declared: list[str]) -> bool:
    """Whether these elements are where they are put: at the end of the request, in its namespace."""
    over_soap = [field for field in operation.request.fields if field.protocol != "rest"]
    space = naming.space(operation.request_tag)
    last = over_soap[-len(declared) :]
    return [(each.wire, naming.space(each.tag)) for each in last] == [(name, space) for name in declared]
