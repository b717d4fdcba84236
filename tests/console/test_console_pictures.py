"""The pictures of the console in the documentation are small, and have the sizes of their windows."""

from __future__ import annotations

import struct

import pytest

from tests.console.pictures import with_few_colours
from tests.console.screenshots import FOLDER, MAX_BYTES, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_small_and_as_large_as_its_window(name: str) -> None:
    content = (FOLDER / f"{name}.png").read_bytes()
    assert len(content) < MAX_BYTES
    assert struct.unpack(">II", content[16:24]) == PICTURES[name].look[:2]
    with pytest.raises(ValueError, match="must be an RGB picture"):
        with_few_colours(content)  # it has a palette already
