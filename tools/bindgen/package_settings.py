"""The settings file of a `bindgen init` package, `NAME.toml`: facts that the WSDL does not contain."""

from __future__ import annotations

from pathlib import Path

_TEMPLATE = """\
# Facts about {name} that its WSDL does not contain. `bindgen init {name} …` applies this file on each run,
# and changes it only with --propose. Names are as in the WSDL; a path is TYPE/ELEMENT, or TYPE/@ATTRIBUTE.
format = 2

# [operations]
# Operations that can be repeated without harm: they are retried on transient errors.
# safe = ["GetThings"]

# [paging]
# The elements of requests for the page and its size, and the element of responses for the number of all
# items; the number of the first page, the default size of a page, and the largest.
# page = "page"
# items = "pageSize"
# total = "total"
# first = 1
# default = 10
# most = 100

# [echo]
# Elements of requests, and the elements of responses that repeat their values. If a response has another
# value, it belongs to another request: a safe operation is retried, and the outcome of any other operation is
# unknown. For the element that is `items` above, the value in a response may be smaller.
# page = "page"
# thingId = "thing/@id"
# "UpdateThing/thing/@id" = "thing/@id"

# [types]
# Required elements that responses may lack: optional in responses, and a finding each time.
# may_be_missing = ["GetThingsResponse/note"]
# Date-times that mean a calendar day: dates in Python, sent as midnight in the setting report_zone.
# day = ["GetThings/since"]
# The time zone of date-times without one; by default they stay naive.
# naive_zone = "Europe/Berlin"
# Generate all declared types, also those that operations do not use: values of xsd:anyType may have them.
# all = true
# Numbers that may be binary floats; all others are exact.
# binary = ["Thing/ratio"]
# Other places of a value: elements, or attributes with @.
# also_read_as = {{ "Thing/id" = ["@id"] }}

# [signing]
# Requests are signed by a scheme (zxws, or one that you register) with the credentials passed to `connect`:
# the service's name in the string to sign, and an element for each role of the scheme, anywhere in the
# message or in a SOAP header. A request with the first element only is public. If requests declare none of
# them, HTTP headers are signed; `public` lists the operations without a signature, `headers` the SOAP headers
# that callers pass. `also_in_headers`: HTTP headers repeat the signature of the elements.
# scheme = "zxws"
# service_name = "thingservice"
# connect_id = "account"
# timestamp = "timestamp"
# nonce = "nonce"
# signature = "signature"
# public = []
# headers = []
# also_in_headers = false

# [fault]
# The element with the details of faults, and its children; codes of a refused signature, and codes after
# which a safe operation is retried.
# element = "ThingFault"
# code = "code"
# reason = "reason"
# error_id = "reference"
# authentication = [401]
# transient = [503]

# [refused.fields]
# Elements of earlier versions: if a caller sets one, it is refused with this message.
# "GetThings/colour" = "colour is gone since version 2: use shade"

# [rest.GetThings]
# The resource of an operation over REST: the elements in the braces of its path, the query parameters with
# their elements, and the element that is the body ("*": everything that is not in the path or the query).
# method = "GET"
# path = "/things/colour/{{colour}}"
# in_path = ["colour"]
# query = {{ since = "since", page = "page", items = "pageSize" }}

# [soap_only]
# Elements that exist over SOAP only, although their operations have a resource.
# elements = ["GetThings/trace"]

# [job]
# The operations that order a report, return its job, and list the jobs, and the fields of a job. Without the
# list, the report type and the time of a listed job, an order whose response was lost cannot be found again.
# order = "OrderReport"
# poll = "GetReportJob"
# list = "GetReportJobs"
# poll_id = "GetReportJob/ticket"
# item = "GetReportJobResponse/job"
# id = "job/@id"
# status = "job/status"
# type = "job/report"
# created = "job/ordered"
# compression = "job/compression"

# [order]
# The elements of the operation that orders a report (`order` in [job]): the first and the last day, the
# report type, the columns, the groups, and the filters. `separator` joins several columns or groups in one
# string. `date_type` is the element for the date that the days are compared with, `default_date` its value if
# an order does not set it.
# from = "first"
# to = "last"
# type = "report"
# columns = "columns"
# group_by = "groups"
# filters = ["colour"]
# separator = ","
# date_type = "basis"
# default_date = "tracked"
"""


def path_of(folder: Path) -> Path:
    """Return the path of the settings file, which is next to a package's folder."""
    return folder.with_name(f"{folder.name}.toml")


def write(folder: Path) -> bool:
    """Write a template of the settings file, with all lines commented out, unless the file exists.

    Returns True if it was written.
    """
    path = path_of(folder)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(_TEMPLATE.format(name=folder.name))
    except FileExistsError:
        return False
    return True
