"""The warm-up: gold items of a closed study first, with feedback, counted in no figure."""

import pytest

from accounts.roles import Role
from datasets import exclusions
from datasets.models import Instance
from evaluation.sections.study import study_report
from judging import adjudication, blinding, pool, progress, rounds, studies, verdicts, warmup
from judging.models import GoldItem, GoldVerdict, JudgingSlot, Judgment, Study
from judging.settling import unresolved
from leases.refusal import AsksFirst, Conflict, Refusal
from tests.datasets.factories import newer
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db
# A run of the same responses: the run itself, and another of its file.
COPIES = pytest.mark.parametrize("other", [lambda run: run, make.copy_of], ids=["run", "its file"])


@pytest.fixture
def source():
    """A closed study of 8 responses to abbeys 1 and 2: half correct, half resolved as incorrect, with a note."""
    study = make.open_study(
        "ivy",
        "joe",
        name="Before",
        drawn_from=make.finished_run(prompts=["passage-1", "both-passages"]),
    )
    make.give_all(study, "ivy")
    for place, slot in enumerate(make.slots(study, make.judge("joe"))):
        verdicts.give(slot, "correct" if place % 2 else "incorrect")
    studies.close_study(study)
    for item in unresolved(study):
        adjudication.decide(
            item,
            by=person_named("adam"),
            verdict="incorrect",
            cause="slip",
            note="It names no year.",
        )
    return Study.objects.get(pk=study.pk)


def person_named(name):
    return make.Person.objects.filter(username=name).first() or person(name, Role.ADJUDICATOR)


def other_run(n=3, prompts=("passage-1", "both-passages")):
    """A run over another question."""
    run = make.run("later")
    make.responses(run, [make.instance(n)], prompts)
    return run


@pytest.fixture
def study(source):
    """An open study of four responses with a warm-up of four."""
    drafted = make.draft(drawn_from=other_run())
    warmup.draw(drafted, source, 4)
    studies.open_study(drafted, [make.judge("alice"), make.judge("bob")])
    return Study.objects.get(pk=drafted.pk)


@pytest.mark.both
def test_gold_items_come_in_turn_by_verdict_and_by_the_seed(source):
    drafted = make.draft(drawn_from=other_run())
    warmup.draw(drafted, source, 4)
    first = list(drafted.gold_items.values_list("response", "verdict"))
    assert sorted(verdict for _, verdict in first) == ["correct"] * 2 + ["incorrect"] * 2
    warmup.draw(drafted, source, 4)
    assert list(drafted.gold_items.values_list("response", "verdict")) == first
    warmup.draw(drafted, source, 0)
    assert not GoldItem.objects.exists()


def test_gold_items_are_of_prompts_that_the_study_judges(source):
    drafted = make.draft(drawn_from=other_run(prompts=["both-passages"]))
    warmup.draw(drafted, source, 4)
    assert {gold.response.prompt for gold in drafted.gold_items.all()} == {"both-passages"}
    with pytest.raises(Refusal, match="has 4 that can be used: responses to prompts that this"):
        warmup.draw(drafted, source, 5)


def test_the_warm_up_comes_first_and_each_verdict_is_answered(study, client):
    alice = signed_in(client, make.judge("alice"))
    for place in range(1, 5):
        address = client.get(f"/judge/{study.pk}/next/").url
        assert address == f"/judge/{study.pk}/warm-up/{place}/"
        page = client.get(address).content.decode()
        assert f"Warm-up {place} of 4." in page
        assert "The final verdict" not in page
        assert "It names no year." not in page
        page = client.post(address, {"verdict": "incorrect"}, follow=True).content.decode()
        gold = study.gold_items.get(position=place)
        assert (
            f"You: Incorrect. The final verdict: {study.rubric.scale[gold.verdict].label}." in page
        )
        assert ("The same verdict" in page) is (gold.verdict == "incorrect")
        assert ("It names no year." in page) is (gold.verdict == "incorrect")
    assert "/judge/slots/" in client.get(f"/judge/{study.pk}/next/").url
    assert GoldVerdict.objects.filter(judge__person=alice).count() == 4


def test_no_model_is_named_in_the_warm_up(study, client):
    signed_in(client, make.judge("alice"))
    for address in (f"/judge/{study.pk}/warm-up/1/", f"/judge/{study.pk}/warm-up/2/"):
        asked = client.get(address).content.decode()
        answered = client.post(address, {"verdict": "correct"}, follow=True).content.decode()
        assert not [
            secret
            for secret in (*make.MODEL_IDS, make.SERVICE, "secret-run")
            if secret in asked + answered
        ]


@pytest.mark.both
def test_the_warm_up_is_in_no_figure(study):
    def figures():
        return (
            progress.of_study(study),
            study_report(study),
            JudgingSlot.objects.count(),
            Judgment.objects.count(),
        )

    before = figures()
    for gold in study.gold_items.all():
        warmup.give(gold, make.judge("alice"), "correct")
    assert figures() == before


@pytest.mark.both
def test_a_second_verdict_changes_nothing(study):
    gold = study.gold_items.first()
    warmup.give(gold, make.judge("alice"), "correct")
    warmup.give(gold, make.judge("alice"), "incorrect")
    assert warmup.given(gold, make.judge("alice")) == "correct"


@pytest.mark.parametrize(
    "design",
    [{"pairing": "pool"}, {"pairing": "fixed"}, {"judges_per_response": 1, "double_percent": 50}],
)
def test_every_design_begins_with_its_warm_up(source, client, design):
    drafted = make.draft(drawn_from=other_run(), **design)
    warmup.draw(drafted, source, 1)
    studies.open_study(drafted, [make.judge("alice"), make.judge("bob")])
    signed_in(client, make.judge("alice"))
    asked = (
        client.post(f"/judge/{drafted.pk}/draw/")
        if design.get("pairing") == "pool"
        else client.get(f"/judge/{drafted.pk}/next/")
    )
    assert asked.url == f"/judge/{drafted.pk}/warm-up/1/"
    client.post(asked.url, {"verdict": "correct"})
    assert "/judge/slots/" in client.get(f"/judge/{drafted.pk}/next/").url


@pytest.mark.parametrize(
    ("entered", "sentence"),
    [
        ({"verdict": "wonderful"}, "is not a verdict here"),
        ({"verdict": ""}, "Choose a verdict."),
        ({}, "Choose a verdict."),
    ],
)
def test_a_verdict_that_the_rubric_does_not_allow_is_refused(study, client, entered, sentence):
    signed_in(client, make.judge("alice"))
    answer = client.post(f"/judge/{study.pk}/warm-up/1/", entered)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert 'name="verdict"' in page
    assert not GoldVerdict.objects.exists()


def test_nobody_warms_up_in_a_closed_study_or_once_removed(study):
    gold = study.gold_items.first()
    pool.remove(study, study.judges.get(person=make.judge("bob")).pk)
    assert warmup.next_for(make.judge("bob"), study) is None
    with pytest.raises(Conflict):
        warmup.give(gold, make.judge("bob"), "correct")
    studies.close_study(study)
    with pytest.raises(Conflict):
        warmup.give(study.gold_items.get(pk=gold.pk), make.judge("alice"), "correct")


@COPIES
def test_questions_of_the_study_and_responses_that_others_still_judge_are_no_gold(source, other):
    again = make.draft("Again", drawn_from=other(source.items.first().response.run))
    with pytest.raises(Refusal, match="has 0 that can be used"):
        warmup.draw(again, source, 1)
    drafted = make.draft("Later", drawn_from=other_run())
    with pytest.raises(Refusal, match="has 0 that can be used"):
        warmup.draw(drafted, source, 1)  # all of them are in the draft of above


def test_an_open_study_keeps_its_warm_up(study, source):
    with pytest.raises(Conflict):
        warmup.draw(study, source, 2)
    assert study.gold_items.count() == 4


@COPIES
def test_somebody_who_saw_a_final_verdict_in_a_warm_up_does_not_judge_that_response(
    study, source, other
):
    warmup.give(study.gold_items.first(), make.judge("alice"), "correct")
    again = make.draft("Again", drawn_from=other(source.items.first().response.run))
    with pytest.raises(Refusal, match="whose warm-up has a response of this one"):
        studies.open_study(again, [make.judge("alice"), make.judge("bob")])
    studies.open_study(again, [make.judge("ivy"), make.judge("joe")])
    with pytest.raises(Refusal, match="whose warm-up has a response of this one"):
        pool.add(again, make.judge("alice"))


@COPIES
def test_who_will_be_shown_a_final_verdict_does_not_judge_that_response(study, source, other):
    again = make.draft("Again", drawn_from=other(source.items.first().response.run))
    with pytest.raises(Refusal, match="whose warm-up has a response of this one"):
        studies.open_study(again, [make.judge("alice"), make.judge("ivy")])


def test_who_was_shown_a_final_verdict_does_not_go_on_with_a_study_that_is_opened_again():
    early, *_ = make.closed_early()
    drafted = make.draft("Later", drawn_from=other_run(4))
    warmup.draw(drafted, Study.objects.get(pk=early.pk), 1)
    studies.open_study(drafted, [make.judge("alice"), make.judge("carl")])
    with pytest.raises(Refusal, match="whose warm-up has a response of this one"):
        rounds.reopen(early, "Closed by mistake", by=early.created_by)
    assert not early.rounds.get().reopenings.exists()


@COPIES
def test_who_still_judges_a_response_is_not_shown_its_final_verdict(source, other):
    drafted = make.draft(drawn_from=other_run())
    warmup.draw(drafted, source, 4)
    again = make.draft("Again", drawn_from=other(source.items.first().response.run))
    studies.open_study(again, [make.judge("alice"), make.judge("ivy")])
    again = Study.objects.get(pk=again.pk)
    with pytest.raises(Refusal, match="has a response of this warm-up"):
        studies.open_study(drafted, [make.judge("alice"), make.judge("bob")])
    studies.open_study(drafted, [make.judge("joe"), make.judge("bob")])
    drafted = Study.objects.get(pk=drafted.pk)
    with pytest.raises(Refusal, match="has a response of this warm-up"):
        pool.add(drafted, make.judge("alice"))
    studies.close_study(again)
    assert pool.add(drafted, make.judge("alice"))


def test_a_question_without_the_gold_answer_that_the_rubric_needs_is_no_gold(source):
    Instance.objects.filter(contradiction__position__in=[1, 2]).update(answer_1=None)
    with pytest.raises(Refusal, match="has 0 that can be used"):
        warmup.draw(make.draft(drawn_from=other_run()), source, 1)


def test_an_excluded_question_and_an_older_version_of_what_is_asked_are_no_gold(source):
    first, second = (
        source.items.filter(response__instance__contradiction__position=n) for n in (1, 2)
    )
    out = first.first().response.instance
    exclusions.exclude(instance=out, reason="Ambiguous.", by=person("ben", Role.ADMIN))
    new = newer(second.first().response.instance.contradiction)
    about = Instance.objects.create(
        contradiction=new, n=1, question="Since when?", kind="wh", answer_1="1", answer_2="2"
    )
    run = other_run()
    make.response(run, about, "passage-1", make.language_model())
    with pytest.raises(Refusal, match="has 0 that can be used"):
        warmup.draw(make.draft(drawn_from=run), source, 1)


def test_an_admin_draws_the_warm_up_on_the_page_of_a_draft(source, client):
    signed_in(client, person("olga", Role.ADMIN))
    drafted = make.draft(drawn_from=other_run())
    client.post(f"/studies/{drafted.pk}/warm-up/", {"source": source.pk, "number": 3})
    assert drafted.gold_items.count() == 3
    page = client.get(f"/studies/{drafted.pk}/").content.decode()
    assert "3 responses with known verdicts first" in page
    answer = client.post(f"/studies/{drafted.pk}/warm-up/", {"source": source.pk, "number": 9})
    assert answer.status_code == 400
    assert "9 are wanted, and the study Before has 8" in answer.content.decode()


def test_a_warm_up_is_taken_away_without_a_source(source, client):
    signed_in(client, person("olga", Role.ADMIN))
    drafted = make.draft(drawn_from=other_run())
    warmup.draw(drafted, source, 2)
    address = f"/studies/{drafted.pk}/warm-up/"
    Study.objects.filter(pk=source.pk).update(is_demonstration=True)  # no source is left
    assert f'action="{address}"' in client.get(f"/studies/{drafted.pk}/").content.decode()
    answer = client.post(address, {"number": 2})
    assert (answer.status_code, drafted.gold_items.count()) == (400, 2)
    assert "Choose a closed study" in answer.content.decode()
    assert client.post(address, {"number": 0}).status_code == 302
    assert not drafted.gold_items.exists()


def test_a_source_with_hidden_records_asks_first(source, client, monkeypatch):
    def asks(person, study):
        raise AsksFirst(
            "Show them?",
            view="annotation:show",
            operation="annotation:api_show",
            fields={"tags": "1"},
            button="Show",
            details={},
        )

    signed_in(client, person("olga", Role.ADMIN))
    drafted = make.draft(drawn_from=other_run())
    monkeypatch.setattr(blinding, "require_results", asks)
    answer = client.post(
        f"/studies/{drafted.pk}/warm-up/", {"source": source.pk, "number": 1}
    ).content.decode()
    assert 'name="tags"' in answer


def test_a_study_that_the_admin_may_not_see_is_no_source(source, client):
    olga = signed_in(client, person("olga", Role.ADMIN, Role.JUDGE))
    response = source.items.first().response
    own = make.run("own")
    make.response(own, Instance.objects.get(pk=response.instance_id), "passage-2", response.model)
    assert source in warmup.sources(make.draft("x", drawn_from=own), olga)
    shared = make.draft("Shared", drawn_from=response.run)
    studies.open_study(shared, [olga, make.judge("bob")])
    assert source not in warmup.sources(Study.objects.get(name="x"), olga)


def test_the_page_of_a_judge_says_how_the_warm_up_went(study, client):
    alice = study.judges.get(person__username="alice")
    address = f"/reports/{study.pk}/judges/{alice.pk}/"
    signed_in(client, person("rita", Role.RESEARCHER))
    assert b"Warm-up" not in client.get(address).content
    for gold in study.gold_items.order_by("position")[:3]:
        other = "incorrect" if gold.verdict == "correct" else "correct"
        warmup.give(gold, alice.person, gold.verdict if gold.position < 3 else other)
    page = " ".join(client.get(address).content.decode().split())
    last = GoldVerdict.objects.latest("at").at
    assert (
        f'3 of 4 judged, 2 with the known verdict, the last <time datetime="{last.isoformat()}'
        in page
    )
