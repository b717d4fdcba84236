"""The repository's contracts, changed at random places: operations, ports, and harmless edits.

The expected findings follow from the table in conftest and from the messages that use the changed type.
conftest determines these from the XML alone. `DIFF_SEED` selects other places.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from bindgen.diff.rules import RULES
from tests.bindgen_diff.mutators import Mutator, Mutators, Node, X, local, make, one

pytestmark = pytest.mark.sampled(12)

if TYPE_CHECKING:
    from tests.bindgen_diff.conftest import Chance, Judge

W = "{http://schemas.xmlsoap.org/wsdl/}"
S = "{http://schemas.xmlsoap.org/wsdl/soap/}"
S12 = "{http://schemas.xmlsoap.org/wsdl/soap12/}"


mutator = Mutators()


def local_tag(node: Node) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


# ---- operations and ports


def header(chance: Chance, node: Node, bound: Node, end: str = "input", **more: str) -> Node:
    root, wsdl = chance.wsdl.root, chance.wsdl
    wsdl.schema.append(make("element", name="zzHeader", type="xsd:string"))
    message = etree.Element(f"{W}message", name="zzHeader")
    etree.SubElement(message, f"{W}part", name="zz", element="tns:zzHeader")
    root.insert(list(root).index(wsdl.port_type), message)
    into = one(bound.find(f"{W}{end}"))
    return etree.SubElement(into, f"{S}header", message="tns:zzHeader", part="zz", use="literal", attrib=more)


def with_header(chance: Chance) -> tuple[str, Node]:
    _, node, bound = chance.operation()
    return "", header(chance, node, bound)


REQUIRED = f"{W}required"


@mutator("header-added-required", "header-added-optional")
def header_added(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    end = chance.random.choice(("input", "output"))
    made = header(chance, node, bound, end)
    word = chance.random.choice(("required", "optional"))
    if word == "required":
        made.set(REQUIRED, "true")
    return f"header-added-{word}", f"({end})"


@mutator("header-became-required", first=with_header)
def header_became_required(chance: Chance) -> tuple[str, str]:
    chance.marked().set(REQUIRED, "true")
    return "header-became-required", "(input)"


@mutator("operation-removed")
def operation_removed(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    one(node.getparent()).remove(node)
    one(bound.getparent()).remove(bound)
    return "operation-removed", ""


@mutator("operation-added")
def operation_added(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    for each in (node, bound):
        twin = copy.deepcopy(each)
        twin.set("name", "ZzAdded")
        each.addprevious(twin)
    return "operation-added", ""


@mutator("operation-style-changed")
def style(chance: Chance) -> tuple[str, str]:
    _, _, bound = chance.operation()
    for body in bound.iter(f"{S}body"):
        body.set("use", "encoded")
    return "operation-style-changed", ""


@mutator("operation-direction-changed")
def one_way(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    for each in (node, bound):
        for end in each.findall(f"{W}output") + each.findall(f"{W}fault"):
            each.remove(end)
    return "operation-direction-changed", ""


def other_element(chance: Chance, end: str) -> None:
    """Give the input or output of an operation its own message, with another element of the same type."""
    _, node, _ = chance.operation()
    into, root = one(node.find(f"{W}{end}")), chance.wsdl.root
    named = {each.get("name"): each for each in root.iterchildren(f"{W}message")}
    message = copy.deepcopy(named[local(into.get("message"))])
    message.set("name", "zzMessage")
    element = local(message[0].get("element"))
    declared = next(each for each in chance.wsdl.schema if each.get("name") == element)
    twin = copy.deepcopy(declared)
    twin.set("name", "zzElement")
    declared.addnext(twin)
    message[0].set("element", "tns:zzElement")
    into.set("message", "tns:zzMessage")
    chance.wsdl.port_type.addprevious(message)


@mutator("operation-request-changed")
def other_request(chance: Chance) -> tuple[str, str]:
    other_element(chance, "input")
    return "operation-request-changed", ""


@mutator("operation-response-changed")
def other_response(chance: Chance) -> tuple[str, str]:
    other_element(chance, "output")
    return "operation-response-changed", ""


@mutator("soap-action-changed")
def soap_action(chance: Chance) -> tuple[str, str]:
    _, _, bound = chance.operation()
    one(bound.find(f"{S}operation")).set("soapAction", "urn:zz")
    return "soap-action-changed", ""


@mutator("namespace-changed")
def namespace(chance: Chance) -> tuple[str, str]:
    before = chance.wsdl.root.get("targetNamespace", "")
    document = chance.wsdl.document().replace(before.encode(), f"urn:zz:{chance.random.random()}/".encode())
    chance.wsdl = chance.wsdl.parsed(document)
    return "namespace-changed", ""


def fault(chance: Chance, node: Node, bound: Node) -> None:
    wsdl = chance.wsdl
    wsdl.schema.append(make("element", name="zzFault", type="xsd:string"))
    message = etree.Element(f"{W}message", name="zzFault")
    etree.SubElement(message, f"{W}part", name="zz", element="tns:zzFault")
    wsdl.port_type.addprevious(message)


@mutator("fault-added")
def fault_added(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    fault(chance, node, bound)
    etree.SubElement(node, f"{W}fault", name="zzFault", message="tns:zzFault")
    inner = etree.SubElement(bound, f"{W}fault", name="zzFault")
    etree.SubElement(inner, f"{S}fault", name="zzFault", use="literal")
    return "fault-added", ""


@mutator("fault-changed")
def fault_changed(chance: Chance) -> tuple[str, str]:
    _, node, bound = chance.operation()
    there = node.find(f"{W}fault")
    if there is None:
        chance.nowhere()
    fault(chance, node, bound)
    there.set("message", "tns:zzFault")
    return "fault-changed", ""


def with_fault(chance: Chance) -> tuple[str, Node]:
    _, node, bound = chance.operation()
    fault(chance, node, bound)
    inner = etree.SubElement(bound, f"{W}fault", name="zzFault")
    etree.SubElement(inner, f"{S}fault", name="zzFault", use="literal")
    return "", etree.SubElement(node, f"{W}fault", name="zzFault", message="tns:zzFault")


@mutator("fault-renamed", first=with_fault)
def fault_renamed(chance: Chance) -> tuple[str, str]:
    for node in [each for each in chance.wsdl.root.iter() if each.get("name") == "zzFault"]:
        if local_tag(node) == "fault":
            node.set("name", "zzOther")
    return "fault-renamed", ""


@mutator("port-added")
def port_added(chance: Chance) -> tuple[str, str]:
    port = one(chance.wsdl.root.find(f"{W}service/{W}port"))
    twin = copy.deepcopy(port)
    twin.set("name", "zzPort")
    port.addnext(twin)
    return "port-added", ""


@mutator("service-renamed")
def service_renamed(chance: Chance) -> tuple[str, str]:
    one(chance.wsdl.root.find(f"{W}service")).set("name", "zzService")
    return "service-renamed", ""


@mutator("soap-version-changed")
def soap_version(chance: Chance) -> tuple[str, str]:
    nodes = [node for node in chance.wsdl.root.iter() if str(node.tag).startswith(S)]
    for node in nodes:
        node.tag = str(node.tag).replace(S, S12)
    return "soap-version-changed", ""


@mutator("address-changed")
def address(chance: Chance) -> tuple[str, str]:
    one(chance.wsdl.root.find(f"{W}service/{W}port/{S}address")).set("location", "https://zz.invalid/")
    return "address-changed", ""


POLICY = "http://www.w3.org/ns/ws-policy"
SIGNED_TIMESTAMP = f"""<p:Policy xmlns:p="{POLICY}"
  xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"><p:ExactlyOne><p:All>
  <sp:TransportBinding><p:Policy><sp:IncludeTimestamp/></p:Policy></sp:TransportBinding>
  </p:All></p:ExactlyOne></p:Policy>"""
OF_MTOM = f"""<p:Policy xmlns:p="{POLICY}">
  <m:MTOM xmlns:m="http://www.w3.org/2007/08/soap12-mtom-policy"/></p:Policy>"""


def with_policy(chance: Chance, text: str = SIGNED_TIMESTAMP) -> tuple[str, Node]:
    policy = etree.fromstring(text)
    chance.wsdl.binding.insert(0, policy)
    return "", policy


def alternative(chance: Chance) -> Node:
    return one(chance.wsdl.binding.find(f".//{{{POLICY}}}All"))


@mutator("security-policy-added")
def security_added(chance: Chance) -> tuple[str, str]:
    with_policy(chance)
    return "security-policy-added", ""


@mutator("security-policy-changed", first=with_policy)
def security_changed(chance: Chance) -> tuple[str, str]:
    timestamp = alternative(chance)[0][0][0]
    timestamp.tag = str(timestamp.tag).replace("IncludeTimestamp", "ProtectTokens")
    return "security-policy-changed", ""


@mutator("security-policy-widened", first=with_policy)
def security_widened(chance: Chance) -> tuple[str, str]:
    alternative(chance).addnext(etree.Element(f"{{{POLICY}}}All"))
    return "security-policy-widened", ""


@mutator("mtom-required")
def mtom_required(chance: Chance) -> tuple[str, str]:
    with_policy(chance, OF_MTOM)
    return "mtom-required", ""


@mutator("mtom-allowed")
def mtom_allowed(chance: Chance) -> tuple[str, str]:
    with_policy(chance, OF_MTOM)[1][0].set(f"{{{POLICY}}}Optional", "true")
    return "mtom-allowed", ""


@mutator("port-type-renamed")
def port_type_renamed(chance: Chance) -> tuple[str, str]:
    chance.wsdl.port_type.set("name", "zzPortType")
    chance.wsdl.binding.set("type", "tns:zzPortType")
    return "port-type-renamed", ""


# ---- edits that do not change the contract


def documented(chance: Chance) -> None:
    name, node = chance.complex()
    note = make("annotation")
    etree.SubElement(note, f"{X}documentation").text = "Something else."
    node.insert(0, note)
    _, operation, _ = chance.operation()
    said = operation.find(f"{W}documentation")
    if said is not None:
        said.text = f"{name} and other things."


def undocumented(chance: Chance) -> None:
    for tag in (f"{X}annotation", f"{W}documentation"):
        for node in list(chance.wsdl.root.iter(tag)):
            one(node.getparent()).remove(node)


def laid_out(chance: Chance) -> None:
    for node in chance.wsdl.root.iter("*"):
        if node.text is None or not node.text.strip():
            node.text = node.text if not len(node) else "\n \t"
        node.tail = chance.random.choice(("\n", "", "   "))


def commented(chance: Chance) -> None:
    _, sequence = chance.sequence()
    sequence.insert(0, etree.Comment(" <element name='x'/> "))
    chance.wsdl.schema.insert(0, etree.Comment("nothing"))


def shuffled(chance: Chance) -> None:
    """Shuffle a schema's components, messages and bindings. Their order has no meaning."""
    schema = chance.wsdl.schema
    components = list(schema)
    chance.random.shuffle(components)
    schema[:] = components
    messages = chance.wsdl.root.findall(f"{W}message")
    chance.random.shuffle(messages)
    for message in messages:
        chance.wsdl.port_type.addprevious(message)


def prefixed(chance: Chance) -> None:
    document = chance.wsdl.document().decode()
    for old, new in (("tns", "a"), ("xsd", "b"), ("wsdl", "c"), ("soap", "d")):
        for start in ("<", "</", '="', "xmlns:"):
            end = "=" if start == "xmlns:" else ":"
            document = document.replace(f"{start}{old}{end}", f"{start}{new}{end}")
    chance.wsdl = chance.wsdl.parsed(document)


def spelled_out(chance: Chance) -> None:
    """Write out default values."""
    for node in chance.wsdl.schema.iterfind(f".//{X}sequence/{X}element"):
        if chance.random.random() < 0.5:
            for key, value in (("minOccurs", "1"), ("maxOccurs", "1"), ("nillable", "false")):
                node.set(key, node.get(key, value))


HARMLESS = (documented, undocumented, laid_out, commented, shuffled, prefixed, spelled_out)


# ---- the test


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mutator", mutator, ids=str)
def test_mutant_has_the_level_of_the_table_in_both_directions(
    mutator: Mutator, where: tuple[str, int], judge: Judge
) -> None:
    judge.mutant(mutator, *where)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", HARMLESS, ids=lambda each: each.__name__)
def test_change_without_effect_on_the_wire_is_not_reported(
    make: Callable[[Chance], None], where: tuple[str, int], judge: Judge
) -> None:
    judge.harmless(make, *where)


def test_every_rule_has_a_mutator_and_the_table_has_every_rule(judge: Judge) -> None:
    declared = re.compile(r"^@mutator\(([^)]*)\)", re.MULTILINE)
    files = [path.read_text() for path in Path(__file__).parent.glob("test_diff_mutants_*.py")]
    decorators = [found for text in files for found in declared.findall(text)]
    names = {name for found in decorators for name in re.findall(r'"([a-z-]+)"', found)}
    told = names | {judge.back[name] for name in names}
    bare = {rule.removeprefix("request-").removeprefix("response-") for rule in RULES}
    assert told | {"not-checked"} == bare  # unreadable contracts: test_diff_unchecked
    assert set(judge.table) | set(judge.whole) | {"not-checked"} == bare
    assert len(decorators) * judge.places >= 500
