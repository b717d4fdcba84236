"""The settings file of `bindgen init`, beside the package: what its WSDL cannot say. It is the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen.settings import SettingsError, check_sections
from soapclient._support import toml

# Those of `contracts.toml` that `connect` knows what to do with; the others are for REST and for exports.
_SECTIONS = ("operations", "paging", "echo", "types", "signing", "fault", "refused")
_TEMPLATE = """\
# What the WSDL of {name} cannot say. `bindgen init {name} …` applies this file each time it runs, and never
# changes it. Names are those of the WSDL; a path is TYPE/ELEMENT, or TYPE/@ATTRIBUTE.

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
# Requests are signed (ZXWS) with the credentials that `connect` is given: the service's name in the text to
# sign, and the elements of a request that the signature fills in, the last of each request. A request with
# the first alone is public; where none declares any of them, HTTP headers are signed, and `public` lists the
# operations that need no signature.
# service_name = "thingservice"
# connect_id = "account"
# timestamp = "timestamp"
# nonce = "nonce"
# signature = "signature"
# public = []

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
"""


def path_of(folder: Path) -> Path:
    """The file beside a package's folder."""
    return folder.with_name(f"{folder.name}.toml")


def read(folder: Path) -> dict[str, Mapping[str, object]]:
    """The sections of a package's file; none where there is no file. Raises SettingsError, OSError."""
    path = path_of(folder)
    try:
        found = toml.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except toml.NotToml as error:
        raise SettingsError(f"{path}: {error}") from None
    check_sections(f"{path}: ", found, _SECTIONS)
    return {name: table for name, table in found.items() if isinstance(table, dict)}


def write(folder: Path) -> bool:
    """Write the file, all of it commented out, where there is none; give whether it was written."""
    path = path_of(folder)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(_TEMPLATE.format(name=folder.name))
    except FileExistsError:
        return False
    return True
