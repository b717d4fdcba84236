"""The templates and assets of the console, and the HTTP headers of its pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import jinja2
from werkzeug.wrappers import Request, Response

from soapclient.console import desk, highlight
from soapclient.console.inputs import summary

__all__ = ["asset", "download", "environment", "page", "theme"]

_STATIC: Final = Path(__file__).parent / "static"
_ASSETS: Final = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "img-src 'self'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


@cache  # it keeps compiled templates, for all consoles of the process
def environment() -> jinja2.Environment:
    """Return the jinja2 environment that loads the templates of the console."""
    result = jinja2.Environment(
        loader=jinja2.PackageLoader("soapclient.console"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.globals |= {"xml": highlight.xml, "code": highlight.code, "matching": desk.matching}
    result.filters.update(ms=desk.milliseconds, size=desk.size, summary=summary)
    return result


def asset(name: str) -> Response | None:
    """Return the style sheet, the script or the icon with this name; None if there is no such file."""
    if name not in _ASSETS:
        return None
    content = _STATIC.joinpath(name).read_bytes()
    return Response(content, content_type=_ASSETS[name], headers={"Cache-Control": "no-cache"})


def page(html: str, status: int) -> Response:
    """Return a response with an HTML page. Its headers let the browser load only the console's own assets."""
    headers = {"Content-Security-Policy": _POLICY}
    return Response(html, status, content_type="text/html; charset=utf-8", headers=headers)


def download(text: str, name: str) -> Response:
    """Return a response that the browser saves as the file `name`. `text` is a JSON document."""
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return Response(text, content_type="application/json; charset=utf-8", headers=headers)


def theme(request: Request) -> str:
    """Return the theme that the user chose, `light` or `dark`; "" if the browser's setting applies."""
    chosen = request.cookies.get("console-theme", "")
    return chosen if chosen in ("light", "dark") else ""
