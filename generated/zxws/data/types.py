# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 56f73c2977e3212cc90e928c6605ba4af542df898cb75c02d850c4ac1eedc3ae
# sha256 of its settings in contracts.toml: 7d125a64fd4309c20ac349b876c9794703d3d842a46af22f0a460f7790dcb3e3
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
    """Assumed: one comma-separated list instead of repeated elements."""
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
    """removed in 2011-05-01: the service does not report the end of a job. Poll the job instead"""


class CreateReportJobResponse(Record):
    job_item: JobItem


class GetJobRequest(Record):
    job_id: str
    """Assumed: the public record does not show it."""


class GetJobResponse(Record):
    job_item: JobItem | None = None


class GetJobsRequest(Record):
    page: int | None = None
    """Assumed: the public record does not show it."""
    items: int | None = None
    """Assumed: the public record does not show it."""


class GetJobsResponse(Record):
    page: int
    """Assumed: the public record does not show it."""
    items: int
    """Assumed: the public record does not show it."""
    total: int
    """Assumed: the public record does not show it."""
    job_items: list[JobItem] | None = None


class JobItem(Record):
    id: str
    report_type: str | None = None
    """Assumed: the public record does not show it."""
    status: str | None = None
    """Assumed: the public record does not show it.

    Required by the contract, but missing in some responses.
    """
    create_date: dt.datetime | None = None
    """Assumed: the public record does not show it."""
    finish_date: dt.datetime | None = None
    """Assumed: the public record does not show it."""
    expire_date: dt.datetime | None = None
    """Assumed: the public record does not show it."""
    compression: str | None = None
    rows: int | None = None
    """Assumed: the public record does not show it."""
    size: int | None = None
    """Assumed: the public record does not show it."""
    download_url: str | None = None
    """Assumed: the public record does not show it."""
    message: str | None = None
    """Assumed: the public record does not show it."""


class OrderOptions(TypedDict, total=False):
    """Options of a report order, besides the report type and the days. None is not sent.

    Set `columns` and `group_by` to a list of names, or to a string of names separated by commas.

    notify_url: removed in 2011-05-01: the service does not report the end of a job. Poll the job
    instead.
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
