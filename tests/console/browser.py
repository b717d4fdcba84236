"""A client that follows links and fills in forms of the console, without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import requests
from lxml import html


class Browser:
    """Follows links and fills in forms, like a browser without scripts."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.page = self.get(f"/?token={token}")

    def get(self, path: str) -> Any:
        """Return the parsed page at a path. Its `status` is the HTTP status."""
        return self._parsed(self.session.get(self.url + path, timeout=30))

    def press(self, button: str, **values: str) -> Any:
        """Press a button of the page's main form, with these values changed."""
        form = next(form for form in self.page.forms if form.get("class") in ("request", "rule"))
        for empty in form.xpath(".//input[@type='radio'][@value='']"):
            # lxml would send `on`
            empty.set("type", "hidden" if empty.get("checked") is not None else "button")
        return self.post(form.action, **{**dict(form.form_values()), **values, "do": button})

    def post(self, path: str, **values: str) -> Any:
        """Post values to a path, as a form of another page would."""
        return self.upload(path, {}, values)

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], values: Mapping[str, str]) -> Any:
        """Post files and values to a path."""
        url, headers = self.url + path, {"Origin": self.url}
        return self._parsed(self.session.post(url, values, headers=headers, files=files, timeout=30))

    def value(self, name: str) -> str:
        """Return the value of an input."""
        return str(self.page.xpath(f"//input[@name='{name}']/@value")[0])

    def _parsed(self, response: requests.Response) -> Any:
        self.page = html.document_fromstring(response.text)
        self.response = response
        return self.page

    @property
    def text(self) -> str:
        return " ".join(self.page.find(".//main").text_content().split())

    @property
    def texts(self) -> dict[str, str]:
        """The request as code, by language."""
        panes = self.page.xpath("//*[@data-code]")
        return {pane.get("data-code"): pane.find_class("source")[0].text_content() for pane in panes}

    @property
    def errors(self) -> dict[str, str]:
        """The messages at invalid inputs, by their ids."""
        found = {p.get("id"): p.text_content() for p in self.page.iter("p") if p.get("class") == "error"}
        return {name: text for name, text in found.items() if text}
