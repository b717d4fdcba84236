"""A mock of any SOAP service. It responds as the service's generated package describes.

`soapclient.testing.mock` and the command `soapclient mock` start it.
"""
