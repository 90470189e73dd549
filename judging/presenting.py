"""What a blind person is shown: an allow-list of fields, filled from rows.

The fields of SlotView and of the ResponseView in it reach HTML and JSON, and nothing else. The model, its service and
run, tokens, latency, times, other verdicts and row ids are not among them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import prefetch_related_objects
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from datasets.contexts import context_1, context_2, is_same
from datasets.models import Contradiction
from generation import prompt_versions
from generation.inference import chat
from generation.models import Response
from generation.prompts.places import places_of
from generation.prompts.prompting import Prompt
from generation.prompts.rendering import texts_of
from judging.models import JudgingSlot, Study, StudyItem
from judging.rules import rubric
from judging.rules.rubric import GoldAnswer, ParsedRubric, PromptCriteria
from judging.rules.verdict_scale import Verdict
from judging.settling import seats_of
from judging.states import SlotState
from pages.templatetags.components import phrase
from protocols.declaration import ORIGINS, WIKICONTRADICT

BOTH_THE_SAME = "1 and 2, the same"
MOST_NAMED = 80  # characters of a text in a message


@dataclass(frozen=True)
class Passage:
    """One passage as the prompt gave it. `name` is "1", "2", BOTH_THE_SAME, or what a protocol calls it."""

    name: str
    text: str

    @property
    def number(self) -> str:
        return self.name[0] if self.name in ("1", "2", BOTH_THE_SAME) else ""

    @property
    def heading(self) -> str:
        return f"Passage {self.name}" if self.number else self.name


@dataclass(frozen=True)
class VerdictChoice:
    """One button: its key on the keyboard, its criteria, and the warning to show with it."""

    key: str
    label: str
    tone: str
    hotkey: str
    criteria: tuple[str, ...]
    warning: str


@dataclass(frozen=True)
class ResponseView:
    """Everything that a blind person is shown of a response. A field added here is shown to judges.

    `is_given`: the text is one of the record, and the passages are to be read before it. What its prompt is called may
    say which text it is, so label and title are "". `heading` stands over the text, `origin` is one of ORIGINS. `check`
    asked whether the text holds; it is "" where none was sent. `language`: of the record.
    """

    question: str
    language: str
    is_given: bool
    gold: tuple[GoldAnswer, ...]
    passages: tuple[Passage, ...]
    text: str
    check: str
    check_reply: str
    finding: str
    cut_off: bool
    prompt_label: str
    prompt_title: str
    heading: str
    origin: str
    rules: tuple[str, ...]
    choices: tuple[VerdictChoice, ...]

    @property
    def asked(self) -> str:
        return "Question" if self.is_given else f"Prompt {self.prompt_label}: {self.prompt_title}"


@dataclass(frozen=True)
class SlotView:
    """Everything that a judge is shown of one slot: the response, and what this judge has entered.

    `slot` is a random id; `position` the place in this judge's own order, from 1; `version` counts
    the judge's own changes.
    """

    slot: str
    response: ResponseView
    verdict: str
    comment: str
    flagged: bool
    flag_note: str
    skip_reason: str
    state: str
    version: int
    position: int
    total: int

    @property
    def is_final(self) -> bool:
        return self.state in {SlotState.LOCKED, SlotState.WITHDRAWN}

    @property
    def choices_html(self) -> SafeString:
        return _choices_html(self.response.choices, self.verdict, self.is_final)

    @property
    def rules_html(self) -> SafeString:
        return _rules_html(self.response.rules)


# Half of an item's HTML is the criteria of its prompt: they are kept by what decides them.
@lru_cache(maxsize=256)
def _choices_html(choices: tuple[VerdictChoice, ...], verdict: str, is_final: bool) -> SafeString:
    shown = {"choices": choices, "verdict": verdict, "is_final": is_final}
    return render_to_string("judging/_choices.html", shown)


@lru_cache(maxsize=64)
def _rules_html(rules: tuple[str, ...]) -> SafeString:
    return render_to_string("judging/_rules.html", {"rules": rules})


@dataclass(frozen=True)
class AnonymousVerdict:
    """A judgment as those who resolve see it, without its judge and time; `verdict` None where it was skipped."""

    verdict: Verdict | None
    comment: str
    flagged: bool
    flag_note: str
    skip_reason: str


def response_view(response: Response, known: ParsedRubric) -> ResponseView:
    """What a blind person sees of a response: the question, the gold answers, the passages as given, the text."""
    criteria = known.prompts[response.prompt]
    asked = prompt_versions.find(response.prompt)
    return ResponseView(
        question=question_shown(response, asked),
        language=response.instance.contradiction.collection.language,
        is_given=bool(asked.given),
        gold=gold_shown(response, criteria, asked),
        passages=passages_given(response, asked),
        text=response.text,
        check=response.check_sent,
        check_reply=response.check_reply or "",
        finding=response.get_finding_display(),
        cut_off=response.finish_reason in chat.CUT_OFF,
        prompt_label="" if asked.given else criteria.label,
        prompt_title="" if asked.given else criteria.title,
        heading=asked.shown_as[-1] if asked.given else "Response",
        origin=ORIGINS.get(asked.origin, ""),
        rules=known.rules,
        choices=choices(known, criteria),
    )


def choices(known: ParsedRubric, criteria: PromptCriteria) -> tuple[VerdictChoice, ...]:
    """The verdict buttons for one prompt, in their order, with the keys 1, 2, 3, …"""
    allowed = [verdict for verdict in known.scale.offered if verdict.key in criteria.allowed]
    return tuple(
        VerdictChoice(
            key=verdict.key,
            label=verdict.label,
            tone=verdict.tone,
            hotkey=str(place),
            criteria=tuple(criteria.criteria[verdict.key]),
            warning=criteria.unusual.get(verdict.key, ""),
        )
        for place, verdict in enumerate(allowed, start=1)
    )


def gold_shown(
    response: Response, criteria: PromptCriteria, asked: Prompt | None
) -> tuple[GoldAnswer, ...]:
    """The gold answers of a response to a prompt; raises RubricError where one that the prompt needs is missing.

    The answer of revised passages is the one stored with the response: they may be revised again later.
    """
    instance = response.instance
    revised = response.gold[0] if asked and asked.revised and response.gold else None
    return rubric.gold_answers(criteria, instance.answer_1, instance.answer_2, revised)


def question_shown(response: Response, asked: Prompt) -> str:
    """The record's question, or that of a prompt whose text is given."""
    return asked.template if asked.given else response.instance.question


def judged_word(study: Study) -> str:
    """What its judges judge, as in a sentence: texts where all are given, else responses."""
    if study.protocol_id is None:
        return "response"
    names = study.items.order_by().values_list("response__prompt", flat=True).distinct()
    is_given = [bool(prompt.given) for prompt in prompt_versions.known(set(names)).values()]
    return "text" if is_given and all(is_given) else "response"


def label_prompts(study: Study, items: Iterable[StudyItem]) -> None:
    """The `prompt_label` of items in a list, as response_view has it: none of a given text."""
    bodies: dict[int | None, Any] = dict(study.rounds.values_list("pk", "rubric__body"))
    for item in items:
        asked = bodies[item.round_id]["prompts"][item.response.prompt]
        item.prompt_label = "" if item.is_given else asked["label"]


def read_records(responses: Collection[Response]) -> None:
    """Read at once what passages_given needs of declared records; responses to one share its fields."""
    prompts = prompt_versions.known({row.prompt for row in responses})
    of = {name for name, prompt in prompts.items() if prompt.protocol != WIKICONTRADICT}
    declared = [row for row in responses if row.prompt in of]
    prefetch_related_objects(declared, "instance__contradiction__collection__protocol")
    bare = [row.instance.contradiction for row in declared]
    bare = [record for record in bare if "fields" in record.get_deferred_fields()]
    read = Contradiction.objects.only("fields").in_bulk({record.pk for record in bare})
    for record in bare:
        record.fields = read[record.pk].fields


def _declared_passages(response: Response, asked: Prompt) -> tuple[Passage, ...]:
    """The fields that a prompt shows, or the passages in its text, in the order that was drawn."""
    contradiction = response.instance.contradiction
    declaration = contradiction.collection.declaration
    places = places_of(declaration)
    named = dict.fromkeys(places.of_text(asked.template + asked.later))
    drawn = [*(response.drawn or {}).get("order", ())]
    shown = asked.shows or [
        drawn.pop(0) if place in asked.shuffle and drawn else place
        for place in named
        if place in places.passages
    ]
    texts = texts_of(declaration, contradiction.fields or {}, shown)
    titles = asked.shown_as if asked.given else [declaration.fields[name].title for name in texts]
    return tuple(Passage(name, text) for name, text in zip(titles, texts.values(), strict=False))


def passages_given(response: Response, asked: Prompt) -> tuple[Passage, ...]:
    """The passages that the prompt showed, in its order; one where both answers come from the same passage."""
    if asked.protocol != WIKICONTRADICT:
        return _declared_passages(response, asked)
    contradiction = response.instance.contradiction
    texts = dict(enumerate(contexts_given(response), start=1))
    numbers = asked.passages
    if len(numbers) > 1 and is_same(contradiction):
        return (Passage(BOTH_THE_SAME, texts[1]),)
    return tuple(Passage(str(number), texts[number]) for number in numbers)


def contexts_given(response: Response) -> tuple[str, str]:
    """Both passages as this model was given them, also where the prompt showed only one."""
    if response.passages:
        passage_1, passage_2 = response.passages
        return passage_1, passage_2
    contradiction = response.instance.contradiction
    return context_1(contradiction), context_2(contradiction)


def said_of(item: StudyItem, words: str, *, goes_on: bool) -> SafeString:
    """A message about a response, by its words and its question: it may stand over another response to the same one."""
    text = " ".join(item.response.text.split()) or item.response.get_finding_display()
    named = [Truncator(text).chars(MOST_NAMED)]
    if not item.is_given:
        named.append(Truncator(item.response.instance.question).chars(MOST_NAMED))
    quoted = format_html_join(", to ", "“{}”", ((phrase(one),) for one in named))
    following = " This is the next one." if goes_on else ""
    return format_html("On {}: {}{}", quoted, words, following)


def slot_view(slot: JudgingSlot, known: ParsedRubric, total: int) -> SlotView:
    """One slot as its judge sees it; `total` is how many slots this judge has in the round."""
    judgment = getattr(slot, "judgment", None)
    return SlotView(
        slot=str(slot.pk),
        response=response_view(slot.item.response, known),
        verdict=judgment.verdict if judgment else "",
        comment=judgment.comment if judgment else _comment_taken_back(slot),
        flagged=slot.flagged,
        flag_note=slot.flag_note,
        skip_reason=slot.skip_reason,
        state=slot.state,
        version=slot.version,
        position=slot.order + 1,
        total=total,
    )


@dataclass(frozen=True)
class JudgeEntry:
    """What a judge entered for an item: a verdict, or a reason for skipping it, or neither."""

    verdict: Verdict | None
    comment: str
    skip_reason: str


def both_entries(details: Any, known: ParsedRubric) -> dict[str, JudgeEntry]:
    """{"stored", "given"} of a change that was made from an older version; both are the judge's own."""
    verdicts = {verdict.key: verdict for verdict in known.scale.verdicts}
    return {
        side: JudgeEntry(**{**details[side], "verdict": verdicts.get(details[side]["verdict"])})
        for side in ("stored", "given")
    }


def _comment_taken_back(slot: JudgingSlot) -> str:
    """The comment of a verdict that its judge took back: the form shows it again."""
    if not slot.version:
        return ""  # nothing was ever taken back
    last = max(slot.events.all(), key=lambda event: event.pk, default=None)
    return last.comment if last and last.what == "undone" else ""


def anonymous_verdicts(item: StudyItem, known: ParsedRubric) -> list[AnonymousVerdict]:
    """The judgments on an item without names, in the order of their random slot ids, which reveals no judge."""
    slots = sorted(seats_of(item), key=lambda slot: str(slot.pk))
    return [_anonymous(slot, known) for slot in slots]


def verdicts_of_two(mine: JudgingSlot, known: ParsedRubric) -> list[AnonymousVerdict]:
    """What the judge of this slot and the other judge of its response gave: their own first."""
    slots = sorted(seats_of(mine.item), key=lambda slot: slot.pk != mine.pk)
    return [_anonymous(slot, known) for slot in slots]


def _anonymous(slot: JudgingSlot, known: ParsedRubric) -> AnonymousVerdict:
    judgment = getattr(slot, "judgment", None)
    verdict = judgment.first_verdict if judgment else None
    return AnonymousVerdict(
        verdict=known.scale[verdict] if verdict else None,
        comment=judgment.comment if judgment else "",
        flag_note=slot.flag_note,
        flagged=slot.flagged,
        skip_reason=slot.skip_reason,
    )
