"""Write constraints.txt: the versions of all packages that development needs, from the current environment.

    .venv/bin/python .ci/constraints.py

The packages are the core, the extras `dev` and `exhaustive`, and their dependencies. Exits with 1 if a
package is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FILE = Path(__file__).parents[1] / "constraints.txt"
EXTRAS = ("dev", "exhaustive")
_HEAD = "# Versions for development, with which the tests pass. Written by `make constraints`.\n"


def closure(name: str, extras: Iterable[str]) -> dict[str, str]:
    """Return the dependencies of an installed package and of its extras: name → version.

    Raises PackageNotFoundError if a package is not installed.
    """
    versions: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(name, extra) for extra in ("", *extras)]
    while waiting:
        pair = waiting.pop()
        if pair in seen:
            continue
        seen.add(pair)
        package, extra = pair
        installed = distribution(package)
        versions[canonicalize_name(package)] = installed.version
        for line in installed.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(requirement.name, wanted) for wanted in ("", *requirement.extras)]
    versions.pop(canonicalize_name(name))
    return versions


def main() -> int:
    try:
        versions = closure("soapclient", EXTRAS)
    except PackageNotFoundError as error:
        print(f"{error.name} is not installed: pip install -e '.[dev,exhaustive]'", file=sys.stderr)
        return 1
    FILE.write_text(_HEAD + "".join(f"{name}=={versions[name]}\n" for name in sorted(versions)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
