"""Calls of `AsyncClient` that end early: by cancelling, closing, forking, and in other event loops."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from werkzeug.wrappers import Response

from soapclient import AsyncClient
from soapclient.connection import Attempt
from soapclient.errors import ClientClosed, ConfigError
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.asyncio.running import Counting, client_of, looped
from tests.stage import Stage

pytestmark = pytest.mark.exhaustive


@looped
async def test_a_write_that_is_cancelled_in_flight_has_a_note(caplog: pytest.LogCaptureFixture) -> None:
    held, attempts = Counting(held=1), list[Attempt]()
    with caplog.at_level(logging.WARNING, "soapclient.calls"), Stage(interfere=held) as stage:
        config = stage.client().settings
        async with AsyncClient(config, clock=stage.clock, on_response=attempts.append) as client:
            write = asyncio.create_task(client.publisher.delete_adspace(adspace_id=1))
            await asyncio.to_thread(held.arrived.acquire)
            write.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await write
            held.go_on.set()
        (note,) = caught.value.__notes__
        assert note.startswith("DeleteAdspace: no response was read. The request ")
        assert note.endswith(" may have been processed. Check before retrying.")
        assert note in caplog.messages
        # The response is still reported, with the request's id.
        (attempt,) = attempts
        assert (attempt.operation, attempt.status) == ("DeleteAdspace", 200)
        assert attempt.request_id in note


@looped
async def test_a_write_that_is_cancelled_when_its_response_has_just_been_read_has_a_note() -> None:
    held = Counting(held=1)
    with Stage(interfere=held) as stage:
        async with client_of(stage) as client:
            write = asyncio.create_task(client.publisher.delete_adspace(adspace_id=1))
            await asyncio.to_thread(held.arrived.acquire)
            held.go_on.set()
            client._rooms.calls._pool.shutdown(wait=True)  # the thread ends while the event loop is busy
            write.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await write
        (note,) = caught.value.__notes__
        assert note.startswith("DeleteAdspace: the response is lost. The request ")


@looped
async def test_a_timeout_around_a_write_has_the_note_in_its_cause() -> None:
    held = Counting(held=1)

    async def delete(client: AsyncClient) -> None:
        async with asyncio.timeout(None) as timeout:
            arrived = asyncio.ensure_future(asyncio.to_thread(held.arrived.acquire))
            arrived.add_done_callback(lambda _: timeout.reschedule(0))
            await client.publisher.delete_adspace(adspace_id=1)

    with Stage(interfere=held) as stage:
        async with client_of(stage) as client:
            write = asyncio.create_task(delete(client))
            with pytest.raises(TimeoutError) as caught:
                await write
            held.go_on.set()
        cause = caught.value.__cause__
        assert cause is not None
        assert "may have been processed" in cause.__notes__[0]


@looped
async def test_a_read_that_is_cancelled_has_no_note() -> None:
    held = Counting(held=1)
    with Stage(interfere=held) as stage:
        async with client_of(stage) as client:
            read = asyncio.create_task(client.publisher.get_profile())
            await asyncio.to_thread(held.arrived.acquire)
            read.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await read
            held.go_on.set()
        assert not hasattr(caught.value, "__notes__")


def test_a_write_that_is_interrupted_without_asyncio_has_the_note_too(stage: Stage) -> None:
    def interrupt(response: object) -> None:
        raise KeyboardInterrupt

    with stage.client() as client:
        client.publisher.get_profile()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("soapclient.transport.http.Response.chunks", interrupt)
            with pytest.raises(KeyboardInterrupt) as caught:
                client.publisher.delete_adspace(adspace_id=1)
    assert "may have been processed" in caught.value.__notes__[0]


@looped
async def test_closing_during_a_wait_for_a_retry_is_a_typed_error() -> None:
    """The clock is real: without the error, the client would wait for most of its deadline."""
    with Stage(interfere=lambda request: Response("no", status=503)) as stage:
        waits, loop = asyncio.Event(), asyncio.get_running_loop()

        def on_attempt(attempt: Attempt) -> None:
            if attempt.error is not None:
                loop.call_soon_threadsafe(waits.set)

        config = stage.client(deadline=3600).settings
        client = AsyncClient(config, on_attempt=on_attempt, random=lambda: 1.0)
        read = asyncio.create_task(client.publisher.get_profile())
        await waits.wait()
        await client.aclose()
        with pytest.raises(ClientClosed, match=r"^get_profile: the client was closed before the next"):
            await read


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_used_client_works_in_a_forked_child() -> None:
    code = """
    import asyncio, os, sys
    from soapclient import AsyncClient
    client = AsyncClient(deadline=20)
    stream = client.publisher.stream.search_programs(items=5)
    async def use():
        profile = await client.publisher.get_profile()
        async with client.publisher.stream.search_programs(items=5) as programs:
            return profile.profile_item.id, [program.id async for program in programs]
    async def open_stream():
        await stream.__aenter__()
        return await use()
    async def use_and_close():
        try:
            await asyncio.wait_for(stream.__anext__(), 20)
        except RuntimeError as error:
            assert "another process" in str(error), error
        else:
            raise AssertionError("the child has read from its parent's stream")
        used = await use()
        await client.aclose()
        return used
    before = asyncio.run(open_stream())
    child = os.fork()
    if child == 0:
        os._exit(0 if asyncio.run(use_and_close()) == before else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    sys.stdout.flush()
    os._exit(0)  # the parent's stream is still open
    """
    with Sandbox(seed=7) as sandbox, serve(sandbox, timeout=20) as server:
        account = {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_PUBLISHER_URL": server.url,
        }
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, **account}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


# ---- other event loops


def without_asyncio(main: Any) -> BaseException:
    """Run a coroutine up to its first wait, without asyncio's event loop, as trio does."""
    with pytest.raises(ConfigError, match="running event loop of asyncio") as caught:
        main.send(None)
    return caught.value


@pytest.mark.filterwarnings("error")
def test_missing_event_loop_is_a_typed_error(stage: Stage) -> None:
    client = client_of(stage)
    without_asyncio(client.publisher.get_profile())
    without_asyncio(client.publisher.stream.search_programs(items=5).__aenter__())
    without_asyncio(client.publisher.iterate.search_programs(items=5).__anext__())
    without_asyncio(client.publisher.iterate.search_programs(items=5).to_pandas())
    without_asyncio(client.__aenter__())
    without_asyncio(client.aclose())
    client.sync.close()


def test_trio_event_loop_is_a_typed_error(stage: Stage) -> None:
    trio = pytest.importorskip("trio")
    client = client_of(stage)

    async def main() -> None:
        async with client:
            raise AssertionError("entered")

    with pytest.raises(ConfigError, match=r"running event loop of asyncio.*asyncio\.run"):
        trio.run(main)
    client.sync.close()
