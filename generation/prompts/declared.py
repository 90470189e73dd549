"""The prompts that a protocol declares: what is wrong with one, and their data as prompting.parse reads it. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from generation.prompts import authoring, prompting, shots
from generation.prompts.answers import EXTRACTS, READING, WHOLE
from generation.prompts.places import Places, places_of
from generation.prompts.prompting import WITH_OPTIONS, Form, PromptError
from protocols.declaration import (
    AXES,
    ORIGINS,
    WIKICONTRADICT,
    Declaration,
    DeclarationProblem,
    Entry,
    FieldType,
)
from protocols.entry_keys import NAME, NAMED, Key, entry_problems

FORMS = {"text": Form.TEXT, "scores": Form.SCORES, "span": Form.SPAN, "option": Form.OPTION}
GIVEN = "given"
# A version is added to a label, as " v12", in a column of 24.
LONGEST_LABEL = 20
LONGEST_TAG = 60
LONGEST_MARK = 60
LONGEST_TEXT = authoring.LONGEST["template"]
KEYS = {
    **NAMED,
    "label": Key(
        str,
        is_required=True,
        longest=LONGEST_LABEL,
        about="What lists and the heads of columns call it. No other prompt of the file has it.",
    ),
    "title": Key(
        str, is_required=True, longest=authoring.LONGEST["title"], about="What it asks, in a line."
    ),
    "tags": Key(
        dict,
        about='What it says of itself for tables, as `{ setting = "no evidence" }`: each is an axis.',
    ),
    "answer": Key(
        str,
        values=(*FORMS, GIVEN),
        about="What a reply is. An option is chosen by its token, a given answer is a text of the record. Without "
        "it, a text.",
    ),
    "options": Key(list, about="The options, or the scores, one of which is the answer."),
    "times": Key(
        int, about="Of a span or an option: how often the model is asked at most, 1 to 15."
    ),
    "insist": Key(
        bool,
        about="True: it is asked again also where the model's options make its replies the same.",
    ),
    "extract": Key(
        str,
        values=EXTRACTS,
        about="What of a reply is the answer. Without it, the whole.",
    ),
    "after": Key(
        str,
        longest=LONGEST_MARK,
        about="A marker, such as `Answer:`. What follows its last place is read, by `extract`. A reply without it, or "
        "with nothing after it, is *unread*.",
    ),
    "abstain": Key(
        str,
        longest=LONGEST_MARK,
        about="A word, such as `None`. An answer that begins with it, as it is written, is an abstention: "
        "`Nonetheless` is one, `none` is not.",
    ),
    "shuffle": Key(
        list,
        about="The passages whose order is drawn from the run's seed for each record. The text has each once.",
    ),
    "last": Key(
        list,
        about="A word for each passage of `shuffle`: what tables call the responses where it came last.",
    ),
    "origin": Key(str, values=tuple(ORIGINS), about="Where the text is from. Every prompt has it."),
    "text": Key(
        str,
        longest=LONGEST_TEXT,
        about="Sent as it is but for its places: `{field}`, `{list.2}`, and `{list}` where the list has `reads`. Every "
        "prompt has it.",
    ),
    "second": Key(
        str,
        longest=LONGEST_TEXT,
        about="A second turn, sent after the reply; `{reply}` in it is that reply.",
    ),
    "check": Key(
        str,
        longest=LONGEST_TEXT,
        about="In place of `second`: asks whether the answer holds, with `{reply}` in it. Sent unless the reply "
        "abstains or is unread; the answer stays that reply. “No” makes it an abstention; neither yes nor no is "
        "*unread*.",
    ),
    **shots.PROMPT_KEYS,
    "given": Key(str, about="Of a given answer: the field that people judge. No model is asked."),
    "by": Key(str, longest=200, about="Of a given answer: who wrote it. Judges do not see it."),
    "shows": Key(list, about="Of a given answer: the fields that judges see above it."),
    "labels": Key(
        list,
        longest=LONGEST_MARK,
        about="Of a given answer: what judges call the texts, those of `shows` and then the given one. Without it, "
        "`Text 1`, …, and `Text to judge`.",
    ),
    "source": Key(str, about="Where the text is printed."),
}
TABLES = {"example": shots.EXAMPLE_KEYS, "prompt": KEYS}
# What a prompt whose text is given does not have, since nothing is sent.
SENT = (
    "options",
    "times",
    "insist",
    "shuffle",
    "last",
    "second",
    "check",
    *READING,
    *shots.PROMPT_KEYS,
)
# The keys whose names here differ from those of a prompt's data.
_KEY_OF = {"template": "text", "form": "answer"}
Problems = Iterator[DeclarationProblem]


def prompt_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """What is wrong with the prompts of a protocol. Those of WikiContradict are files of the program."""
    if declaration.name == WIKICONTRADICT:
        return []
    entries = declaration.entries("prompt")
    labels = Counter(str(entry.values.get("label")) for entry in entries)
    problems = shots.example_problems(declaration)
    for entry in entries:
        found = entry_problems(entry, KEYS) or list(_rules(declaration, entry))
        problems += found
        if not found and labels[entry.values["label"]] > 1:
            problems.append(entry.problem("another prompt has this label. Choose one.", "label"))
    return problems or shots.drawing_problems(declaration)


def bodies(declaration: Declaration) -> dict[str, dict[str, Any]]:
    """The data of its prompts by their names in it, as prompting.parse reads it."""
    return {entry.name: _body(declaration, entry) for entry in declaration.entries("prompt")}


def is_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether two have the same text, answer and tags, and so the same key."""
    return all(before.get(name) == after[name] for name in ("sha256", "tags", "last"))


def _body(declaration: Declaration, entry: Entry) -> dict[str, Any]:
    values = entry.values
    data = {
        "name": f"{declaration.name}-{entry.name}",
        "label": values["label"],
        "title": values["title"],
        "template": values["text"],
        "second": values.get("second", ""),
        "check": values.get("check", ""),
        "form": FORMS.get(values.get("answer", "text"), Form.TEXT),
        "times": values.get("times"),
        "insist": values.get("insist", False),
        # Named or left out, the whole reply is the same.
        "extract": values.get("extract", "").removeprefix(WHOLE),
        "source": values.get("source", ""),
        "protocol": declaration.name,
        "tags": dict(values.get("tags", {})),
        "origin": values["origin"],
        **{name: values.get(name, "") for name in ("after", "abstain", "given", "by")},
        **{
            name: list(values.get(name, ()))
            for name in ("options", "shuffle", "last", "shows", "labels")
        },
        **{name: [] for name in ("passages", "gold", "verdicts")},
        "reconstructed": False,
        **shots.body_of(declaration, entry),
    }
    return {**data, "sha256": prompting.sha256_of(data)}


# ---------------------------------------------------------------- rules


def _rules(declaration: Declaration, entry: Entry) -> Problems:
    if missing := [name for name in ("text", "origin") if name not in entry.values]:
        yield entry.problem(f"{missing[0]} is missing.")
        return
    if problems := list(shots.prompt_rules(declaration, entry)):
        yield from problems
        return
    places, body = places_of(declaration), _body(declaration, entry)
    try:
        _check_texts(body)
        if entry.values.get("answer") != GIVEN:
            authoring.check_answer(body, "The prompt", places)
    except PromptError as error:
        key = error.field or ""
        yield entry.problem(str(error), _KEY_OF.get(key, key))
        return
    yield from _label_rules(entry, body)
    yield from _tag_rules(declaration, entry)
    yield from _list_rules(declaration, entry, places)
    yield from _shuffle_rules(entry, body, places)
    yield from _check_rules(entry)
    yield from _reading_rules(entry)
    yield from _given_rules(declaration, entry)


def _check_texts(body: Mapping[str, Any]) -> None:
    """Raise PromptError for a text with characters that cannot be, and for a name or label that cannot."""
    authoring.check_text("name", body["name"], authoring.LONGEST["name"], "The prompt's key")
    authoring.check_name(body["name"], body["label"], "The prompt")
    for name in (
        "label",
        "title",
        "template",
        "second",
        "check",
        "shot",
        "after",
        "abstain",
        "by",
        "source",
    ):
        if body[name]:
            authoring.check_text(name, body[name], LONGEST_TEXT, "The prompt")
    for name, texts in (
        ("tags", body["tags"].values()),
        ("last", body["last"]),
        ("labels", body["labels"]),
    ):
        for text in texts:
            authoring.check_text(name, text, LONGEST_TAG, "The prompt")


def _label_rules(entry: Entry, body: Mapping[str, Any]) -> Problems:
    for prompt in prompting.prompts().values():
        if entry.values["label"] in (prompt.label, prompt.name):
            yield entry.problem("a prompt of WikiContradict has it. Choose another.", "label")
        if body["name"] == prompt.name:
            yield entry.problem("a prompt of WikiContradict has its key. Choose another.", "name")


def _tag_rules(declaration: Declaration, entry: Entry) -> Problems:
    for name in entry.values.get("tags", {}):
        if not NAME.fullmatch(name) or name in (*AXES, *declaration.fields):
            message = f"{name!r} is a field or an axis of tables, or no name. Choose another."
            yield entry.problem(message, "tags")


def _list_rules(declaration: Declaration, entry: Entry, places: Places) -> Problems:
    """No place is beyond the options, in the list whose letters they are."""
    count = len(entry.values.get("options", ()))
    lettered = {field.of for field in declaration.fields.values() if field.type == FieldType.LETTER}
    for place in places.of_text(entry.values["text"]):
        name, _, number = place.partition(".")
        if count and number and name in lettered and int(number) > count:
            yield entry.problem(f"the prompt has {count} options, and shows {{{place}}}.", "text")


def _shuffle_rules(entry: Entry, body: Mapping[str, Any], places: Places) -> Problems:
    shuffled = body["shuffle"]
    shown = Counter(places.of_text(body["template"]))
    if shuffled and len(shuffled) < 2:
        yield entry.problem("name two passages or more.", "shuffle")
    for name in shuffled:
        if name not in places.passages or shown[name] != 1:
            yield entry.problem(f"{name!r} is no passage that the text has once.", "shuffle")
    if len(body["last"]) != len(shuffled):
        yield entry.problem("write a word for each passage of shuffle, in their order.", "last")


def _check_rules(entry: Entry) -> Problems:
    values = entry.values
    if "check" in values and "second" in values:
        yield entry.problem("a prompt has a second turn or a check. Leave one out.", "check")
    if "check" in values and values.get("answer") == Form.SCORES:
        yield entry.problem("the answer is read from the first reply alone. Leave it out.", "check")


def _reading_rules(entry: Entry) -> Problems:
    values = entry.values
    for name in READING:
        if name in values and values.get("answer") in WITH_OPTIONS:
            yield entry.problem("the answer is an option, and is read whole. Leave it out.", name)
    if (text := values.get("abstain", "")) != text.strip():
        yield entry.problem(
            "an answer is read without blanks round it. Write none here.", "abstain"
        )


def _label_problems(entry: Entry) -> Problems:
    if (labels := entry.values.get("labels")) is None:
        return
    wanted = len(entry.values.get("shows", ())) + 1
    if entry.values.get("answer") != GIVEN:
        yield entry.problem("labels needs the answer given.", "labels")
    elif len(labels) != wanted:
        yield entry.problem(
            f"write {wanted}: one for each field of shows, and one for the given text.", "labels"
        )


def _given_rules(declaration: Declaration, entry: Entry) -> Problems:
    values, is_given = entry.values, entry.values.get("answer") == GIVEN
    for name in ("given", "by", "shows"):
        if (name in values) != is_given:
            message = "is missing: the answer is given." if is_given else "needs the answer given."
            yield entry.problem(f"{name} {message}", name)
    yield from _label_problems(entry)
    named = [("given", values.get("given", "")), *(("shows", x) for x in values.get("shows", ()))]
    for key, name in named:
        if name and (name not in declaration.fields or not declaration.fields[name].is_text):
            yield entry.problem(f"{name!r} is no field that holds a text.", key)
    if is_given:
        for name in SENT:
            if name in values:
                yield entry.problem("no model is asked. Leave it out.", name)
        if "{" in values["text"]:
            message = "nothing is sent, so the text has no places. Name the fields in shows."
            yield entry.problem(message, "text")
