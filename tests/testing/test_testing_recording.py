"""`record` and `replay`: the same values without a service, no secrets in the files, and helpful errors."""

from __future__ import annotations

import base64
import difflib
import gzip
import json
import os
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest
import requests
from requests.auth import HTTPDigestAuth
from zeep.wsse import UsernameToken

from soapclient import Client, Settings, connect
from soapclient.auth.credentials import Credentials
from soapclient.errors import SoapClientError
from soapclient.testing import NotRecorded, Recording, record, recording, replay
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.conftest import RestClient
from tests.support.programs import ran
from tests.support.wire import Recorder
from tests.testing.conftest import DAY, Counted, way
from zxws.publisher.service import PublisherService

PROTOCOLS = pytest.mark.parametrize("protocol", ["soap", "rest"])


@pytest.mark.exhaustive
@PROTOCOLS
def test_recorded_exchanges_are_replayed(protocol: str, counted: Counted, tmp_path: Path) -> None:
    client = counted.of(protocol)
    client.publisher.get_balances()  # connections are already open
    with record(tmp_path / "kept") as recording:
        got = way(client, tmp_path / "first")
    before = counted.asked
    assert len(recording.exchanges) == before - 1
    with replay(tmp_path / "kept"):
        assert way(client, tmp_path / "second") == got
        # Another account, another nonce, another time.
        counted.clock.advance(3 * 86_400)
    with replay(tmp_path / "kept"):
        assert way(counted.of(protocol), tmp_path / "third") == got
    assert counted.asked == before


@pytest.mark.exhaustive
@PROTOCOLS
def test_recordings_contain_no_credentials(protocol: str, counted: Counted, tmp_path: Path) -> None:
    sent: list[str] = []
    client = counted.of(protocol)
    with record(tmp_path / "kept", secrets=["soapclient-sandbox"]):
        way(client, tmp_path / "files")
    for file in (tmp_path / "kept").iterdir():
        text = file.read_text(encoding="utf-8")
        json.loads(text)
        sent.append(text)
        for secret in (SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, "ZXWS", "Authorization", "soapclient-sandbox"):
            assert secret not in text
    assert any("[hidden]" in text for text in sent)
    with replay(tmp_path / "kept", secrets=["soapclient-sandbox"]):
        way(client, tmp_path / "files")


@pytest.mark.exhaustive
def test_unrecorded_request_error_names_the_nearest_one(counted: Counted, tmp_path: Path) -> None:
    client = counted.of("soap")
    with record(tmp_path / "kept"):
        client.publisher.get_sales(date=DAY, date_type="trackingDate")
    with replay(tmp_path / "kept"):
        with pytest.raises(NotRecorded) as raised:
            client.publisher.get_sales(date=DAY, date_type="clickDate")
        said = str(raised.value)
        assert "GetSales: the recording" in said
        assert "dateType>trackingDate</" in said
        assert "dateType>clickDate</" in said
        differing = [line[0] for line in said.splitlines() if line.startswith(("- ", "+ "))]
        assert differing == ["-", "+"]  # only the lines that differ
        assert f"record({str(tmp_path / 'kept')!r})" in said
        assert SAMPLE_CONNECT_ID not in said
        assert not isinstance(raised.value, SoapClientError)
        with pytest.raises(NotRecorded, match=r"GetBalances: .* does not have this request; it has GetSales"):
            client.publisher.get_balances()
        client.publisher.get_sales(date=DAY, date_type="trackingDate")
        with pytest.raises(NotRecorded, match="has this request 1 time, and it was sent once more"):
            client.publisher.get_sales(date=DAY, date_type="trackingDate")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["same", "x" * 300], ["same", "y" * 300], ["- " + "x" * 300, "+ " + "y" * 300]),
        (
            ["<a>" + "A" * 1000 + "B" * 100 + "</a>", "same"],
            ["<a>" + "A" * 1000 + "C" * 900 + "</a>", "same"],
            [
                "- <a>" + "A" * 97 + "…" + "A" * 40 + "B" * 100 + "</a> (1,107 characters)",
                "+ <a>" + "A" * 97 + "…" + "A" * 40 + "C" * 160 + "… (1,907 characters)",
            ],
        ),
        # It differs near its start, or has no counterpart.
        (
            ["b" * 400],
            ["a" + "b" * 300],
            ["- " + "b" * 300 + "… (400 characters)", "+ a" + "b" * 299 + "… (301 characters)"],
        ),
        (["same"], ["same", "z" * 301], ["+ " + "z" * 300 + "… (301 characters)"]),
        (["c" * 500, "same"], ["same"], ["- " + "c" * 300 + "… (500 characters)"]),
    ],
    ids=["limit", "late", "early", "added", "removed"],
)
def test_long_lines_are_shortened_in_differences(old: list[str], new: list[str], expected: list[str]) -> None:
    assert recording._difference(old, new) == expected


def test_characters_of_long_lines_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a line of a megabyte, this would take seconds."""
    monkeypatch.setattr(difflib.Differ, "compare", Mock(side_effect=AssertionError))
    removed, added = recording._difference(["a" * 1_000_000 + "b"], ["a" * 1_000_000 + "c"])
    assert removed.endswith("b (1,000,001 characters)")
    assert added.endswith("c (1,000,001 characters)")


def test_query_is_compared_over_rest(counted: Counted, tmp_path: Path) -> None:
    client = counted.of("rest")
    with record(tmp_path / "kept"):
        client.publisher.get_sales(date=DAY, items=5)
    with replay(tmp_path / "kept"), pytest.raises(NotRecorded, match="items=6"):
        client.publisher.get_sales(date=DAY, items=6)


@pytest.mark.parametrize("placement", ["headers", "query"])
def test_query_signatures_are_ignored(placement: str, counted: Counted, tmp_path: Path) -> None:
    client = counted.client(publisher_protocol="rest", rest_signature=placement)
    with record(tmp_path / "kept"):
        got = client.publisher.get_balances()
    counted.clock.advance(3600)
    with replay(tmp_path / "kept"):
        assert client.publisher.get_balances() == got


def test_responses_are_replayed_in_order(recorder: Recorder, rest_client: RestClient, tmp_path: Path) -> None:
    client = rest_client(rest_format="json")
    body = '{"page": 0, "items": %d, "total": 0}'
    for number in (1, 2):
        recorder.answers(body % number)
    with record(tmp_path / "kept"):
        got = [client.publisher.get_balances().items for _ in range(2)]
    assert got == [1, 2]
    with replay(tmp_path / "kept"), ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda _: client.publisher.get_balances().items, range(2)))
    assert sorted(map(str, found)) == ["1", "2"]


def test_recorded_failure_is_replayed(recorder: Recorder, rest_client: RestClient, tmp_path: Path) -> None:
    client = rest_client(attempts=1)
    recorder.answers("no such page", status=404, kind="text/plain")
    with record(tmp_path / "kept"), pytest.raises(SoapClientError) as first:
        client.publisher.get_balances()
    with replay(tmp_path / "kept"), pytest.raises(SoapClientError) as second:
        client.publisher.get_balances()
    assert (type(first.value), str(first.value)) == (type(second.value), str(second.value))


def test_failed_block_keeps_the_old_recording(counted: Counted, tmp_path: Path) -> None:
    client = counted.of("rest")
    with record(tmp_path / "kept"):
        client.publisher.get_balances()
    before = [file.read_bytes() for file in (tmp_path / "kept").iterdir()]

    def fail() -> None:
        client.publisher.get_sales(date=DAY)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), record(tmp_path / "kept"):
        fail()
    assert [file.read_bytes() for file in (tmp_path / "kept").iterdir()] == before
    asked = counted.asked
    client.publisher.get_balances()  # the service itself is called again
    assert counted.asked == asked + 1
    with record(tmp_path / "kept"):
        client.publisher.get_sales(date=DAY)
    assert [file.name for file in (tmp_path / "kept").iterdir()] != []
    with replay(tmp_path / "kept"), pytest.raises(NotRecorded):
        client.publisher.get_balances()


def test_missing_recording_error_says_how_to_record(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Create one with record"), replay(tmp_path):
        pass


def test_nested_recordings_are_refused(counted: Counted, tmp_path: Path) -> None:
    with record(tmp_path / "kept"):
        counted.of("rest").publisher.get_balances()
        with (
            pytest.raises(RuntimeError, match="is already recording or replaying"),
            record(tmp_path / "other"),
        ):
            pass


def test_compressed_body_is_stored_as_text(
    recorder: Recorder, rest_client: RestClient, tmp_path: Path
) -> None:
    client = rest_client(rest_format="json")
    packed = gzip.compress(b'{"page": 3, "items": 0, "total": 0}')
    recorder.answers(packed, Content_Encoding="gzip")
    with record(tmp_path / "kept"):
        assert client.publisher.get_balances().page == 3
    (file,) = (tmp_path / "kept").iterdir()
    assert json.loads(file.read_text())["response"]["body"] == '{"page": 3, "items": 0, "total": 0}'
    with replay(tmp_path / "kept"):
        assert client.publisher.get_balances().page == 3


def test_ws_security_is_ignored_and_not_stored(counted: Counted, tmp_path: Path) -> None:
    """Its nonce and times change with each call. zeep's own UsernameToken creates them."""
    config = counted.client(publisher_protocol="soap").settings
    # zeep has no types
    token = UsernameToken("somebody", "open-sesame", use_digest=True)  # type: ignore[no-untyped-call]
    with Client(config, clock=counted.clock, wsse=token) as client:
        with record(tmp_path / "kept"):
            got = client.publisher.get_balances()
        with replay(tmp_path / "kept"):
            assert client.publisher.get_balances() == got
    other = counted.client(publisher_protocol="soap")
    with replay(tmp_path / "kept"), pytest.raises(NotRecorded, match="Security"):
        other.publisher.get_balances()  # the presence of a token makes a difference
    (file,) = (tmp_path / "kept").iterdir()
    assert "open-sesame" not in file.read_text()
    assert "somebody" not in file.read_text()


@pytest.mark.parametrize(
    ("header", "secret"),
    [
        ("Basic " + base64.b64encode(b"somebody:open-sesame").decode(), "open-sesame"),
        ("Bearer eyJhbGciOi.open-sesame", "eyJhbGciOi.open-sesame"),
    ],
)
def test_authorization_values_are_removed_from_responses(header: str, secret: str, tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    request = requests.Request(
        "GET", "https://shop.invalid/a?token=tick-et", headers={"Authorization": header}
    )
    response = requests.Response()
    response.status_code, response._content = 200, f"you are {secret} by tick-et".encode()
    recording.keep(request.prepare(), lambda: response)
    recording.write()
    (file,) = tmp_path.iterdir()
    assert secret not in file.read_text()
    assert "tick-et" not in file.read_text()
    assert json.loads(file.read_text())["response"]["body"] == "you are [hidden] by [hidden]"


def test_boundaries_and_content_ids_are_ignored(tmp_path: Path) -> None:
    def sent(mark: str, data: bytes) -> requests.PreparedRequest:
        kind = f'multipart/related; boundary="{mark}"; type="application/xop+xml"'
        part = f"--{mark}\r\nContent-ID: <{mark}.1@here>\r\n\r\n".encode()
        put = f'<Put><f href="cid:{mark}.2@here"/></Put>'
        text = f'<e:Envelope xmlns:e="urn:e"><e:Body>{put}</e:Body></e:Envelope>'
        file = f"\r\n--{mark}\r\nContent-ID: <{mark}.2@here>\r\n\r\n".encode() + data
        headers = {"Content-Type": kind, "SOAPAction": '"urn:e/Put"'}
        whole = part + text.encode() + file + f"\r\n--{mark}--".encode()
        return requests.Request("POST", "https://shop.invalid/", headers=headers, data=whole).prepare()

    response = requests.Response()
    response.status_code, response._content = 200, b"done"
    recording = Recording(tmp_path)
    recording.keep(sent("one", b"\xff\x00"), lambda: response)
    recording.write()
    again = Recording.read(tmp_path)
    assert again.answer(sent("two", b"\xff\x00"), lambda: response).content == b"done"
    with pytest.raises(NotRecorded, match=r"^Put: "):
        again.answer(sent("two", b"\xff\x01"), lambda: response)


def test_recording_works_for_any_service(counted: Counted, tmp_path: Path) -> None:
    address = f"{counted.url}/soap/2011-03-01"
    account = Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY)
    with connect(PublisherService, address=address, credentials=account, clock=counted.clock) as service:
        with record(tmp_path / "kept"):
            got = service.get_balances()
        asked = counted.asked
        with replay(tmp_path / "kept"):
            assert service.get_balances() == got
    assert counted.asked == asked


def test_both_requests_of_a_challenge_are_stored(recorder: Recorder, tmp_path: Path) -> None:
    envelope = (
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{}</e:Body></e:Envelope>'
    )
    space = "http://api.zanox.com/namespace/2011-03-01/"
    counts = "<page>4</page><items>0</items><total>0</total>"
    body = envelope.format(f'<GetBalancesResponse xmlns="{space}">{counts}</GetBalancesResponse>')
    challenge = 'Digest realm="shop", nonce="abc", qop="auth", algorithm=MD5'
    recorder.answers("who are you?", 401, "text/plain", WWW_Authenticate=challenge)
    recorder.answers(body, kind="text/xml")
    with connect(
        PublisherService,
        address=recorder.url,
        credentials=Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY),
        auth=HTTPDigestAuth("somebody", "open-sesame"),
        settings=Settings(validate="off"),
    ) as service:
        with record(tmp_path / "kept") as recording:
            assert service.get_balances().page == 4
        assert [each.response.status for each in recording.exchanges] == [401, 200]
        with replay(tmp_path / "kept"):
            assert service.get_balances().page == 4
    assert len(recorder.sent) == 2


@pytest.mark.parametrize(
    "content",
    [
        *(b"{", b"[]", b'{"request": {"operation": "\xff"}}', b"\xff\xfe{\x00"),
        b'{"response": {"status": 200, "items": %b}}' % (b"[" * 100_000),
    ],
    ids=["cut", "list", "text no UTF-8", "UTF-16", "nested"],
)
def test_invalid_recording_file_is_a_decode_error(content: bytes, tmp_path: Path) -> None:
    """This includes invalid UTF-8 and endless nesting, for which msgspec raises other errors."""
    (tmp_path / "001-Ask.exchange.json").write_bytes(content)
    with pytest.raises(msgspec.DecodeError), replay(tmp_path):
        pass


_FORKING = """
    import os, sys
    from soapclient import Client, Settings
    from soapclient.testing import NotRecorded, record, replay
    url, folder = sys.argv[1:]
    client = Client(Settings.load(environ={}, file=None, profile=None, connect_id="A" * 20, secret_key="k",
                                publisher_url=url, publisher_protocol="rest"))
    def visitors():
        return client.publisher.get_adspace(adspace_id=8).adspace_item.visitors
    def in_a_child(call):
        child = os.fork()
        if child == 0:
            os._exit(call())
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with record(folder) as recording:
        calls = [in_a_child(visitors), visitors(), in_a_child(visitors), visitors()]
        if os.fork() == 0:
            sys.exit(0)  # a child that leaves the block writes nothing
        os.wait()
    assert calls == [1, 2, 3, 4], calls
    kept = [exchange.response.body for exchange in recording.exchanges]
    assert ['"visitors": %d' % number in body for number, body in enumerate(kept, 1)] == [True] * 4, kept
    def refused():
        try:
            return visitors()
        except NotRecorded:
            return 99
    with replay(folder):
        assert [visitors(), in_a_child(visitors), in_a_child(visitors), visitors()] == [1, 2, 3, 4]
        assert (in_a_child(refused), refused()) == (99, 99)
    with replay(folder):
        assert visitors() == 1
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_children_record_and_replay_with_their_parent(recorder: Recorder, tmp_path: Path) -> None:
    """Each response is recorded once and replayed once, in whichever process."""
    for number in range(1, 5):
        item = {
            "@id": 8, "name": "A", "url": "https://a.example", "description": "A", "adspaceType": "website",
            "visitors": number, "impressions": 1, "language": "de", "checkNumber": 1,
        }  # fmt: skip
        recorder.answers(json.dumps({"adspaceItem": item}))
    program = [sys.executable, "-c", textwrap.dedent(_FORKING), recorder.url, str(tmp_path / "kept")]
    done = ran(program, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "kept").iterdir())) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert len(recorder.sent) == 4
