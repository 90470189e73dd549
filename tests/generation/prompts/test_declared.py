"""The prompts of a protocol: each mistake is named with its line."""

import pytest

from generation.prompts import prompting
from generation.prompts.declared import bodies, is_same, prompt_problems
from protocols.declaration import ORIGINS, Declaration, ProtocolError
from protocols.reading import read_protocol
from protocols.shipped import file_of, wikicontradict

TEXT = file_of("conflictbank").decode()


def read(text: str) -> Declaration:
    return read_protocol(text.encode(), prompt_problems)


def test_the_prompts_of_conflictbank_have_nothing_wrong():
    assert prompt_problems(read(TEXT)) == []


def test_the_prompts_of_conflictbank_are_prompts_with_marks_and_tags():
    read_in = {name: prompting.parse(body, name) for name, body in bodies(read(TEXT)).items()}
    assert len(read_in) == 33
    assert {prompt.mark for prompt in read_in.values()} == {"published", "printed", "ours"}
    assert {prompt.mark for prompt in prompting.prompts().values()} <= set(ORIGINS)
    described = read_in["temporal-described"]
    assert (described.name, described.label) == ("conflictbank-temporal-described", "CB 3td")
    assert described.tags["setting"] == "one piece, described"
    check = read_in["contradicts-temporal"]
    assert (check.given, check.shows) == ("temporal_conflict_evidence", ("default_evidence",))
    assert len({prompt.sha256 for prompt in read_in.values()}) == 33


def test_what_names_a_prompt_does_not_decide_its_key_and_its_tags_do():
    body = bodies(read(TEXT))["no-evidence"]
    assert is_same(body, {**body, "title": "Another", "source": "Another", "origin": "ours"})
    assert not is_same(body, {**body, "tags": {}})


def test_how_an_answer_is_read_decides_the_key():
    text = TEXT.replace('answer = "scores"\noptions = ["A", "B", "C", "D"]\n', "", 1)
    [plain, whole, cut, after, abstains] = [
        bodies(read(text.replace('origin = "published"', f'origin = "ours"\n{line}', 1)))[
            "no-evidence"
        ]
        for line in ("", 'extract = "whole"', 'extract = "first line"', 'after = "A:"', 'abstain = "None"')
    ]  # fmt: skip
    assert is_same(plain, whole)
    assert len({body["sha256"] for body in (plain, cut, after, abstains)}) == 4
    assert prompting.parse(after, "after").reading == {"after": "A:"}
    assert prompting.parse(whole, "whole").reading == {}


# A prompt, what is replaced in it, and the key and the words of the refusal.
OPEN, SHUFFLED, GIVEN = "no-evidence", "two-temporal-shuffled", "entails-default"
EVIDENCE, SHUFFLE = (
    "{default_evidence}",
    'shuffle = ["default_evidence", "temporal_conflict_evidence"]',
)
ANSWER = 'answer = "scores"\noptions = ["A", "B", "C", "D"]'
MISTAKES = [
    (OPEN, "{question}", "{question.__class__}", "text", "has {question.__class__}, which is no field of a question"),
    (OPEN, "{options.1}", "{options[0]}", "text", "has {options[0]}, which is no field"),
    (OPEN, "{options.1}", "{options.0}", "text", "has {options.0}, which is no field"),
    (OPEN, "{options.1}", "{options.27}", "text", "has {options.27}, which is no field"),
    (OPEN, "{options.1}", "{options.5}", "text", "the prompt has 4 options, and shows {options.5}"),
    (OPEN, "{options.1}", "{options}", "text", "has {options}, which is a list. Name an element of it, as {options.1}"),
    (OPEN, "{options.1}", "{correct_option}", "text", "has {correct_option}, which is a letter"),
    (OPEN, "{question}", "{reply}", "text", "has {reply}, which is no field"),
    (OPEN, "{question}", "{answer}", "text", "has {answer}, which is no field"),
    (OPEN, 'title = "No', 'title = "\\u0007', "title", "the control character U+0007"),
    (OPEN, "name = ", "nane = ", "nane", "this is no key of [prompt]. There are name, label, title, tags"),
    (OPEN, 'name = "no-evidence"', 'name = "../no"', "name", "cannot be a name"),
    (OPEN, 'name = "no-evidence"', 'name = "no-v2"', "name", "cannot be a name"),
    (OPEN, 'name = "no-evidence"', f'name = "{"n" * 38}"', "name", "has 51 characters; at most 50"),
    (OPEN, 'label = "CB 1"', 'label = "CB v2"', "label", "cannot be a label"),
    (OPEN, 'label = "CB 1"', f'label = "{"C" * 21}"', "label", "has 21 characters; at most 20"),
    (OPEN, 'label = "CB 1"', 'label = "5.1"', "label", "a prompt of WikiContradict has it."),
    (OPEN, 'label = "CB 1"', 'label = "CB 2"', "label", "another prompt has this label"),
    (OPEN, "tags = { setting", "tags = { last", "tags", "'last' is a field or an axis of tables"),
    (OPEN, "tags = { setting", "tags = { question", "tags", "'question' is a field or an axis of tables"),
    (OPEN, '"no evidence"', "1", "tags", "the tags is not a text"),
    (OPEN, 'answer = "scores"', 'answer = "letter"', "answer", "'letter' is none of text, scores, span, option, given"),
    (OPEN, 'answer = "scores"', 'answer = "span"', "options", "has options without a form that chooses"),
    (OPEN, 'options = ["A", "B", "C", "D"]\n', "", "options", "has the form scores, which needs options"),
    (OPEN, 'options = ["A", "B", "C", "D"]', 'options = ["A"]', "options", "options is a list of 2 to 26"),
    (OPEN, 'options = ["A"', 'options = ["A a"', "options", "is one token, without blanks"),
    (OPEN, 'origin = "published"', 'origin = "found"', "origin", "'found' is none of published, printed"),
    (OPEN, 'origin = "published"\n', "", "", "origin is missing"),
    (OPEN, 'origin = "published"', 'origin = "ours"\ntimes = 3', "times", "has times, but no form that is asked"),
    (OPEN, 'origin = "published"', 'origin = "ours"\nsecond = "{reply}?"', "second", "Leave the second turn out"),
    (OPEN, 'origin = "published"', 'origin = "ours"\ngiven = "question"', "given", "given needs the answer given"),
    (OPEN, 'origin = "published"', 'origin = "ours"\nlast = ["a", "b"]', "last", "a word for each passage of shuffle"),
    (OPEN, 'origin = "published"', 'origin = "ours"\nextract = "last line"', "extract", "the answer is an option, and"),
    (OPEN, 'origin = "published"', 'origin = "ours"\nabstain = "None"', "abstain", "the answer is an option, and is"),
    (OPEN, ANSWER, 'extract = "line"', "extract", "'line' is none of whole, first line, last line"),
    (OPEN, ANSWER, 'after = ""', "after", "the text is empty"),
    (OPEN, ANSWER, 'after = " "', "after", "the text is empty"),
    (OPEN, ANSWER, 'after = "\\u0007"', "after", "the control character U+0007"),
    (OPEN, ANSWER, f'after = "{"n" * 61}"', "after", "has 61 characters; at most 60"),
    (OPEN, ANSWER, 'abstain = "None "', "abstain", "an answer is read without blanks round it"),
    (OPEN, ANSWER, 'abstain = ""', "abstain", "the text is empty"),
    (SHUFFLED, SHUFFLE, 'shuffle = ["default_evidence"]', "shuffle", "name two passages or more"),
    (SHUFFLED, SHUFFLE, 'shuffle = ["default_evidence", "subject"]', "shuffle", "'subject' is no passage that"),
    (SHUFFLED, SHUFFLE, 'shuffle = ["default_evidence", "semantic_conflict_evidence"]', "shuffle", "is no passage"),
    (SHUFFLED, SHUFFLE, 'shuffle = ["default_evidence", "default_evidence"]', "shuffle", "one text is there twice"),
    (SHUFFLED, EVIDENCE, EVIDENCE * 2, "shuffle", "'default_evidence' is no passage that the text has once"),
    (SHUFFLED, '"default last", ', "", "last", "a word for each passage of shuffle"),
    (GIVEN, 'given = "default_evidence"\n', "", "given", "given is missing: the answer is given"),
    (GIVEN, 'by = "LLaMA-3-70B-Instruct"\n', "", "by", "by is missing: the answer is given"),
    (GIVEN, 'shows = ["default_claim"]\n', "", "shows", "shows is missing: the answer is given"),
    (GIVEN, ', "Evidence"]', "]", "labels", "write 2: one for each field of shows, and one for the given text"),
    (OPEN, 'origin = "published"', 'origin = "ours"\nlabels = ["A", "B"]', "labels", "labels needs the answer given"),
    (GIVEN, '"default_evidence"', '"options"', "given", "'options' is no field that holds a text"),
    (GIVEN, '["default_claim"]', '["claim"]', "shows", "'claim' is no field that holds a text"),
    (GIVEN, 'origin = "ours"', 'origin = "ours"\noptions = ["A", "B"]', "options", "no model is asked. Leave it out"),
    (GIVEN, 'origin = "ours"', 'origin = "ours"\nafter = "Answer:"', "after", "no model is asked. Leave it out"),
    (GIVEN, "the claim?", "{default_claim}?", "text", "nothing is sent, so the text has no places"),
    (GIVEN, 'text = "Does this evidence entail the claim?"', "", "", "text is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "key", "sentence"), MISTAKES)
def test_a_mistake_is_refused_with_its_line(name, old, new, key, sentence):
    start = TEXT.rindex("[[prompt]]", 0, TEXT.index(f'name = "{name}"'))
    assert old in TEXT[start : TEXT.index("[[", start + 2)]
    text = TEXT[:start] + TEXT[start:].replace(old, new, 1)
    with pytest.raises(ProtocolError) as refused:
        read(text)
    [first, *_] = refused.value.problems
    assert sentence in str(first)
    assert first.key == key
    lines = text[start:].split("\n[[")[0].split("\n")
    there = [n for n, line in enumerate(lines) if key and line.startswith(f"{key} = ")]
    assert first.line == text[:start].count("\n") + 1 + (there or [0])[0]


def test_the_file_of_wikicontradict_names_the_programs_prompts():
    declared = wikicontradict().named("prompt")
    labels = {name: entry.values["label"] for name, entry in declared.items()}
    assert labels == {name: prompt.label for name, prompt in prompting.prompts().items()}
    assert all("text" not in entry.values for entry in declared.values())
