"""The caller's money: balances, payments, bank accounts. Nothing of it can be changed."""

from __future__ import annotations

from ..trees import Tree
from .account_items import balance_item, bank_account_item, payment_item
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetBalances")
def get_balances(call: Call) -> Tree:
    return page_of(call.fields, call.holdings.account.balances, "balanceItems", "balanceItem", balance_item)


@handles("publisher", "GetBalance")
def get_balance(call: Call) -> Tree:
    """A currency without a balance gets an answer without an item. Upper and lower case are one."""
    currency = (call.fields.text("currency") or "").upper()
    found = next((one for one in call.holdings.account.balances if one.currency == currency), None)
    return {"balanceItem": None if found is None else balance_item(found)}


@handles("publisher", "GetPayments")
def get_payments(call: Call) -> Tree:
    return page_of(call.fields, call.holdings.account.payments, "paymentItems", "paymentItem", payment_item)


@handles("publisher", "GetPayment")
def get_payment(call: Call) -> Tree:
    """An unknown id gets an answer without an item."""
    number = call.fields.text("paymentId")
    found = next((one for one in call.holdings.account.payments if one.id == number), None)
    return {"paymentItem": None if found is None else payment_item(found)}


@handles("publisher", "GetBankAccounts")
def get_bank_accounts(call: Call) -> Tree:
    accounts = call.holdings.account.bank_accounts
    return page_of(call.fields, accounts, "bankAccountItems", "bankAccountItem", bank_account_item)


@handles("publisher", "GetBankAccount")
def get_bank_account(call: Call) -> Tree:
    """An unknown id gets an answer without an item."""
    number = call.fields.text("bankAccountId")
    found = next((one for one in call.holdings.account.bank_accounts if one.id == number), None)
    return {"bankAccountItem": None if found is None else bank_account_item(found)}
