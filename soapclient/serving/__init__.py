"""HTTP server for the mock, the console and sandboxes. It limits requests and connections.

It also protects against other web sites: DNS rebinding and cross-site requests (CSRF). This package does not
import any other part of the project.
"""

from __future__ import annotations

try:
    import werkzeug as _werkzeug
except ImportError as _missing:
    raise ImportError(
        "sandbox, mock and console need werkzeug: install it with pip install 'soapclient[sandbox]'"
    ) from _missing

del _werkzeug
