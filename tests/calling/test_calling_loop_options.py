"""Views with their own options, request ids, and calls on closed clients, over a real socket."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client, Settings
from soapclient.errors import ClientClosed, ConfigError, UnexpectedResponse, UnsupportedByProtocol
from tests.calling.conftest import Open, page

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder


@pytest.fixture
def client(open_caller: Open) -> Client:
    return open_caller(headers={"X-All": "all"})


def good(recorder: Recorder, protocol: str, times: int = 1) -> None:
    for _ in range(times):
        recorder.answers(*page(protocol))


def test_view_has_its_own_options_and_shares_the_rest(
    client: Client, recorder: Recorder, protocol: str
) -> None:
    good(recorder, protocol, 3)
    client.publisher.search_programs(query="x")
    view = client.with_options(headers={"X-Team": "a"}, request_id="job-7")
    view.publisher.search_programs(query="x")
    both = view.with_options(headers={"X-Step": "b"})
    both.publisher.search_programs(query="x")
    wanted = ("x-all", "x-team", "x-step")
    assert [[each.headers.get(name) for name in wanted] for each in recorder.sent] == [
        ["all", None, None],
        ["all", "a", None],
        ["all", "a", "b"],
    ]
    first, *views = [each.headers["x-request-id"] for each in recorder.sent]
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert views == ["job-7", "job-7"]
    assert view.publisher.engine.session is client.publisher.engine.session
    assert view.publisher.engine.loop.quota is client.publisher.engine.loop.quota
    assert view.drift is client.drift


def test_a_service_of_a_client_has_views_and_can_be_closed(
    client: Client, recorder: Recorder, protocol: str
) -> None:
    good(recorder, protocol, 2)
    with client.publisher.with_options(headers={"X-Team": "a"}) as view:  # closing it closes nothing
        assert type(view) is type(client.publisher)
        view.search_programs(query="x")
    client.publisher.search_programs(query="x")
    assert [each.headers.get("x-team") for each in recorder.sent] == ["a", None]
    assert view.drift.counts() == client.publisher.drift.counts() == {}
    if protocol == "rest":
        for name in ("soap", "zeep"):
            with pytest.raises(UnsupportedByProtocol, match="REST"):
                getattr(view, name)
    else:
        assert "GetProfile" in dir(view.zeep)
        assert view.soap is not client.publisher.soap
    with client.publisher as publisher:
        assert publisher is client.publisher
    with pytest.raises(ClientClosed):
        view.search_programs(query="x")


def test_request_id_header_becomes_the_request_id_of_the_call(client: Client, recorder: Recorder) -> None:
    for name in ("X-Request-ID", "x-request-id"):
        recorder.answers("no", 404, "text/plain")
        view = client.with_options(headers={name: "mine", "X-Team": "a"})
        with pytest.raises(UnexpectedResponse) as caught:
            view.publisher.search_programs(query="x")
        assert caught.value.request_id == recorder.last.headers["x-request-id"] == "mine"
        assert recorder.last.headers["x-team"] == "a"


def test_headers_of_a_view_are_not_logged(
    client: Client, recorder: Recorder, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    good(recorder, protocol)
    client.with_options(headers={"X-Key": "of some calls"}).publisher.search_programs(query="x")
    assert recorder.sent[0].headers["x-key"] == "of some calls"
    assert "'X-Key': '[hidden]'" in caplog.text
    assert "of some calls" not in caplog.text


def test_plain_zeep_service_sends_request_ids_and_headers_of_a_view(
    rest_client: RestClient, recorder: Recorder
) -> None:
    client = rest_client(protocol="soap", attempts=1)
    for view in (client, client.with_options(request_id="mine", headers={"X-Team": "a"})):
        recorder.answers("gone", 503, "text/plain")
        with pytest.raises(UnexpectedResponse) as caught:
            view.publisher.zeep.GetProfile()
        assert caught.value.request_id == recorder.last.headers["x-request-id"]
    assert recorder.last.headers["x-request-id"] == "mine"
    assert recorder.last.headers["x-team"] == "a"


def test_request_id_header_is_a_setting(recorder: Recorder, protocol: Any) -> None:
    for name in ("X-Correlation-ID", "off"):
        good(recorder, protocol)
        config = Settings.load(
            environ={"SOAPCLIENT_REQUEST_ID_HEADER": name}, connect_id="A", secret_key="no secret",
            publisher_url=recorder.url, rest_format="json",
        )  # fmt: skip
        with Client(config, protocol=protocol) as client:
            client.publisher.search_programs(query="x")
    first, second = ({name for name in each.headers if name.endswith("-id")} for each in recorder.sent)
    assert (first, second) == ({"x-correlation-id"}, set())
    with pytest.raises(ConfigError, match="request_id_header"):
        Settings(request_id_header="two words")


def test_calls_after_close_are_errors(client: Client, recorder: Recorder, protocol: str) -> None:
    good(recorder, protocol, 2)
    with client.with_options(attempts=2) as view:
        view.publisher.search_programs(query="x")
    client.publisher.search_programs(query="x")  # closing a view closes nothing
    client.close()
    for each in (client, view, client.with_options(attempts=1)):
        with pytest.raises(ClientClosed, match=r"SearchPrograms: the client was closed\. Nothing was sent"):
            each.publisher.search_programs(query="x")
        with pytest.raises(ClientClosed), each.publisher.stream.search_programs(query="x"):
            pass
        with pytest.raises(ClientClosed):
            list(each.publisher.iterate.search_programs(query="x"))
        with pytest.raises(ClientClosed):
            each.data.get_jobs()  # a service that was not used before
    if protocol == "soap":
        with pytest.raises(ClientClosed):
            client.publisher.zeep.GetProfile()
    assert len(recorder.sent) == 2
