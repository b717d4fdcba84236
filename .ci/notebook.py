"""Run the notebooks of docs/notebooks/, and store the outputs of their cells and the pictures.

    .venv/bin/python .ci/notebook.py            run them, and write outputs and pictures
    .venv/bin/python .ci/notebook.py --check    exit with 1 if an output has changed

The cells are plain Python without magics, so they run here, in order, in one namespace and an empty folder.
A kernel would add a process, sockets and about twenty packages for the same result.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs/notebooks"


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(notebook: dict[str, Any], folder: Path) -> dict[str, object]:
    """Run the code cells in a folder, in one namespace, and store their outputs. Returns the namespace."""
    os.environ.setdefault("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    with _in(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), names, count)
    return names


def _outputs(source: str, names: dict[str, object], count: int) -> list[dict[str, object]]:
    printed = io.StringIO()
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    value: object = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {count}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    outputs: list[dict[str, object]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        shown = getattr(value, "_repr_html_", None)
        if shown is not None:
            data["text/html"] = shown().splitlines(keepends=True)
        outputs.append(
            {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def printed(notebook: dict[str, Any]) -> list[list[str]]:
    """Return the output of each cell, which does not depend on the machine."""
    return [
        [line for output in cell.get("outputs", ()) for line in output.get("text", ())]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def as_markdown(notebook: dict[str, Any]) -> str:
    """Return a page with the cells and their stored outputs as text."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).strip("\n")
        parts.append(source if cell["cell_type"] == "markdown" else _fenced("python", source))
        for output in cell.get("outputs", ()):
            shown = output.get("text") or output.get("data", {}).get("text/plain", ())
            parts.append(_fenced("text", "".join(shown).strip("\n")))
    return "\n\n".join(parts) + "\n"


def _fenced(language: str, text: str) -> str:
    """Return a block whose fence is longer than all fences in its text."""
    fence = max(["``", *re.findall("`+", text)], key=len) + "`"
    return f"{fence}{language}\n{text}\n{fence}"


def main(check: bool) -> int:
    differing = 0
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        before = printed(notebook)
        with tempfile.TemporaryDirectory() as folder:
            run(notebook, Path(folder))
            if not check:
                for picture in Path(folder).glob("*.svg"):
                    (path.parent / picture.name).write_bytes(picture.read_bytes())
        if printed(notebook) != before:
            differing += 1
            print(f"docs/notebooks/{path.name}: {'differs; run .ci/notebook.py' if check else 'written'}")
        if not check:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
