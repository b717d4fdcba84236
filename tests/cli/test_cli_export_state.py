"""`soapclient export` remembers its orders. Run again, it resumes. It orders again after a complete file."""

from __future__ import annotations

import csv
import gzip
import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import Settings
from soapclient.cli.failures import Failure
from soapclient.tracking.client import Client
from soapclient.tracking.commands.export_run import remembers, user_folder
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import account_of
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript, Serving
from tests.cli.conftest import Run, at_once

DAYS = ("--from", "2026-11-01", "--to", "2026-11-02")
SLOW = JobScript(states=("created", "running", "running"))
ORDER = b"CreateReportJobRequest"


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Each test has its own server, because recent orders of other tests could be mistaken for its jobs."""
    with at_once(clicks_per_day=50) as server:
        yield server


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "x.csv.gz"


@pytest.fixture
def ordered(serving: Serving) -> Callable[[], list[str]]:
    """Return the jobs ordered since the start of the test."""
    before = len(serving.sandbox.jobs.of(SAMPLE_CONNECT_ID))
    return lambda: [job.id for job in serving.sandbox.jobs.of(SAMPLE_CONNECT_ID)][before:]


@pytest.fixture
def lost(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lose the response to the next order. The days of the order can be replaced in transit."""
    monkeypatch.setattr("soapclient.tracking.exports.export.SETTLE", 0.0)

    def lose(*days: bytes, processed: bool = True) -> None:
        left = [True]

        def interfere(request: Request) -> Response | None:
            body = request.get_data(cache=True)
            if ORDER not in body or not left:
                return None
            left.clear()
            if processed:
                if days:
                    body = body.replace(b"2026-11-01", days[0]).replace(b"2026-11-02", days[1])
                again = Request({**request.environ, "wsgi.input": BytesIO(body)})
                assert serving.sandbox.answer(again).status_code == 200
            return Response("upstream connect error", status=502)

        monkeypatch.setattr(serving.sandbox, "interfere", interfere)

    return lose


@pytest.fixture
def by_hand(settings: Mapping[str, str]) -> Callable[[], None]:
    """Order two jobs that no state folder records."""

    def order() -> None:
        without = {name: value for name, value in settings.items() if name != "SOAPCLIENT_STATE_DIR"}
        day = date(2026, 11, 1)
        with Client(Settings.load(environ=without)) as client:
            for _ in range(2):
                client.data.export(report_type="click", from_date=day, to_date=day)

    return order


def test_lost_order_is_found_by_the_same_command(
    run: Run, target: Path, ordered: Callable[[], list[str]], lost: Callable[..., None]
) -> None:
    lost()
    failed = run("export", "click", *DAYS, "-o", str(target))
    assert failed.exit_code == 8
    assert "If you order the same request again, its job is searched for first." in failed.stderr
    assert len(ordered()) == 1
    assert run("export", "click", *DAYS, "-o", str(target)).exit_code == 0
    assert len(ordered()) == 1
    with gzip.open(target, "rt", encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2 * 50


@pytest.mark.exhaustive
def test_several_candidate_jobs_are_named_and_reorder_orders_again(
    run: Run,
    target: Path,
    ordered: Callable[[], list[str]],
    lost: Callable[..., None],
    by_hand: Callable[[], None],
) -> None:
    lost(processed=False)
    assert run("export", "click", *DAYS, "-o", str(target)).exit_code == 8
    by_hand()
    refused = run("export", "click", *DAYS, "-o", str(target))
    assert refused.exit_code == 8
    assert all(job in refused.stderr for job in ordered())
    assert "use --reorder to order again anyway" in refused.stderr
    assert len(ordered()) == 2
    assert run("export", "click", *DAYS, "-o", str(target), "--reorder").exit_code == 0
    assert len(ordered()) == 3


def test_too_short_deadline_orders_nothing(
    run: Run,
    target: Path,
    ordered: Callable[[], list[str]],
    lost: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost(processed=False)
    assert run("export", "click", *DAYS, "-o", str(target)).exit_code == 8
    monkeypatch.setattr("soapclient.tracking.exports.export.SETTLE", 60.0)
    late = run("export", "click", *DAYS, "-o", str(target), "--deadline", "5")
    assert late.exit_code == 10
    assert "earlier order" in late.stderr
    assert ordered() == []


def test_resume_command_includes_the_state_option(
    run: Run, serving: Serving, settings: Mapping[str, str], tmp_path: Path, target: Path
) -> None:
    serving.sandbox.jobs.script(SLOW)
    state = tmp_path / "a state"
    arguments = ("export", "click", *DAYS, "--program-id", "1", "--state", str(state), "-o", str(target))
    late = run(*arguments, "--deadline", "0")
    assert f"--program-id 1 --state '{state}' -o {target}" in late.stderr
    (file,) = state.rglob("*.json")
    assert json.loads(file.read_text())["state"] == "ordered"
    assert not list(Path(settings["SOAPCLIENT_STATE_DIR"]).iterdir())


def test_unusable_state_folder_is_reported_before_the_order(
    run: Run, target: Path, tmp_path: Path, ordered: Callable[[], list[str]]
) -> None:
    (tmp_path / "file").write_text("")
    result = run("export", "click", *DAYS, "--state", str(tmp_path / "file" / "x"), "-o", str(target))
    assert result.exit_code == 1
    assert "SOAPCLIENT_STATE_DIR" in result.stderr
    assert ordered() == []


def test_command_with_a_handle_file_can_be_repeated(
    run: Run, serving: Serving, target: Path, tmp_path: Path, ordered: Callable[[], list[str]]
) -> None:
    """The file can be reused as long as it contains the handle of the same order."""
    serving.sandbox.jobs.script(SLOW)
    file = tmp_path / "handle.json"
    command = ("export", "click", *DAYS, "--handle", str(file), "-o", str(target))
    assert run(*command, "--deadline", "0").exit_code == 10
    again = run(*command)
    assert again.exit_code == 0, again.output
    (job,) = ordered()
    assert f"job {job}, ordered 20" in again.stderr
    anew = run(*command)  # the file was complete: this is the next export
    assert anew.exit_code == 0, anew.output
    assert ", ordered" not in anew.stderr
    assert ExportHandle.from_json(file.read_text()).job_id == ordered()[-1]
    assert len(ordered()) == 2
    held = file.read_text()
    for other in (
        ("export", "click", *DAYS, "--currency", "EUR", "--handle", str(file), "-o", str(target)),
        (*command, "--state", str(tmp_path / "another")),  # would lose track of the job
        ("export", "click", "--job", ordered()[-1], "--handle", str(file), "-o", str(target)),
    ):
        refused = run(*other)
        assert refused.exit_code == 1
        assert "already exists" in refused.stderr
    assert (len(ordered()), file.read_text()) == (2, held)


@pytest.mark.exhaustive
def test_handle_of_the_same_job_may_be_overwritten(
    run: Run, target: Path, tmp_path: Path, ordered: Callable[[], list[str]]
) -> None:
    assert run("export", "click", *DAYS, "-o", str(target)).exit_code == 0
    file = tmp_path / "handle.json"
    for _ in range(2):
        result = run("export", "click", "--job", ordered()[0], "--handle", str(file), "-o", str(target))
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("output", "handle"), [("x", "x"), ("x", "./x.part"), ("x.part", "x")])
def test_handle_and_export_must_be_two_files(
    run: Run, tmp_path: Path, ordered: Callable[[], list[str]], output: str, handle: str
) -> None:
    files = ("--handle", str(tmp_path / handle), "-o", str(tmp_path / output))
    refused = run("export", "click", *DAYS, *files)
    assert refused.exit_code == 1
    assert "would overwrite each other" in refused.stderr
    assert ordered() == []


def test_a_handle_is_not_overwritten_by_its_export(
    run: Run, serving: Serving, tmp_path: Path, target: Path
) -> None:
    serving.sandbox.jobs.script(SLOW)
    file = tmp_path / "handle.json"
    run("export", "click", *DAYS, "--handle", str(file), "-o", str(target), "--deadline", "0")
    held = file.read_text()
    assert run("export", "resume", str(file), "-o", str(file)).exit_code == 1
    assert file.read_text() == held


def command_after(said: str, stderr: str) -> list[str]:
    """Return the arguments of the command at the end of a line of stderr."""
    (line,) = [line for line in stderr.splitlines() if said in line]
    return shlex.split(line.partition(f"{said}: soapclient ")[2])


@pytest.mark.exhaustive
def test_resume_shows_the_reorder_command_for_an_ambiguous_job(
    run: Run,
    serving: Serving,
    tmp_path: Path,
    target: Path,
    ordered: Callable[[], list[str]],
    lost: Callable[..., None],
    by_hand: Callable[[], None],
) -> None:
    serving.sandbox.jobs.script(JobScript(expire=True))
    file = tmp_path / "handle.json"
    command = ("export", "click", *DAYS, "--handle", str(file), "-o", str(target), "--no-reorder")
    assert run(*command).exit_code == 10
    lost(processed=False)
    resume = ("export", "resume", str(file), "-o", str(target))
    assert run(*resume).exit_code == 8
    by_hand()
    refused = run(*resume)
    assert refused.exit_code == 8
    assert "to continue with this job" not in refused.stderr
    anew = command_after("to order a new job", refused.stderr)
    assert anew[:2] == ["export", "click"]
    assert run(*anew).exit_code == 0
    assert len(ordered()) == 4
    assert ExportHandle.from_json(file.read_text()).job_id == ordered()[-1]


@pytest.mark.exhaustive
def test_resume_shows_the_reorder_command_for_an_unknown_job(
    run: Run, serving: Serving, tmp_path: Path, target: Path, ordered: Callable[[], list[str]]
) -> None:
    serving.sandbox.jobs.script(JobScript(forgotten=True))
    file = tmp_path / "handle.json"
    run("export", "click", *DAYS, "--handle", str(file), "-o", str(target))
    resume = ("export", "resume", str(file), "-o", str(target))
    elsewhere = run(*resume, "--state", str(tmp_path / "another"))
    assert "--reorder" not in elsewhere.stderr  # it would order although another folder keeps the order
    assert "choose another folder with --state" in elsewhere.stderr
    anew = command_after("to order a new job", run(*resume).stderr)
    assert run(*anew).exit_code == 0
    assert len(ordered()) == 1  # forgotten jobs are not listed


def test_job_in_another_state_folder_is_reported_with_that_folder(
    run: Run, serving: Serving, tmp_path: Path, target: Path, ordered: Callable[[], list[str]]
) -> None:
    serving.sandbox.jobs.script(JobScript(expire=True))
    file = tmp_path / "handle.json"
    run("export", "click", *DAYS, "--handle", str(file), "-o", str(target), "--no-reorder")
    refused = run("export", "resume", str(file), "-o", str(target), "--state", str(tmp_path / "another"))
    assert refused.exit_code == 10
    assert (
        "the order is recorded in another state directory: choose another folder with --state"
        in refused.stderr
    )
    assert len(ordered()) == 1


@pytest.mark.exhaustive
def test_unclaimed_job_cannot_be_resumed(
    run: Run, tmp_path: Path, target: Path, ordered: Callable[[], list[str]], lost: Callable[..., None]
) -> None:
    lost(b"2026-10-01", b"2026-10-02")
    file = tmp_path / "handle.json"
    assert run("export", "click", *DAYS, "-o", str(target)).exit_code == 8
    refused = run("export", "click", *DAYS, "--handle", str(file), "-o", str(target))
    assert refused.exit_code == 10
    assert "outside the ordered days" in refused.stderr
    assert not target.exists()
    assert "to continue with this job" not in refused.stderr
    assert "is no longer assigned" in refused.stderr
    assert f"{target}: " in refused.stderr  # not the name of the part file, which no longer exists
    own = command_after("to find its own job, or to order it again", refused.stderr)
    assert "--reorder" not in own
    assert run(*own).exit_code == 0
    assert len(ordered()) == 2


def test_resume_command_includes_the_configuration(
    run: Run, serving: Serving, settings: Mapping[str, str], tmp_path: Path, target: Path
) -> None:
    serving.sandbox.jobs.script(SLOW)
    file = tmp_path / "my settings.toml"
    file.write_text('[profiles."of the night"]\nreport_zone = "UTC"\n')
    before = ("--config", str(file), "--profile", "of the night")
    given = (*before, "export", "click", *DAYS, "-o", str(target))
    late = run(*given, "--deadline", "0")
    assert late.exit_code == 10
    assert command_after("to continue with this job", late.stderr) == list(given)


def test_unwritable_state_folder_is_reported_with_a_remedy(
    run: Run, tmp_path: Path, target: Path, ordered: Callable[[], list[str]], settings: Mapping[str, str]
) -> None:
    state = Path(settings["SOAPCLIENT_STATE_DIR"])
    with Client(Settings.load(environ=settings)) as client:
        account = account_of(client.settings.credentials().connect_id)
    (state / f"data_{account}").write_text("a file where the ledger's folder is to be")
    refused = run("export", "click", *DAYS, "-o", str(target))
    assert refused.exit_code == 1
    assert f"{state}/data_" in refused.stderr
    assert "choose another folder with --state or SOAPCLIENT_STATE_DIR" in refused.stderr
    assert ordered() == []


def test_empty_state_option_is_refused(run_unset: Run) -> None:
    for command in (("click", *DAYS), ("resume", "h.json")):
        result = run_unset("export", *command, "-o", "x", "--state", "")
        assert result.exit_code == 2
        assert "is empty. Give a folder" in result.stderr


@pytest.mark.parametrize("more", [("--no-reorder",), ("--job", "5")])
def test_reorder_needs_an_order(run_unset: Run, more: tuple[str, ...]) -> None:
    result = run_unset("export", "click", "-o", "x", "--reorder", *more)
    assert result.exit_code == 2
    assert "--reorder cannot be used with" in result.stderr


HOME = Path("/home/me").absolute()


@pytest.mark.parametrize(
    ("environ", "windows", "folder"),
    [
        ({}, False, HOME / ".local/state/soapclient"),
        ({"XDG_STATE_HOME": str(HOME / "st")}, False, HOME / "st/soapclient"),
        ({"XDG_STATE_HOME": "relative"}, False, HOME / ".local/state/soapclient"),
        ({"XDG_STATE_HOME": ""}, False, HOME / ".local/state/soapclient"),
        ({"LOCALAPPDATA": str(HOME / "Local"), "XDG_STATE_HOME": "/x"}, True, HOME / "Local/soapclient"),
        ({}, True, HOME / "AppData/Local/soapclient"),
    ],
)
def test_default_state_folder_belongs_to_the_user(
    environ: dict[str, str], windows: bool, folder: Path
) -> None:
    assert user_folder(environ, windows=windows, home=lambda: HOME) == folder


def test_missing_home_directory_is_handled() -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    with pytest.raises(Failure, match="--state"):
        user_folder({}, windows=False, home=nobody)


def test_state_folder_stores_requests_and_jobs(
    run: Run, settings: Mapping[str, str], tmp_path: Path, target: Path
) -> None:
    file = tmp_path / "handle.json"
    assert run("export", "click", *DAYS, "--handle", str(file), "-o", str(target)).exit_code == 0
    handle, config = ExportHandle.from_json(file.read_text()), Settings.load(environ=settings)
    assert remembers(config, handle)
    assert not remembers(config, replace(handle, job_id="another"))
    assert not remembers(config, replace(handle, service="another"))
    assert not remembers(config, replace(handle, request={**handle.request, "currency": "EUR"}))
    assert not remembers(replace(config, state_dir=str(tmp_path / "another")), handle)
    assert not remembers(replace(config, state_dir=None), handle)
    state = Path(settings["SOAPCLIENT_STATE_DIR"])
    (kept,) = [path for path in state.rglob("*.json") if str(handle.job_id) in path.read_text()]
    kept.write_text("{")
    assert not remembers(config, handle)
