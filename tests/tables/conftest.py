"""An independent reader: the sales of a day from the XML, with requests and lxml and without this client."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from datetime import date, datetime
from itertools import count
from zoneinfo import ZoneInfo

import pytest
import requests
from lxml import etree

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.stage import Stage

Sale = dict[str, str | None]
Read = Callable[[date], list[Sale]]
_SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
_SPACE = "{http://api.zanox.com/namespace/2011-03-01/}"


def _sale(item: etree._Element) -> Sale:
    def text(name: str) -> str | None:
        found = item.find(f"{_SPACE}{name}")
        return None if found is None else found.text or ""

    def attribute(name: str) -> str | None:
        found = item.find(f"{_SPACE}{name}")
        return None if found is None else found.get("id")

    return {
        "id": item.get("id"),
        "review_state": text("reviewState"),
        "tracking_date": text("trackingDate"),
        "program_id": attribute("program"),
        "program_value": text("program"),
        "commission": text("commission"),
        "currency": text("currency"),
        "review_note": text("reviewNote"),
        "gpps": ";".join(f"{gpp.get('id')}={gpp.text or ''}" for gpp in item.iter(f"{_SPACE}gpp")),
    }


@pytest.fixture(scope="module")
def read_sales(stage: Stage) -> Read:
    """Return the sales of a day, from all pages, each value as its text."""
    nonces = (f"independent-{number:020d}" for number in count())

    def page_of(day: date, page: int) -> bytes:
        midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo("Europe/Berlin"))
        stamp, nonce = f"{stage.clock.now():%Y-%m-%dT%H:%M:%S}", next(nonces)
        text = f"publisherservicegetsales{stamp}{nonce}".encode()
        mac = hmac.new(SAMPLE_SECRET_KEY.encode(), text, hashlib.sha1)
        fields = {"date": midnight.isoformat(), "dateType": "trackingDate", "page": str(page), "items": "50"}
        fields |= {"connectId": SAMPLE_CONNECT_ID, "timestamp": stamp, "nonce": nonce}
        fields |= {"signature": base64.b64encode(mac.digest()).decode()}
        envelope = etree.Element(f"{_SOAP}Envelope")
        request = etree.SubElement(etree.SubElement(envelope, f"{_SOAP}Body"), f"{_SPACE}GetSalesRequest")
        for name, value in fields.items():
            etree.SubElement(request, f"{_SPACE}{name}").text = value
        headers = {"Content-Type": "text/xml; charset=utf-8", "User-Agent": "independent"}
        address = f"{stage.url}/soap/2011-03-01"
        return requests.post(address, etree.tostring(envelope), headers=headers, timeout=20).content

    def read(day: date) -> list[Sale]:
        found: list[Sale] = []
        for page in range(100):
            items = list(etree.fromstring(page_of(day, page)).iter(f"{_SPACE}saleItem"))
            found += map(_sale, items)
            if len(items) < 50:
                return found
        raise AssertionError("there is no end")

    return read
