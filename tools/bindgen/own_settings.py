"""The settings file of `bindgen init`, next to the package: what its WSDL cannot say. It is the user's."""

from __future__ import annotations

from pathlib import Path

_TEMPLATE = """\
# What the WSDL of {name} cannot say. `bindgen init {name} …` applies this file each time it runs, and changes
# it only with --propose. Names are those of the WSDL; a path is TYPE/ELEMENT, or TYPE/@ATTRIBUTE.
format = 2

# [operations]
# May be repeated without harm: these are retried on transient errors.
# safe = ["GetThings"]

# [paging]
# The elements that page a list: of requests the page and the size of a page, of responses the number of all;
# the number of the first page, the usual size of a page, and the largest.
# page = "page"
# items = "pageSize"
# total = "total"
# first = 1
# default = 10
# most = 100

# [echo]
# Elements of requests, and where responses repeat their values. If a response has another value, it belongs
# to another request: a safe operation is retried, and the outcome of any other operation is unknown. Of the
# element that is `items` above, a response may have fewer.
# page = "page"
# thingId = "thing/@id"
# "UpdateThing/thing/@id" = "thing/@id"

# [types]
# Required elements that the service leaves out at times: optional in responses, and a finding each time.
# may_be_missing = ["GetThingsResponse/note"]
# Date-times that mean a calendar day: a date in Python, and midnight in the connection's report_zone.
# day = ["GetThings/since"]
# The zone of date-times that come without one; by default they stay naive.
# naive_zone = "Europe/Berlin"
# Generate all declared types, also those that no operation names: values of xsd:anyType may have them.
# all = true
# Numbers that may be binary floats; all others are exact.
# binary = ["Thing/ratio"]
# Where else a value may stand: elements, or attributes with @.
# also_read_as = {{ "Thing/id" = ["@id"] }}

# [signing]
# Requests are signed by a scheme (zxws, or one that you register) with the credentials that `connect` is
# given: the service's name in the text to sign, and the elements that the signature fills in, anywhere in
# the message or in a SOAP header. A request with the first alone is public. If it declares none of them, HTTP
# headers are signed; `public` lists the operations that need no signature, `headers` the SOAP headers that
# callers pass.
# scheme = "zxws"
# service_name = "thingservice"
# connect_id = "account"
# timestamp = "timestamp"
# nonce = "nonce"
# signature = "signature"
# public = []
# headers = []

# [fault]
# The element that faults hold, and its children; codes that mean a refused signature, and those after which
# a safe operation is retried.
# element = "ThingFault"
# code = "code"
# reason = "reason"
# error_id = "reference"
# authentication = [401]
# transient = [503]

# [refused.fields]
# Elements that earlier versions took: given all the same, they are refused with this.
# "GetThings/colour" = "colour is gone since version 2: use shade"

# [rest.GetThings]
# The resource of an operation over REST: the elements in the braces of its path, parameters and the elements
# they have, and the element that is the body ("*": all that is neither in the path nor in the query).
# method = "GET"
# path = "/things/colour/{{colour}}"
# in_path = ["colour"]
# query = {{ since = "since", page = "page", items = "pageSize" }}

# [soap_only]
# Elements that operations have over SOAP alone, though they have a resource.
# elements = ["GetThings/trace"]

# [job]
# The operations that order a report, tell of its job, and list the jobs, and the fields of a job. Without the
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
# Of the operation that orders a report, which `order` in [job] names, the elements for the first and the
# last day, the report type, the columns, the groups, and the filters; `separator` joins several columns or
# groups in one text. `date_type` is the element that says which date the days are compared with,
# `default_date` the date if an order does not say.
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
    """The file beside a package's folder."""
    return folder.with_name(f"{folder.name}.toml")


def write(folder: Path) -> bool:
    """Write the file, all of it commented out, where there is none; give whether it was written."""
    path = path_of(folder)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(_TEMPLATE.format(name=folder.name))
    except FileExistsError:
        return False
    return True
