"""Backfills: many exports into one dataset. Each export is ordered once and becomes one partition.

    from soapclient.tracking.backfill import Plan, dataset_files
    from soapclient.tracking.exports import backfill
    summary = backfill(Plan.load("plan.toml"))
    files = dataset_files("/data/exports")

One process orders the exports. Many processes, each with its own client, may download them.
"""

from __future__ import annotations

from soapclient.tracking.backfill.dataset import (
    BackfillProblem,
    ProblemKind,
    Verification,
    dataset_files,
    verify,
)
from soapclient.tracking.backfill.plan import BackfillAccount, BackfillFormat, BackfillReport, Option, Plan
from soapclient.tracking.backfill.run import FailedPartition, OnProgress, Progress, Summary, backfill

__all__ = [
    "BackfillAccount",
    "BackfillFormat",
    "BackfillProblem",
    "BackfillReport",
    "FailedPartition",
    "OnProgress",
    "Option",
    "Plan",
    "ProblemKind",
    "Progress",
    "Summary",
    "Verification",
    "backfill",
    "dataset_files",
    "verify",
]
