"""Handlers of the operations that order exports and return their jobs."""

from __future__ import annotations

from datetime import date

from ..berlin import in_berlin
from ..data.transactions import FIRST_DAY, LAST_DAY
from ..exports.jobs import Job
from ..exports.reports import MAX_DAYS, REVIEWED, Order, checked_groups, checked_type, header
from ..exports.rows import blocks
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value
from .registry import Call, handles, page_of

DOWNLOAD = "/jobs/job/id/{id}/download"


@handles("data", "CreateReportJob")
def create_report_job(call: Call) -> Payload:
    """Order an export. Raises `InvalidValue` with a code from 100 to 199 for an invalid order."""
    order = _order(call.fields)
    job = call.jobs.create(call.connect_id, order, blocks(order, call.holdings))
    return {"jobItem": job_item(call, job)}


@handles("data", "GetJob")
def get_job(call: Call) -> Payload:
    """Return a job. The response has no item if the id is unknown or belongs to another account."""
    job = call.jobs.get(call.connect_id, call.fields.text("jobId") or "")
    if job is not None:
        job.failures.look()
    return {"jobItem": None if job is None else job_item(call, job)}


@handles("data", "GetJobs")
def get_jobs(call: Call) -> Payload:
    """Return a page of the account's jobs, oldest first. New jobs do not change earlier pages."""
    jobs = call.jobs.of(call.connect_id)
    return page_of(call.fields, jobs, "jobItems", "jobItem", lambda job: job_item(call, job))


def job_item(call: Call, job: Job) -> Payload:
    """Return a jobItem with the job's current state.

    If a test has set states for the job (`JobScript.states`), each call uses the next of these states.
    """
    state = call.jobs.look(job)
    script, done = job.script, state == "done"
    item: dict[str, Value] = {
        "@id": job.id,
        "reportType": job.order.report_type,
        "status": state,
        "createDate": in_berlin(job.created),
        "compression": "gzip-csv",
    }
    if state in ("done", "failed", "expired"):
        item["finishDate"] = in_berlin(job.created + call.jobs.steps.done)
    if done:
        item["expireDate"] = in_berlin(job.created + call.jobs.steps.expired)
        item["rows"] = None if script.no_rows else job.file.rows + script.rows_off_by
        item["size"] = job.file.size
        item["downloadUrl"] = None if script.no_url else _address(call, job)
    if state == "failed":
        item["message"] = job.message()
    return item


def _address(call: Call, job: Job) -> str:
    ticket = job.failures.ticket()
    return call.rest_url + DOWNLOAD.format(id=job.id) + (f"?ticket={ticket}" if ticket else "")


def _order(fields: Fields) -> Order:
    """Convert request fields to a validated order. Raises `InvalidValue` with a code from 100 to 199."""
    report_type = checked_type(fields.text("reportType") or "")
    groups = checked_groups(fields.text("groupBy"))
    columns = header(report_type, fields.text("columns"), groups)
    first, last = fields.day("fromDate"), fields.day("toDate")
    if first is None or last is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "fromDate and toDate are required")
    _check_days(first, last)
    return Order(
        report_type=report_type,
        columns=columns,
        groups=groups,
        chosen=fields.text("columns") is not None,
        first=first,
        last=last,
        date_type=fields.text("dateType") or "trackingDate",
        review_state=fields.text("reviewState") if report_type in (*REVIEWED, "custom") else None,
        currency=fields.text("currency"),
        program_id=fields.number("programId"),
        adspace_id=fields.number("adspaceId"),
        format_id=fields.number("admediumFormatId"),
    )


def _check_days(first: date, last: date) -> None:
    if first > last:
        raise InvalidValue(Code.OUT_OF_RANGE, f"fromDate {first} is after toDate {last}")
    if not FIRST_DAY <= first <= last <= LAST_DAY:
        raise InvalidValue(Code.OUT_OF_RANGE, f"the dates must be between {FIRST_DAY} and {LAST_DAY}")
    if (last - first).days >= MAX_DAYS:
        raise InvalidValue(Code.OUT_OF_RANGE, f"an export covers at most {MAX_DAYS} days")
