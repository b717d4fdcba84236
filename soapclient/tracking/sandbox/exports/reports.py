"""Allowed export orders as data: report types, columns, groups, and removed names.

Documented: the type name `cashback` (`docs/explanation/service.md#columns`); columns can be selected.

Assumed:
- all column names (`lead` and `sale` have columns for the fields of the publisher's items)
- the rows of `cashback`: the sales from sub-publishers
- the rows of a `custom` report (`Order.kinds`), and its groups
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
REVIEWED = ("lead", "sale")  # other types ignore reviewState
# The kinds of rows of a custom report, with their columns.
CUSTOM = {"click": tuple(dict.fromkeys((*CLICK, *CLICKIN))), "sale": SALE, "lead": LEAD}
ALIASES = {"leads": "lead", "sales": "sale"}
GROUPS = ("country", "currency", "admedium", "program", "adspace", "linkformat", "month", "day")
REMOVED_TYPES = ("aggregated", "view", "postview")
REMOVED_IN = "2011-05-01"
# Request fields of earlier versions, with the error for them.
REMOVED_FIELDS = {"notifyUrl": f"notifyUrl was removed in {REMOVED_IN}; ask for the job's state with GetJob"}
MAX_DAYS = 366


@dataclass(frozen=True)
class Order:
    """A validated order.

    `columns`: header of the file. `chosen`: True if the order itself lists the columns. `groups`: names of
    the groups; empty if each click, lead or sale is a row.
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
        """The kinds of rows: clicks, clickins, leads or sales.

        A custom report has rows of the first kind that has all chosen columns. If no kind has all of them,
        the report has rows of several kinds, one kind after the other. Then the cells of a row are empty in
        the columns that its kind does not have.
        """
        if self.report_type != "custom" or not self.chosen:
            return ({"custom": "click", "cashback": "sale"}.get(self.report_type, self.report_type),)
        remaining = set(self.columns)
        complete = [kind for kind, columns in CUSTOM.items() if remaining <= set(columns)]
        kinds = complete[:1]
        for kind, columns in CUSTOM.items() if not complete else ():
            if remaining & set(columns):
                kinds.append(kind)
                remaining -= set(columns)
        return tuple(kinds)


def checked_type(name: str) -> str:
    """Return the report type, with aliases resolved. Raises `InvalidValue` if it is removed or unknown."""
    name = ALIASES.get(name, name)
    if name in REMOVED_TYPES:
        raise InvalidValue(Code.REMOVED, f"the report type {name} was removed in {REMOVED_IN}")
    if name != "custom" and name not in COLUMNS:
        names = ", ".join((*COLUMNS, "custom"))
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"the report type {name[:40]!r} is unknown; known types: {names}"
        )
    return name


def header(report_type: str, columns: str | None, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of the file.

    These are `columns` if the order lists columns. Otherwise they are the groups and their sums, or the
    columns of the report type if there are no groups. Raises `InvalidValue` for an unknown column, or if the
    report type has no columns of its own and the order has neither columns nor groups.
    """
    own = COLUMNS.get(report_type, ())
    if columns is not None:
        allowed = own or tuple(dict.fromkeys(name for names in CUSTOM.values() for name in names))
        return _listed("columns", columns, allowed)
    if groups:
        sums = ("count", "commission", "amount") if "amount" in own else ("count", "commission")
        return (*groups, "currency", *sums) if "currency" not in groups else (*groups, *sums)
    if not own:
        raise InvalidValue(Code.OUT_OF_RANGE, f"the report type {report_type} needs columns or groupBy")
    return own


def checked_groups(text: str | None) -> tuple[str, ...]:
    """Return the group names in a comma-separated list. Raises `InvalidValue` for an unknown name."""
    return () if text is None else _listed("groupBy", text, GROUPS)


def _listed(field: str, text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Split a comma-separated list. Raises `InvalidValue` for an unknown or repeated name."""
    chosen = tuple(part.strip() for part in text.split(","))
    for name in chosen:
        if name not in allowed:
            raise InvalidValue(
                Code.UNKNOWN_VALUE, f"{field}: {name[:40]!r} is unknown; allowed: {', '.join(allowed)}"
            )
    if len(set(chosen)) < len(chosen):
        raise InvalidValue(Code.OUT_OF_RANGE, f"{field} has a repeated name")
    return chosen
