"""A service that implements the contract, for trying out the client without an account.

    from soapclient.tracking.sandbox import Sandbox, serve
    with serve(Sandbox(seed=1)) as server:
        print(server.url)

It shares no code with the client and reads the published WSDLs itself. Therefore, a call that works is
evidence that the client follows the contract.
"""

from __future__ import annotations

from soapclient.serving.server import UnusableCertificate

from .app import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox
from .exports.jobs import Job, Jobs, JobScript, JobSteps
from .exports.reports import Order
from .rest.responses import Nesting
from .server import Serving, serve

__all__ = [
    "SAMPLE_CONNECT_ID",
    "SAMPLE_SECRET_KEY",
    "Job",
    "JobScript",
    "JobSteps",
    "Jobs",
    "Nesting",
    "Order",
    "Sandbox",
    "Serving",
    "UnusableCertificate",
    "serve",
]
