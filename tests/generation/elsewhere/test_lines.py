"""The lines of responses made elsewhere: each read whole, or refused with its number and what is wrong."""

import io
import json

import pytest

from datasets.readers.json_text import Unreadable
from generation.elsewhere import lines
from generation.elsewhere.lines import Problems, responses_in

WHOLE = {"row": "ab:1:passage-1", "model": "lab/llm-7b", "text": "In 1791."}


def of(**changes):
    """A line with these keys changed; None takes a key away."""
    values = {key: value for key, value in (WHOLE | changes).items() if value is not None}
    return json.dumps(values).encode()


def read(*data):
    problems = Problems()
    found = list(responses_in(io.BytesIO(b"\n".join(data)), problems))
    return found, problems.found


def test_a_line_gives_what_it_has():
    options = {"temperature": 0.7, "max_tokens": 50, "system_message": "Be brief."}
    line = of(
        options=options, raw={"parts": ["In", "1791"]}, tokens={"prompt": 9, "completion": 2},
        finish_reason="max_tokens", prompt_sha256="AB",
    )  # fmt: skip
    [one], problems = read(b"\xef\xbb\xbf" + line, b"", b"  \r")
    assert not problems
    assert (one.line, one.row, one.model, one.text) == (1, *WHOLE.values())
    assert (one.options, one.raw, one.tokens) == (options, {"parts": ["In", "1791"]}, (9, 2))
    assert (one.finish_reason, one.finding, one.prompt_sha256) == ("max_tokens", "", "AB")
    assert one.reply["choices"][0]["message"]["content"] == "In 1791."
    assert one.reply["raw"] == one.raw


@pytest.mark.parametrize(
    ("reason", "finding"),
    [("content_filter", "filtered"), ("refusal", "refused"), ("stop", ""), ("abort", "aborted")],
)
def test_a_finish_reason_says_what_is_no_answer(reason, finding):
    [one], _ = read(of(text="", finish_reason=reason))
    assert one.finding == finding


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"\xff{}", "it is not UTF-8 (byte 1)"),
        (b"{", "it is not JSON"),
        (b"[1]", "it is not a JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"row": ' + b"9" * 5000 + b"}", "a value that cannot be read"),
        (b'{"row": NaN}', "NaN"),
        (b'{"row": "a", "row": "b"}', 'key "row" twice'),
        (of(row=None), "it has no row"),
        (of(model=None), "it has no model"),
        (b'{"row": "a:1:b", "model": "m", "text": null}', 'text is not a text. Write ""'),
        (of(text=7), "text is not a text"),
        (of(text="a\x00b"), "text has a character that no database stores"),
        (b'{"row": "a:1:b", "model": "m", "text": "\\ud800"}', "text has a character"),
        (of(row=1), "row is not a name"),
        (of(row="x" * 300), "row has over 200 characters"),
        (of(model=" "), "model is not a name"),
        (of(model="x" * 201), "model has over 200 characters"),
        (of(model="a\x07b"), "model “a\N{REPLACEMENT CHARACTER}b” has"),
        (of(model="a\N{RIGHT-TO-LEFT OVERRIDE}b"), "a character that is not printed"),
        (of(model="a "), "a blank at an end"),
        (of(modle="x"), "“modle” is no key of a response"),
        (of(options=[]), "options is not an object"),
        *((of(options={name: 1}), f"options: “{name}” is set by the program") for name in
          ("model", "messages", "prompt", "stream", "n", "tools", "logprobs", "max_new_tokens")),
        (of(options={"messages": 1, "max_new_tokens": 1}), "“max_new_tokens” is set by the program"),
        (of(options={"given": True}), "options: “given” marks"),
        (of(options={"max_tokens": 1.5}), "options: max_tokens is no number of tokens"),
        (of(options={"max_tokens": True}), "options: max_tokens is no number of tokens"),
        (of(options={"system_message": 3}), "options: system_message is not a text"),
        (of(options={"system_message": "\x00"}), "options: “system message” has a number or a character"),
        (of(options={"seed": None}), "options: “seed” has no value"),
        (of(options={"stop": "x" * 5000}), "options have over 4000 characters"),
        (b'{"row": "a:1:b", "model": "m", "text": "", "raw": %s1%s}' % (b"[" * 700, b"]" * 700),
         "raw is nested too deeply"),
        (b'{"row": "a:1:b", "model": "m", "text": "", "raw": 1e999}', "raw has a number that cannot be stored"),
        (of(tokens=5), "tokens is not an object"),
        (of(tokens={"prompt": 1.5}), "tokens: prompt is no number of tokens"),
        (of(tokens={"prompt": "9"}), "tokens: prompt is no number of tokens"),
        (of(tokens={"completion": -1}), "tokens: completion is no number of tokens"),
        (of(tokens={"total": 1}), "tokens is not an object"),
        (of(finish_reason=1), "finish_reason is not a word"),
        (of(prompt_sha256=1), "prompt_sha256 is not a text"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_response_is_refused_with_its_number(line, problem):
    found, problems = read(of(), line, of(model="another"))
    assert [one.line for one in found] == [1, 3]
    assert len(problems) == 1
    assert problems[0].startswith("line 2: ")
    assert problem in problems[0]


def test_all_problems_of_a_line_are_named():
    _, problems = read(of(row=1, text=None, tokens=1))
    assert len(problems) == 3


def test_what_no_database_stores_is_replaced_in_a_raw_reply():
    [one], _ = read(of(raw="a\x00b"))
    assert one.raw == "a\N{REPLACEMENT CHARACTER}b"


class Zeros(io.RawIOBase):
    """A gigabyte of zeros; `given` counts the bytes that were read."""

    given = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        size = min(len(buffer), 2**30 - self.given)
        buffer[:size] = bytes(size)
        self.given += size
        return size


def test_a_file_of_zeros_and_a_line_without_end_are_left_where_they_are_too_long():
    zeros, problems = Zeros(), Problems()
    assert not list(responses_in(io.BufferedReader(zeros), problems))
    assert zeros.given < 2 * lines.MAX_LINE
    assert problems.found == [
        "line 1: it has over 8,388,608 bytes, more than any response. The rest was not read."
    ]
    found, problems_of = read(of(), of(text="x" * 50_000_000), of())
    assert len(found) == len(problems_of) == 1


def test_a_file_of_another_kind_is_left_after_a_hundred_problems():
    found, problems = read(*[b"no JSON"] * 1000)
    assert not found
    assert len(problems) == 100


@pytest.mark.parametrize("data", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_a_file_without_a_response_is_refused(data):
    with pytest.raises(Unreadable, match="no response"):
        read(data)
