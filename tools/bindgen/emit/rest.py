"""rest.py: how operations are asked for over REST, a constant per resource."""

from __future__ import annotations

from bindgen.emit.text import Lines, imported, literal, module
from bindgen.model import Contract, Parameter, Rest


def emit(contract: Contract, root: str) -> str:
    """The REST table of a contract."""
    resources = [(one.constant, one.rest) for one in contract.operations if one.rest]
    used = {"RestForm"}
    used |= {"Parameter"} if any(form.query for _, form in resources) else set()
    used |= {"Wrapped"} if any(form.wrapped for _, form in resources) else set()
    used |= {"Loose"} if any(form.loose for _, form in resources) else set()
    about = f"{contract.name} {contract.settings.version}"
    lines = module(contract, f"The REST resources of {about}.", imported("soapclient.runtime.rest", used))
    for constant, form in resources:
        lines("")
        with lines.block(f"{constant} = RestForm(", ")"):
            _form(lines, form)
    return lines.text()


def _form(lines: Lines, form: Rest) -> None:
    lines(f"method={literal(form.method)},", f"path={literal(form.path)},")
    if form.in_path:
        lines(f"in_path={_tuple(form.in_path)},")
    if form.query:
        query = [f"Parameter({_parameter(parameter)})," for parameter in form.query]
        if len(query) == 1:
            lines(f"query=({query[0]}),")
        else:
            with lines.block("query=(", "),"):
                lines(*query)
    if form.body:
        lines(f"body={literal(form.body)},", f"body_tag={literal(form.body_tag)},")
    if form.partial:
        lines("partial=True,")
    if form.roots:
        lines(f"roots={_tuple(form.roots)},")
    if form.wrapped:
        lines(f"wrapped=Wrapped(root={literal(form.wrapped[0])}, list_tag={literal(form.wrapped[1])}),")
    if form.loose:
        with lines.block("loose=Loose(", "),"):
            tags = (form.loose.list_tag, form.loose.item_tag, form.loose.errors_tag, form.loose.error_tag)
            for name, tag in zip(("list_tag", "item_tag", "errors_tag", "error_tag"), tags, strict=True):
                if tag:
                    lines(f"{name}={literal(tag)},")
            if form.loose.endings:
                lines(f"endings={_tuple(form.loose.endings)},")


def _parameter(parameter: Parameter) -> str:
    parts = [f"name={literal(parameter.name)}", f"field={literal(parameter.field)}"]
    if parameter.separator:
        parts.append(f"separator={literal(parameter.separator)}")
    if parameter.spelling:
        pairs = ", ".join(f"{literal(ours)}: {literal(rest)}" for ours, rest in parameter.spelling.items())
        parts.append(f"spelling={{{pairs}}}")
    return ", ".join(parts)


def _tuple(texts: tuple[str, ...]) -> str:
    inner = ", ".join(map(literal, texts))
    return f"({inner},)" if len(texts) == 1 else f"({inner})"
