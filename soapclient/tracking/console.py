"""The tracking service in the console: its three services as targets, and the export jobs of Data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from soapclient.console.targets import Target
from soapclient.errors import ConfigError
from soapclient.tracking.registration import SERVICE

if TYPE_CHECKING:
    from soapclient.console.targets import Engine
    from soapclient.contract.validation import Checks
    from soapclient.runtime.package import Package
    from soapclient.tracking.client import Client
    from soapclient.tracking.exports.jobs.job import JobSnapshot
    from soapclient.tracking.settings import Settings

_MOST: Final = 50  # jobs on the page
_DEADLINE: Final = 120.0  # seconds for a file
_STATES: Final = ("created", "running", "done")  # of a job that goes well, for how far it is


class ExportJobs:
    """The jobs that a client sees."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def order(self) -> str:
        """The name of the operation that orders an export."""
        order = self._client.data.PACKAGE.settings.order
        return "" if order is None else order.operation

    def jobs(self) -> list[JobSnapshot]:
        """The first jobs that the service lists. Raises the errors of `soapclient.errors`."""
        return list(islice(self._client.data.exports.jobs.listed(), _MOST))

    def progress(self, job: JobSnapshot) -> int:
        """How far a job is, in steps of three; 0 of one that did not get anywhere."""
        return _STATES.index(job.status) + 1 if job.status in _STATES else 0

    @contextmanager
    def file(self, job_id: str, report_type: str) -> Iterator[Path]:
        """The file of a job, verified, while this lasts. Raises the errors of `soapclient.errors`."""
        with TemporaryDirectory(prefix="soapclient-console-") as folder:
            path = Path(folder) / "export.csv.gz"  # of no name that somebody sent
            export = self._client.data.exports.resume_job(job_id, report_type=report_type)
            yield export.download(path, _DEADLINE).path


def targets_of(client: Client) -> list[Target]:
    """Return the three services of a client."""
    found = []
    secret = client.settings.secret_key
    for name in SERVICE.packages:
        package: Package = import_module(f"{SERVICE.packages[name]}.service").PACKAGE
        by_rest = getattr(client.settings, f"{name}_protocol", "rest") == "rest"
        settings = _settings(client.settings, name, by_rest=by_rest)

        def engine(name: str = name) -> Engine:
            made: Engine = getattr(client, name).engine
            return made

        def checks(package: Package = package) -> Checks:
            from soapclient.contract.packaged import documents
            from soapclient.contract.validation import checks_of

            return checks_of(documents(package))

        secrets = [] if secret is None else [secret.reveal()]
        operations = package.operations.values()
        found.append(
            Target(
                name,
                package,
                operations,
                next((value for setting, value in settings.items() if setting.endswith("_url")), ""),
                engine,
                client.drift,
                checks,
                secrets,
                command=[name],
                report_zone=client.settings.report_tzinfo,
                endpoint="" if by_rest else _endpoint(client.settings, name, package.settings.version),
                by_rest=by_rest,
                settings=settings,
            )
        )
    return found


def _settings(config: Settings, name: str, *, by_rest: bool) -> dict[str, str]:
    """Return the settings with which a client calls a service: the account, the address, the protocol."""
    names = [f"{name}_{kind}url" for kind in (("base_", "") if by_rest else ("soap_", ""))]
    address = [each for each in names if getattr(config, each, None)][:1]
    protocol = [each for each in [f"{name}_protocol"] if by_rest and hasattr(config, each)]
    found = {each: getattr(config, each) for each in ("connect_id", *address, *protocol)}
    return {each: str(value) for each, value in found.items() if value}


def _endpoint(config: Settings, name: str, version: str) -> str:
    """Where a service is called over SOAP; "" where nobody has said so."""
    try:
        return config.soap_endpoint(name, version)
    except ConfigError:
        return ""
