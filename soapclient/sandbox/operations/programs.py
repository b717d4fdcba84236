"""Programs: the same for everybody."""

from __future__ import annotations

from datetime import datetime

from ..berlin import day_of, midnight
from ..data.catalogue import Program
from ..trees import Fields, Tree
from .items import category, program_item
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "SearchPrograms")
def search_programs(call: Call) -> Tree:
    """All filters hold together; the query is told back where one was sent.

    Over REST alone: `industry` (the id of a main or sub industry) and `isExclusive`.
    """
    found = [program for program in call.store.catalogue.programs if _matches(call.fields, program)]
    answer = page_of(call.fields, found, "programItems", "programItem", program_item)
    return {**answer, "query": call.fields.text("query")}


@handles("publisher", "GetProgram")
def get_program(call: Call) -> Tree:
    """An unknown id gets an answer without an item: the contract leaves it out there."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return {"programItem": None if program is None else program_item(program)}


@handles("publisher", "GetProgramCategories")
def get_program_categories(call: Call) -> Tree:
    """Every category that a program is in, by id."""
    found = {one.id: one for program in call.store.catalogue.programs for one in program.categories}
    return {"categories": {"category": [category(found[number]) for number in sorted(found)]}}


def _matches(fields: Fields, program: Program) -> bool:
    query = fields.text("query")
    if query and query.casefold() not in f"{program.name}\n{program.description}".casefold():
        return False
    since = fields.instant("startDate")
    if since is not None and program.started < _aware(since):
        return False
    partnership = fields.text("partnerShip")
    if partnership is not None and program.direct != (partnership == "direct"):
        return False
    has_products = fields.flag("hasProducts")
    if has_products is not None and (program.products > 0) != has_products:
        return False
    region = fields.text("region")
    if region is not None and region.upper() not in program.regions:
        return False
    if fields.flag("isExclusive") not in (None, program.exclusive):
        return False
    industry = fields.number("industry")
    if industry is not None and industry not in {one.id for one in program.industries}:
        return False
    number = fields.number("categoryId")
    return number is None or number in {one.id for one in program.categories}


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=midnight(day_of(moment)).tzinfo)
