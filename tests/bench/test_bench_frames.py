"""A warm call enters few functions of this project, with a short path from the loop to the attempt."""

from __future__ import annotations

from tests.bench.frames import measured, python_calls, warm_call


def test_warm_call_enters_few_functions() -> None:
    frames = measured()
    names = [name for _, _, name in frames]
    assert names[0] == "PublisherService.search_programs"
    assert len(frames) <= 180  # measured: 176
    depths = {name: depth for depth, _, name in reversed(frames)}
    assert depths["TypedBinding.attempt"] - depths["Loop.run"] <= 6


def test_warm_call_calls_few_functions_of_all_libraries() -> None:
    with warm_call() as call:
        assert python_calls(call) <= 765  # measured: 749, including requests, urllib3 and zeep
