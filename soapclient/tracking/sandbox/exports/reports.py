"""What may be ordered as an export, as data: report types, columns, groups, and what is gone or reserved.

All column names are assumed; those of `lead` and `sale` follow the publisher's items. Of `cashback` the name
alone is known (`docs/explanation/service.md#columns`): assumed are the sales that sub-publishers brought. It
is known that columns can be chosen. Assumed are the rows of a `custom` report (`Order.kinds`) and its groups.
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
# The rows that a custom report can have, each with its columns.
CUSTOM = {"click": tuple(dict.fromkeys((*CLICK, *CLICKIN))), "sale": SALE, "lead": LEAD}
ALIASES = {"leads": "lead", "sales": "sale"}
GROUPS = ("country", "currency", "admedium", "program", "adspace", "linkformat", "month", "day")
REMOVED_TYPES = ("aggregated", "view", "postview")
REMOVED_IN = "2011-05-01"
# Request fields earlier versions had: refused by the schema, and then said why.
REMOVED_FIELDS = {"notifyUrl": f"notifyUrl was removed in {REMOVED_IN}; ask for the job's state with GetJob"}
MAX_DAYS = 366


@dataclass(frozen=True)
class Order:
    """A checked order.

    `columns` is the header of the file. `chosen`: the order names it. `groups` is empty for plain rows.
    """

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
    chosen: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the rows are: clicks, clickins, leads or sales.

        For a custom report the first kind that has all chosen columns; if none has, several that have them
        together. Their rows follow each other, with empty cells for columns of another kind.
        """
        if self.report_type != "custom" or not self.chosen:
            return ({"custom": "click", "cashback": "sale"}.get(self.report_type, self.report_type),)
        left = set(self.columns)
        complete = [kind for kind, columns in CUSTOM.items() if left <= set(columns)]
        found = complete[:1]
        for kind, columns in CUSTOM.items() if not complete else ():
            if left & set(columns):
                found.append(kind)
                left -= set(columns)
        return tuple(found)


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
    """Return the columns of the file: the chosen ones, else groups and sums, else those of the type."""
    own = COLUMNS.get(report_type, ())
    if columns is not None:
        known = own or tuple(dict.fromkeys(name for names in CUSTOM.values() for name in names))
        return _listed("columns", columns, known)
    if groups:
        sums = ("count", "commission", "amount") if "amount" in own else ("count", "commission")
        return (*groups, "currency", *sums) if "currency" not in groups else (*groups, *sums)
    if not own:
        raise InvalidValue(Code.OUT_OF_RANGE, f"the report type {report_type} needs columns or groupBy")
    return own


def checked_groups(text: str | None) -> tuple[str, ...]:
    """Return the names in the comma list of groups."""
    return () if text is None else _listed("groupBy", text, GROUPS)


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
