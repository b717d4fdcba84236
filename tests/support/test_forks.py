"""Forked children have their own connections, locks and retry quota, whatever their parent held."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.support.programs import ran

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.exhaustive,
]

# A separate process, because the test process has threads, which a fork does not copy.
_CALLS = """
    import datetime as dt, json, os, sys, threading
    from soapclient import Client
    children, calls = 4, 40
    client = Client()
    day = dt.date(2026, 11, 1)
    sales = client.publisher.get_sales(date=day, date_type="trackingDate", items=50).sale_items
    ids = [sale.id for sale in sales]
    threads = [threading.Thread(target=client.publisher.get_sale, kwargs={"sale_id": one}) for one in ids[:4]]
    for each in threads: each.start()
    for each in threads: each.join()

    def mine(child):
        wrong = []
        for call in range(calls):
            asked = ids[(child * 7 + call) % len(ids)]
            try:
                found = client.publisher.get_sale(sale_id=asked).sale_item.id
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found != asked:
                wrong.append([asked, found])
        return wrong

    pipes = []
    for child in range(children):
        out, into = os.pipe()
        if os.fork() == 0:
            os.close(out)
            os.write(into, json.dumps(mine(child)).encode()[:60000])
            os._exit(0)
        os.close(into)
        pipes.append(out)
    wrong = mine(children)
    for out in pipes:
        wrong += json.loads(b"".join(iter(lambda: os.read(out, 65536), b"")))
        os.wait()
    print(json.dumps(wrong))
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Sandbox(seed=7, clicks_per_day=5) as sandbox, serve(sandbox, timeout=20) as server:
        yield server.url


def account(url: str) -> dict[str, str]:
    return {
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_PUBLISHER_URL": url,
    }


@pytest.mark.parametrize("protocol", ["soap", "rest"])
def test_forked_children_of_a_used_client_get_their_own_responses(url: str, protocol: str) -> None:
    assert run(_CALLS, **account(url), SOAPCLIENT_PUBLISHER_PROTOCOL=protocol) == []


_AROUND = """
import json, os, sys, threading
def fork():
    out, into = os.pipe()
    if os.fork():
        os.close(into)
        print(os.read(out, 65536).decode())
        os.wait()
        sys.stdout.flush()
        os._exit(0)
    os.close(out)
    return into
def tell(into, result):
    os.write(into, json.dumps(result).encode())
    os._exit(0)
def held_by_another_thread(lock):
    held, go_on = threading.Event(), threading.Event()
    def hold():
        with lock:
            held.set()
            go_on.wait()
    threading.Thread(target=hold, daemon=True).start()
    held.wait()
"""


def run(code: str, **environment: str) -> object:
    """Return the JSON output of `code`, which may report from a forked child."""
    program = _AROUND + textwrap.dedent(code)
    done = ran([sys.executable, "-c", program], env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_lock_that_another_thread_held_is_free_in_the_child() -> None:
    code = """
    from soapclient._support.forks import Lock
    lock = Lock()
    held_by_another_thread(lock)
    into = fork()
    with lock:
        tell(into, "free")
    """
    assert run(code) == "free"


def test_a_property_that_another_thread_computes_is_computed_in_the_child() -> None:
    code = """
    from soapclient._support.forks import lazy
    begun, go_on, parent = threading.Event(), threading.Event(), os.getpid()
    class Owner:
        @lazy
        def value(self):
            if os.getpid() == parent:
                begun.set()
                go_on.wait()
            return "computed"
    owner = Owner()
    threading.Thread(target=lambda: owner.value, daemon=True).start()
    begun.wait()
    into = fork()
    tell(into, owner.value)
    """
    assert run(code) == "computed"


def test_all_locks_of_the_package_are_renewed_after_a_fork() -> None:
    """If it fails for a new `threading.Lock` or `cached_property`, see `soapclient._support.forks`."""
    code = """
    import functools, gc, importlib, pkgutil
    import soapclient
    for found in pkgutil.walk_packages(soapclient.__path__, "soapclient."):
        if not any(part in found.name for part in (".sandbox", ".cli", ".__main__")):
            importlib.import_module(found.name)
    from soapclient import Client, Settings
    from soapclient._support.forks import Lock, lazy
    url = "http://127.0.0.1:9"
    config = Settings.load(environ={}, connect_id="A" * 20, secret_key="k", publisher_url=url, data_url=url,
                         drift_log="unused.jsonl")
    client = Client(config)
    engines = [client.publisher.engine, client.data.engine]
    plain, held, looked = type(threading.Lock()), [], 0
    def look(name, names):
        for key, value in names.items():
            if isinstance(value, plain) or (
                isinstance(value, functools.cached_property) and not isinstance(value, lazy)
            ):
                held.append(f"{name}.{key}")
    for each in gc.get_objects():
        kind = each if isinstance(each, type) else type(each)
        home = str(kind.__module__)
        ours = home.startswith("soapclient") and ".sandbox" not in home
        if ours and home != "soapclient._support.forks":
            looked += 1
            look(kind.__qualname__, getattr(each, "__dict__", {}))
    for name, module in list(sys.modules.items()):
        if name.startswith("soapclient") and ".sandbox" not in name:
            look(name, vars(module))
    assert looked > 100, looked
    print(json.dumps(held))
    """
    assert run(code) == []


def test_cookie_jar_of_a_session_does_not_deadlock() -> None:
    """requests takes the jar's lock for every response."""
    code = """
    from soapclient.transport import http
    from soapclient.transport.session import open_session
    session = open_session()
    held_by_another_thread(session.cookies._cookies_lock)
    into = fork()
    session.cookies.clear_expired_cookies()
    tell(into, list(session.cookies))
    """
    assert run(code) == []


def test_failed_renewal_does_not_stop_the_others() -> None:
    code = """
    from soapclient._support import forks
    class Broken:
        def renew(self):
            raise RuntimeError("no")
    one, broken, other = forks.Lock(), Broken(), forks.Lock()
    forks.renewed_in_children(broken)
    last = forks.Lock()
    raws = [each._lock for each in (one, other, last)]
    into = fork()
    tell(into, [each._lock is not raw for each, raw in zip((one, other, last), raws)])
    """
    assert run(code) == [True, True, True]


def test_child_has_its_own_quota() -> None:
    code = """
    from soapclient.errors import ConnectionFailed
    from soapclient.calling.retry import RetryQuota
    quota = RetryQuota(10, retry_cost=5)
    error = ConnectionFailed("https://h.example", "reset")
    assert [quota.take(error) for _ in range(3)] == [5, 5, None]
    into = fork()
    tell(into, [quota.tokens, *(quota.take(error) for _ in range(3))])
    """
    assert run(code) == [10, 5, 5, None]


def test_parent_and_child_draw_different_nonces_and_waits() -> None:
    code = """
    import random
    from soapclient.clock import fresh_nonce
    fresh_nonce(), random.random()
    out, into = os.pipe()
    child = os.fork()
    drawn = [[fresh_nonce() for _ in range(50)], [random.random() for _ in range(50)]]
    if child == 0:
        os.write(into, json.dumps(drawn).encode())
        os._exit(0)
    os.close(into)
    theirs = json.loads(b"".join(iter(lambda: os.read(out, 65536), b"")))
    os.wait()
    print(json.dumps([len(set(one) | set(other)) for one, other in zip(drawn, theirs)]))
    """
    assert run(code) == [100, 100]


def test_child_cannot_read_a_stream_of_its_parent(url: str) -> None:
    code = """
    import datetime as dt
    from soapclient import Client
    from soapclient.errors import SoapClientError
    client = Client()
    day = dt.date(2026, 11, 1)
    with client.publisher.stream.get_sales(date=day, date_type="trackingDate", items=50) as sales:
        next(sales)
        into = fork()
        try:
            tell(into, [sale.id for sale in sales])
        except SoapClientError as error:
            tell(into, str(error))
    """
    assert "another process" in str(run(code, **account(url)))


def test_deleted_objects_are_forgotten() -> None:
    code = """
    from soapclient._support import forks
    kept = [forks.Lock() for _ in range(10)]
    for _ in range(10_000):
        forks.Lock()
    print(json.dumps(len(forks._renewables._references)))
    """
    remembered = run(code)
    assert isinstance(remembered, int)
    assert 10 <= remembered <= 200
