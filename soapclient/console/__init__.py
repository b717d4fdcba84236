"""A page to see, try and break a SOAP service: `soapclient console`. It needs the extra `console`."""
