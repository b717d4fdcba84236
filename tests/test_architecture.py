"""Architecture rules: imports between packages have one direction, and heavy libraries are loaded late.

Also a rule for tests: their results do not depend on the speed of the machine.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import pytest

from soapclient._support.lazy_pattern import LazyPattern
from tests.contracts_matrix.loopback import serving

ROOT = Path(__file__).parents[1]
HOMES = {"soapclient": ROOT, "zxws": ROOT / "generated", "bindgen": ROOT / "tools"}
# The layers, from the top: a module may import from its own layer or below. A name of the package itself is
# in the layer of its module. The service is above the toolkit.
FLOORS = (
    {"tracking", "Client", "AsyncClient", "Settings"},
    {"__main__", "cli", "testing", "console"},
    {"asyncio", "connect_async"},
    {"connection", "otel", "connect"},
    {"soap", "rest"},
    {"calling"},
    {"tables", "values", "to_dict", "to_json"},
    {"security"},
    {"transport", "auth", "signing", "contract", "drift", "settings"},
    {"runtime"},
    {"errors", "clock", "serving", "services", "_support", "__version__"},
)
# The layers within the tracking service. `backfill` opens clients in the process that fetches a partition.
FLOORS_OF_TRACKING = (
    {"commands", "adapter", "fixtures"},
    {"testing", "console"},
    {"backfill"},
    {"async_client"},
    {"client"},
    {"publisher", "data", "advertiser"},
    {"exports"},
    {"sandbox", "registration", "settings"},
)
SERVICES = ("soapclient.tracking", "zxws")
HANDING_OUT = ("soapclient", "soapclient.tracking.exports")
# The subpackages of soapclient.tracking.exports, from the bottom. Every other module there is either imported
# by all of them or imports all of them.
EXPORT_ROOMS = ("formats", "jobs", "download", "orders")


@cache
def modules(package: str) -> dict[str, Path]:
    """Return all modules of a package: dotted name → file."""
    home = HOMES[package]
    found = {}
    for path in sorted((home / package).rglob("*.py")):
        parts = path.relative_to(home).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def for_types_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def import_statements(tree: ast.AST, *, types: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield all import statements. Without `types` it skips those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr) and (types or not for_types_alone(node)):
            yield from import_statements(node, types=types)


@cache
def both_imports(path: Path) -> tuple[tuple[ast.Import | ast.ImportFrom, ...], ...]:
    """Return the import statements of a module: without those for type checking, and all."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(tuple(import_statements(tree, types=types)) for types in (False, True))


def imports(path: Path, name: str, *, types: bool = True) -> frozenset[str]:
    """Return everything that a module imports, at any depth: names as written, relative names resolved."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in both_imports(path)[types]:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def known(package: str, below: str = "") -> Iterator[tuple[str, str]]:
    """Yield (module, imported name) for all modules of a package, or of a part of it."""
    for name, path in modules(package).items():
        if name == below or name.startswith(f"{below}.") or not below:
            for imported in imports(path, name):
                yield name, imported


def of(imported: str, package: str) -> bool:
    return imported == package or imported.startswith(f"{package}.")


def part(name: str) -> str:
    """Return the part of soapclient that a module belongs to."""
    return name.split(".")[1] if "." in name else ""


def test_modules_are_found() -> None:
    assert {"soapclient.soap.engine", "soapclient.tracking.exports.export"} <= set(modules("soapclient"))
    assert "zeep" in {imported for _, imported in known("soapclient", "soapclient.soap")}
    assert "zxws.publisher.service" in modules("zxws")
    assert "soapclient.runtime.findings" in modules("soapclient")
    assert "bindgen.generate" in modules("bindgen")


def floor(name: str, floors: tuple[set[str], ...] = FLOORS) -> int:
    """Return the layer of a module or name, counted from the top."""
    room = name.split(".")[2] if floors is FLOORS_OF_TRACKING else part(name)
    (found,) = (at for at, rooms in enumerate(floors) if room in rooms)
    return found


@pytest.mark.parametrize(
    ("package", "floors", "above", "below"),
    [
        ("soapclient", FLOORS, "cli.session", "errors"),
        ("soapclient.tracking", FLOORS_OF_TRACKING, "client", "exports"),
    ],
)
def test_packages_import_only_lower_layers(
    package: str, floors: tuple[set[str], ...], above: str, below: str
) -> None:
    """Imports inside functions and for type checking count, too."""
    assert floor(f"{package}.{above}", floors) < floor(f"{package}.{below}", floors)
    wrong = [
        (name, imported)
        for name, imported in known("soapclient", package)
        if of(imported, package)
        and name not in HANDING_OUT  # these packages re-export names lazily
        and floor(name, floors) > floor(imported, floors)
    ]
    assert wrong == []


def test_toolkit_does_not_import_the_tracking_service() -> None:
    """Neither in an import nor in a string. Only the package itself exports `Client`."""
    wrong = []
    for name, path in modules("soapclient").items():
        if name == "soapclient" or of(name, "soapclient.tracking"):
            continue
        text = path.read_text(encoding="utf-8")
        tree = ast.walk(ast.parse(text)) if any(service in text for service in SERVICES) else ()
        texts = [
            node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        named = {text for text in texts if " " not in text and any(of(text, each) for each in SERVICES)}
        names = imports(path, name) | named
        wrong += [(name, each) for each in sorted(names) if any(of(each, one) for one in SERVICES)]
    assert wrong == []
    assert ("soapclient", "soapclient.tracking.client.Client") in set(known("soapclient", "soapclient"))


def arrows() -> set[tuple[str, str]]:
    """Return (module, imported module) for imports at run time in soapclient and bindgen.

    Packages that re-export names are skipped.
    """
    homes = {**modules("soapclient"), **modules("bindgen")}
    found = set()
    for name in homes.keys() - set(HANDING_OUT):
        for imported in imports(homes[name], name, types=False):
            module = imported if imported in homes else imported.rpartition(".")[0]
            if module in homes and module != name:
                found.add((name, module))
    return found


def siblings(one: str, other: str) -> tuple[str, str]:
    """Return the ancestors of two modules right below their last common package.

    A package counts as its own ancestor. bindgen counts as a subpackage of soapclient: it imports the rows,
    and the command line imports it. The modules of _support count separately, because the errors import some
    of them, and others import the errors.
    """
    names = (each.removeprefix("soapclient.").removeprefix("_support.") for each in (one, other))
    ours, theirs = (name.split(".") for name in names)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))))
    return ".".join(ours[: shared + 1]), ".".join(theirs[: shared + 1])


def check_for_circles(arrows: Iterable[tuple[str, str]]) -> None:
    """Raise CycleError, which names the cycle."""
    graph = TopologicalSorter[str]()
    for source, target in arrows:
        graph.add(source, target)
    graph.prepare()


def test_import_cycle_is_detected() -> None:
    assert siblings("a.b.c", "a.d") == ("a.b", "a.d")
    assert siblings("a.b.c", "a.b") == ("a.b.c", "a.b")
    assert siblings("soapclient.cli.docs", "bindgen.cli") == ("cli", "bindgen")
    check_for_circles([("a", "b"), ("b", "c"), ("a", "c")])
    with pytest.raises(CycleError):
        check_for_circles([("a", "b"), ("b", "c"), ("c", "a")])
    typed = ast.parse("import a\nif TYPE_CHECKING:\n    import b\ndef f():\n    import c")
    seen = [node.names[0].name for node in import_statements(typed, types=False)]
    assert seen == ["a", "c"]


def test_modules_and_packages_have_no_import_cycles() -> None:
    """Imports inside functions count, and imports of a package's modules count as the package's.

    Imports for type checking do not count.
    """
    run = arrows()
    assert (
        "soapclient.tracking.exports.formats.export_file",
        "soapclient.tracking.exports.formats.arrow",
    ) in run
    check_for_circles(run)
    check_for_circles({siblings(*arrow) for arrow in run})


def test_export_packages_import_only_lower_ones() -> None:
    wrong = []
    for name, imported in known("soapclient", "soapclient.tracking.exports"):
        rooms = [
            each.removeprefix("soapclient.tracking.exports.").partition(".")[0] for each in (name, imported)
        ]
        if of(imported, "soapclient.tracking.exports") and set(rooms) <= set(EXPORT_ROOMS):
            if EXPORT_ROOMS.index(rooms[0]) < EXPORT_ROOMS.index(rooms[1]):
                wrong.append((name, imported))
        elif rooms[0] in EXPORT_ROOMS and rooms[1] in ("export", "exporter"):
            wrong.append((name, imported))
    assert wrong == []


@pytest.mark.parametrize(
    ("library", "homes"),
    [("zeep", ("soapclient.soap", "soapclient.auth")), ("xmlschema", ("soapclient.contract",))],
)
def test_library_is_imported_in_one_package(library: str, homes: tuple[str, ...]) -> None:
    who = {name for name, imported in known("soapclient") if of(imported, library)}
    assert who
    assert all(any(of(name, home) for home in homes) for name in who), who


def test_protocols_do_not_import_each_other() -> None:
    assert {"soapclient.rest.engine", "soapclient.rest.responses"} <= set(modules("soapclient"))
    for one, other in (("soap", "rest"), ("rest", "soap")):
        pairs = list(known("soapclient", f"soapclient.{one}"))
        assert not [pair for pair in pairs if of(pair[1], f"soapclient.{other}")]


def test_sandbox_imports_only_the_serving_package() -> None:
    """Otherwise agreement between client and sandbox would prove nothing."""
    serving, sandbox = "soapclient.serving", "soapclient.tracking.sandbox"
    wrong = [
        (name, imported)
        for below, allowed in ((serving, (serving,)), (sandbox, (serving, sandbox)))
        for name, imported in known("soapclient", below)
        if any(of(imported, each) for each in ("zxws", "bindgen", "soapclient"))
        and not any(of(imported, each) for each in allowed)
    ]
    assert wrong == []
    assert any(of(imported, serving) for _, imported in known("soapclient", sandbox))


def test_run_time_imports_bindgen_only_lazily_in_the_command_line() -> None:
    who = {name for name, imported in known("soapclient") if of(imported, "bindgen")}
    assert all(of(name, "soapclient.cli") for name in who), who
    for name in who:
        tree = ast.parse(modules("soapclient")[name].read_text(encoding="utf-8"))
        at_the_top = {
            alias.name if isinstance(node, ast.Import) else f"{node.module}"
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert not any(of(imported, "bindgen") for imported in at_the_top), name


_SCHEMES = ("soapclient.signing", "soapclient.services.signing_schemes", "soapclient.errors")


@pytest.mark.exhaustive
def test_bindgen_imports_rows_and_transport_but_no_generated_code() -> None:
    """The transport is imported late, because most commands do not use the network."""
    beside = ("soapclient.transport", "soapclient.settings", "soapclient.clock", "soapclient.errors")
    helpers = ("toml", "secret_names", "suggestions", "redaction")  # hints hide passwords in addresses
    wrong, late = [], set()
    for name, imported in known("bindgen"):
        if imported == "soapclient.__version__" or any(
            of(imported, f"soapclient.{module}")
            for module in ("runtime", *(f"_support.{helper}" for helper in helpers))
        ):
            continue
        if name == "bindgen.schemes" and imported.startswith(_SCHEMES):
            continue  # the signing schemes by name, and the error if there is no such scheme
        if of(name, "bindgen.docs") and of(imported, "soapclient.testing.examples"):
            continue  # the pages and the tests use the same examples
        if of(name, "bindgen.fetching") and any(of(imported, other) for other in beside):
            late.add((name, imported))
        elif any(of(imported, other) for other in ("soapclient", "zxws", "zeep")):
            wrong.append((name, imported))
    assert wrong == []
    assert late
    for name, imported in late:
        tree = ast.parse(modules("bindgen")[name].read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        assert not [node for node in top if of(imported, f"{node.module}")], name


def test_generated_code_imports_only_msgspec_lxml_and_the_standard_library() -> None:
    """`frames` imports table libraries only for type checkers.

    `plain_values` imports pydantic when pydantic itself asks for a schema.
    """
    allowed = {"msgspec", "lxml", "_soapclient_xmlread", "zxws", *sys.stdlib_module_names}
    frames = "soapclient.runtime.frames"
    named = {"pandas", "polars", "pyarrow", "soapclient._support.part_file.Written"}
    wrong = [
        (name, imported)
        for name, imported in (*known("zxws"), *known("soapclient", "soapclient.runtime"))
        if imported.split(".")[0] not in allowed
        and not of(imported, "soapclient.runtime")
        and not any(
            of(imported, f"soapclient._support.{name}")
            for name in ("lazy_pattern", "secret_names", "speedups")
        )
        and not (name == frames and imported in named)
        and not (name == "soapclient.runtime.plain_values" and imported.startswith("pydantic"))
    ]
    assert wrong == []
    assert not named & imports(modules("soapclient")[frames], frames, types=False)


def test_generated_contracts_do_not_import_each_other() -> None:
    contracts = {name.split(".")[1] for name in modules("zxws") if "." in name}
    assert {"publisher", "data"} <= contracts
    for contract in contracts:
        others = [f"zxws.{other}" for other in contracts - {contract}]
        wrong = [
            pair for pair in known("zxws", f"zxws.{contract}") if any(of(pair[1], one) for one in others)
        ]
        assert wrong == []


def test_the_run_time_never_reads_the_contracts_folder() -> None:
    for name, path in modules("soapclient").items():
        if of(name, "soapclient.cli"):
            continue  # it may be given the folder
        text = path.read_text(encoding="utf-8")
        assert "contracts.lock" not in text, name
        assert 'open("wsdl' not in text, name


@pytest.mark.parametrize(("folder", "folders"), [("generated", {"zxws"}), ("tools", {"bindgen", "speedups"})])
def test_folders_of_packages_are_not_packages(folder: str, folders: set[str]) -> None:
    inside = {path.name for path in (ROOT / folder).iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert inside == folders
    assert not (ROOT / "tools" / "speedups" / "__init__.py").exists()
    assert not (ROOT / folder / "__init__.py").exists()
    assert list((ROOT / folder).glob("*.py")) == []


def loaded_after(code: str, *names: str) -> list[str]:
    """Return which of the libraries are loaded after running this code."""
    code = f"{code}\nimport sys\nprint(*({set(names)} & set(sys.modules)))"
    # coverage.py would import modules of its own into this process.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    return done.stdout.split()


HEAVY = (
    *("zeep", "requests", "urllib3", "xmlschema", "lxml.etree", "lxml", "msgspec"),
    *("werkzeug", "click", "bindgen"),
)


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import soapclient", "typing", *HEAVY) == []


def test_help_loads_no_network_library() -> None:
    code = """
import sys
from soapclient.cli import main
sys.argv = ["soapclient", "--help"]
try:
    main()
except SystemExit:
    pass
print("|")
"""
    network = {"ssl", "socket", "http.client", "urllib.request", "email.utils", "asyncio"}
    heavy = {*HEAVY, "tenacity", "difflib"} - {"click", "bindgen"}  # bindgen.pipes alone is light
    loaded = loaded_after(code, *network, *heavy)
    assert loaded[loaded.index("|") + 1 :] == []


@pytest.mark.exhaustive
def test_unused_client_loads_no_http_library() -> None:
    code = "from soapclient import Client, Settings\nClient(Settings.load(environ={})).close()"
    assert loaded_after(code, "zeep", "requests", "urllib3", "xmlschema", "werkzeug", "bindgen") == []


@pytest.mark.exhaustive
def test_valid_call_does_not_load_xmlschema() -> None:
    code = """
from soapclient import Client, Settings
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
with Sandbox() as sandbox, serve(sandbox) as server:
    config = Settings.load(
        environ={}, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY, publisher_url=server.url
    )
    with Client(config) as client:
        assert client.publisher.get_profile().profile_item is not None
"""
    assert loaded_after(code, "zeep", "xmlschema", "bindgen") == ["zeep"]


@pytest.mark.exhaustive
def test_call_without_a_retry_imports_no_tenacity() -> None:
    """Tenacity imports asyncio, and tornado if it is installed. zeep.wsse imports xmlsec."""
    body = (
        b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
        b'<SearchProgramsResponse xmlns="http://api.zanox.com/namespace/2011-03-01/">'
        b"<page>0</page><items>1</items><total>0</total></SearchProgramsResponse></s:Body></s:Envelope>"
    )
    code = """
from soapclient import Client, Settings
account = {"connect_id": "802B8BF4AE99EBE00F41", "secret_key": "no secret"}
with Client(Settings.load(environ={}, publisher_url=URL, **account)) as client:
    assert client.publisher.search_programs(items=1).total == 0
"""
    late = {
        *("tenacity", "tornado", "asyncio", "difflib", "zeep.wsse", "xmlsec", "xmlschema", "httpx", "rich"),
        *("tomllib", "xml.sax"),
        *("soapclient.tables.tabular", "soapclient.calling.pages", "soapclient.runtime.html"),
    }
    with serving(lambda *_: (200, "text/xml; charset=utf-8", body), []) as url:
        assert loaded_after(code.replace("URL", repr(url)), "zeep", *late) == ["zeep"]


@pytest.mark.exhaustive
def test_patterns_are_compiled_late() -> None:
    """The modules of a first call compile few patterns when they are imported. All patterns are valid.

    Only patterns that match each value of a message are compiled at import: white space, and characters that
    XML does not allow.
    """
    code = """
import re, sys
original = re.compile
def compile(pattern, flags=0):
    name = sys._getframe(1).f_globals["__name__"]
    if name.startswith("soapclient.") and name != "soapclient._support.lazy_pattern":
        print(name)
    return original(pattern, flags)
re.compile = compile
import soapclient.cli.application, soapclient.soap.calls, soapclient.soap.engine, soapclient.tracking.client
import soapclient.tracking.publisher, soapclient.runtime.scalars
"""
    assert sorted(loaded_after(code)) == ["soapclient.runtime.lexical", "soapclient.runtime.scalars"]
    patterns = 0
    for name in modules("soapclient"):
        if "lazy_pattern import" in modules("soapclient")[name].read_text(encoding="utf-8"):
            values = vars(import_module(name)).values()
            members = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
            for pattern in members:
                if isinstance(pattern, LazyPattern):
                    patterns += 1
                    assert callable(pattern.search), name
    assert patterns > 80


@pytest.mark.exhaustive
def test_no_test_measures_real_time() -> None:
    """Time is injected, or tests wait for an event with a generous timeout. Measurements assert nothing."""
    names = {"sleep", "monotonic", "perf_counter", "process_time"}
    clocks = {f"time.{name}" for name in names}
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if {"bench", "campaigns"} & set(path.parts):
            continue
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in names):
            continue
        attributes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute))
        used = {ast.unparse(node) for node in attributes if node.attr in names}
        used |= imports(path, path.stem)
        wrong += [(path.relative_to(ROOT).as_posix(), name) for name in sorted(used & clocks)]
    assert wrong == []
