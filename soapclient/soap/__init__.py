"""SOAP, on zeep's own send path: zeep is known in here and to the signing plugin alone, and loaded late.

The way of a call: `engine` (of one port of a package) → OperationProxy → `client`:
`operations` writes the envelope once, `calling.loop` makes the attempts, each a `calls.SoapCall` through
zeep's `SoapBinding.send`: a copy of the envelope, WS-Addressing, plugins (the signature first, validation
last), wsse → `transport.http.Poster` → the response: parts, stream or tree, verification, fault, headers.
`encoded` is SOAP's own encoding; `plain` is zeep's own service through the same plugins.
"""
