"""The third person's pages."""

import re

import pytest
from pytest_django.asserts import assertContains

from accounts.roles import Role
from judging import adjudication, verdicts
from judging.models import Resolution
from judging.views import study_page
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = make.open_study(drawn_from=make.finished_run(instances=1, prompts=["both-passages"]))
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        make.hand_in(made, name, verdict, comment=f"Words about {verdict}.")
    return made


@pytest.fixture
def charlie(client):
    return signed_in(client, person("charlie", Role.ADJUDICATOR))


@pytest.fixture
def items(study):
    return list(study.items.all())


def url_of(item):
    return f"/resolve/items/{item.pk}/"


def test_nothing_to_resolve_says_what_would_come(client, charlie):
    assert "Nothing to resolve." in client.get("/resolve/").content.decode()


def test_the_queue_counts_what_waits(client, study, charlie):
    page = client.get("/resolve/").content.decode()
    assert "Pilot" in page
    assert '<td class="num">2</td>' in page


def test_a_long_list_is_read_page_by_page(client, charlie, monkeypatch):
    """A study may hold thousands of disagreements; a page reads the verdicts of its own."""
    study = make.open_study(
        "alice", drawn_from=make.finished_run(instances=27, prompts=["1"]), judges_per_response=1
    )
    for slot in make.slots(study, make.judge("alice")):
        verdicts.skip(slot, "Greek")
    verdicts.hand_in(make.judge("alice"), study)
    read = []
    first = study_page.first_verdicts
    monkeypatch.setattr(study_page, "first_verdicts", lambda item: read.append(item) or first(item))
    pages = [client.get(f"/resolve/{study.pk}/?page={n}").content.decode() for n in (1, 2)]
    assert [page.count("When was abbey") for page in pages] == [50, 4]
    assert len(read) == 54


def test_both_verdicts_are_side_by_side_without_names(client, charlie, items):
    page = client.get(url_of(items[0])).content.decode()
    assert "Words about correct." in page
    assert "Words about incorrect." in page
    for name in ("alice", "bob"):
        judge = make.judge(name)
        assert judge.pseudonym not in page
        assert judge.name not in page
    assert not any(words in page for words in (*make.MODEL_IDS, make.SERVICE, "9876", "secret-run"))


def test_a_decision_leads_to_the_next_and_then_to_the_list(client, study, charlie, items):
    data = {"verdict": "correct", "cause": "slip"}
    assert client.post(url_of(items[0]), data).url == url_of(items[1])
    assert client.post(url_of(items[1]), data).url == f"/resolve/{study.pk}/"
    assert Resolution.objects.filter(how="third_person", resolved_by=charlie).count() == 2
    page = client.get(f"/resolve/{study.pk}/").content.decode()
    assert "Nothing is waiting for a decision." in page
    assert "Decided by you" in page
    assert page.count("<td>4</td>") == 2
    to_study = f'href="/studies/{study.pk}/"'
    assert to_study not in page
    charlie.grants.create(role=Role.ADMIN)
    assert to_study in client.get(f"/resolve/{study.pk}/").content.decode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "This field is required"),
        ({"verdict": "correct"}, "This field is required"),
        ({"verdict": "splendid", "cause": "slip"}, "Select a valid choice"),
        ({"verdict": "partially correct", "cause": "slip"}, "agrees with none"),
    ],
)
def test_a_refused_decision_keeps_what_was_entered(client, charlie, items, data, sentence):
    answer = client.post(url_of(items[0]), {**data, "note": "" if "cause" in data else "My note"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert ("My note" in page) is ("cause" not in data)
    assert not Resolution.objects.exists()
    assert ('href="#id_note">Note: Your verdict agrees' in page) is ("agrees" in sentence)


@pytest.mark.parametrize("is_skipped", [True, False])
def test_a_skip_is_a_cause_only_where_a_judge_skipped(client, charlie, is_skipped):
    study = make.open_study(drawn_from=make.finished_run(instances=1, prompts=["1"]))
    make.hand_in(study, "bob", "correct")
    alice = make.judge("alice")
    for slot in make.slots(study, alice):
        verdicts.skip(slot, "Greek") if is_skipped else verdicts.give(slot, "incorrect")
    verdicts.hand_in(alice, study)
    page = client.get(url_of(study.items.first())).content.decode()
    assert ("A judge skipped it" in page) is is_skipped


def test_a_decision_with_a_cause_that_is_offered_no_more_opens_without_an_error(
    client, charlie, items
):
    decide = {"verdict": "correct", "cause": "skipped", "note": "As alice."}
    adjudication.decide(items[0], by=charlie, **decide)
    answer = client.get(url_of(items[0]))
    assert (answer.status_code, answer.context["form"].errors) == (200, {})
    assertContains(answer, "As alice.")
    assert re.search(r'value="correct"[^>]* checked', answer.content.decode())


def test_a_judge_of_the_study_finds_nothing_here(client, study, items):
    alice = make.judge("alice")
    alice.grants.create(role=Role.ADJUDICATOR)
    client.force_login(alice)
    assert "Pilot" not in client.get("/resolve/").content.decode()
    assert client.get(f"/resolve/{study.pk}/").status_code == 404
    assert client.get(url_of(items[0])).status_code == 404
    assert client.post(url_of(items[0]), {"verdict": "correct", "cause": "slip"}).status_code == 404
    assert not Resolution.objects.exists()


def test_studies_where_responses_wait_come_first(client, charlie, study):
    run = study.items.first().response.run
    for n in range(2):
        make.open_study("dave", "erin", name=f"Later {n}", drawn_from=run)
    page = client.get("/resolve/").content.decode()
    assert page.index("Pilot") < page.index("Later 1") < page.index("Later 0")
