"""Convert the arguments that a docstring describes into a list of parameters for Sphinx.

Docstrings describe an argument in one of these forms. The text may continue on the next lines:

    * **name** - *(optional)* text
    - `name`: text
    - `name`, `other`: text
    `name`: a sentence within a paragraph. `other`: the next sentence. `last` is a sentence, too.

Other arguments get the first sentence that names them, which also stays in the text. Settings are described
as in the reference of settings. Arguments without any description are listed with their types.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Enum

from soapclient import Settings

_NAME = r"`\*{0,2}\w+(?:\([^`]*\))?`"
_STARRED = re.compile(r"\* \*\*(\w+)\*\* - (?:\*\(optional\)\* )?(.*)")
_BULLET = re.compile(rf"- ({_NAME}(?:(?:, | and ){_NAME})*)(?:: | \()(.*)")
_SENTENCE = re.compile(rf"(?:^|(?<=[.;] ))({_NAME}(?:(?:, | and ){_NAME})*)(?:: | (?:is|are) (?=the |an? ))")
_HEADING = "**Parameters:**"
_SHORT = 60  # characters of a default value that is shown


def parameter_list(documented: object, lines: list[str]) -> list[str]:
    """Return the docstring in `lines` with a field `:param name:` for each argument at its end.

    The descriptions of arguments are moved from the text to the list. Names that are not arguments of
    `documented` keep their place.
    """
    parameters = _parameters(documented)
    if not parameters:
        return lines
    texts: dict[str, str] = {}
    kept: list[str] = []
    for block in _blocks(lines):
        kept += _without_descriptions(block, parameters, texts)
        if kept and kept[-1].strip():
            kept.append("")
    while kept and not kept[-1].strip():
        kept.pop()
    settings = {setting.name: setting for setting in Settings.settings()}
    listed = []
    for name, parameter in parameters.items():
        text, default = texts.get(name, ""), parameter.default
        if not text and name in settings:
            text, default = f"{_capitalized(settings[name].about)}.", settings[name].default
        text = text or _sentence_with(name, kept)
        listed.append(f":param {_stars(parameter)}{name}: {_with_default(text, default)}".rstrip())
    return [*kept, "", *listed, ""]


def _sentence_with(name: str, lines: list[str]) -> str:
    """Return the first sentence that contains an argument in backticks; "" if there is none."""
    for block in _blocks(lines):
        text = " ".join(line.strip() for line in block).strip().removeprefix("- ")
        for sentence in re.split(r"(?<=\.)\s+(?=[A-Z`])", text):
            if re.search(rf"`{name}(?:=[^`]*)?`", sentence):
                return sentence if sentence.endswith(".") else ""
    return ""


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _parameters(documented: object) -> Mapping[str, inspect.Parameter]:
    """Return the parameters that users pass, by name."""
    if not callable(documented) or (inspect.isclass(documented) and issubclass(documented, Enum)):
        return {}
    try:
        found = inspect.signature(documented).parameters
    except (TypeError, ValueError):  # a built-in constructor
        return {}
    positional = [name for name in found if name not in {"self", "cls"}]
    return {name: found[name] for name in positional if not name.startswith("_")}


def _stars(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return r"\*"
    return r"\*\*" if parameter.kind is parameter.VAR_KEYWORD else ""


def _with_default(text: str, default: object) -> str:
    """Return the description, and the default value unless it is None, empty, or too long for a list."""
    shown = repr(default.value if isinstance(default, Enum) else default)
    readable = len(shown) <= _SHORT and not re.search("[<`]", shown)  # others print an address of this run
    empty = default in (None, "", (), {}, frozenset(), inspect.Parameter.empty)
    if empty or not readable or re.search(r"\b[Dd]efault", text):
        return text
    return f"{text} Default: ``{shown}``."


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield the paragraphs and the items of lists, each with the blank lines that follow."""
    block: list[str] = []
    for line in lines:
        item = re.match(r"[-*] ", line)
        after_blank = bool(block) and not block[-1].strip() and bool(line.strip())
        if block and (item or after_blank):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _without_descriptions(
    block: list[str], parameters: Mapping[str, inspect.Parameter], texts: dict[str, str]
) -> list[str]:
    """Move the descriptions of arguments from a paragraph or item to `texts`. Returns the other lines."""
    if block[0].strip() == _HEADING:
        return []
    text = " ".join(line.strip() for line in block if line.strip())
    if item := _STARRED.fullmatch(text):
        return _moved([item[1]], item[2], block, parameters, texts)
    if item := _BULLET.fullmatch(text):
        names = _names(item[1])
        said = item[2] if text[item.end(1)] == ":" else f"({item[2]}"
        return _moved(names, _capitalized(said), block, parameters, texts)
    if any(line.startswith((" ", "-", "*", "|", ">", "..")) for line in block):
        return block
    found = [match for match in _SENTENCE.finditer(text) if set(_names(match[1])) <= set(parameters)]
    if not found:
        return block
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=True):
        _moved(_names(match[1]), _capitalized(text[match.end() : end]), [], parameters, texts)
    rest = text[: found[0].start()].strip()
    return [rest, ""] if rest else []


def _names(text: str) -> list[str]:
    return [name.lstrip("*") for name in re.findall(r"`(\*{0,2}\w+)", text)]


def _moved(
    names: list[str],
    text: str,
    block: list[str],
    parameters: Mapping[str, inspect.Parameter],
    texts: dict[str, str],
) -> list[str]:
    """Store a description under its names, if all are arguments. Returns the lines that remain."""
    if not set(names) <= set(parameters):
        return block
    for name in names:
        texts[name] = text.strip()
    return []
