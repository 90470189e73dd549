"""The pages on which questions are excluded."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from datasets.excluding import exclusions
from datasets.models import Exclusion, Instance, PastExclusion, Undoing
from datasets.releasing.freezing import freeze
from tests.datasets.excluding.test_exclusions import TWO, WHY, excluded, propose
from tests.datasets.factories import annotation, edited, mills, record
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
    undone = Undoing.objects.filter(instance=question).first()
    ids = {"proposal": made.pk if made else "", "undoing": undone.pk if undone else ""}
    return client.post(address(question), {"act": act, **ids, **fields})


def test_two_people_exclude_a_question_and_every_page_says_so(client, see, question, rosa, olga):
    assert press(client, rosa, question, "propose", reason=WHY).status_code == 302
    assert "1 waits for a second person" in see(olga, "/collections/mills/")
    assert "Agree or decline" in see(olga, "/collections/mills/exclusions/")
    assert press(client, olga, question, "second", said="The tables.").status_code == 302
    assert "Excluded" in see(rosa, f"/contradictions/{question.contradiction_id}/")
    assert "Excluded" in see(rosa, "/collections/mills/questions/")
    page = see(rosa, address(question))
    for words in (WHY, rosa.pseudonym, olga.pseudonym, "The tables.", "No model had been asked"):
        assert words in page


def test_two_people_undo_an_exclusion_and_every_page_says_so(client, see, question, rosa, olga):
    excluded(question, rosa, olga)
    assert press(client, olga, question, "undo", reason="It is sound now.").status_code == 302
    assert "Undoing proposed" in see(rosa, "/collections/mills/exclusions/")
    assert '<dt>Waiting for a second person</dt><dd><a href="?#list">1</a>' in see(
        rosa, "/collections/mills/exclusions/"
    )
    assert "Agree or decline" in see(rosa, "/collections/mills/exclusions/")
    assert "Agree or decline" not in see(olga, "/collections/mills/exclusions/")
    own = see(olga, address(question))
    assert 'value="undo_withdraw"' in own
    assert 'value="undo_agree"' not in own
    assert press(client, rosa, question, "undo_agree", said="The tables.").status_code == 302
    page = see(rosa, address(question))
    for words in ("Not excluded", "Undone", "It is sound now.", WHY, "agreed by"):
        assert words in page
    assert f"{olga.pseudonym} proposed to undo it: <bdi>It is sound now.</bdi>" in page
    assert f"{rosa.pseudonym} agreed, " in page
    past = see(rosa, "/collections/mills/exclusions/?show=past")
    assert "Undone" in past
    assert f"{olga.pseudonym} proposed to undo it: <bdi>It is sound now.</bdi>" in past
    assert "Against" not in past
    assert "Excluded" not in see(rosa, f"/contradictions/{question.contradiction_id}/")


def test_a_refused_undoing_keeps_what_was_typed(client, question, rosa, olga):
    excluded(question, rosa, olga)
    refused = press(client, rosa, question, "undo", reason="x" * 2_001, said="The tables.")
    assert refused.status_code == 400
    assert "The tables." in refused.content.decode()
    press(client, rosa, question, "undo", reason="It is sound now.")
    refused = press(client, olga, question, "undo_decline", note=" ", said="Nothing.")
    assert "Say why you decline" in refused.content.decode()
    assert "Nothing." in refused.content.decode()


def test_an_annotator_sees_what_is_excluded_and_not_what_is_proposed(see, question, rosa, olga):
    anna, page = person("anna", Role.ANNOTATOR), f"/contradictions/{question.contradiction_id}/"
    made = propose(question, rosa)
    assert WHY not in see(anna, page)
    assert "Proposed" not in see(anna, page)
    exclusions.second(instance=question, proposal=made.pk, by=olga)
    assert WHY in see(anna, page)


def test_the_release_says_how_many_it_leaves_out_and_why(client, see, question, rosa, olga):
    excluded(question, rosa, olga)
    client.force_login(olga)
    answer = client.post("/collections/mills/releases/", {"version": "1.0"}, follow=True)
    assert b"is frozen, without 1 excluded question;" in answer.content
    page = see(rosa, "/collections/mills/releases/1.0/")
    assert "<dt>Questions left out</dt>" in page
    assert WHY in page


def downloaded(client, path):
    return json.loads(b"".join(client.get(path).streaming_content))


def test_a_download_leaves_it_out_unless_it_is_asked_for(client, question, rosa, olga):
    excluded(question, rosa, olga)
    client.force_login(rosa)
    path = "/collections/mills/export/wikicontradict-json/"
    assert "question1" not in downloaded(client, path)[0]["annotationResult"]
    assert "question1" in downloaded(client, f"{path}?excluded=with")[0]["annotationResult"]


def test_the_command_leaves_it_out_reports_it_and_has_an_option_to_include_it(
    tmp_path, capsys, question, rosa, olga
):
    freeze(collection=question.contradiction.collection, version="1.0")
    excluded(question, rosa, olga)
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
    excluded(question.contradiction.instances.get(n=2), rosa, olga)
    assert "This is the last question of its contradiction" in see(rosa, address(question))
    excluded(question, rosa, olga)
    assert "1 contradiction without a question left" in see(rosa, "/collections/mills/exclusions/")
    page = see(rosa, f"/contradictions/{question.contradiction_id}/")
    assert "Every question of this contradiction is excluded" in page


@pytest.mark.parametrize(
    ("before", "who", "act", "typed", "status", "says"),
    [
        (None, "rosa", "propose", {"said": "Some tables."}, 400, "Say why the question"),
        (None, "rosa", "propose", {"reason": "x" * 2_001}, 400, "at most 2,000"),
        (
            "propose",
            "olga",
            "propose",
            {"reason": "My own reason"},
            409,
            "Someone else has proposed",
        ),
        ("propose", "olga", "decline", {"note": "", "said": "Kept."}, 400, "Say why you decline"),
        ("propose", "rosa", "second", {"said": "Mine"}, 403, "You proposed this yourself"),
        ("second", "carl", "decline", {"note": "But it is sound"}, 409, "has agreed"),
        (None, "carl", "decline", {"note": "But it is sound"}, 409, "no longer there"),
        (None, "rosa", "vanish", {"reason": "Typed"}, 400, "one of the buttons"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_typed(
    client, question, rosa, olga, before, who, act, typed, status, says
):
    if before:
        made = propose(question, rosa)
    if before == "second":
        exclusions.second(instance=question, proposal=made.pk, by=olga)
    somebody = {"rosa": rosa, "olga": olga}.get(who) or person(who, Role.RESEARCHER)
    answer = press(client, somebody, question, act, **typed)
    page = answer.content.decode()
    assert answer.status_code == status
    assert says in page
    assert all(text in page for text in typed.values())


def test_typed_text_is_escaped(see, client, question, rosa):
    press(client, rosa, question, "propose", reason="<script>alert(1)</script>")
    for path in (address(question), "/collections/mills/exclusions/"):
        page = see(rosa, path)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_a_declined_proposal_stays_to_be_read(client, see, question, rosa, olga):
    propose(question, rosa)
    press(client, olga, question, "decline", note="It is sound.")
    for path in (address(question), "/collections/mills/exclusions/?show=past"):
        page = see(rosa, path)
        assert WHY in page
        assert "It is sound." in page
    assert PastExclusion.objects.count() == 1


def test_the_api_lists_what_waits_and_what_counts(client, question, rosa, olga):
    excluded(question, rosa, olga)
    propose(question.contradiction.instances.get(n=2), rosa)
    client.force_login(rosa)
    results = client.get("/api/collections/mills/exclusions/").json()["results"]
    assert [(one["n"], one["seconded_by"], one["question_id"]) for one in results] == [
        (1, olga.pseudonym, question.pk),
        (2, None, question.contradiction.instances.get(n=2).pk),
    ]
    assert results[0]["seen"]["seconded"] == {"said": "", "known": []}


def test_the_list_asks_the_database_no_more_for_more_rows(
    client, question, rosa, olga, django_assert_max_num_queries
):
    for one in Instance.objects.all():
        excluded(one, rosa, olga)
    client.force_login(rosa)
    with django_assert_max_num_queries(20):
        client.get("/collections/mills/exclusions/")
    with django_assert_max_num_queries(20):
        client.get("/collections/mills/questions/")


def test_an_exclusion_of_an_earlier_version_is_listed_as_such_and_not_counted(
    see, question, rosa, olga
):
    excluded(question, rosa, olga)
    old = question.contradiction
    edited(old, title="Corrected")
    page = see(rosa, "/collections/mills/exclusions/")
    assert "an earlier version" in page
    assert 'Excluded, of 3 questions</dt><dd><a href="?#list">0</a>' in page
