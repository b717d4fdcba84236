"""Adapter between the tracking service and the generic command line and console.

It opens clients and engines, and converts reports to tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.calling.engine import Engine
    from soapclient.cli.contracts import Account, ProtocolName, ServiceAdapter
    from soapclient.console.application import Jobs
    from soapclient.console.targets import Target
    from soapclient.runtime import AnyOperation
    from soapclient.runtime.frames import Tabular
    from soapclient.settings import CommonSettings
    from soapclient.tracking.client import Client


class _Adapter:
    def client(self, config: CommonSettings, protocol: ProtocolName | None = None) -> Client:
        from soapclient.tracking.client import Client
        from soapclient.tracking.settings import own

        return Client(own(config), protocol=protocol)

    def engine(self, account: Account, name: str) -> Engine[CommonSettings]:
        engine: Engine[CommonSettings] = getattr(account, name).engine
        return engine

    def shown(self, config: CommonSettings) -> tuple[Client, list[Target], Jobs | None]:
        from soapclient.tracking.console import ExportJobs, targets_of

        client = self.client(config)
        return client, targets_of(client), ExportJobs(client) if client.settings.data_url else None

    def table(self, operation: AnyOperation, response: object) -> Tabular | None:
        from soapclient.tracking.publisher import report_rows
        from zxws.publisher.types import GetReportBasicResponse

        return report_rows(response) if isinstance(response, GetReportBasicResponse) else None


ADAPTER: Final[ServiceAdapter] = _Adapter()
