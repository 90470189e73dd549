"""A page asks at once for all modules that its script imports."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template import Context, Template

from pages.modules import modules_of

STATIC = settings.ROOT / "static"
ENTRIES = sorted(
    {
        entry
        for template in (settings.ROOT / "templates").rglob("*.html")
        for entry in re.findall(r"{% script '([^']+)' %}", template.read_text(encoding="utf-8"))
    }
)


def test_the_pages_name_their_scripts():
    assert "js/annotation/elements/annotate-desk.js" in ENTRIES
    assert "js/judging/elements/judge-desk.js" in ENTRIES


@pytest.mark.parametrize("entry", ENTRIES)
def test_all_that_is_imported_is_there_once(entry):
    found = modules_of(entry)
    assert len(set(found)) == len(found)
    assert [name for name in found if not finders.find(name)] == []
    # Counted by a rule of its own: each line with `from "…"` or `import "…"`, and none with import(.
    named = {
        (Path(name).parent / address).as_posix()
        for name in found
        for address in re.findall(
            r"""(?:from|import) "(\.[^"]+)";""", (STATIC / name).read_text(encoding="utf-8")
        )
    }
    assert {str((STATIC / name).resolve()) for name in named} == {
        str(STATIC / name) for name in found[1:]
    }


def test_what_import_loads_later_is_not_asked_for():
    assert "js/annotation/elements/aids.js" not in modules_of(
        "js/annotation/elements/annotate-desk.js"
    )


def test_the_tag_links_each_module_before_the_script():
    html = Template("{% script 'js/judging/elements/decision-keys.js' %}").render(Context())
    assert re.findall(r'(modulepreload|module)" (?:href|src)="[^"]*/(\w[\w-]*)\.', html) == [
        ("modulepreload", "hotkeys"),
        ("modulepreload", "dom"),
        ("module", "decision-keys"),
    ]
