"""Judge predictions made elsewhere, from a CSV file."""

import csv
import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from datasets.readers.json_text import Unreadable
from judging.files import predictionfile
from judging.files.predictions import import_predictions
from judging.models import JudgeCall, MachineVerdict
from leases.refusal import Conflict, Refusal
from tests.judging.factories import draft, finished_run, open_study

pytestmark = pytest.mark.django_db

SAID = "comment: Both.\n\nevaluation: correct"


@pytest.fixture
def study():
    """Four responses: two abbeys, one prompt, two models."""
    return open_study(drawn_from=finished_run(prompts=("both-passages",)))


def table(header, *rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue().encode()


def by_item(*replies):
    return table(["item", "reply"], *enumerate(replies))


@pytest.mark.both
def test_replies_are_stored_as_they_are_and_read_by_the_same_rule(study):
    report = import_predictions(study, by_item(SAID, "evaluation: wrong", "particially"), "GPT-4")
    assert (report.is_new, report.replies, report.unparsed, report.untouched) == (True, 3, 2, 1)
    assert [row.verdict for row in MachineVerdict.objects.order_by("item__position")] == [
        "correct", None, None,
    ]  # fmt: skip
    assert JudgeCall.objects.order_by("pk").first().reply == SAID


@pytest.mark.parametrize("way", ["response_id", "keys", "label"])
def test_a_response_is_named_by_its_id_or_its_keys(study, way):
    lines = []
    for item in study.items.select_related("response__instance__contradiction", "response__model"):
        response = item.response
        keys = {
            "contradiction": response.instance.contradiction.external_id,
            "question_number": 1,
            "prompt": "4" if way == "label" else response.prompt,
            "model": response.model.model_id,
            "sample": 1,
        }
        named = {"response_id": response.pk} if way == "response_id" else keys
        lines.append({**named, "reply": SAID, "note": "further columns are left"})
    data = table(list(lines[0]), *(line.values() for line in lines))
    assert import_predictions(study, data, "Elsewhere").untouched == 0
    assert set(MachineVerdict.objects.values_list("verdict", flat=True)) == {"correct"}


@pytest.mark.both
def test_the_same_file_again_adds_nothing_and_another_is_refused(study):
    import_predictions(study, by_item(SAID), "GPT-4")
    assert import_predictions(study, by_item(SAID), "GPT-4").is_new is False
    assert MachineVerdict.objects.count() == 1
    with pytest.raises(Conflict, match="Choose another name"):
        import_predictions(study, by_item(SAID, SAID), "GPT-4")


def test_two_judges_of_like_names_get_two_pseudonyms(study):
    first = import_predictions(study, by_item(SAID), "org/gpt")
    second = import_predictions(study, by_item(SAID), "other/gpt")
    assert first.judge.pseudonym == "gpt (model)"
    assert second.judge.pseudonym == "gpt (model 2)"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"item,verdict\n0,correct\n", "It needs reply"),
        (b"reply\nevaluation: correct\n", "one of: response_id; item; contradiction and"),
        (b"item, item,reply\n0,0,x\n", "are all called “item”"),
    ],
)
def test_a_file_of_another_shape_is_refused(study, data, words):
    with pytest.raises(Unreadable, match=words):
        import_predictions(study, data, "GPT-4")
    assert not MachineVerdict.objects.exists()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(99, SAID)], "line 2: no response of this study for item 99"),
        ([(0, SAID), (0, "?")], "line 5: is about the same response as line 2"),
        ([("", SAID)], "line 2: item is empty"),
        ([(0, "two\nlines"), (77, SAID)], "line 4: no response of this study for item 77"),
    ],
)
def test_every_line_at_fault_is_named_and_nothing_stored(study, rows, problem):
    with pytest.raises(Unreadable) as refused:
        import_predictions(study, table(["item", "reply"], *rows), "GPT-4")
    assert problem in refused.value.problems
    assert not MachineVerdict.objects.exists()


def test_keys_that_fit_several_responses_are_no_name(study):
    twin = study.items.first().response
    twin.pk, twin.sample = None, 2
    twin.save()
    study.items.create(response=twin, position=50)
    row = [twin.instance.contradiction.external_id, 1, twin.prompt, twin.model.model_id, SAID]
    header = ["contradiction", "question_number", "prompt", "model", "reply"]
    with pytest.raises(Unreadable) as refused:
        import_predictions(study, table(header, row), "GPT-4")
    assert "2 responses of this study" in refused.value.problems[0]
    sampled = table([*header[:4], "sample", "reply"], [*row[:4], 2, SAID])
    assert import_predictions(study, sampled, "GPT-4").replies == 1


@pytest.mark.parametrize("name", ["", " ", "x" * 121])
def test_a_judge_without_a_name_is_refused(study, name):
    with pytest.raises(Refusal, match="1 to 120 characters"):
        import_predictions(study, by_item(SAID), name)


def test_a_study_in_draft_is_refused():
    with pytest.raises(Conflict, match="Open it first"):
        import_predictions(draft(), by_item(SAID), "GPT-4")


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(predictionfile, "MAX_BYTES", 10)
    with pytest.raises(Unreadable, match="larger than"):
        predictionfile.predictions_in(by_item(SAID))


def test_the_command_says_what_it_did(study, tmp_path, capsys):
    path = tmp_path / "replies.csv"
    path.write_bytes(b"\xef\xbb\xbf" + by_item(SAID, "?"))
    call_command("import_judge_predictions", study.slug, str(path), "--name", "GPT-4")
    assert "without a verdict         1" in capsys.readouterr().out
    path.write_bytes(by_item(*"?????????"))
    with pytest.raises(CommandError, match="line 6: no response of this study for item 4"):
        call_command("import_judge_predictions", study.slug, str(path), "--name", "B")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_judge_predictions", study.slug, "nowhere.csv", "--name", "B")


def test_after_100_refused_lines_nothing_more_is_looked_at(study):
    with pytest.raises(Unreadable, match="100 lines before line 102 have problems") as caught:
        import_predictions(study, by_item(*["x\0"] * 5_000), "GPT-4")
    assert len(caught.value.problems) == 100


@pytest.mark.django_db(transaction=True)
def test_a_file_is_read_before_the_transaction(study, monkeypatch):
    read, inside = predictionfile.predictions_in, []
    monkeypatch.setattr(
        predictionfile,
        "predictions_in",
        lambda data: inside.append(connection.in_atomic_block) or read(data),
    )
    import_predictions(study, by_item(SAID), "GPT-4")
    assert inside == [False]
