# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 56f73c2977e3212cc90e928c6605ba4af542df898cb75c02d850c4ac1eedc3ae
# sha256 of its settings in contracts.toml: 7d125a64fd4309c20ac349b876c9794703d3d842a46af22f0a460f7790dcb3e3
"""The operations of data 2011-05-01."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, ClassVar

from soapclient.runtime.asynchronous import AsyncCaller, awaited, paged_async, streamed_async
from soapclient.runtime.operations import ListOperation, Operation, PageCaller, StreamCaller, paged, streamed
from soapclient.runtime.package import Package, package
from soapclient.runtime.service import AsyncService, Service

if TYPE_CHECKING:
    from .types import (
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

PACKAGE = package(__name__.rpartition(".")[0])

CREATE_REPORT_JOB: Operation[CreateReportJobRequest, CreateReportJobResponse] = PACKAGE.operation(
    "CreateReportJob"
)
GET_JOB: Operation[GetJobRequest, GetJobResponse] = PACKAGE.operation("GetJob")
GET_JOBS: ListOperation[GetJobsRequest, GetJobsResponse, JobItem] = PACKAGE.list_operation("GetJobs")


class DataService(Service):
    """The operations of DataService, as methods. They raise the errors in `soapclient.errors`."""

    PACKAGE: ClassVar[Package] = PACKAGE
    PORT_TYPE: ClassVar[str] = ""

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
        """Orders a report. The response has the id of the job.

        Signed. Never retried.

        Response: job_item (JobItem).

        notify_url: removed in 2011-05-01: the service does not report the end of a job. Poll the job
        instead.
        """
        return self._caller.call(
            CREATE_REPORT_JOB,
            CREATE_REPORT_JOB.request_type(
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

        Signed. Retried on transient errors.

        Response: job_item (JobItem or None).
        """
        return self._caller.call(GET_JOB, GET_JOB.request_type(job_id=job_id))

    def get_jobs(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetJobsResponse:
        """Returns a set of jobs.

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), job_items (list[JobItem] or None).
        """
        return self._caller.call(GET_JOBS, GET_JOBS.request_type(page=page, items=items))

    @property
    def stream(self) -> DataServiceStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return DataServiceStreams(self._engine)

    @property
    def iterate(self) -> DataServicePages:
        """The operations that return lists, as methods that iterate over the items of all pages."""
        return DataServicePages(self._engine)


class DataServiceStreams:
    """The list operations of DataService: methods return context managers that yield the items as they
    arrive.
    """

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    get_jobs = streamed(DataService.get_jobs, GET_JOBS)


class DataServicePages:
    """The list operations of DataService: methods return iterators over the items of all pages."""

    def __init__(self, caller: PageCaller) -> None:
        self._caller = caller

    get_jobs = paged(DataService.get_jobs, GET_JOBS)


class DataServiceAsync(AsyncService):
    """The methods of DataService, for asyncio."""

    SERVICE: ClassVar[type[DataService]] = DataService

    create_report_job = awaited(DataService.create_report_job)
    get_job = awaited(DataService.get_job)
    get_jobs = awaited(DataService.get_jobs)

    @property
    def stream(self) -> DataServiceAsyncStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return DataServiceAsyncStreams(self._caller.streams)

    @property
    def iterate(self) -> DataServiceAsyncPages:
        """The operations that return lists, as methods that iterate over the items of all pages."""
        return DataServiceAsyncPages(self._caller.pages)


class DataServiceAsyncStreams:
    """The methods of DataServiceStreams, for asyncio."""

    SERVICE: ClassVar[type[DataServiceStreams]] = DataServiceStreams

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    get_jobs = streamed_async(DataServiceStreams.get_jobs)


class DataServiceAsyncPages:
    """The methods of DataServicePages, for asyncio."""

    SERVICE: ClassVar[type[DataServicePages]] = DataServicePages

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    get_jobs = paged_async(DataServicePages.get_jobs)
