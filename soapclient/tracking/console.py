"""The tracking service in the console: a `Target` for each of its three services, and its export jobs."""

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

_MOST: Final = 50  # maximum number of jobs on the page
_DEADLINE: Final = 120.0  # seconds for a download
_STATES: Final = ("created", "running", "done")  # states of a successful job, in order


class ExportJobs:
    """The export jobs of a client's account, as the console shows them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def order(self) -> str:
        """The name of the operation that orders an export, or "" if the contract has no such operation."""
        order = self._client.data.PACKAGE.settings.order
        return "" if order is None else order.operation

    def jobs(self) -> list[JobSnapshot]:
        """Return the first jobs of the service's list, at most 50.

        Raises the errors of `soapclient.errors`.
        """
        return list(islice(self._client.data.exports.jobs.listed(), _MOST))

    def progress(self, job: JobSnapshot) -> int:
        """Return the progress of a job: 1 (created), 2 (running), 3 (done), or 0 for any other state."""
        return _STATES.index(job.status) + 1 if job.status in _STATES else 0

    @contextmanager
    def file(self, job_id: str, report_type: str) -> Iterator[Path]:
        """Download and verify the file of a job, and yield its path.

        The file is deleted at the end of the `with` block. Raises the errors of `soapclient.errors`.
        """
        with TemporaryDirectory(prefix="soapclient-console-") as folder:
            path = Path(folder) / "export.csv.gz"  # never a name from a request or a response
            export = self._client.data.exports.resume_job(job_id, report_type=report_type)
            yield export.download(path, _DEADLINE).path


def targets_of(client: Client) -> list[Target]:
    """Return a `Target` for each of the three services. The console calls a service through its target."""
    targets = []
    secret = client.settings.secret_key
    for name in SERVICE.packages:
        package: Package = import_module(f"{SERVICE.packages[name]}.service").PACKAGE
        by_rest = getattr(client.settings, f"{name}_protocol", "rest") == "rest"
        settings = _settings(client.settings, name, by_rest=by_rest)

        def engine(name: str = name) -> Engine:
            engine_of_client: Engine = getattr(client, name).engine
            return engine_of_client

        def checks(package: Package = package) -> Checks:
            from soapclient.contract.package_documents import documents
            from soapclient.contract.validation import checks_of

            return checks_of(documents(package))

        secrets = [] if secret is None else [secret.reveal()]
        operations = package.operations.values()
        targets.append(
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
    return targets


def _settings(config: Settings, name: str, *, by_rest: bool) -> dict[str, str]:
    """Return the settings that a call of the service `name` needs, as a dict from name to value.

    These are the settings for account, address and protocol. `by_rest` is True if the call uses REST, and
    False if it uses SOAP.
    """
    names = [f"{name}_{kind}url" for kind in (("base_", "") if by_rest else ("soap_", ""))]
    address = [setting for setting in names if getattr(config, setting, None)][:1]
    protocol = [setting for setting in [f"{name}_protocol"] if by_rest and hasattr(config, setting)]
    values = {setting: getattr(config, setting) for setting in ("connect_id", *address, *protocol)}
    return {setting: str(value) for setting, value in values.items() if value}


def _endpoint(config: Settings, name: str, version: str) -> str:
    """Return the SOAP address of a service, or "" if it is not configured."""
    try:
        return config.soap_endpoint(name, version)
    except ConfigError:
        return ""
