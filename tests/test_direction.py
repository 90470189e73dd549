"""Texts that people, wikis and models wrote take their direction from their own letters, on every page.

Each such text of the demonstration set begins with a mark; pages are looked through for marks that nothing with
dir="auto" (or <bdi>) holds. One page of each address pattern is opened, a published report among them. Texts that
people read as evidence have a second mark: a browser's translator must leave them as they are.
"""

from html.parser import HTMLParser

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.models import F, Value
from django.db.models.functions import Concat, Now
from django.test import Client
from django.urls import resolve, reverse

from accounts.roles import Role
from annotation.models import Review, TagReview
from annotation.reviewing.tags_in_round import InRound
from annotation.workflow.claiming import next_assignment
from evaluation.frozen import publishing, snapshots
from judging import studies
from judging.models import Study
from judging.selections import Selection
from tests.crawling import links
from tests.factories import person

pytestmark = pytest.mark.django_db

MARK = "نص "
EVIDENCE = "دليل "
WRITTEN = {
    "wikifetch.Article": "title",
    "wikifetch.Revision": "editor summary",
    "wikifetch.Tag": "introduced_summary introduced_block introduced_parent_block",
    "wikifetch.Sighting": "reason other_article section block block_text",
    "wikifetch.FetchProblem": "page",
    "annotation.Campaign": "name",
    "annotation.Assignment": "skip_reason",
    "annotation.Annotation": "valid_comment article_1 article_2 passage_1_copied passage_2_copied "
    "passage_1_standalone passage_2_standalone statement_1 statement_2 span_1 span_2 contradict_comment qa_comment "
    "flag_note",
    "annotation.Question": "question answer_1 answer_2",
    "annotation.Review": "note answer",
    "annotation.TagReview": "reason",
    "datasets.Collection": "title description",
    "datasets.Contradiction": "title paragraph tag_reason article_1 article_2 passage_1_copied passage_2_copied "
    "passage_1_standalone passage_2_standalone span_1 span_2 statement_1 statement_2 valid_comment "
    "contradict_comment qa_comment",
    "datasets.Instance": "question answer_1 answer_2",
    "datasets.Exclusion": "reason",
    "generation.LanguageModel": "display_name",
    "generation.Run": "name",
    "generation.Response": "text rendered reasoning",
    "judging.Study": "name",
    "judging.JudgingSlot": "skip_reason flag_note",
    "judging.Judgment": "comment",
    "judging.Resolution": "note",
    "judging.JudgeCall": "reply",
    "judging.Remark": "text",
    "accounts.Person": "name",
}
READ_AS_EVIDENCE = {
    "wikifetch.Sighting": "block block_text",
    "annotation.Annotation": "passage_1_copied passage_2_copied passage_1_standalone passage_2_standalone "
    "span_1 span_2",
    "annotation.Question": "question answer_1 answer_2",
    "datasets.Contradiction": "paragraph passage_1_copied passage_2_copied passage_1_standalone passage_2_standalone "
    "span_1 span_2",
    "datasets.Instance": "question answer_1 answer_2",
    "generation.Response": "text rendered",
}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# Their words are no text of the page, or the browser shows them in its own frame.
UNSEEN = {"script", "style", "title", "svg"}


class Marks(HTMLParser):
    """The elements that hold a mark and take no direction from it, as "section > p.note: text".

    `translated`: those that hold the mark of evidence and let it be translated.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.found: list[str] = []
        self.translated: list[str] = []
        self.feed(page)

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        self.open.append((name, given))
        if (
            name == "input"
            and given.get("type", "text") in ("text", "search")
            and MARK in (given.get("value") or "")
        ):
            self._look(given["value"])
        if name in VOID:
            self.open.pop()

    def handle_endtag(self, name):
        while self.open and self.open.pop()[0] != name:
            pass

    def handle_data(self, text):
        if MARK in text:
            self._look(text)

    def _look(self, text):
        names = {name for name, _ in self.open}
        # Where no translator may read, it is by most of the letters: see tests/pages/test_direction.py.
        dirs = [
            "auto"
            if "dir" not in given
            or given.get("translate") == "no"
            or given.get("class") == "turned"
            else given["dir"]
            for name, given in self.open
            if "dir" in given or name == "bdi"
        ]
        if names & UNSEEN:
            return
        where = " > ".join(
            name + "".join(f".{each}" for each in (given.get("class") or "").split())
            for name, given in self.open[-3:]
        )
        line = f"{where}: {' '.join(text.split())[:60]}"
        if dirs[-1:] != ["auto"]:
            self.found.append(line)
        if EVIDENCE in text and not any(given.get("translate") == "no" for _, given in self.open):
            self.translated.append(line)


def without_direction(page):
    return Marks(page).found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>نص a</p>", ["p: نص a"]),
        ('<p dir="auto">نص a</p>', []),
        ('<div dir="auto"><p>نص a</p><br></div><p class="b">نص c</p>', ["p.b: نص c"]),
        ('<div dir="auto"><p dir="ltr">نص a</p></div>', ["div > p: نص a"]),
        ("<p>By <bdi>نص a</bdi></p>", []),
        ('<input type="text" value="نص a">', ["input: نص a"]),
        ('<input type="hidden" value="نص a"><title>نص a</title>', []),
        ("<textarea>نص a</textarea>", ["textarea: نص a"]),
    ],
)
def test_the_finder_finds(html, found):
    assert without_direction(html) == found


def test_the_finder_finds_what_is_translated():
    page = '<p>نص دليل a</p><p>نص b</p><div translate="no"><bdi>نص دليل c</bdi></div>'
    assert Marks(page).translated == ["p: نص دليل a"]


def marked():
    for fields_by_model, mark in ((READ_AS_EVIDENCE, EVIDENCE), (WRITTEN, MARK)):
        for name, fields in fields_by_model.items():
            rows = apps.get_model(name)._base_manager
            for field in fields.split():
                written = rows.exclude(**{field: ""}).exclude(**{f"{field}__isnull": True})
                written.update(**{field: Concat(Value(mark), F(field))})


def pages(client, starts):
    """(address, page) for one page of each address pattern, wherever a link leads."""
    queue, seen = list(starts), set()
    while queue:
        address = queue.pop(0)
        pattern = resolve(address.split("?")[0]).route
        if pattern in seen or "log-out" in address:
            continue
        seen.add(pattern)
        answer = client.get(address, follow=True)
        if answer.streaming:
            b"".join(answer)  # closes what it reads
            continue
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        text = answer.content.decode()
        queue += links(address, answer, text)
        yield address, text


def test_every_text_that_somebody_wrote_has_its_own_direction_and_evidence_is_not_translated():
    call_command("load_demonstration", verbosity=0)
    ada = person("ada", *Role)
    decided = TagReview.objects.latest("pk")
    Review.objects.filter(of_tag=decided).update(answer="It was rebuilt.", answered_at=Now())
    marked()
    judged = Study.objects.get(name=f"{MARK}Demonstration")
    frozen, _ = snapshots.freeze(judged, by=ada, note=f"{MARK}note")
    shown = publishing.publish(frozen, by=ada, authors=f"{MARK}Ada", with_comments=True)
    study = studies.create(
        f"{MARK}Once more",
        Selection([judged.items.first().response.run]),
        studies.StudyDesign(judges_per_response=1),
        by=ada,
    )
    studies.open_study(study, [ada])
    mine = reverse("annotation:annotate", args=[next_assignment(by=ada).pk])
    client, reader = Client(), Client()
    client.force_login(ada)
    reader.force_login(person("rita", Role.RESEARCHER))
    published = reverse("evaluation:published", args=[shown.pk, shown.token])
    starts = [mine, reverse("judging:next", args=[study.pk]), published, "/"]
    found, translated = {}, {}
    opened = 0
    answered = InRound.of_review(decided).path
    read = client.get(answered).content.decode()
    assert f"{MARK}It was rebuilt." in read
    report = reverse("evaluation:report", args=[judged.pk])
    for address, page in [*pages(client, starts), (answered, read), *pages(reader, [report])]:
        opened += 1
        marks = Marks(page)
        found[address], translated[address] = marks.found, marks.translated
    assert opened > 60
    for problems in (found, translated):
        assert not any(problems.values()), "\n".join(
            f"{address}\n  " + "\n  ".join(dict.fromkeys(wrong))
            for address, wrong in problems.items()
            if wrong
        )
