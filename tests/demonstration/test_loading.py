"""Loading the set: all of it or nothing, only once, and not next to other work without an option."""

import json

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from accounts.models import Person
from annotation.models import Assignment
from datasets.models import Collection
from demonstration import loading, recorded_responses, recorded_verdicts
from demonstration.annotating import DemonstrationFrame
from demonstration.annotations import given
from demonstration.loading import load
from demonstration.recorded_responses import RESPONSES
from demonstration.recorded_verdicts import VERDICTS
from leases.refusal import Refusal
from tests.annotation import factories

pytestmark = pytest.mark.django_db


def rows():
    """The number of rows of each kind, without Django's own."""
    models = [m for m in apps.get_models() if m._meta.app_label not in ("auth", "contenttypes")]
    return {model.__name__: model._default_manager.count() for model in models}


def test_loading_again_changes_nothing(capsys, settings):
    settings.WIKI_CONTACT, settings.INFERENCE_SERVICES = "", {}  # neither network nor model
    call_command("load_demonstration")
    before = rows()
    call_command("load_demonstration")
    assert rows() == before
    first, second = capsys.readouterr().out.splitlines()
    assert first.removeprefix("Loaded: ") == second.removeprefix("Loaded before: ")


def test_a_database_with_other_work_is_refused_without_the_option():
    own = factories.tag()
    with pytest.raises(CommandError, match=r"1 articles.*--beside-other-work"):
        call_command("load_demonstration")
    assert not Collection.objects.exists()
    call_command("load_demonstration", "--beside-other-work", verbosity=0)
    assert not Assignment.objects.filter(tag=own).exists()
    assert own not in DemonstrationFrame().rows()


@pytest.mark.parametrize(
    "name", ["demonstration", "demonstration-left", "demonstration-judge", "demonstration-import"]
)
def test_a_collection_of_the_same_name_is_not_taken_over(name):
    Collection.objects.create(name=name, title="Mine")
    with pytest.raises(CommandError, match="Rename it"):
        call_command("load_demonstration", "--beside-other-work")
    assert not Person.objects.exists()


def test_a_failure_midway_leaves_nothing(monkeypatch):
    before = rows()
    first, second, third, *_ = given()
    broken = [first, second, type(third)(**{**vars(third), "tag": "{{No such tag}}"})]
    monkeypatch.setattr(loading, "given", lambda: broken)
    with pytest.raises(Refusal, match=r"no free assignment for the tag \{\{No such tag"):
        load()
    assert rows() == before


@pytest.mark.parametrize(
    ("module", "name", "path", "field", "error"),
    [
        (
            recorded_responses,
            "RESPONSES",
            RESPONSES,
            "rendered_sha256",
            r"1 recorded .* Record them anew",
        ),
        (recorded_verdicts, "VERDICTS", VERDICTS, "text_sha256", "Give them anew"),
    ],
)
def test_data_that_does_not_match_is_not_loaded(
    module, name, path, field, error, tmp_path, monkeypatch
):
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole[name.lower()][3][field] = "0" * 64
    copy = tmp_path / path.name
    copy.write_text(json.dumps(whole), encoding="utf-8")
    monkeypatch.setattr(module, name, copy)
    with pytest.raises(Refusal, match=error):
        load()
    assert not Collection.objects.exists()
