"""Small campaigns find nothing, and find what is wrong where something is.

How much is done is said by numbers, never by time.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from soapclient import Client, Config
from soapclient.clock import NonceSource
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, SoapClientError
from soapclient.publisher import Publisher
from tests.campaigns import calls, exports
from tests.campaigns.faults import ALL, Family
from tests.campaigns.findings import Finding, Report
from zxws.publisher.types import AdspaceItem, CreateAdspaceResponse, GetSalesResponse, GetSaleResponse

ROOT = Path(__file__).parents[2]
README = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m tests\.campaigns .*$", README, re.MULTILINE)


def found(report: Report) -> str:
    return "\n".join(map(str, report.findings))


def test_calls_find_nothing() -> None:
    report = calls.run(11, count=120, threads=6, forked=6)
    assert report.findings == [], found(report)
    figures = report.figures
    assert figures["pieces"] == 120
    assert figures["forked"] == 3 * 4 * 6
    assert figures["writes"] == figures["done"] + figures["in_doubt"] + figures["not_done"]
    assert figures["faults"] > 20
    assert figures["right"] > 80


def test_exports_find_nothing() -> None:
    report = exports.run(4, count=3)
    assert report.findings == [], found(report)
    assert report.figures["exports"] == report.figures["right"] == report.figures["jobs"] == 3
    assert report.figures["requests"] >= 12


# ---- a campaign can find what is wrong


class Changed(Client):
    """A client whose Publisher service is one of these, which do something wrong."""

    service: type[Publisher]

    @cached_property
    def publisher(self) -> Publisher:
        return self.service(super().publisher.engine)


def changed(service: type[Publisher]) -> calls.OpenClient:
    def opened(config: Config, nonces: NonceSource) -> Client:
        client = Changed(config, nonce_source=nonces, random=lambda: 0.0)
        client.service = service
        return client

    return opened


def kinds(
    service: type[Publisher], *faults: str, share: float = 1.0, count: int = 25
) -> set[str]:
    """The kinds of findings in a small campaign with these faults."""
    families: Sequence[Family] = [(ALL[name],) for name in faults]
    report = calls.run(
        3, count=count, threads=3, share=share, families=families, forked=0, opened=changed(service)
    )
    return {one.kind for one in report.findings}
