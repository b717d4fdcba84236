"""What all pages share: the head with its one style and one script, the bar with the search, the menu.

The policy in the head names these two by their hashes, so that nothing else is loaded or run, whatever stands
in the page (Content Security Policy Level 3, 8.3).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from bindgen.docs.html import Child, Element, el

ENTRY = "bindgen-contract"  # the name of a meta element


def whole(
    title: str,
    name: str,
    version: str,
    menu: Iterable[Element],
    body: Iterable[Child],
    *,
    entry: str | None = None,
) -> Element:
    """A page: its title, the name and the version in its bar, the menu and the content. `entry` is what an
    index says of it, for later runs."""
    style, script = _file("page.css"), _file("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src 'sha256-{_hash(style)}'",
            f"script-src 'sha256-{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return el(
        "html",
        el(
            "head",
            el("meta", charset="utf-8"),
            el("meta", http_equiv="Content-Security-Policy", content=policy),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("meta", name="color-scheme", content="light dark"),
            el("meta", name="referrer", content="no-referrer"),
            el("meta", name=ENTRY, content=entry) if entry is not None else None,
            el("title", title),
            el("style", style),
        ),
        el(
            "body",
            el("a", "To the content", href="#content", class_="skip"),
            _bar(name, version),
            el(
                "div",
                el("nav", el("details", el("summary", "Contents"), list(menu)), aria_label="Contents"),
                el("main", list(body), id="content", tabindex="-1"),
                class_="frame",
            ),
            el("script", script),
        ),
        lang="en",
    )


def _bar(name: str, version: str) -> Element:
    return el(
        "header",
        el("a", name, el("span", f" {version}") if version else None, href="index.html", class_="home"),
        el(
            "div",
            el("label", "Search", for_="find", class_="hidden"),
            el(
                "input",
                type="search",
                id="find",
                placeholder="Search operations, fields, types, values",
                autocomplete="off",
                spellcheck="false",
                aria_controls="found",
                aria_describedby="hits",
            ),
            el("div", el("p", id="hits", role="status"), el("ul"), id="found", hidden=True),
            class_="find",
            role="search",
            hidden=True,
        ),
        el("button", "Dark", type="button", id="theme", hidden=True),
    )


@cache
def _file(name: str) -> str:
    return (resources.files("bindgen.docs") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
