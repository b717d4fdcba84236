"""Contract drift: differences between responses and their contract.

`counting` counts, redacts and reports drift findings. `log` writes them to a file, and `summary` summarizes
such files.
"""

from soapclient.drift.counting import Drift as Drift
from soapclient.drift.counting import DriftSettings as DriftSettings
from soapclient.drift.counting import OnFinding
from soapclient.drift.counting import count_invalid_response as count_invalid_response

__all__ = ["OnFinding"]
