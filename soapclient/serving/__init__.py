"""HTTP server for the mock, the console and sandboxes, with limits and a guard against other sites.

Does not import any other part of the project.
"""

from __future__ import annotations

try:
    import werkzeug as _werkzeug
except ImportError as _missing:
    raise ImportError(
        "sandbox, mock and console need werkzeug: install it with pip install 'soapclient[sandbox]'"
    ) from _missing

del _werkzeug
