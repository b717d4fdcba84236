# Made by `bindgen generate`. Do not edit: it is written anew with each package.
"""For packages that version 0.1 wrote: what they import as `zxws._runtime` is elsewhere now."""

from soapclient.runtime.package import refuse_outdated

refuse_outdated("a package that imports zxws._runtime")
