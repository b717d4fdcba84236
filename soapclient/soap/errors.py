"""Errors that the carrier tells apart inside; outside they are what they derive from."""

from soapclient.errors import ReplyError


class BrokenReply(ReplyError):
    """An answer that is no whole XML document: a write that it answers may have happened."""
