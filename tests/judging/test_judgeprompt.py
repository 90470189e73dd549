"""The judge prompt: the paper's words, filled in once."""

import dataclasses
import json

import pytest

from judging import judgeprompt


def test_the_template_is_the_appendix_byte_for_byte_below_its_heading(study_file):
    printed = study_file("wikicontradict/prompts/judge.txt").read_text("utf-8")
    prompt = judgeprompt.find()
    assert printed == "System prompt:\n\n" + prompt.template
    assert prompt.reconstructed


def test_question_gold_and_response_stand_where_the_template_has_them():
    text = judgeprompt.render(
        judgeprompt.find(), question="How long is it?", gold=["3 km", "5 km"], response="3 km."
    )
    assert text.endswith(
        "question: How long is it?\ncorrect_answers: 3 km | 5 km\nresponse: 3 km.\ncomment:\n"
    )


@pytest.mark.parametrize(("gold", "line"), [(["no"], "no"), (["yes", "3", "5"], "yes | 3 | 5")])
def test_as_many_gold_answers_as_the_prompt_has(gold, line):
    text = judgeprompt.render(judgeprompt.find(), question="?", gold=gold, response="-")
    assert f"\ncorrect_answers: {line}\nresponse: -\n" in text


def test_braces_in_a_response_stay_what_they_are():
    said = "{Question} {Answer1} | {Answer2}"
    text = judgeprompt.render(judgeprompt.find(), question="Q", gold=["a", "b"], response=said)
    assert f"response: {said}\n" in text


def test_a_changed_file_is_refused(tmp_path, monkeypatch):
    prompt = judgeprompt.find()
    damaged = dataclasses.asdict(prompt) | {"template": prompt.template + "Be kind."}
    (tmp_path / "kind.json").write_text(json.dumps(damaged))
    monkeypatch.setattr(judgeprompt, "FOLDER", tmp_path)
    with pytest.raises(judgeprompt.JudgePromptError, match=r"kind\.json was changed"):
        judgeprompt.find("kind")
