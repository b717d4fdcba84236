"""The SOAP carrier. zeep is known in this package alone: it creates the envelope and has it posted; replies
are read by generated code.

The way of a call: `engine` → `attempt`: zeep creates the envelope → `plugin` signs it → `transport` validates
the very tree it sends, and posts it → `soapclient.soap.envelope` opens the answer → `answers`: the generated
decoder.
"""
