"""Variants of the reconstructed Data contract: shapes that the service's true WSDL may have.

Each variant changes the document's text. It has the lines of contracts.toml that must change, too, if any,
and the fields that an order then sends.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.contracts_matrix.data_service import Names

Changes = tuple[tuple[str, str], ...]

USUAL = 'columns=["clickId", "clickDate", "commission"], date_type="clickDate", program_id=1803'
USUAL_WORDS = "--columns clickId,clickDate,commission --date-type clickDate --program-id 1803"
COLUMNS = ("clickId", "clickDate", "commission")
SENT = (
    ("reportType", "click"),
    ("columns", "clickId,clickDate,commission"),
    ("fromDate", "2026-11-01"),
    ("toDate", "2026-11-02"),
    ("dateType", "clickDate"),
    ("programId", "1803"),
)
ROWS = (
    (9007199254740993, "2026-11-01T23:30:00+01:00", "0.10"),
    (9007199254740994, "2026-11-02T23:30:00+01:00", "0.10"),
)
SUMS = (("2026-11-01", "EUR", 3, "0.10"), ("2026-11-02", "EUR", 3, "0.10"))
GROUPED = ("day", "currency", "count", "commission")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """`document` and `settings` are replacements of text; with `propose`, bindgen writes the settings.

    `options` and `words` are the order's options in Python and on the command line, `sent` the fields of its
    request. `refused` is an option that the contract lacks.
    """

    document: Changes = ()
    settings: Changes = ()
    propose: bool = False
    names: Names = field(default_factory=Names)
    options: str = USUAL
    words: str = USUAL_WORDS
    sent: tuple[tuple[str, str], ...] = SENT
    rest: tuple[tuple[str, str], ...] = ()  # over REST, if that differs
    columns: tuple[str, ...] = COLUMNS
    rows: tuple[tuple[object, ...], ...] = ROWS
    refused: str = ""
    over_rest: bool = True  # if False, --propose removes the REST rows
    refused_types: tuple[tuple[str, str], ...] = ()  # report types and the texts of their errors


def _sent(**changed: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, changed.get(name, text)) for name, text in SENT)


def _renamed(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((names.get(name, name), text) for name, text in SENT)


def _list_of(name: str) -> Changes:
    once = f'<xsd:element name="{name}" type="xsd:string" minOccurs="0"'
    return ((once, f'{once} maxOccurs="unbounded"'),)


_DAYS = ('name="fromDate" type="xsd:date"', 'name="toDate" type="xsd:date"')
_ZONED = (
    '<xsd:simpleType name="zonedDay"><xsd:restriction base="xsd:date">'
    r'<xsd:pattern value="\d{4}-\d{2}-\d{2}(Z|[+-]\d{2}:\d{2})"/></xsd:restriction></xsd:simpleType>'
    '<xsd:simpleType name="dateTypeEnum">'
)
_WRAPPED = (
    '<xsd:complexType name="ColumnList"><xsd:sequence>'
    '<xsd:element name="column" type="xsd:string" maxOccurs="unbounded"/>'
    '</xsd:sequence></xsd:complexType><xsd:simpleType name="dateTypeEnum">'
)
_PERIOD = (
    '<xsd:complexType name="period"><xsd:sequence>'
    '<xsd:element name="from" type="xsd:date"/><xsd:element name="until" type="xsd:date"/>'
    '</xsd:sequence></xsd:complexType><xsd:simpleType name="dateTypeEnum">'
)
_TYPE = '<xsd:element name="reportType" type="xsd:string"/>\n          <xsd:element name="columns"'
_TYPES = (
    '<xsd:simpleType name="reportTypeEnum"><xsd:restriction base="xsd:string">'
    '<xsd:enumeration value="click"/><xsd:enumeration value="clickin"/><xsd:enumeration value="ppc"/>'
    "</xsd:restriction></xsd:simpleType>"
)
_ENUM = '<xsd:simpleType name="dateTypeEnum">'
_MODIFIED = '<xsd:enumeration value="modifiedDate"/>'
_ID = '<xsd:attribute name="id" type="xsd:string"'
_STATUS = '<xsd:element name="status" type="xsd:string"'
_STATES = (
    '<xsd:simpleType name="jobState"><xsd:restriction base="xsd:string">'
    '<xsd:enumeration value="PENDING"/><xsd:enumeration value="IN_PROGRESS"/>'
    '<xsd:enumeration value="COMPLETED"/><xsd:enumeration value="ERROR"/><xsd:enumeration value="DELETED"/>'
    '</xsd:restriction></xsd:simpleType><xsd:simpleType name="dateTypeEnum">'
)
_ORDERED = (
    '<xsd:complexType name="CreateReportJobResponse">\n        <xsd:sequence>\n'
    '          <xsd:element name="jobItem" type="tns:jobItem"/>'
)
_JOBS = ("CreateReportJobResponse", "GetJobResponse")
_ASSUMED = (
    "\n            <xsd:annotation><xsd:documentation>Assumed: the public record does not show it."
    "</xsd:documentation></xsd:annotation>\n          </xsd:element>"
)
_PAGES = (
    'name="page" type="xsd:int" minOccurs="0"', 'name="items" type="xsd:int" minOccurs="0"',
    'name="page" type="xsd:int"', 'name="items" type="xsd:int"', 'name="total" type="xsd:long"',
)  # fmt: skip
_FILE = (
    '<xsd:complexType name="fileType"><xsd:sequence><xsd:element name="url" type="xsd:anyURI"/>'
    '</xsd:sequence></xsd:complexType><xsd:simpleType name="dateTypeEnum">'
)
_NAMED_PERIOD = _PERIOD.replace('"from"', '"fromDate"').replace('"until"', '"toDate"')
_SIGNATURE = '<xsd:element name="signature" type="xsd:string"/>'
_NIL = ("columns", "reviewState", "currency", "adspaceId", "admediumFormatId", "groupBy")
_NIL_TYPES = ("string", "tns:reviewStateEnum", "string", "int", "int", "string")
_LISTED = tuple(("columns", name) for name in COLUMNS)

VARIANTS: dict[str, Variant] = {
    "today's": Variant(),
    "today's, grouped": Variant(
        options='group_by=["day"]',
        words="--group-by day",
        sent=(*(SENT[0], *SENT[2:4]), ("groupBy", "day")),
        columns=GROUPED,
        rows=SUMS,
    ),
    "renamed fields": Variant(
        document=(
            ("fromDate", "startDate"), ("toDate", "endDate"), ('"dateType"', '"datetype"'),
            ("reportType", "kindOfReport"), ('"status"', '"state"'), ("createDate", "orderedAt"),
        ),
        propose=True,
        names=Names(
            first="startDate", last="endDate", type="kindOfReport", status="state", created="orderedAt",
            listed_type="kindOfReport",
        ),
        options=USUAL.replace("date_type", "datetype"),
        words=USUAL_WORDS.replace("--date-type", "--datetype"),
        sent=_renamed(
            {"fromDate": "startDate", "toDate": "endDate", "dateType": "datetype"}
            | {"reportType": "kindOfReport"}
        ),
    ),
    "columns as a list": Variant(document=_list_of("columns"), sent=(SENT[0], *_LISTED, *SENT[2:])),
    "columns as a wrapped list": Variant(
        document=(
            ('name="columns" type="xsd:string"', 'name="columns" type="tns:ColumnList"'), (_ENUM, _WRAPPED),
        ),
        sent=(SENT[0], *(("column", name) for name in COLUMNS), *SENT[2:]),
    ),
    "groups as a list": Variant(
        document=_list_of("groupBy"),
        options='group_by=["day", "currency"]',
        words="--group-by day,currency",
        sent=(*(SENT[0], *SENT[2:4]), ("groupBy", "day"), ("groupBy", "currency")),
        columns=("day", "currency", "count", "commission"),
        rows=SUMS,
    ),
    "columns with another separator": Variant(
        settings=(('separator = ","\ndate_type', 'separator = ";"\ndate_type'),),
        names=Names(separator=";"),
        sent=_sent(columns="clickId;clickDate;commission"),
    ),
    "no groups": Variant(
        document=(('<xsd:element name="groupBy" type="xsd:string" minOccurs="0"/>', ""),),
        propose=True,
        refused="group_by",
    ),
    "no columns": Variant(
        document=(('name="columns"', 'name="layout"'),),
        settings=(('columns = "columns"\n', ""),),
        options='date_type="clickDate", layout="short"',
        words="--date-type clickDate --layout short",
        sent=(SENT[0], ("layout", "short"), *SENT[2:5]),
        columns=("clickId", "clickDate", "programId", "currency", "commission"),
        rows=tuple((row[0], row[1], 1803, "EUR", row[2]) for row in ROWS),
        refused="columns",
    ),
    "days with a zone": Variant(
        document=(
            (_DAYS[0], 'name="fromDate" type="tns:zonedDay"'),
            (_DAYS[1], 'name="toDate" type="tns:zonedDay"'),
            (_ENUM, _ZONED),
        ),
        sent=_sent(fromDate="2026-11-01Z", toDate="2026-11-02Z"),
    ),
    "days as date-times": Variant(
        document=tuple((each, each.replace("xsd:date", "xsd:dateTime")) for each in _DAYS),
        sent=_sent(fromDate="2026-11-01T00:00:00+01:00", toDate="2026-11-02T00:00:00+01:00"),
        rest=SENT,  # over REST a day is a date
    ),
    "days as text": Variant(document=tuple((each, each.replace("xsd:date", "xsd:string")) for each in _DAYS)),
    "days in a structure": Variant(
        document=(
            ('<xsd:element name="fromDate" type="xsd:date"/>', ""),
            (f"<xsd:element {_DAYS[1]}/>", '<xsd:element name="period" type="tns:period"/>'),
            (_ENUM, _PERIOD),
        ),
        settings=(('from = "fromDate"', 'from = "period/from"'), ('to = "toDate"', 'to = "period/until"')),
        names=Names(first="from", last="until"),
        sent=_renamed({"fromDate": "from", "toDate": "until"}),
    ),
    "wider enumerations": Variant(
        document=((_MODIFIED, f'{_MODIFIED}<xsd:enumeration value="reviewStateChangedDate"/>'),),
        # The rows can show the days of the order only by the date that is meant.
        options=USUAL.replace("clickDate", "reviewStateChangedDate"),
        words=USUAL_WORDS.replace("clickDate", "reviewStateChangedDate"),
        sent=_sent(dateType="reviewStateChangedDate", columns="clickId,reviewStateChangedDate,commission"),
        columns=("clickId", "reviewStateChangedDate", "commission"),
        rows=tuple((row[0], str(row[1]).replace("23:30", "00:30"), row[2]) for row in ROWS),
    ),
    "report types as an enumeration": Variant(
        document=((_TYPE, _TYPE.replace("xsd:string", "tns:reportTypeEnum")), (_ENUM, _TYPES + _ENUM)),
        refused_types=(
            ("view", "removed in 2011-05-01"), ("pay", "must be one of 'click', 'clickin', 'ppc', got 'pay'"),
        ),
    ),
    "narrower enumerations": Variant(
        document=((_MODIFIED, ""), ('<xsd:enumeration value="trackingDate"/>', "")),
    ),
    "one filter more, one less": Variant(
        document=(('name="admediumFormatId" type="xsd:int"', 'name="siteId" type="xsd:long"'),),
        options=f"{USUAL}, site_id=9000000000",
        words=f"{USUAL_WORDS} --site-id 9000000000",
        sent=(*SENT, ("siteId", "9000000000")),
        refused="admedium_format_id",
    ),
    "the job's id as an element": Variant(
        document=(
            ('<xsd:attribute name="id" type="xsd:string" use="required"/>', ""),
            (
                '<xsd:complexType name="jobItem">\n        <xsd:sequence>',
                '<xsd:complexType name="jobItem">\n        <xsd:sequence>\n'
                '          <xsd:element name="jobId" type="xsd:string"/>',
            ),
        ),
        propose=True,
        names=Names(job_id="jobId"),
    ),
    "the job's id as a number": Variant(
        document=(
            (_ID, _ID.replace("string", "long")),
            ('<xsd:element name="jobId" type="xsd:string"', '<xsd:element name="jobId" type="xsd:long"'),
        ),
    ),
    "other states, and an order returns the id alone": Variant(
        document=(
            (_STATUS, _STATUS.replace("xsd:string", "tns:jobState")), (_ENUM, _STATES),
            (_ORDERED, _ORDERED.replace('"jobItem"', '"jobId"').replace("tns:jobItem", "xsd:string")),
        ),
        propose=True,
        names=Names(done="COMPLETED", ordered_id="jobId"),
    ),
    "responses are jobs, and lists have no pages": Variant(
        document=(
            *((f'name="{name}" type="tns:{name}"', f'name="{name}" type="tns:jobItem"') for name in _JOBS),
            *((f"<xsd:element {each}>{_ASSUMED}", "") for each in _PAGES),
        ),
        propose=True,
        names=Names(responses=_JOBS),
    ),
    "a file in the job, and days in a structure with their names": Variant(
        document=(
            ('name="downloadUrl" type="xsd:anyURI"', 'name="file" type="tns:fileType"'), (_ENUM, _FILE),
            ('<xsd:element name="fromDate" type="xsd:date"/>', ""),
            (f"<xsd:element {_DAYS[1]}/>", '<xsd:element name="period" type="tns:period"/>'),
            (_ENUM, _NAMED_PERIOD),
        ),
        propose=True,
        names=Names(file="file"),
    ),
    "nillable in place of optional": Variant(
        document=tuple(
            (f'name="{name}" type="{each}" minOccurs="0"', f'name="{name}" type="{each}" nillable="true"')
            for name, kind in zip(_NIL, _NIL_TYPES, strict=True)
            for each in (kind if kind.startswith("tns:") else f"xsd:{kind}",)
        ),
        propose=True,
        sent=(
            *SENT[:5], ("reviewState", ""), ("currency", ""), SENT[5],
            *((name, "") for name in _NIL[3:]),
        ),
        over_rest=False,
    ),
    "a version with a fixed value in requests": Variant(
        document=((_SIGNATURE, f'{_SIGNATURE}<xsd:element name="version" type="xsd:string" fixed="7"/>'),),
        sent=(*SENT, ("version", "7")),
    ),
    "a number that is polled as text": Variant(document=((_ID, _ID.replace("string", "long")),)),
}  # fmt: skip
