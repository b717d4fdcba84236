from __future__ import annotations

import copy
import hashlib
import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from soapclient.errors import ConfigError
from soapclient.tracking.exports.handle import ExportHandle

BERLIN = timezone(timedelta(hours=1))
HANDLE = ExportHandle(
    service="data",
    job_id="job-1",
    report_type="click",
    request={"report_type": "click", "program_id": 7},
    ordered_at=datetime(2026, 11, 1, 9, 30, tzinfo=BERLIN),
)


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(HANDLE.to_json()), **fields})


def test_handle_survives_json_pickle_and_copy() -> None:
    assert ExportHandle.from_json(HANDLE.to_json()) == HANDLE
    assert ExportHandle.from_json(HANDLE.to_json().encode()) == HANDLE
    assert pickle.loads(pickle.dumps(HANDLE)) == HANDLE
    assert copy.deepcopy(HANDLE) == HANDLE
    assert hash(pickle.loads(pickle.dumps(HANDLE))) == hash(HANDLE)


def test_the_time_of_the_order_is_kept_in_utc() -> None:
    assert HANDLE.ordered_at == datetime(2026, 11, 1, 8, 30, tzinfo=UTC)
    assert json.loads(HANDLE.to_json())["ordered_at"] == "2026-11-01T08:30:00+00:00"


def test_the_digest_does_not_depend_on_the_order_of_arguments() -> None:
    turned = ExportHandle("data", "job-2", "click", {"program_id": 7, "report_type": "click"}, None)
    assert turned.request_sha256 == HANDLE.request_sha256
    known = hashlib.sha256(b'{"program_id":7,"report_type":"click"}').hexdigest()
    assert HANDLE.request_sha256 == known


def test_the_request_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        HANDLE.request["program_id"] = 8  # type: ignore[index]  # it must fail


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "must be a JSON object, got"),
        ("{}", "has the format None, but this version reads format 1"),
        (changed(format=2), "has the format 2"),
        (changed(surplus=1), "surplus"),
        (json.dumps({"format": 1}), "job_id"),
        (changed(job_id=""), "an empty job_id"),
        (changed(job_id=True), "`int | str`, got `bool` - at `$.job_id`"),
        (changed(service=3), "`str`, got `int` - at `$.service`"),
        (changed(request=[]), "`object`, got `array` - at `$.request`"),
        (changed(request={"a": [1]}), "got `array` - at `$.request[...]`"),
        (changed(request={"report_type": "sale"}), "request_sha256"),
        (changed(ordered_at="yesterday"), "at `$.ordered_at`"),
        (changed(ordered_at="2026-11-01T08:30:00"), "ordered_at with a zone"),
        (changed(ordered_at="0001-01-01T00:00:00+14:00"), "ordered_at that is out of range"),
        (changed(ordered_at="9999-12-31T23:59:59-14:00"), "ordered_at that is out of range"),
        (changed(in_ledger=1), "`bool`, got `int` - at `$.in_ledger`"),
    ],
)
def test_invalid_handle_is_refused_with_the_reason(text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ExportHandle.from_json(text)
    assert said in str(caught.value)
    assert "ExportHandle.to_json()" in str(caught.value)


def test_a_handle_needs_a_zone() -> None:
    with pytest.raises(ConfigError, match="zone"):
        ExportHandle("data", "1", "click", {}, datetime(2026, 11, 1))


def test_numeric_id_and_earliest_time_are_kept() -> None:
    handle = ExportHandle("data", 17, "click", {}, datetime(1, 1, 1, tzinfo=UTC))
    again = ExportHandle.from_json(handle.to_json())
    assert (again.job_id, again.ordered_at) == (17, datetime(1, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("mark", ["in_ledger", "adopted", "vouched"])
def test_marks_are_kept_and_do_not_distinguish_handles(mark: str) -> None:
    marks: dict[str, Any] = {mark: True}
    marked = replace(HANDLE, **marks)
    assert marked == HANDLE
    assert mark not in HANDLE.to_json()
    for again in (ExportHandle.from_json(marked.to_json()), pickle.loads(pickle.dumps(marked))):
        assert getattr(again, mark)


@pytest.mark.parametrize("key", ["service", "job_id", "report_type", "ordered_at", "request_sha256"])
def test_lone_surrogate_is_refused(key: str) -> None:
    """JSON can contain lone surrogates, but no request and no terminal accepts them."""
    good = json.loads(HANDLE.to_json())
    for bad in (good | {key: f"{good[key]}\ud800"}, good | {f"{key}\ud800": "x"}):
        for text in (json.dumps(bad), json.dumps(bad, ensure_ascii=False).encode("utf-8", "surrogatepass")):
            with pytest.raises(ConfigError, match="is not JSON") as caught:
                ExportHandle.from_json(text)
            str(caught.value).encode()
