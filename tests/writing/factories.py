"""A protocol with three forms: answers of records, further records of a base, and notes; and records of it."""

from typing import Any

from accounts.models import Person
from accounts.roles import Role
from datasets.declared.records import parse_declared
from datasets.models import Collection, Contradiction
from datasets.records import add_contradictions, read_draft
from leases.refusal import Refusal
from protocols.installed import install, use
from tests.factories import person
from writing import checking, openings, saving, taking
from writing.models import Entry, Writing

TEXT = """\
[protocol]
name = "weirs"
version = 1
title = "Weirs and what is said of them"
source = "invented"
licence = "none"

[file]
shape = "lines"

[item]
title = "weir"
question = "question"
cluster = "weir"

[[field]]
name = "weir"

[[field]]
name = "condition"
slice = true
values = ["supported", "contradicting"]
label = "Condition"

[[field]]
name = "form"
slice = true
values = ["affirmative", "modal", "negated"]

[[field]]
name = "context"
type = "passage"

[[field]]
name = "question"

[[field]]
name = "answer"

[[field]]
name = "aliases"
type = "list"

[[form]]
name = "answers"
title = "Answer the question"
origin = "ours"
shows = ["context", "question"]
guideline = "Answer by the passage alone."
makes = "version"

[[form.step]]
title = "Answer"
fields = ["answer", "aliases", "sure"]

[[form.step]]
title = "Rationale"
fields = ["rationale", "kind", "level", "seen"]

[[form.field]]
name = "answer"
label = "Answer"
type = "line"
required = true
fills = "answer"

[[form.field]]
name = "aliases"
label = "Other names of it"
type = "text"
fills = "aliases"

[[form.field]]
name = "sure"
label = "How sure are you?"
type = "rating"

[[form.field]]
name = "rationale"
label = "Rationale"
type = "text"
required = true
offers = ["The passage says that …", "Nothing is said of …"]

[[form.field]]
name = "kind"
label = "Kind"
type = "many"
options = ["date", "name"]

[[form.field]]
name = "level"
label = "Level"
type = "one"
options = ["easy", "hard"]

[[form.field]]
name = "seen"
label = "I looked it up"
type = "tick"

[[form]]
name = "forms"
title = "Write the other forms"
shows = ["context", "question"]
makes = "record"
base = "weir"
complete = ["condition", "form"]

[[form.step]]
title = "Text"
fields = ["text"]

[[form.field]]
name = "condition"
label = "Condition"
type = "one"
options_of = "condition"
fills = "condition"

[[form.field]]
name = "mood"
label = "Form"
type = "one"
options_of = "form"
fills = "form"

[[form.field]]
name = "text"
label = "Text"
type = "text"
required = true
fills = "context"
begins = "It is unlikely that {context}"
when = { mood = "modal" }

[[form]]
name = "notes"
title = "Note what is odd"
shows = ["question"]
makes = "nothing"

[[form.step]]
title = "Note"
fields = ["note"]

[[form.field]]
name = "note"
label = "Note"
type = "text"
"""
ANSWERED = {"answer": "1783", "rationale": "The passage says that it was built in 1783."}


def record(weir: str = "Old Weir", **changed: Any) -> dict[str, Any]:
    return {
        "weir": weir,
        "condition": "supported",
        "form": "affirmative",
        "context": f"{weir} was built in 1783.",
        "question": f"When was {weir} built?",
        "answer": "",
        "aliases": [],
        **changed,
    }


def collection(*records: dict[str, Any], text: str = TEXT, name: str = "weirs") -> Collection:
    protocol = install(text.encode(), "weirs.toml")[0]
    use(protocol)
    made = Collection.objects.create(name=name, protocol=protocol)
    add(made, *(records or (record(),)))
    return made


def add(to: Collection, *records: dict[str, Any]) -> list[Contradiction]:
    drafts = [read_draft(parse_declared(to.declaration, each)) for each in records]
    added = add_contradictions(collection=to, drafts=drafts)
    return [Contradiction.objects.get(pk=pk) for pk, _ in added]


def annotator(name: str) -> Person:
    return person(name, Role.ANNOTATOR)


def opened(form: str = "answers", within: Collection | None = None, **more: Any) -> Writing:
    admin = Person.objects.filter(username="olga").first() or person("olga", Role.ADMIN)
    to = within or collection()
    return openings.open_form(collection=to, name=form, subset=more.get("subset"), by=admin)


def taken(writing: Writing, by: Person) -> Entry:
    entry = taking.take_next(writing, by)
    assert entry is not None
    return taking.own_entry(entry.pk, by)


def save(entry: Entry, **changes: Any) -> None:
    saving.save(entry, by=entry.author, version=entry.version, changes=changes)


def submitted(writing: Writing, by: Person, **changes: Any) -> Entry:
    """An entry that was handed in; by default of the form "answers"."""
    entry = taken(writing, by)
    given = {"by": by, "version": entry.version, "changes": changes or ANSWERED}
    assert saving.submit(entry, **given) == []
    return entry


def checked(entry: Entry, by: Person) -> Entry:
    return checking.check(entry, by=by, version=entry.version)


def refused(act: Any, *args: Any, **given: Any) -> str:
    """The sentence with which it is refused."""
    try:
        act(*args, **given)
    except Refusal as refusal:
        return refusal.message
    raise AssertionError("It was not refused.")
