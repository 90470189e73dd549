"""The hashed rows are the same however they are read."""

import json
from datetime import timedelta

import pytest
from django.db.models import F

from evaluation.rows import hashing
from evaluation.rows.hashing import KINDS, digest, hashed_lines
from judging import pool, rounds, rubric_versions, studies, verdicts
from judging.files.predictions import import_predictions
from judging.models import JudgingSlot, Judgment, MachineVerdict
from tests.evaluation.factories import exclude, judged_study, judged_twice, resolve_all
from tests.evaluation.rows import plain
from tests.judging import factories as judging

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def judged_in_rounds():
    """Two resolved rounds, an exclusion, repeats, verdicts of several days, of which two are of one moment."""
    study = judged_twice(again=("bob", "dora"), repeat_percent=25)
    exclude(study, 2)
    slots = JudgingSlot.objects.filter(round__study=study).order_by("item__position", "pk")
    for n, slot in enumerate(slots):
        moved = F("judged_at") - timedelta(hours=n * 7 % 50)
        Judgment.objects.filter(slot=slot).update(judged_at=moved)
    first, second = Judgment.objects.order_by("pk")[:2]
    Judgment.objects.filter(pk=second.pk).update(judged_at=first.judged_at)
    return study


def judged_on_own_questions():
    drawn_from = judging.finished_run()
    judging.written_by("alice", drawn_from, 1)
    return judged_study("alice", "bob", drawn_from=drawn_from)


def from_a_pool():
    """One judge holds items without a verdict."""
    study = judging.open_study(pairing="pool")
    for name in ("alice", "bob"):
        pool.draw(judging.judge(name), study)
    slots = JudgingSlot.objects.filter(judge__person__username="alice")[:3]
    for slot in slots:
        verdicts.give(verdicts.slot_of(slot.judge.person, slot.pk), "correct")
    verdicts.hand_in(judging.judge("alice"), study)
    return study


def resolved():
    study = judged_study()
    resolve_all(study)
    import_predictions(study, b"item,reply\n0,evaluation: correct\n1,no idea\n", "Elsewhere")
    return study


def closed_early():
    return judging.closed_early()[0]


STUDIES = [judged_in_rounds, judged_on_own_questions, from_a_pool, resolved, closed_early]


@pytest.mark.parametrize("made", STUDIES, ids=lambda made: made.__name__)
def test_the_rows_are_those_that_the_database_gives_one_by_one(made):
    study = made()
    expected = list(plain.lines(study))
    lines = list(hashed_lines(study))
    assert lines[: len(expected)] == expected
    assert all(json.loads(line)[0] != "verdict" for line in lines[len(expected) :])


def test_a_judge_model_that_is_asked_by_a_later_version_of_the_rubric_has_a_row_for_each():
    study = judging.open_study()
    admin = study.created_by
    import_predictions(study, b"item,reply\n0,evaluation: correct\n1,no idea\n", "Elsewhere")
    before = of_replies(study)
    studies.close_study(study)
    new = rubric_versions.save(
        {**study.rubric.body, "title": "Clearer"}, newest=study.rubric.version, by=admin
    )
    plan = rounds.RoundPlan("Why", new, True, [judging.judge("dora"), judging.judge("emil")])
    rounds.judge_again(study, rounds.JudgedAgain(numbers=[0]), plan, by=admin)
    counts = KINDS["reply"].index("counts") + 1
    assert [row[counts] for row in before] == [True, True]
    assert [row[counts] for row in of_replies(study)] == [False, True]
    first = MachineVerdict.objects.get(item__position=0)
    MachineVerdict.objects.create(
        judge=first.judge,
        item=first.item,
        rubric=new,
        state="judged",
        verdict="incorrect",
        holds="one",
    )
    assert [row[counts] for row in of_replies(study)] == [False, True, True]


def of_replies(study):
    lines = [json.loads(line) for line in hashed_lines(study)]
    return [row for row in lines if row[0] == "reply"]


def test_each_kind_of_study_has_what_it_is_for():
    """Else the test before proves nothing."""
    rows = [json.loads(line) for line in plain.lines(judged_in_rounds())]
    of = {
        name: [row[1 + KINDS["verdict"].index(name)] for row in rows] for name in KINDS["verdict"]
    }
    assert len(set(of["day"])) > 1
    assert 1 < len(set(of["order"])) < sum(one is not None for one in of["order"])
    assert set(of["excluded"]) == {True, False}
    assert set(of["round"]) == {1, 2}
    assert None in of["round_verdict"] or len(set(of["round_verdict"])) > 1


def test_own_questions_are_in_the_rows():
    own = KINDS["verdict"].index("own") + 1
    assert {json.loads(line)[own] for line in plain.lines(judged_on_own_questions())} == {
        True,
        False,
    }


def test_early_ends_are_in_the_rows():
    missed = KINDS["verdict"].index("not_judged") + 1
    assert True in {json.loads(line)[missed] for line in plain.lines(closed_early())}


def test_pieces_of_any_size_give_one_hash_and_the_same_lines(monkeypatch):
    study = resolved()
    whole, lines = digest(study), list(hashed_lines(study))
    for size in (1, 2, 7):
        monkeypatch.setattr(hashing, "_PIECE", size)
        assert (digest(study), list(hashed_lines(study))) == (whole, lines)
    assert whole[1] == len(lines)


def test_no_text_can_part_a_row():
    study = resolved()
    name = 'a, {"": 0}, b\n], ["\\"}\u2028'
    study.judges.filter(external="Elsewhere").update(pseudonym=name)
    replies = [json.loads(line) for line in hashed_lines(study) if line.startswith(b'["reply"')]
    assert [row[2] for row in replies] == [name, name]
    assert digest(study)[1] == len(list(hashed_lines(study)))
