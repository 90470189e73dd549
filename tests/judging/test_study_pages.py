"""The pages of studies, for admins and researchers."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django.asserts import assertContains, assertNotContains

from accounts.models import AuditEvent, Person
from accounts.roles import Role
from evaluation.frozen.snapshots import freeze
from generation.models import Response, Run
from judging import planning, progress, rubric_versions, studies, verdicts, warmup
from judging.models import Discussion, GoldItem, JudgingSlot, Judgment, Reopening, Round, Study
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import NotFoundHere, Refusal
from tests.evaluation.factories import judge_all
from tests.factories import person, signed_in, stored
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN))


@pytest.fixture
def researcher(client):
    return signed_in(client, person("dora", Role.RESEARCHER))


def new_study(run, **changed):
    return {
        "name": "Pilot",
        "runs": [run.pk],
        "judges_per_response": 2,
        "resolved_by": "third_person",
        "order": "grouped",
        "pairing": "rotation",
        "seed": 7,
        "rubric": rubric_versions.current().pk,
        **changed,
    }


def test_an_empty_list_says_what_to_do(client, admin):
    assert "No study yet." in client.get("/studies/").content.decode()


def test_without_responses_there_is_nothing_to_judge_yet(client, admin):
    assert "nothing to judge yet" in client.get("/studies/new/").content.decode()


def test_a_study_is_made_opened_and_closed(client, admin):
    run = make.finished_run()
    answer = client.post("/studies/new/", new_study(run))
    study = Study.objects.get()
    assert answer.url == f"/studies/{study.pk}/"
    assert study.items.count() == 12
    judges = [make.judge("alice").pk, make.judge("bob").pk]
    client.post(f"/studies/{study.pk}/open/", {"judges": judges})
    assert JudgingSlot.objects.count() == 24
    closed = client.post(f"/studies/{study.pk}/close/", follow=True)
    assert stored(study).state == "closed"
    assertContains(closed, "The study is closed.")


def test_a_share_may_come_twice(client, admin):
    client.post("/studies/new/", new_study(make.finished_run(instances=4), repeat_percent=25))
    study = Study.objects.get()
    client.post(f"/studies/{study.pk}/open/", {"judges": [make.judge(n).pk for n in ("a", "b")]})
    assert JudgingSlot.objects.filter(repeat=2).count() == 2 * 6
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert (
        "25 % of each judge&#x27;s responses come twice" in page or "25 % of each judge's" in page
    )


def dry_run(client, study, *names):
    judges = [make.judge(name).pk for name in names]
    answer = client.post(f"/studies/{study.pk}/plan/", {"judges": judges})
    return answer.status_code, " ".join(answer.content.decode().split())


def test_a_dry_run_shows_slots_loads_pairs_and_hours_and_stores_nothing(client, admin):
    study = make.draft()
    status, page = dry_run(client, study, "alice", "bob", "charlie")
    assert status == 200
    assert "24 items on 12 responses to 2 questions: 12 with 2 judges." in page
    assert page.count("Hours of reading") == 1
    assert "if each judge's items are grouped by question" in page
    # Nothing that a judge must not know.
    section = page[page.index('id="dry-run-heading"') : page.index("</section>")]
    assert not [model for model in make.MODEL_IDS if model in section]
    assert stored(study).state == "draft"
    assert not study.judges.exists()
    assert not JudgingSlot.objects.exists()


def test_a_dry_run_is_what_opening_makes(client, admin):
    study = make.draft(judges_per_response=1, double_percent=50, pairing="fixed")
    people = [make.judge(name) for name in ("alice", "bob")]
    plan = studies.would_open(study, people)
    studies.open_study(study, people)
    loads = {load.person: load.slots for load in plan.loads}
    assert loads == {who: len(make.slots(study, who)) for who in people}
    assert plan.slots == JudgingSlot.objects.count() == 18
    assert plan.by_judges == {1: 6, 2: 6}
    assert plan.pairs == [(*sorted(people, key=lambda who: who.pseudonym), 6)]
    assert plan.hours["grouped"] < plan.hours["random"]


@pytest.mark.parametrize(
    ("design", "names", "sentence"),
    [
        ({}, ["alice"], "2 judges per response are needed"),
        ({"pairing": "fixed"}, ["alice", "bob", "charlie"], "do not make whole teams"),
    ],
)
def test_a_dry_run_says_why_a_study_cannot_open(client, admin, design, names, sentence):
    status, page = dry_run(client, make.draft(**design), *names)
    assert (status, sentence in page) == (400, True)


JUDGED_BEFORE = "judged responses to some of these questions in another study"


@pytest.fixture
def closed():
    """Alice and bob have judged all of its responses."""
    study = judge_all(make.open_study(name="Before"))
    studies.close_study(study)
    return study


def run_over_others():
    other = make.run("other")
    make.responses(other, [make.instance(n) for n in (31, 32)])
    return other


def test_judges_of_a_closed_study_over_the_questions_are_counted_before_another_opens(
    client, admin, closed
):
    study = make.draft(name="After", drawn_from=Run.objects.get())
    status, page = dry_run(client, study, "alice", "bob", "charlie")
    assert (status, f"2 of the judges {JUDGED_BEFORE}" in page) == (200, True)
    assert JUDGED_BEFORE not in dry_run(client, study, "charlie", "dave")[1]
    judges = [make.judge(name).pk for name in ("alice", "charlie")]
    page = client.post(f"/studies/{study.pk}/open/", {"judges": judges}, follow=True)
    assertContains(page, f"1 of the judges {JUDGED_BEFORE}")


READS = "can read verdicts on the same responses in the report of another study"


def test_judges_who_read_another_studys_report_are_named_before_this_one_opens(
    client, admin, closed
):
    """As its judges they do not, and nobody does who may not read reports."""
    for name, role in (("bob", Role.RESEARCHER), ("dave", Role.ADMIN), ("eve", Role.RESEARCHER)):
        make.judge(name).grants.create(role=role)
    open_one = make.open_study("frank", "eve", name="Open", drawn_from=Run.objects.get())
    make.give_all(open_one, "frank")
    study = make.draft(name="After", drawn_from=Run.objects.get())
    _, page = dry_run(client, study, "alice", "bob", "dave", "eve")
    every = "“Before”: 12 responses, “Open”: 12 responses"
    assert f"{READS}: Bob ({every}); Dave ({every}). Once this study is open" in page
    assert READS not in dry_run(client, study, "alice", "frank")[1]
    other = make.draft(name="Others", drawn_from=run_over_others())
    assert READS not in dry_run(client, other, "bob", "dave")[1]
    judges = [make.judge(name).pk for name in ("alice", "bob")]
    page = client.post(f"/studies/{study.pk}/open/", {"judges": judges}, follow=True)
    assertContains(page, f"{READS}: Bob")


def test_a_judge_who_is_added_is_counted_so_too(client, admin, closed):
    study = make.open_study(
        "charlie", "dave", name="After", drawn_from=Run.objects.get(), pairing="pool"
    )
    add = f"/studies/{study.pk}/judges/"
    page = client.post(add, {"judge": make.judge("alice").pk}, follow=True)
    assertContains(page, f"1 of the judges {JUDGED_BEFORE}")
    page = client.post(add, {"judge": make.judge("erin").pk}, follow=True)
    assertNotContains(page, JUDGED_BEFORE)


@pytest.mark.parametrize("how", ["reopened", "a further round", "a discussion"])
def test_who_may_have_read_a_resolution_of_a_study_that_is_open_is_counted_too(closed, olga, how):
    Study.objects.filter(pk=closed.pk).update(state="open")
    round_ = Round.objects.get(study=closed)
    if how == "reopened":
        round_.reopenings.create(by=olga, reason="A judge was ill")
    elif how == "a further round":
        Round.objects.update(is_latest=False)
    else:
        Discussion.objects.create(item=closed.items.first(), round=round_)
    study = make.draft(name="After", drawn_from=Run.objects.get())
    questions = {item.response.instance_id for item in closed.items.all()}
    assert planning.judged_before(study, questions, [make.judge("alice")]) == 1


@pytest.mark.parametrize(
    "why",
    ["open", "came once it was reopened", "other questions", "took no part", "own earlier round"],
)
def test_who_has_read_no_resolution_of_another_study_is_not_counted(closed, olga, why):
    people, questions = [make.judge("alice")], {Response.objects.first().instance_id}
    study = make.draft(name="After", drawn_from=Run.objects.get())
    assert planning.judged_before(study, questions, people) == 1
    if why == "open":
        Study.objects.filter(pk=closed.pk).update(state="open")
    elif why == "came once it was reopened":
        Study.objects.filter(pk=closed.pk).update(state="open")
        before = Judgment.objects.earliest("locked_at").locked_at - timedelta(hours=1)
        Reopening.objects.create(
            round=Round.objects.get(study=closed), by=olga, reason="Ill", at=before
        )
    elif why == "other questions":
        questions = {make.instance(77).pk}
    elif why == "took no part":
        people = [make.judge("charlie")]
    else:
        study = closed
    assert planning.judged_before(study, questions, people) == 0


def test_a_study_in_draft_is_discarded_with_its_warm_up(client, admin, closed):
    study = make.draft(name="Mistake", drawn_from=run_over_others())
    warmup.draw(study, closed, 2)
    assertContains(client.get(f"/studies/{study.pk}/"), f"/studies/{study.pk}/discard/")
    responses = Response.objects.count()
    page = client.post(f"/studies/{study.pk}/discard/", follow=True)
    assertContains(page, "The study “Mistake” is discarded.")
    assert [*Study.objects.all()] == [closed]
    assert (Response.objects.count(), GoldItem.objects.count()) == (responses, 0)
    assert AuditEvent.objects.filter(about=f"study {study.slug}: discarded", by=admin).exists()
    assert client.post(f"/studies/{study.pk}/discard/").status_code == 404


def test_the_responses_of_a_discarded_study_can_be_in_a_warm_up(client, admin, closed):
    holds = make.draft(name="Mistake", drawn_from=Run.objects.get())
    study = make.draft(name="After", drawn_from=run_over_others())
    with pytest.raises(Refusal):
        warmup.draw(study, closed, 1)
    client.post(f"/studies/{holds.pk}/discard/")
    warmup.draw(study, closed, 1)
    assert study.gold_items.count() == 1


def test_a_study_that_was_opened_or_frozen_is_not_discarded(client, admin, closed):
    assert client.post(f"/studies/{closed.pk}/discard/").status_code == 409
    assertNotContains(client.get(f"/studies/{closed.pk}/"), "/discard/")
    frozen = make.draft(name="Frozen", drawn_from=Run.objects.get())
    freeze(frozen, by=admin)
    answer = client.post(f"/studies/{frozen.pk}/discard/")
    assertContains(answer, "A report of this study was frozen", status_code=409)
    assert frozen.items.exists()


def test_a_study_that_is_discarded_while_it_is_opened_or_given_a_warm_up_is_not_there(
    client, admin, closed, monkeypatch
):
    study, opening = make.draft(name="Mistake", drawn_from=run_over_others()), studies.open_study
    monkeypatch.setattr(
        studies,
        "open_study",
        lambda late, judges: (studies.discard(study, by=admin), opening(late, judges)),
    )
    judges = [make.judge(name).pk for name in ("alice", "charlie")]
    assert client.post(f"/studies/{study.pk}/open/", {"judges": judges}).status_code == 404
    with pytest.raises(NotFoundHere, match="has been discarded"):
        warmup.draw(study, closed, 1)


def test_a_study_that_is_open_has_no_dry_run(client, admin):
    status, page = dry_run(client, make.open_study(), "alice", "bob")
    assert (status, "has been opened" in page) == (409, True)


def test_an_admin_removes_a_judge_and_adds_another(client, admin):
    study = make.open_study(pairing="pool")
    alice = study.judges.get(person__username="alice")
    page = client.post(f"/studies/{study.pk}/judges/{alice.pk}/remove/", follow=True)
    assertContains(page, "was removed from this study")
    assertContains(page, "Removed")
    dave = make.judge("dave")
    page = client.post(f"/studies/{study.pk}/judges/", {"judge": dave.pk}, follow=True)
    assertContains(page, "can draw what is free")
    assert study.judges.filter(removed_at=None, person=dave).exists()


@pytest.mark.parametrize("who", ["", "bob", "eve"])
def test_only_a_judge_who_is_not_among_them_can_be_added(client, admin, who):
    study = make.open_study()
    person("eve", Role.ANNOTATOR)
    key = {"bob": make.judge("bob").pk, "eve": Person.objects.get(username="eve").pk}.get(who, "")
    answer = client.post(f"/studies/{study.pk}/judges/", {"judge": key})
    assert answer.status_code == 400
    assert study.judges.count() == 2


def test_the_page_says_who_holds_items_too_long(client, admin):
    study = make.open_study()
    assert "who have given no verdict" not in client.get(f"/studies/{study.pk}/").content.decode()
    study.rounds.update(opened_at=Now() - timedelta(days=4))
    assertContains(
        client.get(f"/studies/{study.pk}/"), "24 items wait for judges who have given no verdict"
    )


def test_a_study_of_some_prompts_and_models_only(client, admin):
    run = make.finished_run()
    model = make.language_model()
    data = new_study(run, prompts=["passage-1"], language_models=[model.pk])
    client.post("/studies/new/", data)
    drawn = Study.objects.get().items.values_list("response__prompt", "response__model")
    assert set(drawn) == {("passage-1", model.pk)}


def test_unfinished_responses_are_left_out_and_counted(client, admin):
    run = make.finished_run()
    Response.objects.filter(prompt="passage-1").update(state="failed")
    page = client.post("/studies/new/", new_study(run), follow=True).content.decode()
    assert "not finished: 4 chosen responses." in page


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"runs": []}, "This field is required"),
        ({"judges_per_response": 0}, "greater than or equal to 1"),
        ({"resolved_by": "discussion", "judges_per_response": 3}, "between two judges"),
        ({"resolved_by": "majority"}, "at least three judges"),
        ({"order": ""}, "This field is required"),
        ({"repeat_percent": 51}, "less than or equal to 50"),
        ({"pairing": "friends"}, "Select a valid choice"),
        ({"pairing": "pool", "repeat_percent": 10}, "In a pool no response comes twice"),
        ({"double_percent": 10}, "with one judge per response"),
        ({"double_percent": 101}, "less than or equal to 100"),
        ({"seed": "x"}, "Enter a whole number"),
        ({"prompts": ["home-made"]}, "Select a valid choice"),
    ],
)
def test_a_refused_study_keeps_what_was_entered(client, admin, changed, sentence):
    run = make.finished_run()
    answer = client.post("/studies/new/", new_study(run, **changed))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert "Please check these entries" in page
    if "name" not in changed:
        assert 'value="Pilot"' in page
    assert not Study.objects.exists()


def test_a_person_without_the_role_is_not_among_the_judges(client, admin):
    study = make.draft()
    dave = person("dave", Role.ANNOTATOR)
    assertNotContains(client.get(f"/studies/{study.pk}/"), "Dave")
    answer = client.post(f"/studies/{study.pk}/open/", {"judges": [dave.pk]})
    assert answer.status_code == 400


def test_the_page_counts_what_the_rows_hold(client, researcher):
    study, _ = make.one_disputed()
    for name in ("alice", "bob"):
        verdicts.hand_in(make.judge(name), study)
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert "Responses with a final verdict: 1 of 2" in page
    assert "1 waits for a third person, 0 for their judges." in page
    assert "Correct · Incorrect" in page or "Incorrect · Correct" in page


def test_a_study_closed_early_says_how_many_lack_which_verdicts_and_leads_to_them(
    client, researcher
):
    study, *_ = make.closed_early()
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert "2 wait for a third person, 0 for their judges." in page
    assert "1 with 0 of 2 verdicts, 2 with 1 of 2 verdicts." in page
    assert f'href="/reports/{study.pk}/rows/?verdict=incomplete"' in page


def test_closing_says_first_how_many_responses_stay_without_a_final_verdict(client, admin):
    study = make.open_study(drawn_from=make.finished_run(instances=3, prompts=["passage-1"]))
    address = f"/studies/{study.pk}/close/"
    assertContains(client.get(f"/studies/{study.pk}/"), f'href="{address}"')
    assertContains(client.get(address), "6 responses stay without a final verdict: 6 without all")
    slots = {slot.item_id: slot for slot in make.slots(study, make.judge("bob"))}
    for n, slot in enumerate(make.slots(study, make.judge("alice"))):
        verdicts.give(slot, "correct")
        if n:
            verdicts.give(slots[slot.item_id], "incorrect" if n < 3 else "correct")
    said = "3 responses stay without a final verdict: 1 without all their verdicts, 2 for a third person to decide."
    assertContains(client.get(address), said)
    study.judges.filter(person=make.judge("alice")).update(person=admin)  # reads no differences
    said = "1 response stays without a final verdict: 1 without all their verdicts."
    assertContains(client.get(address), said)
    assert stored(study).state == "open"
    client.post(address)
    assertContains(client.get(address), "it cannot be closed")


def test_each_judges_share_of_fast_verdicts_is_shown(client, admin):
    client.post("/studies/new/", new_study(make.finished_run(), fast_seconds=10))
    study = Study.objects.get()
    studies.open_study(study, [make.judge("alice"), make.judge("bob")])
    times = [9.9, 10, 4_000, 0.5, None]
    for slot, seconds in zip(make.slots(study, make.judge("alice")), times, strict=False):
        verdicts.give(slot, "correct", seconds=seconds)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "Under 10 s" in page
    assert "50.0 % (2/4)" in page
    [alice, bob] = sorted(progress.by_judge(study), key=lambda row: row[0].person.username)
    assert (alice[0].fast, alice[0].timed, bob[0].fast, bob[0].timed) == (2, 4, 0, 0)


@pytest.mark.parametrize(("entered", "kept"), [("", 3), ("5", 5)])
def test_without_a_choice_a_verdict_under_three_seconds_is_fast(client, admin, entered, kept):
    client.post("/studies/new/", new_study(make.finished_run(), fast_seconds=entered))
    assert Study.objects.get().fast_seconds == kept


def test_a_response_asked_twice_in_a_study_of_one_judge_each_lacks_one_of_two(client, researcher):
    study = make.open_study(judges_per_response=1, double_percent=50)
    make.hand_in(study, "alice")
    studies.close_study(study)
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert re.search(r"\b6 with 0 of 1 verdict, 6 with 1 of 2 verdicts\.", page)


def test_judges_appear_by_pseudonym_to_researchers_by_name_to_admins(client, researcher):
    study = make.open_study()
    alice = make.judge("alice")
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert alice.pseudonym in page
    assert "Alice" not in page
    client.force_login(study.created_by)
    assert "Alice" in client.get(f"/studies/{study.pk}/").content.decode()


def test_responses_that_name_their_model_are_listed_for_the_admin(client, researcher):
    run = make.finished_run(instances=1, prompts=["passage-1"])
    Response.objects.filter(model__model_id=make.MODEL_IDS[1]).update(
        text="As wombat-13b-secret I say 1101."
    )
    study = make.draft(drawn_from=run)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "Responses that name their own model" in page
    assert "As wombat-13b-secret I say 1101." in page


def test_what_judges_flagged_is_listed_with_their_words(client, researcher):
    study = make.open_study()
    one, two, *_ = make.slots(study, make.judge("alice"))
    verdicts.flag(one, True, "It says who it is.")
    verdicts.skip(two, "The passage is cut.")
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "It says who it is." in page
    assert "The passage is cut." in page


def test_a_study_that_is_not_there(client, admin):
    assert client.get("/studies/999999/").status_code == 404


def test_a_dry_run_counts_the_slots_on_ones_own_questions(client, admin):
    run = make.finished_run()
    make.written_by("alice", run, 1)
    _, page = dry_run(client, make.draft(drawn_from=run), "alice", "bob")
    assert "6 items of 24 (25 %) are on a question that its judge wrote or annotated." in page


def test_a_study_without_own_questions_says_which_judges_it_lacks(client, admin):
    run = make.finished_run()
    make.written_by("alice", run, 1)
    client.post("/studies/new/", new_study(run, without_own="on"))
    study = Study.objects.get()
    status, page = dry_run(client, study, "alice", "bob")
    assert status == 400
    assert "for 1 question too few of the chosen judges remain." in page
    status, page = dry_run(client, study, "alice", "bob", "charlie")
    assert status == 200
    assert "Nobody judges responses to their own questions." in page


def hours(client, run, **changed):
    answer = client.post("/studies/new/", new_study(run, hours="1", **changed))
    return answer.status_code, " ".join(answer.content.decode().split())


def test_the_hours_of_both_orders_are_shown_before_one_chooses_and_nothing_is_made(client, admin):
    run = make.finished_run(instances=4)
    status, page = hours(client, run, name="", order="random")
    assert status == 200
    assert "24 responses to 4 questions. Reading takes about" in page
    assert re.search(r'value="random"[^>]*checked', page)
    assert not Study.objects.exists()


def test_the_hours_are_those_of_the_dry_run(admin):
    # The lots of a draft name its run, those of the form cannot: of many responses, chance changes under 1 %.
    run = make.finished_run(instances=40)
    design = {"judges_per_response": 1, "double_percent": 50, "seed": 7}
    cost = studies.would_cost(Selection([run]), StudyDesign(**design))
    plan = studies.would_open(
        make.draft(drawn_from=run, pairing="pool", **design), [make.judge(n) for n in ("a", "b")]
    )
    assert cost.hours == pytest.approx(plan.hours, rel=0.05)
    assert cost.hours["grouped"] < cost.hours["random"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"runs": []}, "This field is required."),
        ({"prompts": ["passage-2"]}, "Select a valid choice."),
        (
            {"judges_per_response": 2, "double_percent": 10},
            "for studies with one judge per response",
        ),
        ({"resolved_by": "majority"}, "A majority needs at least three judges per response."),
    ],
)
def test_hours_that_are_not_known_say_why(client, admin, changed, sentence):
    status, page = hours(client, make.finished_run(), **changed)
    assert status == 400
    assert sentence in page
    assert "Reading takes about" not in page
