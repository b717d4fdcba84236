"""The pytest plugin. It adds the fixtures of all services to pytest."""

from __future__ import annotations

import pytest

from soapclient.services import services


def pytest_configure(config: pytest.Config) -> None:
    """Register the fixtures of all services."""
    for service in services().values():
        config.pluginmanager.import_plugin(service.fixtures)
