"""REST tables: rows must match the contract, REST-only parameters are generated, and mismatches are named."""

from __future__ import annotations

import datetime
import inspect
import typing
from importlib import import_module

import msgspec
import pytest
from click.testing import Result
from lxml import etree

from soapclient.runtime import CountingReader
from tests.bindgen.conftest import RESPONSE, SPACE, Workshop, document
from tests.support.cases import case_text

SCHEMA = case_text(__file__, "rest.xsd")
BESIDE = case_text(__file__, "beside.xsd")
ASK = """[.rest.Ask]
method = "PUT"
path = "/things/{id}"
in_path = ["key"]
query = { mood = { field = "mood", separator = ",", spelling = "moods" }, hue = "hue", deep = "deep" }
body = "item"
partial = true
roots = ["older"]
"""
LOOK = """[.rest.Look]
method = "GET"
path = "/things"
query = { at = "at" }
request = "LookRequest"
response = "LookResponse"
auth = "public"
doc = "Looks at a thing."
"""
REST = case_text(__file__, "rest.toml")
HEAD = 'schema = "beside.xsd"\n'


def _with(line: str, said: str) -> tuple[str, str, str]:
    """Return a case in which the row of Ask has another line."""
    last = 'roots = ["older"]\n'
    return last, f"{last}{line}\n", said


def _made(workshop: Workshop, tables: str) -> str:
    """Return the output of a failed generation with these tables, or an empty string."""
    (workshop.wsdl / "beside.xsd").write_text(BESIDE)
    workshop.add("shop", document(SCHEMA + RESPONSE), tables=HEAD + tables)
    done = workshop.run("generate")
    return done.output if done.exit_code else ""


def test_rest_row_becomes_the_rest_form_of_its_operation(workshop: Workshop) -> None:
    assert _made(workshop, ASK + LOOK + REST) == ""
    operations = workshop.module("shop.service").PACKAGE.operations
    ask, look = operations["Ask"], operations["Look"]
    assert (ask.rest.method, ask.rest.path, ask.rest.in_path) == ("PUT", "/things/{id}", ("key",))
    assert [(one.name, one.field, one.separator, dict(one.spelling)) for one in ask.rest.query] == [
        ("mood", "mood", ",", {"veryGood": "VERY_GOOD"}),
        ("hue", "hue", "", {}),
        ("deep", "deep", "", {}),
    ]
    assert (ask.rest.body, ask.rest.root, ask.rest.partial) == ("item", f"{{{SPACE}}}item", True)
    assert ask.rest.roots == (f"{{{SPACE}}}older",)
    assert (ask.soap, ask.soap_only, ask.rest_only) == (True, {"note", "tags"}, {"hue", "deep"})
    assert (look.soap, look.signed, look.authentication) == (False, False, ())
    assert (look.request_tag, look.response_tag) == (f"{{{SPACE}}}LookRequest", f"{{{SPACE}}}LookResponse")
    files, base = workshop.files(), f"{workshop.package}/shop"
    assert files[f"{base}/contract.wsdl"].decode() == document(SCHEMA + RESPONSE)
    assert files[f"{base}/rest.xsd"].decode() == BESIDE


def test_requests_of_one_base_send_its_field_in_different_places(workshop: Workshop) -> None:
    base = """<x:complexType name="asking" abstract="true"><x:sequence>
        <x:element name="key" type="x:string"/></x:sequence></x:complexType>"""
    request = """<x:element name="{}"><x:complexType><x:complexContent><x:extension base="t:asking">
        <x:sequence><x:element name="at" type="x:date"/></x:sequence>
        </x:extension></x:complexContent></x:complexType></x:element>"""
    start, _, _ = BESIDE.partition('<x:element name="LookRe')
    response = '<x:element name="LookResponse"><x:complexType/></x:element></x:schema>'
    (workshop.wsdl / "beside.xsd").write_text(start + request.format("LookRequest") + response)
    ask = '[.rest.Ask]\nmethod = "GET"\npath = "/things/{id}"\nin_path = ["key"]\nquery = { at = "at" }\n'
    look = LOOK.replace('at = "at"', 'at = "at", k = "key"')
    workshop.generated(document(base + request.format("AskRequest") + RESPONSE), tables=HEAD + ask + look)
    rest = {name: each.rest for name, each in workshop.module("shop.service").PACKAGE.operations.items()}
    assert (rest["Ask"].in_path, [each.field for each in rest["Ask"].query]) == (("key",), ["at"])
    assert [(each.name, each.field) for each in rest["Look"].query] == [("at", "at"), ("k", "key")]
    given = workshop.module("shop.types").LookRequest(key="k", at=datetime.date(2026, 11, 1))
    assert workshop.wire(given, "LookRequest") == {"key": "k", "at": "2026-11-01"}


def test_rest_only_parameters_are_typed_keywords(workshop: Workshop) -> None:
    assert _made(workshop, ASK + LOOK + REST) == ""
    service, types = workshop.module("shop.service"), workshop.module("shop.types")
    hints = typing.get_type_hints(service.ShopService.ask, localns=vars(types))
    assert set(typing.get_args(hints["hue"])) >= {types.Hue, type(None)}
    assert typing.get_args(hints["deep"]) == (bool,)
    own, at = inspect.signature(service.ShopService.look).parameters.values()
    assert (own.name, at.name, at.kind) == ("self", "at", inspect.Parameter.KEYWORD_ONLY)
    request = types.AskRequest(key="k", item=types.Item(name="n", id=1), hue="red", deep=[True, False])
    written = workshop.wire(request, "AskRequest")
    assert written["hue"] == "red"
    assert written["deep"] == ["true", "false"]


def test_changes_are_written_in_the_order_of_the_schema_and_checked_by_value(workshop: Workshop) -> None:
    assert _made(workshop, ASK + LOOK + REST) == ""
    types = workshop.module("shop.types")
    errors = import_module("soapclient.runtime.errors")

    def written(changes: object) -> object:
        return workshop.wire(types.AskRequest(key="k", item=changes), "R")["item"]

    wire = written({"mood": "bad", "tag": ["a", "b"], "size": 3, "id": 7})
    assert wire == {"@id": "7", "size": "3", "tag": ["a", "b"], "mood": "bad"}
    assert isinstance(wire, dict)
    assert list(wire) == ["@id", "size", "tag", "mood"]
    ask = workshop.module("shop.service").ASK
    assert ask.changes_in(types.AskRequest(key="k", item={"size": 3})) == "item"
    for changes, path in (
        ({"size": "3"}, "R/item/size"),
        ({"colour": 1}, "R/item"),
        ({"mood": "fine"}, "R/item/mood"),
        ({"name": None}, "R/item/name"),
        ([("size", 3)], "R/item"),
    ):
        with pytest.raises(errors.EncodeError) as caught:
            written(changes)
        assert caught.value.path == path


def test_unknown_content_is_kept_if_the_settings_say_so(workshop: Workshop) -> None:
    assert _made(workshop, ASK + LOOK + REST) == ""
    reader = CountingReader()
    node = etree.fromstring(
        f'<item xmlns="{SPACE}" id="1" more="x"><name>n</name><new>1</new><odd a="2">t<in>3</in></odd>'
        "<twice>4</twice><twice>5</twice><mixed>6</mixed><mixed b='7'/><!-- no --></item>"
    )
    item = workshop.read("Item", node, reader)
    assert item.unknown == {
        "@more": "x",
        "new": "1",
        "odd": {"@a": "2", "$": "t", "in": "3"},
        "twice": ["4", "5"],
        "mixed": [{"$": "6"}, {"@b": "7"}],
    }
    assert sum(reader.findings.values()) == 7  # kept elements are reported, too
    fields = {field.name: field.type for field in msgspec.structs.fields(type(item))}
    assert typing.get_origin(fields["unknown"]) is dict


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("usual", "instead", "said"),
    [
        ('["key"]', "[]", "in_path must name one element per placeholder of the path: 1, not 0"),
        ('["key"]', '["nokey"]', "the request does not have the element 'nokey'"),
        ('spelling = "moods"', 'spelling = "tempers"', "unknown spelling 'tempers'"),
        (
            'body = "item"\n',
            "",
            "the row does not name item. Add it to the row, to soap_only if it does not exist over REST",
        ),
        ('body = "item"', 'body = "key"', "partial requires that body names an element with child elements"),
        ("[.rest.Ask]", "[.rest.Asks]", "rest.Asks is not an operation of the WSDL"),
        ('"PUT"', '"PATCH"', "rest.Ask.method must be one of GET, POST, PUT, DELETE, got 'PATCH'"),
        (
            '"/things/{id}"',
            '"things/{id}"',
            "rest.Ask.path must be a path that begins with /, without query, got 'things/{id}'",
        ),
        _with('colour = "red"', "rest.Ask.colour is unknown"),
        _with('loose = { list = "a" }', "rest.Ask.loose must be a table of the strings list and item, "),
        _with(
            'loose = { list = "a", item = "b", errors = "c" }',
            "list and item, and all or none of errors, error and endings, got {'list': 'a', ",
        ),
        ('method = "PUT"\n', "", "rest.Ask.method is missing; it must be one of GET, POST, PUT, DELETE"),
        ('body = "item"', "body = 7", "rest.Ask.body must be a string, got 7"),
        ("query = { mood", 'query = "hue"\n# { mood', "rest.Ask.query must be a table, got 'hue'"),
        (
            'hue = "hue"',
            'hue = { separator = "," }',
            "rest.Ask.query.hue must be an element's name, or a table with field and, if needed, separator, ",
        ),
        ('"VERY_GOOD"', "7", "shop.spellings must be tables of strings"),
        _with(
            'wrapped = { root = "a" }',
            "rest.Ask.wrapped must be a table of the strings root and list, got {'root': 'a'}",
        ),
        ("LookRequest", "SeeRequest", "no element {urn:example:shop}SeeRequest"),
        ('"public"', '"secret"', "auth must be signed or public, got 'secret'"),
        ("/{id}", "/{id}?deep=1", "path must be a path that begins with /, without query, got "),
        ('hue = "hue"', 'Nonce = "hue"', "query.Nonce: the signature has a parameter with this name"),
        ('["key"]', '["item"]', "item is a structure, which cannot be part of a path or a query"),
        ('hue = "hue"', 'hue = "tags"', "tags is a structure, which cannot be part of a path"),
        ('"key"]', "1]", "in_path must be a list of strings, got [1]"),
        ("partial = true", 'partial = "yes"', "partial must be true or false, got 'yes'"),
        ('spelling = "moods"', "optional = 1", "query.mood.optional must be true or false, got 1"),
        (
            'hue = "hue"',
            'hue = { field = "hue", optional = true }',
            "query.hue: hue is optional in the schema already",
        ),
    ],
)
def test_invalid_rest_row_is_refused_by_name(workshop: Workshop, usual: str, instead: str, said: str) -> None:
    tables = ASK + LOOK + REST
    assert tables.count(usual) == 1
    assert said in _made(workshop, tables.replace(usual, instead))
    assert not any(path.endswith(".py") for path in workshop.files())


def test_new_optional_element_is_sent_over_soap_only_and_noted(workshop: Workshop) -> None:
    known = REST.replace('["AskRequest/note", "AskRequest/tags"]', '["AskRequest/tags"]')
    (workshop.wsdl / "beside.xsd").write_text(BESIDE)
    workshop.add("shop", document(SCHEMA + RESPONSE), tables=HEAD + ASK + LOOK + known)
    place = "contracts.toml: contracts.shop.rest.Ask does not have a place for"
    for command in ("generate", "check"):
        done = workshop.run(command, code=0)
        assert f"note is sent over SOAP only: {place}" in done.output
        assert "shop/1/contract.wsdl:" in done.output
        assert "tags" not in done.output
    ask = workshop.module("shop.service").PACKAGE.operations["Ask"]
    assert ask.soap_only == {"note", "tags"}
    assert ask.rest.method == "PUT"


@pytest.mark.parametrize(
    ("usual", "instead", "said"),
    [
        ('"AskRequest/hue" = "hueEnum"', '"AskRequest/hue" = "huesEnum"', "unknown simple type 'huesEnum'"),
        ('"AskRequest/hue"', '"AskedRequest/hue"', "'AskedRequest/hue' does not name a request"),
        ('"AskRequest/note",', '"AskRequest/notes",', "the contract does not have this field"),
        ('["item"]', '["items"]', "the type 'items' is not used"),
    ],
)
def test_protocol_specific_parameters_must_match_the_contract(
    workshop: Workshop, usual: str, instead: str, said: str
) -> None:
    assert usual in REST
    assert said in _made(workshop, ASK + LOOK + REST.replace(usual, instead))


def test_declared_elements_need_no_line(workshop: Workshop) -> None:
    """A later contract may declare an element that was thought to be REST-only."""
    line = '"AskRequest/hue" = "hueEnum"'
    _made(workshop, ASK + LOOK + REST.replace(line, f'{line}\n"AskRequest/note" = "hueEnum"'))
    said = workshop.run("generate").output
    assert "'AskRequest/note' is in the contract already; the line has no effect" in said


ALONE = BESIDE.replace('type="t:item"', 'type="x:string"')
PLACELESS = ALONE.replace('"x:date"/>', '"x:date"/><x:element name="more" type="x:string" minOccurs="0"/>')


def _alone(workshop: Workshop, text: str | None, *, code: int) -> Result:
    """Generate a contract that has only this schema, with this exit code."""
    if text is not None:
        (workshop.wsdl / "alone.xsd").write_text(text)
    toml = workshop.wsdl / "contracts.toml"
    row = LOOK.replace("[.", "[contracts.bare.")
    toml.write_text(toml.read_text() + f'[contracts.bare]\nversion = "2"\nschema = "alone.xsd"\n{row}')
    return workshop.run("generate", code=code)


def test_schema_without_a_wsdl_is_a_contract(workshop: Workshop) -> None:
    _alone(workshop, ALONE, code=0)
    tables = workshop.module("bare.service").PACKAGE.settings
    assert (tables.binding, tables.address, tables.namespace) == ("", "", SPACE)
    assert workshop.module("bare.service").PACKAGE.operations.keys() == {"Look"}
    assert f"{workshop.package}/bare/contract.wsdl" not in workshop.files()
    fetched = workshop.run("fetch", "bare", code=2)
    assert "bare does not have a WSDL to fetch, only the schema alone.xsd" in fetched.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read 'alone.xsd': No such file or directory"),
        ("<a/>", "alone.xsd:1: not a schema: the root is not xs:schema"),
        ("<a>", "alone.xsd:1: not well-formed"),
        (BESIDE, "type 't:item' is not declared in the contract"),
        (PLACELESS, "the row does not name more. Add it to the row"),
    ],
)
def test_invalid_schema_is_refused(workshop: Workshop, text: str | None, said: str) -> None:
    assert said in _alone(workshop, text, code=2).output


def test_schema_of_another_namespace_is_refused_with_the_reason(workshop: Workshop) -> None:
    (workshop.wsdl / "beside.xsd").write_text(BESIDE.replace(SPACE, "urn:other"))
    said = "for the namespace urn:other, but the WSDL has urn:example:shop. Remove targetNamespace"
    assert said in workshop.refused(document(SCHEMA + RESPONSE), tables=HEAD + ASK + LOOK + REST)


def test_a_parameter_may_be_optional_though_the_element_is_required(workshop: Workshop) -> None:
    """The two protocols differ, so each checks for the value itself."""
    row = """[.rest.Ask]
method = "GET"
path = "/things"
query = { mood = { field = "mood", separator = "," }, key = { field = "key", optional = true } }
[.soap_only]
elements = ["AskRequest/note"]
"""
    schema = """<x:simpleType name="moodEnum"><x:restriction base="x:string">
<x:enumeration value="bad"/></x:restriction></x:simpleType>
<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="key" type="x:string"/><x:element name="mood" type="t:moodEnum" maxOccurs="3"/>
<x:element name="note" type="x:string"/>
</x:sequence></x:complexType></x:element>"""
    workshop.generated(document(schema + RESPONSE), tables=row)
    operation = workshop.module("shop.service").PACKAGE.operations["Ask"]
    assert operation.rest_optional == {"key"}
    parameters = inspect.signature(workshop.module("shop.service").ShopService.ask).parameters
    assert parameters["key"].default is None
    assert parameters["note"].default is inspect.Parameter.empty
    types = workshop.module("shop.types")
    request = types.AskRequest(mood=["bad"], note="n")
    written = workshop.wire(request, "AskRequest")
    assert written == {"mood": ["bad"], "note": "n"}
    element = etree.fromstring(f'<a xmlns="{SPACE}"><mood>bad</mood><note>n</note></a>')
    assert workshop.read("AskRequest", element, CountingReader()) == request
