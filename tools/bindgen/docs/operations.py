"""The section of an operation."""

from __future__ import annotations

from bindgen.docs import fields, wording
from bindgen.docs.catalogue import Catalogue
from bindgen.docs.examples import OperationExamples, block
from bindgen.docs.html import Child, Element, code, el
from bindgen.docs.instances import fields_of
from bindgen.model import Header, Operation, Rest
from bindgen.rest_table import WHOLE


def section(known: Catalogue, examples: OperationExamples, operation: Operation, bound: str) -> Element:
    """All of an operation. `bound` is what has the method in Python."""
    anchor = known.of(operation)
    return el(
        "section",
        el("h3", el("a", el("span", operation.name, class_="n"), href=f"#{anchor}", class_="self")),
        el("p", [_badge(*badge) for badge in wording.badges(operation)], class_="badges"),
        el("p", operation.doc) if operation.doc else None,
        _lists(operation, bound),
        _end(known, operation, "request"),
        _headers(known, "Headers of the request", operation.request_headers),
        None if operation.one_way else _end(known, operation, "reply"),
        _headers(known, "Headers of the reply", operation.reply_headers),
        _faults(known, operation),
        el("h4", "Python"),
        block(examples.call(operation), "Python"),
        _rest(known, examples, operation),
        el("h4", "SOAP") if operation.soap else None,
        _wire(operation),
        list(examples.shown(operation)),
        id=anchor,
        class_="operation",
        data_k="operation",
    )


def _badge(kind: str, word: str) -> list[Child]:
    return [el("span", word, class_=f"badge {kind}"), " "]


def _lists(operation: Operation, bound: str) -> Element | None:
    """The further ways to read a list."""
    ways: list[Child] = []
    if operation.pages:
        ways += ["All pages, item by item: ", code(f"{bound}.iterate.{operation.method}(…)"), ". "]
    if operation.list_field is not None:
        ways += ["One reply as it arrives: ", code(f"with {bound}.stream.{operation.method}(…)"), "."]
    return el("p", ways) if ways else None


def _end(known: Catalogue, operation: Operation, end: str) -> list[Element]:
    struct = operation.request if end == "request" else operation.reply
    anchor = known.anchors.get((id(operation), end))
    asked = operation if end == "request" else None
    found = [
        el(
            "h4",
            end.capitalize(),
            " ",
            code(struct.python, class_="python") if struct.python else None,
            id=anchor,
        ),
        el("p", struct.doc) if struct.doc else None,
        fields.listing(known, anchor, fields_of(struct), asked=asked),
    ]
    if end == "request" and operation.authentication:
        found.append(
            el(
                "p",
                "Filled in when it is sent: ",
                wording.listed(operation.authentication),
                ".",
                class_="note",
            )
        )
    return [each for each in found if each is not None]


def _headers(known: Catalogue, title: str, headers: list[Header]) -> list[Element]:
    if not headers:
        return []
    rows = [
        el(
            "div",
            el("dt", code(wording.local(header.tag)), " ", fields.linked_type(known, header.type)),
            el("dd", "Required." if header.required else "Optional."),
        )
        for header in headers
    ]
    return [el("h4", title), el("dl", rows, class_="fields")]


def _faults(known: Catalogue, operation: Operation) -> Element | None:
    if not operation.faults:
        return None
    linked = [fields.linked_type(known, fault.type) for fault in operation.faults]
    return el("p", "Faults: ", wording.joined(linked), ".")


def _wire(operation: Operation) -> Element | None:
    if not operation.soap:
        return None
    form = f"{operation.style}/{'encoded' if operation.encoded else 'literal'}"
    rows: list[tuple[str, Child]] = [
        ("SOAPAction", code(operation.soap_action or '""')),
        ("Request", code(wording.local(operation.request_tag) or "parts of its own")),
    ]
    if not operation.one_way:
        rows.append(("Reply", code(wording.local(operation.reply_tag) or "parts of its own")))
    if form != "document/literal":
        rows.append(("Form", form))
    return pairs(rows)


def pairs(rows: list[tuple[str, Child]]) -> Element:
    """Names and what they stand for, side by side where there is room."""
    return el("dl", (el("div", el("dt", name), el("dd", value)) for name, value in rows), class_="pairs")


def _rest(known: Catalogue, examples: OperationExamples, operation: Operation) -> list[Element]:
    form = operation.rest
    if form is None:
        return []
    fields_by_name = {field.wire: field for field in fields_of(operation.request)}

    def linked(name: str) -> Child:
        found = fields_by_name.get(name)
        whole = known.anchors.get((id(operation), "request"))
        anchor = known.anchors.get((whole, id(found)))
        return code(name) if anchor is None else el("a", code(name), href=f"#{anchor}")

    made = examples.resource(operation)
    rows: list[tuple[str, Child]] = []
    if form.in_path:
        rows.append(("In the path", wording.joined([linked(name) for name in form.in_path])))
    for parameter in form.query:
        said: list[Child] = [linked(parameter.field)]
        if parameter.separator:
            said += [", several joined by ", code(parameter.separator)]
        for ours, theirs in parameter.spelling.items():
            said += [", ", code(ours), " as ", code(theirs)]
        rows.append((f"?{parameter.name}", said))
    rows += _body(form)
    example = ""
    if made is not None:
        example = f"{made.method} {made.target}"
    found = [
        el("h4", "REST"),
        el("p", code(f"{form.method} {form.path}", class_="path")),
        pairs(rows) if rows else None,
        block(example, "REST") if made is not None and made.target != form.path else None,
    ]
    if made is not None and made.body is not None:
        found.append(examples.body(made.body))
    return [each for each in found if each is not None]


def _body(form: Rest) -> list[tuple[str, Child]]:
    rows: list[tuple[str, Child]] = []
    root = code(f"<{wording.local(form.body_tag)}>")
    if form.body == WHOLE:
        rows.append(("Body", ["all that stands in neither path nor query, in ", root]))
    elif form.body:
        rows.append(
            ("Body", [code(form.body), ", in ", root, "; changes alone will do" if form.partial else None])
        )
    if form.roots:
        rows.append(("Other roots of the reply", wording.listed([wording.local(tag) for tag in form.roots])))
    if form.wrapped:
        inside = [wording.local(tag) for tag in form.wrapped]
        rows.append(("The reply may come in", code(" / ".join(inside))))
    return rows
