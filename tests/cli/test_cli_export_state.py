"""`soapclient export` remembers its orders. Run again, it resumes. It orders again after a complete file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
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
from tests.cli.conftest import DAYS, Desk, Environment, Run, error_of, output_of, rows_of, serving_at_once

SLOW = JobScript(states=("created", "running", "running"))
ORDER = b"CreateReportJobRequest"


# Each test has its own server, because recent orders of other tests could be mistaken for its jobs.
serving = serving_at_once(clicks_per_day=50)


@pytest.fixture
def lose(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
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
def order_by_hand(settings: Environment) -> Callable[..., ExportHandle]:
    """Order jobs that no state folder records. Returns the handle of the last one."""

    def order(times: int = 2) -> ExportHandle:
        without = {name: value for name, value in settings.items() if name != "SOAPCLIENT_STATE_DIR"}
        day = date(2026, 11, 1)
        with Client(Settings.load(environ=without)) as client:
            orders = [
                client.data.export(report_type="click", from_date=day, to_date=day) for _ in range(times)
            ]
        return orders[-1].handle

    return order


@pytest.mark.exhaustive
def test_different_order_is_not_resumed(desk: Desk) -> None:
    desk.sandbox.jobs.script(SLOW, SLOW, SLOW)
    for more in ((), ("--currency", "EUR"), ("--currency", "CHF")):
        assert desk.order(*more, "--deadline", "0").exit_code == 10
    assert len(desk.jobs) == 3


@pytest.mark.exhaustive
def test_failed_job_is_ordered_again_by_the_next_run(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(fail="out of paper"))
    assert [desk.order().exit_code for _ in range(2)] == [10, 0]
    assert len(desk.jobs) == 2


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("script", "deadline", "said"),
    [
        (JobScript(stuck="running"), "0", "deadline"),
        (JobScript(forgotten=True), "30", "to order a new job: soapclient export click"),
    ],
)
def test_stuck_or_unknown_job_is_kept_until_reorder(
    desk: Desk, script: JobScript, deadline: str, said: str
) -> None:
    desk.sandbox.jobs.script(script)
    for _ in range(2):
        assert said in error_of(desk.order("--deadline", deadline), 10)
    assert desk.order("--reorder").exit_code == 0
    assert len(desk.jobs) == (1 if script.forgotten else 2)  # forgotten jobs are not listed


@pytest.mark.exhaustive
def test_expired_plain_handle_is_ordered_again_once_despite_kills(
    desk: Desk, order_by_hand: Callable[..., ExportHandle]
) -> None:
    """The file still contains the old handle, as after a crash between the order and the next handle."""
    desk.sandbox.jobs.script(JobScript(expire=True))
    plain = order_by_hand(1)
    assert not plain.in_ledger
    for _ in range(2):
        desk.handle.write_text(plain.to_json())
        desk.sandbox.jobs.script(SLOW)
        assert desk.resume("--deadline", "0").exit_code == 10
        assert len(desk.jobs) == 2
        assert desk.held.job_id == desk.jobs[-1]
    desk.sandbox.jobs.script()
    desk.handle.write_text(plain.to_json())
    assert desk.resume().exit_code == 0
    assert len(desk.jobs) == 2


def test_lost_order_is_found_by_the_same_command(desk: Desk, lose: Callable[..., None]) -> None:
    lose()
    assert "If you order the same request again, its job is searched for first." in error_of(desk.order(), 8)
    assert len(desk.jobs) == 1
    assert desk.order().exit_code == 0
    assert len(desk.jobs) == 1
    assert len(rows_of(desk.target)) == 2 * 50


@pytest.mark.exhaustive
def test_several_candidate_jobs_are_named_and_reorder_orders_again(
    desk: Desk, lose: Callable[..., None], order_by_hand: Callable[..., ExportHandle]
) -> None:
    lose(processed=False)
    assert desk.order().exit_code == 8
    order_by_hand()
    stderr = error_of(desk.order(), 8)
    assert all(job in stderr for job in desk.jobs)
    assert "use --reorder to order again anyway" in stderr
    assert len(desk.jobs) == 2
    assert desk.order("--reorder").exit_code == 0
    assert len(desk.jobs) == 3


def test_too_short_deadline_orders_nothing(
    desk: Desk, lose: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(processed=False)
    assert desk.order().exit_code == 8
    monkeypatch.setattr("soapclient.tracking.exports.export.SETTLE", 60.0)
    assert "earlier order" in error_of(desk.order("--deadline", "5"), 10)
    assert desk.jobs == []


def test_resume_command_includes_the_state_option(desk: Desk, settings: Environment) -> None:
    desk.sandbox.jobs.script(SLOW)
    state = desk.folder / "a state"
    late = desk.order("--program-id", "1", "--state", state, "--deadline", "0")
    assert f"--program-id 1 --state '{state}' -o {desk.target}" in late.stderr
    (file,) = state.rglob("*.json")
    assert json.loads(file.read_text())["state"] == "ordered"
    assert not list(Path(settings["SOAPCLIENT_STATE_DIR"]).iterdir())


def test_unusable_state_folder_is_reported_before_the_order(desk: Desk) -> None:
    (desk.folder / "file").write_text("")
    assert "SOAPCLIENT_STATE_DIR" in error_of(desk.order("--state", desk.folder / "file" / "x"), 1)
    assert desk.jobs == []


def test_command_with_a_handle_file_can_be_repeated(desk: Desk) -> None:
    """The file can be reused as long as it contains the handle of the same order."""
    desk.sandbox.jobs.script(SLOW)
    options = ("--handle", desk.handle)
    assert desk.order(*options, "--deadline", "0").exit_code == 10
    again = desk.order(*options)
    assert again.exit_code == 0, again.output
    (job,) = desk.jobs
    assert f"job {job}, ordered 20" in again.stderr
    anew = desk.order(*options)  # the file was complete: this is the next export
    assert anew.exit_code == 0, anew.output
    assert ", ordered" not in anew.stderr
    held = desk.held
    assert desk.jobs == [job, held.job_id]
    for refused in (
        desk.order(*options, "--currency", "EUR"),
        desk.order(*options, "--state", desk.folder / "another"),  # would lose track of the job
        desk.run("export", "click", "--job", str(held.job_id), *map(str, options), "-o", str(desk.target)),
    ):
        assert refused.exit_code == 1
        assert "already exists" in refused.stderr
    assert (len(desk.jobs), desk.held) == (2, held)


@pytest.mark.exhaustive
def test_handle_of_the_same_job_may_be_overwritten(desk: Desk) -> None:
    assert desk.order().exit_code == 0
    options = ("--job", desk.jobs[0], "--handle", str(desk.handle), "-o", str(desk.target))
    for _ in range(2):
        assert output_of(desk.run("export", "click", *options))


@pytest.mark.parametrize(("output", "handle"), [("x", "x"), ("x", "./x.part"), ("x.part", "x")])
def test_handle_and_export_must_be_two_files(desk: Desk, output: str, handle: str) -> None:
    stderr = error_of(desk.order("--handle", desk.folder / handle, output=desk.folder / output), 1)
    assert "would overwrite each other" in stderr
    assert desk.jobs == []


def test_a_handle_is_not_overwritten_by_its_export(desk: Desk) -> None:
    desk.sandbox.jobs.script(SLOW)
    desk.order("--handle", desk.handle, "--deadline", "0")
    held = desk.held
    assert desk.resume(output=desk.handle).exit_code == 1
    assert desk.held == held


def command_after(said: str, stderr: str) -> list[str]:
    """Return the arguments of the command at the end of a line of stderr."""
    (line,) = [line for line in stderr.splitlines() if said in line]
    return shlex.split(line.partition(f"{said}: soapclient ")[2])


@pytest.mark.exhaustive
def test_resume_shows_the_reorder_command_for_an_ambiguous_job(
    desk: Desk, lose: Callable[..., None], order_by_hand: Callable[..., ExportHandle]
) -> None:
    desk.sandbox.jobs.script(JobScript(expire=True))
    assert desk.order("--handle", desk.handle, "--no-reorder").exit_code == 10
    lose(processed=False)
    assert desk.resume().exit_code == 8
    order_by_hand()
    stderr = error_of(desk.resume(), 8)
    assert "to continue with this job" not in stderr
    anew = command_after("to order a new job", stderr)
    assert anew[:2] == ["export", "click"]
    assert desk.run(*anew).exit_code == 0
    assert len(desk.jobs) == 4
    assert desk.held.job_id == desk.jobs[-1]


@pytest.mark.exhaustive
def test_resume_shows_the_reorder_command_for_an_unknown_job(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(forgotten=True))
    desk.order("--handle", desk.handle)
    elsewhere = desk.resume("--state", desk.folder / "another")
    assert "--reorder" not in elsewhere.stderr  # it would order although another folder keeps the order
    assert "choose another folder with --state" in elsewhere.stderr
    anew = command_after("to order a new job", desk.resume().stderr)
    assert desk.run(*anew).exit_code == 0
    assert len(desk.jobs) == 1  # forgotten jobs are not listed


def test_job_in_another_state_folder_is_reported_with_that_folder(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(expire=True))
    desk.order("--handle", desk.handle, "--no-reorder")
    stderr = error_of(desk.resume("--state", desk.folder / "another"), 10)
    advice = "choose another folder with --state"
    assert f"the order is recorded in another state directory: {advice}" in stderr
    assert len(desk.jobs) == 1


@pytest.mark.exhaustive
def test_unclaimed_job_cannot_be_resumed(desk: Desk, lose: Callable[..., None]) -> None:
    lose(b"2026-10-01", b"2026-10-02")
    assert desk.order().exit_code == 8
    stderr = error_of(desk.order("--handle", desk.handle), 10)
    assert "outside the ordered days" in stderr
    assert not desk.target.exists()
    assert "to continue with this job" not in stderr
    assert "is no longer assigned" in stderr
    assert f"{desk.target}: " in stderr  # not the name of the part file, which no longer exists
    own = command_after("to find its own job, or to order it again", stderr)
    assert "--reorder" not in own
    assert desk.run(*own).exit_code == 0
    assert len(desk.jobs) == 2


def test_resume_command_includes_the_configuration(desk: Desk) -> None:
    desk.sandbox.jobs.script(SLOW)
    file = desk.folder / "my settings.toml"
    file.write_text('[profiles."of the night"]\nreport_zone = "UTC"\n')
    before = ("--config", str(file), "--profile", "of the night")
    given = (*before, "export", "click", *DAYS, "-o", str(desk.target))
    stderr = error_of(desk.run(*given, "--deadline", "0"), 10)
    assert command_after("to continue with this job", stderr) == list(given)


def test_unwritable_state_folder_is_reported_with_a_remedy(desk: Desk, settings: Environment) -> None:
    state = Path(settings["SOAPCLIENT_STATE_DIR"])
    (state / f"data_{account_of(SAMPLE_CONNECT_ID)}").write_text("a file where the ledger's folder is to be")
    stderr = error_of(desk.order(), 1)
    assert f"{state}/data_" in stderr
    assert "choose another folder with --state or SOAPCLIENT_STATE_DIR" in stderr
    assert desk.jobs == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("click", *DAYS, "--state", ""), "is empty. Give a folder"),
        (("resume", "h.json", "--state", ""), "is empty. Give a folder"),
        (("click", "--reorder", "--no-reorder"), "--reorder cannot be used with"),
        (("click", "--reorder", "--job", "5"), "--reorder cannot be used with"),
    ],
)
def test_unusable_options_are_refused(run_unset: Run, words: tuple[str, ...], said: str) -> None:
    assert said in error_of(run_unset("export", *words, "-o", "x"), 2)


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


def test_state_folder_stores_requests_and_jobs(desk: Desk, settings: Environment) -> None:
    assert desk.order("--handle", desk.handle).exit_code == 0
    handle, config = desk.held, Settings.load(environ=settings)
    assert remembers(config, handle)
    assert not remembers(config, replace(handle, job_id="another"))
    assert not remembers(config, replace(handle, service="another"))
    assert not remembers(config, replace(handle, request={**handle.request, "currency": "EUR"}))
    assert not remembers(replace(config, state_dir=str(desk.folder / "another")), handle)
    assert not remembers(replace(config, state_dir=None), handle)
    state = Path(settings["SOAPCLIENT_STATE_DIR"])
    (kept,) = [path for path in state.rglob("*.json") if str(handle.job_id) in path.read_text()]
    kept.write_text("{")
    assert not remembers(config, handle)
