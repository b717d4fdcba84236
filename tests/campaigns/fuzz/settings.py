"""TOML files: the configuration, contracts.toml, contracts.lock, and the NAME.toml of a package.

Input that tomllib rejects must be rejected with an error that names the problem.
"""

# ruff: noqa: E501 - values, many per line

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from bindgen import init, package_settings
from bindgen import settings as contracts
from bindgen.fetching import lock
from bindgen.fetching.lock import LockError
from bindgen.problems import ContractRefused
from bindgen.settings import SettingsError
from soapclient import Settings
from soapclient.errors import ConfigError

from .mutation import INTERESTING, encoded, lines, near
from .target import Seed, Target, Wrong, words_of

_ROOT: Final = Path(__file__).parents[3]
_CORPUS: Final = _ROOT / "tests" / "corpus" / "contracts"
_VALUES: Final = (
    "true", "1", "-1", "0x1F", "0o7", "0b1", "1_000", "1.5", "inf", "-inf", "nan", "1e400", "9" * 30,
    "9" * 4301, "1979-05-27T07:32:00Z", "1979-05-27", "07:32:00", "1979-05-27T07:32:00.999999999",
    "10000-01-01", "''", '""', '"x"', "'''a\nb'''", '"""a\\\n b"""', '"\\u0000"', '"\\ud800"',
    '"\\U00110000"', '"\\uD83D\\uDE00"', '"a\\x"', "[]", "[1, 'a', []]", "{}", "{a = 1}",
    "{a.b = 1, a.c = 2}", "[{}]", "[" * 90 + "]" * 90, "[" * 5000 + "]" * 5000,
    "{a=" * 1500 + "1" + "}" * 1500, "[1,]", "{a = 1,}", '["a", "b"]', '"' + "x" * 100_000 + '"', '"\x7f"',
    '"\t"', '"https://service.example.org"', '"http://127.0.0.1:9"', '"../x"', '"/"', '"~nobody/x"',
    '"a\\u0000b"', '"%"',
)  # fmt: skip
_LINES: Final = (
    "[x]", "[[x]]", "[x.y.z]", "[soapclient]", "[profiles]", "[profiles.a]", "[contracts]", "[contracts.a]",
    "[", "[]", '["a.b"]', "a.b.c = 1", "= 1", "a", "a =", '"" = 1', "# c", "\x00", "a = 1 b = 2", "[types]",
    "[fault]", "[paging]", "[signing]", "[refused.fields]", "[operations]", "format = 2", "timeout = 3",
    "a = " + "9" * 4301, "." * 200 + " = 1", "a." * 2000 + "b = 1", "[" + "a." * 1500 + "b]",
)  # fmt: skip
_ASSIGNED: Final = re.compile(r"^(\s*#?\s*)([\w.\"-]+)(\s*=\s*)(.*)$")


class _Toml:
    """A TOML document. `read` reads the bytes and raises one of `typed` if they are invalid."""

    def __init__(
        self, seeds: Sequence[Seed], read: Callable[[Seed, bytes], None], *typed: type[Exception]
    ) -> None:
        self.seeds = tuple(seeds)
        self._read = read
        self._typed = typed

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if random.random() < 0.3:
            return lines(seed.content, random)
        found = seed.content.decode().split("\n")
        for _ in range(random.choice((1, 1, 2, 4))):
            at = random.randrange(len(found))
            match = _ASSIGNED.match(found[at])
            if match is not None and random.random() < 0.7:
                name, said = match[2], match[4]
                way = random.randrange(6)
                if way == 0:
                    name = random.choice(
                        (name + "x", f'"{name}"', f"{name}.a", "x", name.upper(), f"a.{name}")
                    )
                elif way == 1:
                    said = near(said, random)
                elif way == 2:
                    said = "'" + random.choice(INTERESTING) + "'"
                else:
                    said = random.choice(_VALUES)
                found[at] = f"{name}{match[3]}{said}"
            else:
                found.insert(at, random.choice(_LINES))
        return encoded("\n".join(found), random)

    def run(self, seed: Seed, content: bytes) -> bool:
        try:
            self._read(seed, content)
        except self._typed as error:
            said = words_of(error)
            if "is not TOML" in said and "nested too deeply" not in said and self._is_sound(content):
                raise Wrong(f"tomllib takes it: {error}") from None
            return False
        if not self._is_sound(content):
            raise Wrong("tomllib refuses it, and it was taken")
        return True

    def _is_sound(self, content: bytes) -> bool:
        try:
            tomllib.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            return False
        return True


_CONFIG: Final = b"""\
connect_id = "802B8BF4AE99EBE00F41"
timeout = 30
[soapclient]
secret_key = "fa4c0c2020Aa4c"
publisher_url = "https://service.example.org"
deadline = 60.5
attempts = 3
validate = "all"
drift = "warn"
naive_zone = "Europe/Berlin"
signing_names = {publisher = "publisherservice"}
[soapclient.tracking.advertiser]
partner_codes = ["A1", "B2"]
[profiles.test]
rest_format = "json"
proxy = "http://127.0.0.1:3128"
allow_http = ["127.0.0.1"]
max_response_bytes = 1000
"""


def _configuration(folder: Path) -> _Toml:
    path = folder / "soapclient._support.toml"

    def read(seed: Seed, content: bytes) -> None:
        path.write_bytes(content)
        if seed.name == "service":
            Settings.load(file=path, environ={})
            return
        config = Settings.load(file=path, environ={}, profile="test" if seed.name == "profile" else None)
        repr(config)
        Settings.load(environ={}, timeout=config.timeout)

    seeds = [
        Seed("all", _CONFIG),
        Seed("profile", _CONFIG),
        Seed("service", b'timeout = 3\nsafe = ["A"]\nvalidate = "off"\n'),
    ]
    return _Toml(seeds, read, ConfigError)


def _contracts_toml(folder: Path) -> _Toml:
    path = folder / "contracts.toml"

    def read(seed: Seed, content: bytes) -> None:
        path.write_bytes(content)
        known = contracts.read(folder)
        for each in known.contracts.values():
            assert len(each.sha256) == 64

    whole = (_ROOT / "wsdl" / "contracts.toml").read_bytes()
    short = whole[: whole.index(b"\n[contracts.", whole.index(b"[contracts.") + 1)]
    return _Toml([Seed("whole", whole), Seed("one", short), Seed("one", short)], read, SettingsError)


def _lock(folder: Path) -> _Toml:
    def read(seed: Seed, content: bytes) -> None:
        lock.loads(Path("contracts.lock"), content)

    return _Toml([Seed("lock", (_ROOT / "wsdl" / "contracts.lock").read_bytes())], read, LockError)


def _own(folder: Path) -> _Toml:
    """Read NAME.toml and generate a package with it."""
    package = folder / "made"

    def read(seed: Seed, content: bytes) -> None:
        package_settings.path_of(package).write_bytes(content)
        sections = contracts.read_own(package_settings.path_of(package))
        init.make("made", _CORPUS / "feature-service.wsdl", offline=True, sections=sections)

    package_settings.write(package)
    text = package_settings.path_of(package).read_bytes()
    plain = re.sub(rb"^# (\[|\w[\w.]* = |\")", rb"\1", text, flags=re.MULTILINE)
    few = b'format = 2\n[operations]\nsafe = ["GetFeature"]\n[types]\nmay_be_missing = ["Feature/name"]\nday = []\nbinary = []\n'
    few += b'[fault]\nelement = "F"\ncode = "code"\nreason = "reason"\nerror_id = "id"\nauthentication = [1]\ntransient = [2]\n'
    good = b'format = 2\n[operations]\nsafe = ["GetFeature"]\n[types]\nday = []\nbinary = []\n'
    seeds = [Seed("plain", plain), Seed("few", few), Seed("good", good)]
    return _Toml(seeds, read, SettingsError, ContractRefused)


TARGETS: Final[Sequence[Target]] = (
    Target("name-toml", 2_000, _own, seconds=3.0),
    Target("contracts-toml", 5_000, _contracts_toml),
    Target("lock", 6_000, _lock),
    Target("config", 40_000, _configuration),
)
