"""`bindgen fetch --all` and `--check` as run by cron and CI, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from requests_mock import Mocker

from tests.bindgen.shop import invoke
from tests.bindgen_fetch.conftest import MARKED, Site, Snapshot, wsdl

Run = Callable[..., Result]


@pytest.fixture
def run(site: Site, tmp_path: Path) -> Run:
    folder = tmp_path / "wsdl"
    folder.mkdir()
    contracts = ["format = 2", "[contracts.bare]", 'version = "1"', 'schema = "bare/1/bare.xsd"']
    for name in ("one", "two"):
        contracts += [f"[contracts.{name}]", 'version = "1"', f'url = "{site.address}/{name}/v1?wsdl"']
        site.put(f"/{name}/v1?wsdl", wsdl("parts.xsd").encode(), ETag=f'"{name}"')
        site.put(f"/{name}/parts.xsd", MARKED.format("old").encode())
    (folder / "contracts.toml").write_text("\n".join(contracts), encoding="utf-8")

    def command(*arguments: str, code: int | None = None) -> Result:
        site.asked.clear()
        return invoke("--wsdl", folder, "fetch", *arguments, code=code)

    return command


def _copy(folder: Path, schema: str) -> str:
    """Write a copy of a contract with this schema. Return the path of the WSDL."""
    (folder / "root.wsdl").write_text(wsdl("parts.xsd"), encoding="utf-8")
    (folder / "parts.xsd").write_text(schema, encoding="utf-8")
    return str(folder / "root.wsdl")


def test_all_contracts_are_fetched_and_checked(run: Run, site: Site, snapshot: Snapshot) -> None:
    run("--all", code=0)
    before = snapshot()
    assert {"one/1/one.wsdl", "two/1/two.wsdl", "one/1/parts.xsd"} <= before.keys()
    checked = run("--all", "--check")
    assert (checked.exit_code, checked.output) == (0, "one: same\ntwo: same\n")
    # Documents with an ETag: conditional requests get 304, and the files stay.
    sent = [headers["If-None-Match"] for path, headers in site.asked if path.endswith("wsdl")]
    assert sent == ['"one"', '"two"']
    assert snapshot() == before


def test_check_reports_a_change_without_storing_it(run: Run, site: Site, snapshot: Snapshot) -> None:
    run("--all")
    before = snapshot()
    site.put("/two/parts.xsd", MARKED.format("new").encode())
    checked = run("--all", "--check", code=1)
    assert checked.output == f"one: same\ntwo: changed\n  {site.address}/two/parts.xsd: changed\n"
    assert run("one", "--check").exit_code == 0
    assert run("two", "--check").exit_code == 1
    assert snapshot() == before
    assert run("--all").exit_code == 0
    assert snapshot() != before
    assert run("--all", "--check").exit_code == 0


def test_address_of_the_last_fetch_takes_precedence_over_a_placeholder(
    run: Run, site: Site, tmp_path: Path, snapshot: Snapshot
) -> None:
    """As in the README: `fetch NAME --url …` once, then `fetch --all --check` in CI."""
    settings = tmp_path / "wsdl/contracts.toml"
    settings.write_text(settings.read_text().replace(f"{site.address}/one", "https://one.invalid/wsdl"))
    url = f"{site.address}/one/v1?wsdl"
    assert run("one", "--url", url).exit_code == 0
    assert run("two").exit_code == 0
    checked = run("--all", "--check")
    assert (checked.exit_code, checked.output) == (0, "one: same\ntwo: same\n")
    assert "/one/v1?wsdl" in site.paths
    before = snapshot()
    run("one", code=0)
    assert snapshot() == before
    assert run("one", "--file", _copy(tmp_path, MARKED.format("newer"))).exit_code == 0
    assert f'root = "{url}"' in (tmp_path / "wsdl/contracts.lock").read_text()


@pytest.mark.parametrize(("arguments", "code"), [(("one",), 2), (("--all", "--check"), 3)])
def test_placeholder_address_is_named_and_not_requested(
    run: Run,
    site: Site,
    tmp_path: Path,
    requests_mock: Mocker,
    arguments: tuple[str, ...],
    code: int,
) -> None:
    settings = tmp_path / "wsdl/contracts.toml"
    settings.write_text(settings.read_text().replace(f"{site.address}/one", "https://one.invalid/wsdl"))
    asked = requests_mock.get("https://one.invalid/wsdl/v1", status_code=404)
    done = run(*arguments, code=code)
    assert asked.call_count == 0
    assert "What to do: the address is a placeholder; give --url URL once" in done.output


def test_configured_address_takes_precedence_over_the_locked_one(
    run: Run, site: Site, tmp_path: Path
) -> None:
    run("--all")
    settings = tmp_path / "wsdl/contracts.toml"
    settings.write_text(settings.read_text().replace(f"{site.address}/one", f"{site.address}/two"))
    assert run("one", "--check").exit_code == 0
    assert "/two/v1?wsdl" in site.paths
    assert "/one/v1?wsdl" not in site.paths


def test_other_layout_is_not_a_change(run: Run, site: Site) -> None:
    run("--all")
    site.put("/two/parts.xsd", MARKED.format("old").replace(" id", "\n   id").encode() + b"\n")
    assert run("two", "--check").exit_code == 0


def test_added_and_removed_documents_are_changes(run: Run, site: Site) -> None:
    run("--all")
    site.put("/one/v1?wsdl", wsdl("other.xsd").encode())
    site.put("/one/other.xsd", MARKED.format("old").encode())
    checked = run("one", "--check", code=1)
    assert f"{site.address}/one/parts.xsd: removed" in checked.output
    assert f"{site.address}/one/other.xsd: new\n" in checked.output


def test_moved_document_is_reported_but_not_a_change(run: Run, site: Site) -> None:
    run("--all")
    site.put("/two/parts.xsd", b"", Location="/elsewhere.xsd")
    site.pages["/two/parts.xsd"].status = 301
    site.put("/elsewhere.xsd", MARKED.format("old").encode())
    checked = run("two", "--check", code=0)
    assert f"{site.address}/two/parts.xsd: is at {site.address}/elsewhere.xsd now" in checked.output


@pytest.mark.parametrize("status", [404, 403])
def test_failed_check_never_reports_unchanged(run: Run, site: Site, snapshot: Snapshot, status: int) -> None:
    run("--all")
    before = snapshot()
    site.pages["/two/parts.xsd"].status = status
    checked = run("--all", "--check", code=3)
    assert f"one: same\ntwo: could not check\n  {site.address}/two/parts.xsd: HTTP {status}" in checked.output
    # A known change takes precedence.
    site.put("/one/parts.xsd", MARKED.format("new").encode())
    assert run("--all", "--check").exit_code == 1
    assert snapshot() == before


def test_unsolicited_304_is_reported(run: Run, site: Site) -> None:
    site.pages["/one/parts.xsd"].status = 304
    done = run("one", code=2)
    assert "parts.xsd: HTTP 304 (not modified) to an unconditional request" in done.output
    assert "nothing was changed" not in done.output


def test_missing_or_broken_lock_is_unchecked(run: Run, tmp_path: Path) -> None:
    checked = run("--all", "--check", code=3)
    assert "one: could not check\n  nothing is locked yet" in checked.output
    run("--all")
    (tmp_path / "wsdl/one/1/parts.xsd").write_text("by hand", encoding="utf-8")
    checked = run("one", "--check", code=3)
    assert "differ from the lock" in checked.output
    (tmp_path / "wsdl/contracts.lock").write_text("lock_version = 2", encoding="utf-8")
    assert run("one", "--check").exit_code == 3


def test_a_copy_on_disk_can_be_checked_offline(run: Run, site: Site, tmp_path: Path) -> None:
    run("--all")
    for mark, code in (("old", 0), ("new", 1)):
        file = _copy(tmp_path, MARKED.format(mark))
        assert run("one", "--check", "--offline", "--file", file).exit_code == code
    assert site.paths == []


def test_failed_fetch_does_not_stop_the_others(run: Run, site: Site, snapshot: Snapshot) -> None:
    del site.pages["/one/parts.xsd"]
    done = run("--all", code=2)
    assert "parts.xsd: HTTP 404" in done.output
    assert {"two/1/two.wsdl", "contracts.lock"} <= snapshot().keys()
    assert not [file for file in snapshot() if file.startswith("one/")]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("one", "--all"),
        ("--all", "--url", "https://example.org"),
        ("one", "--check", "--offline"),
        ("--all", "--check", "--offline"),
    ],
)
def test_conflicting_options_are_refused(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == (3 if "--check" in arguments else 2)


@pytest.mark.parametrize("which", ["one", "--all"])
def test_check_without_network_asks_for_a_file(run: Run, which: str) -> None:
    assert "--check with --offline requires --file" in run(which, "--check", "--offline").output


def test_unknown_contract_or_contract_without_a_wsdl_is_refused(run: Run) -> None:
    for name, said in (("three", "unknown contract 'three'"), ("bare", "bare does not have a WSDL to fetch")):
        for arguments, code in (((name,), 2), ((name, "--check"), 3)):
            done = run(*arguments, code=code)
            assert said in done.output


def test_missing_contracts_are_unchecked(tmp_path: Path) -> None:
    """No contract has an address, so nothing was checked."""
    (tmp_path / "contracts.toml").write_text(
        'format = 2\n[contracts.bare]\nversion = "1"\nschema = "bare/1/bare.xsd"\n', encoding="utf-8"
    )
    done = invoke("--wsdl", tmp_path, "fetch", "--all", "--check")
    assert (done.exit_code, done.output) == (3, "")


BROKEN = '<schema xmlns="http://www.w3.org/2001/XMLSchema" id="new"><element name="a" type="b"/></schema>'


def test_uncompilable_contract_replaces_nothing(run: Run, site: Site, snapshot: Snapshot) -> None:
    run("--all")
    before = snapshot()
    site.put("/one/parts.xsd", BROKEN.encode())
    done = run("--all", code=2)
    assert "one: its schemas do not compile, so nothing was written. What to do: " in done.output
    assert f"{site.address}/one/parts.xsd:1: not a valid schema: element" in done.output
    assert snapshot() == before
    checked = run("one", "--check", code=1)
    assert "its schemas do not compile, so `bindgen fetch` does not accept it" in checked.output


def test_uncompilable_copy_is_named_with_its_path(run: Run, tmp_path: Path, snapshot: Snapshot) -> None:
    before = snapshot()
    done = run("one", "--file", _copy(tmp_path, BROKEN), code=2)
    assert f"{tmp_path / 'parts.xsd'}:1: " in done.output
    assert snapshot() == before
