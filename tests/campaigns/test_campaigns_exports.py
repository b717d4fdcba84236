"""Small campaigns of exports and backfills find nothing, and report planted errors."""

from __future__ import annotations

import sys

import pytest

from tests.campaigns import backfills, exports
from tests.campaigns.faults import ALL, BY_A_GATEWAY
from tests.campaigns.processes import Started

pytestmark = pytest.mark.exhaustive

ROWS = 400


def test_exports_campaign_with_kills_finds_nothing() -> None:
    report = exports.run(2, count=4, rows=ROWS)
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["exports"] == figures["right"] == figures["jobs"] == 4
    assert figures["kills"] >= 1
    assert figures["requests"] >= 16


def test_backfill_campaign_with_kills_finds_nothing() -> None:
    report = backfills.run(1, count=6, rows=ROWS, engines=("threads",))
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["threads_partitions"] == figures["threads_right"] == figures["threads_jobs"] == 6
    assert figures["threads_rows"] == 6 * ROWS
    assert figures["threads_kills"] >= 1


def test_orders_with_a_gateway_response_are_made_once() -> None:
    """A gateway's status does not prove that the order failed, so the next run looks for the job first."""
    gateways = [tuple(ALL[name] for name in sorted(BY_A_GATEWAY))]
    report = exports.run(3, count=3, rows=ROWS, share=0.3, families=gateways, ways=("command", "handle"))
    assert report.findings == [], str(report)
    assert report.figures["exports"] == report.figures["right"] == report.figures["jobs"] == 3


# ---- errors are reported


def wrong(code: str) -> Started:
    """Return processes that run a faulty command. `code` calls `main`."""
    begin = "import glob, gzip, os, sys, tempfile; from soapclient.cli import main; "
    return Started(lambda program, moment: [sys.executable, "-c", begin + code])


FORGETFUL = (
    "sys.argv[sys.argv.index('--state') + 1] = os.environ['SOAPCLIENT_STATE_DIR'] = tempfile.mkdtemp();"
    "sys.exit(main())"
)
ASTRAY = "sys.argv = [word.replace('2026-01-', '2025-01-') for word in sys.argv]; sys.exit(main())"
CARELESS = (
    "code = main(); name = sys.argv[sys.argv.index('-o') + 1]; open(name + '.left', 'x');"
    "lines = gzip.open(name).readlines(); gzip.open(name, 'w').writelines(lines[:-1]); sys.exit(code)"
)
CRASHING = "sys.argv[100]"


@pytest.mark.night
@pytest.mark.parametrize(
    ("code", "fault", "found"),
    [
        (FORGETFUL, "end before the response", {"doubled order", "left behind"}),
        (ASTRAY, "slow response", {"wrong rows", "lost order", "strange order"}),
        (CARELESS, "slow response", {"wrong rows", "left behind"}),
        (CRASHING, "slow response", {"foreign exception", "stuck", "lost order"}),
    ],
    ids=["forgetful", "astray", "careless", "crashing"],
)
def test_command_with_a_bug_is_found(
    code: str, fault: str, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_RUNS", 4)
    report = exports.run(
        2, count=1, rows=ROWS, share=0.5, families=[(ALL[fault],)], ways=("command",), processes=wrong(code)
    )
    assert found <= report.kinds, str(report)


@pytest.mark.night
def test_backfill_with_a_bug_is_found() -> None:
    """The planted code orders one partition twice, drops a row of another, and leaves a file behind."""
    code = (
        "code = main(); plan = sys.argv[2]; folder = os.path.dirname(plan);"
        "code or 'clickin' in plan or sys.exit(0); code and sys.exit(code);"
        "first, last = sorted(glob.glob(folder + '/dataset/clickin/*/*/*/part-*'));"
        "lines = gzip.open(first).readlines(); gzip.open(first, 'w').writelines(lines[:-1]);"
        "open(f'{folder}/work/clickin/staging/left.part', 'x');"
        "sys.argv = ['soapclient', 'export', 'clickin', '--from', '2025-06-01', '--to', '2025-06-01', '-o',"
        " folder + '/tmp/more']; main(); sys.exit(0)"
    )
    report = backfills.run(1, count=4, rows=ROWS, engines=("threads",), share=0.0, processes=wrong(code))
    assert {"doubled order", "wrong partition", "left behind"} <= report.kinds, str(report)
