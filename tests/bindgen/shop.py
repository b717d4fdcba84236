"""A WSDL that imports a schema, and `bindgen init` for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from bindgen.cli import main

if TYPE_CHECKING:
    pass

SHOP = """<?xml version="1.0"?>
<definitions name="Shop" targetNamespace="urn:example:shop" xmlns:t="urn:example:shop"
    xmlns:k="urn:example:kinds" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:example:shop" elementFormDefault="qualified">
    <x:import namespace="urn:example:kinds" schemaLocation="{location}"/>
    <x:element name="Ask"><x:complexType><x:sequence><x:element name="kind" type="k:Kind"/></x:sequence>
    </x:complexType></x:element>
    <x:element name="AskResponse"><x:complexType><x:sequence><x:element name="answer" type="x:int"/>
    </x:sequence></x:complexType></x:element>
  </x:schema></types>
  <message name="In"><part name="p" element="t:Ask"/></message>
  <message name="Out"><part name="p" element="t:AskResponse"/></message>
  <message name="Lost"><part name="p" element="t:NotThere"/></message>
  <portType name="ShopPort">
    <operation name="Ask"><input message="t:In"/><output message="t:Out"/></operation>
    <operation name="Tell"><input message="t:In"/><output message="t:Out"/></operation>{more}
  </portType>
  <binding name="ShopBinding" type="t:ShopPort">
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Ask"><s:operation soapAction="urn:ask"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation>
    <operation name="Tell"><s:operation soapAction="urn:tell"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation>{bound}
  </binding>
  <service name="ShopService"><port name="ShopPort" binding="t:ShopBinding">
    <s:address location="https://shop.invalid/soap"/></port></service>
</definitions>
"""
KINDS = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:kinds">
  <x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="small"/></x:restriction>
  </x:simpleType></x:schema>"""
LOST = '<operation name="Lose"><input message="t:Lost"/><output message="t:Out"/></operation>'
LOST_BOUND = """<operation name="Lose"><s:operation soapAction=""/><input><s:body use="literal"/></input>
    <output><s:body use="literal"/></output></operation>"""


def shop(location: str = "kinds.xsd", more: str = "", bound: str = "") -> str:
    return SHOP.format(location=location, more=more, bound=bound)


def run(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(main, ["init", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def imported(out: Path, code: str) -> str:
    """Run code in a new process that can import the generated packages. Return its stdout."""
    path = os.pathsep.join([str(out), *(entry for entry in sys.path if entry)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
