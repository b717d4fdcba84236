"""Bill of materials of the package, and an audit for known vulnerabilities.

    .venv/bin/python .ci/supply.py sbom [--output FILE] [--environment VENV]
    .venv/bin/python .ci/supply.py audit [--advisories PATH] [--environment VENV] [-- options of pip-audit]

Both examine VENV, or else a new environment with the wheel and all extras of users. `sbom` writes CycloneDX
(cyclonedx-bom), the same bytes for the same versions. `audit` runs pip-audit, which queries osv.dev. With
PATH, or ADVISORIES=PATH in the environment, it needs no network: PATH is a folder or a zip of advisories in
OSV's JSON, such as `PyPI/all.zip` of osv.dev. Exits with 1 if a package is vulnerable, 2 if the audit failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT: Final = Path(__file__).parents[1]
_FOR_WORK: Final = (
    "audit",
    "bench",
    "dev",
    "docs",
    "exhaustive",
    "mutation",
)  # not for users

# An advisory in the format of OSV (https://ossf.github.io/osv-schema/).
Advisory = dict[str, Any]


def advisories(path: Path) -> dict[str, list[Advisory]]:
    """Return all advisories for PyPI in a folder or a zip: name of the package → advisories.

    Raises ValueError if there are none: such an audit would find nothing.
    """
    found: dict[str, list[Advisory]] = {}
    for advisory in map(json.loads, _documents(path)):
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") == "PyPI":
                package["name"] = canonicalize_name(package["name"])  # as pip-audit compares it
                known = found.setdefault(package["name"], [])
                if advisory not in known[-1:]:
                    known.append(advisory)
    if not found:
        raise ValueError(f"{path} holds no advisories for PyPI in OSV's JSON")
    return found


def _documents(path: Path) -> Iterator[bytes]:
    if path.is_dir():
        yield from (each.read_bytes() for each in sorted(path.rglob("*.json")))
    else:
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist() if name.endswith(".json"))


def affects(advisory: Advisory, name: str, version: Version) -> bool:
    """Return True if an advisory affects this version by the rules of OSV: listed, or inside a range."""
    for affected in advisory["affected"]:
        if affected.get("package", {}).get("name") != name:
            continue
        if any(_version(listed) == version for listed in affected.get("versions", ())):
            return True
        ranges = (each for each in affected.get("ranges", ()) if each["type"] == "ECOSYSTEM")
        if any(_inside(each["events"], version) for each in ranges):
            return True
    return False


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None  # older than PEP 440: such a version cannot be installed


def _inside(events: list[dict[str, str]], version: Version) -> bool:
    """Return True if a version is between the events "introduced" and "fixed"."""
    dated = [(_version(text), what) for event in events for what, text in event.items()]
    inside = False
    for at, what in sorted(((at, what) for at, what in dated if at is not None)):
        if what == "introduced" and version >= at:
            inside = True
        elif (what == "fixed" and version >= at) or (what == "last_affected" and version > at):
            inside = False
    return inside


@contextmanager
def served(known: dict[str, list[Advisory]]) -> Iterator[str]:
    """Answer OSV queries for one version from `known`, on loopback. Yields the address for `--osv-url`."""

    class Query(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name, version = asked["package"]["name"], Version(asked["version"])
            vulns = [each for each in known.get(name, ()) if affects(each, name, version)]
            body = json.dumps({"vulns": vulns} if vulns else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Query)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def audit(environment: Path, snapshot: Path | None, options: list[str]) -> int:
    """Run pip-audit over the installed packages. Returns its exit code, or 2 if the audit failed."""
    packages = next(environment.glob("lib/python3*/site-packages"))
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner=off", "--strict", f"--path={packages}"]
    if snapshot is None:
        return _audited([*command, "--vulnerability-service=osv", *options])
    known = advisories(snapshot)
    distinct = {each["id"]: each.get("modified", "") for found in known.values() for each in found}
    newest = max(distinct.values())
    print(f"{len(distinct)} advisories for {len(known)} packages, the newest of {newest}", file=sys.stderr)
    with served(known) as address:
        return _audited([*command, "--vulnerability-service=osv", f"--osv-url={address}", *options])


def _audited(command: list[str]) -> int:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    said = done.stderr.strip().splitlines() or [""]
    if not done.returncode or done.stdout.strip():
        print(*said, sep="\n", file=sys.stderr)
        return done.returncode
    # Without a table, 1 means an exception and not a vulnerable package.
    print(f"The audit was not made: {said[-1]}", file=sys.stderr)
    return 2


def sbom(environment: Path, output: Path) -> None:
    """Write the installed packages as CycloneDX 1.6 JSON, validated against the schema in the library."""
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        (
            *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--validate"),
            *("--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library"),
            *("--output-file", str(output), str(environment)),
        ),
        check=True,
    )


@contextmanager
def installed() -> Iterator[Path]:
    """Create an environment with only the wheel of this checkout and all extras of users."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = ",".join(key for key in extras["optional-dependencies"] if key not in _FOR_WORK)
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder, "venv")
        _quiet("-m", "build", "--wheel", "--outdir", folder, str(ROOT))
        _quiet("-m", "venv", "--without-pip", str(venv))
        wheel = next(Path(folder).glob("*.whl"))
        _quiet("-m", "pip", "--python", str(venv), "install", "--quiet", f"{wheel}[{wanted}]")
        for record in venv.glob("lib/python3*/site-packages/soapclient-*/direct_url.json"):
            record.unlink()  # the path of the wheel on this machine
        yield venv


def _quiet(*arguments: str) -> None:
    done = subprocess.run((sys.executable, *arguments), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(arguments[:3])} failed; see above")


def main(arguments: list[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("sbom", "audit"))
    parser.add_argument("--environment", type=Path, metavar="VENV")
    parser.add_argument("--output", type=Path, metavar="FILE", default=ROOT / "dist/soapclient.cdx.json")
    parser.add_argument("--advisories", type=Path, metavar="PATH", default=os.environ.get("ADVISORIES"))
    options = parser.parse_args(arguments[:at])
    if options.environment is None:
        with installed() as environment:
            return _done(options, environment, arguments[at + 1 :])
    return _done(options, options.environment, arguments[at + 1 :])


def _done(options: argparse.Namespace, environment: Path, more: list[str]) -> int:
    if options.what == "sbom":
        sbom(environment, options.output)
        print(options.output)
        return 0
    try:
        return audit(environment, options.advisories, more)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        print(f"The audit was not made: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
