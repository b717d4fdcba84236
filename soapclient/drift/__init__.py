"""What replies hold beyond their contract.

`counting` counts it and tells whoever asked · `names` what of it may be shown · `log`, `lines` a file of it ·
`summary` adds such files up.
"""

from soapclient.drift.counting import Drift, DriftSettings, OnFinding, count_misfit

__all__ = ["Drift", "DriftSettings", "OnFinding", "count_misfit"]
