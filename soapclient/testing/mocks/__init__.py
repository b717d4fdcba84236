"""A mock of any SOAP service: it responds as the generated package of the service describes.

`soapclient.testing.mock` and the command `soapclient mock` start it.
"""
