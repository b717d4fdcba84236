# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 96490be25ebd512cf9655e429c0231a8d853542eb5bfee9f882b90bdf04f0f64
"""The operations of data 2011-05-01."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import AbstractContextManager

from soapclient.runtime.operation import (
    AnyOperation,
    Caller,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
    PageCaller,
    PageFields,
    StreamCaller,
)
from zxws.data import rest
from zxws.data.codec import (
    read_create_report_job_request,
    read_create_report_job_response,
    read_get_job_request,
    read_get_job_response,
    read_get_jobs_request,
    read_get_jobs_response,
    read_job_item,
    write_create_report_job_request,
    write_get_job_request,
    write_get_jobs_request,
)
from zxws.data.types import (
    CreateReportJobRequest,
    CreateReportJobResponse,
    DateType,
    DateTypeValue,
    GetJobRequest,
    GetJobResponse,
    GetJobsRequest,
    GetJobsResponse,
    JobItem,
    ReviewState,
    ReviewStateValue,
)

CREATE_REPORT_JOB: Operation[CreateReportJobRequest, CreateReportJobResponse] = Operation(
    contract="data",
    name="CreateReportJob",
    method="create_report_job",
    signed=True,
    safe=False,
    soap_action="http://data.zanox.com/namespace/2011-05-01/CreateReportJob",
    request_tag="{http://data.zanox.com/namespace/2011-05-01/}CreateReportJobRequest",
    reply_tag="{http://data.zanox.com/namespace/2011-05-01/}CreateReportJobResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_report_job_request,
    read_request=read_create_report_job_request,
    read_reply=read_create_report_job_response,
    rest=rest.CREATE_REPORT_JOB,
)

GET_JOB: Operation[GetJobRequest, GetJobResponse] = Operation(
    contract="data",
    name="GetJob",
    method="get_job",
    signed=True,
    safe=True,
    soap_action="http://data.zanox.com/namespace/2011-05-01/GetJob",
    request_tag="{http://data.zanox.com/namespace/2011-05-01/}GetJobRequest",
    reply_tag="{http://data.zanox.com/namespace/2011-05-01/}GetJobResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_job_request,
    read_request=read_get_job_request,
    read_reply=read_get_job_response,
    rest=rest.GET_JOB,
)

GET_JOBS: ListOperation[GetJobsRequest, GetJobsResponse, JobItem] = ListOperation(
    contract="data",
    name="GetJobs",
    method="get_jobs",
    signed=True,
    safe=True,
    soap_action="http://data.zanox.com/namespace/2011-05-01/GetJobs",
    request_tag="{http://data.zanox.com/namespace/2011-05-01/}GetJobsRequest",
    reply_tag="{http://data.zanox.com/namespace/2011-05-01/}GetJobsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_jobs_request,
    read_request=read_get_jobs_request,
    read_reply=read_get_jobs_response,
    list_field="job_items",
    list_tag="{http://data.zanox.com/namespace/2011-05-01/}jobItems",
    item_tag="{http://data.zanox.com/namespace/2011-05-01/}jobItem",
    read_item=read_job_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_JOBS,
)

OPERATIONS: Mapping[str, AnyOperation] = {
    "CreateReportJob": CREATE_REPORT_JOB,
    "GetJob": GET_JOB,
    "GetJobs": GET_JOBS,
}


class DataService:
    """The operations of DataService. Each call raises what the caller it goes through raises."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create_report_job(
        self,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        columns: str | None = None,
        date_type: DateType | DateTypeValue | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        currency: str | None = None,
        program_id: int | None = None,
        adspace_id: int | None = None,
        admedium_format_id: int | None = None,
        group_by: str | None = None,
        notify_url: None = None,
    ) -> CreateReportJobResponse:
        """Orders a report; the answer carries the identifier of the job.

        Signed. Never repeated by itself.

        Answer: job_item (JobItem).

        notify_url: removed in 2011-05-01: a job calls nobody back, poll it instead.
        """
        return self._caller.call(
            CREATE_REPORT_JOB,
            CreateReportJobRequest(
                report_type=report_type,
                columns=columns,
                from_date=from_date,
                to_date=to_date,
                date_type=date_type,
                review_state=review_state,
                currency=currency,
                program_id=program_id,
                adspace_id=adspace_id,
                admedium_format_id=admedium_format_id,
                group_by=group_by,
                notify_url=notify_url,
            ),
        )

    def get_job(
        self,
        *,
        job_id: str,
    ) -> GetJobResponse:
        """Returns one job with its state.

        Signed. Repeated by itself after a passing failure.

        Answer: job_item (JobItem) or None.
        """
        return self._caller.call(
            GET_JOB,
            GetJobRequest(
                job_id=job_id,
            ),
        )

    def get_jobs(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetJobsResponse:
        """Returns a set of jobs.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); job_items, a list of JobItem or None.
        """
        return self._caller.call(
            GET_JOBS,
            GetJobsRequest(
                page=page,
                items=items,
            ),
        )


class DataServiceStreams:
    """The list operations of DataService, read item by item in constant memory."""

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    def get_jobs(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetJobsResponse, JobItem]]:
        """Returns a set of jobs.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); job_items, a list of JobItem or None.
        """
        return self._caller.stream(
            GET_JOBS,
            GetJobsRequest(
                page=page,
                items=items,
            ),
        )


class DataServicePages:
    """The list operations of DataService, their items over all pages, one by one."""

    def __init__(self, caller: PageCaller) -> None:
        self._caller = caller

    def get_jobs(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[JobItem]:
        """Returns a set of jobs.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); job_items, a list of JobItem or None.
        """
        return self._caller.pages(
            GET_JOBS,
            GetJobsRequest(
                page=page,
                items=items,
            ),
            on_page,
        )
