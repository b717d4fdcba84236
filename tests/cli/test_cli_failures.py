"""The exit codes of commands: one per kind of error, which applies to all its subclasses."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest

import soapclient
from soapclient import errors
from soapclient.cli.failures import EXIT_CODES, code_of
from soapclient.errors import SoapClientError
from soapclient.tables import TableError

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


def below(kind: type[SoapClientError]) -> Iterator[type[SoapClientError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from below(each)


def public() -> list[type[SoapClientError]]:
    """Return all error classes, independent of the modules already imported."""
    for module in pkgutil.walk_packages(soapclient.__path__, "soapclient."):
        if module.name.endswith(".dask_engine") and find_spec("distributed") is None:
            continue  # without the extra dask; it defines no errors
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return [each for each in below(SoapClientError) if each.__module__.startswith(soapclient.__name__)]


@pytest.mark.parametrize("kind", public(), ids=lambda kind: kind.__name__)
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
