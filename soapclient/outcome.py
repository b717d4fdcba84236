"""What a failed attempt means for an operation that may not be repeated: nothing, or that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soapclient.bodies import BrokenReply
from soapclient.errors import AmbiguousOutcome, ReplyError, TransportError, UnexpectedReply

# What breaks on the way, or behind it, says nothing of whether the service did what it was asked. A 503 or
# 429 does: it was turned away.
_SAYS_NOTHING = {500, 502, 504}


@contextmanager
def told(operation: str, *, safe: bool) -> Iterator[None]:
    """Around one attempt: its failure, as AmbiguousOutcome where an operation that is not `safe` may have
    been carried out all the same."""
    try:
        yield
    except (TransportError, BrokenReply) as error:
        if safe or not _may_have_happened(error):
            raise
        raise AmbiguousOutcome(operation, str(error)) from error
    except ReplyError as error:
        if not safe:
            error.add_note(f"{operation} was carried out: it was answered, only not as the contract says")
        raise


def _may_have_happened(error: TransportError | BrokenReply) -> bool:
    """Whether the service may have done what it was asked, though no answer says so."""
    if isinstance(error, UnexpectedReply):
        return error.status in _SAYS_NOTHING or 200 <= error.status < 300
    return not isinstance(error, TransportError) or error.request_sent
