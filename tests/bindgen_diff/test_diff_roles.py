"""Elements with a role in contracts.toml: the effect of a change on callers of the client's methods."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bindgen.diff.rules import ROLES
from tests.bindgen.shop import invoke
from tests.bindgen_diff.conftest import wsdl
from tests.support.cases import case_text

Remedies = Callable[..., dict[str, tuple[str, str, str]]]
NAMES = ("account", "time", "nonce", "proof")
SETTINGS = case_text(__file__, "roles.toml")


def element(name: str, kind: str = "x:string", more: str = "") -> str:
    return f'<x:element name="{name}" type="{kind}" {more}/>'


REQUEST = "".join(
    (
        element("page", "x:int"),
        element("fromDate", "x:date"),
        element("toDate", "x:date"),
        element("kind"),
        element("dateType", "x:token"),
        element("columns", more='minOccurs="0"'),
        *map(element, NAMES),
    )
)
RESPONSE = element("total", "x:int")


@pytest.fixture
def remedies(tmp_path: Path) -> Remedies:
    """Compare with a changed WSDL. Return path → level, cause and remedy."""

    def compared(new: str, old: str = "") -> dict[str, tuple[str, str, str]]:
        (tmp_path / "contracts.toml").write_text(SETTINGS)
        (tmp_path / "old.wsdl").write_text(old or wsdl(request=REQUEST, response=RESPONSE))
        (tmp_path / "new.wsdl").write_text(new)
        done = invoke("--wsdl", tmp_path, "diff", tmp_path / "old.wsdl", tmp_path / "new.wsdl", "--json")
        (report,) = json.loads(done.output)["reports"]
        assert not report["error"]
        return {
            path: (each["level"], each["message"], each["remedy"])
            for each in report["causes"]
            for path in each["paths"]
        }

    return compared


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("old", "new", "role"),
    [
        ("fromDate", "startDate", "order.renamed"),
        ("kind", "type", "order.renamed"),
        ("dateType", "datetype", "order.renamed"),
        ("page", "pageNumber", "paging.renamed"),
        ("account", "connectionId", "signing.renamed"),
        ("proof", "signature", "signing.renamed"),
    ],
)
def test_renamed_role_needs_a_line_of_the_settings(remedies: Remedies, old: str, new: str, role: str) -> None:
    found = remedies(wsdl(request=REQUEST.replace(f'name="{old}"', f'name="{new}"'), response=RESPONSE))
    assert set(found) == {f"AskRequest/{old}", f"AskRequest/{new}"}
    assert {level for level, _, _ in found.values()} == {"breaking"}
    assert {remedy for _, _, remedy in found.values()} == {ROLES[role][1]}
    assert "--propose" in ROLES[role][1]


def test_renamed_response_element_has_its_role(remedies: Remedies) -> None:
    found = remedies(wsdl(request=REQUEST, response=element("hits", "x:int")))
    remedy_of = {path: remedy for path, (_, _, remedy) in found.items()}
    assert remedy_of == dict.fromkeys(("AskResponse/total", "AskResponse/hits"), ROLES["paging.renamed"][1])


@pytest.mark.parametrize(
    ("change", "path", "role"),
    [
        ((element("columns", more='minOccurs="0"'), ""), "columns", "order.gone"),
        (
            (element("columns", more='minOccurs="0"'), element("columns", more='maxOccurs="9"')),
            "columns",
            "order",
        ),
        ((element("page", "x:int"), ""), "page", "paging.gone"),
        ((element("page", "x:int"), element("page", "x:long")), "page", "paging"),
    ],
)
def test_remedy_tells_callers_about_kept_and_removed_elements(
    remedies: Remedies, change: tuple[str, str], path: str, role: str
) -> None:
    found = remedies(wsdl(request=REQUEST.replace(*change), response=RESPONSE))
    assert set(found) == {f"AskRequest/{path}"}
    assert {remedy for _, _, remedy in found.values()} == {ROLES[role][1]}


def test_authentication_moved_into_a_header_needs_no_code_change(remedies: Remedies) -> None:
    request = REQUEST
    for name in NAMES:
        request = request.replace(element(name), "")
    inside = "".join(map(element, NAMES))
    kind = f"<x:complexType><x:sequence>{inside}</x:sequence></x:complexType>"
    new = wsdl(request=request, response=RESPONSE, schema=f'<x:element name="Head">{kind}</x:element>')
    message = '<message name="H"><part name="h" element="t:Head"/></message>'
    body = '<input><s:body use="literal"/>'
    new = new.replace("<portType", f"{message}<portType", 1)
    new = new.replace(body, f'{body}<s:header message="t:H" part="h" use="literal"/>')
    found = remedies(new)
    assert set(found) == {f"AskRequest/{name}" for name in NAMES} | {"Ask/Head"}
    assert {remedy for _, _, remedy in found.values()} == {
        "Regenerate; code does not need to change, because the client fills in authentication."
    }
    messages = {said for path, (_, said, _) in found.items() if path != "Ask/Head"}
    assert messages == {
        "Authentication moved into a soap:header: in a request, a required element was removed."
    }


def test_element_without_a_role_has_the_remedy_of_its_rule(remedies: Remedies) -> None:
    found = remedies(wsdl(request=REQUEST, response=RESPONSE + element("more")))
    assert found["AskResponse/more"][2] == "Nothing; regenerate when convenient."


def test_authentication_changes_need_no_change_of_callers(remedies: Remedies) -> None:
    whole = wsdl(request=REQUEST, response=RESPONSE)
    bare = wsdl(request=REQUEST.replace("".join(map(element, NAMES)), ""), response=RESPONSE)
    for found in (remedies(bare), remedies(whole, old=bare)):
        assert list(found) == [f"AskRequest/{name}" for name in NAMES]
        ((level, _, remedy),) = set(found.values())
        assert level == "breaking"
        assert remedy == (
            "Regenerate; code does not need to change, because the client fills in authentication. "
            "`bindgen generate` stops if the elements differ from [signing] in contracts.toml."
        )


def test_elements_named_like_authentication_are_ordinary_elsewhere(remedies: Remedies) -> None:
    old = wsdl(request=element("a") + element("time"), response="".join(map(element, NAMES)))
    found = remedies(wsdl(request=element("a"), response=""), old=old)
    assert len(found) == 5
    assert "remove it from calls" in found["AskRequest/time"][2]
    assert "stop reading it" in found["AskResponse/proof"][2]
