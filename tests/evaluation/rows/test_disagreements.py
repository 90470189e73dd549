import re

import pytest

from evaluation.rows.choice import chosen
from evaluation.rows.disagreements import pairs_of, read_choice
from evaluation.sections.study import study_report
from generation.models import Response
from judging.models import Judgment
from tests.evaluation.factories import judged_study, judged_twice, resolve_all
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(rita):
    return judged_study()


def count(study, **query):
    return chosen(study, read_choice(query, study)).count()


def test_what_is_shown_unasked_is_where_two_differ(study):
    assert count(study) == 2
    assert count(study, differ="no") == 24


@pytest.mark.both
def test_every_cell_of_every_matrix_leads_to_as_many_responses_as_it_counts(study):
    report = study_report(study)
    for prompt, result in zip(report["prompts"], report["agreement"]["prompts"], strict=True):
        for pair in result["pairs"]:
            first, second = pair["judges"]
            for i, one in enumerate(pair["labels"]):
                for j, other in enumerate(pair["labels"]):
                    on, verdicts = {"prompt": prompt["name"]}, {"first_1": one, "first_2": other}
                    turned = {"judge_1": second, "judge_2": first, "first_1": other}
                    for way in (
                        {**verdicts, "judge_1": first, "judge_2": second},
                        {**verdicts, "judges": f"{first} | {second}"},
                        {**turned, "first_2": one},
                    ):
                        assert count(study, **on, **way) == pair["table"][i][j]


def test_the_cells_on_the_page_lead_here(client, study):
    page = client.get(f"/reports/{study.pk}/").content.decode()
    links = re.findall(rf'href="(/reports/{study.pk}/disagreements/\?[^"]+)">(\d+)<', page)
    assert links
    for link, number in links:
        shown = client.get(link.replace("&amp;", "&")).content.decode()
        assert f"1 of {number}" in shown


@pytest.mark.both
def test_filters_narrow_and_stay_while_stepping(client, study):
    address = f"/reports/{study.pk}/disagreements/"
    model = study_report(study)["models"][0]["id"]
    assert count(study, model=str(model)) == 1
    assert count(study, slice="implicit") == 2
    assert count(study, slice="explicit") == 0
    page = client.get(address, {"slice": "implicit", "page": "1"}).content.decode()
    assert 'rel="next" href="?slice=implicit&amp;page=2"' in page
    page = client.get(address, {"slice": "implicit", "page": "2"}).content.decode()
    assert "2 of 2" in page
    assert 'rel="next"' not in page


def test_both_comments_stand_side_by_side_under_pseudonyms_as_text(client, study):
    Judgment.objects.update(comment="<script>alert(1)</script>=1+1")
    Response.objects.update(text="<b>bold</b>")
    page = client.get(f"/reports/{study.pk}/disagreements/").content.decode()
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;=1+1") == 2
    assert "&lt;b&gt;bold" in page
    for judge in study.judges.all():
        assert judge.pseudonym in page
        assert judge.person.username not in page


@pytest.mark.parametrize("page", ["disagreements", "rows"])
def test_a_final_verdict_comes_with_its_cause_in_words(client, study, page):
    resolve_all(study)
    shown = client.get(f"/reports/{study.pk}/{page}/").content.decode()
    assert "· A judge slipped" in shown
    assert "Read again." in shown


def test_a_place_that_is_not_there_shows_the_nearest(client, study):
    address = f"/reports/{study.pk}/disagreements/"
    assert "2 of 2" in client.get(address, {"page": "99"}).content.decode()
    assert "1 of 2" in client.get(address, {"page": "x"}).content.decode()


def test_nothing_to_show_says_what_to_do(client, study):
    page = client.get(f"/reports/{study.pk}/disagreements/", {"slice": "explicit"}).content
    assert "No response matches" in page.decode()


@pytest.mark.parametrize("query", [{"first_1": "maybe"}, {"differ": "x"}, {"model": "m"}])
def test_an_unknown_choice_is_refused(client, study, query):
    assert client.get(f"/reports/{study.pk}/disagreements/", query).status_code == 400


def test_people_who_judged_alone_make_no_pair():
    assert pairs_of(judged_study("alice", judges_per_response=1)) == []


def test_only_people_who_judged_in_one_round_make_a_pair_and_each_has_responses(rita):
    study = judged_twice()
    name = {judge.person.username: judge.pseudonym for judge in study.judges.all()}
    both = [("alice", "bob"), ("dora", "emil")]
    assert set(pairs_of(study)) == {tuple(sorted((name[a], name[b]))) for a, b in both}
    for pair in pairs_of(study):
        assert count(study, judges=" | ".join(pair), differ="no")


def test_one_who_has_not_handed_in_makes_no_pair(rita):
    study = judging.open_study()
    first = study.judges.select_related("person").order_by("pseudonym")[0]
    judging.hand_in(study, first.person.username)
    assert pairs_of(study) == []


def test_the_round_stays_chosen_when_one_filters_again(client, rita):
    study = judged_twice(again=("alice", "bob"))
    address = f"/reports/{study.pk}/disagreements/"
    query = {"round": "2", "differ": "no"}
    both, second = count(study, differ="no"), count(study, **query)
    assert 0 < second < both
    page = client.get(address, query).content.decode()
    assert '<option value="2" selected dir="auto">2</option>' in page
    # As a browser sends the form: what is chosen in each list.
    lists = re.findall(r'<select id="[^"]+" name="(\w+)">(.*?)</select>', page, re.S)
    chosen_now = {
        name: one[1]
        for name, options in lists
        if (one := re.search(r'value="([^"]*)" selected', options))
    }
    assert chosen_now["round"] == "2"
    assert f"1 of {second}" in client.get(address, {**chosen_now, "differ": "no"}).content.decode()


def test_a_study_of_one_round_has_no_list_of_rounds(client, study):
    page = client.get(f"/reports/{study.pk}/disagreements/").content.decode()
    assert 'name="round"' not in page
