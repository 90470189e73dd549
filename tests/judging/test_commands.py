"""manage.py make_study."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from judging.models import JudgingSlot, Study
from tests.factories import person
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    person("admin", Role.ADMIN)
    make.judge("alice")
    make.judge("bob")
    return make.finished_run()


def make_study(run, *arguments):
    out = StringIO()
    call_command(
        "make_study", "Pilot", "--by", "admin", "--run", str(run.pk), *arguments, stdout=out
    )
    return out.getvalue()


def test_a_study_is_made_and_opened(run):
    output = make_study(
        run, "--judge", "alice", "--judge", "bob", "--prompt", "2", "--prompt", "both-passages",
        "--seed", "5",
    )  # fmt: skip
    study = Study.objects.get()
    assert output == f"Study {study.pk}, Pilot: 8 responses, seed 5.\n"
    assert study.state == "open"
    assert JudgingSlot.objects.count() == 16


def test_a_study_can_stay_a_draft(run):
    make_study(run, "--no-open")
    assert Study.objects.get().state == "draft"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--judge", "alice"], "2 judges per response are needed; chosen: 1"),
        (["--judge", "alice", "--judge", "zoe"], "There is no person zoe"),
        (["--judge", "alice", "--judge", "admin"], "is not a judge"),
        (["--prompt", "9"], "There is no prompt '9'"),
        (["--run", "999"], "There is no run 999"),
        (["--resolved-by", "majority"], "at least three judges"),
        (["--rubric", "2"], "There is no version 2 of a rubric"),
        (["--rubric", "six/1"], "There is no version six/1 of a rubric"),
        (["--rubric", "new"], "There is no version new of a rubric"),
    ],
)
def test_what_is_wrong_is_reported_and_nothing_is_made(run, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        make_study(run, *arguments)
    assert not Study.objects.exists()
