"""Applying to programs, ending partnerships, and what is paid in them."""

from __future__ import annotations

from ..data.adspaces import Adspace
from ..data.catalogue import Program
from ..data.program_applications import ProgramApplication
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .account_items import program_application_item, tracking_category_item
from .paging import page_of, page_or_all
from .registry import Call, handles


@handles("publisher", "GetProgramApplications")
def get_program_applications(call: Call) -> Tree:
    """All that ever were, ended ones too; the status tells."""
    kept = [one for one in call.holdings.account.program_applications.all() if _matches(call.fields, one)]
    wrapper, item = "programApplicationItems", "programApplicationItem"
    return page_of(call.fields, kept, wrapper, item, program_application_item)


@handles("publisher", "CreateProgramApplication")
def create_program_application(call: Call) -> Tree:
    """`open` where the program wants to decide (nobody ever does here), else `confirmed` at once.

    Raises `Refusal` 108 for a program or ad space that is unknown, 109 while an application of the two is
    alive. An ended one is no obstacle.
    """
    program, adspace = _ends(call)
    if program is None:
        raise Refusal(Code.UNKNOWN_ID, f"there is no program {call.fields.number('programId')}")
    if adspace is None:
        raise Refusal(Code.UNKNOWN_ID, f"this account has no ad space {call.fields.number('adspaceId')}")
    comment = call.fields.text("publisherComment")
    made = call.holdings.account.program_applications.apply(program, adspace, call.now, comment)
    if made is None:
        raise Refusal(
            Code.TAKEN,
            f"ad space {adspace.id} has an application to program {program.id} already; "
            "end it with DeleteProgramApplication before applying again",
        )
    return {"programApplicationItem": program_application_item(made)}


@handles("publisher", "DeleteProgramApplication")
def delete_program_application(call: Call) -> Tree:
    """How many were ended: 1, or 0 where none is alive. It stays on the list as `terminated`."""
    program, adspace = call.fields.number("programId") or 0, call.fields.number("adspaceId") or 0
    return {"count": call.holdings.account.program_applications.end(program, adspace)}


@handles("publisher", "GetTrackingCategories")
def get_tracking_categories(call: Call) -> Tree:
    """What the program pays, partner or not; everything at once if neither page nor items is sent.

    An unknown program or ad space has none. Here nobody has commissions of his own: all get the default.
    """
    program, adspace = _ends(call)
    found: list[Tree] = []
    if program is not None and adspace is not None:
        kinds = ("sale", "sale", "lead", "lead")
        found = [
            tracking_category_item(kind, one, program, adspace)
            for kind, one in zip(kinds, program.tracking, strict=True)
        ]
    wrapper = item = "trackingCategoryItem"  # the contract calls both the same
    return page_or_all(call.fields, found, wrapper, item, lambda one: one)


def _ends(call: Call) -> tuple[Program | None, Adspace | None]:
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return program, call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)


def _matches(fields: Fields, one: ProgramApplication) -> bool:
    return (
        fields.number("programId") in (None, one.program.id)
        and fields.number("adspaceId") in (None, one.adspace.id)
        and fields.text("status") in (None, one.status)
    )
