"""Stored text never runs as script: every page, with markup in every text that it shows.

The policy forbids inline scripts besides (tests/accounts/test_access.py); here it is the markup itself.
"""

import re
from html.parser import HTMLParser

import pytest
from django.db import models

from accounts.models import Person
from annotation.models import Annotation, Assignment, Campaign, DraftRevision, Question, Review
from datasets.models import Collection, Contradiction, Instance, Release
from generation.models import Attempt, LanguageModel, Response, Run
from judging.models import (
    Discussion,
    Judge,
    JudgingSlot,
    Judgment,
    Remark,
    Resolution,
    Study,
    StudyItem,
)
from tests.test_access_table import (  # noqa: F401 fixtures
    PEOPLE,
    rows,
    service,
    signed_in,
    stored,
    world,
)
from tests.wikifetch import factories as wiki
from wikifetch import fetch, newfetch
from wikifetch.models import FetchProblem, FetchRun, Sighting, Tag

pytestmark = pytest.mark.django_db

SCRIPT = "\"'><img src=x onerror=a()><script>a()</script><svg onload=a()>{{7*7}}"
WIKITEXT = f"""{SCRIPT}
== {SCRIPT} ==
<div style="top:0" onclick="a()" id="annotation-form">a</div> <a href="javascript:a()">b</a> [javascript:a() c]
<iframe src="https://evil.example"></iframe><math><mi xlink:href="data:x,<script>a()</script>"></math>
{{| onclick=a()
| rowspan="2" style="top:0" onmouseover=a() colspan='3" onclick="a()' | {SCRIPT}
|}}
[[File:x.png|thumb|{SCRIPT}]] <ref name="{SCRIPT}">{SCRIPT}</ref> <nowiki><script>a()</script></nowiki>
Built.{{{{Inconsistent|date=<script>a()</script>|reason=<img src=x onerror=a()>}}}} &lt;script&gt;a()&lt;/script&gt;
* {{{{Contradict other|<svg onload=a()>|date=x}}}} an item
"""

RUN_BY_TAG = {"img", "iframe", "object", "embed", "math", "base", "style", "video", "audio"}
# Types of blocks that hold data and never run.
DATA = {"application/json", "application/ld+json"}
ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "data", "srcdoc"}


# Keys of the rubric: the verbs take no other text.
OF_THE_RUBRIC = {"verdict", "first_verdict"}


class Reader(HTMLParser):
    """Parses a page and collects in `scripts` what would run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        own = (given.get("src") or "").startswith("/static/")
        if tag in RUN_BY_TAG or (tag == "script" and not own and given.get("type") not in DATA):
            self.scripts.append(self.get_starttag_text() or tag)
        for name, value in attrs:
            leads = re.sub(r"[\s\x00-\x20]", "", value or "").lower()
            runs = name in ADDRESSES and re.match(r"(javascript|data|vbscript):|//", leads)
            if name.startswith("on") or name == "style" or runs:
                self.scripts.append(self.get_starttag_text() or name)


def in_every_text(rows_of: models.QuerySet, *but: str) -> None:
    """Put the markup into every text of these rows, except where a constraint or choices forbid it."""
    bound = {
        name for each in rows_of.model._meta.constraints for name in getattr(each, "fields", ())
    }
    for field in rows_of.model._meta.fields:
        is_text = isinstance(field, models.CharField | models.TextField) and not field.choices
        if is_text and not field.unique and field.name not in bound | set(but) | OF_THE_RUBRIC:
            rows_of.update(**{field.name: SCRIPT[: field.max_length]})


@pytest.fixture(scope="module")
def marked(stored, tmp_path_factory):  # noqa: F811
    """The world of the access table with markup in every text that a person or a wiki can write."""
    everybody = stored["everybody"]
    page = wiki.page(
        77, f"Mill {SCRIPT}", wiki.revision(5, "Mill.", by=SCRIPT),
        wiki.revision(6, WIKITEXT, parent=5, by=SCRIPT, summary=SCRIPT),
    )  # fmt: skip
    file = wiki.written(tmp_path_factory.mktemp("pages"), wiki.export(page))
    run = fetch.finished(newfetch.fetch_of_files([file], by=everybody["olga"], label=SCRIPT))
    FetchProblem.objects.create(run=run, page=SCRIPT, problem=SCRIPT)
    for study in Study.objects.all():
        Study.objects.filter(pk=study.pk).update(name=f"{study.pk}{SCRIPT}")
    for model in (
        FetchRun, Contradiction, Instance, Collection, Release, LanguageModel, Run, Response, Attempt,
        Judgment, JudgingSlot, Resolution, Discussion, Remark, Annotation, Assignment, Campaign, Question,
        Review, DraftRevision,
    ):  # fmt: skip
        in_every_text(model.objects.all(), "external_id", "prompt", "state", "lease_holder")
    in_every_text(Sighting.objects.exclude(revision__revid=6))
    Contradiction.objects.update(url="javascript:a()//", taxonomy=[[SCRIPT, SCRIPT]])
    Response.objects.update(gold=[SCRIPT], request={SCRIPT: SCRIPT}, reply={SCRIPT: SCRIPT})
    Judge.objects.filter(person__username="ivy").update(pseudonym=SCRIPT[:40])
    Person.objects.update(name=SCRIPT)
    StudyItem.objects.update(names_its_model=True)
    JudgingSlot.objects.update(flagged=True)
    return stored | {"article": Tag.objects.filter(article__pageid=77).first().pk}


QUERY = "?q={0}&words={0}&prompt={0}&service={0}&model_id={0}&next={0}&state={0}&kind={0}".format(
    "%22%3E%3Cscript%3Ea()%3C/script%3E"
)


def answers(client, marked):
    """Every page with its address; those in HTML a second time, with markup in the query."""
    paths = [path.format(**marked) for method, path, _ in rows() if method == "GET"]
    for path in [*paths, f"/tags/{marked['article']}/"]:
        answer = client.get(path)
        yield path, answer
        if answer.status_code != 403 and answer["Content-Type"].startswith("text/html"):
            yield path + QUERY, client.get(path + QUERY)


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.usefixtures("world")
def test_no_page_contains_unescaped_markup(marked, who):
    client = signed_in(marked, who)
    shown = 0
    for address, answer in answers(client, marked):
        whole = b"".join(answer)
        assert answer.status_code < 500, address
        assert "default-src 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "camera=()" in answer["Permissions-Policy"]
        if answer["Content-Type"].startswith(("text/html", "image/svg+xml")):
            body = whole.decode()
            assert Reader(body).scripts == [], address
            shown += "onerror=a()" in body
    # Otherwise the test would pass on pages that show nothing.
    assert shown > {"rosa": 30, "olga": 50, "max": 60}.get(who, -1)
