"""Whose key signed a backup decides whether it is restored, and who has to confirm it."""

import json
import sys
import zipfile
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import invitations
from accounts.models import Identity, Person, SecondFactor
from accounts.roles import Role
from operations import backups, restoring
from operations.entrants import entrants
from operations.signing import key_name
from tests.factories import PASSWORD, person
from tests.operations.places import rewritten, rows, with_rows

pytestmark = pytest.mark.django_db(transaction=True)

ANOTHER = "another-" + "1" * 50
WIDE = {48 + n: 0xFF10 + n for n in range(10)}


def without_key(manifest):
    del manifest["key"]


def with_another_hash(path, to, change=None, sign=lambda manifest: manifest["signature"]):
    """The backup with everybody's password replaced: all public hashes are right, the signature cannot be."""
    changed = [list(row.values()) for row in rows(path, "accounts.person")]
    columns = list(rows(path, "accounts.person")[0])
    for row in changed:
        row[columns.index("password")] = "md5$x$" + "0" * 32
    return with_rows(path, to, "accounts.person", changed, sign, change)


@pytest.fixture
def restore(backup, capsys):
    """The command; returns its output, and the error with which it ended, if any."""

    def run(path, *options):
        error = ""
        try:
            call_command("restore", str(path), *options)
        except CommandError as refused:
            error = str(refused)
        return capsys.readouterr().out, error

    return run


def nothing_there(settings):
    left = {path.name for path in settings.DATA_DIR.iterdir()} - {"running.lock"}
    return not left and not Person.objects.exists()


# ------------------------------------------------------------ ours


def test_a_backup_names_its_key_and_does_not_show_it(backup, settings):
    text = zipfile.ZipFile(backup).read("manifest.json").decode()
    assert json.loads(text)["key"] == key_name()
    assert settings.SECRET_KEY not in text
    settings.SECRET_KEY = ANOTHER
    assert json.loads(text)["key"] != key_name()


@pytest.mark.both
def test_ours_needs_no_option(backup, restore):
    output, error = restore(backup, "--check-only")
    assert ("is complete: 2 rows, 3 files" in output, error) == (True, "")
    output, error = restore(backup)
    assert ("Restored and compared: 2 rows" in output, error) == (True, "")


# ------------------------------------------------------------ changed


@pytest.mark.parametrize("options", [(), ("--check-only",), ("--foreign", "--yes")])
def test_a_changed_backup_of_ours_is_refused_with_every_option(
    backup, tmp_path, restore, settings, options
):
    changed = with_another_hash(backup, tmp_path / "changed.zip")
    _, error = restore(changed, *options)
    assert "names this installation's key, but the signature is wrong" in error
    assert nothing_there(settings)


def test_a_changed_backup_whose_key_was_removed_is_only_foreign(
    backup, tmp_path, restore, settings
):
    changed = with_another_hash(backup, tmp_path / "changed.zip", without_key)
    for options in ((), ("--check-only",)):
        _, error = restore(changed, *options)
        assert "not signed with this installation's SECRET_KEY" in error
        assert nothing_there(settings)


# ------------------------------------------------------------ another key, or none


def test_a_foreign_backup_is_restored_only_with_the_option(backup, tmp_path, restore, settings):
    settings.SECRET_KEY = ANOTHER
    path = rewritten(backup, tmp_path / "unsigned.zip", without_key, lambda manifest: None)
    for foreign in (backup, path):
        _, error = restore(foreign)
        assert "restore it with --foreign" in error
        assert nothing_there(settings)
    output, error = restore(path, "--foreign", "--yes")
    assert error == ""
    assert "lets in 2 people, 0 of them as admins" in output
    assert "Restored and compared: 2 rows" in output


def test_checking_a_foreign_backup_ends_with_an_error_and_lists_whom_it_lets_in(
    backup, restore, settings
):
    settings.SECRET_KEY = ANOTHER
    output, error = restore(backup, "--check-only", "--foreign")
    assert "is complete: 2 rows" in output
    assert "Alice (alice)" in output
    assert "nobody knows whose" in error
    assert nothing_there(settings)


def test_without_a_terminal_a_foreign_backup_needs_yes(backup, restore, settings, monkeypatch):
    settings.SECRET_KEY = ANOTHER
    monkeypatch.setattr(sys, "stdin", StringIO("yes\n"))
    _, error = restore(backup, "--foreign")
    assert "There is no terminal" in error
    assert nothing_there(settings)


@pytest.mark.parametrize(("answer", "restored"), [("no", False), ("", False), ("yes", True)])
def test_a_person_confirms_whom_a_foreign_backup_lets_in(
    backup, restore, settings, monkeypatch, answer, restored
):
    settings.SECRET_KEY = ANOTHER
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    restore(backup, "--foreign")
    assert Person.objects.exists() == restored


# ------------------------------------------------------------ whom it lets in


def listed(path):
    bundle, _ = restoring.verified(path)
    found = entrants(bundle)
    bundle.close()
    return found


def test_everybody_who_can_sign_in_is_listed_admins_first(data_dir):
    person("anna", Role.ANNOTATOR)
    blocked = person("bob", Role.JUDGE)
    invitations.set_active(blocked, active=False)
    olga = person("olga", Role.ADMIN, Role.RESEARCHER)
    SecondFactor.objects.create(person=olga, secret="x", last_step=0)
    Identity.objects.create(person=olga, issuer="https://login.example.org", subject="o-1")
    Person.objects.filter(username="anna").update(name="Anna\x1b[2K\u202e")
    invitations.invite(roles=[Role.ADMIN], by=olga, note="a friend")
    invitations.invite(roles=[Role.JUDGE], by=olga, note="late", valid_for=timedelta(0))
    until = timezone.now() + invitations.VALID_FOR
    found = listed(backups.make().path)
    assert found.people == [
        "Olga (olga): admin, researcher; password, second factor, institution https://login.example.org as o-1",
        "Anna\\x1b[2K\\u202e (anna): annotator; password",
    ]
    assert found.admins == 1
    assert found.invitations == [f"a friend: admin, until {until:%Y-%m-%d}"]


@pytest.mark.parametrize("form", [str, " {} ".format, float, lambda pk: str(pk).translate(WIDE)])
def test_a_persons_number_in_another_form_hides_no_role(backup, tmp_path, form):
    """Whatever the database would take as the person's number."""
    alice = next(row["id"] for row in rows(backup, "accounts.person"))
    grant = [1, form(alice), "admin", None, "2026-01-01T00:00:00+00:00"]
    assert listed(with_rows(backup, tmp_path / "a.zip", "accounts.rolegrant", [grant])).admins == 1


def test_the_password_of_the_backup_opens_the_door_only_after_it_was_confirmed(
    backup, tmp_path, restore, client, settings
):
    """The way in that was open: a changed backup restored with a warning."""
    settings.SECRET_KEY = ANOTHER
    restore(backup)
    assert not client.login(username="alice", password=PASSWORD)
    restore(backup, "--foreign", "--yes")
    assert client.login(username="alice", password=PASSWORD)
