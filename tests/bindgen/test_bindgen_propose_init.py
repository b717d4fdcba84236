"""`bindgen init --propose` does the same for the settings file of a user's package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bindgen.conftest import Init
from tests.support.cases import case_text

_SCHEMA = case_text(__file__, "proposed.xsd")
_SETTINGS = case_text(__file__, "proposed.toml")
_CHANGES = {"page": "pageNo", "since": "from_day", "proof": "signature", "total": "hits"}


def test_settings_file_is_changed_before_the_package_is_written(tmp_path: Path, init_shelf: Init) -> None:
    settings = tmp_path / "shelf.toml"
    init_shelf(_SCHEMA, settings=_SETTINGS)
    changed = _SCHEMA
    for old, new in _CHANGES.items():
        assert changed.count(f'name="{old}"') == 1
        changed = changed.replace(f'name="{old}"', f'name="{new}"')
    said = init_shelf(changed, code=2)
    assert '    page = "pageNo" # [A] proposed: it was "page"' in said
    assert "`bindgen init shelf … --propose` writes these lines" in said
    assert settings.read_text(encoding="utf-8") == _SETTINGS
    init_shelf(changed, "--propose")
    expected = {
        'page = "page"\n': 'page = "pageNo" # [A] proposed: it was "page"\n',
        'total = "total"\n': 'total = "hits" # [A] proposed: it was "total"\n',
        '["AskRequest/since"]\n': '["AskRequest/from_day"] # [A] proposed: it was "AskRequest/since"\n',
        'signature = "proof"\n': 'signature = "signature" # [A] proposed: it was "proof"\n',
        'in_path = ["since"]\n': 'in_path = ["from_day"] # [A] proposed: it was "since"\n',
        'page = "page", size = "size" }\n': (
            'page = "pageNo", size = "size" } # [A] proposed: it was "page"\n'
        ),
    }
    text = _SETTINGS
    for line, instead in expected.items():
        assert text.count(line) == 1
        text = text.replace(line, instead)
    assert settings.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("kind", ["long", "dateTime", "decimal"])
def test_elements_of_a_signature_may_have_any_simple_type(
    tmp_path: Path, init_shelf: Init, kind: str
) -> None:
    """They are found by name, so there is no proposal for them."""
    row = _SETTINGS.replace('in_path = ["since"]', 'in_path = ["sinse"]')
    schema = _SCHEMA.replace('name="time" type="x:string"', f'name="time" type="x:{kind}"')
    said = init_shelf(schema, settings=row, code=2)
    assert "rest.Ask: the request does not have the element 'sinse'" in said
    assert "signing" not in said


def test_similar_names_are_proposed_without_an_earlier_package(tmp_path: Path, init_shelf: Init) -> None:
    settings = tmp_path / "shelf.toml"
    row = 'day = ["AskRequest/since"]'
    init_shelf(_SCHEMA, "--propose", settings=_SETTINGS.replace(row, 'day = ["AskRequest/Since"]'))
    assert f'{row} # [A] proposed: it was "AskRequest/Since"' in settings.read_text(encoding="utf-8")


def test_settings_file_may_be_missing(tmp_path: Path, init_shelf: Init) -> None:
    init_shelf(_SCHEMA, "--propose")
    assert (tmp_path / "shelf.toml").is_file()


def test_option_values_are_not_written_to_the_file(tmp_path: Path, init_shelf: Init) -> None:
    settings = tmp_path / "shelf.toml"
    init_shelf(_SCHEMA, settings="format = 2\n[types]\nday = []\n")
    for options in (("--propose",), ()):
        said = init_shelf(_SCHEMA, "--may-be-missing", "AskResponse/Total", *options, code=2)
        assert "--may-be-missing AskResponse/Total: AskResponse has no element Total" in said
    assert settings.read_text(encoding="utf-8") == "format = 2\n[types]\nday = []\n"
