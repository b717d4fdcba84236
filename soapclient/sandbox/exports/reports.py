"""What may be ordered as an export, as data: report types, columns, groups, and what is gone or reserved.

All column names are assumed; those of `lead` and `sale` follow the publisher's items. Of `cashback` the name
alone is known (`docs/explanation/service.md#columns`): assumed are the sales that sub-publishers brought.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ..faults import Code, InvalidValue

CLICK = (
    "clickId", "clickDate", "programId", "programName", "adspaceId", "adspaceName", "admediumId",
    "admediumName", "admediumFormatId", "country", "currency", "commission", "referrer", "userAgent",
    "zpar0", "zpar1",
)  # fmt: skip
CLICKIN = (
    "clickInId", "clickDate", "programId", "programName", "adspaceId", "adspaceName", "admediumId",
    "admediumName", "country", "landingPage", "zpar0", "zpar1",
)  # fmt: skip
LEAD = (
    "leadId", "reviewState", "trackingDate", "modifiedDate", "clickDate", "adspaceId", "adspaceName",
    "admediumId", "admediumName", "programId", "programName", "clickId", "clickInId", "commission",
    "currency", "subPublisherId", "reviewNote", "trackingCategoryId", "trackingCategoryName",
    "zpar0", "zpar1",
)  # fmt: skip
SALE = ("saleId", *LEAD[1:13], "amount", *LEAD[13:])
COLUMNS = {"click": CLICK, "clickin": CLICKIN, "lead": LEAD, "sale": SALE, "cashback": SALE}
REVIEWED = ("lead", "sale")  # elsewhere a reviewState is ignored
CUSTOM = tuple(dict.fromkeys((*CLICK, *CLICKIN)))
ALIASES = {"leads": "lead", "sales": "sale"}
GROUPS = ("country", "currency", "admedium", "program", "adspace", "linkformat", "month", "day")
REMOVED_TYPES = ("aggregated", "view", "postview")
REMOVED_IN = "2011-05-01"
# Request fields earlier versions had: refused by the schema, and then said why.
REMOVED_FIELDS = {"notifyUrl": f"notifyUrl was removed in {REMOVED_IN}; ask for the job's state with GetJob"}
MAX_DAYS = 366


@dataclass(frozen=True)
class Order:
    """A checked order. `columns` is the header of the file; `groups` is empty for plain rows."""

    report_type: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    first: date
    last: date
    date_type: str
    review_state: str | None
    currency: str | None
    program_id: int | None
    adspace_id: int | None
    format_id: int | None

    @property
    def kind(self) -> str:
        """What the rows are made of."""
        return {"custom": "click", "cashback": "sale"}.get(self.report_type, self.report_type)


def checked_type(name: str) -> str:
    """The report type under its own name. Raises a 1xx `InvalidValue` for any that cannot be ordered."""
    name = ALIASES.get(name, name)
    if name in REMOVED_TYPES:
        raise InvalidValue(Code.REMOVED, f"the report type {name} was removed in {REMOVED_IN}")
    if name != "custom" and name not in COLUMNS:
        known = ", ".join((*COLUMNS, "custom"))
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"the report type {name[:40]!r} is not known; known are {known}"
        )
    return name


def header(report_type: str, columns: str | None, groups: tuple[str, ...]) -> tuple[str, ...]:
    """The file's columns: chosen ones for `custom`, groups and sums when grouped, else the type's own."""
    if columns is not None and report_type != "custom":
        raise InvalidValue(Code.OUT_OF_RANGE, "columns can be chosen for the report type custom only")
    if columns is not None:
        return _listed("columns", columns, CUSTOM)
    if report_type == "custom":
        raise InvalidValue(Code.OUT_OF_RANGE, "the report type custom needs columns")
    if groups:
        sums = (
            ("count", "commission", "amount") if "amount" in COLUMNS[report_type] else ("count", "commission")
        )
        return (*groups, "currency", *sums) if "currency" not in groups else (*groups, *sums)
    return COLUMNS[report_type]


def checked_groups(text: str | None, report_type: str) -> tuple[str, ...]:
    """The comma list of groups; not together with chosen columns."""
    if text is None:
        return ()
    if report_type == "custom":
        raise InvalidValue(Code.OUT_OF_RANGE, "groupBy does not go with the report type custom")
    return _listed("groupBy", text, GROUPS)


def _listed(field: str, text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    chosen = tuple(part.strip() for part in text.split(","))
    for name in chosen:
        if name not in known:
            raise InvalidValue(
                Code.UNKNOWN_VALUE, f"{field}: {name[:40]!r} is not known; known are {', '.join(known)}"
            )
    if len(set(chosen)) < len(chosen):
        raise InvalidValue(Code.OUT_OF_RANGE, f"{field} names something twice")
    return chosen
