"""What `soapclient demo` shows: the client as anybody would use it, one chapter after the other."""
