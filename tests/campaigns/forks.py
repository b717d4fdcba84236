"""Forked children of one used client: none may get another's answer."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Final

from soapclient.errors import SoapClientError
from soapclient.sandbox.berlin import midnight

from .plan import Tags
from .supervision import Supervision, told
from .truth import Truth

_ROOT: Final = Path(__file__).parents[2]
_CHILDREN: Final = 4
_FIRST: Final = dt.date(2026, 11, 1)
_LONGEST: Final = 300  # seconds of all children
_DEAF: Final = "no answer"  # an error of the client's, of which this campaign asks nothing more


def asked(seed: int, child: int, number: int) -> tuple[dt.date, int, int]:
    """Day, page and items of a child's call."""
    random = Random(f"{seed}/fork/{child}/{number}")
    return _FIRST + dt.timedelta(days=random.randrange(20)), random.randrange(5), random.randrange(3, 12)


def run(supervision: Supervision, truth: Truth, url: str, way: str, seed: int, calls: int) -> None:
    """Have a process of its own use a client and then fork; compare what each child was told."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, url, way, str(seed), str(calls)],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        _judge(supervision, truth, way, seed, line)
    supervision.count("forked", len(lines))
    if done.returncode != 0 or len(lines) != _CHILDREN * calls:
        words = (
            f"{len(lines)} of {_CHILDREN * calls} ended, exit code {done.returncode}: {done.stderr[-500:]}"
        )
        supervision.find("unended", f"fork{way}", f"forked children ({way})", words)


def _judge(supervision: Supervision, truth: Truth, way: str, seed: int, line: dict[str, object]) -> None:
    child, number = line["child"], line["number"]
    assert isinstance(child, int)
    assert isinstance(number, int)
    day, page, items = asked(seed, child, number)
    tag, what = (
        _tag(way, child, number),
        f"GetSales {day} page {page} of {items} in forked child {child} ({way})",
    )
    if "foreign" in line:
        supervision.find("foreign exception", tag, what, str(line["foreign"]))
    elif "error" not in line:
        right = truth.of("GetSales", date=midnight(day), dateType="trackingDate", page=page, items=items)
        sales = right["sale_items"]
        assert isinstance(sales, list)
        if line["got"] != [page, len(sales), right["total"], *(sale["id"] for sale in sales)]:
            supervision.find("crossed", tag, what, f"it was told {str(line['got'])[:200]}")


def _tag(way: str, child: int, number: int) -> str:
    return f"fork{way}{child}x{number:05d}"


def _child(url: str, way: str, seed: int, calls: int) -> None:
    """The process that forks."""
    from .calls import config_for, open_client

    tags = Tags(f"{time.time_ns():x}")
    with open_client(config_for(url, way), tags.nonce) as client:
        children = []
        for number in range(3):  # so that there are connections to be shared
            tags.begin(_tag(way, 0, number))
            try:
                client.publisher.get_profile()
            except SoapClientError as error:
                print(told(error), file=sys.stderr)
        for child in range(1, _CHILDREN + 1):
            if (pid := os.fork()) == 0:
                code = 1
                try:
                    for number in range(calls):
                        tags.begin(_tag(way, child, number))
                        line: dict[str, object] = {"child": child, "number": number}
                        day, page, items = asked(seed, child, number)
                        try:
                            sales = client.publisher.get_sales(
                                date=day, date_type="trackingDate", page=page, items=items
                            )
                        except SoapClientError as error:
                            line["error"] = told(error)
                        except Exception as error:
                            line["foreign"] = told(error)
                        else:
                            ids = [sale.id for sale in sales.sale_items or []]
                            line["got"] = [sales.page, sales.items, sales.total, *ids]
                        os.write(1, json.dumps(line).encode() + b"\n")
                    code = 0
                finally:
                    os._exit(code)
            children.append(pid)
        codes = [os.waitpid(pid, 0)[1] for pid in children]
    sys.exit(any(codes))


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
