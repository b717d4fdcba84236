"""Contract drift: how responses differ from their contract.

`counting` counts findings and reports them · `names` redacts them · `log` and `lines` keep them in a file ·
`summary` sums such files up.
"""

from soapclient.drift.counting import Drift, DriftSettings, OnFinding, count_misfit

__all__ = ["Drift", "DriftSettings", "OnFinding", "count_misfit"]
