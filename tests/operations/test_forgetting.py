"""Forgetting a person: what identifies them is deleted, their work stays, they get their data."""

import json
import logging
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts import invitations
from accounts.models import Invitation, Person, RoleGrant, Session
from accounts.roles import Role
from annotation.models import Annotation, Review
from judging import studies, verdicts
from judging.models import Judgment
from leases.refusal import Conflict, Refusal
from operations import forgetting
from operations.forgetting import DECISIONS
from operations.in_words import ROWS
from operations.serialization import tables
from tests.annotation import factories as annotation
from tests.factories import PASSWORD, person
from tests.judging import factories as judging
from wikifetch.models import FetchRun

pytestmark = [pytest.mark.both, pytest.mark.django_db]

NAME, USERNAME, NOTE = "Dorothea Brooke", "dorothea", "dorothea@middlemarch.example"


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def dorothea(olga):
    """A person invited by her address who joined, signed in, annotated a tag, and as an admin started a fetch."""
    token = invitations.invite(roles=[Role.ANNOTATOR, Role.ADMIN], by=olga, note=NOTE)
    made = invitations.accept(token, username=USERNAME, name=NAME, password=PASSWORD)
    annotation.submitted(made, within=annotation.campaign(by=olga))
    Client().login(username=USERNAME, password=PASSWORD)
    FetchRun.objects.create(source="kind", label="x", contact=NOTE, started_by=made)
    FetchRun.objects.create(source="kind", label="on the command line", contact=NOTE)
    return made


def everything_stored() -> str:
    """Every value of every column of every table, as one text."""
    rows = (row for table in tables(apps, passing=True) for row in table.rows("default"))
    return json.dumps(list(rows))


def test_every_key_to_a_person_has_a_decision():
    """For a new foreign key, decide in operations/forgetting.py what happens to the row."""
    keys = {
        f"{field.related_model._meta.label_lower}.{field.field.name}"
        for field in Person._meta.get_fields(include_hidden=True)
        if field.auto_created and not field.concrete
    }
    assert keys == set(DECISIONS) == set(ROWS)


def test_every_column_of_a_person_is_handled(dorothea):
    before = Person.objects.filter(pk=dorothea.pk).values().get()
    forgetting.forget(dorothea)
    after = Person.objects.filter(pk=dorothea.pk).values().get()
    changed = {name for name in before if before[name] != after[name]}
    kept = {"id", "pseudonym", "is_demonstration", "joined_at", "shortcuts"}
    assert changed == set(before) - kept


def test_no_trace_of_the_name_is_left_in_the_database(dorothea):
    for name in (NAME, USERNAME, NOTE):
        assert name in everything_stored()
    forgetting.forget(dorothea)
    stored = everything_stored()
    for name in (NAME, USERNAME, NOTE):
        assert name not in stored


def test_what_was_entered_stays_under_the_pseudonym(dorothea):
    before = Annotation.objects.values().get()
    forgetting.forget(dorothea)
    assert Annotation.objects.values().get() == before
    assert str(Annotation.objects.get().author) == dorothea.pseudonym


def test_verdicts_stay(olga):
    study = judging.open_study("ivy", "joe")
    ivy = Person.objects.get(username="ivy")
    verdicts.give(verdicts.slot_of(ivy, judging.slots(study, ivy)[0].pk), "correct")
    forgetting.forget(ivy)
    given = Judgment.objects.get()
    assert (given.verdict, given.slot.judge.pseudonym) == ("correct", ivy.pseudonym)


def test_the_person_cannot_sign_in_any_more(dorothea):
    link = invitations.password_path(dorothea)
    forgetting.forget(dorothea)
    assert not Session.objects.filter(person=dorothea).exists()
    assert not RoleGrant.objects.filter(person=dorothea).exists()
    for username in (USERNAME, dorothea.pseudonym):
        assert not Client().login(username=username, password=PASSWORD)
    assert Client().get(link).status_code == 410
    with pytest.raises(Refusal, match="has been forgotten"):
        invitations.set_active(dorothea_now(dorothea), active=True)
    with pytest.raises(Refusal, match="has been forgotten"):
        invitations.grant(dorothea_now(dorothea), roles=[Role.JUDGE], by=None)


def dorothea_now(dorothea):
    return Person.objects.get(pk=dorothea.pk)


def test_the_name_is_free_again(dorothea, olga):
    forgetting.forget(dorothea)
    token = invitations.invite(roles=[Role.JUDGE], by=olga)
    new = invitations.accept(token, username=USERNAME, name=NAME, password=PASSWORD)
    assert new.pk != dorothea.pk


def test_the_last_admin_is_not_forgotten(olga):
    with pytest.raises(Refusal, match="last admin"):
        forgetting.forget(olga)
    assert Person.objects.get(pk=olga.pk).name == "Olga"


def test_forgetting_twice_is_refused(dorothea):
    forgetting.forget(dorothea)
    with pytest.raises(Conflict, match="already"):
        forgetting.forget(dorothea)


def test_nobody_of_the_demonstration_is_forgotten(olga):
    invented = person("iris", is_demonstration=True)
    with pytest.raises(Conflict, match="remove_demonstration"):
        forgetting.forget(invented)


def test_the_log_has_only_the_pseudonym(dorothea, caplog):
    caplog.set_level(logging.DEBUG)
    Client().login(username=USERNAME, password=PASSWORD)
    forgetting.forget(dorothea)
    assert dorothea.pseudonym in caplog.text
    assert USERNAME not in caplog.text
    assert NAME not in caplog.text


# ------------------------------------------------------------ their own data


def data_of(someone, *reader):
    return json.loads("".join(forgetting.own_data(someone, *reader)))


def test_their_data_is_what_they_entered(dorothea, olga):
    annotation.decide(Annotation.objects.get(), olga, "accept", by_field={"span_1": "Why so long?"})
    Review.objects.update(answer="So that it is whole.")
    bobs = annotation.campaign(by=olga, name="Bob's")
    other = annotation.submitted(annotation.annotator("bob"), within=bobs)
    data = data_of(dorothea)
    assert data["about"]["username"] == USERNAME
    assert data["about"]["roles"] == ["admin", "annotator"]
    (own,) = data["annotation.annotation (author)"]
    assert own["passage_1_copied"] == annotation.whole()["passage_1_copied"]
    assert {row["annotation_id"] for row in data["annotation.question"]} == {own["id"]}
    assert other.pk != own["id"]
    (review,) = data["annotation.review"]
    assert (review["annotation_id"], review["answer"]) == (own["id"], "So that it is whole.")


def test_their_data_contains_no_secret(dorothea):
    text = "".join(forgetting.own_data(dorothea))
    for secret in (Session.objects.get().session_key, Invitation.objects.get().token_hash):
        assert secret not in text
    assert dorothea.password not in text


@pytest.mark.parametrize(("state", "shown"), [("open", 0), ("closed", 1)])
def test_verdicts_are_shown_to_an_admin_only_once_the_study_is_closed(state, shown, olga):
    study = judging.open_study("ivy", "joe")
    ivy, joe = (Person.objects.get(username=name) for name in ("ivy", "joe"))
    for judge in (ivy, joe):
        for slot in judging.slots(study, judge):
            verdicts.give(verdicts.slot_of(judge, slot.pk), "correct")
    if state == "closed":
        studies.close_study(study)
    data = data_of(ivy, olga)
    assert bool(data["judging.judgment"]) == bool(shown)
    assert data_of(ivy)["judging.judgment"]


# ------------------------------------------------------------ the command


def forget_by_command(*arguments):
    output = StringIO()
    call_command("forget_person", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_writes_their_data_first(dorothea, tmp_path):
    out = tmp_path / "data.json"
    output = forget_by_command("DOROTHEA", "--out", str(out), "--yes")
    assert json.loads(out.read_text())["about"]["name"] == NAME
    assert out.stat().st_mode & 0o077 == 0
    assert f"Forgotten: {dorothea.pseudonym}" in output
    assert "1 annotations that they wrote: kept under the pseudonym" in output
    assert dorothea_now(dorothea).forgotten_at


def test_nobody_is_forgotten_whose_data_cannot_be_written(dorothea, tmp_path):
    with pytest.raises(CommandError, match="could not be written"):
        forget_by_command(USERNAME, "--out", str(tmp_path / "none" / "data.json"), "--yes")
    (tmp_path / "there.json").write_text("")
    with pytest.raises(CommandError, match="exists already"):
        forget_by_command(USERNAME, "--out", str(tmp_path / "there.json"), "--yes")
    assert dorothea_now(dorothea).name == NAME


def test_without_yes_and_without_a_terminal_nothing_is_done(dorothea, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO(USERNAME))
    with pytest.raises(CommandError, match="Use --yes"):
        forget_by_command(USERNAME, "--out", str(tmp_path / "data.json"))
    assert dorothea_now(dorothea).name == NAME


def test_the_last_admin_is_refused_by_the_command_too(olga, tmp_path):
    with pytest.raises(CommandError, match="last admin"):
        forget_by_command("olga", "--out", str(tmp_path / "data.json"), "--yes")


def test_an_unknown_name_is_refused(db):
    with pytest.raises(CommandError, match="Nobody here signs in as 'nobody'"):
        forget_by_command("nobody", "--yes")


# ------------------------------------------------------------ the page


@pytest.fixture
def admin(olga, client):
    client.force_login(olga)
    return client


def test_the_page_shows_what_is_deleted_and_what_stays(admin, dorothea):
    page = admin.get(f"/people/{dorothea.pk}/forget/").content.decode()
    goes, stays = page.split('id="stays-heading"')
    assert "Roles: 2" in goes
    assert (
        "The invitation by which they joined: 1, kept, without what was noted of the person" in goes
    )
    assert "Annotations that they wrote: 1" in stays
    assert f"What is kept, as {dorothea.pseudonym}" in page


def test_the_page_names_the_open_studies_that_wait_for_the_person(admin):
    study = judging.open_study("ivy", "joe", name="Prompts 1 to 5")
    ivy = Person.objects.get(username="ivy")
    page = admin.get(f"/people/{ivy.pk}/forget/").content.decode()
    assert "12 responses to judge" in page
    assert "Prompts 1 to 5</a>" in page
    studies.close_study(study)
    assert "Prompts 1 to 5" not in admin.get(f"/people/{ivy.pk}/forget/").content.decode()


def test_the_typed_name_forgets(admin, dorothea):
    answer = admin.post(f"/people/{dorothea.pk}/forget/", {"username": USERNAME}, follow=True)
    page = answer.content.decode()
    assert "What was entered stays under" in page
    assert NAME not in page
    assert "Allow sign-in again" not in page


def test_another_name_forgets_nobody(admin, dorothea):
    answer = admin.post(f"/people/{dorothea.pk}/forget/", {"username": "olga"})
    assert answer.status_code == 422
    assert "This is not dorothea. Nothing was done." in answer.content.decode()
    assert dorothea_now(dorothea).name == NAME


def test_the_last_admin_reads_the_reason(admin, olga):
    answer = admin.post(f"/people/{olga.pk}/forget/", {"username": "olga"})
    assert answer.status_code == 409
    assert "last admin" in answer.content.decode()


def test_their_data_is_a_file_to_hand_over(admin, dorothea):
    answer = admin.get(f"/people/{dorothea.pk}/data.json")
    assert f'filename="{dorothea.pseudonym}.json"' in answer["Content-Disposition"]
    assert json.loads(answer.getvalue())["about"]["name"] == NAME


def test_an_admin_who_is_forgotten_is_signed_out(admin, olga, dorothea):
    forgetting.forget(olga)
    assert admin.get("/people/").status_code == 302


def test_the_database_keeps_a_forgotten_person_out():
    someone = person("bob")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE accounts_person SET forgotten_at = CURRENT_TIMESTAMP WHERE id = %s",
            [someone.pk],
        )
