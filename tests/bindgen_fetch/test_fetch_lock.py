from __future__ import annotations

import pickle
import tomllib
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindgen.fetching import lock
from tests.support.cases import case_text

ONE, TWO = "1" * 64, "2" * 64
DOCUMENT = lock.LockedDocument("https://example.org/a.wsdl", "shop/v1/a.wsdl", ONE, TWO)
CONTRACT = lock.LockedContract(
    "shop", "https://example.org/a", "fetched", "2026-11-21T10:00:00Z", "bindgen 0.1.0", TWO, (DOCUMENT,)
)
TEXT = case_text(__file__, "lock.toml")


def test_lock_roundtrips_in_the_documented_format(tmp_path: Path) -> None:
    path = tmp_path / "contracts.lock"
    lock.write(path, lock.Lock((CONTRACT,)))
    assert path.read_text(encoding="utf-8") == TEXT
    assert lock.read(path) == lock.Lock((CONTRACT,))
    assert [file.name for file in tmp_path.iterdir()] == ["contracts.lock"]


def test_missing_lock_is_empty_and_names_the_command(tmp_path: Path) -> None:
    empty = lock.read(tmp_path / "contracts.lock")
    assert empty == lock.Lock()
    with pytest.raises(lock.LockError, match="bindgen fetch shop"):
        empty.contract("shop")


def test_contracts_are_sorted_by_name() -> None:
    names = ["b", "c", "a"]
    contracts = [
        lock.LockedContract(name, "https://example.org/", "fetched", "", "", ONE, (DOCUMENT,))
        for name in names
    ]
    together = lock.Lock()
    for contract in contracts:
        together = together.replacing(contract)
    assert [contract.name for contract in together.contracts] == ["a", "b", "c"]
    assert lock.dumps(together) == lock.dumps(lock.Lock(tuple(contracts)))
    assert together.replacing(contracts[0]) == together


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


@given(_TEXTS, _TEXTS, _TEXTS, st.lists(_TEXTS, max_size=3))
def test_any_text_roundtrips(
    tmp_path_factory: pytest.TempPathFactory, name: str, url: str, etag: str, more: list[str]
) -> None:
    document = lock.LockedDocument(url, "f", ONE, TWO, etag, None, tuple(more))
    contract = lock.LockedContract(name, url, "reconstructed", "", "", ONE, (document,))
    text = lock.dumps(lock.Lock((contract,)))
    assert tomllib.loads(text)["contracts"][name]["documents"][0]["etag"] == etag
    path = tmp_path_factory.mktemp("lock") / "contracts.lock"
    lock.write(path, lock.Lock((contract,)))
    assert lock.read(path).contract(name) == contract


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("lock_version = 1", "lock_version = 2", "lock_version must be 1, got 2"),
        ("lock_version = 1", "", "lock_version must be 1, got None"),
        ("lock_version = 1", "lock_version = ", "is not TOML"),
        ("lock_version = 1", f"lock_version = {'9' * 4301}", r"is not TOML \(Exceeds the limit"),
        ("lock_version = 1", f"lock_version = {'[' * 5000}", r"is not TOML \(nested too deeply"),
        ("lock_version = 1", f"lock_version = {'a.' * 2000}b = 1", "is not TOML"),
        ("lock_version = 1", "lock_version = 1 # a\rb", "is not TOML"),
        ('origin = "fetched"', 'origin = "guessed"', "contracts.shop.origin"),
        ('root = "https://example.org/a"', "root = 1", "contracts.shop.root"),
        ('file = "shop/v1/a.wsdl"', "", r"contracts.shop.documents\[0\].file"),
        ('file = "shop/v1/a.wsdl"', 'file = "../a.wsdl"', r"documents\[0\].file must be a path below"),
        ('file = "shop/v1/a.wsdl"', 'file = "/etc/passwd"', r"documents\[0\].file must be a path below"),
        ('file = "shop/v1/a.wsdl"', 'file = "a\\\\b"', r"documents\[0\].file must be a path below"),
        (f'"{ONE}"', '"12"', r"documents\[0\].sha256 must be 64 hex"),
        ("[[contracts.shop.documents]]", "[contracts.shop.documents]", "shop.documents must be a list"),
        ("[[contracts.shop.documents]]", "[[contracts.shop.others]]", "shop.documents must be a list"),
    ],
)
def test_a_broken_lock_is_located(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert TEXT.count(old) == 1
    path = tmp_path / "contracts.lock"
    path.write_bytes(TEXT.replace(old, new).encode())
    with pytest.raises(lock.LockError, match=said) as refused:
        lock.read(path)
    assert str(path) in str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_error_of_a_deeply_nested_lock_has_a_short_traceback() -> None:
    """Once Dask is imported, errors are pickled with their contexts and all frames."""
    with pytest.raises(lock.LockError, match="nested too deeply") as refused:
        lock.loads(Path("contracts.lock"), b"lock_version = " + b"[" * 5000)
    error: BaseException | None = refused.value
    while error is not None:
        assert len(traceback.extract_tb(error.__traceback__)) < 20
        error = error.__context__


def test_contracts_that_are_not_a_table_are_located(tmp_path: Path) -> None:
    path = tmp_path / "contracts.lock"
    path.write_text("lock_version = 1\ncontracts = []\n", encoding="utf-8")
    with pytest.raises(lock.LockError, match="contracts must be a table"):
        lock.read(path)


def test_a_document_listed_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "contracts.lock"
    path.write_text(TEXT + TEXT[TEXT.index("[[") :], encoding="utf-8")
    with pytest.raises(lock.LockError, match="each with a different url"):
        lock.read(path)


def test_unreadable_lock_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "contracts.lock"
    path.mkdir()
    with pytest.raises(lock.LockError, match="cannot be read"):
        lock.read(path)


def test_a_failed_write_leaves_the_old_lock(tmp_path: Path) -> None:
    path = tmp_path / "contracts.lock"
    path.mkdir()
    (path / "held").touch()
    with pytest.raises(OSError, match=r"contracts\.lock"):
        lock.write(path, lock.Lock((CONTRACT,)))
    assert [file.name for file in tmp_path.iterdir()] == ["contracts.lock"]


def test_disk_failure_leaves_no_partial_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bindgen.atomic.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        lock.write(tmp_path / "contracts.lock", lock.Lock((CONTRACT,)))
    assert list(tmp_path.iterdir()) == []
