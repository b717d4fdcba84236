"""The demo checks its claims: if the client behaves differently, it fails with the difference."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from soapclient import Client
from soapclient.cli.failures import Failure
from soapclient.tracking.commands import demonstration

DAY = dt.date(2026, 11, 1)


def client(**methods: Callable[..., object]) -> Client:
    """Return a client whose publisher service has these methods."""
    publisher = SimpleNamespace(**methods, iterate=SimpleNamespace(**methods))
    return cast(Client, SimpleNamespace(publisher=publisher))


def made(**fields: object) -> Callable[..., object]:
    """Return a method whose response has these fields."""
    return lambda **_: SimpleNamespace(**fields)


@pytest.mark.parametrize(
    ("show", "said"),
    [
        (lambda: demonstration._read(client(get_profile=made(profile_item=None)), DAY), "has no profile"),
        (
            lambda: demonstration._compare_with_rest(
                client(get_sales=lambda **_: [1, 2]), client(get_sales=lambda **_: [1]), DAY
            ),
            "SOAP and REST returned different values",
        ),
        (
            lambda: demonstration._write(client(create_adspace=made(adspace_item=SimpleNamespace(id=None)))),
            "the created ad space has no number",
        ),
        (
            lambda: demonstration._mistake(client(get_sales=made()), DAY),
            "a value that the contract does not allow was sent",
        ),
        (lambda: demonstration._wrong_key(client(get_profile=made())), "a wrong signature was accepted"),
    ],
)
def test_failed_check_stops_the_demonstration(
    capsys: pytest.CaptureFixture[str], show: Callable[[], None], said: str
) -> None:
    with pytest.raises(Failure) as caught:
        show()
    assert said in caught.value.message
    assert capsys.readouterr().out == ""
