"""Runs of responses made elsewhere: in a backup, also half of one; and once who brought them is forgotten."""

import pytest
from django.core.management import call_command

from accounts.roles import Role
from datasets.importers import arriving
from generation.elsewhere import importing
from generation.models import Response, Run
from operations import backups, forgetting, restoring
from tests.factories import person, stored
from tests.generation.elsewhere.factories import brought, instances_of, line, released

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


def rows():
    return list(Response.objects.order_by("pk").values()), list(Run.objects.order_by("pk").values())


def test_a_run_comes_back_from_a_backup_and_half_of_one_is_removed(
    data_dir, settings, tmp_path, monkeypatch
):
    release = released()
    first, *others = instances_of(release)
    brought(release, line(first, prompt_sha256=None, raw={"id": 1}), *map(line, others))
    before = rows()
    monkeypatch.setattr(arriving, "_remove", lambda waiting: None)
    monkeypatch.setattr(importing, "_show", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        brought(release)
    monkeypatch.undo()
    path = backups.make(tmp_path / "kept").path
    call_command("flush", interactive=False, verbosity=0)
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()
    restoring.restore(path)
    assert Response.objects.count() == 6
    assert Run.objects.count() == 1
    waiting = Run.everything.filter(collection__arriving_until__isnull=False).get().collection
    waiting.arriving_until = arriving.LONG_AGO
    waiting.save()
    arriving.remove_abandoned()
    assert rows() == before


def test_a_run_stays_when_who_brought_it_is_forgotten():
    alice = person("alice", Role.ADMIN)
    run = brought(released(), by=alice)
    person("olga", Role.ADMIN)
    forgetting.forget(alice)
    assert stored(run).created_by == alice
    assert stored(alice).name != "Alice"
    assert run.responses.count() == 3
