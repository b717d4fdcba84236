from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import requests_mock

from soapclient.errors import (
    AuthenticationError,
    ConfigError,
    ConnectionFailed,
    CorruptDownload,
    DeadlineExceeded,
    ResponseError,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)
from soapclient.tracking.exports.download.download import DownloadProgress
from tests.tracking.exports.conftest import PACKED, Scripted, Stub, build_stage

KEY = b"fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"  # the published sample, docs/explanation/service.md#signing
CONNECT_ID = "802B8BF4AE99EBE00F41"
PATH = "/xml/2011-05-01/jobs/job/id/job-1/download"


def nothing_left(target: Path) -> bool:
    return list(target.parent.iterdir()) == []


def signature(uri: str, headers: dict[str, str]) -> str:
    text = f"GET{uri}{headers['date']}{headers['nonce']}"
    return base64.b64encode(hmac.new(KEY, text.encode(), hashlib.sha1).digest()).decode()


def test_file_is_downloaded_with_a_signature_and_described(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=PACKED, Content_Type="application/gzip")
    seen: list[DownloadProgress] = []
    export = stage.done(rows="3", size=str(len(PACKED)), compression="gzip-csv")
    file = export.download(target, on_progress=seen.append)
    assert target.read_bytes() == PACKED
    assert [path.name for path in target.parent.iterdir()] == ["clicks.csv.gz"]
    assert (file.path, file.row_count, file.size) == (target, 3, len(PACKED))
    assert file.sha256 == hashlib.sha256(PACKED).hexdigest()
    assert file.columns == ("clickId", "referrer")
    assert seen[-1] == DownloadProgress(len(PACKED), len(PACKED), 3)
    [(path, headers)] = stub.requests
    assert path == PATH
    uri = "/jobs/job/id/job-1/download"
    assert headers["authorization"] == f"ZXWS {CONNECT_ID}:{signature(uri, headers)}"
    assert headers["date"] == "Fri, 20 Nov 2026 12:00:00 GMT"
    assert headers["accept-encoding"] == "identity"
    assert "cookie" not in headers


def test_address_of_the_job_is_used_and_its_exact_path_signed(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    stub.answer(body=PACKED)
    # urllib3 would rewrite %7e and the dot segment, but the signed path must equal the sent path
    stage.done(downloadUrl=f"{stub.url}/Files/%7ea/../b%2fc.gz?ticket=5").download(target)
    [(path, headers)] = stub.requests
    uri, _, query = path.partition("?")
    assert query == "ticket=5"
    assert headers["authorization"].endswith(signature(uri, headers))


def test_missing_address_is_reported_before_any_request(target: Path) -> None:
    stage = build_stage(None, data_soap_url="https://data.example.org/soap")
    export = stage.done()
    with pytest.raises(ConfigError, match="data_base_url"):
        export.download(target)
    assert stage.jobs.calls == []


# ---- damaged files


TWICE = 2  # damage may come from the transfer, so a damaged file is requested once more
SIZE = len(PACKED)


def flipped(at: int) -> bytes:
    """Return the file with a flipped bit."""
    broken = bytearray(PACKED)
    broken[at] ^= 4
    return bytes(broken)


def test_damaged_download_is_fetched_once_more(stage: Scripted, stub: Stub, target: Path) -> None:
    """The file is truncated although no length shows it, or has a changed byte."""
    for damaged in (PACKED[:-5], flipped(-8)):
        stub.answer(body=damaged)
        stub.answer(body=PACKED)
        assert stage.done(rows="3", size=str(len(PACKED))).download(target).row_count == 3
        assert target.read_bytes() == PACKED
        target.unlink()


@pytest.mark.parametrize("size_told", [True, False])
def test_a_truncated_file_is_corrupt(stage: Scripted, stub: Stub, target: Path, size_told: bool) -> None:
    stub.answer(body=PACKED[:-5], times=TWICE)
    fields = {"size": str(SIZE)} if size_told else {}
    with pytest.raises(CorruptDownload, match="truncated"):
        stage.done(**fields).download(target)
    assert nothing_left(target)


@pytest.mark.parametrize("at", [-1, -8, -20])
def test_a_flipped_bit_is_corrupt(stage: Scripted, stub: Stub, target: Path, at: int) -> None:
    stub.answer(body=flipped(at), times=TWICE)
    with pytest.raises(CorruptDownload, match="damaged") as caught:
        stage.done().download(target)
    assert str(caught.value).startswith(f"{target}: the file is damaged: ")
    assert nothing_left(target)


def test_a_wrong_number_of_rows_is_corrupt(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=PACKED)
    said = "number of rows differs from the number that the job reports"
    with pytest.raises(CorruptDownload, match=said) as caught:
        stage.done(rows="4").download(target)
    assert (caught.value.expected, caught.value.found) == ("4 rows", "3 rows")
    assert nothing_left(target)


def test_a_wrong_size_is_corrupt(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=PACKED, times=TWICE)
    said = "size of the file differs from the size that the job reports"
    with pytest.raises(CorruptDownload, match=said) as caught:
        stage.done(size=str(SIZE + 1)).download(target)
    assert (caught.value.expected, caught.value.found) == (f"{SIZE + 1} bytes", f"{SIZE} bytes")
    assert nothing_left(target)


def test_endless_file_is_stopped_at_the_size_of_the_job(stage: Scripted, stub: Stub, target: Path) -> None:
    def endless() -> Iterator[bytes]:
        yield gzip.compress(b"a\n")
        while True:
            yield bytes(65536)

    for _ in range(TWICE):
        stub.answer(body=endless())
    with pytest.raises(CorruptDownload, match="found more than 1000 bytes"):
        stage.done(size="1000").download(target)
    assert nothing_left(target)


@pytest.mark.parametrize("said", [{}, {"rows": "3"}])
def test_paired_bare_quotes_and_blank_lines_are_counted_correctly(
    stage: Scripted, stub: Stub, target: Path, said: dict[str, str]
) -> None:
    stub.answer(body=gzip.compress(b'a,b\r\n1,6" pipe\r\n\r\n2,x\r\n3,1" pipe\r\n'))
    file = stage.done(**said).download(target)
    assert file.row_count == len(list(file.raw_rows())) == 3
    assert file.to_csv(target.with_name("plain.csv")).rows == 3


def test_equal_wrong_row_counts_do_not_prove_a_file_complete(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    stub.answer(body=gzip.compress(b'a,b\r\n1,6" pipe\r\n2,x\r\n3,1" pipe\r\n'))
    with pytest.raises(CorruptDownload, match="3 rows"):  # counting the parity of its quotes gives 1 row
        stage.done(rows="1").download(target)


def test_failed_job_keeps_the_existing_file(stage: Scripted, stub: Stub, target: Path) -> None:
    target.write_bytes(b"yesterday's")
    stub.answer(body=PACKED[:-1], times=TWICE)
    export = stage.done()
    with pytest.raises(CorruptDownload):
        export.download(target)
    assert target.read_bytes() == b"yesterday's"
    stub.answer(body=PACKED)
    export.download(target)
    assert target.read_bytes() == PACKED


@pytest.mark.parametrize("body", [b"<html><title>Maintenance</title></html>", b"", b"\x1f", b"clickId\n1\n"])
def test_anything_but_gzip_is_an_unexpected_response(
    stage: Scripted, stub: Stub, target: Path, body: bytes
) -> None:
    # an error page of a proxy, which may be gone on the next attempt
    stub.answer(body=body, Content_Type="text/html", times=4)
    with pytest.raises(UnexpectedResponse, match="not gzip") as caught:
        stage.done().download(target)
    assert caught.value.attempts == 4
    assert caught.value.status == 200
    assert caught.value.content_type == "text/html"
    assert ("Maintenance" in caught.value.excerpt) is (b"Maintenance" in body)
    assert nothing_left(target)


def test_gzip_file_with_gzip_content_encoding_is_stored_unchanged(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    stub.answer(body=PACKED, Content_Encoding="gzip", Content_Type="text/csv")
    stage.done(rows="3", size=str(len(PACKED))).download(target)
    assert target.read_bytes() == PACKED


def test_doubly_compressed_file_is_refused(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=gzip.compress(PACKED), Content_Encoding="gzip", times=TWICE)
    with pytest.raises(CorruptDownload, match="compressed twice"):
        stage.done().download(target)
    assert nothing_left(target)


def test_header_that_is_not_text_is_refused(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=gzip.compress("größe\n".encode("latin-1")))
    with pytest.raises(ResponseError, match="UTF-8"):
        stage.done().download(target)
    assert nothing_left(target)


def test_empty_file_has_no_rows(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=gzip.compress(b""))
    file = stage.done(rows="0").download(target)
    assert (file.row_count, file.columns, list(file)) == (0, (), [])


def test_other_compression_is_refused_before_any_request(stage: Scripted, stub: Stub, target: Path) -> None:
    with pytest.raises(ResponseError, match="'zip-csv', expected gzip-csv"):
        stage.done(compression="zip-csv").download(target)
    assert stub.requests == []


# ---- other statuses


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, AuthenticationError, "no id sent"),
        (403, AuthenticationError, "no id sent"),
        (404, UnexpectedResponse, "does not know the file"),
        (409, UnexpectedResponse, "not ready yet"),
        (204, UnexpectedResponse, "was refused"),
        (206, UnexpectedResponse, "was refused"),
        (302, UnexpectedResponse, "was refused"),  # a redirect without a Location
        (400, UnexpectedResponse, "no id sent"),
    ],
)
def test_each_refusal_is_a_typed_error_and_not_retried(
    stage: Scripted, stub: Stub, target: Path, status: int, kind: type[SoapClientError], said: str
) -> None:
    body = b"" if status == 204 else b"<response><reason>no id sent</reason></response>"
    stub.answer(status, body)
    with pytest.raises(kind, match=said) as caught:
        stage.done().download(target)
    assert getattr(caught.value, "operation", None) == "download"
    assert len(stub.requests) == stage.jobs.polls() == 1
    assert nothing_left(target)
    assert "df2c5aa44" not in str(caught.value)


def test_expired_address_of_a_valid_job_is_not_an_expired_job(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    stub.answer(410, b"gone")
    said = r"job-1: the address of the file has expired.*HTTP status 410"
    with pytest.raises(UnexpectedResponse, match=said):
        stage.done().download(target)
    assert [name for name, _ in stage.jobs.calls] == ["GetJob", "GetJob"]  # asked for another address
    assert len(stub.requests) == 1
    assert nothing_left(target)


def test_refusal_with_a_truncated_body_is_still_a_refusal(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(403, b"signature", Content_Length="1000")
    with pytest.raises(AuthenticationError, match="signature"):
        stage.done().download(target)


# ---- transient errors


def test_retry_after_503_is_signed_again_and_gets_the_file(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(503, b"busy", Retry_After="7")
    stub.answer(body=PACKED)
    assert stage.done().download(target).row_count == 3
    first, second = (headers for _, headers in stub.requests)
    for name in ("authorization", "date", "nonce"):
        assert first[name] != second[name]
    assert second["authorization"].endswith(signature("/jobs/job/id/job-1/download", second))
    assert stage.clock.sleeps == [7.0]


def test_a_retry_after_may_be_a_date(stage: Scripted, stub: Stub, target: Path) -> None:
    theirs = "Mon, 03 Feb 2031 04:05:06 GMT"  # the server's clock may show any time
    stub.answer(503, Date=theirs, Retry_After="Mon, 03 Feb 2031 04:05:36 GMT")
    stub.answer(body=PACKED)
    stage.done().download(target)
    assert stage.clock.sleeps == [30.0]


@pytest.mark.parametrize("text", ["soon", "-1", "1e9", "Fri, 20 Nov 2026 12:00:30"])
def test_invalid_retry_after_is_ignored(stage: Scripted, stub: Stub, target: Path, text: str) -> None:
    stub.answer(503, Retry_After=text)
    stub.answer(body=PACKED)
    stage.done().download(target)
    assert stage.clock.sleeps == [0.0]


def test_a_connection_that_keeps_breaking_is_a_transport_error(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    stub.answer(body=PACKED[:40], Content_Length=str(len(PACKED)), times=4)
    with pytest.raises(ConnectionFailed) as caught:
        stage.done().download(target)
    assert caught.value.attempts == 4
    assert nothing_left(target)


def test_unreachable_server_is_a_transport_error(target: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stage = build_stage(f"http://127.0.0.1:{port}", attempts="1")
    with pytest.raises(ConnectionFailed):
        stage.done().download(target)
    assert nothing_left(target)


def test_permanent_503_stops_before_the_deadline(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(503, Retry_After="100")
    with pytest.raises(UnexpectedResponse):
        stage.done().download(target, deadline=60)
    assert stage.clock.sleeps == []


# ---- time


def test_slow_download_stops_at_the_deadline(stage: Scripted, stub: Stub, target: Path) -> None:
    go_on = threading.Event()

    def drip() -> Iterator[bytes]:
        yield PACKED[:30]
        go_on.wait(timeout=10)
        yield PACKED[30:31]
        go_on.wait(timeout=10)

    def later(_: DownloadProgress) -> None:
        stage.clock.advance(40)
        go_on.set()

    stub.answer(body=drip())
    with pytest.raises(DeadlineExceeded, match="downloading its file") as caught:
        stage.done().download(target, deadline=60, on_progress=later)
    assert caught.value.job_id == "job-1"
    assert nothing_left(target)


def test_silence_is_a_timeout_and_retried(stub: Stub, target: Path) -> None:
    stage = build_stage(stub.url, timeout="1")  # long enough for the second response on a busy machine
    heard = threading.Event()

    def silent() -> Iterator[bytes]:
        yield PACKED[:30]
        heard.wait(timeout=60)

    stub.answer(body=silent())
    stub.answer(body=PACKED)
    assert stage.done().download(target).row_count == 3
    heard.set()


def test_missing_response_is_a_timeout(target: Path) -> None:
    stage = build_stage("https://data.example.org", attempts="2")
    with requests_mock.Mocker() as web:
        web.get(requests_mock.ANY, exc=requests.ReadTimeout("slow"))
        with pytest.raises(Timeout) as caught:
            stage.done().download(target)
        assert web.call_count == 2
    assert caught.value.seconds == 60
    assert nothing_left(target)


# ---- the file system


def test_unwritable_path_is_reported_before_any_request(stage: Scripted, stub: Stub, target: Path) -> None:
    export = stage.done()
    with pytest.raises(FileNotFoundError):
        export.download(target / "x.gz")
    with pytest.raises(IsADirectoryError):
        export.download(target.parent)
    assert stage.jobs.calls == []
    assert stub.requests == []
    assert nothing_left(target)
