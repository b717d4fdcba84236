"""Build the documentation site: the pages, a reference from docstrings, and the reference of the contracts.

    .venv/bin/python .ci/website.py                 into the folder `site`
    .venv/bin/python .ci/website.py --out FOLDER

Notebooks are shown with their stored outputs. The build fails on a warning of Sphinx, a broken link, a public
name without an entry, and anything that a page would load from another host. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urlsplit
from warnings import catch_warnings, simplefilter

from click.testing import CliRunner
from lxml import html
from sphinx.application import Sphinx
from sphinx.deprecation import RemovedInSphinx11Warning
from sphinx.util.docutils import docutils_namespace, patch_docutils

import bindgen.cli
import soapclient

sys.path.insert(0, str(Path(__file__).parent))
from notebook import as_markdown
from operation_pages import OPERATIONS, write_operations
from parameters import parameter_list
from received import RECEIVED
from reference import first_line, public_modules, table

ROOT = Path(__file__).parents[1]
HOME, API, CONTRACTS = Path("docs/README.md"), Path("docs/reference/api"), Path("contracts")
NAMES = Path("docs/reference/names.md")
READ = {".md", ".ipynb"}
_NOTEBOOK = re.compile(r"(\]\([^)\s#:]+)\.ipynb\)")
_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
_FUNCTION = re.compile(r"<(?:function|built-in method) (\w+)[^>]*>")
_PAGE = re.compile(r"(docs/[\w/-]+|wsdl/README)\.md(#[\w-]+)?")
_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
_ENTRY = '<!doctype html><meta charset="utf-8"><title>soapclient</title>\n'
_ENTRY += '<meta http-equiv="refresh" content="0; url=docs/README.html">\n'
_ENTRY += '<p><a href="docs/README.html">Documentation of soapclient</a></p>\n'
# Excerpts of search results are read from the pages. Browsers forbid this for local files.
_NO_EXCERPTS_OF_FILES = 'DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol.startsWith("http");'
SETTINGS: dict[str, object] = {
    "project": "soapclient",
    "copyright": "",
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"],
    "root_doc": HOME.with_suffix("").as_posix(),
    "language": "en",
    "highlight_language": "none",
    "suppress_warnings": [],
    "myst_heading_anchors": 6,  # as in repository browsers
    "default_role": "literal",  # docstrings write `name`, as Markdown does
    "autodoc_typehints": "both",
    "autodoc_typehints_format": "short",
    "autodoc_member_order": "bysource",
    "autodoc_class_signature": "mixed",
    "python_maximum_signature_line_length": 88,
    "add_module_names": False,
    "html_theme": "furo",
    "html_title": f"soapclient {soapclient.__version__}",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_show_search_summary": True,
    "html_js_files": [(None, {"body": _NO_EXCERPTS_OF_FILES})],
    "copybutton_prompt_text": "$ ",
    "html_last_updated_fmt": None,
    "html_permalinks_icon": "#",
}


def text_of(page: Path) -> str:
    """Return a page or a notebook as Markdown."""
    text = page.read_text(encoding="utf-8")
    return as_markdown(json.loads(text)) if page.suffix == ".ipynb" else text


@cache
def pages() -> tuple[Path, ...]:
    """Return the Markdown pages that the index leads to, and their images, as paths below the root."""
    found: dict[Path, None] = {}
    ahead = [ROOT / HOME, *sorted((ROOT / "docs").rglob("*.md"))]
    while ahead:
        page = ahead.pop(0)
        if page in found:
            continue
        found[page] = None
        if page.suffix in READ:
            links = (link for link in _LINK.findall(text_of(page)) if "://" not in link)
            targets = [(page.parent / link).resolve() for link in links]
            ahead += [target for target in targets if target.is_file() and target.is_relative_to(ROOT)]
    return tuple(page.relative_to(ROOT) for page in found)


def contents() -> dict[str, list[str]]:
    """Return the documents of each section of the index, named as in a table of contents."""
    found: dict[str, list[str]] = {"Start": []}
    at = found["Start"]
    for line in (ROOT / HOME).read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (.+)", line):
            at = found.setdefault(heading[1], [])
        for link in _LINK.findall(line):
            target = (ROOT / HOME.parent / link).resolve()
            if target.suffix in READ and not any(_document(target) in listed for listed in found.values()):
                at.append(_document(target))
    found["Reference"] += [f"/{page.as_posix()}" for page in (CONTRACTS, OPERATIONS, API)]
    return {caption: documents for caption, documents in found.items() if documents}


def _document(path: Path) -> str:
    return f"/{path.relative_to(ROOT).with_suffix('').as_posix()}"


def names() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each public module, and its names with the object that describes them."""
    described: dict[tuple[str, int], str] = {}
    for module in public_modules():
        loaded, found = importlib.import_module(module), {}
        for name in sorted(loaded.__all__):
            value = getattr(loaded, name)
            found[name] = described.setdefault((name, id(value)), f"{module}.{name}")
        yield module, found


def write_api(folder: Path) -> None:
    """Write a page per public module with its docstrings."""
    listed = []
    (folder / API).mkdir(parents=True)
    for module, found in names():
        listed.append(f"   {API.name}/{module}\n")
        lines = [module, "=" * len(module), "", f".. automodule:: {module}", ""]
        for name, described in found.items():
            value = getattr(importlib.import_module(module), name)
            if described != f"{module}.{name}":
                lines += [f"``{name}``", f"   See :py:obj:`{described}`.", ""]
            elif inspect.isclass(value):
                lines += [f".. autoclass:: {described}", "   :members:", ""]
            elif inspect.isroutine(value):
                lines += [f".. autofunction:: {described}", ""]
            elif inspect.ismodule(value):
                lines += [f".. automodule:: {described}", "   :members:", ""]
            else:
                said = "A constant." if isinstance(value, str) else "A type, for hints."
                lines += [f".. py:data:: {name}", "", f"   {said}", ""]
        (folder / API / f"{module}.rst").write_text("\n".join(lines), encoding="utf-8")
    head = "Classes and functions\n=====================\n\n"
    head += "What the docstrings of all public names say, by module.\n\n"
    toctree = f".. toctree::\n   :maxdepth: 1\n\n{''.join(listed)}"
    (folder / API.with_suffix(".rst")).write_text(head + toctree, encoding="utf-8")


def markdown_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Convert arguments, indented code, and paths of pages to the form of Sphinx."""
    module, _, last = name.rpartition(".")
    own = name.startswith("soapclient.") and last not in RECEIVED.get(module, ())
    listed = parameter_list(obj, lines) if own else lines  # pages of operations have lists of their own
    written: list[str] = []
    code = False
    for line in listed:
        if line.strip():
            indented = line.startswith("    ")
            if indented and not code and not re.match(r"\s*([-*]|\d+\.) |\.\. ", _paragraph(written)):
                written += ["", ".. code-block:: none", ""]
                code = True
            elif not indented and code:
                written.append("")
                code = False
        written.append(line if code else _PAGE.sub(_as_link, line))
    lines[:] = written


def functions_by_name(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Show a default that is a function by its name: `<function f>` is not valid Python, so Sphinx would not
    fold the line. Classes that users do not construct have no signature."""
    module, _, last = name.rpartition(".")
    if what == "class" and last in RECEIVED.get(module, ()):
        app.env.current_document.autodoc_annotations.pop(name, None)  # or their types would be listed
        return "", None
    return signature and _FUNCTION.sub(r"\1", signature), returned


def _paragraph(lines: list[str]) -> str:
    """Return the first line of the last paragraph."""
    text = "\n".join(lines).rstrip()
    return text.rpartition("\n\n")[2]


def _as_link(found: re.Match[str]) -> str:
    name, anchor = found[1], found[2] or ""
    if Path(f"{name}.md") not in pages():
        return found[0]
    return f"`{found[0]} <../../../{name}.html{anchor}>`__"


def write_contracts(folder: Path, out: Path) -> None:
    """Write the reference of the built-in contracts with `bindgen docs`, and a page that links to it."""
    command = ["--wsdl", str(ROOT / "wsdl"), "docs", "--out", str(out / CONTRACTS)]
    done = CliRunner().invoke(bindgen.cli.main, command)
    if done.exit_code:
        raise SystemExit(f"bindgen docs: {done.output}")
    rows = [("Contract", "What is in it")]
    for line in done.output.splitlines():
        path, _, said = line.rpartition(": ")
        name = Path(path).name
        rows.append((f'<a href="{CONTRACTS.name}/{name}">{Path(name).stem}</a>', said))
    text = "# The contracts, field by field\n\nEvery operation with its fields, values, faults and examples, "
    text += "over SOAP and REST, as `bindgen docs` writes it.\n"
    text += "How sure each part is: [the contracts](wsdl/README.md).\n\n"
    (folder / CONTRACTS.with_suffix(".md")).write_text(text + table(*rows), encoding="utf-8")


def stage(folder: Path) -> None:
    """Copy the pages to a folder with the same layout. Tables of contents follow the index."""
    listed = contents()
    known = {document for documents in listed.values() for document in documents}
    for path in pages():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(ROOT / path, target)
        if path.suffix not in READ:
            continue
        text = _NOTEBOOK.sub(r"\1.md)", text_of(ROOT / path))
        if path.suffix == ".ipynb":
            text += f"\nTo run it yourself: [the notebook]({path.name}).\n"
            target = target.with_suffix(".md")
        if path == HOME:
            for caption, documents in listed.items():
                lines = "\n".join(documents)
                text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n{lines}\n```\n"
        elif path == NAMES:
            parts = re.split(r"^## (soapclient[\w.]*)$", text, flags=re.MULTILINE)
            for at in range(1, len(parts), 2):
                described = dict(names())[parts[at]]
                # The names that generated code imports come last; they have no pages.
                parts[at + 1] = _ROW.sub(
                    lambda row, all=described: (
                        f"| {{py:obj}}`{row[1]} <{all[row[1]]}>` |" if row[1] in all else row[0]
                    ),
                    parts[at + 1],
                )
                parts[at] = f"## {parts[at]}"
            text = "".join(parts)
        elif _document(ROOT / path) not in known:
            text = f"---\norphan: true\n---\n{text}"
        target.write_text(text, encoding="utf-8")


class Links:
    """Links, loaded files and anchors of a page."""

    def __init__(self, page: Path) -> None:
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        for node in html.fromstring(page.read_bytes()).iter():
            if not isinstance(node.tag, str):
                continue  # a comment
            for name, value in node.items():
                if name == "id" or (node.tag == "a" and name == "name"):
                    self.places.add(value)
                elif node.tag == "a" and name == "href":
                    self.links.append(value)
                elif name in {"src", "href", "srcset", "poster", "data", "action", "xlink:href"}:
                    self.loaded.append(value)
                elif name == "style":
                    self.loaded += _foreign(value)
            if node.tag == "style":
                self.loaded += _foreign(node.text or "")


def _foreign(style: str) -> list[str]:
    """Return the files that a style sheet loads, without embedded data."""
    return re.findall(r"""(?:url\(|@import)\s*["']?(?!data:)([^"')\s]+)""", style)


def problems(site: Path) -> list[str]:
    """Return the problems of a site: broken links, and files of other hosts."""
    files = {path for path in site.rglob("*") if path.is_file()}
    read = {page: Links(page) for page in sorted(files) if page.suffix == ".html"}
    found = []
    for page, has in read.items():
        at = page.relative_to(site).as_posix()
        for link in [*has.links, *has.loaded]:
            address = urlsplit(link)
            if address.scheme in {"data", "mailto"}:
                continue
            if address.scheme or address.netloc:
                found += [f"{at}: loads {link}"] if link in has.loaded else []
                continue
            target = Path(normpath(page.parent / unquote(address.path))) if address.path else page
            if target not in files:
                found.append(f"{at}: {link} leads nowhere")
            elif address.fragment and target in read and unquote(address.fragment) not in read[target].places:
                found.append(f"{at}: {link} names no place of that page")
    for sheet in sorted(site.rglob("*.css")):
        for link in _foreign(sheet.read_text(encoding="utf-8")):
            if (
                urlsplit(link).scheme
                or link.startswith("//")
                or not (sheet.parent / urlsplit(link).path).is_file()
            ):
                found.append(f"{sheet.relative_to(site).as_posix()}: loads {link}")
    for module, offered in names():
        page = site / API / f"{module}.html"
        found += [
            f"{module}.{name} is not described"
            for name, described in offered.items()
            if described == f"{module}.{name}" and not {described, f"module-{described}"} & read[page].places
        ]
    return found


def sphinx(source: Path, out: Path) -> list[str]:
    """Build the pages. Returns the warnings of Sphinx."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as trees, patch_docutils(), docutils_namespace(), catch_warnings():
        # MyST calls what Sphinx 11 will not have; the bound of Sphinx keeps it there.
        simplefilter("ignore", RemovedInSphinx11Warning)
        app = Sphinx(source, None, out, trees, "html", SETTINGS, None, said, freshenv=True)
        app.connect("autodoc-process-docstring", markdown_docstring)
        app.connect("autodoc-process-signature", functions_by_name)
        app.build()
    warnings = re.sub(r"\x1b\[[0-9;]*m", "", said.getvalue()).replace(f"{source}/", "")
    return [line for line in warnings.splitlines() if line]


def build(out: Path) -> list[str]:
    """Build the site into an empty folder. Returns its problems."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch)
        stage(source)
        write_api(source)
        write_operations(source, ROOT / "wsdl")
        write_contracts(source, out)
        warned = sphinx(source, out)
    (out / "index.html").write_text(_ENTRY, encoding="utf-8")
    (out / ".buildinfo").unlink(missing_ok=True)
    return [*warned, *problems(out)]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=first_line(sys.modules[__name__]))
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    out: Path = parser.parse_args(argv).out.resolve()
    if out.exists() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        print(f"{out}: is not empty, and no site: nothing was built", file=sys.stderr)
        return 2
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    wrong = build(out)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{out / 'index.html'}: {len(list(out.rglob('*.html')))} pages, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
