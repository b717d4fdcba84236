"""The resources of the Data interface (`service.md 4.3`), but for the download, which is no message."""

from __future__ import annotations

from .parameters import Parameter
from .routes import Body, Route

ROUTES = (
    Route(
        "POST",
        "/jobs/reports/type/{}",
        "CreateReportJob",
        in_path=(Parameter("type", "reportType"),),
        body=Body("CreateReportJobRequest"),
    ),
    Route("GET", "/jobs/job/id/{}", "GetJob", in_path=(Parameter("id", "jobId"),)),
    Route(
        "GET",
        "/jobs",
        "GetJobs",
        query=(Parameter("items", "items", "int"), Parameter("page", "page", "int")),
    ),
)
