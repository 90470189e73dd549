"""Studies that nobody judges, and what a study may draw: of one protocol, and scored responses once."""

import csv
import io
import json
from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from datasets.models import Collection, Instance
from datasets.protocol_versions import move
from evaluation.sections.study import study_report
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from judging import rounds, rubric_versions, studies
from judging.files import exporting, predictions
from judging.models import Judge, JudgingSlot, Round, Study
from judging.selections import Selection, check_once
from judging.studies import StudyDesign
from leases.refusal import Conflict, Refusal
from protocols.installed import install
from protocols.models import Protocol
from protocols.shipped import file_of
from tests import conflictbank
from tests.crawling import crawl
from tests.factories import person, signed_in, stored
from tests.judging import declared
from tests.judging import factories as make

pytestmark = pytest.mark.django_db
NOT_JUDGED = "not judged by people"


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN, Role.RESEARCHER))


@pytest.fixture
def study(admin):
    """Closed, over four responses."""
    drawn_from = make.finished_run(prompts=["passage-1"])
    made = make.draft(drawn_from=drawn_from, judges_per_response=0)
    studies.open_study(made, [])
    return made


def test_opening_fixes_the_responses_and_closes_it_at_once(admin):
    draft = make.draft(judges_per_response=0)
    studies.open_study(draft, [])
    study = stored(draft)
    assert (study.state, study.rubric, study.items.count()) == ("closed", None, 12)
    assert study.opened_at == study.closed_at is not None
    assert not any(model.objects.exists() for model in (Round, Judge, JudgingSlot))
    with pytest.raises(Conflict):
        studies.open_study(study, [])


def test_it_takes_no_judges(admin):
    with pytest.raises(Refusal, match="Nobody judges in this study"):
        studies.open_study(make.draft(judges_per_response=0), [make.judge("alice")])


@pytest.mark.parametrize("design", [{"repeat_percent": 10}, {"double_percent": 10}])
def test_its_design_asks_nothing_of_judges(admin, design):
    with pytest.raises(Refusal, match="Leave out its rubric and what is judged twice"):
        make.draft(judges_per_response=0, **design)


@pytest.mark.both
@pytest.mark.parametrize(
    "columns",
    [
        {"judges_per_response": 0},
        {"rubric": None},
        {"judges_per_response": 0, "rubric": None, "repeat_percent": 5},
        {"judges_per_response": 0, "rubric": None, "state": "open"},
    ],
)
def test_the_database_ties_judges_and_rubric(admin, columns):
    draft = make.draft()
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=draft.pk).update(**columns)


def test_its_page_offers_nothing_that_needs_judges(client, admin):
    draft = make.draft(judges_per_response=0)
    page = client.get(f"/studies/{draft.pk}/")
    assertContains(page, "responses to 2 questions")
    assertContains(page, NOT_JUDGED)
    for words in ("Choose the judges", "Warm-up", "Rubric</dt>", "Disagreements"):
        assertNotContains(page, words)
    page = client.post(f"/studies/{draft.pk}/open/", follow=True)
    assertContains(page, "The study is closed: its responses are fixed.")
    for words in ("Judge models", "Final verdicts", "Rounds", "under their pseudonyms"):
        assertNotContains(page, words)
    assertContains(client.get(f"/studies/{draft.pk}/export/"), "The whole study (CSV)")
    assertContains(client.get("/studies/"), "Not judged by people")


@pytest.mark.parametrize(
    ("address", "posted", "status"),
    [
        ("rounds/again/", {"reason": "More."}, 400),
        ("rounds/added/", {"reason": "More."}, 400),
        ("reopen/", {"reason": "More."}, 400),
        ("models/", {}, 400),
        ("warm-up/", {"number": 1}, 400),
        ("plan/", {}, 409),
        ("judges/", {"judge": 1}, 400),
        ("close/", {}, 409),
    ],
)
def test_what_needs_judges_is_refused(client, study, address, posted, status):
    answer = client.post(f"/studies/{study.pk}/{address}", posted)
    assert answer.status_code == status
    assert stored(study).state == "closed"


def test_further_rounds_replies_and_discussions_say_that_nobody_judges(client, admin, study):
    for refused in (
        lambda: rounds.check_closed(study),
        lambda: predictions.import_predictions(study, b"{}", "judge-model"),
        lambda: study.judged_by,
    ):
        with pytest.raises(Refusal, match=NOT_JUDGED):
            refused()
    assertContains(client.post(f"/studies/{study.pk}/discussions/leave/"), NOT_JUDGED, status_code=400)  # fmt: skip


def test_third_persons_find_nothing_of_it(client, study):
    signed_in(client, person("dora", Role.ADJUDICATOR))
    assertContains(client.get("/resolve/"), "Nothing to resolve.")
    assert client.get(f"/resolve/{study.pk}/").status_code == 404


def test_its_files_have_its_responses_and_no_design_of_judging(study):
    whole = json.loads("".join(exporting.FORMATS["json"].chunks(study)))
    about = whole["study"]
    assert (about["judges_per_response"], about["rubric"], about["pairing"]) == (0, None, None)
    assert (whole["rounds"], whole["judges"], len(whole["items"])) == ([], [], 4)
    lines = csv.DictReader(io.StringIO("".join(exporting.FORMATS["csv"].chunks(study))))
    assert [line["prompt"] for line in lines] == ["passage-1"] * 4


def test_its_form_asks_nothing_of_judges(client, admin):
    run = make.finished_run()
    page = client.get(f"/studies/new/?run={run.pk}&judges=none")
    for name in ("rubric", "judges_per_response", "pairing", "repeat_percent"):
        assertNotContains(page, f'name="{name}"')
    client.post("/studies/new/?judges=none", {"name": "Counted", "runs": [run.pk], "seed": 7})
    study = Study.objects.get()
    assert (study.is_judged, study.rubric, study.seed) == (False, None, 7)


def test_the_command_makes_one(admin):
    run = make.finished_run()

    def made(*arguments):
        asked = ["Counted", "--by", "admin", "--run", str(run.pk), "--per-response", "0"]
        call_command("make_study", *asked, *arguments)

    make.judge("alice")
    for more, sentence in (
        (["--judge", "alice"], "Nobody judges in this study"),
        (["--rubric", "1"], "Leave out its rubric"),
    ):
        rubric_versions.current()
        with pytest.raises(CommandError, match=sentence):
            made(*more)
    assert not Study.objects.exists()
    made()
    assert Study.objects.get().state == "closed"


# ---------------------------------------------------------------- what it may draw


@pytest.fixture
def scored(db) -> Protocol:
    """A protocol with scorers."""
    return install(file_of("conflictbank"), "conflictbank.toml")[0]


def test_a_study_over_two_protocols_is_refused(admin, scored):
    one, other = make.finished_run(), make.run("other-run")
    other.collection = type(other.collection).objects.create(name="bank", protocol=scored)
    other.save()
    chosen = Selection([other, one])
    with pytest.raises(Refusal) as refused:
        studies.create("Both", chosen, StudyDesign(), by=admin)
    assert refused.value.message == (
        "A study is over one protocol. The run “secret-run” asks about records of wikicontradict version 1, the run "
        "“other-run” about records of conflictbank version 1. Choose runs of one of them."
    )


@pytest.mark.both
def test_a_study_of_which_one_collection_was_moved_meanwhile_is_not_opened(admin, scored):
    runs = [make.finished_run(), make.later_run()]
    study = studies.create("Both", Selection(runs), StudyDesign(judges_per_response=0), by=admin)
    moved = Collection.objects.create(name="bank", protocol=scored)
    Run.objects.filter(pk=runs[1].pk).update(collection=moved)
    with pytest.raises(Refusal, match="A study is over one protocol"):
        studies.open_study(study, [])


def test_a_study_keeps_its_version_where_a_collection_is_moved_after_the_opening(admin):
    """Its report is computed as it was opened, and rounds take answers from what was moved."""
    one, other = (
        Run.objects.create(name=name, collection=conflictbank.collection(1, name))
        for name in ("one", "other")
    )
    model, prompt = make.language_model(), declared.prompts()["default"].name
    for run in (one, other):
        about = Instance.objects.get(contradiction__collection=run.collection)
        make.response(run, about, prompt, model)
    study, later = (
        studies.create(name, Selection([one, other]), StudyDesign(judges_per_response=0), by=admin)
        for name in ("Kept", "Later")
    )
    studies.open_study(study, [])
    text = file_of("conflictbank").decode().replace("version = 1\n", "version = 2\n")
    install(text.encode(), "later.toml")
    move(one.collection, 2, admin)
    assert study_report(stored(study))["protocol"]["version"] == 1
    with pytest.raises(Refusal, match="A study is over one protocol"):
        studies.open_study(later, [])
    move(other.collection, 2, admin)
    studies.open_study(later, [])
    assert study_report(stored(later))["protocol"]["version"] == 2


@pytest.mark.both
def test_the_migration_gives_each_study_the_protocol_of_its_records(admin, scored):
    of_wikis = make.draft(judges_per_response=0)
    run = make.later_run()
    run.collection = Collection.objects.create(name="bank", protocol=scored)
    run.save()
    of_bank = studies.create("Bank", Selection([run]), StudyDesign(judges_per_response=0), by=admin)
    Study.objects.update(protocol=None)
    name = "judging.migrations.0006_studies_get_the_protocol_of_their_records"
    import_module(name).fill(apps, None)
    assert (stored(of_wikis).protocol, stored(of_bank).protocol) == (None, scored)


def test_a_rubric_of_another_protocol_is_refused(admin, scored):
    run = make.finished_run()
    design = StudyDesign(rubric=rubric_versions.current())
    run.collection.protocol = scored
    run.collection.save()
    with pytest.raises(Refusal, match="is for prompts of wikicontradict, and these runs asked"):
        studies.create("Pilot", Selection([run]), design, by=admin)


def twice(protocol: Protocol | None) -> Selection:
    """Two runs of one model and its like, over the same questions."""
    runs = [make.finished_run(prompts=["passage-1"]), make.later_run(models=make.MODEL_IDS)]
    runs[0].collection.protocol = protocol
    runs[0].collection.save()
    return Selection(runs, prompts=["passage-1"])


@pytest.mark.both
def test_two_runs_with_a_response_to_the_same_are_refused_where_it_is_scored(admin, scored):
    counted = StudyDesign(judges_per_response=0)
    chosen = twice(scored)
    with pytest.raises(Refusal, match="The runs “secret-run” and “later-run” both have a response"):
        studies.create("Twice", chosen, counted, by=admin)
    for one in chosen.runs:
        studies.create(f"Once, {one}", Selection([one]), counted, by=admin)


def test_they_are_refused_at_the_opening_where_it_is_scored_since(admin, scored):
    draft = studies.create("Twice", twice(None), StudyDesign(judges_per_response=0), by=admin)
    collection = draft.items.first().response.run.collection
    collection.protocol = scored
    collection.save()
    with pytest.raises(Refusal, match="both have a response"):
        studies.open_study(draft, [])
    assert stored(draft).state == "draft"


def test_another_sample_is_another_response(admin, scored):
    run = make.finished_run(instances=1, prompts=["passage-1"], models=make.MODEL_IDS[:1])
    about = Response.objects.get().instance
    make.response(run, about, "passage-1", make.language_model(), sample=2)
    check_once(scored.declaration, Response.objects.all())
    assert Response.objects.count() == 2


def test_what_a_stopped_run_has_finished_is_drawn(admin, scored):
    run = make.finished_run(prompts=["passage-1"])
    run.collection.protocol = scored
    run.collection.save()
    left = Response.objects.filter(model__model_id=make.MODEL_IDS[0])
    left.update(state=ResponseState.CANCELLED, text="")
    type(run).objects.filter(pk=run.pk).update(state=RunState.CANCELLED)
    draft = studies.create("Half", Selection([run]), StudyDesign(judges_per_response=0), by=admin)
    assert draft.items.count() == 2
    assert draft.declaration.name == "conflictbank"


def test_no_page_of_it_fails(client, admin, study):
    """Those of its report too; a page that needs judges says so."""
    pages = ("", "judges/", "rows/", "rows/?of=first", "disagreements/", "compare/", "next-to/")
    starts = [f"/studies/{study.pk}/", *(f"/reports/{study.pk}/{name}" for name in pages)]
    opened = dict(crawl(client, starts))
    assert len(opened) > 30
