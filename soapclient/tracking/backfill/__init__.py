"""Backfills: many exports into one dataset, partition by partition, each asked for once.

    from soapclient.tracking.backfill import Plan, dataset_files
    from soapclient.tracking.exports import backfill
    summary = backfill(Plan.load("plan.toml"))
    files = dataset_files("/data/exports")

Stands above the client: it orders through it in one process and downloads through it in many.
"""

from __future__ import annotations

from soapclient.tracking.backfill.dataset import (
    BackfillProblem,
    ProblemKind,
    Verification,
    dataset_files,
    verify,
)
from soapclient.tracking.backfill.plan import BackfillAccount, BackfillFormat, BackfillReport, Plan
from soapclient.tracking.backfill.run import FailedPartition, OnProgress, Progress, Summary, backfill

__all__ = [
    "BackfillAccount",
    "BackfillFormat",
    "BackfillProblem",
    "BackfillReport",
    "FailedPartition",
    "OnProgress",
    "Plan",
    "ProblemKind",
    "Progress",
    "Summary",
    "Verification",
    "backfill",
    "dataset_files",
    "verify",
]
