"""Scorers, populations, measures and tables of a protocol: each mistake is named with its line."""

import pytest

from evaluation.scorers.kinds import labels_of
from evaluation.scorers.language import read_prompts, score_problems, scored_prompts
from protocols.declaration import Declaration, ProtocolError
from protocols.reading import read_protocol
from protocols.shipped import file_of
from tests.protocols.factories import TEXT as MILLS

TEXT = file_of("conflictbank").decode()
SCORES = TEXT.index("[[scorer]]")
LABELS = 'labels = { original = "correct_option", counter = "replace_option", uncertain = "uncertain_option" }'
MR = 'ratio = ["oar", "car"]'
FIRST = 'scorer = "answer", label = "original" },'
OAR = 'share = { scorer = "answer", label = "original", in = "known" }'
ANSWERS = 'where = { setting = ["no evidence", "default evidence"], form = "published" }'
OF_ANSWERS = 'columns = ["setting"]'


def read(text: str) -> Declaration:
    return read_protocol(text.encode(), score_problems)


def test_what_conflictbank_declares_of_scores_is_right():
    assert score_problems(read(TEXT)) == []


def test_a_protocol_may_have_no_scores():
    assert score_problems(read(TEXT[:SCORES])) == []


@pytest.mark.parametrize(
    ("old", "new", "at", "sentence"),
    [
        # A scorer
        ('kind = "option"', 'kind = "regex"', 'kind = "regex"', "scorer 'answer', kind: 'regex' is none of option"),
        ('kind = "option"', 'kinds = "option"', "kinds = ", "this is no key of [scorer]. There are name, kind"),
        (LABELS, "labels = {}", "labels = ", "labels: name a label and its field."),
        (LABELS, "labels = { original = 1 }", "labels = ", "labels: this is not a text."),
        ('"correct_option"', '"right_option"', "labels = ", "'right_option' is no field that is a letter."),
        ('"correct_option"', '"question"', "labels = ", "'question' is no field that is a letter."),
        ("{ original =", "{ undecided =", "labels = ", "'undecided' means something else here."),
        ("{ original =", f"{{ {'o' * 25} =", "labels = ", "the text has 25 characters"),
        # A population
        ('all = [\n', 'every = [\n', "every = ", "every: this is no key of [population]."),
        ('{ tags = { setting = "no evidence", form = "published" }, ', "{ ", "all = ", "all.1: tags is missing."),
        ('setting = "no evidence", form', 'settings = "no evidence", form', "all = ",
         "all.1.tags: no prompt has a tag 'settings'."),
        ('setting = "no evidence", form', 'setting = "none", form', "all = ", "no prompt that the scorer reads has"),
        ('setting = "no evidence", form', 'check = "entailment", form', "all = ", "the scorer reads has these"),
        ('{ tags = { setting = "no evidence", form = "published" }', "{ tags = {}", "all = ", "name a tag and"),
        (FIRST, FIRST.replace("answer", "answers"), "all = ", "all.1.scorer: there is no scorer 'answers'."),
        (FIRST, FIRST.replace("original", "right"), "all = ", "all.1.label: 'right' is none of"),
        (FIRST, FIRST.replace("original", "missing"), "all = ", "'missing' is none of"),
        # A measure
        (OAR, "", '[[measure]]', "measure 'oar': a measure is one of share, mean and ratio."),
        (OAR, f'{OAR}\nratio = ["original", "car"]', "ratio = ", "a measure is one of share, mean and ratio."),
        (OAR, OAR.replace("label", "labels"), "share = ", "share.labels: this is no key of [share]."),
        (OAR, OAR.replace("answer", "answers"), "share = ", "there is no scorer 'answers'."),
        (OAR, OAR.replace("original", "right"), "share = ", "'right' is none of original, counter, uncertain, other"),
        (OAR, OAR.replace('"known"', '"unknown"'), "share = ", "share.in: there is no population 'unknown'."),
        ('of = "entropy"', 'of = "length"', "mean = ", "mean.of: 'length' is none of entropy, exact, f1."),
        (MR, 'ratio = ["mr", "car"]', "ratio = ", "this is a ratio of itself."),
        (MR, 'ratio = ["oar", "oar"]', "ratio = ", "one text is there twice."),
        (MR, 'ratio = ["oar", "far"]', "ratio = ", "'far' is no measure that is a share."),
        (MR, 'ratio = ["oar", "entropy"]', "ratio = ", "'entropy' is no measure that is a share."),
        (MR, 'ratio = ["oar", "mr-printed"]', "ratio = ", "'mr-printed' is no measure that is a share."),
        (MR, 'ratio = ["oar"]', "ratio = ", "name two shares"),
        (MR, 'ratio = ["oar", "car-printed"]', "ratio = ", "oar and car-printed are not of one population."),
        (MR, 'ratio = ["original", "car"]', "ratio = ", "original and car are not of one population."),
        # A table
        ('cells = ["original"]\n', "", '[[table]]', "table 'answers': cells is missing."),
        ('cells = ["original"]', "cells = []", "cells = ", "the list is empty."),
        ('cells = ["original"]', 'cells = ["originals"]', "cells = ", "there is no measure 'originals'."),
        ('origin = "ours"', 'origin = "theirs"', "origin = ", "'theirs' is none of published, printed"),
        (OF_ANSWERS, 'columns = ["settings"]', "columns = ", "'settings' is no axis. There are model, prompt"),
        (OF_ANSWERS, 'columns = ["object"]', "columns = ", "'object' is no axis."),
        (OF_ANSWERS, 'columns = ["model"]', "columns = ", "'model' is among the rows already."),
        (ANSWERS, 'where = { cause = "typo" }', "where = ", "no prompt or record has cause 'typo'."),
        (ANSWERS, 'where = { prompt = "typo" }', "where = ", "no prompt or record has prompt 'typo'."),
        (ANSWERS, 'where = { last = "typo" }', "where = ", "no prompt or record has last 'typo'."),
        (ANSWERS, "where = { setting = [] }", "where = ", "setting: the list is empty."),
        (ANSWERS, 'where = { setting = 1 }\ndifference = "none"', "where = ", "setting: this is not a text."),
        (ANSWERS, 'where = { default_evidence_category = "news" }', "where = ", "_category 'news'."),
        (ANSWERS, 'where = { setting = "one piece", order = "shuffled" }', "where = ", "no prompt fits"),
        (OF_ANSWERS, f'{OF_ANSWERS}\nmean = "cause"', "mean = ", "'cause' is none of the table's columns."),
        (OF_ANSWERS, f'{OF_ANSWERS}\npooled = "model"', "pooled = ", "'model' is none of the table's columns."),
        (OF_ANSWERS, f'{OF_ANSWERS}\ndifference = "none"', "difference = ", "'none' is no value of setting in"),
        (OF_ANSWERS, f'{OF_ANSWERS}\ndifference = "two pieces"', "difference = ", "'two pieces' is no value of"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_line(old, new, at, sentence):
    text = TEXT[SCORES:]
    assert old in text
    changed = text.replace(old, new, 1)
    with pytest.raises(ProtocolError) as refused:
        read(TEXT[:SCORES] + changed)
    [first, *_] = refused.value.problems
    assert sentence in str(first)
    until = text.index(old) + len(new)
    before = TEXT[:SCORES] + changed[: changed.rindex(f"\n{at}", 0, until)]
    assert first.line == before.count("\n") + 2


# A protocol whose answers are texts; one of its prompts has options.
TEXTS = f"""{MILLS}
[[field]]
name = "answers"
type = "list"

[[prompt]]
name = "ask"
label = "M1"
title = "Ask"
origin = "ours"
tags = {{ way = "text" }}
text = "{{source}} {{question}}"

[[prompt]]
name = "choose"
label = "M2"
title = "Choose"
origin = "ours"
tags = {{ way = "option" }}
answer = "scores"
options = ["A", "B"]
text = "{{question}} {{options}}"

[[scorer]]
name = "em"
kind = "squad"
gold = ["answers", "mill"]

[[scorer]]
name = "alias"
kind = "alias"
gold = ["answers"]
match = "contained"

[[scorer]]
name = "choice"
kind = "option"
labels = {{ right = "right" }}

[[population]]
name = "known"
title = "right"
all = [{{ tags = {{ way = "text" }}, scorer = "em", label = "right" }}]

[[measure]]
name = "f1"
title = "F1"
mean = {{ scorer = "em", of = "f1", in = "known" }}

[[measure]]
name = "exact"
title = "Exact match"
mean = {{ scorer = "em", of = "exact" }}

[[measure]]
name = "aliases"
title = "Aliases"
share = {{ scorer = "alias", label = "right" }}

[[table]]
name = "answers"
title = "Answers"
origin = "ours"
where = {{ way = "text" }}
rows = ["model"]
columns = ["mill"]
cells = ["f1", "exact", "aliases"]
pooled = "mill"
"""


def test_scorers_read_the_prompts_that_they_can():
    declared = read(TEXTS)
    scorers = declared.named("scorer")
    read_by = {
        name: [prompt.name for prompt in read_prompts(declared, scorer)]
        for name, scorer in scorers.items()
    }
    assert read_by == {"em": ["ask"], "alias": ["ask"], "choice": ["choose"]}
    assert [prompt.name for prompt in scored_prompts(declared)] == ["ask", "choose"]
    assert labels_of(declared, scorers["em"]) == [
        "right", "wrong", "unread", "skipped", "refused", "filtered", "empty", "aborted",
    ]  # fmt: skip
    assert labels_of(declared, scorers["choice"])[:4] == [
        "right",
        "other",
        "ambiguous",
        "undecided",
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('gold = ["answers", "mill"]', "", "scorer 'em': gold is missing."),
        ('gold = ["answers", "mill"]', "gold = []", "the list is empty."),
        ('gold = ["answers", "mill"]', 'gold = "answers"', "this is not a list of texts."),
        ('gold = ["answers", "mill"]', 'gold = ["aliases"]', "'aliases' is no field that is a text or a list."),
        ('gold = ["answers", "mill"]', 'gold = ["right"]', "'right' is no field that is a text or a list."),
        ('gold = ["answers", "mill"]', 'gold = ["mill"]\nmatch = "equal"',
         "match: this is no key of [scorer]. There are name, kind, gold."),
        ('match = "contained"', 'match = "substring"', "'substring' is none of equal, contained."),
        ('match = "contained"', 'labels = { right = "right" }',
         "labels: this is no key of [scorer]. There are name, kind, gold, match."),
        ('labels = { right = "right" }', 'gold = ["answers"]', "gold: this is no key of [scorer]."),
        # Options that mean the same in each record
        ('labels = { right = "right" }', "", "scorer 'choice': write either labels, with letter fields, or options"),
        ('labels = { right = "right" }', 'labels = { right = "right" }\noptions = { yes = "A" }',
         "scorer 'choice', options: write either labels, with letter fields, or options"),
        ('labels = { right = "right" }', 'options = ["A", "B"]', "options: this is not a table."),
        ('labels = { right = "right" }', "options = {}", "options: name a label and its option."),
        ('labels = { right = "right" }', "options = { yes = 1 }", "options: this is not a text."),
        ('labels = { right = "right" }', 'options = { yes = "C" }', "options: 'C' is no option of a prompt."),
        ('labels = { right = "right" }', 'options = { yes = "right" }', "options: 'right' is no option of a prompt."),
        ('labels = { right = "right" }', 'options = { yes = "A", no = "A" }', "two labels have the option 'A'."),
        ('labels = { right = "right" }', 'options = { other = "A" }', "'other' means something else here."),
        ('labels = { right = "right" }', 'options = { undecided = "A" }', "'undecided' means something else here."),
        ('labels = { right = "right" }', f'options = {{ {"o" * 25} = "A" }}', "the text has 25 characters"),
        ('of = "f1"', 'of = "entropy"', "mean.of: a scorer of kind squad has the mean of exact or f1."),
        ('"em", of = "f1"', '"alias", of = "f1"', "mean.of: a scorer of kind alias has no mean."),
        ('"em", of = "f1"', '"choice", of = "f1"', "mean.of: a scorer of kind option has the mean of entropy."),
        ('"alias", label = "right"', '"alias", label = "other"',
         "'other' is none of right, wrong, unread, skipped, refused, filtered, empty, aborted."),
        ('"alias", label = "right"', '"alias", label = "undecided"', "'undecided' is none of right, wrong"),
        ('"alias", label = "right"', '"choice", label = "unread"', "'unread' is none of right, other, ambiguous"),
        ('way = "text" }, scorer', 'way = "option" }, scorer', "no prompt that the scorer reads has these tags."),
        ('where = { way = "text" }', 'where = { way = "option" }',
         "table 'answers', where: no prompt that the scorer of f1 reads fits all of this."),
    ],
)  # fmt: skip
def test_a_mistake_in_the_scores_of_texts_is_refused(old, new, sentence):
    assert old in TEXTS
    with pytest.raises(ProtocolError) as refused:
        read(TEXTS.replace(old, new, 1))
    assert any(sentence in str(problem) for problem in refused.value.problems)
    assert all(problem.line for problem in refused.value.problems)


@pytest.mark.parametrize("part", ["scorer", "population", "measure", "table"])
def test_two_of_one_name_are_refused(part):
    start = TEXT.index(f"[[{part}]]")
    again = TEXT[start : TEXT.index("[[", start + 5)]
    with pytest.raises(ProtocolError, match="number 1 has this name already"):
        read(f"{TEXT}\n{again}")
