"""Services of any WSDL: drives the packages that `bindgen init` writes. No signing, no contract of our own.

The way of a call: `connection` opens it → `engine` → `writing`: generated code fills the envelope, which is
checked against the packaged schemas → `transport.http` posts it → `reading` opens the answer, and generated
code reads it.
"""

from soapclient.services.connection import Connection, connect
from soapclient.services.settings import Security, ServiceSettings

__all__ = ["Connection", "Security", "ServiceSettings", "connect"]
