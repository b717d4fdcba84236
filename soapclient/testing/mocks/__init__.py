"""A mock of any SOAP service, made from its package: `soapclient.testing.mock` and `soapclient mock`."""
