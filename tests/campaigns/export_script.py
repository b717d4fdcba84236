"""Programs that bring an export, as users have them; `settled` makes them ones of a campaign.

The command line is one. The other is a script that goes on with the file: to Parquet, and to plain CSV.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from pathlib import Path
from typing import Final

from soapclient.tracking.exports import export

_SETTLE: Final = 5.0  # seconds; 60 in life


def settle_soon() -> None:
    """Settle an order that was not answered in seconds: a campaign's proxy passes on at once or never."""
    assert hasattr(export, "SETTLE")
    vars(export)["SETTLE"] = _SETTLE


def script() -> int:
    """Bring an export and convert it, in Python; return the exit code."""
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
    """Where the script writes an export as Parquet."""
    return output.with_name(output.name.removesuffix(".csv.gz") + ".parquet")


def plain_of(output: Path) -> Path:
    """Where the script writes an export as plain CSV."""
    return output.with_name(output.name.removesuffix(".gz"))
