"""Every operation of every contract over every protocol and form: the typed responses are equal.

Only these differences are normalised before comparing:
- the port in `jobItem.downloadUrl`: each way has its own server;
- the form segment in the same address (`/xml/`, `/json/`): the sandbox uses the form of the request.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from soapclient import Client
from soapclient.errors import ServiceFault, UnsupportedByProtocol
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID
from zxws.advertiser.service import PACKAGE as ADVERTISER
from zxws.data.service import PACKAGE as DATA
from zxws.publisher.service import PACKAGE as PUBLISHER
from zxws.publisher.types import (
    AdspaceItem,
    ApplicationItem,
    ConnectType,
    MediaSlotItem,
    PricingType,
    SettingItem,
    SizeType,
    SubStringIdentifierStringType,
    SubStringIdentifierType,
)

pytestmark = pytest.mark.sampled(6)

if TYPE_CHECKING:
    from tests.protocols.conftest import Way, Ways

PACKAGES = {"publisher": PUBLISHER, "data": DATA, "advertiser": ADVERTISER}
OPERATIONS = {name: one for package in PACKAGES.values() for name, one in package.operations.items()}
DAY, NEXT = dt.date(2026, 11, 1), dt.date(2026, 11, 2)
PARTNERS = {"program_id": 1881, "adspace_id": 25978504}  # confirmed, so its offers have tracking links
_ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]+/(xml|json)/")


@dataclass(frozen=True)
class Sample:
    """Ids from the responses of one way, used in the requests of all ways."""

    sale: str
    lead: str
    adspace: int
    product: str
    incentive: str
    exclusive: str
    codes: list[str]
    program: int


@pytest.fixture(scope="module")
def sample(ways: Ways) -> Sample:
    way = ways["soap"]
    publisher = way.client.publisher
    sales = publisher.get_sales(date=DAY, date_type="trackingDate", items=50).sale_items or []
    leads = publisher.get_leads(date=DAY, date_type="trackingDate", items=50).lead_items or []
    products = publisher.search_products(query="", has_images=True, program_id=[1881]).product_items or []
    incentives = publisher.search_incentives(items=1).incentive_items or []
    exclusive = publisher.search_exclusive_incentives(items=1).incentive_items or []
    told = (
        next(one.id for one in sales if one.gpps),
        next(one.id for one in leads if one.gpps),
        *(some[0].id for some in (products, incentives, exclusive)),
    )
    sale, lead, product, offer, closed = (str(one) for one in told)
    codes = way.sandbox.partner_codes(SAMPLE_CONNECT_ID)
    program = way.sandbox.program_of(SAMPLE_CONNECT_ID)
    return Sample(sale, lead, 25978510, product, offer, closed, codes, program)


@dataclass(frozen=True)
class Read:
    """One read: the call, and a check that its response is not trivial."""

    operation: str
    arguments: Callable[[Sample], Mapping[str, object]]
    holds: Callable[[Any, Sample], object]

    def run(self, client: Client, sample: Sample) -> Iterator[msgspec.Struct]:
        response = call(client, self.operation, self.arguments(sample))
        assert self.holds(response, sample), response
        yield response


def call(client: Client, name: str, arguments: Mapping[str, object]) -> msgspec.Struct:
    """Call an operation by its public method."""
    operation = OPERATIONS[name]
    response = getattr(getattr(client, operation.contract), operation.method)(**arguments)
    assert isinstance(response, msgspec.Struct)
    return response


def nothing(_: Sample) -> Mapping[str, object]:
    return {}


def several(items: object, least: int = 2) -> bool:
    return isinstance(items, list) and len(items) >= least


READS = [
    Read("GetProfile", nothing, lambda r, s: r.profile_item.company == "Sample Media 259785 & Co"),
    Read(
        "GetAdspaces", lambda s: {"page": 1, "items": 7},
        lambda r, s: (r.page, r.items, len(r.adspace_items)) == (1, 7, 7) and r.total > 14,
    ),
    Read(
        "GetAdspace", lambda s: {"adspace_id": s.adspace},
        lambda r, s: r.adspace_item.id == s.adspace and several(r.adspace_item.categories),
    ),
    Read(
        "GetAdmedia",
        lambda s: {
            **PARTNERS, "region": "PL", "partner_ship": "direct", "admedium_type": "text",
            "purpose": "productDeeplink", "format": 1, "category_id": 18810, "page": 0, "items": 50,
        },
        lambda r, s: r.total == 1 and r.admedium_items[0].tracking_links[0].adspace_id == 25978504,
    ),
    Read("GetAdmedia", lambda s: {"program_id": 1801}, lambda r, s: r.total == len(r.admedium_items) == 4),
    Read(
        "GetAdmedium", lambda s: {"admedium_id": 188101, "adspace_id": 25978504},
        lambda r, s: several(r.admedium_item.tags) and r.admedium_item.tracking_links,
    ),
    Read(
        "GetAdmediumCategories", lambda s: {"program_id": 1801},
        lambda r, s: [c.id for c in r.categories] == [18010, 18011],
    ),
    Read(
        "SearchIncentives", lambda s: {"region": "ES", "incentive_type": "coupons", "items": 20},
        lambda r, s: (
            several(r.incentive_items) and {str(i.incentive_type) for i in r.incentive_items} == {"coupons"}
        ),
    ),
    Read(
        "SearchIncentives", lambda s: {"incentive_type": "lotteries", **PARTNERS},
        lambda r, s: (
            all(i.prizes and i.admedia[0].tracking_links for i in r.incentive_items) and r.total == 1
        ),
    ),
    Read(
        "GetIncentive", lambda s: {"incentive_id": s.incentive, "adspace_id": s.adspace},
        lambda r, s: r.incentive_item.id == s.incentive and several(r.incentive_item.regions),
    ),
    Read(
        "SearchExclusiveIncentives", lambda s: {"program_id": int(s.exclusive[:4]), "page": 0, "items": 5},
        lambda r, s: s.exclusive in [i.id for i in r.incentive_items],
    ),
    Read("SearchExclusiveIncentives", nothing, lambda r, s: r.total == len(r.incentive_items) > 50),
    Read(
        "GetExclusiveIncentive", lambda s: {"incentive_id": s.exclusive},
        lambda r, s: r.incentive_item.coupon_code.startswith("SAMPLE"),
    ),
    Read(
        "SearchProducts",
        lambda s: {
            "query": "Kettle & Co", "search_type": "contextual", "region": "AT", "program_id": [1801, 1803],
            "has_images": True, "min_price": 1, "max_price": 400, "adspace_id": s.adspace,
        },
        lambda r, s: r.query == "Kettle & Co",
    ),
    Read(
        "SearchProducts",
        lambda s: {"query": "kettle", "program_id": [1801, 1803], "max_price": 400, "items": 50},
        lambda r, s: (
            {p.program.id for p in r.product_items} == {1801, 1803}
            and all(p.price <= 400 for p in r.product_items)
        ),
    ),
    Read(
        "GetProduct", lambda s: {"zup_id": s.product, "adspace_id": 25978504},
        lambda r, s: r.product_item.image.small and r.product_item.tracking_links[0].ppc,
    ),
    Read(
        "GetLeads",
        lambda s: {"date": DAY, "date_type": "modifiedDate", "review_state": "open", "page": 0, "items": 50},
        lambda r, s: several(r.lead_items) and {str(i.review_state) for i in r.lead_items} == {"open"},
    ),
    Read(
        "GetLead", lambda s: {"lead_id": s.lead}, lambda r, s: r.lead_item.id == s.lead and r.lead_item.gpps
    ),
    Read(
        "GetSales", lambda s: {"date": DAY, "date_type": "clickDate", "adspace_id": s.adspace, "items": 50},
        lambda r, s: r.sale_items and {i.adspace.id for i in r.sale_items} == {s.adspace},
    ),
    Read(
        "GetSales",
        lambda s: {
            "date": DAY, "date_type": "reviewStateChangedDate", "review_state": "confirmed", "items": 50
        },
        lambda r, s: several(r.sale_items) and {str(i.review_state) for i in r.sale_items} == {"confirmed"},
    ),
    Read(
        "GetSales", lambda s: {"date": DAY, "date_type": "trackingDate", "page": 90},
        lambda r, s: not r.sale_items and r.total > 50,
    ),
    Read(
        "GetSale", lambda s: {"sale_id": s.sale},
        lambda r, s: r.sale_item.id == s.sale and several(r.sale_item.gpps),
    ),
    Read("GetSale", lambda s: {"sale_id": "of nobody & nowhere/?#"}, lambda r, s: r.sale_item is None),
    Read(
        "GetSaleBasket", lambda s: {"sale_id": s.sale},
        lambda r, s: r.basket_items and all(item.product_name and item.amount > 0 for item in r.basket_items),
    ),
    Read(
        "GetReportBasic",
        lambda s: {
            "from_date": DAY, "to_date": NEXT, "currency": "GBP", "review_state": "confirmed",
            "group_by": ["program", "day", "linkFormat", "trackingCategory"],
        },
        lambda r, s: (
            several(r.report_items) and {i.day for i in r.report_items} == {"2026-11-01", "2026-11-02"}
        ),
    ),
    Read(
        "SearchPrograms",
        lambda s: {
            "query": "Fashion", "start_date": dt.date(2010, 1, 1), "partner_ship": "direct",
            "has_products": True, "region": "ES", "items": 20,
        },
        lambda r, s: (
            r.query == "Fashion" and r.program_items and all("ES" in p.regions for p in r.program_items)
        ),
    ),
    Read("SearchPrograms", lambda s: {"page": 5, "items": 50}, lambda r, s: len(r.program_items) == 50),
    Read(
        "GetProgram", lambda s: {"program_id": 1801},
        lambda r, s: (
            str(r.program_item.commission.sale_percent_max) == "11.5"
            and several(r.program_item.industries.sub)
        ),
    ),
    Read("GetProgramCategories", nothing, lambda r, s: len(r.categories) == 10),
    Read(
        "GetProgramApplications", lambda s: {"status": "confirmed", "adspace_id": 25978514, "items": 50},
        lambda r, s: several(r.program_application_items),
    ),
    Read(
        "GetTrackingCategories", lambda s: {"program_id": 1801, "adspace_id": s.adspace},
        lambda r, s: r.total == len(r.tracking_category_item) == 4,
    ),
    Read("GetBalances", lambda s: {"items": 12}, lambda r, s: r.total == len(r.balance_items) == 12),
    Read(
        "GetBalance", lambda s: {"currency": "CHF"},
        lambda r, s: r.balance_item.id == "CHF" and r.balance_item.open > 0,
    ),
    Read(
        "GetPayments", lambda s: {"page": 1, "items": 20},
        lambda r, s: r.total == 34 and len(r.payment_items) == 14,
    ),
    Read(
        "GetPayment", lambda s: {"payment_id": "PAY-259785-0"},
        lambda r, s: r.payment_item.bank_account_item.iban.startswith("DE"),
    ),
    Read("GetBankAccounts", nothing, lambda r, s: len(r.bank_account_items) == 10),
    Read(
        "GetBankAccount", lambda s: {"bank_account_id": "BA-259785-0"},
        lambda r, s: r.bank_account_item.swift == "SAMPXX10",
    ),
    Read(
        "GetProductCategories", lambda s: {"root_category": 11, "include_childs": True},
        lambda r, s: any(several(one.category) for one in r.categories),
    ),
    Read(
        "GetPartnerships", lambda s: {"partner_code": [*s.codes[:1], *s.codes[-1:], "1C1"]},
        lambda r, s: (
            [p.partner_code for p in r.partner_code_list] == [s.codes[0], s.codes[-1]]
            and r.partner_code_list[0].user_name
            and r.partner_code_list[1].user_name is None
            and len(r.error_list) == 1
        ),
    ),
    Read(
        "GetPublicPartnerships", lambda s: {"partner_code": s.codes},
        lambda r, s: len(r.partner_code_list) == len(s.codes) == 25,
    ),
    Read(
        "GetProgramReport",
        lambda s: {
            "program_id": s.program, "from_date": DAY, "to_date": dt.date(2026, 11, 8),
            "group_by": ["day", "adspace"],
        },
        lambda r, s: (
            len({one.day for one in r.aggregated_report_list}) == 7
            and several({one.user_id for one in r.aggregated_report_list} and [*r.aggregated_report_list])
        ),
    ),
]  # fmt: skip


# ---- writes: each ends with reads that show its effect

Responses = Iterator[msgspec.Struct]
SPACE = AdspaceItem(
    name="Füchse & <more> — ✓ 007", url="https://space.example.org/?a=1&b=2", description="  two\nlines  ",
    adspace_type="website", visitors=10, impressions=20, scope="private", regions=["DE", "AT"],
    categories=[SubStringIdentifierType(id=13, value="Travel")], language="de", check_number=4711,
)  # fmt: skip


def adspaces(client: Client, sample: Sample) -> Responses:
    publisher = client.publisher
    created = publisher.create_adspace(adspace_item=SPACE)
    item = created.adspace_item
    assert item.id
    assert msgspec.structs.replace(item, id=None) == SPACE
    yield created
    yield (seen := publisher.get_adspace(adspace_id=item.id))
    assert seen.adspace_item == item
    changed = msgspec.structs.replace(item, name="Other", regions=None, categories=[], visitors=0)
    yield publisher.update_adspace(adspace_item=changed)
    yield (after := publisher.get_adspace(adspace_id=item.id))
    assert after.adspace_item is not None
    assert (after.adspace_item.name, after.adspace_item.visitors) == ("Other", 0)
    yield (gone := publisher.delete_adspace(adspace_id=item.id))
    assert gone.count == 1
    if client.settings.publisher_protocol == "rest":
        with pytest.raises(ServiceFault) as missing:
            publisher.get_adspace(adspace_id=item.id)
        assert missing.value.code == 404
    else:
        assert publisher.get_adspace(adspace_id=item.id).adspace_item is None


def partnerships(client: Client, sample: Sample) -> Responses:
    publisher, program, adspace = client.publisher, 1801, sample.adspace
    yield (before := publisher.get_program_applications(program_id=program, adspace_id=adspace))
    assert before.total == 0
    yield (applied := publisher.create_program_application(program_id=program, adspace_id=adspace))
    assert applied.program_application_item.status == "confirmed"
    yield (seen := publisher.get_program_applications(program_id=program, adspace_id=adspace))
    assert seen.program_application_items == [applied.program_application_item]
    yield (ended := publisher.delete_program_application(program_id=program, adspace_id=adspace))
    assert ended.count == 1
    yield (after := publisher.get_program_applications(program_id=program, adspace_id=adspace))
    assert [str(one.status) for one in after.program_application_items or []] == ["terminated"]


def profile(client: Client, sample: Sample) -> Responses:
    publisher = client.publisher
    item = publisher.get_profile().profile_item
    assert item is not None
    changed = msgspec.structs.replace(item, first_name="Zoë", city="Łódź", phone="+49 555 & 0199", title="")
    yield publisher.update_profile(profile_item=changed)
    yield (after := publisher.get_profile())
    assert after.profile_item == changed


def applications(client: Client, sample: Sample) -> Responses:
    publisher = client.publisher
    connect = ConnectType(role="developer", connect_id="", status="active")
    pricing = PricingType(share=Decimal("8.50"), monthly=Decimal("0.10"))
    item = ApplicationItem(name="Box", connect=connect, pricing=pricing)
    yield (made := publisher.create_application(application_item=item))
    number = made.application_item.id
    assert number
    assert made.connect_id
    changed = msgspec.structs.replace(made.application_item, description="new & <better>")
    yield publisher.update_application(application_item=changed)
    yield (seen := publisher.get_application(application_id=number))
    assert seen.application_item is not None
    assert seen.application_item.description == "new & <better>"
    yield (found := publisher.get_applications(name="Box", items=50))
    assert number in [one.id for one in found.application_items or []]
    application = SubStringIdentifierStringType(id=number, value="Box")
    setting = SettingItem(application=application, key="size", value="1", type="string")
    yield publisher.create_setting(setting_item=setting)
    yield publisher.update_setting(setting_item=msgspec.structs.replace(setting, value="2"))
    yield (got := publisher.get_setting(application_id=number, key="size"))
    assert got.setting_item.value == "2"
    yield (deleted := publisher.delete_setting(key="size", application_id=number))
    assert deleted.count == 1
    yield (left := publisher.get_settings(application_id=number))
    assert left.total == 0
    yield publisher.delete_application(application_id=number)
    yield (none := publisher.get_application(application_id=number))
    assert none.application_item is None


def media_slots(client: Client, sample: Sample) -> Responses:
    publisher = client.publisher
    item = MediaSlotItem(
        name="Box",
        size=SizeType(width=468, height=60),
        adspace=SubStringIdentifierType(id=sample.adspace, value=""),
        applications=[SubStringIdentifierStringType(id="APP-259785-3", value="")],
        status="active",
    )
    yield (made := publisher.create_media_slot(media_slot_item=item))
    number = made.media_slot_item.id
    assert number
    changed = msgspec.structs.replace(made.media_slot_item, name="Other", status="deleted")
    yield publisher.update_media_slot(media_slot_item=changed)
    yield (seen := publisher.get_media_slot(media_slot_id=number))
    assert seen.media_slot_item is not None
    assert seen.media_slot_item.name == "Other"
    yield (listed := publisher.get_media_slots(adspace_id=sample.adspace, items=50))
    assert number in [one.id for one in listed.media_slot_items or []]
    yield publisher.delete_media_slot(media_slot_id=number)
    yield (none := publisher.get_media_slot(media_slot_id=number))
    assert none.media_slot_item is None


def jobs(client: Client, sample: Sample) -> Responses:
    ordered = client.data.create_report_job(
        report_type="sale", from_date=DAY, to_date=NEXT, date_type="clickDate", review_state="open",
        currency="GBP", program_id=1881, adspace_id=25978504, admedium_format_id=1, group_by="day,program",
    )  # fmt: skip
    yield ordered
    number = ordered.job_item.id
    assert number
    yield (seen := client.data.get_job(job_id=number))
    assert seen.job_item is not None
    assert seen.job_item.compression == "gzip-csv"
    yield client.data.create_report_job(
        report_type="custom", columns="clickId,commission", from_date=DAY, to_date=DAY
    )
    yield (listed := client.data.get_jobs(items=5))
    assert listed.total == 2
    assert number in [one.id for one in listed.job_items or []]


@dataclass(frozen=True)
class Write:
    """Several calls that change something, and reads that show it.

    `operation` is one of the operations it needs.
    """

    operation: str
    run: Callable[[Client, Sample], Responses]
    covers: str


WRITES = [
    Write("CreateAdspace", adspaces, "CreateAdspace UpdateAdspace DeleteAdspace"),
    Write("CreateProgramApplication", partnerships, "CreateProgramApplication DeleteProgramApplication"),
    Write("UpdateProfile", profile, "UpdateProfile"),
    Write(
        "CreateApplication",
        applications,
        "CreateApplication UpdateApplication GetApplication GetApplications DeleteApplication CreateSetting "
        "UpdateSetting GetSetting GetSettings DeleteSetting",
    ),
    Write(
        "CreateMediaSlot",
        media_slots,
        "CreateMediaSlot UpdateMediaSlot GetMediaSlot GetMediaSlots DeleteMediaSlot",
    ),
    Write("CreateReportJob", jobs, "CreateReportJob GetJob GetJobs"),
]


ROWS: list[Read | Write] = [*READS, *WRITES]


def covered(row: Read | Write) -> list[str]:
    return [row.operation] if isinstance(row, Read) else row.covers.split()


def test_every_operation_has_a_row() -> None:
    assert {name for row in ROWS for name in covered(row)} == set(OPERATIONS)
    assert {row.operation for row in READS if not OPERATIONS[row.operation].safe} == set()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
def test_typed_responses_of_all_protocols_are_equal(
    row: Read | Write, ways: Ways, sample: Sample, request: pytest.FixtureRequest
) -> None:
    given: Ways = ways if isinstance(row, Read) else request.getfixturevalue("fresh_ways")
    responses: dict[str, list[msgspec.Struct]] = {}
    for name, way in given.items():
        if not has(way, row.operation):
            with pytest.raises(UnsupportedByProtocol, match=f"{row.operation}.* {way.protocol.upper()}"):
                list(row.run(way.client, sample))
            continue
        responses[name] = [normal(response) for response in row.run(way.client, sample)]
        asked = {type(response).__name__ for response in responses[name]}
        assert {f"{one}Response" for one in covered(row)} <= asked
        assert way.client.drift.counts() == {}
    assert {name for name, way in given.items() if has(way, row.operation)} == set(responses) != set()
    (first, answer), *others = responses.items()
    for name, other in others:
        assert other == answer, f"{name} and {first} differ"


def has(way: Way, name: str) -> bool:
    """Return True if a way has an operation. The advertiser's operations are always REST."""
    operation = OPERATIONS[name]
    if operation.contract == "advertiser":
        return True
    return operation.soap if way.protocol == "soap" else operation.rest is not None


def normal(response: msgspec.Struct) -> msgspec.Struct:
    """Remove what differs between servers (see above)."""
    items = [getattr(response, "job_item", None), *(getattr(response, "job_items", None) or [])]
    for item in items:
        if item is not None and item.download_url is not None:
            item.download_url, times = _ADDRESS.subn("http://host/", item.download_url)
            assert times == 1
    return response
