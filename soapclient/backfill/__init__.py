"""Backfills: many exports into one dataset, partition by partition, each asked for once.

    from soapclient.backfill import Plan, dataset_files
    from soapclient.exports import backfill
    summary = backfill(Plan.load("plan.toml"))
    files = dataset_files("/data/exports")

Stands above the client: it orders through it in one process and downloads through it in many.
"""

from __future__ import annotations

from soapclient.backfill.dataset import dataset_files
from soapclient.backfill.loop import Failed, Progress, Summary
from soapclient.backfill.plan import Account, Format, Plan, Report
from soapclient.backfill.run import backfill
from soapclient.backfill.status import Problem, Verification, verify

__all__ = [
    "Account",
    "Failed",
    "Format",
    "Plan",
    "Problem",
    "Progress",
    "Report",
    "Summary",
    "Verification",
    "backfill",
    "dataset_files",
    "verify",
]
