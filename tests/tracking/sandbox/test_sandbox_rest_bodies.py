"""Request bodies in XML and JSON: whole items, a part of a profile, and an order."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from tests.tracking.sandbox.caller import Caller, RestResponse

XML, JSON = "/xml/2011-03-01", "/json/2011-03-01"
DATA = {"xml": "/xml/2011-05-01", "json": "/json/2011-05-01"}
PUBLISHER_NS = "http://api.zanox.com/namespace/2011-03-01/"
DATA_NS = "http://data.zanox.com/namespace/2011-05-01/"
SPACE = (
    "<name>N</name><url>https://n.example.org/</url><description>d</description>"
    "<adspaceType>website</adspaceType><visitors>5</visitors><impressions>7</impressions>"
)
SPACE_END = "<language>de</language><checkNumber>11</checkNumber>"
WHOLE: dict[str, object] = {
    "name": "N", "url": "https://n.example.org/", "description": "d", "adspaceType": "website",
    "visitors": 5, "impressions": 7, "language": "de", "checkNumber": 11,
}  # fmt: skip


def xml(
    fresh: Caller, verb: str, target: str, body: str | bytes, media: str | None = "application/xml"
) -> RestResponse:
    return fresh.ask(verb, XML, target, body, media)


def space(content: str, attributes: str = "") -> str:
    return f'<adspaceItem xmlns="{PUBLISHER_NS}"{attributes}>{content}</adspaceItem>'


def how_many(fresh: Caller) -> int:
    """Return the number of the account's ad spaces. It starts with 23."""
    return int(fresh.ask("GET", XML, "/adspaces").xml().findtext("{*}total") or "")


def own_profile(fresh: Caller) -> dict[str, object]:
    found: dict[str, object] = fresh.ask("GET", JSON, "/profiles").json()["profileItem"]
    return found


def profile(number: object, content: str) -> str:
    return f'<profileItem xmlns="{PUBLISHER_NS}" id="{number}">{content}</profileItem>'


# ---- whole items


@pytest.mark.parametrize("media", ["application/xml", "text/xml", "application/xml; charset=utf-8"])
def test_ad_space_is_accepted_in_xml(fresh: Caller, media: str) -> None:
    regions = "<regions><region>DE</region><region>AT</region></regions>"
    content = SPACE.replace("<name>N<", "<name>Größe &amp; 1<") + regions + SPACE_END
    body = '<?xml version="1.0" encoding="UTF-8"?><!-- by hand -->' + space(content)
    response = xml(fresh, "POST", "/adspaces/adspace", body, media)
    assert response.status == 200, response.body
    assert etree.QName(response.xml()).localname == "CreateAdspaceResponse"
    assert response.xml().findtext(".//{*}name") == "Größe & 1"
    assert [one.text for one in response.xml().iter("{*}region")] == ["DE", "AT"]


@pytest.mark.parametrize(
    "shape",
    [
        {"regions": {"region": ["DE"]}},
        {"regions": {"region": "DE"}},
        {"regions": [{"region": "DE"}]},
        {"regions": [{"region": ["DE"]}]},
    ],
)
def test_ad_space_is_accepted_in_every_json_shape(fresh: Caller, shape: dict[str, object]) -> None:
    for body in ({**shape, **WHOLE}, {"adspaceItem": {**WHOLE, **shape}}):
        response = fresh.ask("POST", JSON, "/adspaces/adspace", json.dumps(body), "application/json")
        assert response.status == 200, response.body
        item = response.json()["adspaceItem"]
        assert item["regions"] == [{"region": "DE"}]
        assert (item["visitors"], item["name"]) == ("5", "N")


def test_response_can_be_sent_back(fresh: Caller) -> None:
    found = fresh.ask("GET", JSON, "/adspaces?items=1").body
    item = json.loads(found)["adspaceItems"]["adspaceItem"][0]
    for name in (item["name"], 4711, True):  # responses sent such names as numbers or booleans
        sent = json.dumps({**item, "name": name})
        response = fresh.ask("PUT", JSON, "/adspaces/adspace", sent, "application/json")
        assert json.loads(response.body) == {"adspaceItem": {**item, "name": name}}
    stored = xml(fresh, "GET", f"/adspaces/adspace/{item['@id']}", b"", None).xml()
    assert stored.findtext(".//{*}name") == "true"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("body", "word"),
    [
        (space(SPACE), "language"),  # incomplete
        (space(SPACE + "<colour>red</colour>" + SPACE_END), "colour"),
        (space(SPACE.replace(">5<", ">many<") + SPACE_END), "visitors"),
        (space(SPACE + SPACE_END).replace(PUBLISHER_NS, DATA_NS), "adspaceItem"),
        (space(SPACE + SPACE_END, ' colour="red"'), "colour"),
        (space(SPACE + SPACE_END + "<connectId>x</connectId>"), "connectId"),
    ],
)
def test_item_that_violates_the_schema_is_refused(fresh: Caller, body: str, word: str) -> None:
    assert xml(fresh, "POST", "/adspaces/adspace", body).refused(400, 103, word)
    assert how_many(fresh) == 23  # nothing was created


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"language": None}, "language"),
        ({"colour": "red"}, "colour"),
        ({"visitors": 5.5}, "visitors"),
        ({"visitors": True}, "visitors"),
        ({"visitors": [5, 6]}, "visitors"),
        ({"name": {"first": "N"}}, "name"),
        ({"name": {"@id": "1", "$": "N"}}, "@id"),
        ({"visitors": 2**31}, "visitors"),
        ({"adspaceType": "paper"}, "adspaceType"),
        ({"regions": [{"region": "DE"}, {"region": "AT"}]}, "regions"),
        ({"regions": {"regoin": "DE"}}, "regoin"),
        ({"regions": "DE"}, "regions"),
        ({"@id": {}}, "id"),
        ({"@colour": "red"}, "colour"),
    ],
)
def test_json_is_validated_by_the_same_schema(fresh: Caller, change: dict[str, object], word: str) -> None:
    body = {name: value for name, value in {**WHOLE, **change}.items() if value is not None}
    response = fresh.ask("POST", JSON, "/adspaces/adspace", json.dumps(body), "application/json")
    assert response.refused(400, 103, word)
    assert how_many(fresh) == 23  # nothing was created


# ---- documents


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<",
        b"<a></b>",
        f"<!DOCTYPE adspaceItem []>{space(SPACE + SPACE_END)}".encode(),
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>'.encode("utf-16"),
        space(SPACE.replace("N", "ü") + SPACE_END).encode("latin-1"),
    ],
)
def test_broken_xml_and_any_doctype_are_refused(fresh: Caller, body: bytes) -> None:
    assert xml(fresh, "POST", "/adspaces/adspace", body).error()[:2] == (400, "100")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", 100),
        (b"{", 100),
        (b"{}{}", 100),
        (b"{'name': 1}", 100),
        (b'{"name": "a\nb"}', 100),
        (b'{"visitors": NaN}', 100),
        (b'{"visitors": Infinity}', 100),
        (b'{"name": "a", "name": "b"}', 100),
        (b'{"name": "\xff"}', 100),
        (b'{"name": "\\u0000"}', 100),
        (b'{"name": "\\ud800"}', 100),
        (b"[" * 100_000, 100),
        (b'{"regions":' * 50_000, 100),
        (b"[]", 103),
        (b"7", 103),
        (b"null", 103),
        (b'"adspaceItem"', 103),
        (b'{"adspaceItem": null}', 103),
    ],
)
def test_broken_json_is_refused(fresh: Caller, body: bytes, code: int) -> None:
    response = fresh.ask("POST", JSON, "/adspaces/adspace", body, "application/json")
    assert response.error()[:2] == (400, str(code))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("base", "media"),
    [
        (XML, "application/json"), (XML, "text/plain"), (XML, None), (XML, "application/soap+xml"),
        (JSON, "application/xml"), (JSON, "text/json"), (JSON, None),
        (JSON, "application/x-www-form-urlencoded"),
    ],
)  # fmt: skip
def test_content_type_must_match_the_address(fresh: Caller, base: str, media: str | None) -> None:
    response = fresh.ask("PUT", base, "/profiles", "{}", media)
    assert response.refused(415, 101, "application/json" if base == JSON else "application/xml")


# ---- a part of a profile


def test_only_the_sent_children_change(fresh: Caller) -> None:
    before = own_profile(fresh)
    body = profile(before["@id"], "<lastName>Ärmel</lastName><phone>+49 555 0199</phone>")
    response = xml(fresh, "PUT", "/profiles", body)
    assert response.status == 200, response.body
    after = {**before, "lastName": "Ärmel", "phone": "+49 555 0199"}
    assert own_profile(fresh) == after
    # In JSON the order does not matter.
    sent = json.dumps({"street2": "Hof", "@id": before["@id"], "firstName": "Eva"})
    assert fresh.ask("PUT", JSON, "/profiles", sent, "application/json").status == 200
    assert own_profile(fresh) == {**after, "street2": "Hof", "firstName": "Eva"}
    # A string stays a string, although JSON responses convert it to a number.
    sent = json.dumps({"@id": before["@id"], "zipcode": "00100"})
    fresh.ask("PUT", JSON, "/profiles", sent, "application/json")
    assert fresh.ask("GET", XML, "/profiles").xml().findtext(".//{*}zipcode") == "00100"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        ("<phone>1</phone><lastName>A</lastName>", 103, "not after phone"),  # not in the schema's order
        ("<lastName>A</lastName><lastName>B</lastName>", 103, "lastName"),
        ("<colour>red</colour>", 103, "colour"),
        ("<adrank>high</adrank>", 103, "adrank"),
        ("<isSublogin>perhaps</isSublogin>", 103, "isSublogin"),
        ("<lastName><b>A</b></lastName>", 103, "lastName"),
        ("<email>new@example.org</email>", 111, "email"),
    ],
)
def test_invalid_partial_update_is_refused_without_changes(
    fresh: Caller, content: str, code: int, word: str
) -> None:
    before = own_profile(fresh)
    response = xml(fresh, "PUT", "/profiles", profile(before["@id"], content))
    assert response.refused(400, code, word)
    assert own_profile(fresh) == before


def test_profile_update_needs_its_id(fresh: Caller) -> None:
    for number, code in (("1", "108"), ("x", "103")):
        response = xml(fresh, "PUT", "/profiles", profile(number, "<lastName>A</lastName>"))
        assert response.error()[:2] == (400, code)
    nobody = f'<profileItem xmlns="{PUBLISHER_NS}"><lastName>A</lastName></profileItem>'
    assert xml(fresh, "PUT", "/profiles", nobody).error()[:2] == (400, "108")


# ---- an order of an export


def order(content: str) -> str:
    return f'<CreateReportJobRequest xmlns="{DATA_NS}">{content}</CreateReportJobRequest>'


DAYS = "<fromDate>2026-11-01</fromDate><toDate>2026-11-02</toDate>"


def test_order_equals_the_soap_order_without_its_type(fresh: Caller) -> None:
    target = "/jobs/reports/type/sale"
    made = fresh.ask("POST", DATA["xml"], target, order(DAYS), "application/xml")
    assert made.status == 200, made.body
    assert made.xml().findtext("{*}jobItem/{*}reportType") == "sale"
    for body in (
        {"toDate": "2026-11-02", "fromDate": "2026-11-01", "programId": 1801, "reviewState": "open"},
        {"CreateReportJobRequest": {"fromDate": "2026-11-01", "toDate": "2026-11-02"}},
    ):
        response = fresh.ask("POST", DATA["json"], target, json.dumps(body), "application/json")
        assert response.status == 200, response.body
        assert response.json()["jobItem"]["reportType"] == "sale"
    assert len(fresh.ask("GET", DATA["xml"], "/jobs").xml().findall(".//{*}jobItem")) == 3


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("kind", "content", "code", "word"),
    [
        ("sale", "", 103, "fromDate"),
        ("sale", f"<reportType>sale</reportType>{DAYS}", 103, "reportType"),
        ("sale", f"{DAYS}<connectId>x</connectId>", 103, "connectId"),
        ("sale", f"{DAYS}<notifyUrl>https://n.example.org/</notifyUrl>", 106, "notifyUrl"),
        ("aggregated", DAYS, 106, "removed"),
        ("view", DAYS, 106, "removed"),
        ("nothing", DAYS, 107, "nothing"),
        ("sale", DAYS.replace("-01<", "-03<"), 105, "fromDate"),
    ],
)
def test_invalid_order_is_refused(fresh: Caller, kind: str, content: str, code: int, word: str) -> None:
    response = fresh.ask("POST", DATA["xml"], f"/jobs/reports/type/{kind}", order(content), "application/xml")
    assert response.refused(400, code, word)


@pytest.mark.exhaustive
def test_removed_field_is_explained_in_json(fresh: Caller) -> None:
    body = {"fromDate": "2026-11-01", "toDate": "2026-11-02", "notifyUrl": "https://n.example.org/"}
    target = "/jobs/reports/type/click"
    response = fresh.ask("POST", DATA["json"], target, json.dumps(body), "application/json")
    assert response.refused(400, 106, "notifyUrl")
