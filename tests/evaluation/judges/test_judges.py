"""The pages of judges: what each gave, how it compares, and the causes of disagreements."""

import re

import pytest

from evaluation.judges.counts import leaning, rounds_shown
from evaluation.judges.judge_figures import cause_tables, compared, listed, shares_of
from generation.models import Run
from judging.files.predictions import import_predictions
from judging.models import Study
from tests.evaluation.factories import judged_study, judged_twice, resolve_all
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db
INCORRECT, PARTLY, CORRECT = ORDER = ("incorrect", "partially correct", "correct")


@pytest.mark.both
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([], (0, 0, 0)),
        ([("a", CORRECT, INCORRECT, 2)], (2, 0, 2)),
        ([("a", PARTLY, CORRECT, 3), ("b", PARTLY, PARTLY, 4)], (0, 3, 7)),
        ([("a", CORRECT, PARTLY, 1), ("b", INCORRECT, PARTLY, 1)], (1, 1, 2)),
    ],
)
def test_leaning_counts_the_better_and_the_worse_verdicts(cells, expected):
    assert leaning(cells, ORDER) == expected


@pytest.fixture
def study(rita) -> Study:
    """Alice: 24 correct. Bob: 22 correct and 2 incorrect, which wait for a third person."""
    return judged_study()


def judge(study, name):
    return study.judges.get(person__username=name)


@pytest.mark.both
def test_the_list_has_shares_and_leanings_of_each(study):
    alice, bob = sorted(listed(study), key=lambda row: row.judge.person.username)
    assert [count for count, _ in alice.given.shares] == [24, 0, 0]
    assert [count for count, _ in bob.given.shares] == [22, 0, 2]
    assert (alice.lean, bob.lean) == ("+8.3", "−8.3")
    assert alice.seconds == 4


@pytest.mark.both
def test_a_judges_shares_add_up_over_prompts(study):
    *each, whole = shares_of(study, judge(study, "bob"), rounds_shown(study))
    assert len(each) == len(judging.PROMPTS)
    assert sum(row.n for row in each) == whole.n == 24
    assert [sum(row.shares[at][0] for row in each) for at in range(3)] == [22, 0, 2]


def test_a_judge_is_compared_with_the_other_and_with_the_final_verdicts(study):
    resolve_all(study, "partially correct")
    other, final, disputed = compared(study, judge(study, "bob"), rounds_shown(study))
    assert (other.n, other.better, other.worse) == (24, 0, 2)
    assert other.figures[0].value == "91.7 %"
    assert (final.label, final.n, final.worse) == ("The final verdict", 24, 2)
    assert (disputed.n, disputed.better, disputed.worse) == (2, 0, 2)
    _, final, disputed = compared(study, judge(study, "alice"), rounds_shown(study))
    assert (final.better, disputed.better) == (2, 2)


def test_the_leaning_has_its_interval_by_article(rita):
    """Ten articles, on three of which bob alone gives the worse verdict."""
    drawn = judging.run("ten")
    for n in range(1, 11):
        judging.response(drawn, judging.instance(n), "passage-1", judging.language_model())

    def choose(who, slot):
        is_worse = who == "bob" and slot.item.response.instance.contradiction.position <= 3
        return PARTLY if is_worse else CORRECT

    study = judged_study(drawn_from=drawn, choose=choose)
    (row, _) = compared(study, judge(study, "bob"), rounds_shown(study))
    assert row.lean.value == "−30.0"
    low, high = (
        float(end.replace("−", "-").replace("+", "")) for end in row.lean.interval.split(" to ")
    )
    assert -90 < low < -30 < high <= 0


def test_with_several_others_there_is_a_row_over_all(rita):
    study = judged_study("alice", "bob", "dora", judges_per_response=3)
    rows = compared(study, judge(study, "bob"), rounds_shown(study))
    *each, whole = [row for row in rows if not row.label.startswith("The final")]
    assert whole.label == "All other judges"
    assert whole.n == sum(row.n for row in each) == 48
    assert whole.worse == 4


@pytest.fixture
def twice(rita) -> Study:
    """Bob is in both rounds: with alice on 24 responses, then with dora on 8 by another version."""
    return judged_twice(again=("bob", "dora"))


@pytest.mark.both
def test_a_judges_numbers_are_of_their_latest_round_that_counts_and_of_no_other(twice):
    shown = rounds_shown(twice)
    rounds = {name: shown[judge(twice, name).pseudonym] for name in ("alice", "bob", "dora")}
    assert rounds == {"alice": 1, "bob": 2, "dora": 2}
    bob = judge(twice, "bob")
    (given,) = shares_of(twice, bob, shown)
    assert given.n == 8
    other, final = compared(twice, bob, shown)
    assert (other.label, other.n, final.n) == (judge(twice, "dora").pseudonym, 8, 8)
    (other, _) = compared(twice, judge(twice, "alice"), shown)
    assert (other.label, other.n) == (bob.pseudonym, 24)


def test_a_round_that_does_not_count_is_shown_only_of_who_is_in_no_other(twice):
    twice.rounds.filter(n=2).update(counts=False)
    shown = rounds_shown(twice)
    rounds = {name: shown[judge(twice, name).pseudonym] for name in ("alice", "bob", "dora")}
    assert rounds == {"alice": 1, "bob": 1, "dora": 2}


def test_the_pages_say_which_round_and_their_numbers_lead_to_its_rows(client, twice):
    page = client.get(f"/reports/{twice.pk}/judges/").content.decode()
    assert "numbers are of one round" in page
    lists = re.findall(r'href="(/reports/\d+/rows/\?judge=[^"]+)">(\d+)<', page)
    assert sorted(number for _, number in lists) == ["24", "8", "8"]
    for link, number in lists:
        rows = client.get(link.replace("&amp;", "&")).content.decode()
        assert f"{number} responses" in rows
    bob = judge(twice, "bob")
    page = client.get(f"/reports/{twice.pk}/judges/{bob.pk}/").content.decode()
    assert "2, by wikicontradict v2" in page
    (pair,) = re.findall(r'href="(/reports/\d+/disagreements/\?[^"]+)">8<', page)
    every = client.get(pair.replace("&amp;", "&") + "&differ=no").content.decode()
    assert "1 of 8" in every


def test_a_study_of_one_round_names_none(client, study):
    page = client.get(f"/reports/{study.pk}/judges/{judge(study, 'bob').pk}/").content.decode()
    assert "<dt>Round</dt>" not in page


def test_a_single_judge_is_compared_with_nobody(client, rita):
    study = judged_study("alice", judges_per_response=1)
    assert compared(study, judge(study, "alice"), rounds_shown(study)) == []
    page = client.get(f"/reports/{study.pk}/judges/{judge(study, 'alice').pk}/").content.decode()
    assert "No response of this judge has another verdict" in page


@pytest.mark.both
def test_causes_are_counted_by_prompt_and_by_model_and_lead_to_their_rows(client, study):
    assert cause_tables(study) == []
    resolve_all(study)
    by_prompt, by_model = cause_tables(study)
    assert [row.label for row in by_prompt.rows] == ["A judge slipped"]
    assert [cell.value for cell in by_prompt.rows[0].cells] == ["2", "2"]
    assert [cell.value for cell in by_model.rows[0].cells] == ["2", "1", "1"]
    page = client.get(f"/reports/{study.pk}/judges/").content.decode()
    links = re.findall(r'href="(/reports/\d+/rows/\?cause=[^"]+)">(\d+)<', page)
    assert len(links) == 5
    for link, number in links:
        rows = client.get(link.replace("&amp;", "&")).content.decode()
        assert f"{number} response" in rows


def test_the_pages_give_the_numbers_and_lead_to_each_other(client, study):
    page = client.get(f"/reports/{study.pk}/judges/").content.decode()
    links = re.findall(rf'href="(/reports/{study.pk}/judges/\d+/)"', page)
    assert len(links) == 2
    for link in links:
        shown = client.get(link).content.decode()
        assert "24 judged, 0 skipped, 0 flagged, 0 not judged" in shown
        compared_with = re.search(r'href="(/reports/\d+/disagreements/\?[^"]+)">24<', shown)
        assert "1 of 2" in client.get(compared_with[1].replace("&amp;", "&")).content.decode()


def test_before_anybody_hands_in_both_pages_report_that(client, rita):
    study = judging.open_study()
    alice = judge(study, "alice")
    assert "No judge has handed in" in client.get(f"/reports/{study.pk}/judges/").content.decode()
    shown = client.get(f"/reports/{study.pk}/judges/{alice.pk}/").content.decode()
    assert "handed in no verdict yet" in shown


def test_a_judge_of_another_study_or_a_judge_model_has_no_page(client, study):
    other = judging.open_study("erin", "fay", name="Another", drawn_from=Run.objects.get())
    machine = import_predictions(study, b"item,reply\n0,evaluation: correct\n", "Elsewhere").judge
    for absent in (judge(other, "erin").pk, machine.pk):
        assert client.get(f"/reports/{study.pk}/judges/{absent}/").status_code == 404


def test_what_is_of_all_rounds_says_so(client, twice):
    page = client.get(f"/reports/{twice.pk}/judges/{judge(twice, 'bob').pk}/").content.decode()
    page = " ".join(page.split())
    assert "In all rounds: 32 judged" in page
    assert "(mean of all rounds, pauses left out)" in page
    assert "Days in all rounds" in page


def test_a_judge_of_a_study_of_one_round_reads_of_no_rounds(client, study):
    page = client.get(f"/reports/{study.pk}/judges/{judge(study, 'bob').pk}/").content.decode()
    assert "all rounds" not in page
