"""The files of lm-evaluation-harness as responses; tests/lab reads those that the harness itself wrote."""

import copy
import json

import pytest
from sicetnon import LogRefused
from sicetnon.lines import read_lines, write_lines
from sicetnon.lm_eval_files import responses

DOC = {"id": "a:1:both-passages", "prompt_sha256": "5" * 64, "text": "When?", "gold": []}
SENT = {
    "arg_0": "When?",
    "arg_1": {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 250},
}
SAMPLE = {"doc_id": 0, "doc": DOC, "arguments": {"gen_args_0": SENT}, "resps": [["In 1801."]]}
RESULTS = {"model_name": "quokka-7b", "n-samples": {"wiki_contradict": {"effective": 1}}}
ROW = {
    "row": "a:1:both-passages",
    "text": "In 1801.",
    "model": "quokka-7b",
    "options": {"do_sample": False, "temperature": 0.0, "max_tokens": 250},
}


def files(folder, *samples, results=RESULTS):
    path = folder / "samples_wiki_contradict_2026-11-26T14-55-26.126256.jsonl"
    write_lines(samples, path)
    beside = folder / "results_2026-11-26T14-55-26.126256.json"
    beside.write_text(json.dumps(results), encoding="utf-8")
    return path


def changed(*keys, to):
    sample = copy.deepcopy(SAMPLE)
    part = sample
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = to
    return sample


def test_a_reply_becomes_a_row_with_the_options_that_it_was_asked_with(tmp_path):
    assert list(responses(files(tmp_path, SAMPLE))) == [{**ROW, "prompt_sha256": "5" * 64}]


def test_a_prompt_that_was_sent_otherwise_has_no_hash(tmp_path):
    templated = changed("arguments", "gen_args_0", "arg_0", to="<|user|>When?")
    assert list(responses(files(tmp_path, templated))) == [ROW]


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (changed("doc", to={"question": "When?"}), "line 1 is of no row of a release"),
        (changed("doc", "prompt_sha256", to=None), "is of no row of a release"),
        (changed("resps", to=[["In 1801.", "In 1802."]]), "has not exactly one reply"),
        (changed("resps", to=[[["-1.5", "True"]]]), "has not exactly one reply"),
        (changed("arguments", "gen_args_0", "arg_1", to=" yes"), "not generated from a text alone"),
        (changed("arguments", "gen_args_0", "arg_2", to={"visual": []}), "from a text alone"),
    ],
)  # fmt: skip
def test_what_judges_could_not_judge_is_refused(tmp_path, sample, why):
    with pytest.raises(LogRefused, match=why):
        list(responses(files(tmp_path, sample)))


def test_files_that_are_cut_off_are_refused(tmp_path):
    path = files(tmp_path, SAMPLE)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LogRefused, match="no JSON object: it is cut off"):
        list(responses(path))
    path.write_bytes(b"")
    with pytest.raises(LogRefused, match="has 0 replies, its results say 1"):
        list(responses(path))
    [beside] = tmp_path.glob("results_*")
    beside.write_text("[", encoding="utf-8")
    with pytest.raises(LogRefused, match=r"results_.*is no JSON object"):
        list(responses(path))
    beside.unlink()
    with pytest.raises(LogRefused, match=r"results_.*is not there"):
        list(responses(path))


@pytest.mark.parametrize(
    "results",
    [
        {},
        {**RESULTS, "n-samples": None},
        {**RESULTS, "n-samples": {"wiki_contradict": 3}},
        {**RESULTS, "n-samples": {"another": {"effective": 1}}},
        {**RESULTS, "n-samples": {"wiki_contradict": {"effective": None}}},
        {"n-samples": RESULTS["n-samples"]},
        {**RESULTS, "model_name": ""},
    ],
)  # fmt: skip
def test_results_without_the_model_or_the_number_are_refused(tmp_path, results):
    with pytest.raises(LogRefused, match=r"results_.*json does not say which model replied, and h"):
        list(responses(files(tmp_path, SAMPLE, results=results)))


def test_large_results_are_not_read_into_memory(tmp_path, monkeypatch):
    path = files(tmp_path, SAMPLE)
    monkeypatch.setattr("sicetnon.lm_eval_files.LONGEST", 20)
    with pytest.raises(LogRefused, match=r"results_.*is no JSON object"):
        list(responses(path))


def test_a_gigabyte_of_zeros_is_not_read_into_memory(tmp_path):
    path = files(tmp_path, SAMPLE)
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LogRefused, match="no JSON object"):
        list(read_lines(path))


def test_half_of_a_surrogate_pair_is_sent_as_it_is_for_the_server_to_name(tmp_path):
    path = files(tmp_path, changed("resps", to=[["In \ud800é"]]))
    again = write_lines(responses(path), tmp_path / "responses.jsonl")
    assert [row["text"] for row in read_lines(again)] == ["In \ud800é"]
    assert "é" in again.read_text(encoding="utf-8")


def test_of_rows_that_end_in_an_error_no_file_is_left(tmp_path):
    path = files(tmp_path, SAMPLE, SAMPLE)
    with pytest.raises(LogRefused):
        write_lines(responses(path), tmp_path / "responses.jsonl")
    assert not list(tmp_path.glob("responses*"))
