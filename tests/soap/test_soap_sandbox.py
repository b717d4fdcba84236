"""Every operation of the sandbox, called with this client and compared with plain zeep."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
import zeep
import zeep.exceptions
import zeep.helpers

from soapclient import Client
from soapclient.errors import AuthenticationError, ServiceFault
from zxws.publisher.service import PACKAGE
from zxws.publisher.types import AdspaceItem, AdspaceType, ReviewState, SubStringIdentifierType

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient

DAY = dt.date(2026, 11, 1)
MIDNIGHT = dt.datetime(2026, 11, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
NOW = dt.datetime(2026, 11, 20, 12, 0, 0, tzinfo=dt.UTC)
CONNECT_ID = "802B8BF4AE99EBE00F41"
_serial = count()


@pytest.fixture
def client(open_client: OpenClient, sandbox: str) -> Client:
    return open_client(sandbox)


class Plain:
    """Plain zeep with its own signature, independent of this project."""

    def __init__(self, url: str, hmac_of: Callable[..., str]) -> None:
        self._clients = {
            "publisherservice": self._open(f"{url}/wsdl/2011-03-01"),
            "dataservice": self._open(f"{url}/wsdl/2011-05-01"),
        }
        self._hmac_of = hmac_of

    @staticmethod
    def _open(address: str) -> Any:
        return zeep.Client(address)  # type: ignore[no-untyped-call]  # zeep has no types

    def call(self, operation: str, **fields: object) -> object:
        service = "dataservice" if "Job" in operation else "publisherservice"

        timestamp, nonce = f"{NOW:%Y-%m-%dT%H:%M:%S}", f"PLAIN-{next(_serial):020d}"
        signature = self._hmac_of(service, operation.lower(), timestamp, nonce)
        signed = {"timestamp": timestamp, "nonce": nonce, "signature": signature}
        if not PACKAGE.operations.get(operation, _SIGNED).signed:
            signed = {}
        answer = self._clients[service].service[operation](**fields, connectId=CONNECT_ID, **signed)
        # zeep has no types
        return zeep.helpers.serialize_object(answer, dict)  # type: ignore[no-untyped-call]


_SIGNED = PACKAGE.operations["GetSales"]


@pytest.fixture
def plain(sandbox: str, hmac_of: Callable[..., str]) -> Plain:
    return Plain(sandbox, hmac_of)


def ours(value: object) -> object:
    """Return a response of generated types in zeep's form: wire names, floats, wrappers, texts."""
    if isinstance(value, msgspec.Struct):
        names = {field.name: field.encode_name for field in msgspec.structs.fields(value)}
        return {name: ours(getattr(value, attribute)) for attribute, name in names.items()}
    if isinstance(value, list):
        return [ours(one) for one in value]
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, Enum) else value


def same(mine: object, theirs: object, where: str = "reply") -> None:
    """Compare two values. Ignores how zeep represents lists, texts with attributes, and missing values."""
    if isinstance(mine, Mapping):
        assert isinstance(theirs, Mapping), where
        text = "_value_1" if "_value_1" in theirs else "value"  # text with attributes
        named = {text if name == "value" else name: value for name, value in mine.items()}
        for name, value in named.items():
            same(value, theirs.get(name), f"{where}/{name}")
        assert set(theirs) <= set(named), where
    elif isinstance(mine, list):
        if isinstance(theirs, Mapping):  # the wrapper with its one repeated element
            assert len(theirs) == 1, where
            theirs = next(iter(theirs.values()))
        theirs = theirs or []
        assert isinstance(theirs, list), where
        assert len(mine) == len(theirs), where
        for at, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            same(one, other, f"{where}[{at}]")
    elif mine is None:
        assert theirs is None or theirs == [], where
    else:
        assert mine == theirs, where


def first_id(client: Client, what: str) -> str:
    found: object
    match what:
        case "sale":
            listed = client.publisher.get_sales(date=DAY, date_type="trackingDate").sale_items
            assert listed
            found = listed[0].id
        case "program":
            programs = client.publisher.search_programs(items=1).program_items
            assert programs
            found = programs[0].id
        case _:
            spaces = client.publisher.get_adspaces(items=1).adspace_items
            assert spaces
            found = spaces[0].id
    assert found is not None
    return str(found)


def test_reads_return_the_values_of_plain_zeep(client: Client, plain: Plain) -> None:
    sale, program = first_id(client, "sale"), int(first_id(client, "program"))
    publisher = client.publisher
    named = publisher.get_program(program_id=program).program_item
    assert named is not None
    word = named.name.split()[0]
    calls: list[tuple[msgspec.Struct, object]] = [
        (publisher.get_profile(), plain.call("GetProfile")),
        (
            publisher.search_programs(query=word, items=20),
            plain.call("SearchPrograms", query=word, items=20),
        ),
        (publisher.get_program(program_id=program), plain.call("GetProgram", programId=program)),
        (
            publisher.get_sales(date=DAY, date_type="trackingDate", items=50),
            plain.call("GetSales", date=MIDNIGHT, dateType="trackingDate", items=50),
        ),
        (publisher.get_sale(sale_id=sale), plain.call("GetSale", saleId=sale)),
        (
            publisher.get_leads(date=DAY, date_type="clickDate", items=50),
            plain.call("GetLeads", date=MIDNIGHT, dateType="clickDate", items=50),
        ),
        (
            publisher.get_report_basic(from_date=DAY, to_date=DAY, group_by=["program", "currency"]),
            plain.call("GetReportBasic", fromDate=MIDNIGHT, toDate=MIDNIGHT, groupBy=["program", "currency"]),
        ),
        (publisher.get_adspaces(items=50), plain.call("GetAdspaces", items=50)),
        (publisher.get_balances(items=50), plain.call("GetBalances", items=50)),
        (client.data.get_jobs(items=50), plain.call("GetJobs", items=50)),
    ]
    for mine, theirs in calls:
        fields = msgspec.structs.fields(type(mine))
        whole = {fields[0].encode_name: theirs} if len(fields) == 1 else theirs  # zeep unwraps an only child
        same(ours(mine), whole, type(mine).__name__)
    assert client.drift.counts() == {}


def test_amounts_are_exact_and_enums_are_members(client: Client) -> None:
    response = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=50)
    assert response.sale_items
    assert response.total >= len(response.sale_items) == response.items == 50
    for sale in response.sale_items:
        assert isinstance(sale.amount, Decimal)
        assert isinstance(sale.review_state, ReviewState)
        assert sale.tracking_date is not None
        assert sale.tracking_date.utcoffset() == dt.timedelta(hours=1)


def test_filters_reach_the_service(client: Client) -> None:
    everything = client.publisher.get_sales(date=DAY, date_type="trackingDate")
    confirmed = client.publisher.get_sales(date=DAY, date_type="trackingDate", review_state="confirmed")
    assert 0 < confirmed.total < everything.total
    assert {sale.review_state for sale in confirmed.sale_items or []} == {"confirmed"}


def test_an_ad_space_is_created_changed_and_deleted(client: Client, plain: Plain) -> None:
    item = AdspaceItem(
        name="Füchse & <more> — ✓",
        url="https://space.example.org/?a=1&b=2",
        description="  two\nlines  ",
        adspace_type=AdspaceType.WEBSITE,
        visitors=10,
        impressions=20,
        regions=["DE", "AT"],
        categories=[SubStringIdentifierType(id=13, value="Travel")],
        language="de",
        check_number=4711,
    )
    created = client.publisher.create_adspace(adspace_item=item).adspace_item
    assert created is not None
    assert created.id is not None
    assert (created.name, created.description, created.categories) == (
        item.name,
        item.description,
        item.categories,
    )
    seen = cast("dict[str, Any]", plain.call("GetAdspaces", items=50))
    listed = {one["id"]: one["name"] for one in seen["adspaceItems"]["adspaceItem"]}
    assert listed[created.id] == item.name

    created.name = "Other"
    changed = client.publisher.update_adspace(adspace_item=created).adspace_item
    assert changed is not None
    assert (changed.id, changed.name) == (created.id, "Other")
    assert client.publisher.delete_adspace(adspace_id=created.id).count == 1
    left = client.publisher.get_adspaces(items=50).adspace_items
    assert created.id not in {one.id for one in left or []}


def test_export_is_ordered_and_polled(client: Client) -> None:
    ordered = client.data.create_report_job(report_type="click", from_date=DAY, to_date=DAY).job_item
    assert ordered is not None
    assert ordered.id
    polled = client.data.get_job(job_id=ordered.id).job_item
    assert polled is not None
    assert polled.id == ordered.id
    assert polled.status
    jobs = client.data.get_jobs(items=50)
    assert ordered.id in {one.id for one in jobs.job_items or []}


def test_plain_zeep_service_is_signed_without_dummy_arguments(client: Client, plain: Plain) -> None:
    theirs = cast("dict[str, Any]", plain.call("GetProfile"))
    profile: Any = client.publisher.zeep.GetProfile()
    assert profile.loginName == theirs["loginName"]
    found: Any = client.publisher.zeep.GetSales(date=MIDNIGHT, dateType="trackingDate", items=3)
    assert len(found.saleItems.saleItem) == 3
    programs: Any = client.publisher.zeep["SearchPrograms"](items=2)
    assert len(programs.programItems.programItem) == 2
    jobs: Any = client.data.zeep.GetJobs()
    assert jobs.total >= 0
    assert "GetProfile" in dir(client.publisher.zeep)
    with pytest.raises(AttributeError, match="GetProfil"):
        client.publisher.zeep.GetProfil  # noqa: B018 - the access is what is tested
    with pytest.raises(zeep.exceptions.Fault):
        client.publisher.zeep.GetSales(date=MIDNIGHT, dateType="trackingDate", items=51)


def test_a_fault_of_the_service_is_typed(client: Client) -> None:
    with pytest.raises(ServiceFault) as caught:
        client.publisher.get_sales(date=DAY, date_type="trackingDate", items=51)
    assert not isinstance(caught.value, AuthenticationError)
    # docs/explanation/service.md#fault-codes: 1xx and 230 are client errors
    assert 100 <= caught.value.code < 300
    assert "50" in caught.value.reason
    assert caught.value.error_id
    assert caught.value.operation == "GetSales"
    assert caught.value.attempts == 1


def test_wrong_secret_is_an_authentication_error_and_not_retried(
    open_client: OpenClient, sandbox: str
) -> None:
    wrong = open_client(sandbox, secret_key="not the key of this account")
    with pytest.raises(AuthenticationError) as caught:
        wrong.publisher.get_profile()
    assert (caught.value.code, caught.value.attempts) == (403, 1)
    assert wrong.publisher.search_programs().total > 0  # public: the connect ID is sufficient


def test_public_operations_need_no_secret(open_client: OpenClient, sandbox: str) -> None:
    client = open_client(sandbox, secret_key=None)
    assert client.publisher.search_programs(items=1).total > 0
    with pytest.raises(Exception, match="secret_key") as caught:
        client.publisher.get_profile()
    assert type(caught.value).__name__ == "ConfigError"
