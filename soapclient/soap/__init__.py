"""The SOAP protocol, built on zeep's send path.

Only this package and the signing plugin use zeep, which is imported late.

A call takes these steps:

1. `engine` (one port of a package) calls zeep's OperationProxy, which calls `client`.
2. `operations` writes the envelope once. `calls.SoapCall` is the state of the call.
3. `calling.loop` makes the attempts, each through zeep's `SoapBinding.send`: a copy of the envelope,
   WS-Addressing, plugins (the signature first, validation last), wsse, `transport.http.Poster`.
4. The response is read: parts, stream or tree, verification, fault, headers.

`encoded` implements SOAP's own encoding. `zeep_service` is zeep's own service with the same plugins.
"""
