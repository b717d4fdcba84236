"""After a complete run with each kind of signing, no secret can be found anywhere."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape

import pytest

from soapclient import Client, Settings
from soapclient._support.redaction import conceal
from soapclient.auth.credentials import Credentials
from soapclient.calling.events import Attempt
from soapclient.errors import ConfigError, SoapClientError
from soapclient.tracking.backfill import task
from soapclient.tracking.backfill.plan import BackfillAccount

from .canaries import Canaries, check_clean, leaks
from .places import Places
from .runs import Run, on_asyncio, plainly
from .service import FAULTS, Echo, broken, drop, hang, page, refused

CONNECT_ID: Final = "802B8BF4AE99EBE00F41"
Way = dict[str, object]
BOTH: Final[Way] = {"publisher_protocol": "rest", "data_protocol": "rest"}
WAYS: Final[dict[str, tuple[Way, tuple[Callable[[Run], None], ...]]]] = {
    "SOAP, body and headers": ({}, (plainly, on_asyncio)),
    "SOAP, body": ({"signature_placement": "body"}, ()),
    "REST in XML, headers": (BOTH, ()),
    "REST in XML, query": (BOTH | {"rest_signature": "query"}, ()),
    "REST in JSON, headers": (BOTH | {"rest_format": "json"}, (on_asyncio,)),
    "REST in JSON, query": (BOTH | {"rest_format": "json", "rest_signature": "query"}, ()),
}
SOME: Final = (refused, page, broken, drop, hang)
ALLOWED: Final = {
    "pickle of [^,]*settings.secret_key": "credentials can be pickled, and say so",
    "pickle of [^,]*engine.session": "what sends is nobody's to pickle: `engine` is not offered",
    "log of zeep.xsd.types.simple": "zeep's own words of a number in a response that it cannot read",
}
"""Where secrets may be, and why. Everywhere else they may not."""


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
def test_secrets_are_nowhere_after_a_full_run(way: str, canaries: Canaries, tmp_path: Path) -> None:
    settings, further = WAYS[way]
    key = canaries.new("the secret key")
    header = canaries.new("a key in a header", "+/&<%~")
    places = Places()
    echo = Echo(canaries, CONNECT_ID, key)
    with echo.served():
        load: Callable[..., Settings] = Settings.load
        urls = dict.fromkeys(("publisher_url", "data_url"), echo.url)
        account = {"connect_id": CONNECT_ID, "secret_key": key, "headers": {"X-Api-Key": header}}
        drift_log = str(tmp_path / "drift.jsonl")
        config = load(environ={}, drift_log=drift_log, attempts=1, **urls, **account, **settings)
        with places.listening("a run"):

            def heard(attempt: Attempt) -> None:  # arguments of hooks can be stored, shown and pickled
                places.value(f"attempt of {attempt.operation}", attempt)

            with Client(config, on_attempt=heard) as client:
                run = Run(places, echo, client, tmp_path, FAULTS if further else SOME)
                run()
                for more in further:
                    more(run)
    places.folder("state, drift log and download", tmp_path)
    check_clean(places.kept, canaries, ALLOWED)
    assert run.failed > 15
    assert canaries.signatures > 15


def test_pickle_contains_no_secret_header_and_its_absence_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    headers = {"X-Api-Key": "of-the-parent", "X-Team": "shop"}
    given = {"connect_id": CONNECT_ID, "secret_key": "k" * 20, "publisher_url": "http://127.0.0.1:9"}
    config = Settings(headers=headers, **given)  # type: ignore[arg-type] # by name, as a file has them
    packed = pickle.dumps(config)
    assert b"of-the-parent" not in packed
    lacking: Settings = pickle.loads(packed)
    assert lacking.headers["X-Team"] == "shop"
    # Further settings and pickles keep it, too.
    again = pickle.loads(pickle.dumps(lacking.replaced(deadline=5.0)))
    signing, said = Credentials(CONNECT_ID, "k" * 20), "X-Api-Key is missing: the pickle does not contain it"
    with Client(again, credentials=signing) as client, pytest.raises(ConfigError, match=said):
        client.publisher.get_profile()
    monkeypatch.setenv("SOAPCLIENT_HEADERS", "x-api-key=of-the-child")
    monkeypatch.setenv("SOAPCLIENT_CONNECT_ID", CONNECT_ID)
    assert dict(pickle.loads(packed).headers) == {"X-Api-Key": "of-the-child", "X-Team": "shop"}
    assert dict(pickle.loads(pickle.dumps(config.carrying_secrets())).headers) == headers


def test_backfill_task_contains_no_secret_header() -> None:
    config = Settings(headers={"X-Api-Key": "of-the-parent", "X-Team": "shop"})
    packed = pickle.dumps(task.settings_of(config))
    assert b"of-the-parent" not in packed
    environ = {"ID": CONNECT_ID, "KEY": "k" * 20, "SOAPCLIENT_HEADERS": "X-Api-Key=of-the-worker"}
    there = task.config_of(
        pickle.loads(packed), BackfillAccount(name="main", connect_id_env="ID", secret_key_env="KEY"), environ
    )
    assert dict(there.headers) == {"X-Api-Key": "of-the-worker", "X-Team": "shop"}


# ---- the search finds leaks


class Told(SoapClientError):
    """An error that shows too much."""


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text,
        lambda text: f"{text[:18]}...",
        lambda text: quote(text, safe=""),
        lambda text: quote(quote(text, safe=""), safe=""),
        lambda text: escape(text, {'"': "&quot;"}),
        lambda text: json.dumps({"key": text}),
        lambda text: base64.b64encode(f"user:{text}".encode()).decode(),
        lambda text: base64.urlsafe_b64encode(f"a:{text}".encode()).decode(),
        lambda text: text.encode().hex(),
        lambda text: str(text.encode()),
        lambda text: text.encode("utf-16-le").decode("latin-1"),
    ],
)
def test_a_planted_leak_is_found_in_every_spelling(spell: Callable[[str], str], canaries: Canaries) -> None:
    key = canaries.new("the key")
    places = Places()
    places.keep("a harmless place", "nothing to see")
    places.keep("a file", spell(key).encode("latin-1"))
    assert set(leaks(places.kept, canaries)) == {"a file"}


def test_a_planted_leak_is_found_in_each_place(canaries: Canaries, tmp_path: Path) -> None:
    key = canaries.new("the key", "")
    signature = "k7Xh1ZQb0yV5m3nT8pW2rS6uA9c="
    canaries.add(signature)
    places = Places()

    def fails(password: str) -> None:
        try:
            raise KeyError(password)
        except KeyError:
            raise Told("nothing") from None

    def leaking() -> list[str]:
        found = leaks(places.kept, canaries)
        places.kept.clear()
        return sorted(where.partition(" of ")[0] for where in found)

    try:
        fails(key)
    except Told as error:
        places.error("an error", error)
    assert "traceback with locals" in leaking()
    with places.listening("logs"):
        logging.getLogger("some.library").debug("headers %s", {"Authorization": f"ZXWS x:{signature}"})
    assert leaking() == ["logs: log", "logs: log"]
    with places.listening("warnings"):
        warnings.warn(f"password {key}", stacklevel=1)
    assert leaking() == ["warnings: a warning"]
    (tmp_path / "ledger.json").write_text(json.dumps({"signature": signature}))
    places.folder("state", tmp_path)
    assert leaking() == ["state: ledger.json"]
    places.value("a pickle", [Credentials("id", key)])
    assert leaking() == ["cloudpickle", "pickle"]
    said = Told("x")
    said.add_note(f"with {key}")
    places.error("an error", said)
    assert "notes" in leaking()


def test_secret_echoed_by_a_service_is_removed_at_any_cut() -> None:
    key = "0123456789-abcdefghij-0123456789"
    error = Told(f"you sent {key[:20]}… and ...{key[-12:]} and {key}")
    error.add_note(quote(key))
    conceal(error, [key])
    assert error.args == ("you sent [hidden]… and ...[hidden] and [hidden]",)
    assert error.__notes__ == ["[hidden]"]
