"""Helps for tests of code that uses the client."""

from soapclient.testing.recording import NotRecorded, Recording, record, replay

__all__ = ["NotRecorded", "Recording", "record", "replay"]
