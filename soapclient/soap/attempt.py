"""One attempt of a call: an envelope created by zeep, signed, validated and posted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

import zeep
from zeep.exceptions import Error as ZeepError

from soapclient.auth.placement import Placement
from soapclient.auth.plugin import ZxwsPlugin
from soapclient.auth.signing import Signer, soap_uri
from soapclient.contract import Contract
from soapclient.errors import ContractError, SoapClientError
from soapclient.runtime import AnyOperation, Wire, WireValue
from soapclient.soap import loading
from soapclient.soap.transport import AttemptTransport
from soapclient.transport import http

if TYPE_CHECKING:
    import requests

    from soapclient.config import Config

# What zeep raises while it creates an envelope from arguments that do not fit.
_CREATING = (ZeepError, TypeError, AttributeError, ValueError, LookupError)


class Endpoint(Protocol):
    """Where attempts go and what they share: an `engine.Engine`."""

    contract: Contract
    config: Config
    address: str
    placement: Placement
    signer: Signer

    @property
    def session(self) -> requests.Session: ...


def post(
    endpoint: Endpoint, operation: AnyOperation, wire: Wire, limits: http.Limits, offset: timedelta
) -> http.Reply:
    """Send a request once; give the answer, unread.

    Raises ContractError where the request does not fit the contract, else what `http.send` and the signer
    raise.
    """
    send, transport = prepare(endpoint, operation, limits, offset, raw=True)
    try:
        reply = send(**arguments(wire), **placeholders(operation))
    except SoapClientError:
        raise
    except _CREATING as error:
        if transport.posted:
            raise
        path = getattr(error, "path", None) or operation.name
        raise ContractError(
            str(path), None, "what the contract says", str(error), operation=operation.name
        ) from None
    assert isinstance(reply, http.Reply)  # a raw client hands out what its transport returned
    return reply


def prepare(
    endpoint: Endpoint, operation: AnyOperation, limits: http.Limits, offset: timedelta, *, raw: bool
) -> tuple[Callable[..., object], AttemptTransport]:
    """zeep's function for one attempt. The parsed contract, which is what costs, is shared."""
    config, contract = endpoint.config, endpoint.contract
    signing = contract.tables.signing
    assert signing is not None  # an engine has made sure
    transport = AttemptTransport(
        endpoint.session,
        schema=None if config.validate == "off" else contract.schema,
        limits=limits,
        strict=config.validate == "all",
        raw=raw,
    )
    version = contract.tables.version
    path = http.path_of(endpoint.address)
    plugin = ZxwsPlugin(
        endpoint.signer,
        contract.operations,
        signing,
        placement=endpoint.placement,
        uri=soap_uri(path, version, lowercase=config.lowercase_path),
        offset=offset,
    )
    settings = zeep.Settings(strict=True, raw_response=raw, forbid_entities=True, forbid_external=True)
    # zeep has no types: from here on its objects are of type Any, and none leaves this function.
    make: Callable[..., Any] = zeep.Client
    client = make(loading.document(contract), transport=transport, plugins=[plugin], settings=settings)
    service = client.create_service(contract.tables.binding, endpoint.address)
    return service[operation.name], transport


def placeholders(operation: AnyOperation) -> dict[str, str]:
    """An empty text for each authentication element: zeep wants them there, the plugin fills them in."""
    return dict.fromkeys(operation.authentication, "")


def arguments(wire: Wire) -> dict[str, object]:
    """A wire value as zeep takes it: attributes by their name, text beside them as `_value_1`."""
    elements = {key for key in wire if key[:1] not in {"@", "$"}}
    return {_keyword(key, elements): _argument(value) for key, value in wire.items()}


def _keyword(key: str, elements: set[str]) -> str:
    if key == "$":
        return "_value_1"
    if key.startswith("@"):
        return f"attr__{key[1:]}" if key[1:] in elements else key[1:]
    return key


def _argument(value: WireValue | str | Wire) -> object:
    if isinstance(value, dict):
        return arguments(value)
    if isinstance(value, list):
        return [_argument(one) for one in value]
    return value
