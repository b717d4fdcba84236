# Made by `bindgen generate`. Do not edit: it is overwritten with each package.
"""Compatibility with packages that version 0.1 generated, which import `zxws._runtime`."""

from soapclient.runtime.package import refuse_outdated

refuse_outdated("a package that imports zxws._runtime")
