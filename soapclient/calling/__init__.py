"""Common code for SOAP and REST calls: the base class of engines, and the call loop (retries, deadline)."""
