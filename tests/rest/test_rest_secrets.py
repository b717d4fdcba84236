"""Errors of failed calls contain no signature that could still be used, in any representation."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import logging
from pathlib import Path

import pytest
import requests

from soapclient.errors import ServiceFault
from tests.conftest import SECRET_KEY, RestClient
from tests.support.wire import Recorder


def test_urllib3_logs_no_signature(
    recorder: Recorder, rest_client: RestClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """This includes calls and downloads, the connect ID, and all other query parameters."""
    caplog.set_level(logging.DEBUG)
    client = rest_client(rest_signature="query", rest_format="json")
    with pytest.raises(ServiceFault):
        client.publisher.get_adspaces(items=5)
    ticket = "ticket-of-the-download"
    item = {"@id": "7", "status": "done", "downloadUrl": f"{recorder.url}/file?ticket={ticket}"}
    recorder.answers(json.dumps({"jobItem": item}))
    recorder.answers(json.dumps({"jobItem": item}))
    # A header without a colon: urllib3 logs a warning with the complete address.
    said = "<signature>N4RPYDY1aUjciVm32pCJ82FVvuk=</signature>"
    file = gzip.compress(b"clickId\r\n1\r\n")
    broken = {"Content-Length": str(len(file)), "X-Odd\r\nno colon\r\nX-More": said}
    recorder.answers(file, 200, "application/gzip", **broken)
    day = dt.date(2026, 11, 1)
    export = client.data.export(report_type="click", from_date=day, to_date=day)
    export.download(tmp_path / "clicks.csv.gz")

    assert [each.path for each in recorder.sent][1:] == [
        "/json/2011-05-01/jobs/reports/type/click",
        "/json/2011-05-01/jobs/job/id/7",
        "/file",
    ]
    records = [record for record in caplog.records if record.name.startswith("urllib3.")]
    text = "\n".join(f"{record.getMessage()} {record.args!r}" for record in records)
    for sent in recorder.sent:
        given = dict(sent.pairs)
        assert len(given["signature"]) == 28
        assert given["nonce"].startswith("REST-NONCE")
        assert sent.path in text
        for name in ("signature", "nonce", "connectid"):
            assert f"{name}=[hidden]" in text
            assert given[name] not in text
            assert given[name].rstrip("=") not in text
    assert ticket not in text
    assert "Failed to parse headers" in text
    assert said not in text + caplog.text
    assert SECRET_KEY not in text

    caplog.clear()  # ignore requests of other tests in the same process
    requests.get(f"{recorder.url}/theirs?page=2", timeout=60)
    assert any("/theirs?page=2" in record.getMessage() for record in caplog.records)
