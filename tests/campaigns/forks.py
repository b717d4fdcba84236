"""Forked children that share a used client: none may get the response of another one."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final

from soapclient.errors import SoapClientError
from soapclient.tracking.sandbox.berlin import midnight

from .plan import Tags
from .processes import ROOT, codes_of, fork
from .supervision import Supervision, told
from .truth import Truth

if TYPE_CHECKING:
    from soapclient import Client

_CHILDREN: Final = 4
_FIRST: Final = dt.date(2026, 11, 1)
_LONGEST: Final = 300  # seconds for all children together


@dataclass(frozen=True)
class Asked:
    """The work of forked children: `calls` calls each with a client of `url`, determined by the seed."""

    url: str
    way: str
    timeout: float
    seed: int
    calls: int

    def page(self, child: int, number: int) -> tuple[dt.date, int, int]:
        """Return day, page and items of a child's call."""
        random = Random(f"{self.seed}/fork/{child}/{number}")
        return _FIRST + dt.timedelta(days=random.randrange(20)), random.randrange(5), random.randrange(3, 12)

    def tag(self, child: int, number: int) -> str:
        return f"fork{self.way}{child}x{number:05d}"


def run(supervision: Supervision, truth: Truth, asked: Asked) -> None:
    """Start a process that uses a client and then forks, and compare the results of each child."""
    command = [sys.executable, "-m", __name__, json.dumps(asdict(asked))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_LONGEST, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        _judge(supervision, truth, asked, line)
    supervision.count("forked", len(lines))
    wanted = _CHILDREN * asked.calls
    if done.returncode != 0 or len(lines) != wanted:
        words = f"{len(lines)} of {wanted} ended, exit code {done.returncode}: {done.stderr[-500:]}"
        supervision.find("unended", f"fork{asked.way}", f"forked children ({asked.way})", words)


def _judge(supervision: Supervision, truth: Truth, asked: Asked, line: dict[str, object]) -> None:
    child, number = line["child"], line["number"]
    assert isinstance(child, int)
    assert isinstance(number, int)
    day, page, items = asked.page(child, number)
    tag = asked.tag(child, number)
    what = f"GetSales {day} page {page} of {items} in forked child {child} ({asked.way})"
    if "foreign" in line:
        supervision.find("foreign exception", tag, what, str(line["foreign"]))
    elif "error" not in line:
        right = truth.of("GetSales", date=midnight(day), dateType="trackingDate", page=page, items=items)
        sales = right["sale_items"]
        assert isinstance(sales, list)
        if line["got"] != [page, len(sales), right["total"], *(sale["id"] for sale in sales)]:
            supervision.find("crossed", tag, what, f"it was told {str(line['got'])[:200]}")


def _parent(asked: Asked) -> int:
    """Main function of the process that uses a client and forks. Returns the exit code."""
    from .faces import Target, config_for, open_client

    tags = Tags(f"{time.time_ns():x}")
    with open_client(config_for(Target(asked.url, asked.timeout), asked.way), tags.nonce) as client:
        for number in range(3):  # to open connections that could be shared
            tags.begin(asked.tag(0, number))
            with contextlib.suppress(SoapClientError):
                client.publisher.get_profile()
        children = [fork(partial(_child, client, tags, asked, child)) for child in range(1, _CHILDREN + 1)]
        return int(any(codes_of(children)))


def _child(client: Client, tags: Tags, asked: Asked, child: int) -> None:
    """Make the calls of a child and write a line of JSON for each."""
    for number in range(asked.calls):
        tags.begin(asked.tag(child, number))
        day, page, items = asked.page(child, number)
        line: dict[str, object] = {"child": child, "number": number}
        try:
            sales = client.publisher.get_sales(date=day, date_type="trackingDate", page=page, items=items)
        except SoapClientError as error:
            line["error"] = told(error)
        except Exception as error:
            line["foreign"] = told(error)
        else:
            ids = [sale.id for sale in sales.sale_items or []]
            line["got"] = [sales.page, sales.items, sales.total, *ids]
        os.write(1, json.dumps(line).encode() + b"\n")  # one write, so that lines of children do not mix


if __name__ == "__main__":
    sys.exit(_parent(Asked(**json.loads(sys.argv[1]))))
