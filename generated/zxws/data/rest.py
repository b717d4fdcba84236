# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 96490be25ebd512cf9655e429c0231a8d853542eb5bfee9f882b90bdf04f0f64
"""The REST resources of data 2011-05-01."""

from __future__ import annotations

from soapclient.runtime.rest import (
    Parameter,
    RestForm,
)

CREATE_REPORT_JOB = RestForm(
    method="POST",
    path="/jobs/reports/type/{type}",
    in_path=("reportType",),
    body="*",
    body_tag="{http://data.zanox.com/namespace/2011-05-01/}CreateReportJobRequest",
)

GET_JOB = RestForm(
    method="GET",
    path="/jobs/job/id/{id}",
    in_path=("jobId",),
)

GET_JOBS = RestForm(
    method="GET",
    path="/jobs",
    query=(
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)
