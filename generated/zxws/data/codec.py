# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 96490be25ebd512cf9655e429c0231a8d853542eb5bfee9f882b90bdf04f0f64
"""How the types of data 2011-05-01 are read and written."""

from __future__ import annotations

import datetime as dt

from soapclient.runtime.leaves import (
    Choice,
    no_attributes,
)
from soapclient.runtime.protocols import (
    Node,
    Reader,
    Wire,
    Writer,
)
from soapclient.runtime.reading import (
    absent,
    read_list,
    repeated,
    same,
)
from soapclient.runtime.scalars import (
    ANY_URI,
    DATE,
    DATE_TIME,
    INT,
    LONG,
    STRING,
)
from soapclient.runtime.writing import (
    expect,
    refuse,
    refuse_values,
    required,
    write,
    write_choice,
    write_list,
)
from zxws.data.types import (
    CreateReportJobRequest,
    CreateReportJobResponse,
    DateType,
    GetJobRequest,
    GetJobResponse,
    GetJobsRequest,
    GetJobsResponse,
    JobItem,
    ReviewState,
)

T_REPORT_TYPE = "{http://data.zanox.com/namespace/2011-05-01/}reportType"
T_COLUMNS = "{http://data.zanox.com/namespace/2011-05-01/}columns"
T_FROM_DATE = "{http://data.zanox.com/namespace/2011-05-01/}fromDate"
T_TO_DATE = "{http://data.zanox.com/namespace/2011-05-01/}toDate"
T_DATE_TYPE = "{http://data.zanox.com/namespace/2011-05-01/}dateType"
T_REVIEW_STATE = "{http://data.zanox.com/namespace/2011-05-01/}reviewState"
T_CURRENCY = "{http://data.zanox.com/namespace/2011-05-01/}currency"
T_PROGRAM_ID = "{http://data.zanox.com/namespace/2011-05-01/}programId"
T_ADSPACE_ID = "{http://data.zanox.com/namespace/2011-05-01/}adspaceId"
T_ADMEDIUM_FORMAT_ID = "{http://data.zanox.com/namespace/2011-05-01/}admediumFormatId"
T_GROUP_BY = "{http://data.zanox.com/namespace/2011-05-01/}groupBy"
T_JOB_ITEM = "{http://data.zanox.com/namespace/2011-05-01/}jobItem"
T_JOB_ID = "{http://data.zanox.com/namespace/2011-05-01/}jobId"
T_PAGE = "{http://data.zanox.com/namespace/2011-05-01/}page"
T_ITEMS = "{http://data.zanox.com/namespace/2011-05-01/}items"
T_TOTAL = "{http://data.zanox.com/namespace/2011-05-01/}total"
T_JOB_ITEMS = "{http://data.zanox.com/namespace/2011-05-01/}jobItems"
T_ID = "{http://data.zanox.com/namespace/2011-05-01/}id"
T_STATUS = "{http://data.zanox.com/namespace/2011-05-01/}status"
T_CREATE_DATE = "{http://data.zanox.com/namespace/2011-05-01/}createDate"
T_FINISH_DATE = "{http://data.zanox.com/namespace/2011-05-01/}finishDate"
T_EXPIRE_DATE = "{http://data.zanox.com/namespace/2011-05-01/}expireDate"
T_COMPRESSION = "{http://data.zanox.com/namespace/2011-05-01/}compression"
T_ROWS = "{http://data.zanox.com/namespace/2011-05-01/}rows"
T_SIZE = "{http://data.zanox.com/namespace/2011-05-01/}size"
T_DOWNLOAD_URL = "{http://data.zanox.com/namespace/2011-05-01/}downloadUrl"
T_MESSAGE = "{http://data.zanox.com/namespace/2011-05-01/}message"

C_DATE_TYPE = Choice(DateType)
C_REVIEW_STATE = Choice(ReviewState)


def read_create_report_job_request(node: Node, reader: Reader) -> CreateReportJobRequest:
    no_attributes(node, reader)
    report_type: str | None = None
    columns: str | None = None
    from_date: dt.date | None = None
    to_date: dt.date | None = None
    date_type: DateType | str | None = None
    review_state: ReviewState | str | None = None
    currency: str | None = None
    program_id: int | None = None
    adspace_id: int | None = None
    admedium_format_id: int | None = None
    group_by: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_REPORT_TYPE:
            if report_type is not None:
                raise repeated(child)
            report_type = STRING.read(child, reader)
        elif tag == T_COLUMNS:
            if columns is not None:
                raise repeated(child)
            columns = STRING.read(child, reader)
        elif tag == T_FROM_DATE:
            if from_date is not None:
                raise repeated(child)
            from_date = DATE.read(child, reader)
        elif tag == T_TO_DATE:
            if to_date is not None:
                raise repeated(child)
            to_date = DATE.read(child, reader)
        elif tag == T_DATE_TYPE:
            if date_type is not None:
                raise repeated(child)
            date_type = C_DATE_TYPE.read(child, reader)
        elif tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_ADMEDIUM_FORMAT_ID:
            if admedium_format_id is not None:
                raise repeated(child)
            admedium_format_id = INT.read(child, reader)
        elif tag == T_GROUP_BY:
            if group_by is not None:
                raise repeated(child)
            group_by = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if report_type is None:
        raise absent(node, "reportType")
    if from_date is None:
        raise absent(node, "fromDate")
    if to_date is None:
        raise absent(node, "toDate")
    return CreateReportJobRequest(
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
    )


def write_create_report_job_request(value: CreateReportJobRequest, writer: Writer, path: str) -> Wire:
    expect(value, CreateReportJobRequest, path)
    wire: Wire = {}
    if value.report_type is None:
        raise required(f"{path}/reportType")
    wire["reportType"] = refuse_values(
        write(value.report_type, f"{path}/reportType", STRING),
        f"{path}/reportType",
        {
            "aggregated": "removed in 2011-05-01; use click (ppc), clickin (lpt), lead or sale",
            "view": "removed in 2011-05-01; use click (ppc), clickin (lpt), lead or sale",
            "postview": "removed in 2011-05-01; use click (ppc), clickin (lpt), lead or sale",
            "ppc": "a report of these clicks is called click: use click",
            "lpt": "a report of these click-ins is called clickin: use clickin",
        },
    )
    if value.columns is not None:
        wire["columns"] = write(value.columns, f"{path}/columns", STRING)
    if value.from_date is None:
        raise required(f"{path}/fromDate")
    wire["fromDate"] = write(value.from_date, f"{path}/fromDate", DATE)
    if value.to_date is None:
        raise required(f"{path}/toDate")
    wire["toDate"] = write(value.to_date, f"{path}/toDate", DATE)
    if value.date_type is not None:
        wire["dateType"] = write_choice(value.date_type, f"{path}/dateType", C_DATE_TYPE)
    if value.review_state is not None:
        wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.admedium_format_id is not None:
        wire["admediumFormatId"] = write(value.admedium_format_id, f"{path}/admediumFormatId", INT)
    if value.group_by is not None:
        wire["groupBy"] = write(value.group_by, f"{path}/groupBy", STRING)
    refuse(
        value.notify_url,
        f"{path}/notifyUrl",
        "removed in 2011-05-01: a job calls nobody back, poll it instead",
    )
    return wire


def read_create_report_job_response(node: Node, reader: Reader) -> CreateReportJobResponse:
    no_attributes(node, reader)
    job_item: JobItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_JOB_ITEM:
            if job_item is not None:
                raise repeated(child)
            job_item = read_job_item(child, reader)
        else:
            reader.unknown_element(child)
    if job_item is None:
        raise absent(node, "jobItem")
    return CreateReportJobResponse(
        job_item=job_item,
    )


def write_create_report_job_response(value: CreateReportJobResponse, writer: Writer, path: str) -> Wire:
    expect(value, CreateReportJobResponse, path)
    wire: Wire = {}
    if value.job_item is None:
        raise required(f"{path}/jobItem")
    wire["jobItem"] = write_job_item(value.job_item, writer, f"{path}/jobItem")
    return wire


def read_get_job_request(node: Node, reader: Reader) -> GetJobRequest:
    no_attributes(node, reader)
    job_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_JOB_ID:
            if job_id is not None:
                raise repeated(child)
            job_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if job_id is None:
        raise absent(node, "jobId")
    return GetJobRequest(
        job_id=job_id,
    )


def write_get_job_request(value: GetJobRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetJobRequest, path)
    wire: Wire = {}
    if value.job_id is None:
        raise required(f"{path}/jobId")
    wire["jobId"] = write(value.job_id, f"{path}/jobId", STRING)
    return wire


def read_get_job_response(node: Node, reader: Reader) -> GetJobResponse:
    no_attributes(node, reader)
    job_item: JobItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_JOB_ITEM:
            if job_item is not None:
                raise repeated(child)
            job_item = read_job_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetJobResponse(
        job_item=job_item,
    )


def write_get_job_response(value: GetJobResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetJobResponse, path)
    wire: Wire = {}
    if value.job_item is not None:
        wire["jobItem"] = write_job_item(value.job_item, writer, f"{path}/jobItem")
    return wire


def read_get_jobs_request(node: Node, reader: Reader) -> GetJobsRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetJobsRequest(
        page=page,
        items=items,
    )


def write_get_jobs_request(value: GetJobsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetJobsRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_jobs_response(node: Node, reader: Reader) -> GetJobsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    job_items: list[JobItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_JOB_ITEMS:
            if job_items is not None:
                raise repeated(child)
            job_items = read_list(child, reader, T_JOB_ITEM, read_job_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetJobsResponse(
        page=page,
        items=items,
        total=total,
        job_items=job_items,
    )


def write_get_jobs_response(value: GetJobsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetJobsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.job_items is not None:
        wire["jobItems"] = {
            "jobItem": write_list(value.job_items, f"{path}/jobItems", writer, write_job_item)
        }
    return wire


def read_job_item(node: Node, reader: Reader) -> JobItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute in ("id", "jobId"):
            id = same(node, id, STRING.attribute(node, reader, attribute, raw))
        else:
            reader.unknown_attribute(node, attribute)
    report_type: str | None = None
    status: str | None = None
    create_date: dt.datetime | None = None
    finish_date: dt.datetime | None = None
    expire_date: dt.datetime | None = None
    compression: str | None = None
    rows: int | None = None
    size: int | None = None
    download_url: str | None = None
    message: str | None = None
    for child in node:
        tag = child.tag
        if tag in (T_ID, T_JOB_ID):
            id = same(child, id, STRING.read(child, reader))
        elif tag == T_REPORT_TYPE:
            if report_type is not None:
                raise repeated(child)
            report_type = STRING.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = STRING.read(child, reader)
        elif tag == T_CREATE_DATE:
            if create_date is not None:
                raise repeated(child)
            create_date = DATE_TIME.read(child, reader)
        elif tag == T_FINISH_DATE:
            if finish_date is not None:
                raise repeated(child)
            finish_date = DATE_TIME.read(child, reader)
        elif tag == T_EXPIRE_DATE:
            if expire_date is not None:
                raise repeated(child)
            expire_date = DATE_TIME.read(child, reader)
        elif tag == T_COMPRESSION:
            if compression is not None:
                raise repeated(child)
            compression = STRING.read(child, reader)
        elif tag == T_ROWS:
            if rows is not None:
                raise repeated(child)
            rows = LONG.read(child, reader)
        elif tag == T_SIZE:
            if size is not None:
                raise repeated(child)
            size = LONG.read(child, reader)
        elif tag == T_DOWNLOAD_URL:
            if download_url is not None:
                raise repeated(child)
            download_url = ANY_URI.read(child, reader)
        elif tag == T_MESSAGE:
            if message is not None:
                raise repeated(child)
            message = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "@id")
    if status is None:
        reader.missing(node, "status")
    return JobItem(
        id=id,
        report_type=report_type,
        status=status,
        create_date=create_date,
        finish_date=finish_date,
        expire_date=expire_date,
        compression=compression,
        rows=rows,
        size=size,
        download_url=download_url,
        message=message,
    )


def write_job_item(value: JobItem, writer: Writer, path: str) -> Wire:
    expect(value, JobItem, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.report_type is not None:
        wire["reportType"] = write(value.report_type, f"{path}/reportType", STRING)
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write(value.status, f"{path}/status", STRING)
    if value.create_date is not None:
        wire["createDate"] = write(value.create_date, f"{path}/createDate", DATE_TIME)
    if value.finish_date is not None:
        wire["finishDate"] = write(value.finish_date, f"{path}/finishDate", DATE_TIME)
    if value.expire_date is not None:
        wire["expireDate"] = write(value.expire_date, f"{path}/expireDate", DATE_TIME)
    if value.compression is not None:
        wire["compression"] = write(value.compression, f"{path}/compression", STRING)
    if value.rows is not None:
        wire["rows"] = write(value.rows, f"{path}/rows", LONG)
    if value.size is not None:
        wire["size"] = write(value.size, f"{path}/size", LONG)
    if value.download_url is not None:
        wire["downloadUrl"] = write(value.download_url, f"{path}/downloadUrl", ANY_URI)
    if value.message is not None:
        wire["message"] = write(value.message, f"{path}/message", STRING)
    return wire
