"""The plugin in users' test runs: its fixtures work as documented, and runs without them have no overhead.

Each run is a separate process that names the plugin, so the installed packages do not matter.
"""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

pytest_plugins = ["pytester"]

PLUGIN = "soapclient.testing.plugin"
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", *arguments, timeout=120)


def test_entry_point_has_the_module_name_of_the_plugin() -> None:
    """Otherwise pytest would load the plugin twice if it is both named and installed."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}
    assert importlib.import_module(PLUGIN)


def test_each_test_has_a_reset_service(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import datetime as dt
        import pytest
        from soapclient import Client
        from soapclient.errors import ServiceFault

        DAY = dt.date(2026, 11, 1)
        urls = []

        @pytest.mark.parametrize("round", [1, 2])
        def test_it_is_the_same_at_the_start(zxws_client, zxws_sandbox, round):
            assert isinstance(zxws_client, Client)
            assert zxws_client.settings.publisher_url == zxws_sandbox.url
            assert list(zxws_client.data.iterate.get_jobs()) == []
            assert [call.operation for call in zxws_sandbox.calls()] == ["GetJobs"]
            zxws_client.data.export(report_type="click", from_date=DAY, to_date=DAY)
            zxws_sandbox.clock.advance(1e9)
            urls.append(zxws_sandbox.url)

        def test_it_is_one_server():
            assert len(set(urls)) == 1

        def test_what_is_expected_happens(zxws_client, zxws_sandbox):
            zxws_sandbox.expect("GetLead").fails(108).times(2)
            for _ in range(2):
                with pytest.raises(ServiceFault):
                    zxws_client.publisher.get_lead(lead_id="1")

        class TestOverRest:
            @pytest.fixture
            def zxws_settings(self):
                return {"publisher_protocol": "rest"}

            def test_settings_are_the_users(self, zxws_client, zxws_sandbox):
                zxws_client.publisher.get_profile()
                (call,) = zxws_sandbox.calls("GetProfile")
                assert call.protocol == "rest"
        """
    )
    run(pytester, "-W", "error").assert_outcomes(passed=5)


def test_asyncio_client_is_closed_after_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest
        from soapclient.errors import ClientClosed

        used = []

        def test_call(zxws_async_client, zxws_sandbox):
            profile = asyncio.run(zxws_async_client.publisher.get_profile())
            assert profile.profile_item.id
            assert [call.operation for call in zxws_sandbox.calls()] == ["GetProfile"]
            used.append(zxws_async_client)

        def test_closed():
            with pytest.raises(ClientClosed):
                asyncio.run(used[0].publisher.get_profile())
        """
    )
    run(pytester, "-W", "error").assert_outcomes(passed=2)


def test_mocks_of_any_package_are_closed_after_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        import requests
        from soapclient import connect
        from soapclient.auth import Credentials
        from zxws.publisher.service import PublisherService

        used = []

        def test_call(soap_mock):
            first, second = soap_mock(PublisherService, seed=5), soap_mock("zxws.publisher")
            first.on("SearchPrograms").reply(page=0, items=0, total=3)
            account = Credentials("802B8BF4AE99EBE00F41", "a" * 40)
            with connect(PublisherService, address=first.address(), credentials=account) as service:
                assert service.search_programs().total == 3
            assert len(first.calls()) == 1 and second.calls() == []
            used.append(first.address())

        def test_closed():
            with pytest.raises(requests.ConnectionError):
                requests.get(used[0], timeout=60)
        """
    )
    run(pytester, "-W", "error").assert_outcomes(passed=2)


def test_unmet_expectation_fails_only_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        import unittest

        def test_unmet(zxws_sandbox):
            zxws_sandbox.expect("GetLead").fails(108)

        def test_failed_for_a_better_reason(zxws_sandbox):
            zxws_sandbox.expect("GetLead").fails(108)
            assert False

        def test_skipped_on_its_way(zxws_sandbox):
            zxws_sandbox.expect("GetLead").fails(108)
            pytest.skip("not today")

        @pytest.mark.usefixtures("zxws_client")
        class TestOfUnittest(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _sandbox(self, zxws_sandbox):
                self.sandbox = zxws_sandbox

            def test_failed_for_a_better_reason(self):
                self.sandbox.expect("GetLead").fails(108)
                self.fail()

        def test_after_them(zxws_sandbox):
            pass
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=2, skipped=1, errors=1)
    result.stdout.fnmatch_lines(["*AssertionError: GetLead: expected at least 1 time, called 0"])


def test_plugin_loads_nothing_without_its_fixtures(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # other plugins load many modules
    pytester.makepyfile(
        """
        import sys

        def test_nothing():
            heavy = {"werkzeug", "lxml", "msgspec", "requests", "urllib3", "zeep", "xmlschema", "zxws"}
            assert heavy.isdisjoint(sys.modules)
            prefix = "soapclient."
            ours = {name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix)}
            assert ours == {
                "services",
                "testing",
                "testing.plugin",
                "tracking",
                "tracking.fixtures",
                "tracking.registration",
            }
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_missing_extra_affects_only_tests_that_use_a_fixture(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import sys\nsys.modules['werkzeug'] = None\n")
    pytester.makepyfile(
        """
        def test_without():
            pass

        def test_with(zxws_sandbox):
            pass
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*console need werkzeug: install it with pip install *sandbox*"])


def test_plugin_can_be_disabled(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(zxws_sandbox):\n    pass\n")
    result = pytester.runpytest_subprocess("-p", f"no:{PLUGIN}", "-p", "no:cacheprovider", timeout=120)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'zxws_sandbox' not found*"])
