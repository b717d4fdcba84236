"""The sections of `contracts.toml` and `NAME.toml`: their keys, and the kind of each value.

Both files have the same sections: `[contracts.NAME.paging]` in `contracts.toml` is `[paging]` in `NAME.toml`.
The modules in `bindgen.passes` check if the contract has the names in the sections.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from zoneinfo import ZoneInfo


class SettingsError(Exception):
    """Raised if a settings file is missing, is invalid, or has unknown keys.

    `problems` are the messages of all problems; a message can have several lines.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


# Flags of operations: each key is a list of operation names, and a field of `OperationRow`.
OPERATION_FLAGS = ("safe",)
# Section → the keys it must have, the keys it may have; None: any keys, each with a table. Passes check the
# keys of `rest` and of the sections in `_FREE`, which are names of the contract. `schemes` checks the roles
# in `signing`.
SECTIONS: dict[str, tuple[str, str] | None] = {
    "signing": ("scheme", "service_name public headers also_in_headers"),
    "fault": ("element code reason error_id authentication transient", ""),
    "paging": ("page items first default most", "total"),
    "echo": ("", ""),
    "types": ("", "binary may_be_missing also_read_as day keep_unknown naive_zone all"),
    "operations": ("", " ".join(OPERATION_FLAGS)),
    "refused": ("", "fields values"),
    "rest": None,
    "spellings": None,
    "rest_only": ("", ""),
    "soap_only": ("", "elements"),
    "batch": ("most", "instead"),
    "window": ("days_back apart", ""),
    "job": (
        "order poll poll_id item id status",
        "rows size url message compression list type created listed_id ordered_id",
    ),
    "order": ("from to type", "columns group_by filters separator date_type default_date"),
    "waiter": ("waiting done failed expired delay factor most", ""),
    "download": ("fallback_path compression", ""),
    "columns": None,
    "chosen": ("", ""),
    "groups": ("", ""),
    "sums": None,
}
_FREE = frozenset(("rest_only", "chosen", "groups", "echo"))
_TEXT_LISTS = {"public", "headers", "binary", "may_be_missing", "day", "keep_unknown", "waiting"}
_TEXT_LISTS |= {"done", "failed", "expired", "apart", "elements", "filters", *OPERATION_FLAGS}
_NUMBER_LISTS = {"authentication", "transient"}
_FLAGS = frozenset(("all", "also_in_headers"))
_TABLES = frozenset(("fields", "values", "also_read_as"))
_NUMBERS = frozenset(("first", "default", "most", "delay", "factor", "days_back"))


def check(where: str, sections: Mapping[str, object]) -> Iterator[str]:
    """Yield a problem for each unknown section or key, each missing key, and each value of the wrong kind.

    Each problem is a message that begins with `where`, such as `FILE: `.
    """
    for section, table in sections.items():
        if section not in SECTIONS or not isinstance(table, dict):
            listed = ", ".join(sorted(SECTIONS))
            yield f"{where}{section} is unknown; the sections are {listed}"
        else:
            yield from _check_section(f"{where}{section}", section, table)


def _check_section(where: str, section: str, table: dict[str, object]) -> Iterator[str]:
    """Yield a problem for each invalid key or value of a section.

    `section` is its name, `table` its content, and `where` its name in messages.
    """
    keys = SECTIONS[section]
    required, optional = (set(names.split()) for names in keys) if keys else (set(), set(table))
    free = section in _FREE
    if free or section == "signing":
        optional = set(table)
    for key in sorted(required - table.keys()):
        yield f"{where}: {key} is missing"
    for key, value in table.items():
        if key not in required | optional:
            yield f"{where}.{key} is unknown; the keys are {', '.join(sorted(required | optional))}"
        elif expected := _expected_kind(section, key, value, free=free or keys is None):
            yield f"{where}.{key} must be {expected}, got {value!r}"
        elif key == "naive_zone" and not _is_zone(str(value)):
            yield f"{where}.{key} must be a time zone such as Europe/Berlin, got {value!r}"
        elif (section, key, value) == ("order", "separator", ""):
            yield f"{where}.{key} must not be empty"


def _expected_kind(section: str, key: str, value: object, *, free: bool) -> str:
    """Return "" if `value` is of the kind that `key` requires; otherwise this kind, such as "a number".

    `free` is True if the keys of the section are names from the contract, such as operations. In this case,
    all keys of the section require the same kind.
    """
    if section == "chosen" or (not free and key in _TEXT_LISTS):
        return _list_of(value, str, "texts")
    if not free and key in _NUMBER_LISTS:
        return _list_of(value, int, "numbers")
    kind: tuple[type | tuple[type, ...], str] = (str, "a text")
    if SECTIONS[section] is None or (key in _TABLES and not free):
        kind = (dict, "a table")
    elif key in _NUMBERS and not free:
        kind = ((int, float), "a number")
    elif key in _FLAGS and not free:
        return "" if isinstance(value, bool) else "true or false"
    return "" if isinstance(value, kind[0]) and not isinstance(value, bool) else kind[1]


def _list_of(value: object, kind: type, name: str) -> str:
    if not isinstance(value, list):
        return "a list"
    fits = all(isinstance(item, kind) and not isinstance(item, bool) for item in value)
    return "" if fits else f"a list of {name}"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown or invalid zone, or a directory of the database
        return False
    return True
