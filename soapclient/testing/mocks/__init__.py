"""A mock of any SOAP service, based on its package: `soapclient.testing.mock` and `soapclient mock`."""
