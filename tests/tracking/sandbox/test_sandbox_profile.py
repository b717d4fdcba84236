"""The profile of an account, its payments and bank accounts."""

from __future__ import annotations

import pytest

from tests.tracking.sandbox.caller import Caller, SoapResponse

# Every child of profileItem, transcribed from the contract by hand.
FREE = {
    "firstName", "lastName", "country", "street1", "city", "zipcode", "company", "street2", "phone", "mobile",
    "fax", "language", "currency", "title",
}  # fmt: skip
FIXED = {"loginName", "userName", "email"}
SERVICES = {"adrank", "isAdvertiser", "isSublogin"}


def fields(profile: SoapResponse) -> dict[str, object]:
    return {name: profile.at(name) for name in (*FREE, *FIXED, *SERVICES, "id")}


def test_every_field_is_set_and_no_text_is_ambiguous(fresh: Caller) -> None:
    found = fields(fresh.call("GetProfile"))
    assert None not in found.values()
    assert str(found["email"]).endswith("@example.org")
    assert found["isAdvertiser"] is False
    for value in found.values():
        if isinstance(value, str) and value.isdigit():
            assert str(int(value)) == value


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(FREE))
def test_changeable_fields_are_changed_permanently(fresh: Caller, name: str) -> None:
    before = fields(fresh.call("GetProfile"))
    after = fields(fresh.call("UpdateProfile", profileItem={**before, name: "Größer & <neu>"}))
    assert after == {**before, name: "Größer & <neu>"}
    assert fields(fresh.call("GetProfile")) == after


def test_omitted_optional_children_are_unchanged(fresh: Caller) -> None:
    before = fields(fresh.call("GetProfile"))
    optional = {"company", "street2", "phone", "mobile", "fax", "language", "currency", "title"}
    sent = {name: value for name, value in before.items() if name not in optional}
    after = fields(fresh.call("UpdateProfile", profileItem={**sent, "city": "Neustadt"}))
    assert after == {**before, "city": "Neustadt"}
    assert fresh.call("UpdateProfile", profileItem={**before, "fax": ""}).at("fax") in ("", None)


@pytest.mark.parametrize("name", sorted(FIXED))
def test_read_only_fields_are_refused_without_other_changes(fresh: Caller, name: str) -> None:
    before = fields(fresh.call("GetProfile"))
    code, reason = fresh.refusal("UpdateProfile", profileItem={**before, name: "other", "city": "Neustadt"})
    assert code == 111
    assert reason.startswith(name)
    assert fields(fresh.call("GetProfile")) == before
    fresh.call("UpdateProfile", profileItem=before)  # an unchanged value is accepted


def test_account_holder_fields_are_not_taken_from_the_request(fresh: Caller) -> None:
    before = fields(fresh.call("GetProfile"))
    sent = {**before, "adrank": 99, "isAdvertiser": True, "isSublogin": True}
    assert fields(fresh.call("UpdateProfile", profileItem=sent)) == before


def test_id_must_belong_to_the_caller(two: list[Caller]) -> None:
    one, other = two
    mine, theirs = fields(one.call("GetProfile")), fields(other.call("GetProfile"))
    assert one.refusal("UpdateProfile", profileItem={**mine, "id": theirs["id"]})[0] == 108
    assert one.refused("UpdateProfile", 108, "is required", profileItem={**mine, "id": None})
    one.call("UpdateProfile", profileItem={**mine, "city": "Neustadt"})
    assert fields(other.call("GetProfile")) == theirs


# ---- payments


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
