"""The pages on which questions are excluded."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from datasets import exclusions
from datasets.models import Exclusion, Instance
from datasets.releasing.freezing import freeze
from tests.datasets.factories import annotation, edited, mills, record
from tests.datasets.test_exclusions import TWO, WHY, excluded
from tests.factories import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def question():
    collection = mills(record(given=annotation(**TWO)), record(title="Sound", given=annotation()))
    return Instance.objects.get(
        contradiction__collection=collection, contradiction__position=0, n=1
    )


def address(question):
    return f"/contradictions/{question.contradiction_id}/questions/{question.n}/exclusion/"


def press(client, who, question, act, **fields):
    client.force_login(who)
    made = Exclusion.objects.filter(instance=question).first()
    ids = {"exclusion": made.pk if made else ""}
    return client.post(address(question), {"act": act, **ids, **fields})


def test_a_person_excludes_a_question_and_undoes_it_and_every_page_says_so(
    client, see, question, rosa, olga
):
    anna, of = person("anna", Role.ANNOTATOR), f"/contradictions/{question.contradiction_id}/"
    lists = "/collections/mills/exclusions/"
    assert press(client, rosa, question, "exclude", reason=WHY).status_code == 302
    assert WHY in see(anna, of)
    assert "Excluded" in see(rosa, "/collections/mills/questions/")
    for path in (address(question), lists):
        page = see(olga, path)
        assert WHY in page
        assert rosa.pseudonym in page
        assert "did not exist" in page
    assert press(client, olga, question, "undo", reason="It is sound now.").status_code == 302
    assert "Excluded" not in see(rosa, of)
    assert "Not excluded" in see(rosa, address(question))
    for path in (address(question), f"{lists}?show=past"):
        page = see(rosa, path)
        for words in ("Undone", "It is sound now.", WHY, rosa.pseudonym, olga.pseudonym):
            assert words in page


def test_proposals_are_decided_on_in_their_list(client, see, question, rosa):
    others = list(Instance.objects.exclude(pk=question.pk))
    exclusions.propose([question, *others], WHY)
    assert "(3 proposed)" in see(rosa, "/collections/mills/")
    assert "Proposed to be excluded" in see(rosa, address(question))
    anna = person("anna", Role.ANNOTATOR)
    assert WHY not in see(anna, f"/contradictions/{question.contradiction_id}/")
    path = "/collections/mills/exclusions/"
    page = see(rosa, f"{path}?show=proposed")
    assert page.count('name="chosen"') == page.count(WHY) == 3
    client.force_login(rosa)
    for act in ({}, {"act": "undo"}):
        answer = client.post(path, {"chosen": [question.exclusion.pk], **act})
        assert answer.status_code == 400
        assert "Use one of the buttons of this page." in answer.content.decode()
    for act, one, says in (
        ("confirm", question, "1 question excluded."),
        ("refuse", others[0], "1 question kept in."),
    ):
        answer = client.post(path, {"act": act, "chosen": [one.exclusion.pk, "x"]}, follow=True)
        assert says in answer.content.decode()
    assert "Refused" in see(rosa, f"{path}?show=past")
    assert see(rosa, f"{path}?show=proposed").count('name="chosen"') == 1
    again = client.post(path, {"act": "confirm"})
    assert again.status_code == 409
    assert "Nothing was changed" in again.content.decode()


def test_the_release_says_how_many_it_leaves_out_and_why(client, see, question, rosa, olga):
    excluded(question, rosa)
    client.force_login(olga)
    answer = client.post("/collections/mills/releases/", {"version": "1.0"}, follow=True)
    assert b"is frozen, without 1 excluded question;" in answer.content
    page = see(rosa, "/collections/mills/releases/1.0/")
    assert "<dt>Questions left out</dt>" in page
    assert WHY in page


def downloaded(client, path):
    return json.loads(b"".join(client.get(path).streaming_content))


def test_a_download_leaves_it_out_unless_it_is_asked_for(client, question, rosa, olga):
    excluded(question, rosa)
    client.force_login(rosa)
    path = "/collections/mills/export/wikicontradict-json/"
    assert "question1" not in downloaded(client, path)[0]["annotationResult"]
    assert "question1" in downloaded(client, f"{path}?excluded=with")[0]["annotationResult"]


def test_the_command_leaves_it_out_reports_it_and_has_an_option_to_include_it(
    tmp_path, capsys, question, rosa, olga
):
    freeze(collection=question.contradiction.collection, version="1.0")
    excluded(question, rosa)
    out = tmp_path / "out.json"
    options = {"format": "wikicontradict-json", "out": out}
    call_command("export_dataset", "mills", **options)
    assert "question1" not in json.loads(out.read_text())[0]["annotationResult"]
    assert "1 excluded questions left out" in capsys.readouterr().out
    for more in ({"with_excluded": True}, {"release": "1.0"}):
        call_command("export_dataset", "mills", **options, **more)
        assert "question1" in json.loads(out.read_text())[0]["annotationResult"]
        assert "left out" not in capsys.readouterr().out
    with pytest.raises(CommandError, match="A release never changes"):
        call_command("export_dataset", "mills", **options, with_excluded=True, release="1.0")


def test_the_last_question_s_page_and_the_list_say_what_becomes_of_its_contradiction(
    see, question, rosa, olga
):
    excluded(question.contradiction.instances.get(n=2), rosa)
    assert "This is the last question of its contradiction" in see(rosa, address(question))
    excluded(question, rosa)
    assert "1 contradiction without a question left" in see(rosa, "/collections/mills/exclusions/")
    page = see(rosa, f"/contradictions/{question.contradiction_id}/")
    assert "Every question of this contradiction is excluded" in page


@pytest.mark.parametrize(
    ("before", "act", "typed", "status", "says"),
    [
        (None, "exclude", {"reason": " "}, 400, "Say why the question"),
        (None, "exclude", {"reason": "x" * 2_001}, 400, "at most 2,000"),
        ("excluded", "exclude", {"reason": "My own reason"}, 409, "Someone else has excluded"),
        ("excluded", "undo", {"reason": "x" * 2_001}, 400, "at most 2,000"),
        (None, "undo", {"reason": "But it is sound"}, 409, "not excluded any more"),
        (None, "vanish", {"reason": "Typed"}, 400, "one of the buttons"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_typed(
    client, question, rosa, olga, before, act, typed, status, says
):
    if before:
        excluded(question, olga)
    answer = press(client, rosa, question, act, **typed)
    page = answer.content.decode()
    assert answer.status_code == status
    assert says in page
    assert all(text in page for text in typed.values())


def test_typed_text_is_escaped(see, client, question, rosa):
    press(client, rosa, question, "exclude", reason="<script>alert(1)</script>")
    for path in (address(question), "/collections/mills/exclusions/"):
        page = see(rosa, path)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_the_api_lists_what_is_proposed_and_what_counts(client, question, rosa):
    excluded(question, rosa)
    other = question.contradiction.instances.get(n=2)
    exclusions.propose([other], WHY)
    client.force_login(rosa)
    results = client.get("/api/collections/mills/exclusions/").json()["results"]
    shown = ("n", "question_id", "excluded_by", "after_results", "reason")
    assert [tuple(one[name] for name in shown) for one in results] == [
        (1, question.pk, rosa.pseudonym, False, WHY),
        (2, other.pk, None, None, WHY),
    ]


def test_the_list_asks_the_database_no_more_for_more_rows(
    client, question, rosa, olga, django_assert_max_num_queries
):
    for one in Instance.objects.all():
        excluded(one, rosa)
    client.force_login(rosa)
    with django_assert_max_num_queries(20):
        client.get("/collections/mills/exclusions/")
    with django_assert_max_num_queries(20):
        client.get("/collections/mills/questions/")


def test_an_exclusion_of_an_earlier_version_is_listed_as_such_and_not_counted(
    see, question, rosa, olga
):
    excluded(question, rosa)
    old = question.contradiction
    edited(old, title="Corrected")
    page = see(rosa, "/collections/mills/exclusions/")
    assert "an earlier version" in page
    assert 'Excluded, of 3 questions</dt><dd><a href="?#list">0</a>' in page
