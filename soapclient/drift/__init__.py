"""Contract drift: how responses differ from their contract.

`counting` counts findings, redacts and reports them · `log` keeps them in a file · `summary` sums such files
up.
"""

from soapclient.drift.counting import Drift, OnFinding
from soapclient.drift.counting import DriftSettings as DriftSettings
from soapclient.drift.counting import count_invalid_response as count_invalid_response

__all__ = ["Drift", "OnFinding"]
