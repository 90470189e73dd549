"""A protocol's file to begin from: it has no fault, and says what each line is for. Pure."""

from leases.refusal import Refusal
from protocols.entry_keys import value_problem
from protocols.reading import PROTOCOL_KEYS

# A label has 20 characters, and a number after this.
LONGEST_IN_LABEL = 16

_TEXT = '''\
# A study of your own. Change what follows; all keys are in docs/protocols-reference.md.
# What is wrong with the file:  manage.py protocol check NAME.toml
# What it will look like:       manage.py protocol show NAME.toml

[protocol]
name = "NAME"
version = 1  # a later text of this file is a new version, once records were imported with it
title = "The title of the study"
source = "Who wrote the texts, and where they are published"
licence = "The licence of the texts"
notes = ["What a reader should know, in sentences."]

# How a file of records looks: here one record on each line, such as
# {"id": "1", "passage": "The mill was built in 1850.", "question": "When was the mill built?",
#  "options": ["1850", "1900"], "right": "A"}
[file]
shape = "lines"

# Which fields are a record's title and its question; records of one cluster are drawn together for intervals.
[item]
title = "id"
question = "question"
cluster = "id"

# The keys of each record, in the order of the file.
[[field]]
name = "id"

[[field]]
name = "passage"
type = "passage"  # a text that judges read beside a response
label = "Passage"

[[field]]
name = "question"
label = "Question"

[[field]]
name = "options"
type = "list"

[[field]]
name = "right"
type = "letter"  # A for the first text of the list, B for the second
of = "options"

# What models are sent. Words in braces are fields of the record.
[[prompt]]
name = "alone"
label = "LABEL 1"
title = "The question alone"
tags = { setting = "alone" }  # tables put prompts of one tag together
answer = "option"  # the reply has to be one of the options, and is asked for up to three times
options = ["A", "B"]
times = 3
origin = "ours"
text = """
{question}
A. {options.1}
B. {options.2}
Answer with A or B."""

[[prompt]]
name = "with-passage"
label = "LABEL 2"
title = "The question with its passage"
tags = { setting = "with passage" }
answer = "option"
options = ["A", "B"]
times = 3
origin = "ours"
text = """
{passage}

{question}
A. {options.1}
B. {options.2}
Answer with A or B."""

# A text of the record that people judge: no model is asked.
[[prompt]]
name = "check"
label = "LABEL 3"
title = "Does the passage answer the question?"
answer = "given"
given = "passage"
by = "The author of the passage"
shows = ["question"]
origin = "ours"
text = "Does the passage answer the question?"

# What judges decide, from worst to best, with sentences for each prompt that is judged.
[[rubric]]
name = "yes-no"
title = "Yes or no"
source = "Ours"
verdicts = [{ key = "no", label = "No" }, { key = "yes", label = "Yes" }]

[rubric.criteria.check]
no = ["The passage leaves the question open."]
yes = ["The passage answers the question."]

# How a response is scored, what is counted, and the table of a report.
[[scorer]]
name = "answer"
kind = "option"
labels = { right = "right" }  # the label "right" is that of the letter in the field "right"

[[measure]]
name = "accuracy"
title = "Right answers"
label = "Right"
share = { scorer = "answer", label = "right" }

[[table]]
name = "by-setting"
title = "Right answers without and with the passage"
origin = "ours"
rows = ["model"]
columns = ["setting"]
cells = ["accuracy"]
'''


def new_file(name: str) -> str:
    """The text of a file for a protocol of this name. Raises Refusal for what cannot be a name."""
    if problem := value_problem(name, PROTOCOL_KEYS["name"]):
        raise Refusal(problem)
    if "-" in name:
        raise Refusal("Write the name without hyphens.")
    # Labels are those of no other protocol.
    label = name[:LONGEST_IN_LABEL].replace("_", " ").strip().capitalize()
    return _TEXT.replace("NAME", name).replace("LABEL", label)
