"""Errors that the carrier tells apart inside; outside they are what they derive from."""

from soapclient.errors import ReplyError


class BrokenReply(ReplyError):
    """An answer that is no whole envelope of the operation: a write that it answers may have happened."""
