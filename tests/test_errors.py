from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.errors import (
    AddressRefused,
    AmbiguousOrder,
    AmbiguousOutcome,
    AuthenticationError,
    BrokenResponse,
    CellError,
    ClientClosed,
    ColumnDrift,
    ColumnsDiffer,
    ConfigError,
    ConnectionFailed,
    ContractDrift,
    ContractError,
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    LedgerBusy,
    LedgerError,
    MisplacedResponse,
    NotTheseColumns,
    NotThisExport,
    NotThisRequest,
    ResponseError,
    SecurityError,
    ServiceFault,
    SoapClientError,
    TableError,
    Timeout,
    TransportError,
    UnexpectedResponse,
    UnsupportedByProtocol,
    UnverifiedExport,
)

SIGNATURE = "N4RPYDY1aUjciVm32pCJ82FVvuk="

EXAMPLES: dict[type[SoapClientError], SoapClientError] = {
    ConfigError: ConfigError("timeout", "is 'soon'", "Set it as SOAPCLIENT_TIMEOUT"),
    ContractError: ContractError(
        "GetSalesRequest/dateType", "today", "trackingDate", "not in the list", operation="GetSales"
    ),
    UnsupportedByProtocol: UnsupportedByProtocol("the basket of a sale", "SOAP"),
    ClientClosed: ClientClosed("GetSales"),
    ServiceFault: ServiceFault(109, "page out of range", "E-77", "GetSales", retry_after=2.5),
    AuthenticationError: AuthenticationError(403, "signature expired", None, "GetSales"),
    Timeout: Timeout("GetSales", 60.0, request_sent=False),
    ConnectionFailed: ConnectionFailed("https://service.example/soap", "refused", operation="GetSales"),
    AddressRefused: AddressRefused(
        "https://10.0.0.5/file.gz?ticket=1",
        "10.0.0.5 is a private address",
        "If you trust it, set 'allow_private' to 10.0.0.5",
        operation="download",
    ),
    UnexpectedResponse: UnexpectedResponse(
        503, "text/html", b"<h1>Busy</h1>", operation="GetSales", retry_after=7
    ),
    AmbiguousOutcome: AmbiguousOutcome("CreateAdspace", "the connection broke"),
    ResponseError: ResponseError("saleItem[3]/amount", "ten", "a decimal number", 2, operation="GetSales"),
    ContractDrift: ContractDrift(
        "CreateAdspace", [("value", "adspaceItem/adspaceType", "billboard")], processed=True
    ),
    JobFailed: JobFailed("j-1", "failed", "no space left"),
    JobExpired: JobExpired("j-1"),
    DeadlineExceeded: DeadlineExceeded("j-1", "waiting for the job", 600.0),
    CorruptDownload: CorruptDownload("clicks.csv.gz", "the row count differs", expected="10", found="9"),
    TableError: TableError("GetSales", "amount", 3, "ten", "a decimal number", "Read it as text."),
    BrokenResponse: BrokenResponse("GetSalesResponse", None, "a complete response", operation="GetSales"),
    MisplacedResponse: MisplacedResponse("GetSalesResponse/page", 2, "page 1", operation="GetSales"),
    SecurityError: SecurityError("unsigned", "Body is not signed", part="Body", operation="GetSales"),
    CellError: CellError("clicks.csv.gz", 7, "amount", "ten", "a decimal number"),
    JobUnknown: JobUnknown("j-1"),
    LedgerBusy: LedgerBusy("state/lock", 1.0),
    LedgerError: LedgerError("state/k.json", "is not a record", "Remove it"),
    NotThisExport: NotThisExport("clicks.csv.gz", 3, "date", "2026-01-01", "2026-11-01"),
    NotThisRequest: NotThisRequest("clicks.csv.gz", 3, "program", 7, "2026-11-01", asked=8),
    NotTheseColumns: NotTheseColumns("clicks.csv.gz", ("a", "b"), "c was ordered", "2026-11-01"),
    UnverifiedExport: UnverifiedExport("clicks.csv.gz", "2026-11-01"),
    ColumnsDiffer: ColumnsDiffer("clicks.csv.gz", ColumnDrift("click", ("a",), (), reordered=False)),
    AmbiguousOrder: AmbiguousOrder("Order", "k", ("1", "2"), "two jobs fit"),
}
ABSTRACT = {SoapClientError, TransportError, ExportError}


def every_subclass(kind: type[SoapClientError]) -> set[type[SoapClientError]]:
    return {kind}.union(*(every_subclass(sub) for sub in kind.__subclasses__()))


def test_examples_cover_all_error_classes() -> None:
    mine = {kind for kind in every_subclass(SoapClientError) if kind.__module__ == "soapclient.errors"}
    assert mine == EXAMPLES.keys() | ABSTRACT


@pytest.mark.parametrize("error", EXAMPLES.values(), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_class_message_attributes_and_notes(error: SoapClientError, protocol: int) -> None:
    error = copy.copy(error)
    error.attempts = 3
    error.add_note("gave up after 3 attempts")
    back = pickle.loads(pickle.dumps(error, protocol))
    assert type(back) is type(error)
    assert (str(back), back.args) == (str(error), error.args)
    assert vars(back) == vars(error)
    assert back.__notes__ == ["gave up after 3 attempts"]


def test_a_copy_does_not_share_its_state() -> None:
    original = JobExpired("j-1")
    copy.copy(original).attempts = 9
    assert original.attempts == 1


@pytest.mark.parametrize("error", EXAMPLES.values(), ids=lambda error: type(error).__name__)
def test_every_message_is_one_line_and_names_the_given_value(error: SoapClientError) -> None:
    message = str(error)
    assert message.isprintable()
    assert len(message.split()) > 5
    named = [
        value for name, value in vars(error).items() if name in {"operation", "job_id", "path", "setting"}
    ]
    assert all(value is None or value.removeprefix("GetSalesRequest/") in message for value in named)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (EXAMPLES[AmbiguousOutcome], "The request may have been processed. Check before retrying."),
        (EXAMPLES[ContractError], "Nothing was sent."),
        (EXAMPLES[AuthenticationError], "this machine's clock"),
        (EXAMPLES[Timeout], "raise the setting 'deadline'"),
        (EXAMPLES[DeadlineExceeded], "Resume it by its id"),
        (EXAMPLES[JobExpired], "Order the export again"),
        (EXAMPLES[CorruptDownload], "Download it again"),
    ],
)
def test_messages_say_what_to_do(error: SoapClientError, advice: str) -> None:
    assert advice in str(error)


def test_an_authentication_error_is_a_service_fault() -> None:
    with pytest.raises(ServiceFault) as as_fault:
        raise EXAMPLES[AuthenticationError]
    with pytest.raises(AuthenticationError):
        raise as_fault.value
    assert as_fault.value.code == 403


def test_error_classes_have_the_documented_bases() -> None:
    assert {Timeout, ConnectionFailed, AddressRefused, UnexpectedResponse} == set(
        TransportError.__subclasses__()
    )
    of_jobs = {JobFailed, JobExpired, DeadlineExceeded, CorruptDownload}
    of_files = {LedgerBusy, LedgerError, NotThisExport, ColumnsDiffer}
    assert of_jobs | of_files == set(ExportError.__subclasses__())
    assert set(AmbiguousOutcome.__subclasses__()) == {AmbiguousOrder}
    assert not issubclass(AmbiguousOutcome, TransportError)


def test_absence_and_the_text_none_are_distinguished() -> None:
    required = ContractError("date", None, "a date such as 2026-11-01", "is required")
    assert str(required) == "date is required: a date such as 2026-11-01. Nothing was sent."
    assert "got 'None'" in str(ContractError("date", "None", "a day", "is no day"))
    assert "got 5" in str(ContractError("date", 5, "a day", "is no day"))
    assert "is missing" in str(ResponseError("sale/amount", None, "a number"))


def test_invalid_value_error_names_field_value_and_allowed_values() -> None:
    error = ContractError(
        "GetSalesRequest/date",
        "01.11.2026",
        "a date such as 2026-11-01",
        "not an allowed value",
        operation="GetSales",
    )
    assert str(error) == (
        "GetSales: date must be a date such as 2026-11-01, got '01.11.2026'. Nothing was sent."
    )
    assert (error.path, error.value) == ("GetSalesRequest/date", "'01.11.2026'")
    other = ContractError("page", 9, "0 to 8", "pages count from 0", operation="GetSales")
    assert str(other) == "GetSales: page: pages count from 0 (got 9; allowed: 0 to 8). Nothing was sent."


def test_missing_response_may_mean_that_the_request_was_processed() -> None:
    assert Timeout("CreateAdspace", 3).request_sent
    assert not EXAMPLES[Timeout].__dict__["request_sent"]


def test_service_text_is_printable_and_short() -> None:
    evil = "\x1b]0;owned\x07\r\n\u202e" + "A" * 10_000
    for error in (
        ServiceFault(1, evil, evil),
        UnexpectedResponse(200, evil, evil),
        UnexpectedResponse(200, None, evil.encode()),
        JobFailed("j", evil, evil),
        ResponseError("a", evil, "b"),
        ContractError("a", evil, "b", evil),
    ):
        assert str(error).isprintable()
        assert len(str(error)) < 1500
        assert all(len(str(value)) <= 500 for value in vars(error).values())


@pytest.mark.parametrize(
    "echo",
    [
        f"Authorization: ZXWS 802B8BF4AE99EBE00F41:{SIGNATURE}",
        f"<ns:signature>{SIGNATURE}</ns:signature>",
        f"/sales?connectid=1&signature={SIGNATURE}",
        f'{{"signature": "{SIGNATURE}"}}',
    ],
)
def test_echoed_signature_is_not_in_any_error(echo: str) -> None:
    for error in (
        ServiceFault(1, echo),
        UnexpectedResponse(400, "text/plain", echo),
        AmbiguousOutcome("CreateAdspace", echo),
        ConnectionFailed("https://service.example", echo),
        JobFailed("j", "failed", echo),
        ContractError("a", echo, "b", echo),
        ResponseError("a", echo, "b"),
    ):
        for text in (str(error), repr(error), repr(vars(error)), repr(pickle.dumps(error))):
            assert SIGNATURE not in text
            assert "N4RPYDY1aUj" not in text


def test_address_is_shown_without_user_and_ticket() -> None:
    error = ConnectionFailed("https://user:hunter2@service.example/file.gz?ticket=abc123", "refused")
    assert error.address == "https://service.example/file.gz?ticket=[hidden]"
    assert "hunter2" not in str(error)


@given(st.integers(), st.text(), st.none() | st.text(), st.none() | st.text())
def test_any_fault_can_be_pickled(
    code: int, reason: str, error_id: str | None, operation: str | None
) -> None:
    fault = ServiceFault(code, reason, error_id, operation)
    assert vars(pickle.loads(pickle.dumps(fault))) == vars(fault)


def test_first_findings_are_shown_and_all_are_kept() -> None:
    findings = [("element", f"a/e{number}", "") for number in range(23)]
    error = ContractDrift("GetSales", findings)
    assert error.findings == tuple(findings)
    shown, _, rest = str(error).partition("; and ")
    assert shown.startswith("GetSales: the response differs from the contract: element a/e0; ")
    assert shown.endswith("element a/e19")
    assert rest.startswith("3 more. ")


@pytest.mark.parametrize(
    "problem",
    [
        "the response has an empty body",
        "a body of more than 5 bytes (max_response_bytes)",
        "the compressed body of the response is truncated",
        "a document of more than 5 tags and attributes, or values (max_response_nodes)",
        "an error response that is not a fault",
    ],
)
def test_hidden_body_is_not_called_empty(problem: str) -> None:
    error = UnexpectedResponse(503, "text/xml", b"", problem=problem, operation="GetSales")
    assert str(error) == f"GetSales: {problem}: HTTP status 503, content type text/xml. Retry later."
