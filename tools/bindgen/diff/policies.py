"""Compare the policies of a port: WS-SecurityPolicy and MTOM."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.diff.findings import Change
from bindgen.model import Port
from bindgen.reading.policy import MTOM
from bindgen.reading.policy_alternatives import ALL, CHOICES, POLICIES, REFERENCES
from bindgen.reading.security_policy import is_security
from soapclient.runtime.policies import PolicyRow

RULES = ("security-policy-", "mtom-")
"""The beginnings of the names of these changes."""
_OPERATORS = frozenset((*POLICIES, *ALL, *CHOICES))
_NOTHING = (PolicyRow(),)  # the policy of an operation that has none
_MTOM = {  # the old and the new value of `Port.mtom`, the change, and its description
    ("", "required"): ("mtom-required", "requires MTOM now"),
    ("optional", "required"): ("mtom-required", "requires MTOM now, it was optional"),
    ("", "optional"): ("mtom-allowed", "accepts MTOM now"),
    ("required", "optional"): ("mtom-allowed", "no longer requires MTOM, it is optional now"),
    ("optional", ""): ("mtom-removed", "no longer says that it accepts MTOM"),
    ("required", ""): ("mtom-removed", "no longer requires MTOM"),
}


def compare(old: Port, new: Port, label: str, operations: tuple[str, ...]) -> Iterator[Change]:
    """Yield the changes of a port's policies. `label` names the port, `operations` are all of its operations.

    Operations with the same change of their policy are in one change.
    """
    changed: dict[tuple[tuple[PolicyRow, ...], tuple[PolicyRow, ...]], list[str]] = {}
    for name in operations:
        rows = (old.policies.get(name) or _NOTHING, new.policies.get(name) or _NOTHING)
        if rows[0] != rows[1]:
            changed.setdefault(rows, []).append(name)
    for (before, after), names in changed.items():
        change, text = _change(before, after)
        subject = f"the port {label}" if len(names) == len(operations) else f"{', '.join(names)} at {label}"
        yield Change(f"security-policy-{change}", label, f"{subject}: {text}", operations=tuple(names))
    if old.mtom != new.mtom:
        change, text = _MTOM[old.mtom, new.mtom]
        yield Change(change, label, f"the port {label} {text}", operations=operations)


def is_described(node: etree._Element) -> bool:
    """Return True if `compare` reads all assertions in `node`, a policy or a reference to a policy."""
    if node.tag in REFERENCES or node.tag in MTOM or is_security(node):
        return True
    return node.tag in _OPERATORS and all(map(is_described, node.iterchildren("*")))


def _change(before: tuple[PolicyRow, ...], after: tuple[PolicyRow, ...]) -> tuple[str, str]:
    """Return the kind of change of a WS-SecurityPolicy, such as "added", and a text that says what changed.

    `before` are the alternatives of the old policy, `after` the alternatives of the new policy.
    """
    if set(before) <= set(after):
        return "widened", "the WS-SecurityPolicy has more alternatives"
    if before == _NOTHING:
        return "added", f"a WS-SecurityPolicy was added ({'; '.join(after[0].lines())})"
    if after == _NOTHING:
        return "removed", "the WS-SecurityPolicy was removed"
    old_lines, new_lines = before[0].lines(), after[0].lines()
    differences = [
        *(f"now {line}" for line in new_lines if line not in old_lines),
        *(f"no longer {line}" for line in old_lines if line not in new_lines),
    ]
    return "changed", f"the WS-SecurityPolicy changed ({'; '.join(differences) or 'details of tokens'})"
