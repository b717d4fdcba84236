"""The pytest plugin.

It provides the fixture `soap_mock` for any package, and the fixtures of all services.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from soapclient.services import services

if TYPE_CHECKING:
    from soapclient.testing import Mock


def pytest_configure(config: pytest.Config) -> None:
    """Register the fixtures of all services."""
    for service in services().values():
        config.pluginmanager.import_plugin(service.fixtures)


@pytest.fixture
def soap_mock() -> Iterator[Callable[..., Mock]]:
    """Return a function that starts mocks, with the arguments of `soapclient.testing.mock`.

    The mocks are closed at the end of the test:

        def test_order(soap_mock):
            orders = soap_mock(orders_package)
            orders.on("PlaceOrder").reply(number=7)
            with connect(OrdersService, address=orders.address()) as service:
                ...
    """
    from soapclient.testing import mock  # lazy, because it loads the mock's server

    with ExitStack() as mocks:
        yield lambda package, **options: mocks.enter_context(mock(package, **options))
