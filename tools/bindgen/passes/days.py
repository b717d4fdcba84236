"""Date-times that mean a calendar day take a date; each protocol writes it its own way."""

from __future__ import annotations

from bindgen.model import Contract, Simple
from bindgen.passes.walk import fields_at
from bindgen.problems import Problem
from bindgen.simple_types import DAY


def run(contract: Contract) -> None:
    """Give the fields named in `types.day` the day type."""
    for field in fields_at(contract, "types", "day"):
        if isinstance(field.type, Simple) and field.type.xsd == DAY.xsd:
            field.type = DAY
        else:
            why = f"{contract.settings.where('types.day')} names {field.wire!r}, which is no xsd:dateTime"
            contract.problems.append(Problem(why, field.place))
