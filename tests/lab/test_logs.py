"""The client reads logs of Inspect and writes verdicts into copies of them; what it cannot, it refuses with the reason.

Skipped where LAB_ENVIRONMENT names no environment; make_environment.py makes one.
"""

import json

import pytest

from tests.lab.programs import HERE, run

CUT = "is no whole log of Inspect"
REFUSED = {
    "cut.eval": CUT,
    "whole.json": "inspect log convert",
    "no log.eval": CUT,
    "zeros.eval": CUT,
    "bomb.eval": "../../samples/x.json has over 67108864 bytes",
    "hidden.eval": "samples/abc:1:both-passages_epoch_1.json has over 67108864 bytes",
    # Zstandard comes in one piece, which is not what its checksum says.
    "93.eval": CUT,
    "error": "is error, or not valid",
    "cancelled": "is cancelled, or not valid",
    "not valid": "or not valid",
    "epochs": "has several epochs",
    "a sample's error": "sample abc:1:both-passages ended with an error",
    "a sample's limit": "or at a limit",
    "tools": "used tools",
    "an image": "has more than text, which judges do not see: image",
    "two replies": "has not exactly one reply",
    "no row": "is of no row of a release",
    "another id": "sample ../../etc/passwd is of no row of a release",
    **dict.fromkeys(
        ("a sample less", "a name less", "no names"), f"{CUT}: its head names other samples"
    ),
    "taken": "taken: 2",
}
NONE = "No verdict is on a reply of"
NO_VERDICT = "human.jsonl: line 1 is no verdict. Take human.jsonl of a closed study"
BACK = {
    "a score human": "has a score human already",
    "a score human elsewhere": "has a score human already",
    "another reply": "is not what was judged",
    "another prompt": "is not what was judged",
    "a system message": "is not what was judged",
    "another model": NONE,
    "other options": NONE,
    "another release": NONE,
    "nothing decided": NONE,
    "excluded": NONE,
    "judged twice": "was judged twice",
    **dict.fromkeys(("another file", "a list for a row", "a list for a verdict"), NO_VERDICT),
    "onto itself": "is there already",
    "another kind": "Name a file with .eval",
    "one of two": "taken: 1",
}


@pytest.fixture(scope="module")
def found(lab, tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs") / "faulty"
    folder.mkdir()
    run(folder, lab / "python", HERE / "run_faulty_logs.py")
    return json.loads((folder / "faulty.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_judged_is_refused_with_the_reason(found, name):
    assert REFUSED[name] in found["reading"][name]


@pytest.mark.parametrize("name", BACK)
def test_verdicts_go_back_to_what_was_judged_alone(found, name):
    assert BACK[name] in found["going back"][name]


def test_the_original_stays_and_a_refused_copy_is_not_there(found):
    back = found["going back"]
    assert (back["original"], back["left by refusals"]) == (True, [])
    assert (back["scores"], back["first"][0]) == ([False, "correct"], "human")


def test_a_row_has_what_was_asked_how_and_the_reply(found):
    row = found["rows"][0]
    assert row["row"] == "abc:1:both-passages"
    assert row["text"] == "Surely. When was abc?"
    assert row["prompt_sha256"] == "5" * 64
    # Not how many calls were made at once.
    assert row["options"] == {"temperature": 0.0, "max_tokens": 250, "seed": 7}
    assert (row["tokens"], row["finish_reason"]) == ({"prompt": 3, "completion": 5}, "stop")
    assert row["raw"]["choices"][0]["message"]["content"] == row["text"]


def test_judges_read_no_reasoning_and_the_raw_reply_keeps_it(found):
    assert found["thinking"]["text"] == "In 1801."
    assert "Hm." in json.dumps(found["thinking"]["raw"])


def test_large_samples_are_read_one_by_one(found):
    assert (found["at once"], found["large at once"]) == ([2], [1, 1])


def test_a_prompt_with_more_than_the_rows_text_is_not_verified(found):
    assert "prompt_sha256" not in found["told"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("briefed", {"system_message": "Be brief."}),
        ("called", {"system_message": "No.", "top_p": 0.5}),
    ],
)
def test_a_system_message_among_the_options_is_more_than_the_rows_text(found, name, options):
    """It is in no message of a sample. A solver may have given it too."""
    assert "prompt_sha256" not in found[name]
    assert found[name]["options"] == {"temperature": 0.0, "max_tokens": 250, "seed": 7} | options
