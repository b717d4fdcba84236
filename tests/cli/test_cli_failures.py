"""The exit codes of commands: one per kind of error, which applies to all its subclasses."""

from __future__ import annotations

import pytest

from soapclient import errors
from soapclient.cli.failures import EXIT_CODES, code_of
from soapclient.errors import SoapClientError
from soapclient.tables import TableError
from tests.signatures import error_classes

KINDS = {
    3: (errors.ConfigError,),
    4: (errors.ContractError, errors.UnsupportedByProtocol),
    5: (errors.AuthenticationError,),
    6: (errors.ServiceFault,),
    7: (errors.TransportError,),
    8: (errors.AmbiguousOutcome,),
    9: (errors.ResponseError, errors.ContractDrift),
    10: (errors.ExportError,),
}
OTHERS = (SoapClientError, errors.ClientClosed, TableError)  # 1: scripts need not distinguish these


@pytest.mark.parametrize("kind", list(error_classes()), ids=lambda kind: kind.__name__)
def test_error_class_has_the_exit_code_of_its_nearest_base(kind: type[SoapClientError]) -> None:
    nearest = next(
        each for each in kind.__mro__ if each in OTHERS or any(each in kinds for kinds in KINDS.values())
    )
    wanted = next((code for code, kinds in KINDS.items() if nearest in kinds), 1)
    assert code_of(kind.__new__(kind)) == wanted


def test_other_exceptions_have_exit_code_1() -> None:
    assert code_of(OSError("disk")) == 1


def test_exit_codes_are_distinct_and_not_shell_codes() -> None:
    codes = [code for code, _, _ in EXIT_CODES]
    assert codes == list(range(1, 11))  # codes above 125 belong to shells and signals
