"""XML and code with colors: the text stays the same, and hostile documents are shortened."""

from __future__ import annotations

import pytest

from soapclient.console import highlight

_NAMESPACES = " ".join(f'xmlns:n{number}="urn:{number}"' for number in range(3000))
_ATTRIBUTES = " ".join(f'n{number}=""' for number in range(20_000))


def test_prefixes_of_elements_and_attributes_are_shown() -> None:
    document = '<a:b xmlns:a="urn:a" a:c="1" d="&lt;"><e a:f="2"/></a:b>'
    text = highlight.xml(document).striptags().replace(" ", "")
    assert text == '<a:bxmlns:a="urn:a"a:c="1"d="<"><ea:f="2"/></a:b>'


@pytest.mark.parametrize(
    "document",
    [
        f"<r {_NAMESPACES}>{'<b/>' * 3000}</r>",
        f"<r {_ATTRIBUTES}/>",
        f"<r>{'<b/>' * 9000}</r>",
        "<a>" * 255 + "</a>" * 255,
    ],
)
def test_hostile_document_is_shortened(document: str) -> None:
    assert len(highlight.xml(document)) < 400_000


def test_element_with_many_namespaces_counts_as_several() -> None:
    shown = highlight.xml(f"<r {_NAMESPACES}>{'<b/>' * 3000}</r>")
    assert 0 < shown.count('<i class="x-t">b</i>') < 100


def test_long_value_of_a_command_stays_as_it_is() -> None:
    command = "soapclient call x y city=" + "a." * 50_000
    assert highlight.code(command, "shell").striptags() == command
