"""Balances, payments, bank accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller


def test_lower_case_currency_is_found(caller: Caller) -> None:
    assert caller.call("GetBalance", currency="eur").text("id") == "EUR"


def test_paid_payment_has_a_bank_account(caller: Caller) -> None:
    accounts = {one.text("id"): one.value for one in caller.pages("GetBankAccounts")}
    found = caller.pages("GetPayments")
    for one in found:
        account = one.at("bankAccountItem")
        assert account == accounts[one.text("bankAccountItem.id")]
        assert (one.at("payoutDate") is None) == (one.at("status") != "paid")
    assert {one.text("status") for one in found} == {"paid", "pending"}
    assert len({one.text("currency") for one in found}) > 1


def test_bank_accounts_are_complete_and_fictional(caller: Caller) -> None:
    for one in caller.pages("GetBankAccounts"):
        for name in ("name", "swift", "owner", "address", "country"):
            assert one.text(name)
        assert one.text("bankCode").isdigit()
        assert not one.text("bankCode").startswith("0")
        digits = one.text("iban")[4:] + "131400"  # D and E as numbers, then the check digits
        assert int(digits) % 97 != 1, "an IBAN that passes its check could be somebody's"
