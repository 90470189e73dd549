"""Templates can be read: no line is longer than a screen is wide."""

from django.conf import settings

LONGEST = 160  # characters


def test_no_line_of_a_template_is_too_long():
    templates = sorted((settings.ROOT / "templates").rglob("*.html"))
    assert len(templates) > 100
    too_long = [
        f"{path.relative_to(settings.ROOT)}:{number} has {len(line)} characters"
        for path in templates
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > LONGEST
    ]
    assert too_long == []
