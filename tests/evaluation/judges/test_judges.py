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


def lines_of(study, name):
    """The lines of a judge's comparisons: n, agreement, kappa, better, worse, leaning."""
    return compared(study, judge(study, name), rounds_shown(study)).groups[0].lines


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
    other, final, disputed = lines_of(study, "bob")
    n, agreed, _, better, worse, _ = other.cells
    assert (n.k, better.k, worse.k, agreed.words.value) == (24, 0, 2, "91.7 %")
    assert (final.keys, final.cells[0].k, final.cells[4].k) == (("The final verdict",), 24, 2)
    assert [disputed.cells[at].k for at in (0, 3, 4)] == [2, 0, 2]
    _, final, disputed = lines_of(study, "alice")
    assert (final.cells[3].k, disputed.cells[3].k) == (2, 2)


def test_the_leaning_has_its_interval_by_article(rita):
    """Ten articles, on three of which bob alone gives the worse verdict."""
    drawn = judging.run("ten")
    for n in range(1, 11):
        judging.response(drawn, judging.instance(n), "passage-1", judging.language_model())

    def choose(who, slot):
        is_worse = who == "bob" and slot.item.response.instance.contradiction.position <= 3
        return PARTLY if is_worse else CORRECT

    study = judged_study(drawn_from=drawn, choose=choose)
    lean = lines_of(study, "bob")[0].cells[-1]
    assert lean.words.value == "−30.0"
    [interval] = lean.intervals
    assert -0.9 < interval.low < -0.3 < interval.high <= 0


def test_with_several_others_there_is_a_row_over_all(rita):
    study = judged_study("alice", "bob", "dora", judges_per_response=3)
    lines = lines_of(study, "bob")
    *each, whole = [line for line in lines if not line.keys[0].startswith("The final")]
    assert whole.keys == ("All other judges",)
    assert whole.cells[0].k == sum(line.cells[0].k for line in each) == 48
    assert whole.cells[4].k == 4


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
    other, final = lines_of(twice, "bob")
    dora = judge(twice, "dora").pseudonym
    assert (other.keys, other.cells[0].k, final.cells[0].k) == ((dora,), 8, 8)
    (other, _) = lines_of(twice, "alice")
    assert (other.keys, other.cells[0].k) == ((bob.pseudonym,), 24)


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
    assert lines_of(study, "alice") == ()
    page = client.get(f"/reports/{study.pk}/judges/{judge(study, 'alice').pk}/").content.decode()
    assert "No response of this judge has another verdict" in page


@pytest.mark.both
def test_causes_are_counted_by_prompt_and_by_model_and_lead_to_their_rows(client, study):
    assert cause_tables(study) == []
    resolve_all(study)
    by_prompt, by_model = cause_tables(study)
    [line] = by_prompt.groups[0].lines
    assert (line.keys, [cell.k for cell in line.cells]) == (("A judge slipped",), [2, 2])
    assert [cell.k for cell in by_model.groups[0].lines[0].cells] == [2, 1, 1]
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
