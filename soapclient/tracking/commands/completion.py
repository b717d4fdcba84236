"""Shell completion for `soapclient export`: completes report types and the values of its options."""

from __future__ import annotations

import click

from soapclient.cli.completion import Items, order_values, starting


def report_type(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Return the completions of `typed`: report types, and the subcommand `resume`."""
    return [*order_values("data", "report_type", typed), *starting(["resume"], typed)]


def of_order(ctx: click.Context, option: click.Parameter, typed: str) -> Items:
    """Return the completions of `typed`, the value of an option that sets a field of the order."""
    return order_values("data", option.name or "", typed)
