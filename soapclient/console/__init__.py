"""The console: a web page to call a SOAP service and inspect the exchanges. Needs the extra `console`."""
