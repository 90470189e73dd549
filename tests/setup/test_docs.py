"""The docs name every setting and every command; docs/operators/settings.md has both in its tables."""

import re

import pytest

from tests.setup.conftest import ROOT

PAGES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
SETTINGS = (ROOT / "docs" / "operators" / "settings.md").read_text(encoding="utf-8")


def settings_read() -> set[str]:
    code = "".join(
        (ROOT / "config" / name).read_text(encoding="utf-8")
        for name in ("settings.py", "environment.py")
    )
    names = re.findall(
        r'\b(?:text|given|token|flag|(?:whole_)?number|choice|environ\.get)\(\s*"([A-Z_]+)"', code
    )
    names += re.findall(r'required_with\("[A-Z_]+", "([A-Z_]+)"', code)
    return set(names) | set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "Procfile").read_text()))


def commands() -> set[str]:
    return {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}


def test_the_search_finds_settings_and_commands():
    assert {
        "DATA_DIR",
        "SECRET_KEY",
        "WIKI_CONTACT",
        "WEB_PORT",
        "OIDC_CLIENT_SECRET",
    } <= settings_read()
    assert {"first_admin_link", "import_dataset"} <= commands()


@pytest.mark.parametrize("name", sorted(settings_read()))
def test_a_setting_is_in_the_table(name):
    assert re.search(rf"^\| [^|]*`{name}`", SETTINGS, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands()))
def test_a_command_is_described(name):
    assert re.search(rf"`{name}\b|manage\.py {name}\b", PAGES)
    assert re.search(rf"^\| [^|]*`{name}`", SETTINGS, re.MULTILINE)
