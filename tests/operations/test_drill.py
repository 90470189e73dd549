"""A whole drill: back up while people write, restore into an empty installation, compare everything."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from accounts.models import Person, RoleGrant
from annotation.models import Annotation
from datasets.models import Collection, Release
from datasets.releasing.freezing import freeze
from generation.models import PromptVersion
from leases.refusal import StaleVersion
from operations import backups, restoring
from tests.annotation import factories as annotation
from tests.operations.places import a_place, checksums_of, manage, rows

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def world():
    """The demonstration set, and a release of it."""
    call_command("load_demonstration", verbosity=0)
    return freeze(collection=Collection.objects.get(name="demonstration"), version="drill")


def restored_here(path):
    """The backup in the tests' own database, emptied before."""
    call_command("flush", interactive=False, verbosity=0)
    return restoring.restore(path)


@pytest.fixture
def empty_folder(settings, tmp_path):
    """A fresh DATA_DIR to restore into."""

    def give():
        folder = tmp_path / "restored"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        settings.DATA_DIR = folder
        return folder

    return give


def joins(name: str) -> None:
    """Two rows of one transaction: a backup must contain both or neither."""
    with transaction.atomic():
        joined = Person.objects.create_person(name)
        RoleGrant.objects.create(person=joined, role="judge")


def keep_joining(who: str, enough: Event) -> int:
    n = 0
    try:
        while not enough.is_set() or n < 3:
            joins(f"{who}-{n}")
            n += 1
    finally:
        connection.close()
    return n


def test_a_backup_taken_while_people_write_restores_to_what_it_saw(world, data_dir, tmp_path):
    enough = Event()
    with ThreadPoolExecutor(3) as people:
        writing = [people.submit(keep_joining, who, enough) for who in ("alice", "bob", "charlie")]
        try:
            made = backups.make()
        finally:
            enough.set()  # also where it fails: the pool waits for them
        joined = sum(each.result() for each in writing)
    joins("dora")  # after the backup

    judges = {row["person_id"] for row in rows(made.path, "accounts.rolegrant")}
    seen = [row for row in rows(made.path, "accounts.person") if "-" in str(row["username"])]
    assert all(row["id"] in judges for row in seen if not row["is_demonstration"])
    assert joined > 0

    with a_place(tmp_path / "new", with_tables=True) as place:
        done = manage(place, "restore", made.path)
        assert done.returncode == 0, done.stderr
        assert f"{made.rows} rows" in done.stdout
        assert f"{Release.objects.count()} releases have the right hash" in done.stdout
        again = manage(place, "backup", "--to", tmp_path / "again")
        assert again.returncode == 0, again.stderr
    (path,) = (tmp_path / "again").glob("*.backup.zip")
    first, second = checksums_of(made.path), checksums_of(path)
    drafts = first.pop("annotation.annotation"), second.pop("annotation.annotation")
    log = first.pop("accounts.auditevent"), second.pop("accounts.auditevent")
    assert first == second
    assert log[1][0] == log[0][0] + 1  # the restore
    assert drafts[0][0] == drafts[1][0] > 0  # the versions of drafts were raised, see below
    letter = tmp_path / "new" / "files" / "letter.txt"
    assert letter.read_text() == "Sic."
    assert not (tmp_path / "new" / "secret_key").exists()


def test_a_browser_that_knows_more_than_the_restored_server_is_shown_both(data_dir, empty_folder):
    """Fault test 9: its text is kept as a copy next to the server's, and can be chosen."""
    alice = annotation.annotator()
    draft = annotation.draft(alice, valid_comment="as backed up")
    path = backups.make().path
    for text in ("newer", "newest"):
        draft = save(draft, valid_comment=text)
    empty_folder()
    restored_here(path)

    with pytest.raises(StaleVersion) as refused:
        save(draft, valid_comment="newest and more")
    details = refused.value.details
    assert details["mine"]["valid_comment"] == "newest and more"
    assert details["theirs"]["valid_comment"] == "as backed up"
    chosen = annotation.save_draft(
        annotation_id=draft.pk, by=draft.author, version=details["version"], changes=details["mine"]
    )
    assert chosen.valid_comment == "newest and more"


def test_no_old_tab_overwrites_what_was_typed_after_the_restore(data_dir, empty_folder):
    """As many saves after the restore as before it: the versions still differ."""
    draft = annotation.draft(annotation.annotator(), valid_comment="as backed up")
    path = backups.make().path
    old_tab = save(save(draft, valid_comment="b"), valid_comment="c")
    empty_folder()
    restored_here(path)

    new_tab = Annotation.objects.get(pk=draft.pk)
    for text in ("d", "e"):
        new_tab = save(new_tab, valid_comment=text)
    with pytest.raises(StaleVersion):
        save(old_tab, valid_comment="f")
    assert Annotation.objects.get(pk=draft.pk).valid_comment == "e"


def test_no_key_used_after_the_backup_is_used_again(data_dir, empty_folder):
    joins("alice")
    path = backups.make().path
    joins("bob")
    lost = Person.objects.get(username="bob").pk
    first_of_all = Collection.objects.create(name="mills").pk  # of a table that was empty then
    empty_folder()
    restored_here(path)
    joins("charlie")
    assert Person.objects.get(username="charlie").pk > lost
    assert Collection.objects.create(name="bridges").pk > first_of_all


def save(draft, **changes):
    return annotation.save_draft(
        annotation_id=draft.pk, by=draft.author, version=draft.version, changes=changes
    )


def test_a_restored_place_is_backed_up_and_restored_again(world, data_dir, empty_folder, tmp_path):
    first = backups.make().path
    empty_folder()
    restored_here(first)
    second = backups.make(tmp_path / "second").path
    empty_folder()
    done = restored_here(second)
    assert done.releases == Release.objects.count() > 0
    assert sorted(checksums_of(first)) == sorted(checksums_of(second))


def test_prompt_files_come_back_and_make_no_further_version(data_dir, empty_folder, capsys):
    given = {"name": "cautious", "label": "C1", "title": "Cautious", "template": "{question}"}
    (data_dir / "prompts").mkdir()
    (data_dir / "prompts" / "cautious.json").write_text(json.dumps(given))
    call_command("read_prompts")
    made = backups.make()
    assert made.unknown == ["notes"]
    folder = empty_folder()
    restored_here(made.path)
    assert json.loads((folder / "prompts" / "cautious.json").read_text()) == given
    capsys.readouterr()
    call_command("read_prompts")
    assert capsys.readouterr().out == ""
    assert PromptVersion.objects.get(name="cautious").origin == "file"
