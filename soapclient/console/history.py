"""Filters of the console's history, and its export as JSON and as HAR (HTTP Archive 1.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from soapclient import __version__
from soapclient.console.targets import Exchange, Message

__all__ = ["HistoryFilter", "ValuesOf", "as_har", "as_json"]

ValuesOf = Callable[[Exchange], Mapping[str, str]]  # returns the form values of an exchange without secrets
_HTTP: Final = "HTTP/1.1"


@dataclass(frozen=True)
class HistoryFilter:
    """A filter of exchanges (calls in the history). An empty value matches all exchanges.

    - `operation`: words, each of which must occur in the name of the operation or of its service. Case is
      ignored.
    - `status`: "ok", "failed", "none" (no response), an HTTP status such as "503", or a class such as "5xx".
    - `place`: the name of the place (environment) in which the call was made.
    """

    operation: str = ""
    status: str = ""
    place: str = ""

    def matches(self, exchange: Exchange) -> bool:
        """Return True if the exchange passes the filter."""
        if self.place and exchange.place != self.place:
            return False
        name = f"{exchange.service} {exchange.operation}".lower()
        if not all(word in name for word in self.operation.lower().split()):
            return False
        status = exchange.response.line.partition(" ")[0]
        match self.status:
            case "":
                return True
            case "ok":
                return not exchange.error
            case "failed":
                return bool(exchange.error)
            case "none":
                return not status
        return self.status in (status, f"{status[:1]}xx")

    def select(self, exchanges: Iterable[Exchange]) -> list[Exchange]:
        """Return the exchanges that pass the filter, in the same order."""
        return [exchange for exchange in exchanges if self.matches(exchange)]


def as_json(exchanges: Iterable[Exchange], values_of: ValuesOf) -> str:
    """Return exchanges as a JSON document. Like the pages, it has no credentials and secrets.

    `values_of` returns the form values of an exchange, without secrets.
    """
    return _text({"exchanges": [_plain(exchange, values_of(exchange)) for exchange in exchanges]})


def as_har(exchanges: Iterable[Exchange]) -> str:
    """Return exchanges as an HTTP Archive, which the developer tools of browsers and other programs can read.

    Each entry has the last attempt of a call. The field `_attempts` lists all attempts. Exchanges in which
    nothing was sent are left out. Credentials and secrets are removed, as on the pages.
    """
    entries = [_entry(exchange) for exchange in exchanges if exchange.attempts]
    creator = {"name": "soapclient", "version": __version__}
    return _text({"log": {"version": "1.2", "creator": creator, "entries": entries}})


def _text(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(exchange: Exchange, values: Mapping[str, str]) -> dict[str, object]:
    """Return an exchange as JSON values. `values` are its form values without secrets."""
    return {
        "number": exchange.number,
        "moment": exchange.moment.isoformat(),
        "place": exchange.place,
        "service": exchange.service,
        "operation": exchange.operation,
        "milliseconds": round(exchange.milliseconds, 3),
        "error": exchange.error,
        "kind": exchange.kind,
        "findings": exchange.findings,
        "attempts": [asdict(item) for item in exchange.attempts],
        "values": dict(values),
        "request": _message(exchange.request),
        "response": _message(exchange.response),
    }


def _message(message: Message) -> dict[str, object]:
    return {
        "line": message.line,
        "headers": dict(message.headers),
        "body": message.body,
        "size": message.size,
    }


def _entry(exchange: Exchange) -> dict[str, object]:
    """Return an exchange as an entry of a HAR document."""
    last = exchange.attempts[-1]
    received = last.finished if last.received is None else last.received
    # Before the last attempt, the request was built, and earlier attempts may have failed.
    timings = {
        "blocked": last.sent,
        "send": 0.0,
        "wait": received - last.sent,
        "receive": last.finished - received,
    }
    return {
        "startedDateTime": exchange.moment.isoformat(),
        "time": round(sum(timings.values()), 3),
        "request": _har_request(exchange.request),
        "response": _har_response(exchange.response),
        "cache": {},
        "timings": {name: round(value, 3) for name, value in timings.items()},
        "comment": " ".join(filter(None, (exchange.service, exchange.operation, exchange.error))),
        "_place": exchange.place,
        "_attempts": [asdict(item) for item in exchange.attempts],
    }


def _har_request(message: Message) -> dict[str, object]:
    query = parse_qsl(urlsplit(message.address).query, keep_blank_values=True)
    request: dict[str, object] = {
        "method": message.line.partition(" ")[0],
        "url": message.address,
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(message.headers),
        "queryString": [{"name": name, "value": value} for name, value in query],
        "headersSize": -1,
        "bodySize": message.size,
    }
    if message.body:
        request["postData"] = {"mimeType": _content_type(message), "text": message.body}
    return request


def _har_response(message: Message) -> dict[str, object]:
    status, _, reason = message.line.partition(" ")
    return {
        "status": int(status or 0),  # 0: there was no response
        "statusText": reason,
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(message.headers),
        "content": {"size": message.size, "mimeType": _content_type(message), "text": message.body},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,  # bytes on the wire are not known: bodies are stored decompressed
    }


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _content_type(message: Message) -> str:
    return next((value for name, value in message.headers.items() if name.lower() == "content-type"), "")
