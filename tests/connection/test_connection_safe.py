"""Only operations that the settings name as safe are retried."""

from __future__ import annotations

from typing import Any

import pytest

from soapclient import Settings
from soapclient.errors import AmbiguousOutcome


def test_setting_says_which_operations_are_retried(open_weather: Any, recorder: Any) -> None:
    recorder.answers("busy", 503, "text/plain")
    with pytest.raises(AmbiguousOutcome, match="503"):
        open_weather().get_weather(city="Berlin")
    assert len(recorder.sent) == 1
    for _ in range(4):
        recorder.answers("busy", 503, "text/plain")
    safe = open_weather(settings=Settings(safe={"GetWeather"}))
    with pytest.raises(Exception, match="503"):
        safe.get_weather(city="Berlin")
    assert len(recorder.sent) == 5
