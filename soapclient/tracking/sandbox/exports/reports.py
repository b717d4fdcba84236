"""What an export order may contain: report types, columns and groups. Also names that the service removed.

The documentation of the service (`docs/explanation/service.md#columns`) shows only the type name `cashback`,
and that orders can select columns. The rest is assumed:

- all column names (`lead` and `sale` have columns for the fields of the publisher's items)
- the rows of `cashback`: the sales from sub-publishers
- the rows of a `custom` report (`Order.kinds`), and its groups
"""

from __future__ import annotations

from collections import Counter
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
    """A validated order of an export: its report type, days, filters, columns and groups.

    - `columns`: the columns of the file. `chosen` is True if the order itself lists them.
    - `groups`: names of the values by which rows are grouped. Empty if each click, lead or sale is a row.
    - `first`, `last`: the first and the last day, both included.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
    >>> day = dt.date(2026, 11, 1)
    >>> with Sandbox() as sandbox, serve(sandbox) as server:
    ...     with Client(
    ...         data_url=server.url, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY
    ...     ) as client:
    ...         export = client.data.exports.order(report_type="sale", from_date=day, to_date=day)
    ...     (job,) = sandbox.jobs.of(SAMPLE_CONNECT_ID)
    >>> job.order.first == job.order.last == day
    True
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
        """The kinds of rows in the report, such as `click`, `lead` or `sale`.

        Only a custom report whose order chooses columns may have several kinds:

        - If a kind has all chosen columns, the report has only rows of the first such kind.
        - Otherwise, it has rows of several kinds, one kind after the other. A cell is empty if the kind of
          its row does not have the column.
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
    """Return the columns of an export file:

    - the columns that the order lists in `columns` (separated by commas), if it lists any;
    - otherwise, if the order has `groups`, the groups and their sums;
    - otherwise, the default columns of the report type.

    Raises `InvalidValue` for an unknown column, or if default columns are needed, but the report type has
    none.
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
    """Return the names in the comma-separated list `text`, each of which must be in `allowed`.

    Raises `InvalidValue`, which names the request field `field`, for an unknown or repeated name.
    """
    chosen = tuple(part.strip() for part in text.split(","))
    for name in chosen:
        if name not in allowed:
            raise InvalidValue(
                Code.UNKNOWN_VALUE, f"{field}: {name[:40]!r} is unknown; allowed: {', '.join(allowed)}"
            )
    repeated = next((name for name, times in Counter(chosen).items() if times > 1), None)
    if repeated is not None:
        raise InvalidValue(Code.OUT_OF_RANGE, f"{field}: {repeated!r} occurs twice")
    return chosen
