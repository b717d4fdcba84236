from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient import errors
from soapclient.errors import ColumnDrift, SoapClientError

SIGNATURE = "N4RPYDY1aUjciVm32pCJ82FVvuk="

_EXAMPLES = (
    errors.ConfigError("timeout", "is 'soon'", "Set it as SOAPCLIENT_TIMEOUT"),
    errors.ContractError(
        "GetSalesRequest/dateType", "today", "trackingDate", "not in the list", operation="GetSales"
    ),
    errors.UnsupportedByProtocol("the basket of a sale", "SOAP"),
    errors.ClientClosed("GetSales"),
    errors.ServiceFault(109, "page out of range", "E-77", "GetSales", retry_after=2.5),
    errors.AuthenticationError(403, "signature expired", None, "GetSales"),
    errors.Timeout("GetSales", 60.0, request_sent=False),
    errors.ConnectionFailed("https://service.example/soap", "refused", operation="GetSales"),
    errors.AddressRefused(
        "https://10.0.0.5/file.gz?ticket=1",
        "10.0.0.5 is a private address",
        "If you trust it, set 'allow_private' to 10.0.0.5",
        operation="download",
    ),
    errors.UnexpectedResponse(503, "text/html", b"<h1>Busy</h1>", operation="GetSales", retry_after=7),
    errors.AmbiguousOutcome("CreateAdspace", "the connection broke"),
    errors.ResponseError("saleItem[3]/amount", "ten", "a decimal number", 2, operation="GetSales"),
    errors.ContractDrift(
        "CreateAdspace", [("value", "adspaceItem/adspaceType", "billboard")], processed=True
    ),
    errors.JobFailed("j-1", "failed", "no space left"),
    errors.JobExpired("j-1"),
    errors.DeadlineExceeded("j-1", "waiting for the job", 600.0),
    errors.CorruptDownload("clicks.csv.gz", "the row count differs", expected="10", found="9"),
    errors.TableError("GetSales", "amount", 3, "ten", "a decimal number", "Read it as text."),
    errors.BrokenResponse("GetSalesResponse", None, "a complete response", operation="GetSales"),
    errors.MisplacedResponse("GetSalesResponse/page", 2, "page 1", operation="GetSales"),
    errors.SecurityError("unsigned", "Body is not signed", part="Body", operation="GetSales"),
    errors.CellError("clicks.csv.gz", 7, "amount", "ten", "a decimal number"),
    errors.JobUnknown("j-1"),
    errors.LedgerBusy("state/lock", 1.0),
    errors.LedgerError("state/k.json", "is not a record", "Remove it"),
    errors.NotThisExport("clicks.csv.gz", 3, "date", "2026-01-01", "2026-11-01"),
    errors.NotThisRequest("clicks.csv.gz", 3, "program", 7, "2026-11-01", asked=8),
    errors.NotTheseColumns("clicks.csv.gz", ("a", "b"), "c was ordered", "2026-11-01"),
    errors.UnverifiedExport("clicks.csv.gz", "2026-11-01"),
    errors.ColumnsDiffer("clicks.csv.gz", ColumnDrift("click", ("a",), (), reordered=False)),
    errors.AmbiguousOrder("Order", "k", ("1", "2"), "two jobs fit"),
)
EXAMPLES: dict[type[SoapClientError], SoapClientError] = {type(error): error for error in _EXAMPLES}
ABSTRACT = {SoapClientError, errors.TransportError, errors.ExportError}


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
    original = errors.JobExpired("j-1")
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
        (EXAMPLES[errors.AmbiguousOutcome], "The request may have been processed. Check before retrying."),
        (EXAMPLES[errors.ContractError], "Nothing was sent."),
        (EXAMPLES[errors.AuthenticationError], "this machine's clock"),
        (EXAMPLES[errors.Timeout], "raise the setting 'deadline'"),
        (EXAMPLES[errors.DeadlineExceeded], "Resume it by its id"),
        (EXAMPLES[errors.JobExpired], "Order the export again"),
        (EXAMPLES[errors.CorruptDownload], "Download it again"),
        (errors.JobFailed("7", "failed"), "export job 7 failed"),
        (errors.ResponseError("a", "x", "a number", 27), "expected a number, after 27 items."),
    ],
)
def test_messages_say_what_failed_and_what_to_do(error: SoapClientError, advice: str) -> None:
    assert advice in str(error)


def test_an_authentication_error_is_a_service_fault() -> None:
    with pytest.raises(errors.ServiceFault) as as_fault:
        raise EXAMPLES[errors.AuthenticationError]
    with pytest.raises(errors.AuthenticationError):
        raise as_fault.value
    assert as_fault.value.code == 403


def test_error_classes_have_the_documented_bases() -> None:
    assert {errors.Timeout, errors.ConnectionFailed, errors.AddressRefused, errors.UnexpectedResponse} == set(
        errors.TransportError.__subclasses__()
    )
    of_jobs = {errors.JobFailed, errors.JobExpired, errors.DeadlineExceeded, errors.CorruptDownload}
    of_files = {errors.LedgerBusy, errors.LedgerError, errors.NotThisExport, errors.ColumnsDiffer}
    assert of_jobs | of_files == set(errors.ExportError.__subclasses__())
    assert set(errors.AmbiguousOutcome.__subclasses__()) == {errors.AmbiguousOrder}
    assert not issubclass(errors.AmbiguousOutcome, errors.TransportError)


def test_absence_and_the_text_none_are_distinguished() -> None:
    required = errors.ContractError("date", None, "a date such as 2026-11-01", "is required")
    assert str(required) == "date is required: a date such as 2026-11-01. Nothing was sent."
    assert "got 'None'" in str(errors.ContractError("date", "None", "a day", "is no day"))
    assert "got 5" in str(errors.ContractError("date", 5, "a day", "is no day"))
    assert "is missing" in str(errors.ResponseError("sale/amount", None, "a number"))


def test_invalid_value_error_names_field_value_and_allowed_values() -> None:
    error = errors.ContractError(
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
    other = errors.ContractError("page", 9, "0 to 8", "pages count from 0", operation="GetSales")
    assert str(other) == "GetSales: page: pages count from 0 (got 9; allowed: 0 to 8). Nothing was sent."


def test_missing_response_may_mean_that_the_request_was_processed() -> None:
    assert errors.Timeout("CreateAdspace", 3).request_sent
    assert not EXAMPLES[errors.Timeout].__dict__["request_sent"]


def test_service_text_is_printable_and_short() -> None:
    evil = "\x1b]0;owned\x07\r\n\u202e" + "A" * 10_000
    for error in (
        errors.ServiceFault(1, evil, evil),
        errors.UnexpectedResponse(200, evil, evil),
        errors.UnexpectedResponse(200, None, evil.encode()),
        errors.JobFailed("j", evil, evil),
        errors.ResponseError("a", evil, "b"),
        errors.ContractError("a", evil, "b", evil),
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
        errors.ServiceFault(1, echo),
        errors.UnexpectedResponse(400, "text/plain", echo),
        errors.AmbiguousOutcome("CreateAdspace", echo),
        errors.ConnectionFailed("https://service.example", echo),
        errors.JobFailed("j", "failed", echo),
        errors.ContractError("a", echo, "b", echo),
        errors.ResponseError("a", echo, "b"),
    ):
        for text in (str(error), repr(error), repr(vars(error)), repr(pickle.dumps(error))):
            assert SIGNATURE not in text
            assert "N4RPYDY1aUj" not in text


def test_address_is_shown_without_user_and_ticket() -> None:
    error = errors.ConnectionFailed("https://user:hunter2@service.example/file.gz?ticket=abc123", "refused")
    assert error.address == "https://service.example/file.gz?ticket=[hidden]"
    assert "hunter2" not in str(error)


@given(st.integers(), st.text(), st.none() | st.text(), st.none() | st.text())
def test_any_fault_can_be_pickled(
    code: int, reason: str, error_id: str | None, operation: str | None
) -> None:
    fault = errors.ServiceFault(code, reason, error_id, operation)
    assert vars(pickle.loads(pickle.dumps(fault))) == vars(fault)


def test_first_findings_are_shown_and_all_are_kept() -> None:
    findings = [("element", f"a/e{number}", "") for number in range(23)]
    error = errors.ContractDrift("GetSales", findings)
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
    error = errors.UnexpectedResponse(503, "text/xml", b"", problem=problem, operation="GetSales")
    assert str(error) == f"GetSales: {problem}: HTTP status 503, content type text/xml. Retry later."
