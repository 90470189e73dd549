"""The loaded set: fetched, annotated, reviewed, published, answered, judged and resolved.

Loading takes a second or two, so it is done once for all of these tests.
"""

import io
import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.test import TestCase, override_settings
from django.urls import reverse

from accounts.models import AuditEvent, Person
from accounts.roles import Role
from annotation.fields.entries import entries_of
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow.claiming import next_assignment
from datasets.counts import current_instances
from datasets.deviations import deviations
from datasets.importers import IMPORTERS
from datasets.models import Collection, Contradiction, Release
from demonstration import judged, loading
from demonstration.annotations import given
from demonstration.judged import JUDGED_SO_FAR, LEFT_TO_DECIDE, OPEN_STUDY, VERDICTS
from demonstration.loading import CONTROL, DONE, FOLDER, IMPORTED, RUNS, YOURS, counted
from demonstration.people import JUDGES
from evaluation.frozen.publishing import publish
from evaluation.frozen.snapshots import has_changed
from evaluation.models import ReportSnapshot
from generation.models import LanguageModel, Run
from generation.states import ResponseState, RunState
from judging import adjudication
from judging.forms.study_forms import JudgesForm
from judging.models import JudgingSlot, Judgment, Resolution, Study, StudyItem
from judging.settling import unresolved
from judging.states import StudyState
from judging.studies import open_study
from leases.refusal import Refusal
from tests.demonstration.test_loading import rows
from tests.factories import person
from tests.judging.factories import unresolved_for
from wikifetch.models import FetchRun, Tag, TalkPage
from wikifetch.states import FetchState

INTRODUCED = [
    # The bot's later edit, which dated the tag, did not add it; nor did the repair of vandalism.
    ("Corvay Head Lighthouse", "{{Inconsistent|date=March 2019", "Plain Margin", "do not agree"),
    ("Weirgate Bridge", "{{inconsistent}}", "203.0.113.80", "where does 212 come from"),
    # The banner was bundled with another one in the edit that added it.
    ("PS Maud Tarrant", "{{Contradicts other", "Thistledown77", "47 in the article"),
]


GIVEN = [each for of_tag in given().values() for each in of_tag if not each.skipped]
[SKIPPED] = [each for of_tag in given().values() for each in of_tag if each.skipped]


class TestLoaded(TestCase):
    @classmethod
    def setUpTestData(cls):
        out = io.StringIO()
        with override_settings(WIKI_CONTACT="", INFERENCE_SERVICES={}):  # neither network nor model
            call_command("load_demonstration", stdout=out)
        cls.said, cls.loaded = out.getvalue(), counted()

    def test_loading_again_changes_nothing(self):
        before, out = rows(), io.StringIO()
        call_command("load_demonstration", stdout=out)
        assert rows() == before
        numbers = self.said.removeprefix("Loaded: ")
        assert out.getvalue().removeprefix("Loaded before: ") == numbers != self.said

    def changed(self, file, old, new):
        """A copy of the demonstration's files with one of them changed, until the test ends."""
        copy = Path(self.enterContext(tempfile.TemporaryDirectory())) / "copy"
        shutil.copytree(FOLDER, copy)
        text = (copy / file).read_text(encoding="utf-8")
        (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
        self.enterContext(mock.patch.object(loading, "FOLDER", copy))
        self.enterContext(mock.patch.object(judged, "VERDICTS", copy / "verdicts.json"))

    def test_responses_to_other_questions_or_prompts_are_not_taken(self):
        release = Release.objects.get(collection__name=CONTROL)
        for old, new, error in (
            ('"row": "', '"row": "0', "The file has 1 problem"),
            ('sha256": "', 'sha256": "0', "1 of the responses .* Record them anew"),
        ):
            self.changed(f"responses/{CONTROL}.jsonl", old, new)
            with pytest.raises(Refusal, match=error):
                loading.responses_to(release, release.created_by)

    def test_verdicts_on_other_responses_are_not_taken(self):
        judged_runs = Run.objects.exclude(collection__name=YOURS)
        with pytest.raises(Refusal, match="Give them anew"):
            judged.verdicts_on(judged_runs[:1])
        self.changed("verdicts.json", 'sha256": "', 'sha256": "0')
        with pytest.raises(Refusal, match="Give them anew"):
            judged.verdicts_on(judged_runs)

    def test_the_articles_came_through_the_fetcher(self):
        run = FetchRun.objects.get()
        assert (run.label, run.state) == ("articles.xml", FetchState.DONE)
        assert run.problems.count() == 0
        assert run.tags_found == self.loaded.tags == Tag.objects.count()
        assert TalkPage.objects.exclude(wikitext="").count() == 7

    def test_each_tag_knows_who_added_it_and_why(self):
        for title, raw, editor, summary in INTRODUCED:
            tag = Tag.objects.get(article__title=title, latest__raw__startswith=raw)
            assert tag.introduced_by == editor
            assert summary in tag.introduced_summary

    def test_every_annotation_went_through_form_and_review(self):
        states = Counter(Annotation.objects.values_list("state", flat=True))
        decided = Counter(each.review["decision"] if each.review else "" for each in GIVEN)
        assert states == {
            AnnotationState.PUBLISHED: decided["accept"],
            AnnotationState.UNUSED: decided["leave"],
            AnnotationState.SUBMITTED: decided[""],
            AnnotationState.DRAFT: 1,
        }
        assert self.loaded.records == decided["accept"]
        filled = Annotation.objects.exclude(state=AnnotationState.DRAFT)
        assert not filled.filter(draft_revisions=None).exists()

    def test_what_was_entered_is_what_is_stored(self):
        for each in GIVEN:
            stored = Annotation.objects.get(
                author__username=f"demo.{each.person}",
                sighting__raw=each.tag,
                sighting__revision__article__title=each.title,
            )
            assert each.entries.items() <= entries_of(stored).items()

    def test_everything_is_marked_and_nobody_invented_can_sign_in(self):
        for kind, number in ((Collection, 5), (Campaign, 2), (Run, 3), (Study, 3)):
            assert [row.is_demonstration for row in kind.objects.all()] == [True] * number
        for invented in Person.objects.all():
            assert invented.is_demonstration
            assert not invented.has_usable_password()
            assert authenticate(username=invented.username, password="") is None

    def test_nobody_invented_is_offered_as_a_judge(self):
        alice = person("alice", Role.JUDGE)
        assert list(JudgesForm().fields["judges"].queryset) == [alice]

    def test_there_are_tags_left_to_annotate(self):
        alice = person("alice", Role.ANNOTATOR)
        Campaign.objects.update(most_in_hand=10)
        places = list(iter(lambda: next_assignment(by=alice), None))
        assert (
            len({place.tag for place in places}) == 5
        )  # four untouched, and the one that was skipped
        decided = Annotation.objects.filter(state__in=("published", "unused"))
        assert not decided.filter(sighting__in=[place.sighting for place in places]).exists()

    def test_one_annotation_is_flagged_and_one_tag_skipped(self):
        assert Annotation.objects.filter(flagged=True).count() == 1
        (place,) = Assignment.objects.filter(state=AssignmentState.SKIPPED)
        assert place.skip_reason == SKIPPED.skipped

    def test_the_responses_are_those_recorded_under_the_models_own_name(self):
        model = LanguageModel.objects.get()
        assert (model.service, model.model_id) == ("", "SmolLM2-135M-Instruct")
        for name in RUNS:
            run = Run.objects.get(collection__name=name)
            assert run.state == RunState.IMPORTED
            stored = run.responses.filter(state=ResponseState.DONE, prompt_verified=True)
            texts = list(stored.order_by("order").values_list("text", flat=True))
            lines = (FOLDER / "responses" / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
            assert texts == [json.loads(line)["text"] for line in lines if line]

    def test_one_study_was_judged_by_two_and_resolved_by_a_third(self):
        study = Study.objects.get(name="Demonstration")
        kept = entries_on(study)
        assert study.state == StudyState.CLOSED
        assert unresolved(study).count() == LEFT_TO_DECIDE
        theirs = Judgment.objects.filter(slot__round__study=study)
        for name in JUDGES:
            stored = theirs.filter(slot__judge__person__username=f"demo.{name}")
            first = Counter(stored.values_list("first_verdict", flat=True))
            assert first == Counter(entry[name]["verdict"] for entry in kept)
        apart = [entry for entry in kept if entry["carys"]["verdict"] != entry["dmitri"]["verdict"]]
        assert apart == [entry for entry in kept if "resolution" in entry]
        decided = Resolution.objects.filter(how="third_person").count()
        assert 0 < decided == len(apart) - LEFT_TO_DECIDE

    def test_there_are_disagreements_left_to_decide(self):
        alice = person("alice", Role.ADJUDICATOR)
        item, *_ = unresolved_for(alice)
        adjudication.decide(item, by=alice, verdict="incorrect", cause="response", note="Neither.")
        assert len(unresolved_for(alice)) == LEFT_TO_DECIDE - 1

    def test_a_second_study_is_open_with_something_left_to_judge(self):
        study = Study.objects.get(state=StudyState.OPEN)
        slots = JudgingSlot.objects.filter(round__study=study)
        states = Counter(slots.values_list("judge__person__username", "state"))
        of_all = study.items.count()
        assert of_all == len(entries_on(study))
        for name, number in JUDGED_SO_FAR.items():
            person = f"demo.{name}"
            assert states[person, "judged"] == number
            assert states[person, "skipped"] == 1
            assert states[person, "waiting"] == of_all - number - 1 > 0
        assert slots.filter(flagged=True).count() == 1

    def test_a_third_study_can_be_opened(self):
        alice = person("alice", Role.JUDGE)
        study = Study.objects.get(state=StudyState.DRAFT)
        open_study(study, [alice])
        assert JudgingSlot.objects.filter(judge__person=alice).count() == study.items.count() > 0

    def test_the_collection_is_released_and_the_report_frozen(self):
        release = Release.objects.get(collection__name=DONE)
        snapshot = ReportSnapshot.objects.get()
        assert release.rows.count() == self.loaded.records
        assert current_instances(release.collection).count() >= 20
        assert not has_changed(snapshot)

    def test_the_report_can_be_published_though_another_study_is_open(self):
        boss = person("boss", Role.ADMIN, Role.RESEARCHER)
        assert publish(ReportSnapshot.objects.get(), by=boss).public

    def test_each_study_has_a_run_and_a_collection_of_its_own(self):
        items = StudyItem.objects.values_list("study", "response__run", "response__run__collection")
        of_study = set(items)
        assert [len(set(kinds)) for kinds in zip(*of_study, strict=True)] == [3, 3, 3]
        assert len(of_study) == 3

    def test_the_records_of_these_studies_are_some_of_the_campaign(self):
        keys = {
            name: set(
                Contradiction.objects.filter(collection__name=name).values_list(
                    "external_id", "title"
                )
            )
            for name in (DONE, CONTROL, YOURS)
        }
        assert keys[CONTROL] | keys[YOURS] <= keys[DONE]

    def test_no_part_is_closed_to_a_newcomer_because_of_another(self):
        ada = person("ada", *Role)
        self.client.force_login(ada)
        pages = newcomers_pages()
        assert not self.closed(pages)
        next_assignment(by=ada)
        draft = Study.objects.get(state=StudyState.DRAFT)
        open_study(draft, [ada])
        assert not self.closed(pages)
        (run,) = {item.response.run for item in draft.items.select_related("response__run")}
        own = [
            reverse("evaluation:report", args=[draft.pk]),
            reverse("generation:run", args=[run.pk]),
        ]
        assert self.closed(own) == own

    def closed(self, addresses):
        """Those that are not shown at once: refused, or only after a question."""
        return [at for at in addresses if self.client.get(at).status_code != 200]

    def test_the_imported_file_has_deviations(self):
        imported = Collection.objects.get(name=IMPORTED)
        with (FOLDER / "records" / f"{IMPORTED}.json").open("rb") as file:
            parsed = list(IMPORTERS["wikicontradict"].records(file))
        deviating = [deviations(one.columns, one.slots) for one in parsed]
        assert imported.contradictions.count() == len(parsed) == 4
        assert len({deviation.kind for each in deviating for deviation in each}) >= 6

    def test_the_audit_log_holds_nothing_of_it(self):
        assert not AuditEvent.objects.exists()


def newcomers_pages():
    """What somebody with all roles finds of the parts that are done, or that others work on."""
    by_name = {
        "evaluation:report": Study.objects.filter(name__in=["Demonstration", OPEN_STUDY]),
        "judging:study": Study.objects.filter(name__in=["Demonstration", OPEN_STUDY]),
        "evaluation:snapshot": ReportSnapshot.objects.all(),
        "generation:run": Run.objects.exclude(name__endswith="yours to judge"),
        "generation:responses": Run.objects.exclude(name__endswith="yours to judge"),
        "annotation:campaign": Campaign.objects.all(),
        "evaluation:annotators": Campaign.objects.filter(name="Demonstration"),
        "datasets:contradiction": Contradiction.objects.all(),
    }
    pages = [reverse(name, args=[row.pk]) for name, rows in by_name.items() for row in rows]
    collections = Collection.objects.values_list("name", flat=True)
    of_collections = ("datasets:collection", "datasets:questions", "evaluation:dataset")
    return pages + [reverse(name, args=[each]) for name in of_collections for each in collections]


def entries_on(study):
    prompts = set(study.items.values_list("response__prompt", flat=True))
    kept = json.loads(VERDICTS.read_text(encoding="utf-8"))["verdicts"]
    return [entry for entry in kept if entry["prompt"] in prompts]
