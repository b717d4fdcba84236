"""Programs that run an export as users do. `settle_soon` adapts them to a campaign.

One program is the command line. The other is a script that also converts the file to Parquet and plain CSV.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from pathlib import Path
from typing import Final

from soapclient.tracking.exports import export

_SETTLE: Final = 5.0  # seconds; 60 by default


def settle_soon() -> None:
    """Shorten the time to settle an unanswered order: the proxy forwards immediately or never."""
    assert hasattr(export, "SETTLE")
    vars(export)["SETTLE"] = _SETTLE


def script() -> int:
    """Run an export and convert it, in Python. Return the exit code."""
    from soapclient import Client
    from soapclient.errors import SoapClientError

    parser = argparse.ArgumentParser()
    parser.add_argument("report_type")
    parser.add_argument("--from", dest="first", type=dt.date.fromisoformat)
    parser.add_argument("--to", dest="last", type=dt.date.fromisoformat)
    parser.add_argument("--columns")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--deadline", type=lambda text: float(text.removesuffix("s")))
    given = parser.parse_args()
    output: Path = given.output
    try:
        with Client() as client:
            export = client.data.export(
                report_type=given.report_type,
                from_date=given.first,
                to_date=given.last,
                columns=given.columns,
                output=output,
            )
            export.wait(given.deadline)
            file = export.download(output, given.deadline, acknowledge=False)
            file.to_parquet(parquet_of(output))
            file.to_csv(plain_of(output))
            print(json.dumps({"path": str(file.path), "rows": file.row_count}), flush=True)
            export.acknowledge(output)
    except (SoapClientError, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def parquet_of(output: Path) -> Path:
    """Path of the script's Parquet file."""
    return output.with_name(output.name.removesuffix(".csv.gz") + ".parquet")


def plain_of(output: Path) -> Path:
    """Path of the script's plain CSV file."""
    return output.with_name(output.name.removesuffix(".gz"))
