"""What a newcomer finds: fetched, annotated, reviewed, published, answered, judged and resolved as in use.

Loading takes a second or two, so it is done once for all of these tests.
"""

import io
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import TestCase

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns import next_assignment
from annotation.entries import entries_of
from annotation.models import Annotation, Campaign
from annotation.states import AnnotationState
from datasets.models import Collection
from demonstration.annotations import given
from demonstration.loading import load
from demonstration.responses import RESPONSES
from demonstration.verdicts import VERDICTS
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState, RunState
from judging.forms import JudgesForm
from judging.models import Judgment, Resolution, Study
from judging.settling import unresolved
from judging.states import StudyState
from tests.factories import person
from tests.generation.fake_service import FakeService, last_words
from wikifetch.models import FetchRun, Tag, TalkPage
from wikifetch.states import FetchState

INTRODUCED = [
    # The bot's later edit, which dated the tag, did not add it; nor did the repair of vandalism.
    ("Corvay Head Lighthouse", "{{Inconsistent|date=March 2019", "Plain Margin", "do not agree"),
    ("Weirgate Bridge", "{{inconsistent}}", "203.0.113.80", "where does 212 come from"),
    # The banner was bundled with another one in the edit that added it.
    ("PS Maud Tarrant", "{{Contradicts other", "Thistledown77", "47 in the article"),
]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


class TestLoaded(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.loaded = load()

    def test_the_articles_came_through_the_fetcher(self):
        run = FetchRun.objects.get()
        assert (run.state, run.problems.count()) == (FetchState.DONE, 0)
        assert run.tags_found == self.loaded.tags == Tag.objects.count()
        assert TalkPage.objects.exclude(wikitext="").count() == 5

    def test_each_tag_knows_who_added_it_and_why(self):
        for title, raw, editor, summary in INTRODUCED:
            tag = Tag.objects.get(article__title=title, latest__raw__startswith=raw)
            assert tag.introduced_by == editor
            assert summary in tag.introduced_summary

    def test_every_annotation_went_through_form_and_review(self):
        states = Counter(Annotation.objects.values_list("state", flat=True))
        decided = Counter(each.review["decision"] if each.review else "" for each in given())
        assert states == {
            AnnotationState.PUBLISHED: decided["accept"],
            AnnotationState.DROPPED: decided["drop"],
            AnnotationState.SUBMITTED: decided[""],
        }
        assert self.loaded.records == decided["accept"]
        assert not Annotation.objects.filter(draft_revisions=None).exists()

    def test_what_was_entered_is_what_is_stored(self):
        for each in given():
            stored = Annotation.objects.get(
                author__username=f"demo.{each.person}",
                sighting__raw=each.tag,
                sighting__revision__article__title=each.title,
            )
            assert each.entries.items() <= entries_of(stored).items()

    def test_everything_is_marked_and_nobody_invented_can_sign_in(self):
        for kind in (Collection, Campaign, Run, Study):
            assert kind.objects.get().is_demonstration
        for invented in Person.objects.all():
            assert invented.is_demonstration
            assert not invented.has_usable_password()
            assert authenticate(username=invented.username, password="") is None

    def test_nobody_invented_is_offered_as_a_judge(self):
        alice = person("alice", Role.JUDGE)
        assert list(JudgesForm().fields["judges"].queryset) == [alice]

    def test_a_newcomer_finds_something_to_annotate(self):
        alice = person("alice", Role.ANNOTATOR)
        first, second = next_assignment(by=alice), next_assignment(by=alice)
        assert first.tag != second.tag
        assert next_assignment(by=alice) is None
        assert not Annotation.objects.filter(sighting=first.sighting, state="published").exists()

    def test_the_responses_are_those_recorded_under_the_models_own_name(self):
        run, model = Run.objects.get(), LanguageModel.objects.get()
        whole = read(RESPONSES)
        assert run.state == RunState.IMPORTED
        assert (model.service, model.model_id) == ("", whole["model"]["model_id"])
        stored = Response.objects.filter(run=run, state=ResponseState.DONE)
        texts = Counter(stored.values_list("text", flat=True))
        assert texts == Counter(each["text"] for each in whole["responses"])
        assert not stored.filter(latency_ms=None).exists()
        one = stored.first()
        assert one.request["messages"][-1]["content"] == one.rendered

    def test_the_study_was_judged_by_two_and_resolved_by_a_third(self):
        study, kept = Study.objects.get(), read(VERDICTS)["verdicts"]
        assert study.state == StudyState.CLOSED
        assert not unresolved(study).exists()
        for name in ("carys", "dmitri"):
            stored = Judgment.objects.filter(slot__judge__person__username=f"demo.{name}")
            first = Counter(stored.values_list("first_verdict", flat=True))
            assert first == Counter(entry[name]["verdict"] for entry in kept)
        apart = [entry for entry in kept if entry["carys"]["verdict"] != entry["dmitri"]["verdict"]]
        assert apart == [entry for entry in kept if "resolution" in entry]
        assert 0 < len(apart) == Resolution.objects.filter(how="third_person").count()
        assert Resolution.objects.count() == len(kept)

    def test_recording_asks_every_prompt_and_keeps_each_reply_as_it_came(self):
        with tempfile.TemporaryDirectory() as folder, FakeService(models=("parrot",)) as fake:
            out = Path(folder) / "recorded.json"
            with self.settings(INFERENCE_SERVICES=fake.setting("fake")):
                record(model="fake/parrot", out=out)
            recorded = read(out)["responses"]
        committed = read(RESPONSES)["responses"]
        sent = {each["rendered_sha256"] for each in recorded}
        assert sent == {each["rendered_sha256"] for each in committed}
        assert len(recorded) == len(committed)
        first = next(call for call in fake.calls if call["max_tokens"] == 250)
        assert recorded[0]["text"] == last_words(first)

    def test_recording_from_a_service_that_is_down_writes_nothing(self):
        gone = {"gone": {"url": "http://127.0.0.1:9/v1"}}
        with tempfile.TemporaryDirectory() as folder, self.settings(INFERENCE_SERVICES=gone):
            with pytest.raises(CommandError, match="Is it started"):
                record(model="gone/parrot", out=Path(folder) / "recorded.json")
            assert not list(Path(folder).iterdir())


def record(*, model, out):
    call_command("record_demonstration_responses", model=model, out=out, stdout=io.StringIO())


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr("generation.client.BRIEF_PAUSES", (0.0, 0.0))


@pytest.mark.django_db
def test_recording_wants_the_set_to_be_loaded():
    with pytest.raises(CommandError, match="load_demonstration"):
        call_command("record_demonstration_responses")
