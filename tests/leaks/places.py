"""Collect the contents of all places where a secret may appear, as bytes to search."""

from __future__ import annotations

import contextlib
import logging
import pickle
import pprint
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import cloudpickle  # type: ignore[import-untyped] # Dask pickles with it
from _pytest._io.saferepr import saferepr
from rich.pretty import pretty_repr

_OURS: Final = ("soapclient.", "zxws.", "requests.sessions")
_DEEP: Final = 5


class Places:
    """The contents by place. `kept` is a list of a place in words and its content."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, bytes]] = []
        self._told: dict[int, object] = {}

    def keep(self, place: str, content: str | bytes) -> None:
        """Add content to search."""
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        self.kept.append((place, data))

    # ---- objects

    def value(self, place: str, value: object) -> None:
        """Add an object as people and programs see it: its strings, attributes and pickle."""
        for how, show in _SHOWN.items():
            with contextlib.suppress(TypeError):  # vars() of objects with slots
                self.keep(f"{how} of {place}", show(value))
        for how, dump in (("pickle", pickle.dumps), ("cloudpickle", cloudpickle.dumps)):
            with contextlib.suppress(Exception):  # not everything can be pickled
                self.keep(f"{how} of {place}", dump(value))

    def reachable(self, place: str, value: object) -> None:
        """Add an object of this project and everything its public attributes lead to."""
        seen: set[int] = set()

        def go(where: str, found: object, deep: int) -> None:
            if isinstance(found, str | bytes):
                self.keep(where, found)
            elif type(found).__module__.startswith(_OURS) and id(found) not in seen and deep < _DEEP:
                seen.add(id(found))
                self.value(where, found)
                for name in dir(found):
                    if not name.startswith("_"):
                        with contextlib.suppress(Exception):  # properties may refuse
                            attribute = getattr(found, name)
                            if not callable(attribute) or type(attribute).__module__.startswith(_OURS):
                                go(f"{where}.{name}", attribute, deep + 1)
            elif isinstance(found, Mapping | list | tuple | set | frozenset):
                self.keep(f"repr of {where}", repr(found))

        go(place, value, 0)

    # ---- errors

    def error(self, place: str, error: BaseException) -> None:
        """Add an error with its causes, as tracebacks with local variables show them."""
        named = f"{place}: {type(error).__name__}"
        for each in _inside(error):
            inside = f"{named}, {type(each).__name__}"
            self.value(inside, each)
            self.value(f"args of {inside}", each.args)
            self.keep(f"notes of {inside}", repr(getattr(each, "__notes__", ())))
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.keep(f"traceback with locals of {named}", "".join(told.format()))
        for inside_of in _inside(error):
            for frame, _ in traceback.walk_tb(inside_of.__traceback__):
                for name, value in frame.f_locals.items():
                    local = f"{name} of {frame.f_code.co_qualname} ({frame.f_globals.get('__name__')})"
                    if id(value) not in self._told:  # kept, so that its id is not reused
                        self._told[id(value)] = value
                        self.keep(f"{named}, rich's {local}", pretty_repr(value, max_width=1000))
                        self.keep(f"{named}, pytest's {local}", saferepr(value, maxsize=None))

    # ---- files

    def folder(self, place: str, folder: Path) -> None:
        """Add all files below a folder: names and contents."""
        for path in sorted(folder.rglob("*")):
            self.keep(f"file name in {place}", str(path.relative_to(folder)))
            if path.is_file():
                self.keep(f"{place}: {path.relative_to(folder)}", path.read_bytes())

    # ---- logs and warnings

    @contextmanager
    def listening(self, place: str) -> Iterator[None]:
        """Collect the messages of all loggers at DEBUG, and all warnings."""
        handler = _Handler(self, place)
        names = [
            name for name, one in logging.root.manager.loggerDict.items() if isinstance(one, logging.Logger)
        ]
        loggers = [logging.root, *map(logging.getLogger, names)]
        before = [(each, each.level, each.disabled) for each in loggers]
        disabled = logging.root.manager.disable
        logging.disable(logging.NOTSET)
        for each in loggers:
            each.setLevel(logging.DEBUG)
            each.disabled = False
        logging.root.addHandler(handler)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield
            for each_warning in caught:
                self.keep(f"{place}: a warning", str(each_warning))
        finally:
            logging.root.removeHandler(handler)
            logging.disable(disabled)
            for each, level, off in before:
                each.setLevel(level)
                each.disabled = off


class _Handler(logging.Handler):
    def __init__(self, places: Places, place: str) -> None:
        super().__init__(logging.NOTSET)
        self._places = places
        self._place = place

    def emit(self, record: logging.LogRecord) -> None:
        place = f"{self._place}: log of {record.name}"
        self._places.keep(place, self.format(record))
        self._places.keep(f"{place}, its fields", repr(vars(record)))
        if record.exc_info and record.exc_info[1] is not None:
            self._places.error(place, record.exc_info[1])


def _vars(value: object) -> str:
    return repr(vars(value))


_SHOWN: Final[Mapping[str, Callable[[object], str]]] = {
    "repr": repr,
    "str": str,
    "format": lambda value: f"{value} {value!r} {value!s} {value!a}" + "%s %r" % (value, value),  # noqa: UP031 - a way of its own
    "vars": _vars,
    "pprint": pprint.pformat,
}


def _inside(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and the errors that it holds: causes, contexts, arguments."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        found = waiting.pop()
        if isinstance(found, BaseException) and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [found.__cause__, found.__context__, *found.args, *vars(found).values()]
