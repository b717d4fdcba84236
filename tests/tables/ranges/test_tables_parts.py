"""Files of a range of days, written day by day. Interrupted files are continued."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import openpyxl
import pyarrow.parquet as pq
import pytest

from soapclient import Client, days
from soapclient._support.durable import make_folder, open_locked
from soapclient.errors import ConfigError, ExportError, UnexpectedResponse
from soapclient.tables import parts
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.stage import Stage
from tests.tables.ranges.range_of_sales import DAYS, FIRST, Gate, Ids, flat, sales


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 3])
def test_failed_file_is_resumed(
    client: Client, gate: Gate, expected: Ids, tmp_path: Path, workers: int
) -> None:
    path = tmp_path / "sales.parquet"
    gate.broken = {DAYS[3]}
    with pytest.raises(UnexpectedResponse):
        sales(client, workers).to_parquet(path)
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet.days"]
    gate.broken, gate.asked = set(), []
    assert sales(client, workers).to_parquet(path).rows == len(flat(expected))
    assert DAYS[3] in gate.asked
    if workers == 1:
        assert set(gate.asked) == {DAYS[3]}
    assert duckdb.execute(f"select id from '{path}'").fetchall() == [(each,) for each in flat(expected)]
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 3])
def test_written_pages_are_reported(client: Client, expected: Ids, tmp_path: Path, workers: int) -> None:
    heard: list[tuple[int, int, int | None]] = []
    pages = sales(client, workers, items=50).on_page(lambda *page: heard.append(page))
    pages.to_parquet(tmp_path / "sales.parquet")
    assert len(heard) == sum(len(range(0, len(ids), 50)) for ids in expected.values())
    assert max(read for _, read, _ in heard) == len(flat(expected))


KILLED = """
import os, sys
from soapclient import Client, days, Settings
from soapclient.clock import ManualClock
import datetime as dt

url, path, key, secret = sys.argv[1:]
config = Settings.load(environ={}, connect_id=key, secret_key=secret, publisher_url=url)
client = Client(config, clock=ManualClock(dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)))
seen = []

def die(page, read, total):
    seen.append(page)
    if len(seen) == 4:
        os._exit(9)  # as a kill does: nothing is tidied up

span = days("2026-06-29", "2026-07-02")
pages = client.publisher.iterate.get_sales(date=span, date_type="trackingDate", items=50)
pages.on_page(die).to_parquet(path)
"""


@pytest.mark.exhaustive
def test_export_of_a_killed_process_is_resumed(
    stage: Stage, client: Client, gate: Gate, expected: Ids, tmp_path: Path
) -> None:
    path = tmp_path / "sales.parquet"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, stage.url, str(path), SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY],
        check=False,
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (9, b"")
    assert not path.exists()
    before = list(gate.asked)
    gate.asked = []
    assert sales(client, items=50).to_parquet(path).rows == len(flat(expected))
    assert duckdb.execute(f"select id from '{path}'").fetchall() == [(each,) for each in flat(expected)]
    # The day at which the process died is requested again, earlier days are not.
    assert set(before) | set(gate.asked) == set(DAYS)
    assert set(before) & set(gate.asked) == {before[-1]}
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


@pytest.mark.exhaustive
def test_range_is_written_as_csv_and_excel(client: Client, expected: Ids, tmp_path: Path) -> None:
    assert sales(client).to_csv(tmp_path / "sales.csv").rows == len(flat(expected))
    import pandas as pd

    assert list(pd.read_csv(tmp_path / "sales.csv")["id"]) == flat(expected)
    sales(client).to_excel(tmp_path / "sales.xlsx", zone="Europe/Berlin")
    header, *rows = openpyxl.load_workbook(tmp_path / "sales.xlsx")["GetSales"].iter_rows(values_only=True)
    assert [row[0] for row in rows] == flat(expected)
    assert "tracking_date (Europe/Berlin)" in header


@pytest.mark.exhaustive
def test_small_days_are_joined_into_larger_row_groups(
    client: Client, expected: Ids, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "GROUP", 150)
    path = sales(client).to_parquet(tmp_path / "sales.parquet").path
    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
    assert sum(groups) == len(flat(expected))
    assert all(rows >= 150 for rows in groups[:-1])
    assert 1 < len(groups) < len(DAYS)
    assert duckdb.execute(f"select id from '{path}'").fetchall() == [(each,) for each in flat(expected)]


@pytest.mark.parametrize("workers", [1, 2])
def test_partly_consumed_range_becomes_a_table_of_the_rest(
    client: Client, expected: Ids, tmp_path: Path, workers: int
) -> None:
    pages = sales(client, workers)
    assert [next(pages).id, next(pages).id] == flat(expected)[:2]
    path = pages.to_parquet(tmp_path / "rest.parquet").path
    assert pq.read_table(path)["id"].to_pylist() == flat(expected)[2:]


@pytest.mark.exhaustive
def test_dataset_folder_grows_by_days(client: Client, gate: Gate, expected: Ids, tmp_path: Path) -> None:
    folder = f"{tmp_path}/sales/"
    span = days(DAYS[0], DAYS[1])
    first = client.publisher.iterate.get_sales(date=span, date_type="trackingDate").to_parquet(folder)
    assert first.rows == len(expected[DAYS[0]]) + len(expected[DAYS[1]])
    gate.asked = []
    assert sales(client).to_parquet(Path(folder)).rows == len(flat(expected))  # now it is a folder
    assert set(gate.asked) == set(DAYS[2:])
    query = f"select date, count(*) from '{folder}*/*.parquet' group by date order by date"
    assert duckdb.execute(query).fetchall() == [(day, len(expected[day])) for day in DAYS]
    import polars as pl

    frame = pl.read_parquet(f"{folder}*/*.parquet", hive_partitioning=True)
    assert frame["date"].unique().sort().to_list() == DAYS
    assert frame.sort("date", maintain_order=True)["id"].to_list() == flat(expected)


def test_day_without_sales_becomes_an_empty_part(client: Client, tmp_path: Path) -> None:
    pages = sales(client, program_id=999)
    written = pages.to_parquet(tmp_path / "none.parquet")
    assert written.rows == 0
    assert pq.read_schema(written.path).remove_metadata() == pages.schema().remove_metadata()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("more", [{"program_id": 1801}, {"date_type": "clickDate"}])
def test_parts_of_another_request_are_not_resumed(
    client: Client, gate: Gate, tmp_path: Path, more: dict[str, Any]
) -> None:
    path = tmp_path / "sales.parquet"
    gate.broken = {DAYS[1]}
    with pytest.raises(UnexpectedResponse):
        sales(client).to_parquet(path)
    gate.asked = []
    with pytest.raises(ConfigError, match="contains the data of another request"):
        sales(client, **more).to_parquet(path)
    with pytest.raises(ConfigError, match="contains the data of another request"):
        sales(client).to_parquet(path, zone="Europe/Berlin")
    assert gate.asked == []
    asked = (tmp_path / "sales.parquet.days/_request.json").read_text()
    assert "GetSales" in json.loads(asked)["request"]
    assert client.settings.credentials().connect_id not in asked


@pytest.mark.exhaustive
def test_parts_of_another_account_are_not_resumed(stage: Stage, client: Client, tmp_path: Path) -> None:
    sales(client).to_parquet(f"{tmp_path}/sales/")
    other = stage.client(connect_id="2C2B8BF4AE99EBE00F42")
    with pytest.raises(ConfigError, match="contains the data of another request"):
        sales(other).to_parquet(f"{tmp_path}/sales/")


def test_foreign_folder_is_left_alone(client: Client, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"contains other files, such as 'thesis.txt'"):
        sales(client).to_parquet(tmp_path)
    assert (gate.asked, (tmp_path / "thesis.txt").read_text()) == ([], "mine")


def test_concurrent_writer_is_not_disturbed(client: Client, gate: Gate, tmp_path: Path) -> None:
    home = tmp_path / "sales.parquet.days"
    home.mkdir()
    lock = open_locked(home / "_lock", lambda: None)
    with pytest.raises(ExportError, match="another process is writing this"):
        sales(client).to_parquet(tmp_path / "sales.parquet")
    os.close(lock)
    assert gate.asked == []


@pytest.mark.exhaustive
def test_removed_folder_is_created_again(
    client: Client, expected: Ids, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may do this when it has just completed the same file."""
    home = tmp_path / "sales.parquet.days"
    made = []

    def vanishing(folder: Path) -> None:
        make_folder(folder)
        made.append(folder)
        if made == [home]:
            folder.rmdir()

    monkeypatch.setattr(parts, "make_folder", vanishing)
    assert sales(client).to_parquet(tmp_path / "sales.parquet").rows == len(flat(expected))
    assert made[:2] == [home, home]
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


@pytest.mark.exhaustive
def test_partly_removed_folder_is_recognised(
    client: Client, gate: Gate, expected: Ids, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[Path] = []

    def interrupted(folder: Path) -> None:
        if removed:
            raise KeyboardInterrupt
        removed.append(folder)
        rmtree(folder)

    path = tmp_path / "sales.parquet"
    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sales(client).to_parquet(path)
    assert pq.read_metadata(path).num_rows == len(flat(expected))
    gate.asked = []
    assert sales(client).to_parquet(path).rows == len(flat(expected))
    assert [f"date={day}" for day in dict.fromkeys(gate.asked)] == [folder.name for folder in removed]
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


def test_process_killed_at_its_first_step_is_resumed(client: Client, expected: Ids, tmp_path: Path) -> None:
    home = tmp_path / "sales.parquet.days"
    home.mkdir()
    for name in ("_lock", "_request.json.part"):
        (home / name).touch()
    assert sales(client).to_parquet(tmp_path / "sales.parquet").rows == len(flat(expected))
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


def test_dangling_folder_link_is_an_error(client: Client, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "sales.parquet.days").symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsError):
        sales(client).to_parquet(tmp_path / "sales.parquet")
    assert gate.asked == []


@pytest.mark.exhaustive
def test_foreign_files_next_to_the_days_are_removed_with_them(client: Client, tmp_path: Path) -> None:
    """A desktop may add such a file when it shows the folder."""
    path, home = tmp_path / "sales.parquet", tmp_path / "sales.parquet.days"

    def shown(page: int, read: int, total: int | None) -> None:
        (home / ".DS_Store").touch()

    sales(client).on_page(shown).to_parquet(path)
    assert [each.name for each in tmp_path.iterdir()] == ["sales.parquet"]


@pytest.mark.exhaustive
def test_numpy_number_is_the_same_request(client: Client, gate: Gate, tmp_path: Path) -> None:
    import numpy as np

    sales(client, program_id=1801).to_parquet(f"{tmp_path}/sales/")
    gate.asked = []
    sales(client, program_id=np.int64(1801)).to_parquet(f"{tmp_path}/sales/")
    assert gate.asked == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["parquet", "csv", "excel"])
def test_invalid_target_is_refused_before_any_request(
    client: Client, gate: Gate, tmp_path: Path, form: str
) -> None:
    (tmp_path / "folder").mkdir()
    places = [tmp_path / "none" / "file"] + ([] if form == "parquet" else [tmp_path / "folder"])
    for place in places:
        with pytest.raises(OSError, match=r"is a directory|No such file"):
            getattr(sales(client), f"to_{form}")(place)
    with pytest.raises(ConfigError, match="path: is empty"):
        getattr(sales(client), f"to_{form}")("")
    assert (gate.asked, [each.name for each in tmp_path.iterdir()]) == ([], ["folder"])


def test_folder_target_needs_a_range(client: Client, gate: Gate, tmp_path: Path) -> None:
    one = client.publisher.iterate.get_sales(date=FIRST, date_type="trackingDate")
    for write in (one.to_parquet, one.to_csv, sales(client).to_csv, sales(client).to_excel):
        with pytest.raises(ConfigError, match="is a folder, which is possible only for a range of days"):
            write(f"{tmp_path}/sales/")
    assert (gate.asked, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.exhaustive
def test_damaged_day_is_named(client: Client, gate: Gate, tmp_path: Path) -> None:
    sales(client).to_parquet(f"{tmp_path}/sales/")
    damaged = tmp_path / "sales" / f"date={DAYS[1]}" / "part-0.parquet"
    damaged.write_bytes(b"PAR1")
    with pytest.raises(ExportError, match=r"date=2026-06-30/part-0.parquet is damaged.* Remove the file"):
        sales(client).to_parquet(f"{tmp_path}/sales/")
    damaged.unlink()
    gate.asked = []
    sales(client).to_parquet(f"{tmp_path}/sales/")
    assert set(gate.asked) == {DAYS[1]}


def test_progress_excludes_failed_days(
    client: Client, gate: Gate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.broken = set(DAYS)
    with pytest.raises(UnexpectedResponse):
        sales(client, 2).to_parquet(tmp_path / "sales.parquet", progress=True)
    assert "0/4" in capsys.readouterr().err.rpartition("\r")[2]


@pytest.mark.exhaustive
def test_progress_counts_days(client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sales(client, 2).to_parquet(tmp_path / "sales.parquet", progress=True)
    assert "4/4" in capsys.readouterr().err
