"""SOAP messages as text, for responses that tests script."""

from __future__ import annotations

from typing import Final

SOAP_11: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12: Final = "http://www.w3.org/2003/05/soap-envelope"


def envelope(body: str, head: str = "", soap: str = SOAP_11, spaces: str = "") -> str:
    """Return an envelope. `spaces` are further namespace declarations; `s` is the namespace of SOAP."""
    header = f"<s:Header>{head}</s:Header>" if head else ""
    start = f's:Envelope xmlns:s="{soap}" {spaces}'.rstrip()
    return f"<{start}>{header}<s:Body>{body}</s:Body></s:Envelope>"


def fault(code: str, text: str, detail: str = "") -> str:
    """Return a fault of SOAP 1.1 for the body of an envelope."""
    more = f"<detail>{detail}</detail>" if detail else ""
    return f"<s:Fault><faultcode>{code}</faultcode><faultstring>{text}</faultstring>{more}</s:Fault>"
