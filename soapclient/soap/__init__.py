"""The SOAP protocol. It uses zeep to create and send messages.

Only this package and the signing plugin use zeep. zeep is imported when first needed.

A call takes these steps:

1. `engine` (one port of a package) calls zeep's OperationProxy, which calls `client`.
2. `operations` writes the envelope once. `calls.SoapCall` is the state of the call.
3. `calling.loop` makes the attempts. Each attempt calls zeep's `SoapBinding.send`, which copies the envelope,
   adds WS-Addressing, applies plugins (the signature first, validation last) and wsse, and posts the envelope
   with `transport.http.HttpClient`.
4. `SoapCall.read` reads the response: attachments (`attachments`), the envelope as a stream (`streams`) or as
   a tree (`envelope`), WS-Security, faults (`faults`), and SOAP headers.

With `mtom`, large binary values are sent as parts of a multipart message, which `multipart` writes. `encoded`
and `encoded_types` implement SOAP encoding. `zeep_service` calls operations with zeep alone and returns
zeep's objects, but with the same plugins and limits.
"""
