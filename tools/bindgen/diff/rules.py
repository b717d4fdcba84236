"""The rules: every kind of change, and how bad it is for requests and for responses.

The client sends requests, so it breaks if the contract allows less in requests. It reads responses, so it
breaks if the contract allows more in responses. A change that affects both gets the worse verdict. Faults and
their details count as responses.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Level = Literal["info", "warning", "breaking", "unchecked"]
Direction = Literal["request", "response", "both", "contract", "code"]

LEVELS: tuple[Level, ...] = ("info", "warning", "breaking", "unchecked")


@dataclass(frozen=True, slots=True)
class Rule:
    """The verdict on one kind of change.

    `says` describes the change, `direction` says what it affects, and `remedy` what to do.
    """

    name: str
    level: Level
    direction: Direction
    says: str
    remedy: str


_I: Level = "info"
_W: Level = "warning"
_B: Level = "breaking"

_REGENERATE = "Regenerate; code does not need to change"
_LIST_SENT = "Regenerate and pass a list in calls that set it: a single value is refused"
_OPENED_SENT = "Regenerate and pass strings instead of members of the enumeration"
_WIDER_SENT = "Regenerate and check calls that set it with mypy: its Python type may be different"
_NARROWER_READ = "Regenerate and check code that reads it with mypy: its Python type may be different"
_VALUE_GONE = "Regenerate and change code that uses its member of the enumeration"
_CLASS_GONE = "Regenerate and change code that uses its class, if the contract no longer has the type"
_FREED_SENT = "Regenerate and set it in calls that relied on the fixed value"
_SECURED = "Regenerate, and check the keys with `soapclient doctor --package NAME --security FILE`"
_NAMESPACE = (
    "Regenerate. If contracts.toml names a schema of your own for this contract, first put the new namespace "
    "into that file"
)
_MESSAGE = "Regenerate and rename the classes of its messages in code"
_NOTHING = "Nothing; regenerate when convenient"
_NOTHING_SENT = f"{_NOTHING}. It is sent over SOAP only, until contracts.toml sets its place in REST requests"
_GIVE = "Regenerate and set it in every call"
_STOP = "Regenerate and remove it from calls that set it"
_READ_NONE = "Regenerate and handle None in the code that reads it"
_READ_GONE = "Regenerate and stop reading it"
_CHECK_SENT = "Check the values that you send: the service may refuse them"
_CHECK_READ = "Check the code that reads it: it may get new values"
_BOTH_SENT = "Regenerate and change calls that set it"
_BOTH_READ = "Regenerate and change the code that reads it"
_ORDER = "Regenerate: bindings write elements in the contract's order"
_STRICT = "Generated decoders accept both orders; regenerate strict readers"

# Name, description, then level and remedy in requests, level and remedy in responses.
_BY_DIRECTION: tuple[tuple[str, str, Level, str, Level, str], ...] = (
    ("element-added-required", "a required element was added", _B, _GIVE, _W, _NOTHING),
    ("element-added-optional", "an optional element was added", _I, _NOTHING_SENT, _I, _NOTHING),
    ("element-removed-required", "a required element was removed", _B, _STOP, _B, _READ_GONE),
    ("element-removed-optional", "an optional element was removed", _B, _STOP, _W, _READ_GONE),
    ("element-became-required", "minOccurs rose from 0", _B, _GIVE, _I, _REGENERATE),
    ("element-became-optional", "minOccurs fell to 0", _I, _NOTHING, _B, _READ_NONE),
    ("element-became-nillable", "an element may be nil now", _I, _NOTHING, _B, _READ_NONE),
    ("element-no-longer-nillable", "an element may no longer be nil", _B, _GIVE, _I, _REGENERATE),
    ("element-became-list", "maxOccurs rose from 1", _B, _LIST_SENT, _B, _BOTH_READ),
    ("element-no-longer-list", "maxOccurs fell to 1", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("occurs-widened", "a limit on its number of occurrences was loosened", _I, _NOTHING, _B, _CHECK_READ),
    ("occurs-narrowed", "a limit on its number of occurrences was tightened", _B, _CHECK_SENT, _I, _NOTHING),
    ("attribute-added-required", "a required attribute was added", _B, _GIVE, _W, _NOTHING),
    ("attribute-added-optional", "an optional attribute was added", _I, _NOTHING, _I, _NOTHING),
    ("attribute-removed-required", "a required attribute was removed", _B, _STOP, _B, _READ_GONE),
    ("attribute-removed-optional", "an optional attribute was removed", _B, _STOP, _W, _READ_GONE),
    ("attribute-became-required", "an attribute became required", _B, _GIVE, _I, _REGENERATE),
    ("attribute-became-optional", "an attribute became optional", _I, _NOTHING, _B, _READ_NONE),
    ("element-became-attribute", "an element became an attribute", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("attribute-became-element", "an attribute became an element", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("enum-value-added", "an enumeration has a new value", _I, _NOTHING, _W, _CHECK_READ),
    ("enum-value-removed", "an enumeration lost a value", _B, _CHECK_SENT, _I, _VALUE_GONE),
    ("enum-opened", "an enumeration became an unrestricted value", _I, _OPENED_SENT, _B, _BOTH_READ),
    ("enum-closed", "an unrestricted value became an enumeration", _B, _CHECK_SENT, _I, _REGENERATE),
    ("type-changed", "a type was replaced by another type", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("type-widened", "a type allows more values", _I, _WIDER_SENT, _B, _CHECK_READ),
    ("type-narrowed", "a type allows fewer values", _B, _CHECK_SENT, _I, _NARROWER_READ),
    ("facet-changed", "a facet changed", _B, _CHECK_SENT, _B, _CHECK_READ),
    ("facet-widened", "a facet was loosened or dropped", _I, _NOTHING, _B, _CHECK_READ),
    ("facet-narrowed", "a facet was added or tightened", _B, _CHECK_SENT, _I, _NOTHING),
    ("sequence-reordered", "elements are in another order", _B, _ORDER, _W, _STRICT),
    ("order-freed", "elements may come in any order (sequence to all)", _I, _NOTHING, _W, _STRICT),
    ("order-fixed", "elements must come in order (all to sequence)", _B, _ORDER, _I, _NOTHING),
    ("choice-arm-added", "a choice or substitution group has a new branch", _I, _NOTHING, _W, _CHECK_READ),
    ("choice-arm-removed", "a choice or substitution group lost a branch", _B, _STOP, _I, _READ_GONE),
    ("choice-arm-changed", "a branch of a choice has a new element", _B, _GIVE, _W, _NOTHING),
    ("choice-added", "a choice between elements was added", _B, _GIVE, _W, _NOTHING),
    ("choice-became-required", "a choice became required", _B, _GIVE, _I, _NOTHING),
    ("choice-became-optional", "a choice became optional", _I, _NOTHING, _B, _READ_NONE),
    ("choice-became-sequence", "elements of a choice now occur together", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("sequence-became-choice", "elements now exclude each other", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("choice-regrouped", "the branches of a choice have other elements", _B, _BOTH_SENT, _B, _BOTH_READ),
    ("default-changed", "a default value was added, removed or changed", _W, _CHECK_SENT, _W, _CHECK_READ),
    ("fixed-added", "a value was fixed", _B, _CHECK_SENT, _I, _NOTHING),
    ("fixed-removed", "a fixed value became unrestricted", _W, _FREED_SENT, _B, _CHECK_READ),
    ("fixed-changed", "a fixed value changed", _B, _CHECK_SENT, _B, _CHECK_READ),
    ("wildcard-added", "any elements or attributes are allowed", _I, _NOTHING, _W, _CHECK_READ),
    ("wildcard-removed", "other elements or attributes are no longer allowed", _B, _STOP, _W, _READ_GONE),
    ("wildcard-changed", "a wildcard allows others", _B, _CHECK_SENT, _W, _CHECK_READ),
    (
        "type-became-abstract",
        "a type became abstract: types derived from it are sent",
        _B,
        _BOTH_SENT,
        _W,
        _CHECK_READ,
    ),
    ("type-no-longer-abstract", "a type is no longer abstract", _I, _NOTHING, _B, _CHECK_READ),
    ("derived-type-added", "a new type can replace it (xsi:type)", _I, _NOTHING, _W, _CHECK_READ),
    ("derived-type-removed", "a type can no longer replace it", _B, _STOP, _I, _CLASS_GONE),
    ("header-added-required", "a required header was added", _B, _GIVE, _W, _NOTHING),
    ("header-added-optional", "a header was added", _I, _NOTHING, _I, _NOTHING),
    ("header-removed", "a header was removed", _B, _STOP, _W, _READ_GONE),
    ("header-became-required", "a header became required", _B, _GIVE, _I, _REGENERATE),
    ("header-became-optional", "a header became optional", _I, _NOTHING, _B, _READ_NONE),
)

# Name, level, description, remedy of changes that do not depend on the direction of messages.
_OF_CONTRACTS: tuple[tuple[str, Level, str, str], ...] = (
    ("operation-added", _I, "an operation was added", "Regenerate to call it"),
    ("operation-removed", _B, "an operation was removed", "Stop calling it"),
    ("operation-style-changed", _B, "document, RPC or encoded style changed", _REGENERATE),
    ("operation-direction-changed", _B, "one-way became two-way, or back", _BOTH_SENT),
    ("operation-request-changed", _B, "the request is another element", _MESSAGE),
    ("operation-response-changed", _B, "the response is another element", _MESSAGE),
    ("soap-action-changed", _B, "the SOAPAction changed", _REGENERATE),
    ("namespace-changed", _B, "names are in another namespace", _NAMESPACE),
    ("fault-added", _W, "an operation has a new fault", "Regenerate and handle it"),
    ("fault-removed", _W, "an operation lost a fault", "Stop handling it"),
    ("fault-changed", _B, "the detail of a fault is another element", _BOTH_READ),
    ("port-added", _I, "a port was added", _NOTHING),
    ("port-removed", _B, "a port was removed", "Call another port"),
    (
        "service-renamed",
        _W,
        "the service of a port has another name",
        "Use the new name instead of the old one",
    ),
    ("soap-version-changed", _B, "a port uses another version of SOAP", _REGENERATE),
    ("address-changed", _W, "a port has another address", "Set the new address in the configuration"),
    ("security-policy-added", _B, "operations of a port require WS-Security", _SECURED),
    ("security-policy-changed", _B, "operations of a port require other WS-Security", _SECURED),
    (
        "security-policy-removed",
        _W,
        "operations of a port no longer require WS-Security",
        "Regenerate. Ask the service if messages need no protection any more",
    ),
    ("security-policy-widened", _I, "operations of a port accept other WS-Security, too", _NOTHING),
    ("mtom-required", _B, "a port requires MTOM", _REGENERATE),
    ("mtom-allowed", _I, "a port accepts requests with and without MTOM", _NOTHING),
    ("mtom-removed", _B, "a port no longer has a policy for MTOM", _REGENERATE),
    (
        "not-checked",
        "unchecked",
        "a part of the contract could not be compared",
        "Review it, then accept it in the ignore file",
    ),
)

# Rules for changes that affect only code. Messages do not change.
_OF_CODE: tuple[tuple[str, Level, str, str], ...] = (
    ("type-renamed", _I, "a type has another name", "Regenerate and rename the class in code"),
    ("base-type-changed", _I, "a type extends or restricts another one", "Regenerate; check isinstance()"),
    ("fault-renamed", _I, "a fault has another name and the same detail", _NOTHING),
    (
        "port-type-renamed",
        _I,
        "the port type of operations has another name",
        "Regenerate; the service's class may have another name if a WSDL has several port types",
    ),
)
_TABLES: tuple[tuple[Direction, tuple[tuple[str, Level, str, str], ...]], ...] = (
    ("contract", _OF_CONTRACTS),
    ("code", _OF_CODE),
)
# The rules for changes that affect requests or responses: one for requests, one for responses.
CHANGES = {
    name: (
        Rule(f"request-{name}", request, "request", f"In a request, {says}.", f"{sending}."),
        Rule(f"response-{name}", response, "response", f"In a response, {says}.", f"{reading}."),
    )
    for name, says, request, sending, response, reading in _BY_DIRECTION
}
WHOLE = {
    name: Rule(name, level, direction, f"{says[0].upper()}{says[1:]}.", f"{remedy}.")
    for direction, table in _TABLES
    for name, level, says, remedy in table
}
RULES = {rule.name: rule for rule in (*WHOLE.values(), *chain.from_iterable(CHANGES.values()))}


_FILLED_IN = "code does not need to change, because the client fills in authentication"
_PROPOSE = "in contracts.toml, or run `bindgen generate --propose`"
# Elements with a role in contracts.toml: the subject of the change, and the remedy that replaces the rule's.
ROLES: dict[str, tuple[str, str]] = {
    "signing": (
        "Authentication",
        f"Regenerate; {_FILLED_IN}. `bindgen generate` stops if the elements differ from [signing] in "
        "contracts.toml.",
    ),
    "signing.renamed": (
        "Authentication has another name",
        f"Set the new name in [signing] {_PROPOSE}; {_FILLED_IN}.",
    ),
    "signing.moved": ("Authentication moved into a soap:header", f"Regenerate; {_FILLED_IN}."),
    "paging": (
        "Paging",
        "Regenerate. Callers of `iterate` and `stream` do not need to change; other callers may.",
    ),
    "paging.renamed": (
        "Paging has another name",
        f"Set the new name in [paging] {_PROPOSE}. Callers of `iterate` do not need to change unless they "
        "set the element themselves.",
    ),
    "paging.gone": (
        "Paging",
        f"Set the new element for pages in [paging] {_PROPOSE}. Until then `iterate` does not have the "
        "operation.",
    ),
    "order": ("An order", "Regenerate. Callers of `export()` do not need to change."),
    "order.renamed": (
        "An order has another name",
        f"Set the new name in [order] {_PROPOSE}. Callers of `export()` do not need to change.",
    ),
    "order.gone": (
        "An order",
        f"Set the new element in [order] {_PROPOSE}. `export()` refuses an argument without an element in "
        "the contract.",
    ),
}


def verdict_of(change: str, *, requests: bool, responses: bool) -> tuple[Rule, Direction]:
    """Return the rule for a change, and its direction: "request", "response" or "both".

    `requests` and `responses` are True if the change affects them. If both are True, return the worse of the
    rule for requests and the rule for responses. If these are equally bad, return the rule for requests with
    the remedies of both.
    """
    if change in WHOLE:
        return WHOLE[change], WHOLE[change].direction
    request, response = CHANGES[change]
    if not responses:
        return request, "request"
    if not requests:
        return response, "response"
    if request.level == response.level and request.remedy != response.remedy:
        return dataclasses.replace(request, remedy=f"{request.remedy} {response.remedy}"), "both"
    return max(request, response, key=lambda rule: LEVELS.index(rule.level)), "both"
