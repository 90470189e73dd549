"""Making, opening and closing a study."""

from collections import Counter

import pytest
from django.db import connection

from accounts.roles import Role
from datasets.drawing import SubsetPlan
from datasets.subsets import Query, freeze
from generation.models import Response
from judging import adjudication, pool, presenting, progress, settling, studies, verdicts
from judging.models import JudgingSlot, Judgment, Resolution, Rubric, Study
from judging.rules import rubric
from judging.rules.assignment import judge_seed
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.datasets.factories import newer
from tests.factories import person, stored
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return person("admin", Role.ADMIN)


def create(admin, selection, name="Pilot", **design):
    return studies.create(name, selection, StudyDesign(**design), by=admin)


@pytest.mark.both
def test_a_study_draws_the_finished_responses_of_what_was_chosen(admin):
    run = make.finished_run()
    Response.objects.filter(prompt="passage-1").update(state="failed")
    chosen = Selection(
        [run], prompts=["passage-1", "both-passages"], models=[make.language_model()]
    )
    study = create(admin, chosen)
    assert chosen.left_out() == 2
    drawn = study.items.values_list("response__prompt", "response__model__model_id")
    assert Counter(drawn) == {("both-passages", make.MODEL_IDS[0]): 2}


@pytest.mark.both
def test_places_and_ids_do_not_follow_the_models(admin):
    study = create(admin, Selection([make.finished_run(instances=6)]), seed=3)
    models = list(study.items.order_by("pk").values_list("response__model__model_id", flat=True))
    by_model = sorted(models)
    alternating = [make.MODEL_IDS[n % 2] for n in range(len(models))]
    assert models not in (by_model, by_model[::-1], alternating, alternating[::-1])


def test_nothing_finished_is_refused(admin):
    run = make.finished_run()
    Response.objects.update(state="pending")
    with pytest.raises(Refusal, match="No finished response"):
        create(admin, Selection([run]))
    assert not Study.objects.exists()


def test_no_study_on_a_prompt_without_criteria(admin):
    run = make.finished_run(instances=1)
    Response.objects.filter(prompt="passage-1").update(prompt="home-made")
    with pytest.raises(Refusal, match="has nothing on the prompt home-made"):
        create(admin, Selection([run]))
    assert not Study.objects.exists()


@pytest.mark.parametrize("answer", [None, "", " "])
def test_no_study_on_a_response_without_written_gold(admin, answer):
    run = make.finished_run(instances=1, prompts=["both-passages"])
    Response.objects.first().instance.__class__.objects.update(answer_2=answer)
    with pytest.raises(Refusal, match=r"Abbey 1, question 1 .*answer 2 is empty"):
        create(admin, Selection([run]))


def test_gold_that_vanished_after_the_draft_stops_the_opening(admin):
    study = make.draft(drawn_from=make.finished_run(instances=1, prompts=["passage-1"]))
    study.items.first().response.instance.__class__.objects.update(answer_1="")
    with pytest.raises(Refusal, match="answer 1 is empty"):
        studies.open_study(study, [make.judge("alice"), make.judge("bob")])
    assert stored(study).state == "draft"


def test_a_majority_of_two_is_refused(admin):
    with pytest.raises(Refusal, match="at least three judges"):
        create(admin, Selection([make.finished_run(instances=1)]), resolved_by="majority")


def test_a_discussion_of_three_is_refused(admin):
    with pytest.raises(Refusal, match="between two judges"):
        create(
            admin,
            Selection([make.finished_run(instances=1)]),
            resolved_by="discussion",
            judges_per_response=3,
        )


def test_an_unknown_way_to_resolve_is_refused(admin):
    with pytest.raises(Refusal, match="not a way to resolve"):
        create(admin, Selection([make.finished_run(instances=1)]), resolved_by="dice")


@pytest.mark.both
def test_a_name_is_taken_once(admin):
    run = make.finished_run(instances=1)
    create(admin, Selection([run]))
    with pytest.raises(Conflict, match="Choose another name"):
        create(admin, Selection([run]))


@pytest.mark.both
def test_names_with_one_slug_stay_apart(admin):
    run = make.finished_run(instances=1)
    slugs = {
        create(admin, Selection([run]), name).slug for name in ("Pilot", "pilot!", "研究", "探索")
    }
    assert len(slugs) == 4


def test_responses_that_name_their_model_are_marked(admin):
    run = make.finished_run(instances=1, prompts=["passage-1"])
    telltale = Response.objects.filter(model__model_id=make.MODEL_IDS[1])
    telltale.update(text="I, Wombat-13B-Secret, say 1101.")
    study = create(admin, Selection([run]))
    marked = study.items.filter(names_its_model=True)
    assert [item.response.model.model_id for item in marked] == [make.MODEL_IDS[1]]


def test_the_rubric_is_stored_once_and_anew_when_its_words_change(admin, monkeypatch):
    run = make.finished_run(instances=1)
    first, same = (create(admin, Selection([run]), name).rubric for name in ("One", "Two"))
    assert first == same
    body = rubric.content("wikicontradict")
    body["rules"] = ["Be strict."]
    monkeypatch.setattr(rubric, "content", lambda name: body)
    later = create(admin, Selection([run]), "Three").rubric
    assert (later.name, later.version) == (first.name, 2)
    assert Rubric.objects.count() == 2


@pytest.mark.both
def test_opening_gives_every_response_two_different_judges():
    study = make.open_study("alice", "bob", "charlie")
    assert study.state == "open"
    for item in study.items.all():
        assert len(set(item.slots.values_list("judge", flat=True))) == 2
        assert sorted(item.slots.values_list("seat", flat=True)) == [1, 2]
    loads = Counter(JudgingSlot.objects.values_list("judge__person__username", flat=True))
    assert sorted(loads.values()) in ([6, 6, 12], [8, 8, 8])


def test_a_judge_reads_one_instance_after_the_other():
    study = make.open_study()
    mine = make.slots(study, make.judge("alice"))
    instances = [slot.item.response.instance_id for slot in mine]
    assert [slot.order for slot in mine] == list(range(12))
    assert len({*instances[:6]}) == len({*instances[6:]}) == 1


@pytest.mark.both
def test_the_stored_seed_repeats_the_order():
    study = make.open_study()
    judge = study.judges.get(person__username="alice")
    assert judge.seed == judge_seed(study.seed, judge.pseudonym)


@pytest.mark.both
def test_opening_twice_is_refused_and_changes_nothing():
    study = make.open_study()
    with pytest.raises(Conflict):
        studies.open_study(study, [make.judge("alice"), make.judge("bob")])
    assert JudgingSlot.objects.count() == 24


@pytest.mark.parametrize(
    ("judges", "sentence"),
    [
        (["alice"], "2 judges per response are needed; chosen: 1"),
        ([], "2 judges per response are needed; chosen: 0"),
        (["alice", "dave"], "is not a judge"),
    ],
)
def test_a_study_opens_only_with_enough_judges(judges, sentence):
    study = make.draft()
    person("dave", Role.ANNOTATOR)
    with pytest.raises(Refusal, match=sentence):
        studies.open_study(study, [make.judge(name) for name in judges])
    assert stored(study).state == "draft"
    assert not JudgingSlot.objects.exists()


@pytest.mark.both
def test_closing_locks_first_verdicts_and_settles_agreement():
    study, agreed = make.one_disputed()
    assert studies.close_study(study) == 4
    assert set(Judgment.objects.values_list("first_verdict", flat=True)) == {"correct", "incorrect"}
    resolved = Resolution.objects.get()
    assert (resolved.item, resolved.verdict, resolved.how) == (agreed, "correct", "unanimous")
    assert make.those_marked_final() == {agreed.pk}


@pytest.mark.both
def test_closing_withdraws_what_was_not_judged():
    study = make.open_study()
    first = make.slots(study, make.judge("alice"))[0]
    verdicts.give(first, "correct")
    assert studies.close_study(study) == 1
    assert JudgingSlot.objects.filter(state="withdrawn").count() == 23
    assert not Resolution.objects.exists()


@pytest.mark.both
def test_a_response_that_not_all_judges_came_to_is_not_resolved():
    study, agreed, apart = make.closed_early()
    assert [row.item for row in Resolution.objects.all()] == [agreed]
    assert set(settling.unresolved(study)) == apart
    assert settling.incomplete(study).count() == 3
    with pytest.raises(NotFoundHere):
        adjudication.item_for(person("carol", Role.ADJUDICATOR), settling.incomplete(study)[0].pk)


def test_a_study_closed_early_counts_how_many_verdicts_its_responses_got():
    study, *_ = make.closed_early()
    assert progress.responses_settled(study) == {
        "total": 6,
        "settled": 1,
        "unresolved": 2,
        "discussed": 0,
        "waiting": 0,
        "incomplete": [(2, 0, 1), (2, 1, 2)],
    }
    of_bob = progress.of_person(make.judge("bob"), study)
    assert (of_bob.judged, of_bob.skipped, of_bob.missed, of_bob.done) == (2, 1, 3, 3)


def test_what_stays_without_a_final_verdict_is_known_before_closing():
    """Each judge leaves the last response, and bob differs. Which responses that hits is drawn, so some kinds are sure
    only over all designs: in a pool alice and bob have each response, and of three two agree.
    """
    lacking = undecided = settled = 0
    run = make.finished_run(instances=4, prompts=["passage-1"])
    for n, design in enumerate(
        (
            {},
            {"pairing": "pool", "resolved_by": "discussion"},
            {"judges_per_response": 1, "double_percent": 50},
            {"judges_per_response": 3, "resolved_by": "majority", "repeat_percent": 20},
        )
    ):
        study = make.open_study(
            "alice", "bob", "charlie", name=f"Study {n}", drawn_from=run, **design
        )
        for name in ("alice", "bob", "charlie"):
            pool.draw(make.judge(name), study)
            for slot in make.slots(study, make.judge(name))[:-1]:
                verdicts.give(slot, "incorrect" if name == "bob" else "correct")
        left = progress.left_by_closing(study)
        studies.close_study(study)
        now = progress.responses_settled(study)
        assert left.lacking == sum(n for *_, n in now["incomplete"])
        assert left.undecided == now["unresolved"] + now["discussed"]
        assert progress.left_by_closing(study) == left
        lacking, undecided = lacking + left.lacking, undecided + left.undecided
        settled += now["settled"]
    assert lacking
    assert undecided
    assert settled


def test_a_final_verdict_from_before_stays_where_not_all_judges_came():
    study, *_ = make.closed_early()
    item = settling.incomplete(study)[0]
    carol = person("carol", Role.ADJUDICATOR)
    values = {"how": "third_person", "resolved_by": carol, "cause": "skipped"}
    settling.store([settling.resolution(item, verdict="correct", **values)])
    assert Resolution.objects.get(cause="skipped").final_for == item
    assert item not in settling.incomplete(study)
    assert adjudication.item_for(carol, item.pk) == item


def test_closing_twice_is_refused():
    study = make.open_study()
    studies.close_study(study)
    with pytest.raises(Conflict):
        studies.close_study(study)


def test_closing_names_rows_by_what_they_have_in_common(monkeypatch):
    """A database takes so many parameters in a statement, and a study may hold more slots than that."""
    monkeypatch.setattr(settling, "BATCH", 5)
    study = make.open_study(drawn_from=make.finished_run(instances=4))
    for who in ("alice", "bob"):
        make.give_all(study, who)
    sizes = []

    def measured(execute, sql, params, many, context):
        if not sql.startswith("INSERT"):
            sizes.append(len(params or ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(measured):
        verdicts.hand_in(make.judge("alice"), study)
        studies.close_study(study)
    assert max(sizes) < 24
    assert Resolution.objects.count() == 24


def test_a_repeat_has_its_judges_seat_and_a_place_of_its_own():
    study = make.open_study(repeat_percent=50, drawn_from=make.finished_run(instances=4))
    again = JudgingSlot.objects.filter(repeat=2).select_related("judge")
    assert again.count() == 2 * 12
    for slot in again:
        first = JudgingSlot.objects.get(item=slot.item, judge=slot.judge, repeat=1)
        assert slot.seat == first.seat
        assert slot.order > first.order
    orders = JudgingSlot.objects.filter(judge__person=make.judge("alice")).values_list("order")
    assert sorted(order for (order,) in orders) == list(range(36))
    assert study.repeat_percent == 50


@pytest.mark.parametrize("second", ["incorrect", "skipped"])
def test_a_repeat_has_no_say_in_the_final_verdict(second):
    """The first verdict counts, whatever the judge's second one is."""
    study = make.open_study(repeat_percent=50, drawn_from=make.finished_run(instances=2))
    for name in ("alice", "bob"):
        for slot in make.slots(study, make.judge(name)):
            if slot.repeat == 1:
                verdicts.give(slot, "correct")
            elif second == "skipped":
                verdicts.skip(slot, "I have seen it before.")
            else:
                verdicts.give(slot, second)
        verdicts.hand_in(make.judge(name), study)
    assert set(Resolution.objects.values_list("how", "verdict")) == {("unanimous", "correct")}
    assert Resolution.objects.count() == study.items.count()


def test_a_third_person_sees_no_repeats():
    study = make.open_study(repeat_percent=50, drawn_from=make.finished_run(instances=2))
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        make.hand_in(study, name, verdict)
    known = rubric.parse(study.rubric.body)
    for item in settling.unresolved(study):
        shown = [one.verdict.key for one in presenting.anonymous_verdicts(item, known)]
        assert sorted(shown) == ["correct", "incorrect"]


def test_too_many_repeats_are_refused(admin):
    with pytest.raises(Refusal, match="0 to 50 %"):
        create(admin, Selection([make.finished_run()]), repeat_percent=60)
    assert not Study.objects.exists()


def subset_of(run, **plan):
    return freeze("Few", run.collection, Query(), SubsetPlan(7, **plan), by=make.judge("drawer"))


@pytest.mark.both
def test_a_study_judges_the_responses_to_a_subset(admin):
    run = make.finished_run(instances=5)
    subset = subset_of(run, wanted={"": 2})
    study = create(admin, Selection([run], subset=subset))
    judged = set(study.items.values_list("response__instance", flat=True))
    assert judged == set(subset.instances.values_list("pk", flat=True))
    assert study.items.count() == 2 * 3 * 2
    assert study.subset == subset


def test_a_subset_whose_rows_were_superseded_is_refused_unless_that_is_accepted(admin):
    run = make.finished_run(instances=2)
    subset = subset_of(run)
    newer(run.responses.first().instance.contradiction)
    with pytest.raises(Refusal, match="newer versions were made of: Abbey 1"):
        create(admin, Selection([run], subset=subset))
    assert create(admin, Selection([run], subset=subset, superseded=True)).items.count() == 12


def test_a_study_over_a_subset_without_responses_is_refused(admin):
    run = make.finished_run(instances=2)
    subset = subset_of(run)
    with pytest.raises(Refusal, match="No finished response matches"):
        create(admin, Selection([make.run("empty")], subset=subset))


def test_questions_of_the_subset_without_a_response_are_counted():
    run = make.finished_run(instances=3)
    run.responses.filter(instance__contradiction__title="Abbey 2").update(state="failed")
    assert Selection([run], subset=subset_of(run)).unanswered() == 1
