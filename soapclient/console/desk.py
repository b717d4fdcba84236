"""The contents of the console's screen: the operations, a request, its result and the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from soapclient.console import presentation
from soapclient.console.forms import Form, Forms
from soapclient.console.inputs import Group, Input, Part, inputs_of
from soapclient.console.operation_list import Entry, EntryGroup, ServiceEntries, entries_of
from soapclient.console.places import Places
from soapclient.console.raw_message import MessageProblem
from soapclient.console.redaction import secrets_in_xml, typed_secrets, without_secrets
from soapclient.console.response_tree import (
    FieldOutline,
    Node,
    PageTurn,
    Table,
    outline,
    page_turn,
    table_of,
    tree,
)
from soapclient.console.targets import Exchange, Target
from soapclient.runtime import DecodeError
from soapclient.runtime.operations import AnyOperation


class Problem(NamedTuple):
    """The path and the label of an input with an error."""

    path: str
    label: str


@dataclass(frozen=True)
class Filled:
    """The progress of filling in a form.

    `total` is the number of inputs, and `given` the number of inputs with a value. `missing` has the labels
    of the required inputs without a value. `problems` has an item for each input with an error.
    """

    total: int
    given: int
    missing: Sequence[str]
    problems: Sequence[Problem]


@dataclass(frozen=True)
class RawMessage:
    """A message that the user edits as XML. `problems` are its errors; `refusal` says why it was not sent."""

    text: str
    problems: Sequence[MessageProblem] = ()
    refusal: str = ""
    is_checked: bool = False


@dataclass(frozen=True)
class Request:
    """The contents of the request part of the screen: an operation with its form.

    - `texts`: the request as code. If `is_sample` is True, the code has examples instead of missing and
      invalid values.
    - `again`: the number of the exchange (call in the history) that the form repeats; "" if the form is new.
    - `warning`: a warning about the service, to be shown once.
    - `confirms`: True if sending requires a confirmation.
    - `raw`: the message to edit as XML, which then replaces the form.
    """

    target: Target
    operation: AnyOperation
    entry: Entry
    form: Form
    marks: Sequence[presentation.Mark]
    filled: Filled
    texts: Sequence[presentation.Text]
    is_sample: bool
    response: Sequence[FieldOutline]
    pressed: str = ""
    again: str = ""
    warning: str = ""
    confirms: bool = False
    raw: RawMessage | None = None

    @property
    def fields(self) -> list[Part]:
        """The fields of the request in the SOAP body."""
        return [item for item in self.form.items if not _is_header(item)]

    @property
    def headers(self) -> list[Part]:
        """The SOAP headers."""
        return [item for item in self.form.items if _is_header(item)]

    @property
    def takes_files(self) -> bool:
        """True if the form has an input for a file."""
        return any(item.control == "file" for item in inputs_of(self.form.items))


class Step(NamedTuple):
    """A step in the timing chart of a call. Start and length are in milliseconds.

    `kind` selects the color. `note` is the HTTP status of an attempt, or "no response".
    """

    name: str
    kind: str
    start: float
    length: float
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """The contents of the result part of the screen: an exchange (a call that was sent) and its outcome.

    - `tree`: the response. `table`: the longest list of the response. `turn`: its position in a paged list.
    - `beside`: the simple values at the top level of the response.
    - `reasons`: the likely reasons if the call failed. `steps`: the timing of the call.
    """

    exchange: Exchange
    tree: Node | None = None
    table: Table | None = None
    turn: PageTurn | None = None
    reasons: Sequence[str] = ()
    beside: Sequence[Node] = ()
    steps: Sequence[Step] = ()


class Desk:
    """Prepares the contents of the screen for a console's services."""

    def __init__(self, places: Places, in_words: presentation.InWords) -> None:
        self._places = places
        self._in_words = in_words
        self._entries: dict[str, dict[str, ServiceEntries]] = {}  # by place
        self._outlines: dict[tuple[str, str], Sequence[FieldOutline]] = {}

    def services(self) -> dict[str, ServiceEntries]:
        """Return the operations of all services in the selected place, by the services' names."""
        place = self._places.selected
        if place.name not in self._entries:
            self._entries[place.name] = {name: entries_of(target) for name, target in place.targets.items()}
        return self._entries[place.name]

    def request(
        self,
        target: Target,
        forms: Forms,
        form: Form,
        *,
        pressed: str = "",
        again: str = "",
        warning: str = "",
        raw: RawMessage | None = None,
    ) -> Request:
        """Prepare the request part of the screen for a form. The arguments are as in `Request`."""
        operation = form.operation
        service = self.services().get(target.name)
        entries = entries_of(target) if service is None else service
        entry = entries.entries[operation.key]
        texts, is_sample = self._texts(target, forms, form)
        return Request(
            target,
            operation,
            entry,
            form,
            presentation.marks(target, operation),
            _filled(form),
            texts,
            is_sample,
            self._outline(target, operation),
            pressed=pressed,
            again=again,
            warning=warning,
            confirms=self._places.selected.needs_confirmation(target, operation),
            raw=raw,
        )

    def outcome(self, target: Target, form: Form, exchange: Exchange, reasons: Sequence[str]) -> Outcome:
        """Prepare the result part of the screen for an exchange (a call that was sent).

        `form` has the values of the exchange. `reasons` are the likely reasons if the call failed.
        """
        if exchange.error or exchange.result is None:
            return Outcome(exchange, reasons=reasons, steps=_steps(exchange))
        operation = target.operations[exchange.operation]
        secrets = typed_secrets(form) | secrets_in_xml(exchange.values.get("message", ""))
        name = type(exchange.result).__name__
        response = tree(operation.codec, exchange.result, name, secrets)
        return Outcome(
            exchange,
            response,
            table_of(response),
            page_turn(operation, exchange) if exchange.place == self._places.selected.name else None,
            beside=[
                node for node in response.items if not node.items and node.kind not in ("list", "record")
            ],
            steps=_steps(exchange),
        )

    def _outline(self, target: Target, operation: AnyOperation) -> Sequence[FieldOutline]:
        if operation.one_way:
            return ()
        key = target.name, operation.key
        if key not in self._outlines:
            documentation = target.package.documentation
            self._outlines[key] = outline(operation.codec, documentation, operation.row.response)
        return self._outlines[key]

    def _texts(self, target: Target, forms: Forms, form: Form) -> tuple[Sequence[presentation.Text], bool]:
        """Return a request as code, without secrets that the user typed, and True if the code is a sample.

        If the form is not valid, the code is a sample: examples replace missing and invalid values. No code
        is returned if no example is valid, or if the request without its secrets cannot be decoded.
        """
        operation = form.operation
        complete = forms.form(operation, form.values, check=True)
        if complete.is_valid:
            return self._texts_of(target, forms, complete), False
        example = forms.example(operation, complete=False)
        invalid = {problem.path for problem in _problems(complete.items)}
        kept = {
            key: text
            for key, text in form.values.items()
            if key.partition(":")[2] not in invalid and (text or not key.startswith("v:"))
        }
        for values in (example | kept, example):
            sample = forms.form(operation, values, check=True)
            if sample.is_valid:
                return self._texts_of(target, forms, sample), True
        return (), True

    def _texts_of(self, target: Target, forms: Forms, form: Form) -> Sequence[presentation.Text]:
        without = forms.form(form.operation, without_secrets(form), check=False)
        with suppress(DecodeError):  # a placeholder is not a value of the field's type
            return presentation.texts(target, form.operation, without, self._in_words)
        return ()


def matching(groups: Iterable[EntryGroup], words: str) -> list[EntryGroup]:
    """Return the groups with only the operations whose name or documentation contains each of `words`.

    Case is ignored. Groups without a matching operation are left out. If `words` is empty, all operations
    match.
    """
    wanted = words.lower().split()
    found = (
        EntryGroup(group.name, [entry for entry in group.entries if _matches(entry, wanted)])
        for group in groups
    )
    return [group for group in found if group.entries]


def _matches(entry: Entry, wanted: Sequence[str]) -> bool:
    text = f"{entry.name} {entry.doc}".lower()
    return all(word in text for word in wanted)


def milliseconds(value: float) -> str:
    """Return a duration in milliseconds as text without a unit, such as `12` or `3.4`."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def size(count: int) -> str:
    """Return a number of bytes as text with a unit, such as `950 B` or `12.3 kB`."""
    return f"{count:,} B" if count < 10_000 else f"{count / 1000:,.1f} kB"


def _steps(exchange: Exchange) -> list[Step]:
    """Return the steps of a call: building the request, each attempt with its pause, and decoding."""
    steps: list[Step] = []
    moment = 0.0
    for attempt in exchange.attempts:
        name = "Build, validate, sign" if not steps else "Wait for the next attempt"
        steps.append(Step(name, "pause" if steps else "start", moment, attempt.sent - moment))
        note = "no response" if attempt.status is None else str(attempt.status)
        kind = "sent" if attempt.status is not None and attempt.status < 400 else "bad"
        steps.append(Step(f"Attempt {attempt.number}", kind, attempt.sent, attempt.duration, note))
        moment = attempt.finished
    if steps:
        rest = max(0.0, exchange.milliseconds - moment)
        steps.append(Step("Decode, validate", "received", moment, rest))
    return steps


def _is_header(part: Part) -> bool:
    return isinstance(part, Group) and part.place is None


def _filled(form: Form) -> Filled:
    inputs = list(inputs_of(form.items))
    return Filled(
        len(inputs),
        sum(bool(item.value) for item in inputs),
        [item.label for item in inputs if item.required and not item.value],
        list(_problems(form.items)),
    )


def _problems(parts: Iterable[Part]) -> Iterator[Problem]:
    """Yield a `Problem` for each input or group that has an error, also inside groups."""
    for part in parts:
        if getattr(part, "error", ""):
            yield Problem(part.path, getattr(part, "label", ""))
        if not isinstance(part, Input):
            yield from _problems(part.items)
