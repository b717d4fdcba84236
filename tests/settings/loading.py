"""Load settings from given sources only, for the tests of settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from soapclient import Settings
from soapclient.errors import ConfigError

KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
CONNECT_ID = "802B8BF4AE99EBE00F41"
BASE = "https://service.example/base"


def load(environ: dict[str, str] | None = None, file: Path | None = None, /, **arguments: object) -> Settings:
    return Settings.load(file=file, environ=environ or {}, profile=None, **arguments)


def toml(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(
    environ: dict[str, str] | None = None, file: Path | None = None, /, **arguments: object
) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(environ, file, **arguments)
    assert caught.value.__context__ is None, "what was caught on the way may carry the value"
    return caught.value
