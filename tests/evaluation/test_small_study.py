"""A study in small, on the real parts: from twelve tags to reports that a script recomputes after a restore.

Two people annotate and differ; six questions are drawn; the embedded model answers; two people and a pool judge;
disagreements are discussed or decided; a question is excluded, a prompt judged again, a model added, a judge removed.
The researchers' tutorial (docs/tutorial.md) tells the same.
"""

import io
import zipfile
from itertools import count

import pytest
from django.core.management import call_command
from sklearn.metrics import cohen_kappa_score

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import claiming
from datasets import exclusions, subsets
from datasets.drawing import ALL, SubsetPlan
from datasets.models import Collection, Instance
from datasets.subsets import Query
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from evaluation.sections.study import study_report
from generation import registry, runs
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.inference.embedded import SMOLLM2
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting
from generation.states import RunState
from judging import (
    adjudication,
    discussing,
    pool,
    progress,
    rounds,
    rubric_versions,
    studies,
    verdicts,
)
from judging.machine import control
from judging.machine.calls import JudgeQueue
from judging.models import JudgingSlot, Resolution, Study, StudyItem
from judging.rules.rubric import parse
from judging.selections import Selection
from judging.settling import unresolved
from judging.studies import StudyDesign
from operations import backups, restoring
from tests.annotation import factories as annotation
from tests.annotation.test_small_campaign import decide, waiting
from tests.evaluation.archive.test_bundles import run_python
from tests.factories import person
from tests.generation.inference.test_embedded import served

__all__ = ["served"]

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]

TAGS, QUESTIONS = 12, 6
ALONE, BOTH = "internal-knowledge", "both-passages"
VERDICTS = ("correct", "partially correct", "incorrect")


@pytest.fixture
def people():
    roles = {
        "alice": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "olga": Role.ADMIN, "rosa": Role.RESEARCHER,
        "adam": Role.ADJUDICATOR, **dict.fromkeys(("jo", "kim", "lea", "max", "nia"), Role.JUDGE),
    }  # fmt: skip
    return {name: person(name, role) for name, role in roles.items()}


@pytest.fixture
def service(served, settings):
    """The embedded model, under the name "embedded"."""
    url = f"http://127.0.0.1:{served[1]}/v1"
    settings.INFERENCE_SERVICES = {"embedded": {"url": url, "in_flight": 1, "timeout": 120}}


# ---------------------------------------------------------------- questions and answers


def entered(name: str, order: int) -> dict:
    """What each enters for the tag at this place of the draw: bob finds one more invalid, and asks more questions."""
    if order % 6 == 5 or (name == "bob" and order == 8):
        return annotation.nothing(validity="Invalid", valid_comment="Both are right.")
    built, finished = str(1801 + order), str(1841 + order)
    asked = {"derived_1": False, "derived_2": False, "answer_1": built, "answer_2": finished}
    questions = [{**asked, "question": f"When was mill {order} built?"}]
    if name == "bob" and order < 2:
        questions.append({**asked, "question": f"In which year was mill {order} there?"})
    return annotation.whole(
        passage_1_copied=f"It was built in {built} by three brothers.",
        passage_1_standalone=f"Mill {order} was built in {built} by three brothers.",
        passage_2_copied=f"The mill, built in {finished}, has 40 panes.",
        passage_2_standalone=f"Mill {order}, built in {finished}, has 40 panes.",
        statement_1=f"Mill {order} was built in {built}.",
        statement_2=f"Mill {order} was built in {finished}.",
        span_1=built,
        span_2=finished,
        type_4=["Implicit (reasoning required)" if order % 3 == 0 else "Explicit"],
        questions=questions,
    )


def published(people) -> Collection:
    """Twelve tags, each annotated by two who differ; reviewed, merged or dropped, and published."""
    campaign = annotation.campaign(
        by=people["olga"], tags=TAGS, people=2, in_hand=1, chosen=(people["alice"], people["bob"])
    )
    for name in ("alice", "bob"):
        while place := claiming.next_assignment(by=people[name], campaign=campaign):
            draft = Annotation.objects.get(assignment=place)
            annotation.handed_in(draft, entered(name, place.order))
    assert Annotation.objects.exclude(submitted_at=None).count() == 2 * TAGS
    merged, dropped = [], []
    for at in waiting(campaign, 1):
        decide(at, people["olga"], merged, dropped)
    assert merged
    assert dropped
    publish_campaign(campaign, people["olga"])
    return campaign.collection


def model_of(most_tokens: int) -> LanguageModel:
    options = {"temperature": 0, "max_tokens": most_tokens, "system_message": ""}
    return registry.add("embedded", SMOLLM2, options, f"SmolLM2, {most_tokens} tokens")


def answered(collection: Collection, model: LanguageModel) -> Run:
    """A run of the model over all questions, finished."""
    prompts = [prompting.find(name) for name in (ALONE, BOTH)]
    run, _ = runs.create(collection=collection, models=[model], prompts=prompts)
    runs.start(run)
    queue = RunQueue(run)
    while Run.objects.get(pk=run.pk).state == RunState.RUNNING:
        if not take_turn("embedded", [queue], seconds=60):
            queue.sweep()
    assert set(Response.objects.filter(run=run).values_list("state", flat=True)) == {"done"}
    return Run.objects.get(pk=run.pk)


# ---------------------------------------------------------------- judging


def first_reading(item: StudyItem) -> str:
    """What everybody says of a response who does not differ: by its place, so that each verdict is there."""
    return VERDICTS[item.position % 3]


def other_than(verdict: str) -> str:
    return VERDICTS[(VERDICTS.index(verdict) + 1) % 3]


def give_all(study: Study, who: Person, differs: set[int] = frozenset(), most: int | None = None):
    """Judge what waits for this person, at most so many; otherwise than the others where they differ."""
    mine = JudgingSlot.objects.filter(round__study=study, round__is_latest=True, judge__person=who)
    for slot in mine.filter(state="waiting").select_related("item").order_by("order")[:most]:
        verdict = first_reading(slot.item)
        if slot.item_id in differs:
            verdict = other_than(verdict)
        verdicts.give(verdicts.slot_of(who, slot.pk), verdict, seconds=5)


def judged_by_two(study: Study, people, differs: set[int]) -> None:
    give_all(study, people["jo"])
    give_all(study, people["kim"], differs)
    for name in ("jo", "kim"):
        verdicts.hand_in(people[name], study)


def discussed_by_two(people, expected: int) -> None:
    """Jo proposes, kim signs."""
    mine = list(discussing.open_for(people["jo"]))
    assert len(mine) == expected
    for slot in mine:
        verdict = first_reading(slot.item)
        discussing.propose(slot, version=0, verdict=verdict, cause="slip", note="Read again.")
    for slot in list(discussing.open_for(people["kim"])):
        discussing.sign(slot, version=1)
    assert not discussing.open_for(people["jo"])


def judged_by_a_pool(study: Study, people) -> None:
    """Lea leaves midway, and others draw what she held; three responses stay unjudged; two are disputed."""
    judges = {name: people[name] for name in ("lea", "max", "nia")}
    studies.open_study(study, list(judges.values()))
    pool.draw(people["lea"], study)
    give_all(study, people["lea"], most=6)
    pool.remove(study, study.judges.get(person=people["lea"]).pk)
    hers = JudgingSlot.objects.filter(judge__person=people["lea"]).values_list("item", flat=True)
    pool.draw(people["max"], study)
    give_all(study, people["max"], set(hers.order_by("order")[:2]))
    pool.draw(people["max"], study)
    pool.draw(people["nia"], study)
    give_all(study, people["nia"], most=3)
    studies.close_study(study)
    disputed = list(unresolved(study))
    assert len(disputed) == 2
    for item in disputed:
        theirs = adjudication.item_for(people["adam"], item.pk)
        adjudication.decide(
            theirs, by=people["adam"], verdict=first_reading(item), cause="criteria"
        )


def of_prompt(study: Study, prompt: str) -> list[StudyItem]:
    """The responses to the prompt, one a question, in the order of the questions."""
    rows = study.items.filter(response__prompt=prompt, response__model__options__max_tokens=3)
    return list(rows.order_by("response__instance"))


def untouched(*of: Study) -> Instance:
    """A question on which nothing was disputed, and nothing left unjudged."""
    marked: set[int] = set()
    for study in of:
        items = study.items.filter(resolution=None) | study.items.filter(
            resolutions__how__in=["discussed", "third_person"]
        )
        marked |= set(items.values_list("response__instance", flat=True))
    asked = set(of[0].items.values_list("response__instance", flat=True))
    return Instance.objects.get(pk=min(asked - marked))


def ways(report) -> dict[str, int]:
    return {way["how"]: way["count"] for way in report["resolution"]}


def kappa_of(report, label: str, n: int) -> float:
    """Cohen's kappa of a prompt in a round, from the report."""
    entries = report["agreement"]["prompts"]
    (entry,) = [one for one in entries if (one["prompt"], one["round"]) == (label, n)]
    (pair,) = entry["pairs"]
    return next(one for one in pair["coefficients"] if one["name"] == "cohen_kappa")["value"]


def test_a_study_in_small(service, people, client, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "first"
    settings.DATA_DIR.mkdir()
    olga, rosa = people["olga"], people["rosa"]

    # Questions and answers.
    collection = published(people)
    six = SubsetPlan(seed=7, one_per_tag=True, wanted={ALL: QUESTIONS})
    subset = subsets.freeze("Six", collection, Query(), six, by=olga)
    assert subset.instances.count() == QUESTIONS
    run = answered(collection, model_of(3))
    chosen = Selection([run], subset=subset)

    # Judged by two, who discuss, and by a pool, with a third person.
    two = studies.create("By two", chosen, StudyDesign(seed=3, resolved_by="discussion"), by=olga)
    many = studies.create("By a pool", chosen, StudyDesign(seed=3, pairing="pool"), by=olga)
    studies.open_study(two, [people["jo"], people["kim"]])
    alone, both = of_prompt(two, ALONE), of_prompt(two, BOTH)
    judged_by_two(two, people, {alone[0].pk, alone[1].pk})
    discussed_by_two(people, 2)
    studies.close_study(two)
    judged_by_a_pool(many, people)
    assert progress.responses_settled(many)["incomplete"] == [(2, 0, 2), (2, 1, 1)]

    # The guideline changes: one prompt is judged again, and discussed.
    body = rubric_versions.current().body
    changed = {**body, "rules": [*body["rules"], "A year in another calendar is another year."]}
    version = rubric_versions.save(changed, newest=1, by=olga)
    assert parse(version.body).rules[-1].startswith("A year")
    judges = [people["jo"], people["kim"]]
    two.refresh_from_db()
    again = rounds.RoundPlan("The criteria were silent on calendars.", version, True, judges)
    rounds.judge_again(two, rounds.JudgedAgain(prompts=[BOTH]), again, by=olga)
    judged_by_two(two, people, {both[0].pk})
    discussed_by_two(people, 1)
    two.refresh_from_db()
    studies.close_study(two)

    # One question is excluded by two.
    left_out = untouched(two, many)
    exclusions.exclude(instance=left_out, reason="Two mills have the name.", by=olga)

    # A model is added, with anchors: the same weights with other options.
    later = answered(collection, model_of(4))
    asked = set(two.items.values_list("response__instance", flat=True))
    new = Selection([later], prompts=[ALONE, BOTH], superseded=True, instances=asked)
    two.refresh_from_db()
    added = rounds.RoundPlan("A later model", version, False, judges)
    rounds.add_responses(two, rounds.AddedResponses(new, 50), added, by=olga)
    assert two.items.count() == 2 * QUESTIONS + 2 * (QUESTIONS - 1)
    judged_by_two(two, people, set())
    two.refresh_from_db()
    studies.close_study(two)

    # A judge model reads what was answered with both passages, and is stopped: its prompt is long.
    judge = control.begin(many, model_of(4), [BOTH])
    take_turn("embedded", [JudgeQueue(judge)], seconds=1)
    control.cancel(judge)
    replies = control.progress(judge)
    assert replies.judged + replies.unparsed >= 1
    assert replies.judged + replies.unparsed + replies.cancelled == QUESTIONS

    # What the reports say, and what is counted here from the rows.
    report = study_report(two)
    assert ways(report)["discussed"] == 3
    assert ways(report)["unanimous"] == 4 * (QUESTIONS - 1) - 3
    of_pool = study_report(many)
    assert (ways(of_pool)["third_person"], ways(of_pool)["incomplete"]) == (2, 3)
    assert Resolution.objects.filter(how="discussed").count() == 3
    expected = cohen_kappa_score(
        [first_reading(item) for item in alone],
        [
            other_than(first_reading(item)) if item in alone[:2] else first_reading(item)
            for item in alone
        ],
    )
    assert kappa_of(report, "1", 1) == pytest.approx(expected)

    # Frozen, backed up, restored, and recomputed outside the app.
    frozen = {study.slug: snapshots.freeze(study, by=rosa)[0] for study in (two, many)}
    texts = {slug: one.text for slug, one in frozen.items()}
    path = backups.make(tmp_path / "kept").path
    settings.DATA_DIR = tmp_path / "second"
    settings.DATA_DIR.mkdir()
    call_command("flush", interactive=False, verbosity=0)
    restoring.restore(path)
    client.force_login(Person.objects.get(username="rosa"))
    number = count()
    for snapshot in ReportSnapshot.objects.select_related("study"):
        assert snapshot.text == texts[snapshot.study.slug]
        assert not snapshots.has_changed(snapshot)
        folder = tmp_path / f"zip-{next(number)}"
        data = client.get(f"/reports/snapshots/{snapshot.pk}/report.zip").content
        zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
        done = run_python(folder, "recompute.py")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "all equal" in done.stdout
    assert next(number) == 2
