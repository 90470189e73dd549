"""The name in texts that people typed: every such text is found, shown to whom it may be, and replaced where ticked."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from accounts import audit, invitations
from accounts.models import Invitation, Person
from accounts.roles import Role
from annotation.models import Annotation, Campaign
from datasets.models import Collection, ImportJob
from datasets.releasing.deleting import copies_of
from datasets.releasing.freezing import freeze
from datasets.releasing.withholding import why_withheld
from evaluation.frozen import snapshots
from judging import studies, verdicts
from leases.refusal import Conflict
from operations import backups, forgetting, traces
from operations.fixed_columns import FIXED
from operations.mentions import (
    MOST,
    NOT_SEARCHED,
    OF_ANNOTATION,
    OF_RECORD,
    OF_STUDY,
    OF_TAG,
    mentions,
    searched,
)
from operations.serialization import tables
from tests import conflictbank
from tests.annotation import factories as annotation
from tests.datasets.factories import annotation as record_annotation
from tests.datasets.factories import mills, record
from tests.factories import PASSWORD, person
from tests.judging import factories as judging
from wikifetch.models import FetchRun

pytestmark = pytest.mark.django_db

NAME, USERNAME, ADDRESS = "Dorothea Brooke", "dorothea", "dorothea@middlemarch.example"


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def dorothea(olga):
    token = invitations.invite(roles=[Role.ANNOTATOR], by=olga, note=ADDRESS)
    return invitations.accept(token, username=USERNAME, name=NAME, password=PASSWORD)


def places(found):
    return {(each.model._meta.label_lower, each.field.attname) for each in found}


# ------------------------------------------------------------ where it is searched


# Typed by admins and researchers about the work as a whole: no rule of blindness hides it from them.
OPEN = {
    "annotation.guideline", "annotation.campaign", "annotation.seen", "protocols.protocol",
    "datasets.collection", "datasets.importjob", "datasets.subset",
    "datasets.release", "datasets.publication", "datasets.publishedname",
    "datasets.releaseexclusion", "datasets.freezejob", "datasets.erratum", "judging.rubric",
    "judging.study", "judging.round",
    "judging.reopening", "judging.judgeprompt", "judging.judge",
}  # fmt: skip


def test_every_table_of_peoples_work_says_who_may_see_its_texts():
    """For a new table, say in operations/mentions.py whose rules hide it, or why its texts are not searched."""
    rooms = ("annotation.", "datasets.", "evaluation.", "judging.", "protocols.", "writing.")
    work = {model._meta.label_lower for model in searched()}
    work = {label for label in work if label.startswith(rooms)}
    assert work == {*OF_STUDY, *OF_ANNOTATION, *OF_RECORD, *OF_TAG, *OPEN}
    assert {*NOT_SEARCHED} <= {table.name for table in tables(apps, passing=True)}


@pytest.mark.both
def test_the_name_is_found_in_notes_names_of_files_texts_and_json(dorothea):
    campaign = annotation.campaign(by=Person.objects.get(username="olga"))
    annotation.submitted(dorothea, within=campaign)
    FetchRun.objects.create(source="dump", label="dorothea_export.xml", options={"for": NAME})
    Collection.objects.create(name="two", source=f"{USERNAME}.json", description=f"by {NAME}")
    Invitation.objects.create(
        token_hash="x", note="for Brooke", expires_at=dorothea.joined_at, roles=[]
    )
    found = mentions(dorothea)
    assert {
        ("datasets.collection", "source"), ("datasets.collection", "description"), ("accounts.invitation", "note"),
    } <= places(found.open)  # fmt: skip
    assert {("wikifetch.fetchrun", "label"), ("wikifetch.fetchrun", "options")} == places(
        found.fixed
    )
    assert [each.is_certain for each in found.fixed if each.field.attname == "options"] == [True]


def test_records_that_came_with_a_file_of_a_protocol_are_not_searched(dorothea):
    record = conflictbank.record(1, object=NAME, subject=f"Abbey of {NAME}")
    conflictbank.imported(conflictbank.file_of_records(record))
    assert not {row for row, _ in places(mentions(dorothea).open)} & {"datasets.contradiction"}


@pytest.mark.both
@pytest.mark.parametrize("name", ["Émile Zola", "Łukasz Żak", "Ольга Петрова", "李 小龙"])
def test_a_name_in_any_letters_is_found_in_any_case_and_in_json(olga, name):
    someone = person("someone")
    Person.objects.filter(pk=someone.pk).update(name=name)
    Collection.objects.create(name="x", source=name.upper(), file_kept={"for": name.lower()})
    found = mentions(Person.objects.get(pk=someone.pk))
    assert len(found.open) == 2


def test_a_name_of_dozens_of_words_is_found(olga):
    name = " ".join(f"{a}{b}" for a in "abcd" for b in "klmnopqrst")
    Person.objects.filter(pk=olga.pk).update(name=name)
    Collection.objects.create(name="one", description="ak")
    Collection.objects.create(name="two", source=f"dt {name}")
    found = mentions(Person.objects.get(pk=olga.pk))
    assert [each.value for each in found.open] == ["ak", f"dt {name}"]


def test_a_common_part_of_a_name_is_named_and_not_listed(dorothea):
    Collection.objects.bulk_create(
        Collection(name=f"a{n}", title="Brooke") for n in range(MOST + 1)
    )
    Collection.objects.create(name="b", title=NAME)
    found = mentions(dorothea)
    assert found.common == ["brooke"]
    assert [each.value for each in found.open] == [NAME]


def test_what_cannot_be_changed_is_listed_with_the_reason(dorothea, olga):
    audit.record(audit.AuditKind.IMPORT, olga, f"verdicts of {NAME}.csv")
    found = mentions(dorothea)
    assert [each.fixed for each in found.fixed] == [FIXED["accounts.auditevent"]]
    assert found.open == []


def released_with(comment):
    """A release of a record with this comment."""
    collection = mills(record(given=record_annotation(qa_comment=comment)))
    collection.creators = [{"name": NAME, "orcid": "", "affiliation": ""}]
    collection.save()
    return freeze(collection=collection, version="1.0")


def test_releases_with_a_comment_that_names_the_person_are_withheld_where_it_is_ticked(
    dorothea, olga
):
    release = released_with(f"{NAME} says so.")
    (comment,) = forgetting.released_comments(mentions(dorothea, olga))
    with pytest.raises(Conflict, match="changed meanwhile"):
        forgetting.forget(dorothea, by=olga, withholding=["other"])
    forgetting.forget(dorothea, by=olga, withholding=[comment.key])
    assert "names a person who was forgotten" in why_withheld(release)
    assert release.about["creators"][0]["name"] == NAME


def test_the_page_ticks_such_a_comment_and_says_that_creators_stay(client, dorothea, olga):
    released_with(f"{NAME} says so.")
    client.force_login(olga)
    shown = client.get(f"/people/{dorothea.pk}/forget/").content.decode()
    assert len(re.findall(r'name="withhold" value="[^"]+" checked', shown)) == 1
    assert "Creators of a release stay named." in shown


@pytest.mark.parametrize(
    ("comment", "is_withheld"), [(f"{NAME} says so.", True), ("As Brooke said.", False)]
)
def test_the_command_withholds_where_the_whole_name_stands(
    dorothea, tmp_path, capsys, comment, is_withheld
):
    release = released_with(comment)
    call_command("forget_person", USERNAME, "--yes", out=tmp_path / "data.json")
    assert bool(why_withheld(release)) == is_withheld
    assert ("no release is given out" in capsys.readouterr().out) == is_withheld


# ------------------------------------------------------------ who may see it


def test_verdicts_of_an_open_study_are_counted_and_not_shown(dorothea, olga):
    study = judging.open_study("ivy", "joe")
    ivy = Person.objects.get(username="ivy")
    slot = verdicts.slot_of(ivy, judging.slots(study, ivy)[0].pk)
    verdicts.give(slot, "correct", comment="as Dorothea said")
    found = mentions(dorothea, olga)
    assert (found.open, found.hidden > 0) == ([], True)
    studies.close_study(study)
    found = mentions(dorothea, olga)
    assert ("judging.judgment", "comment") in places(found.open)
    assert found.hidden == 0


def test_what_is_hidden_from_an_admin_who_judges_the_same_run_is_not_shown(dorothea, olga):
    run = judging.finished_run()
    study = judging.open_study("ivy", "joe", drawn_from=run)
    ivy = Person.objects.get(username="ivy")
    verdicts.give(judging.slots(study, ivy)[0], "correct", comment="as Dorothea said")
    studies.close_study(study)
    snapshots.freeze(study, by=olga, note="with Dorothea")
    named = {("judging.judgment", "comment"), ("evaluation.reportsnapshot", "note")}
    found = mentions(dorothea, olga)
    assert named <= places([*found.open, *found.fixed])
    invitations.grant(olga, roles=[Role.ADMIN, Role.JUDGE], by=None)
    judging.open_study("olga", "joe", drawn_from=run, name="Second")
    found = mentions(dorothea, Person.objects.get(pk=olga.pk))
    assert not {model for model, _ in places([*found.open, *found.fixed])} & {
        "judging.judgment", "judging.judgmentevent", "evaluation.reportsnapshot",
    }  # fmt: skip
    assert found.hidden


def test_annotations_of_tags_that_the_admin_may_still_get_are_not_shown(dorothea, olga):
    campaign = annotation.campaign(by=olga, people=2)
    made = annotation.submitted(dorothea, within=campaign)
    Annotation.objects.filter(pk=made.pk).update(valid_comment="asked Dorothea")
    place = ("annotation.annotation", "valid_comment")
    assert place in places(mentions(dorothea, olga).open)
    invitations.grant(olga, roles=[Role.ADMIN, Role.ANNOTATOR], by=None)
    found = mentions(dorothea, Person.objects.get(pk=olga.pk))
    assert place not in places(found.open)
    assert found.hidden


# ------------------------------------------------------------ replacing


def test_only_what_is_ticked_is_replaced(dorothea, olga):
    one = Collection.objects.create(name="one", description=f"of {NAME} and dorothea's")
    two = Collection.objects.create(name="two", description="brooke and stream")
    ticked = [each.key for each in mentions(dorothea).open if each.pk == one.pk]
    forgetting.forget(dorothea, by=olga, replacing=ticked)
    one.refresh_from_db()
    two.refresh_from_db()
    assert one.description == f"of {dorothea.pseudonym} and {dorothea.pseudonym}'s"
    assert two.description == "brooke and stream"


def test_the_programs_own_keys_stay(dorothea, olga):
    made = Collection.objects.create(name="x", file_kept={"brooke_limit": 5, "for": "Brooke"})
    ticked = [each.key for each in mentions(dorothea).open if each.pk == made.pk]
    forgetting.forget(dorothea, by=olga, replacing=ticked)
    made.refresh_from_db()
    assert made.file_kept == {"brooke_limit": 5, "for": dorothea.pseudonym}


def test_a_text_that_changed_since_it_was_shown_is_not_replaced(dorothea, olga):
    made = Collection.objects.create(name="one", description="of Dorothea")
    (shown,) = mentions(dorothea).open
    Collection.objects.filter(pk=made.pk).update(description="of Dorothea, Dorset")
    with pytest.raises(Conflict, match=r"were changed meanwhile\. Nothing was done"):
        forgetting.forget(dorothea, by=olga, replacing=[shown.key])
    assert Person.objects.get(pk=dorothea.pk).name == NAME


def test_a_name_that_another_row_has_refuses_the_whole(dorothea, olga):
    one, two = annotation.campaign(by=olga), annotation.campaign(by=olga, name="Second")
    Campaign.objects.filter(pk=one.pk).update(name="dorothea")
    Campaign.objects.filter(pk=two.pk).update(name=dorothea.pseudonym)
    (shown,) = mentions(dorothea).open
    with pytest.raises(Conflict, match="another row has it already"):
        forgetting.forget(dorothea, by=olga, replacing=[shown.key])


def sent(collection, file_name, by, **more):
    """An import of the file into the collection."""
    return ImportJob.objects.create(
        collection=collection, file_name=file_name, upload=uuid4(), bytes=1, created_by=by, **more
    )


def test_addresses_keys_and_names_of_files_are_listed_and_never_replaced(dorothea, olga):
    Collection.objects.create(name="dorothea-mills")
    job = sent("dorothea-mills", "dorothea.json", olga, format="dorothea")
    token = Invitation.objects.create(
        token_hash="x", expires_at=dorothea.joined_at, roles=["dorothea"]
    )
    found = mentions(dorothea)
    assert found.open == []
    listed = {
        ("datasets.collection", "name"), ("datasets.importjob", "collection"), ("datasets.importjob", "file_name"),
        ("datasets.importjob", "format"), ("accounts.invitation", "roles"),
    }  # fmt: skip
    assert places(found.fixed) == listed
    with pytest.raises(Conflict, match="changed meanwhile"):
        forgetting.forget(dorothea, by=olga, replacing=[found.fixed[0].key])
    forgetting.forget(dorothea, by=olga)
    for row in (job, token):
        row.refresh_from_db()
    assert (job.file_name, token.roles) == ("dorothea.json", ["dorothea"])
    assert Collection.objects.get().name == "dorothea-mills"


def test_an_open_page_cannot_write_the_name_of_an_annotation_again(dorothea, olga):
    campaign = annotation.campaign(by=olga)
    made = annotation.submitted(annotation.annotator("bob"), within=campaign)
    Annotation.objects.filter(pk=made.pk).update(valid_comment="asked Dorothea")
    (shown,) = [each for each in mentions(dorothea, olga).open if each.model is Annotation]
    forgetting.forget(dorothea, by=olga, replacing=[shown.key])
    after = Annotation.objects.get(pk=made.pk)
    assert after.valid_comment == f"asked {dorothea.pseudonym}"
    assert after.version == made.version + 1


# ------------------------------------------------------------ the page


@pytest.fixture
def page(client, olga, dorothea):
    client.force_login(olga)
    return client


def test_the_page_lists_each_text_with_a_tick(page, dorothea):
    Collection.objects.create(name="one", description="of <b>Dorothea Brooke</b>")
    Collection.objects.create(name="two", description="a brooke")
    shown = page.get(f"/people/{dorothea.pk}/forget/").content.decode()
    ticks = re.findall(r'name="replace" value="[^"]+"( checked)?', shown)
    assert sorted(ticks) == ["", " checked"]
    assert "&lt;b&gt;<mark>Dorothea Brooke</mark>&lt;/b&gt;" in shown


def test_ticks_stay_when_the_typed_name_is_wrong(page, dorothea):
    Collection.objects.create(name="two", description="a brooke")
    (shown,) = mentions(dorothea).open
    sent = {"username": "olga", "replace": shown.key}
    answer = page.post(f"/people/{dorothea.pk}/forget/", sent)
    assert answer.status_code == 422
    assert f'value="{shown.key}" checked' in answer.content.decode()


def test_a_collection_gets_the_valid_name_that_is_offered_where_that_is_ticked(
    page, dorothea, olga
):
    made = Collection.objects.create(name="dorothea-mills", title="By Dorothea Brooke")
    job = sent(made.name, "a.json", olga)
    wanted = f"{dorothea.pseudonym.lower()}-mills"
    Collection.objects.create(name=wanted)
    address = f"/people/{dorothea.pk}/forget/"
    shown = page.get(address).content.decode()
    assert f"Rename it to <code>{wanted}-2</code>" in shown
    [(key, checked)] = re.findall(r'name="rename" value="([^"]+)"( checked)?', shown)
    assert not checked
    assert page.post(address, {"username": USERNAME, "rename": key}).status_code == 302
    for row in (made, job):
        row.refresh_from_db()
    Collection._meta.get_field("name").run_validators(made.name)
    assert made.name == job.collection == f"{wanted}-2"
    assert made.title == "By Dorothea Brooke"  # was not ticked
    assert page.get(f"/collections/{made.name}/").status_code == 200


def test_no_new_name_is_offered_where_a_frozen_report_is_checked_by_the_old_one(page, dorothea):
    study = judging.open_study()
    studies.close_study(study)
    type(study).objects.update(slug="dorothea-s-study")
    Collection.objects.update(name="dorothea-abbeys")
    address = f"/people/{dorothea.pk}/forget/"
    assert page.get(address).content.decode().count('name="rename"') == 2
    study.refresh_from_db()
    snapshots.freeze(study, by=study.created_by)
    shown = page.get(address).content.decode()
    assert 'name="rename"' not in shown
    assert shown.count("a frozen report is over it, and is checked by this name") == 2


def test_a_page_without_a_text_says_so(page, dorothea):
    shown = page.get(f"/people/{dorothea.pk}/forget/").content.decode()
    assert "No text that can be changed holds the name." in shown


# ------------------------------------------------------------ what is left on the disk


@pytest.fixture
def committed(data_dir, transactional_db):
    """People whose rows are committed, with texts that name one of them."""
    olga = person("olga", Role.ADMIN)
    token = invitations.invite(roles=[Role.ANNOTATOR], by=olga, note=ADDRESS)
    dorothea = invitations.accept(token, username=USERNAME, name=NAME, password=PASSWORD)
    for n in range(20):  # each is a page in the log
        Collection.objects.create(name=f"a{n}", source=f"dorothea_{n}.xml", description=NAME)
    Person.objects.filter(pk=dorothea.pk).update(name="Dorothea Casaubon")
    Person.objects.filter(pk=dorothea.pk).update(name=NAME)
    return dorothea


def test_no_byte_of_the_database_holds_the_name_after_it_was_forgotten(committed, client):
    files = [Path(connection.settings_dict["NAME"] + end) for end in ("", "-wal")]
    held = re.compile(rb"dorothea|brooke|casaubon|middlemarch", re.I)
    assert held.search(b"".join(path.read_bytes() for path in files))
    client.force_login(Person.objects.get(username="olga"))
    ticks = [each.key for each in mentions(committed).open]
    client.post(f"/people/{committed.pk}/forget/", {"username": USERNAME, "replace": ticks})
    assert Person.objects.get(pk=committed.pk).forgotten_at
    assert [path.name for path in files if path.exists() and held.search(path.read_bytes())] == []


def test_a_reader_keeps_the_log_and_it_is_said(committed, monkeypatch):
    monkeypatch.setattr(traces, "WAIT", 0)
    reader = connection.copy("reader")
    with reader.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        cursor.execute("SELECT count(*) FROM accounts_person")
        forgetting.forget(committed)
        assert not traces.erase()
        cursor.execute("ROLLBACK")
    reader.close()
    assert traces.erase()


def test_earlier_backups_are_named_until_they_are_gone(committed, client, tmp_path):
    inside, elsewhere = backups.make().path, backups.make(tmp_path / "other disk").path
    (backups.default_folder() / "broken.backup.zip").write_text("PK")
    client.force_login(Person.objects.get(username="olga"))
    shown = client.get(f"/people/{committed.pk}/forget/").content.decode()
    forgetting.forget(committed)
    later = backups.make(tmp_path / "other disk").path
    found = traces.backups_that_name(committed)
    assert {path.name for path in found} == {inside.name, elsewhere.name, "broken.backup.zip"}
    assert later not in found
    assert all(path.name in shown for path in (inside, elsewhere))


def test_backups_with_the_files_of_a_release_are_named_before_these_are_deleted(committed):
    backups.make()
    release = released_with("So it is.")
    made = backups.make()
    assert copies_of(release) == [str(made.path.resolve())]
