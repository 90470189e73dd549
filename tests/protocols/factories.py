"""A small protocol as text, to change for a test."""

from protocols.installed import install
from protocols.models import Protocol

TEXT = """\
[protocol]
name = "mills"
version = 1
title = "Mills: two sources on a mill"
source = "Alice 2024"
licence = "CC0"
notes = ["The order is ours."]

[file]
shape = "lines"

[item]
title = "mill"
question = "question"
cluster = "mill"

[[field]]
name = "mill"
slice = true
values = ["water", "wind"]

[[field]]
name = "question"

[[field]]
name = "source"
type = "passage"
label = "Source"

[[field]]
name = "options"
type = "list"
reads = { 1 = " in {1}", 2 = " from {1} to {2}" }

[[field]]
name = "right"
type = "letter"
of = "options"
says = "question"
"""


def changed(old: str, new: str, text: str = TEXT) -> str:
    """The text with one place changed, which has to be there."""
    assert old in text
    return text.replace(old, new, 1)


def installed(text: str = TEXT) -> Protocol:
    return install(text.encode(), "mills.toml")[0]


PARTS = """
[[prompt]]
name = "plain"
label = "M 1"
title = "The question alone"
tags = { setting = "alone" }
answer = "scores"
options = ["A", "B"]
origin = "ours"
text = "{question} {options.1} or {options.2}?"

[[prompt]]
name = "read"
label = "M 2"
title = "With the source"
tags = { setting = "read" }
answer = "scores"
options = ["A", "B"]
origin = "ours"
text = "{source}\\n{question} {options.1} or {options.2}?"

[[prompt]]
name = "says"
label = "M 3"
title = "Does the source say it?"
answer = "given"
given = "source"
by = "Alice"
shows = ["question"]
origin = "ours"
text = "Does the source answer the question?"

[[rubric]]
name = "yes-no"
title = "Does it?"
source = "Alice 2024"
verdicts = [{ key = "no", label = "No" }, { key = "yes", label = "Yes" }]

[rubric.criteria.says]
no = ["It does not."]
yes = ["It does."]

[[scorer]]
name = "answer"
kind = "option"
labels = { right = "right" }

[[measure]]
name = "accuracy"
title = "Accuracy"
share = { scorer = "answer", label = "right" }

[[table]]
name = "by-setting"
title = "By setting"
origin = "ours"
rows = ["model"]
columns = ["setting"]
cells = ["accuracy"]
"""
WHOLE = TEXT + PARTS
