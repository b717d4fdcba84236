"""Passes for orders of reports. An order is a call of the operation that `order` in [job] names.

Exports need to know some fields of an order, such as its first and its last day. Each of these fields has a
role, such as `from` or `to`. The table [order] maps roles to fields. A field is given by its path in the
request: the names of nested elements are joined by `/`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from bindgen.model import Contract, Enum, Field, ListOf, Operation, Simple, Struct, Type
from bindgen.passes.walk import field_at, refuse, steps_in, structs
from bindgen.problems import Problem
from bindgen.simple_types import DAY
from soapclient.runtime.settings import ORDER_KEYWORDS, OrderForm

# Role → True if it may be a list, and the kinds of values that it may have.
ROLES: dict[str, tuple[bool, tuple[OrderForm, ...]]] = {
    "type": (False, ("text",)),
    "from": (False, ("date", "text")),
    "to": (False, ("date", "text")),
    "columns": (True, ("text",)),
    "group_by": (True, ("text",)),
    "date_type": (False, ("text",)),
}
_REQUIRED = ("type", "from", "to")
_FORMS: dict[str, OrderForm] = {
    "str": "text",
    "list[str]": "text",
    "int": "int",
    "bool": "boolean",
    "Decimal": "decimal",
    "dt.date": "date",
}
PHASES = ("waiting", "done", "failed", "expired")  # keys of [waiter] that list states of a job
_INTEGERS = ("rows", "size")  # fields of a job that must be integers


@dataclass(frozen=True, slots=True)
class Located:
    """A field in the request of an order, and its path in the request.

    `wire` is the path as it is written in the settings. `steps` are the fields along the path; the last one
    is the field itself.
    """

    wire: str
    steps: tuple[Field, ...]

    @property
    def field(self) -> Field:
        """The field itself, which is the last step."""
        return self.steps[-1]

    @property
    def keyword(self) -> str:
        """The name of the keyword parameter for this field in the methods that order a report."""
        name = self.field.python
        return f"{name}_" if name in ORDER_KEYWORDS else name

    @property
    def several(self) -> bool:
        """True if the field takes a list."""
        kind = self.field.type
        listed = isinstance(kind, ListOf) or (isinstance(kind, Simple) and kind.annotation.startswith("list"))
        return bool(self.field.item) or self.field.repeats or listed

    @property
    def kind(self) -> Type:
        """The type of the field's value; for a list, the type of one item."""
        kind = (self.field.item or self.field).type
        return kind.item if isinstance(kind, ListOf) else kind

    @property
    def form(self) -> OrderForm:
        """The form of the values, such as text or date."""
        if isinstance(self.kind, Enum):
            return "text"
        return _FORMS.get(self.kind.annotation, "other") if isinstance(self.kind, Simple) else "other"


def operation_of(contract: Contract) -> Operation | None:
    """Return the operation that orders a report, which `order` in [job] names.

    Returns None if the contract does not have it, or if the settings do not have a table [order].
    """
    name = contract.settings.section("job").get("order")
    if not contract.settings.section("order"):
        return None
    return next((operation for operation in contract.operations if operation.name == name), None)


def jobs(contract: Contract) -> None:
    """Check the names in [job], the states in [waiter], and the response to an order.

    - The contract must have the operations that `order`, `poll` and `list` in [job] name.
    - The response of the `list` operation must be a list.
    - The fields of a job that `rows` and `size` in [job] name must be integers.
    """
    table = contract.settings.section("job")
    operations = {operation.name: operation for operation in contract.operations}
    for key in ("order", "poll", "list"):
        if key in table and str(table[key]) not in operations:
            refuse(
                contract,
                f"job.{key}",
                f" names {str(table[key])!r}; the contract has: {', '.join(operations)}",
            )
    listed = operations.get(str(table.get("list")))
    if listed is not None and listed.list_field is None:
        refuse(contract, "job.list", f": the response of {listed.name} is not a list")
    for key in _INTEGERS:
        field = field_at(contract, str(table[key]), f"job.{key}") if key in table else None
        if field is not None and not (isinstance(field.type, Simple) and field.type.annotation == "int"):
            refuse(contract, f"job.{key}", f": {field.wire!r} is not a whole number. Remove the line")
    _states(contract)
    _responses(contract, operations)


def is_job_itself(contract: Contract) -> bool:
    """Return True if the polling response itself is the job, and not an element that contains the job.

    This is the case if `job.item` is the name of the response's type.
    """
    table = contract.settings.section("job")
    polled = [item.response.name for item in contract.operations if item.name == table.get("poll")]
    return polled == [table.get("item")]


def _has_job(operation: Operation, item: str) -> bool:
    """Return True if the response of an operation is a job or contains one. `item` is the job's name."""
    response = operation.response
    return item in (response.name, *(field.wire for field in response.all_fields()))


def _responses(contract: Contract, operations: dict[str, Operation]) -> None:
    """Check that the response to an order contains the job. `operations` are the operations by name.

    If it does not, `job.ordered_id` must name the field of this response that contains the job's id.
    """
    table = contract.settings.section("job")
    order = operations.get(str(table.get("order")))
    if order is None or "ordered_id" in table or "item" not in table:
        return
    item = str(table["item"]).rpartition("/")[2]
    polled = operations.get(str(table.get("poll")))
    if polled is None or not _has_job(polled, item):  # reported for `item` itself
        return
    if not _has_job(order, item) or (is_job_itself(contract) and order.response is not polled.response):
        why = (
            f" is missing: the response {order.response.name} to an order has no {item}. "
            "Name the field with the id of the job there"
        )
        refuse(contract, "job.ordered_id", why)


def _states(contract: Contract) -> None:
    """Check that `done` in [waiter] has at least one of the job states that the contract lists.

    Adds a note for states that are not in [waiter].
    """
    waiter, path = contract.settings.section("waiter"), str(contract.settings.section("job").get("status"))
    owner, *names = path.split("/")
    owners = [struct for struct in structs(contract) if names and struct.name == owner]
    steps = next((steps for struct in owners if (steps := steps_in(struct, names))), [])
    if not waiter or not steps or not isinstance(steps[-1].type, Enum):
        return
    status = steps[-1].type
    states = ", ".join(status.values)
    if set(status.values).isdisjoint(contract.settings.texts("waiter", "done")):
        why = (
            f" contains none of the states that the contract lists for {path}, so a job would never be done. "
            f"The states are: {states}"
        )
        refuse(contract, "waiter.done", why)
        return
    named = {state for phase in PHASES for state in contract.settings.texts("waiter", phase)}
    if unnamed := [state for state in status.values if state not in named]:
        why = (
            f"the lists {', '.join(PHASES)} do not contain these states of {path}: {', '.join(unnamed)}. "
            "Jobs in these states count as waiting"
        )
        contract.notes.append(Problem(f"{contract.settings.where('waiter')}: {why}", steps[-1].place))


def days(contract: Contract) -> None:
    """Change the type of the fields for an order's first and last day from date-time to day.

    The effect is the same as if `types.day` listed these fields.
    """
    for role in ("from", "to"):
        match = role_of(contract, role)
        if match is not None and _is_moment(match.field):
            match.field.type = DAY


def _is_moment(field: Field) -> bool:
    """Return True for a field of the type `xsd:dateTime`."""
    return isinstance(field.type, Simple) and field.type.xsd == "dateTime"


def run(contract: Contract) -> None:
    """Check that the request of an order has the fields that `[order]` names, with suitable types."""
    table = contract.settings.section("order")
    if not table:
        return
    operation = operation_of(contract)
    if operation is None:
        refuse(contract, "order", ": order in [job] must name the operation that orders a report")
        return
    for role, (listed, forms) in ROLES.items():
        if role not in table:
            continue
        match = role_of(contract, role)
        if match is None:
            _refuse(contract, operation, role, "does not have this field")  # `--propose` finds those that fit
        elif match.form not in forms or (match.several and not listed):
            _refuse(contract, operation, role, "has a field of another type", candidates(contract, role))
    for index, name in enumerate(contract.settings.texts("order", "filters")):
        if located(operation, name) is None:
            why = f": {operation.request.name} does not have the field {name!r}. Remove or correct it"
            refuse(contract, f"order.filters[{index}]", why)
    offered = [*roles(contract).values(), *filters(contract)]
    for field in operation.request.all_fields():
        if field.required and field.fixed is None and not any(item.steps[0] is field for item in offered):
            why = f": {field.wire!r} is required in an order, but it is neither a role nor a filter"
            refuse(contract, "order", why)
    _default_date(contract)
    _notes(contract, operation, offered)


def _default_date(contract: Contract) -> None:
    """Check the setting `default_date` in [order].

    It must be an allowed value of the field with the role `date_type`, or the name of a column.
    """
    name, date_type = contract.settings.section("order").get("default_date"), role_of(contract, "date_type")
    values = date_type.kind.values if date_type is not None and isinstance(date_type.kind, Enum) else []
    tables = contract.settings.section("columns")
    columns = {column for report in tables for column in contract.settings.table("columns", report)}
    if name is not None and (values or columns) and name not in (*values, *columns):
        allowed = f"one of: {', '.join(values)}" if values else "a column of an export"
        refuse(contract, "order.default_date", f" must be {allowed} (got {name!r})")


def _notes(contract: Contract, operation: Operation, offered: Collection[Located]) -> None:
    """Add notes about settings of [order] that have no effect or are probably missing.

    - `separator` has no effect, because no field takes several columns or groups as one text.
    - `filters` probably lacks fields: an optional element of the request has children, but callers of an
      export can set none of them. `offered` are the fields that callers can set.
    """
    settings = contract.settings
    joined = [role_of(contract, role) for role in ("columns", "group_by")]
    if "separator" in settings.section("order") and all(item is None or item.several for item in joined):
        why = ": no effect, because neither the columns nor the groups are sent as one text. Remove the line"
        contract.notes.append(Problem(f"{settings.where('order.separator')}{why}"))
    if "filters" in settings.section("order"):  # fields that are not listed are intentionally left out
        return
    for field in operation.request.all_fields():
        if field.kind != "element" or field.refused or field.required or not isinstance(field.type, Struct):
            continue
        if not any(item.steps[0] is field for item in offered):
            inner = next((f", such as {field.wire}/{item.wire}" for item in field.type.all_fields()), "")
            why = f"export does not offer the structure {field.wire}. Add its fields to filters{inner}"
            contract.notes.append(
                Problem(f"{settings.where('order')}: {why}, together with all other filters")
            )


def _refuse(contract: Contract, operation: Operation, role: str, why: str, names: Iterable[str] = ()) -> None:
    """Add a problem: the field that [order] names for a role does not exist or has an unsuitable type.

    `why` is the end of a sentence about the request, such as "does not have this field". `names` are other
    fields that can have the role.
    """
    name = contract.settings.section("order")[role]
    listed = ", ".join(f'{role} = "{wire}"' for wire in names)
    write = f". Write: {listed}" if listed else ""
    left = "" if role in _REQUIRED else ". If the contract does not have such a field, remove the line"
    refuse(contract, f"order.{role}", f" = {name!r}: {operation.request.name} {why}{write}{left}")


def candidates(contract: Contract, role: str) -> Iterator[str]:
    """Yield the names of request fields that can have a role and do not have one yet."""
    operation = operation_of(contract)
    if operation is None:
        return
    listed, forms = ROLES[role]
    used = [candidate.steps[0] for other, candidate in roles(contract).items() if other != role]
    for field in operation.request.all_fields():
        candidate = Located(field.wire, (field,))
        fits = candidate.form in forms or ("date" in forms and _is_moment(field))
        if _is_value(candidate) and fits and (listed or not candidate.several) and field not in used:
            yield field.wire


def roles(contract: Contract) -> dict[str, Located]:
    """Return a dict from each role to its field. Roles without a setting or a field are left out."""
    by_role = ((role, role_of(contract, role)) for role in ROLES)
    return {role: item for role, item in by_role if item is not None}


def role_of(contract: Contract, role: str) -> Located | None:
    """Return the field with a role; None if the settings or the contract do not have it."""
    name, operation = contract.settings.section("order").get(role), operation_of(contract)
    return None if name is None or operation is None else located(operation, str(name))


def filters(contract: Contract) -> Iterator[Located]:
    """Yield the fields that are filters of an order.

    The first one is the field with the role `date_type`. The others are the fields in `order.filters`, or all
    fields without a role if this setting is missing.
    """
    operation = operation_of(contract)
    if operation is None:
        return
    by_role = roles(contract)
    if (date_type := by_role.pop("date_type", None)) is not None:
        yield date_type
    listed = contract.settings.section("order").get("filters")
    used = [item.steps[0] for item in (*by_role.values(), *([date_type] if date_type else []))]
    if listed is not None:
        for name in contract.settings.texts("order", "filters"):
            match = located(operation, name)
            if match is not None and match.field not in used:
                yield match
        return
    for field in operation.request.all_fields():
        item = Located(field.wire, (field,))
        if field not in used and not field.refused and _is_value(item):
            yield item


def _is_value(located: Located) -> bool:
    """Return True for a field that callers can set to a simple value or a list. Excludes fixed values."""
    return (
        located.field.fixed is None
        and located.field.kind in ("element", "attribute")
        and not (located.field.refused or (isinstance(located.kind, Struct) and located.field.item is None))
    )


def located(operation: Operation, path: str) -> Located | None:
    """Return the field at a path of an operation's request; None if there is no such field."""
    fields, steps = operation.request.all_fields(), []
    names = path.split("/")
    for index, name in enumerate(names):
        field = _named(fields, name)
        if field is None:
            return None
        steps.append(field)
        rest = names[index + 1 :]
        if field.item is not None:  # a wrapped list is one field, even if its item has a name
            return Located(path, tuple(steps)) if rest in ([], [field.item.wire]) else None
        if not rest:
            return Located(path, tuple(steps))
        if not isinstance(field.type, Struct) or field.repeats:
            return None
        fields = field.type.all_fields()
    return None


def _named(fields: Collection[Field], name: str) -> Field | None:
    kind = "attribute" if name.startswith("@") else "element"
    wire = name.removeprefix("@")
    return next(
        (field for field in fields if (field.kind, field.wire) == (kind, wire) and not field.refused), None
    )
