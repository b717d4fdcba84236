"""List the messages of soapclient and tools: errors, logs, help texts, and other texts shown to users.

usage: python -m tests.messages [--kind KIND] [--seed N] [--count N] [PATH…]

Prints file, line, kind and text. Inserted values are shown as `{expression}`. Kinds:

- `error`: raised, or an argument of an exception's constructor
- `log`: logs and warnings
- `help`: texts of commands and options
- `text`: all other texts of at least four words; many are parts of the other kinds
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
_MIN_WORDS: Final = {"error": 2, "log": 2, "help": 2, "text": 4}
_LOGGING: Final = {"debug", "info", "warning", "error", "exception", "critical", "log", "warn"}
_HELP: Final = {"help", "short_help", "epilog", "description"}
_ERROR: Final = re.compile(r"[A-Z]\w*(Error|Closed|Failed|Outcome|Refused|Failure|Usage|Parameter|Response)")
_INSERTED: Final = re.compile(r"\{[^}]*\}")
_WORD: Final = re.compile(r"(?<![\w.\\])[A-Za-z'-]{2,}(?![\w\\])")
_CODE: Final = re.compile(r"</\w|\(\?[:P<!=]|^\w+=\S+$|^[\w/+.-]+; charset=|://[\w./-]+$")


class Message(NamedTuple):
    """A text and its place."""

    file: str
    line: int
    kind: str
    text: str


def messages(path: Path) -> Iterator[Message]:
    """Yield the messages of a module, or of all modules in a folder, sorted by file and line."""
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        full = file.resolve()
        name = str(full.relative_to(ROOT) if full.is_relative_to(ROOT) else file)
        yield from sorted(Message(name, *text) for text in _texts(ast.parse(file.read_text("utf-8")), "text"))


def _texts(node: ast.AST, kind: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and text of the messages below a node. `kind` is the kind of the node itself."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        text = " ".join(_text(node).split())
        if len(_WORD.findall(_INSERTED.sub("", text))) >= _MIN_WORDS[kind] and not _CODE.search(text):
            yield node.lineno, kind, text
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant):
            continue  # a part of the message
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _texts(child, _kind(child, kind))
        elif _is_command(node):  # click shows its docstring
            yield child.lineno, "help", " ".join(_text(child.value).split())


def _kind(node: ast.AST, surrounding: str) -> str:
    if isinstance(node, ast.Raise):
        return "error"
    if isinstance(node, ast.keyword) and node.arg in _HELP:
        return "help"
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if _ERROR.fullmatch(name):
            return "error"
        if isinstance(node.func, ast.Attribute) and name in _LOGGING:
            return "log"
    return surrounding


def _is_command(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(re.search(r"\b(command|group)\(", ast.unparse(decorator)) for decorator in decorators)


def _text(node: ast.expr) -> str:
    """Return a string as it is in the code, with inserted values as `{expression}`."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    return str(node.value) if isinstance(node, ast.Constant) else ""


def main() -> None:
    """Print the messages, or a sample of them."""
    parser = argparse.ArgumentParser(description="List the messages of soapclient and tools.")
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "soapclient", ROOT / "tools"])
    parser.add_argument("--kind", choices=_MIN_WORDS, action="append", help="only this kind; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--count", type=int, help="size of the sample; default: all messages")
    options = parser.parse_args()
    kinds = options.kind or _MIN_WORDS
    found = [message for path in options.paths for message in messages(path) if message.kind in kinds]
    if options.count is not None:
        found = sorted(random.Random(options.seed).sample(found, min(options.count, len(found))))
    for message in found:
        print(f"{message.file}:{message.line}: {message.kind}: {message.text}")


if __name__ == "__main__":
    main()
