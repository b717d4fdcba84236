"""JMESPath expressions for `--query`, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import click

from soapclient._support.redaction import clean, shown
from soapclient._support.suggestions import nearest
from soapclient.cli.failures import Failure

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult

_SHOWN: Final = 60  # characters of an expression on each side of an error


class QueryError(ValueError):
    """Raised if an expression cannot be applied to a response. The message says why."""


class Query:
    """A compiled JMESPath expression.

    Raises BadParameter if the expression is invalid. The message shows the position of the error.
    """

    def __init__(self, expression: str) -> None:
        try:
            import jmespath
        except ImportError:
            raise Failure("--query needs jmespath: pip install 'soapclient[cli]'") from None
        from jmespath.exceptions import EmptyExpressionError, ParseError

        try:
            self._compiled: ParsedResult = jmespath.compile(expression)
        except EmptyExpressionError:
            raise click.BadParameter("the expression is empty: write one such as items[].id") from None
        except ParseError as error:
            raise _invalid(expression, error.lex_position, _problem(error)) from None
        except RecursionError:
            raise click.BadParameter("the expression is nested too deeply") from None
        _check_functions(self._compiled)

    def search(self, value: object) -> object:
        """Return the result of the expression for a JSON value.

        Raises QueryError if the expression cannot be applied to the value.
        """
        import msgspec
        from jmespath.exceptions import JMESPathTypeError

        try:
            result: object = self._compiled.search(value)
            msgspec.json.encode(result)
        except JMESPathTypeError as error:
            expected = " or ".join(error.expected_types)
            message = f"{error.function_name}() needs {expected}, got {error.actual_type}"
            raise QueryError(message) from None
        except Exception as error:  # jmespath raises plain exceptions, too, such as ValueError
            raise QueryError(clean(str(error)) or type(error).__name__) from error
        return result


def _problem(error: Exception) -> str:
    """Return a description of a syntax error that jmespath has found."""
    from jmespath.exceptions import IncompleteExpressionError, LexerError, ParseError

    if isinstance(error, LexerError):
        return error.message.lower()
    if isinstance(error, IncompleteExpressionError) or (
        isinstance(error, ParseError) and error.token_type == "EOF"
    ):
        return "the expression is incomplete"
    assert isinstance(error, ParseError)
    return f"unexpected {shown(error.token_value)}"


def _invalid(expression: str, position: int, problem: str) -> click.BadParameter:
    """Return the error for an invalid expression. `position` is the index of the wrong character."""
    start = max(0, position - _SHOWN)
    excerpt = "".join(char if char.isprintable() else " " for char in expression[start : position + _SHOWN])
    pointer = " " * (position - start)
    return click.BadParameter(f"{problem} at character {position + 1}:\n  {excerpt}\n  {pointer}^")


def _check_functions(compiled: ParsedResult) -> None:
    """Check the names of the functions in an expression and the numbers of their arguments.

    Raises BadParameter if one is invalid. jmespath itself would check this only when it calls the function,
    after the request has been sent.
    """
    from jmespath.functions import Functions
    from jmespath.lexer import Lexer

    tokens = list(Lexer().tokenize(compiled.expression))
    positions = [
        token["start"]
        for token, following in pairwise(tokens)
        if token["type"] == "unquoted_identifier" and following["type"] == "lparen"
    ]
    for (name, arguments), position in zip(_calls(compiled.parsed), positions, strict=True):
        problem = _call_problem(name, arguments, Functions.FUNCTION_TABLE)
        if problem:
            raise _invalid(compiled.expression, position, problem)


def _calls(node: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of arguments of each function call, in the order of the expression."""
    if node["type"] == "function_expression":
        yield node["value"], len(node["children"])
    children = node["children"]
    if node["type"] == "filter_projection":
        left, right, condition = children
        children = [left, condition, right]
    for child in children:
        if isinstance(child, Mapping):  # the children of a slice are numbers
            yield from _calls(child)


def _call_problem(name: str, arguments: int, functions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a text that says why a function call is invalid; "" if it is valid."""
    if name not in functions:
        return f"unknown function {name}(){nearest(name, functions)}"
    signature = functions[name]["signature"]
    is_variadic = bool(signature) and signature[-1].get("variadic", False)
    expected = len(signature)
    if arguments >= expected if is_variadic else arguments == expected:
        return ""
    number = f"{'at least ' * is_variadic}{expected} argument{'s' * (expected != 1)}"
    return f"{name}() takes {number}, got {arguments}"
