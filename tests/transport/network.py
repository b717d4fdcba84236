"""A network on loopback: TLS in front of a plain server, a proxy, and a certificate authority."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.certificates import openssl
from tests.support.cases import case_text

_CA = case_text(__file__, "ca.cnf")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Authority:
    """A certificate authority in its own folder. Its certificate is `file`."""

    folder: Path
    name: str

    def __post_init__(self) -> None:
        (self.folder / "index.txt").write_text("")
        (self.folder / "serial").write_text("01")
        (self.folder / "ca.cnf").write_text(_CA.format(folder=self.folder))
        extensions = ("-addext", "basicConstraints=critical,CA:TRUE", "-days", "2")
        subject = ("-subj", f"/O=Tests/CN={self.name}")
        openssl("req", "-x509", *self._new(self.key), *subject, *extensions, "-out", str(self.file))

    @property
    def file(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def key(self) -> Path:
        return self.folder / "authority.key"

    def signed(self, name: str, hosts: str, dates: tuple[str, str] | None = None) -> tuple[str, str]:
        """Issue a certificate and key for hosts such as `DNS:a.example,IP:127.0.0.2`.

        Valid between two dates, by default now.
        """
        key, request, certificate = (str(self.folder / f"{name}.{kind}") for kind in ("key", "csr", "pem"))
        subject = ("-subj", f"/CN={name}", "-addext", f"subjectAltName={hosts}")
        openssl("req", *self._new(Path(key)), *subject, "-out", request)
        valid = ("-days", "2") if dates is None else ("-startdate", dates[0], "-enddate", dates[1])
        by = ("-config", str(self.folder / "ca.cnf"), "-cert", str(self.file), "-keyfile", str(self.key))
        openssl("ca", "-batch", "-notext", *by, *valid, "-in", request, "-out", certificate)
        return certificate, key

    @staticmethod
    def _new(key: Path) -> tuple[str, ...]:
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(key)


@dataclass
class Network:
    """Servers on an event loop in its own thread."""

    loop: asyncio.AbstractEventLoop
    servers: list[asyncio.Server] = field(default_factory=list)
    ways: set[asyncio.WriteTransport] = field(default_factory=set)  # of accepted connections

    def tls(self, pair: tuple[str, str], behind: int, *, asks: Path | None = None) -> int:
        """Start TLS in front of the plain server at a port of 127.0.0.1.

        `asks` is the authority for client certificates. Returns the port.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        if asks is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(asks)
        return self.plain(behind, context)

    def plain(self, behind: int, context: ssl.SSLContext | None = None) -> int:
        """The same without TLS."""

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                async with _open("127.0.0.1", behind) as inner:
                    await _joined((reader, writer), inner)

        return self._serve(accept, "127.0.0.2", context)

    def proxy(self, hosts: Mapping[str, tuple[str, int]], seen: list[str], password: str = "") -> int:
        """Start a proxy for some hosts.

        It requires `user:password` if set. `seen` gets the first line of each request, and `refused` for each
        refused one. Returns the port.
        """
        wanted = f"Basic {base64.b64encode(password.encode()).decode()}"

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *fields = head.rstrip("\r\n").split("\r\n")
                seen.append(first)
                given = [
                    text
                    for name, _, text in (each.partition(": ") for each in fields)
                    if name.lower() == "proxy-authorization"
                ]
                if password and given != [wanted]:
                    seen.append("refused")
                    writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                    await writer.drain()
                    return
                method, target, _ = first.split(" ")
                host = target.removeprefix("http://").partition("/")[0].rpartition(":")[0] or target
                async with _open(*hosts[host]) as inner:
                    if method == "CONNECT":
                        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    else:
                        path = "/" + target.removeprefix("http://").partition("/")[2]
                        inner[1].write(head.replace(target, path, 1).encode("latin-1"))
                    await _joined((reader, writer), inner)

        return self._serve(accept, "127.0.0.1", None)

    def _serve(
        self,
        accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object],
        host: str,
        context: ssl.SSLContext | None,
    ) -> int:
        async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.ways.add(writer.transport)
            try:
                await accept(reader, writer)  # type: ignore[misc] # a coroutine
            finally:
                writer.close()

        async def begin() -> asyncio.Server:
            return await asyncio.start_server(closing, host, 0, ssl=context)

        server = asyncio.run_coroutine_threadsafe(begin(), self.loop).result(timeout=30)
        self.servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port


@asynccontextmanager
async def _open(host: str, port: int) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def _joined(one: Streams, other: Streams) -> None:
    """Forward data in both directions until one side ends."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()

    ways = [asyncio.ensure_future(pump(one[0], other[1])), asyncio.ensure_future(pump(other[0], one[1]))]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    await asyncio.gather(*ways, return_exceptions=True)


@contextmanager
def network() -> Iterator[Network]:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # tests cause failing handshakes on purpose
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    found = Network(loop)

    async def end() -> None:
        for server in found.servers:
            server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for way in found.ways:
            way.abort()  # TLS would wait long for a reply of the other side
        for _ in range(3):  # the loop closes ended connections, TLS first
            await asyncio.sleep(0)

    try:
        yield found
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(timeout=30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=30)
        loop.close()
