"""Values at paths of attributes, such as `paging.total`."""

from __future__ import annotations


def value_at(item: object, path: str, absent: object = None) -> object:
    """Return the value at a path of attributes, joined by dots; with an empty path, the item itself.

    Return None if a value on the path is None, and `absent` if an attribute does not exist.
    """
    for name in path.split(".") if path else ():
        if item is None:
            return None
        item = getattr(item, name, absent)
        if item is absent:
            return absent
    return item
