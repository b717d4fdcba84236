"""MTOM against Metro (JAX-WS RI), as client and as server, with 20 MB; and the memory that it takes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
import tracemalloc
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from bindgen import init
from soapclient import Settings, connect
from soapclient.testing import Mock
from soapclient.testing.mocks.server import mock_service
from tests.soap.test_soap_mtom import WSDL, response
from tests.support.packages import generated

pytestmark = pytest.mark.exhaustive

_SIZE: Final = 20_000_000
_JARS: Final = [
    Path(f"/usr/share/java/{name}.jar")
    for name in (
        *("jaxws-ri-runtime", "jaxws-rt", "jaxws-api", "jaxb-api", "jaxb-runtime", "jaxb-core", "jaxb-impl"),
        *("saaj-impl", "saaj", "stax-ex", "streambuffer", "mimepull", "gmbal", "javax.activation", "txw2"),
        *("FastInfoset", "istack-commons-runtime"),
    )
]
metro = pytest.mark.skipif(
    shutil.which("javac") is None or not all(jar.exists() for jar in _JARS),
    reason="needs javac and Debian's package libjaxws-java",
)
CONTENT: Final = bytes(index * 7 % 256 for index in range(256)) * (_SIZE // 256)
HASH: Final = hashlib.sha256(CONTENT).digest()


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the Java program."""
    folder = tmp_path_factory.mktemp("metro")
    path = ":".join(map(str, [*_JARS, folder]))
    source = Path(__file__).parent / "metro/Files.java"
    subprocess.run(["javac", "-cp", path, "-d", str(folder), str(source)], check=True)
    return ["java", "-cp", path, "Files"]


@pytest.fixture(scope="module")
def served(java: list[str]) -> Iterator[str]:
    """The address of a running service of Metro."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        java, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.stdin.write("\n")


@pytest.fixture
def package(
    request: pytest.FixtureRequest, tmp_path: Path, served: str, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """A package from the WSDL that Metro serves, with the version of SOAP that the test names."""
    version = request.param
    name = f"files_of_metro_{version}"
    made = init.make(name, f"{served}/{version}?wsdl")
    init.write(tmp_path / name, made.files)
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    return import_module(f"{name}.service")


def _service(package: ModuleType) -> Any:
    return getattr(package, package.__name__.partition(".")[0].title().replace("_", "") + "Service")


@metro
@pytest.mark.parametrize("package", ["11", "12"], indirect=True)
def test_metro_reads_our_requests_and_we_read_its_responses(package: ModuleType, tmp_path: Path) -> None:
    """Metro offers MTOM in its policy, which turns it on."""
    assert [port.mtom for port in package.PACKAGE.settings.ports] == ["optional"]
    (tmp_path / "content").write_bytes(CONTENT)
    with connect(_service(package)) as files:
        assert files.store(content=tmp_path / "content").hash == HASH
        assert files.store(content=b"small").hash == hashlib.sha256(b"small").digest()
        assert files.load(size=_SIZE).content == CONTENT


@metro
@pytest.mark.parametrize("package", ["11", "12"], indirect=True)
def test_mock_reads_requests_of_metro_and_metro_its_responses(package: ModuleType, java: list[str]) -> None:
    service = mock_service(_service(package))
    service.max_body = 2 * _SIZE
    with Mock(service, "127.0.0.1", 0) as mocked:
        mocked.on("store").reply(hash=HASH)
        mocked.on("load").reply(content=CONTENT)
        command = [*java, mocked.wsdl, str(_SIZE)]
        client = subprocess.run(command, check=True, capture_output=True, text=True)
        *_, store = mocked.calls()  # the log keeps 20 MB
        assert "application/xop+xml" in store.received
        assert store.request.content == CONTENT  # type: ignore[attr-defined] # of any operation
        assert store.size < len(CONTENT) + 5000
    assert client.stdout.split() == [HASH.hex()] * 2


class _Discarding(BaseHTTPRequestHandler):
    """Reads requests piece by piece, and keeps only their hashes."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        left, digest = int(self.headers["Content-Length"]), hashlib.sha256()
        while left:
            piece = self.rfile.read1(min(left, 1 << 16))
            left -= len(piece)
            digest.update(piece)
        body = response()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _pipe(file: Path) -> tuple[Any, threading.Thread]:
    """Return a stream of the content of a file that cannot be rewound, and the thread that writes it."""
    read_end, write_end = os.pipe()

    def write() -> None:
        with file.open("rb") as source, open(write_end, "wb") as target:
            shutil.copyfileobj(source, target)

    thread = threading.Thread(target=write)
    thread.start()
    return open(read_end, "rb"), thread


def test_large_file_is_never_in_memory(tmp_path: Path) -> None:
    """A stream that cannot be rewound is copied to a file, of which the first MiB is in memory."""
    (tmp_path / "content").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Discarding)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    stream, writer = _pipe(tmp_path / "content")
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with (
        stream,
        (tmp_path / "content").open("rb") as file,
        generated("kept_small", WSDL) as package,
        connect(package.KeptSmallService, address=address, settings=Settings(mtom="always")) as connection,
    ):
        connection.store(name="x", content=[b"warm up" * 1000])
        for value, most in ((tmp_path / "content", 1_000_000), (file, 1_000_000), (stream, 3_000_000)):
            tracemalloc.start()
            connection.store(name="x", content=[value])
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < most
    writer.join()
    server.shutdown()
    server.server_close()
    thread.join()
