"""The components that pages are made of. Most have a template in templates/_components/.

The library is a builtin of the template engine: no {% load %} needed.
"""

import pickle
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from django import template
from django.core.paginator import Page
from django.forms import (
    BaseForm,
    BoundField,
    CheckboxInput,
    CheckboxSelectMultiple,
    RadioSelect,
    Select,
    Textarea,
    TextInput,
)
from django.middleware.csrf import get_token
from django.template.defaultfilters import linebreaksbr
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import normalize_newlines

from pages import counting, direction
from pages.controls import visible
from pages.memory import Memory
from pages.modules import modules_of
from pages.worddiff import Piece

register = template.Library()

FILTERS = Memory(200)
# Controls with words that people write, in their own direction.
HOLD_WORDS = (TextInput, Textarea, Select)

# One colour for each meaning, for the states of all tables (states.py of each room).
TONES = {
    "ok": {
        "done", "accepted", "published", "closed", "judged", "locked", "live", "checked", "good", "unanimous",
        "submitted", "ok", "finished", "merged", "accept", "merge", "two",
    },
    "busy": {"running", "trying", "held", "open", "waiting", "pending"},
    "warn": {
        "sent_back", "skipped", "middling", "flagged", "cancelled", "paused", "gone", "warn", "unresolved",
        "ambiguous", "drop",
    },
    "bad": {"failed", "withdrawn", "bad", "down"},
}  # fmt: skip


def tone_of(state: str) -> str:
    return next((tone for tone, states in TONES.items() if state in states), "plain")


@register.simple_tag
def script(entry: str) -> SafeString:
    """A page's script, which is a module, with what it imports asked for at once."""
    return _script(entry, static(entry))


@lru_cache
def _script(entry: str, address: str) -> SafeString:
    """The hash in the address is of what it imports too."""
    _, *imported = modules_of(entry)
    links = ((static(name),) for name in imported)
    preloads = format_html_join("", '<link rel="modulepreload" href="{}">', links)
    return format_html('{}<script type="module" src="{}"></script>', preloads, address)


@register.simple_tag
def status(state: str, label: str = "") -> SafeString:
    """A badge for a state; the words carry the meaning, the colour repeats it. No template: lists have hundreds."""
    words = label or getattr(state, "label", "") or str(state).replace("_", " ").capitalize()
    return _badge(str(state), words)


@register.simple_tag
def verdict(scale: Mapping[str, Any], key: str) -> SafeString:
    """A badge for a verdict: the label and the tone that a rubric's scale has for it."""
    return status(scale[key].tone, scale[key].label)


@lru_cache(maxsize=1_000, typed=True)  # safe words are another type
def _badge(state: str, words: str) -> SafeString:
    return format_html('<span class="badge badge-{}">{}</span>', tone_of(state), words)


@register.inclusion_tag("_components/progress.html")
def progress(done: int, total: int, label: str = "") -> dict[str, object]:
    """done of total, as a bar and in words."""
    return {
        "done": done,
        "total": total,
        "label": label,
        "percent": round(100 * done / total) if total else 0,
    }


@register.inclusion_tag("_components/nothing.html")
def nothing(text: str, what_next: str = "", url: str = "", link: str = "") -> dict[str, str]:
    """An empty state: what is missing, and what to do next.

    Not named "empty", which is a tag of {% for %}.
    """
    return {"nothing": text, "what_next": what_next, "url": url, "link": link}


@register.inclusion_tag("_components/error_summary.html")
def error_summary(*forms: BaseForm) -> dict[str, object]:
    """All errors of the forms at the top of the page, each linked to its field."""
    fields = [field for form in forms if form and form.is_bound for field in form if field.errors]
    general = [
        error for form in forms if form and form.is_bound for error in form.non_field_errors()
    ]
    return {"fields": fields, "general": general}


@register.inclusion_tag("_components/field.html")
def field(bound: BoundField, label: str = "") -> dict[str, object]:
    """Label, help, errors and widget of a form field, linked for screen readers.

    A form in which hardly anything is required has `marks_optional = False`, and does not say it at each field.
    """
    described = [f"{bound.id_for_label}-help"] if bound.help_text else []
    described += [f"{bound.id_for_label}-error"] if bound.errors else []
    attrs: dict[str, str | bool] = {}
    if described:
        attrs["aria-describedby"] = " ".join(described)
    if bound.errors:
        attrs["aria-invalid"] = "true"
    widget = bound.field.widget
    if type(widget) in HOLD_WORDS:
        attrs["dir"] = "auto"
    group = isinstance(widget, RadioSelect | CheckboxSelectMultiple)
    return {
        "bound": bound,
        "label": label or bound.label,
        "widget": bound if group else bound.as_widget(attrs=attrs),
        "group": group,
        "single_box": isinstance(widget, CheckboxInput),
        "is_marked_optional": not bound.field.required
        and getattr(bound.form, "marks_optional", True),
    }


@register.filter
def own_direction(bound: BoundField) -> SafeString:
    """The control of a field, whose words have the direction of their script."""
    return bound.as_widget(attrs={"dir": "auto"})


@register.simple_tag
def filters(form: BaseForm) -> SafeString:
    """The fields by which a list is narrowed, with their values and choices, by which their HTML is remembered."""
    shown = [
        (
            bound.html_name,
            bound.label,
            bound.value(),
            [*map(str, chain(*getattr(bound.field, "choices", ())))],
        )
        for bound in form
    ]
    key = pickle.dumps((type(form), shown))
    kept = FILTERS.get(key)
    if kept is None:
        lines = ((bound.id_for_label, bound.label, own_direction(bound)) for bound in form)
        line = '<div class="field"><label for="{}">{}</label>{}</div>'
        kept = (format_html_join("", line, lines),)
        FILTERS.put(key, *kept)
    html: SafeString = kept[0]
    return html


@register.inclusion_tag("_components/passage_pair.html")
def passage_pair(
    left: str,
    right: str,
    left_title: str = "Passage 1",
    right_title: str = "Passage 2",
    language: str = "",
) -> dict[str, object]:
    """Two passages side by side (stacked on a narrow screen). Safe strings keep their marks."""
    return {"pair": [(left_title, left), (right_title, right)], "language": language}


@register.simple_tag
def written(text: object, language: str | None = "") -> SafeString:
    """The attributes of an element with a text of a record, an article or a model: the direction of its letters, the
    language of its record unless it cannot be it, and that no translator of pages changes it.

    `text`: words, HTML that is safe, a list of pieces, or None.
    """
    words = "".join(piece.text for piece in text) if isinstance(text, list) else str(text or "")
    if isinstance(text, SafeString):
        words = strip_tags(words[: direction.MOST_READ])
    given = direction.of_text(words, language or ""), direction.language_of(words, language or "")
    return format_html('dir="{}" lang="{}" translate="no"', *given)


@register.simple_tag
def phrase(text: object, language: str | None = "") -> SafeString:
    """Such a text within a line of the page."""
    return format_html("<bdi {}>{}</bdi>", written(text, language), text)


@register.filter
def paragraphs(text: str) -> SafeString:
    """Its lines; one that is read the other way than the whole has a direction of its own. Safe HTML stays whole."""
    if isinstance(text, SafeString):
        return linebreaksbr(text)
    whole, parts = direction.of_text(text), []
    for line in normalize_newlines(text).split("\n"):
        own = direction.of_text(line)
        turned = (
            '<span class="turned" dir="{1}">{0}</span>' if own not in ("auto", whole) else "{0}<br>"
        )
        parts.append((format_html(turned, line, own),))
    return SafeString(format_html_join("", "{}", parts).removesuffix("<br>"))


@register.inclusion_tag("_components/pager.html")
def pager(page: Page[Any]) -> dict[str, object]:
    """Links to the other pages of a list made by pages.paging.page_of."""
    query = getattr(page, "query", "")
    return {"page": page, "prefix": f"?{query}&page=" if query else "?page="}


@register.inclusion_tag("_components/action.html", takes_context=True)
def action(
    context: template.Context,
    url: str,
    label: str,
    style: str = "",
    confirm: str = "",
    about: object = "",
    read: str = "",
) -> dict[str, object]:
    """A button that POSTs to `url`; `confirm` makes it ask first, without script.

    `read`, of one that does not ask: of what the person has read, by which the view knows whether it is still so.

    `about` names the row for screen readers, in lists whose buttons share one label.
    """
    return {
        "url": url,
        "label": label,
        "style": style,
        "confirm": confirm,
        "about": about,
        "read": read,
        "csrf_token": get_token(context["request"]),
    }


@register.simple_tag
def changes(pieces: Iterable[Piece]) -> SafeString:
    """A text in pieces: words that are gone are struck out, new ones underlined, those found by a search marked."""
    marks = {
        "gone": "<del>{}</del>",
        "new": "<ins>{}</ins>",
        "found": "<mark>{}</mark>",
        "same": "{}",
    }
    return format_html_join("", "{}", ((format_html(marks[kind], text),) for kind, text in pieces))


@register.filter
def percent(part: float | None, whole: float | None = 1) -> str:
    """part of whole in per cent with one decimal, '–' if a value is missing or whole is 0."""
    if part is None or not whole:
        return "–"
    return f"{100 * part / whole:.1f} %"


@register.filter
def decimals(value: float | None, places: int = 2) -> str:
    """A number with fixed places, '–' for none; never a negative zero."""
    return "–" if value is None else f"{round(value, places) + 0.0:.{places}f}"


register.filter("duration", counting.duration)
register.filter("visible", visible)


@register.simple_tag
def moment(value: Any) -> SafeString | str:
    """A time in UTC, readable and machine-readable."""
    if not value:
        return "–"
    return format_html(
        '<time datetime="{}">{} UTC</time>', value.isoformat(), value.strftime("%Y-%m-%d %H:%M")
    )
