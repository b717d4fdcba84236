# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 3a23af1c210767ba06d762e2f8ae33e1bb94289abd394845193715f4bdd790c7
"""Types of data 2011-05-01. Only responses can have unknown enumeration values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal, TypedDict

from soapclient.runtime.record import Record


class DateType(StrEnum):
    CLICK_DATE = "clickDate"
    TRACKING_DATE = "trackingDate"
    MODIFIED_DATE = "modifiedDate"


DateTypeValue = Literal["clickDate", "trackingDate", "modifiedDate"]


class ReviewState(StrEnum):
    CONFIRMED = "confirmed"
    OPEN = "open"
    REJECTED = "rejected"
    APPROVED = "approved"


ReviewStateValue = Literal["confirmed", "open", "rejected", "approved"]


class CreateReportJobRequest(Record):
    report_type: str
    columns: str | None = None
    """assumed: one comma list instead of repeated elements"""
    from_date: dt.date
    to_date: dt.date
    date_type: DateType | str | None = None
    review_state: ReviewState | str | None = None
    currency: str | None = None
    program_id: int | None = None
    adspace_id: int | None = None
    admedium_format_id: int | None = None
    group_by: str | None = None
    notify_url: None = None
    """removed in 2011-05-01: a job calls nobody back, poll it instead"""


class CreateReportJobResponse(Record):
    job_item: JobItem


class GetJobRequest(Record):
    job_id: str
    """assumed: nothing public shows it"""


class GetJobResponse(Record):
    job_item: JobItem | None = None


class GetJobsRequest(Record):
    page: int | None = None
    """assumed: nothing public shows it"""
    items: int | None = None
    """assumed: nothing public shows it"""


class GetJobsResponse(Record):
    page: int
    """assumed: nothing public shows it"""
    items: int
    """assumed: nothing public shows it"""
    total: int
    """assumed: nothing public shows it"""
    job_items: list[JobItem] | None = None


class JobItem(Record):
    id: str
    report_type: str | None = None
    """assumed: nothing public shows it"""
    status: str | None = None
    """assumed: nothing public shows it

    Required by the contract, but missing in some responses.
    """
    create_date: dt.datetime | None = None
    """assumed: nothing public shows it"""
    finish_date: dt.datetime | None = None
    """assumed: nothing public shows it"""
    expire_date: dt.datetime | None = None
    """assumed: nothing public shows it"""
    compression: str | None = None
    rows: int | None = None
    """assumed: nothing public shows it"""
    size: int | None = None
    """assumed: nothing public shows it"""
    download_url: str | None = None
    """assumed: nothing public shows it"""
    message: str | None = None
    """assumed: nothing public shows it"""


class OrderOptions(TypedDict, total=False):
    """Options of a report order, besides the report type and the days. None is not sent.

    Set `columns` and `group_by` to a list of names, or to a string of names separated by commas.

    notify_url: removed in 2011-05-01: a job calls nobody back, poll it instead.
    """

    columns: str | Sequence[str] | None
    group_by: str | Sequence[str] | None
    date_type: DateType | DateTypeValue | None
    review_state: ReviewState | ReviewStateValue | None
    currency: str | None
    program_id: int | None
    adspace_id: int | None
    admedium_format_id: int | None
    notify_url: None
