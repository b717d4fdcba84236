from __future__ import annotations

import copy
import logging
import pickle
import pprint

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from soapclient.auth.credentials import Credentials, Secret
from soapclient.errors import ConfigError

KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
CONNECT_ID = "802B8BF4AE99EBE00F41"


def test_secret_is_not_in_any_text(caplog: pytest.LogCaptureFixture) -> None:
    credentials = Credentials(CONNECT_ID, KEY)
    logging.getLogger("anybody").warning("%s %r", credentials, credentials.secret_key)
    for thing in (credentials, credentials.secret_key, [credentials], {"credentials": credentials}):
        for text in (repr(thing), str(thing), f"{thing}", f"{thing!r:>9}", f"{thing}", pprint.pformat(thing)):
            assert KEY not in text
            assert KEY[:8] not in text
    assert KEY not in caplog.text
    assert repr(credentials) == f"Credentials(connect_id='{CONNECT_ID}', secret_key=Secret([hidden]))"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=8))
def test_no_repr_shows_the_secret(secret: str) -> None:
    assume(secret not in repr(Credentials("me", "another")))
    assert secret not in repr(Credentials("me", secret))
    assert Credentials("me", secret).require_secret_key().reveal() == secret


def test_pickles_and_copies_are_equal_and_still_hide_the_secret() -> None:
    credentials = Credentials(CONNECT_ID, KEY)
    for back in (pickle.loads(pickle.dumps(credentials)), copy.deepcopy(credentials)):
        assert back == credentials
        assert hash(back) == hash(credentials)
        assert back.require_secret_key().reveal() == KEY
        assert KEY not in repr(back)


def test_equality_compares_id_and_secret() -> None:
    assert Credentials("a", "k") == Credentials("a", Secret("k"))
    assert Credentials("a", "k") != Credentials("a", "l")
    assert Credentials("a", "k") != Credentials("b", "k")
    assert Credentials("a") != Credentials("a", "k")
    assert Secret("k") != "k"
    assert Credentials("a") != "a"


def test_equal_credentials_have_equal_hashes() -> None:
    assert len({Credentials("a", "k"), Credentials("a", Secret("k")), Credentials("a", "k", lifetime=5)}) == 1
    assert hash(Credentials("a", "k")) != hash(Credentials("a", "l"))
    assert hash(Credentials("a", "k")) != hash(Credentials("b", "k"))
    assert hash(Secret("k")) != hash(Secret("l"))


WHERE = (
    "Set connect ID and key as arguments (connect_id, secret_key), in the environment "
    "(SOAPCLIENT_CONNECT_ID, SOAPCLIENT_SECRET_KEY) or in the TOML file (connect_id, secret_key)"
)
NO_ASCII = "must be visible ASCII characters without spaces or colons (the value is not shown)"


@pytest.mark.parametrize(
    ("connect_id", "secret", "message"),
    [
        (5, "k", "connect_id: must be a string, got int"),
        (None, "k", "connect_id: must be a string, got NoneType"),
        ("", "k", "connect_id: is empty"),
        *(
            (bad, KEY, f"connect_id: {NO_ASCII}")
            for bad in ("a:b", "a b", "a\n", "ä", "a\x7f", f"{CONNECT_ID}:{KEY}")
        ),
        ("a", 5, "secret_key: must be a string, got int"),
        ("a", b"hunter2", "secret_key: must be a string, got bytes"),
        ("a", "", "secret_key: is empty"),
        ("a", "\ud800", "secret_key: cannot be encoded as UTF-8 (the value is not shown)"),
        ("a", "hunter2\udfff", "secret_key: cannot be encoded as UTF-8 (the value is not shown)"),
    ],
)
def test_invalid_credentials_name_the_problem_and_the_setting(
    connect_id: str, secret: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        Credentials(connect_id, secret)
    assert str(caught.value) == f"{message}. {WHERE}"
    assert caught.value.__context__ is None


def test_a_signature_needs_the_secret() -> None:
    credentials = Credentials("a")
    assert credentials.secret_key is None
    with pytest.raises(ConfigError) as caught:
        credentials.require_secret_key()
    assert str(caught.value) == f"secret_key: is not set, but a signed request needs it. {WHERE}"


def test_boundary_characters_are_accepted() -> None:
    assert Credentials("!~", "\ud7ff\ue000").connect_id == "!~"


def test_credentials_are_immutable() -> None:
    credentials = Credentials(CONNECT_ID, KEY)
    with pytest.raises(AttributeError):
        credentials.connect_id = "other"  # type: ignore[misc] # the assignment must fail
    with pytest.raises(AttributeError):
        credentials.note = "x"  # type: ignore[attr-defined] # the assignment must fail


def test_secret_may_contain_any_character() -> None:
    for odd in (" ", "\n", ":", "ключ", "🔑", "\x00"):
        assert Credentials(CONNECT_ID, odd).require_secret_key().reveal() == odd
