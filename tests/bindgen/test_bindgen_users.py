"""Wrong use of the bindings: the type checker reports exactly these errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import TypeCheck

pytestmark = pytest.mark.exhaustive


_GENERATED = Path(__file__).parents[2] / "generated"

_SCRIPT = """from __future__ import annotations

import datetime as dt
from decimal import Decimal

from zxws.publisher.service import PublisherService
from zxws.publisher.types import DateType, SaleItem


def wrong(publisher: PublisherService, day: dt.date) -> None:
    publisher.get_sales(date=day, date_type="nonsense")
    publisher.get_sales(date_type="clickDate")
    publisher.get_sales(day, date_type="trackingDate")
    publisher.get_sales(date="2026-11-01", date_type="trackingDate")
    publisher.get_sales(date=day, date_type="trackingDate", sales=1)
    publisher.search_products(query="q", program_id=7)


def right(publisher: PublisherService, day: dt.date) -> list[SaleItem]:
    publisher.get_sales(date=day, date_type=DateType.CLICK_DATE)
    response = publisher.get_sales(date=day, date_type="trackingDate", page=0, items=50)
    sales = response.sale_items or []
    total: Decimal = sum((sale.amount for sale in sales), Decimal(0))
    print(total, sales[0].program.id, sales[0].review_state)
    publisher.search_products(query="q", program_id=[7, 8])
    return sales


def wrong_about_the_response(publisher: PublisherService, day: dt.date) -> float:
    response = publisher.get_sales(date=day, date_type="trackingDate")
    return response.sale_items[0].amount
"""


def test_mypy_reports_the_mistakes_of_a_user_and_nothing_else(tmp_path: Path, type_check: TypeCheck) -> None:
    script = tmp_path / "user.py"
    script.write_text(_SCRIPT)
    done = type_check("--hide-error-context", "user.py", cwd=tmp_path, path=[_GENERATED])
    lines = _SCRIPT.split("\n")
    found = [
        re.match(r"user\.py:(\d+): error: .*  \[([a-z-]+)\]$", line) for line in done.stdout.splitlines()
    ]
    errors = [(lines[int(each[1]) - 1].strip(), each[2]) for each in found if each]
    positional = 'publisher.get_sales(day, date_type="trackingDate")'
    assert [error for error in errors if error[0] != positional] == [
        ('publisher.get_sales(date=day, date_type="nonsense")', "arg-type"),
        ('publisher.get_sales(date_type="clickDate")', "call-arg"),
        ('publisher.get_sales(date="2026-11-01", date_type="trackingDate")', "arg-type"),
        ('publisher.get_sales(date=day, date_type="trackingDate", sales=1)', "call-arg"),
        ('publisher.search_products(query="q", program_id=7)', "arg-type"),
        ("return response.sale_items[0].amount", "index"),
        ("return response.sale_items[0].amount", "return-value"),
    ], done.stdout + done.stderr
    assert [line for line, _ in errors].count(positional) == 1  # its error code depends on mypy's version
    assert done.stdout.count("error:") == len(errors)
    for piece in ('Missing named argument "date"', "Literal['clickDate', 'trackingDate'"):
        assert piece in done.stdout
