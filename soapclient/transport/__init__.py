"""The HTTP transport, which SOAP and REST share. It sends requests and reads the bodies of responses.

It opens the connections (TLS, proxies), and applies deadlines and size limits.
"""
