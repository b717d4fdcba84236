"""Text of a contract never becomes markup, script or a link. The page still shows it."""

from __future__ import annotations

import re
from html import escape

import pytest
from lxml import html

from tests.docs.conftest import PageOf, wsdl

pytestmark = pytest.mark.exhaustive

PAYLOADS = [
    "</script><script>harm()</script>",
    "<img src=x onerror=harm()>",
    '" onmouseover="harm()',
    "' autofocus onfocus='harm()",
    "javascript:harm()",
    "--><!-- ]]> <![CDATA[",
    "</style><style>*{display:none}</style>",
    "</pre></code></dl></section></main>",
    "&lt;script&gt;harm()&lt;/script&gt; &amp;amp;",
    "{{7*7}} ${7*7} #{7*7} %s",
    "\u202etxet desrever\u202c",
    "\u2028\u2029\u0085",
    "x" * 3000,
    "𝄞 日本 ünïcödé",
    "<title>other</title><base href=//evil.invalid/>",
]


def _note(text: str) -> str:
    return f"<x:annotation><x:documentation>{escape(text)}</x:documentation></x:annotation>"


def _evil() -> str:
    values = "".join(f'<x:enumeration value="{escape(text)}"/>' for text in PAYLOADS)
    fields = "".join(
        f'<x:element name="f{at}" type="x:string" default="{escape(text)}">{_note(text)}</x:element>'
        for at, text in enumerate(PAYLOADS)
    )
    body = f"""<x:complexType>{_note(PAYLOADS[0])}<x:sequence>{fields}
      <x:element name="kind" type="t:kind"/><x:element name="__proto__" type="x:string"/>
      <x:element name="constructor" type="x:string"/><x:element name="日本" type="x:string"/>
      </x:sequence></x:complexType>"""
    schema = f"""<x:element name="AskRequest">{body}</x:element>
      <x:element name="AskResponse">{body}</x:element>
      <x:simpleType name="kind"><x:restriction base="x:string">{values}</x:restriction></x:simpleType>"""
    text = wsdl(schema).replace('soapAction="urn:ask"', f'soapAction="{escape(PAYLOADS[0])}"')
    text = text.replace("https://shop.invalid/soap", f"javascript:{escape(PAYLOADS[0])}")
    return text.replace(
        '<operation name="Ask"><input message',
        f'<operation name="Ask"><documentation>{escape(PAYLOADS[0])}</documentation><input message',
    )


def test_contract_text_is_escaped(document_page: PageOf) -> None:
    shown = document_page(_evil())
    written = shown.raw.decode()
    assert len(re.findall(r"<script\b", written)) == 1
    assert len(re.findall(r"<style\b", written)) == 1
    tags = {element.tag for element in shown.root.iter() if isinstance(element.tag, str)}
    assert not tags & {"img", "base", "iframe", "link", "object", "form"}
    names = {str(name) for element in shown.root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or name in ("src", "style", "autofocus")]
    links = [element.get("href", "") for element in shown.root.iter("a")]
    assert [link for link in links if not re.fullmatch(r"#[A-Za-z0-9._-]+|index\.html", link)] == []
    assert len(shown.root.findall(".//title")) == 1


def test_contract_text_is_shown_unchanged(document_page: PageOf) -> None:
    shown = document_page(_evil())
    section = shown.at("enum.kind")
    found = section.xpath(".//li/code[@class='n']")
    assert isinstance(found, list)
    texts = [each.text_content() for each in found if isinstance(each, html.HtmlElement)]
    assert texts == PAYLOADS
    for at, text in enumerate(PAYLOADS):
        assert " ".join(text.split()) in shown.text(f"op.Ask.request.f{at}")


def test_names_with_equal_ids_are_distinguished(document_page: PageOf) -> None:
    schema = """<x:element name="AskRequest"><x:complexType><x:sequence><x:element name="é" type="x:string"/>
      <x:element name="à" type="x:string"/><x:element name="_" type="x:string"/></x:sequence></x:complexType>
      </x:element><x:element name="AskResponse"><x:complexType/></x:element>"""
    shown = document_page(wsdl(schema))
    ids = [str(each) for each in shown.root.xpath("//*[@data-k='field']/@id")]
    assert len(ids) == len(set(ids)) == 3
