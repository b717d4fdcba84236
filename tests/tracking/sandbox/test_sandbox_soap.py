"""SOAP messages on the wire: plain zeep, and everything a service must refuse with a proper fault."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import requests
from lxml import etree

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from soapclient.tracking.sandbox.contracts import AUTH_FIELDS, packaged
from soapclient.tracking.sandbox.operations import registry
from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller

SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
PUBLISHER = "http://api.zanox.com/namespace/2011-03-01/"
DATA = "http://data.zanox.com/namespace/2011-05-01/"


def fault_of(response: requests.Response, namespace: str = PUBLISHER) -> tuple[int, str]:
    """Return code and reason of a fault, after checking its form."""
    assert response.status_code == 500
    root = etree.fromstring(response.content)
    version = str(etree.QName(root).namespace)
    media = "text/xml" if version == SOAP_11 else "application/soap+xml"
    assert response.headers["Content-Type"].startswith(media)
    fault = root.find(f"{{{version}}}Body/{{{version}}}Fault")
    assert fault is not None
    detail = fault.find(f".//{{{namespace}}}SOAPException")
    assert detail is not None
    assert [etree.QName(child).localname for child in detail] == ["code", "reason", "errorId"]
    code, reason, error_id = (child.text or "" for child in detail)
    assert error_id
    assert SAMPLE_SECRET_KEY not in response.text
    return int(code), reason


def refused(response: requests.Response, number: int, *words: str) -> bool:
    """Return True if it is a fault with this code, whose reason has these words.

    Raises AssertionError with the code and the reason of any other fault.
    """
    code, reason = fault_of(response)
    assert code == number, f"{code}: {reason}"
    assert all(word in reason for word in words), reason
    return True


def envelope(body: str, version: str = SOAP_11, header: str = "") -> str:
    return f'<e:Envelope xmlns:e="{version}">{header}<e:Body>{body}</e:Body></e:Envelope>'


def search(extra: str = "", connect_id: str = SAMPLE_CONNECT_ID) -> str:
    return (
        f'<r:SearchProgramsRequest xmlns:r="{PUBLISHER}">{extra}'
        f"<r:connectId>{connect_id}</r:connectId></r:SearchProgramsRequest>"
    )


# ---- the contract


@pytest.mark.parametrize("path", ["/wsdl/{0}", "/soap/{0}?wsdl", "/soap/{0}?WSDL"])
@pytest.mark.parametrize(("name", "version"), [("publisher", "2011-03-01"), ("data", "2011-05-01")])
def test_wsdl_is_served_with_the_sandbox_address_and_otherwise_unchanged(
    caller: Caller, path: str, name: str, version: str
) -> None:
    response = caller.session.get(caller.url + path.format(version), timeout=5)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/xml")
    served = response.text.replace(f"{caller.url}/soap/{version}", f"https://{name}.invalid/soap/{version}")
    texts = (served, packaged(name).read_text(encoding="utf-8"))
    first, second = (etree.tostring(etree.fromstring(text.encode()), method="c14n") for text in texts)
    assert first == second
    assert f'location="{caller.url}/soap/{version}"' in response.text


def test_wsdl_address_follows_the_host_header_and_supports_304(caller: Caller) -> None:
    url = f"{caller.url}/wsdl/2011-03-01"
    named = caller.session.get(url, headers={"Host": "localhost:81"}, timeout=5)
    assert 'location="http://localhost:81/soap/2011-03-01"' in named.text
    etag = caller.session.get(url, timeout=5).headers["ETag"]
    assert caller.session.get(url, headers={"If-None-Match": etag}, timeout=5).status_code == 304


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/wsdl/2009-07-01", 404),
        ("POST", "/soap/2009-07-01", 404),
        ("GET", "/soap/2011-03-01", 405),
        ("POST", "/wsdl/2011-03-01", 405),
        ("GET", "/", 404),
        ("GET", "/%00%0A%ED%A0%80", 404),
        ("GET", "/xml/2009-07-01/jobs", 404),
    ],
)
def test_other_addresses_get_a_plain_error(caller: Caller, method: str, path: str, status: int) -> None:
    response = caller.session.request(method, caller.url + path, timeout=5)
    assert response.status_code == status
    root = etree.fromstring(response.content)
    assert [etree.QName(child).localname for child in root][:3] == ["code", "message", "reason"]


# ---- authentication over the wire


def test_the_validity_is_a_setting_of_the_sandbox(staged: Callable[..., Stage]) -> None:
    stage = staged(validity=timedelta(minutes=5))
    fields = stage.caller.auth("GetProfile")
    stage.clock.advance(5 * 60 + 1)
    assert stage.caller.refusal("GetProfile", **fields)[0] == 403


def profile_request(**fields: str) -> str:
    inner = "".join(f"<r:{name}>{value}</r:{name}>" for name, value in fields.items())
    return envelope(f'<r:GetProfileRequest xmlns:r="{PUBLISHER}">{inner}</r:GetProfileRequest>')


def test_signature_is_valid_for_one_operation_and_service(caller: Caller) -> None:
    assert caller.refusal("GetBalances", **caller.auth("GetProfile"))[0] == 403
    assert caller.refusal("GetJobs", **caller.auth("GetProfile"))[0] == 403


def test_an_unknown_connect_id_is_refused_for_public_operations_too(caller: Caller) -> None:
    assert caller.refusal("SearchPrograms", connectId="0" * 20)[0] == 403
    assert caller.refusal("SearchPrograms", connectId="")[0] == 401


def test_exactly_one_of_two_threads_with_one_nonce_is_accepted(caller: Caller) -> None:
    message = profile_request(**caller.auth("GetProfile"))
    ready = threading.Barrier(2)

    def status(_: int) -> int:
        with requests.Session() as session:
            ready.wait(timeout=5)
            return replace(caller, session=session).post(message).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(status, range(2))) == [200, 500]


def test_header_signatures_are_verified_in_addition_to_the_body(caller: Caller) -> None:
    message = profile_request(**caller.auth("GetProfile"))
    wrong = caller.headers("POST", "/soap/2011-03-01")
    assert fault_of(caller.post(message, **wrong))[0] == 403
    # The refused request did not use up the nonce: with correct headers the same body is accepted, once.
    assert caller.post(message, **caller.headers("POST", "/")).status_code == 200
    assert fault_of(caller.post(message, **caller.headers("POST", "/")))[0] == 403


def test_body_and_headers_may_share_a_nonce(caller: Caller) -> None:
    headers = caller.headers("POST", "/")
    timestamp, nonce = f"{caller.clock.now():%Y-%m-%dT%H:%M:%S}", headers["nonce"]
    signature = caller.sign("publisherservice", "getprofile", timestamp, nonce)
    message = profile_request(
        connectId=caller.connect_id, timestamp=timestamp, nonce=nonce, signature=signature
    )
    assert caller.post(message, **headers).status_code == 200
    assert fault_of(caller.post(message, **headers))[0] == 403


def test_a_signature_in_headers_without_date_or_nonce_is_refused(caller: Caller) -> None:
    for missing in ("Date", "nonce"):
        headers = caller.headers("POST", "/")
        del headers[missing]
        assert fault_of(caller.post(envelope(search()), **headers))[0] == 403


def test_a_date_in_headers_needs_no_suffix(caller: Caller) -> None:
    """docs/explanation/service.md#signing: only timestamps of the Advertiser interface have a suffix."""
    headers = caller.in_headers(*caller.signed("POST", "/", suffix=""))
    assert caller.post(envelope(search()), **headers).status_code == 200


def test_a_signed_public_call_is_verified(caller: Caller) -> None:
    good = caller.headers("POST", "/")
    assert caller.post(envelope(search()), **good).status_code == 200
    assert fault_of(caller.post(envelope(search()), **good))[0] == 403
    bare = {"Authorization": f"ZXWS {caller.connect_id}"}
    assert caller.post(envelope(search()), **bare).status_code == 200
    other = {"Authorization": f"ZXWS {'0' * 20}"}
    assert fault_of(caller.post(envelope(search()), **other))[0] == 403


def without_auth_fields(source: Path, target: Path) -> Path:
    """Return a contract without the authentication fields of its requests."""
    root = etree.fromstring(source.read_bytes())
    xsd = "{http://www.w3.org/2001/XMLSchema}"
    for fields in root.iter(f"{xsd}sequence"):
        kind = fields.getparent()
        if kind is not None and kind.get("name", "").endswith("Request"):
            fields[:] = [each for each in fields if each.get("name") not in AUTH_FIELDS]
    target.write_bytes(etree.tostring(root))
    return target


@pytest.mark.exhaustive
def test_contract_without_authentication_fields_accepts_headers_only(
    staged: Callable[..., Stage], tmp_path: Path
) -> None:
    variant = without_auth_fields(packaged("publisher"), tmp_path / "publisher.wsdl")
    caller = staged(contracts={"publisher": variant}, public={"SearchPrograms"}).caller
    profile = envelope(f'<r:GetProfileRequest xmlns:r="{PUBLISHER}"/>')
    programs = envelope(f'<r:SearchProgramsRequest xmlns:r="{PUBLISHER}"/>')
    bare = {"Authorization": f"ZXWS {caller.connect_id}"}
    assert caller.post(profile, **caller.headers("POST", "/")).status_code == 200
    assert fault_of(caller.post(profile, **bare))[0] == 401
    assert fault_of(caller.post(profile))[0] == 401
    assert caller.post(programs, **bare).status_code == 200
    assert fault_of(caller.post(programs))[0] == 401


# ---- invalid requests


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (search("<r:partnerShip>sideways</r:partnerShip>"), ["sideways"]),
        (search("<r:hasProducts>maybe</r:hasProducts>"), ["boolean"]),
        (search("<r:page>99999999999</r:page>"), ["99999999999"]),
        (search("<r:page>one</r:page>"), ["one"]),
        (search("<r:region>DE</r:region><r:query>out of order</r:query>"), ["query"]),
        (search("<r:colour>red</r:colour>"), ["colour"]),
        (search("<r:startDate>2026-13-01T00:00:00</r:startDate>"), ["2026-13-01"]),
        (f'<r:GetProgramRequest xmlns:r="{PUBLISHER}"/>', ["programId"]),
        # allowed by the schema, but not by the service
        (search("<r:page>-1</r:page>"), ["page"]),
        (search("<r:items>0</r:items>"), ["items"]),
        (search("<r:items>51</r:items>"), ["items"]),
        (
            f'<r:CreateReportJobRequest xmlns:r="{DATA}"><r:notifyUrl/></r:CreateReportJobRequest>',
            ["notifyUrl", "removed in 2011-05-01"],
        ),
    ],
)
def test_invalid_field_is_refused_with_a_reason(caller: Caller, content: str, words: list[str]) -> None:
    namespace, version = (DATA, "2011-05-01") if DATA in content else (PUBLISHER, "2011-03-01")
    code, reason = fault_of(caller.post(envelope(content), version), namespace)
    assert 100 <= code < 200
    assert all(word in reason for word in words)


BROKEN = {
    "nothing": b"",
    "no xml": b"hello",
    "truncated": envelope(search()).encode()[:-30],
    "no envelope": b"<a/>",
    "another envelope": b'<e:Envelope xmlns:e="urn:x"><e:Body/></e:Envelope>',
    "no body": f'<e:Envelope xmlns:e="{SOAP_11}"/>'.encode(),
    "empty body": envelope("").encode(),
    "two children": envelope(search() + search()).encode(),
    "doctype": b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + envelope(search()).encode(),
    "entities": (
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
        + envelope(search("<r:query>&b;</r:query>")).encode()
    ),
    "rpc": envelope(f'<r:GetProfile xmlns:r="{PUBLISHER}"><connectId>x</connectId></r:GetProfile>').encode(),
    "unknown operation": envelope(f'<r:MakeMoneyRequest xmlns:r="{PUBLISHER}"/>').encode(),
    "no namespace": envelope("<SearchProgramsRequest/>").encode(),
    "operation of the other contract": envelope(f'<r:GetJobsRequest xmlns:r="{DATA}"/>').encode(),
    "must understand": envelope(
        search(), header='<e:Header><x:Y xmlns:x="urn:x" e:mustUnderstand="1"/></e:Header>'
    ).encode(),
    "not utf-8": envelope(search("<r:query>\u00e9</r:query>")).encode("latin-1"),
}  # fmt: skip


SAID = {
    "rpc": f"{{{PUBLISHER}}}GetProfileRequest",
    "no namespace": f"has the wrong namespace; expected {{{PUBLISHER}}}SearchProgramsRequest",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", BROKEN)
def test_invalid_request_gets_a_clean_fault(caller: Caller, kind: str) -> None:
    code, reason = fault_of(caller.post(BROKEN[kind]))
    assert 100 <= code < 200
    assert reason
    assert SAID.get(kind, "") in reason
    assert "Traceback" not in reason
    assert "root:" not in reason


def test_doctype_is_refused_in_any_encoding(caller: Caller) -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        data = ("<!DOCTYPE e:Envelope>" + envelope(search())).encode(encoding)
        media = {"Content-Type": f"text/xml; charset={encoding}"}
        assert "DOCTYPE" in fault_of(caller.post(data, **media))[1]
        assert caller.post(envelope(search()).encode(encoding), **media).status_code == 200


def test_utf_16_body_is_accepted(caller: Caller) -> None:
    message = '<?xml version="1.0" encoding="utf-16"?>' + envelope(search())
    headers = {"Content-Type": "text/xml"}
    assert caller.post(message.encode("utf-16"), **headers).status_code == 200
    unknown = {"Content-Type": "text/xml; charset=klingon"}
    assert 100 <= fault_of(caller.post(envelope(search()), **unknown))[0] < 200


@pytest.mark.parametrize("media", ["application/json", "text/plain", "multipart/related", ""])
def test_other_content_types_are_refused(caller: Caller, media: str) -> None:
    assert refused(caller.post(envelope(search()), **{"Content-Type": media}), 101, "text/xml")


def test_soap_action_must_match_the_body_or_be_empty(caller: Caller) -> None:
    for action in (f'"{PUBLISHER}SearchPrograms"', f"{PUBLISHER}SearchPrograms", '""', ""):
        assert caller.post(envelope(search()), SOAPAction=action).status_code == 200
    code, reason = fault_of(caller.post(envelope(search()), SOAPAction=f'"{PUBLISHER}GetProfile"'))
    assert 100 <= code < 200
    assert "SearchPrograms" in reason


def test_fault_has_the_soap_version_of_the_request(caller: Caller) -> None:
    media = {"Content-Type": "application/soap+xml; charset=utf-8"}
    good = caller.post(envelope(search(), SOAP_12), **media)
    assert good.status_code == 200
    assert etree.QName(etree.fromstring(good.content)).namespace == SOAP_12
    bad = caller.post(envelope(search("<r:page>x</r:page>"), SOAP_12), **media)
    fault_of(bad)
    root = etree.fromstring(bad.content)
    assert etree.QName(root).namespace == SOAP_12
    assert root.findtext(f".//{{{SOAP_12}}}Value") == "soap:Sender"
    fault_of(caller.post(b"<", **media))


def test_unimplemented_operation_is_a_clear_fault(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry._HANDLERS, ("publisher", "GetProgramCategories"))
    message = envelope(
        f'<r:GetProgramCategoriesRequest xmlns:r="{PUBLISHER}">'
        f"<r:connectId>{caller.connect_id}</r:connectId></r:GetProgramCategoriesRequest>"
    )
    assert refused(caller.post(message), 501, "GetProgramCategories")


def test_invalid_own_response_is_an_internal_error(
    fresh: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(registry._HANDLERS, ("publisher", "SearchPrograms"), lambda _: {"page": 0})
    assert refused(fresh.post(envelope(search())), 502, "breaks the contract")
    assert "breaks the contract" in caplog.text

    def broken(_: object) -> dict[str, str]:
        raise RuntimeError("oops")

    monkeypatch.setitem(registry._HANDLERS, ("publisher", "SearchPrograms"), broken)
    code, reason = fault_of(fresh.post(envelope(search())))
    assert code == 500
    assert "oops" not in reason
    assert "oops" in caplog.text
