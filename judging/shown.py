"""Turning rows into what judges and third persons are shown. The allow-lists are visibility.py's."""

from datasets.contexts import context_1, context_2, is_same
from generation import prompting
from generation.models import Response
from judging import rubric
from judging.models import JudgingSlot, StudyItem
from judging.rubric import GoldAnswer, PromptCriteria, Rubric
from judging.settling import seats_of
from judging.visibility import AnonymousVerdict, Passage, ResponseView, SlotView, choices

# The finish reasons by which services say that the limit of tokens cut a reply off.
CUT_OFF = ("length", "max_tokens")


def response_view(response: Response, known: Rubric) -> ResponseView:
    """What anybody blind may see of a response: the question, the gold, the passages as given, the text."""
    asked = known.prompts[response.prompt]
    return ResponseView(
        question=response.instance.question,
        gold=gold_shown(response, asked),
        passages=passages_given(response),
        text=response.text,
        cut_off=response.finish_reason in CUT_OFF,
        prompt_label=asked.label,
        prompt_title=asked.title,
        rules=known.rules,
        choices=choices(known, asked),
    )


def gold_shown(response: Response, asked: PromptCriteria) -> tuple[GoldAnswer, ...]:
    """The gold answers of a response; raises RubricError where one that the prompt needs is missing.

    What revised passages now give was stored with the response: they may be revised anew.
    """
    instance, known = response.instance, prompting.prompts().get(response.prompt)
    revised = response.gold[0] if known and known.revised and response.gold else None
    return rubric.gold_answers(asked, instance.answer_1, instance.answer_2, revised)


def passages_given(response: Response) -> tuple[Passage, ...]:
    """The passages that the prompt showed, in its order; one where both answers come from the same."""
    contradiction = response.instance.contradiction
    texts = dict(enumerate(contexts_given(response), start=1))
    numbers = prompting.find(response.prompt).passages
    if len(numbers) > 1 and is_same(contradiction):
        return (Passage("1 and 2, the same", texts[1]),)
    return tuple(Passage(str(number), texts[number]) for number in numbers)


def contexts_given(response: Response) -> tuple[str, str]:
    """Both passages in the words that this model was given, whichever of them the prompt showed."""
    if response.passages:
        one, two = response.passages
        return one, two
    contradiction = response.instance.contradiction
    return context_1(contradiction), context_2(contradiction)


def slot_view(slot: JudgingSlot, known: Rubric, total: int) -> SlotView:
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
        position=slot.order + 1,
        total=total,
    )


def _comment_taken_back(slot: JudgingSlot) -> str:
    """The comment of a verdict that its judge took back: its words are still theirs."""
    last = max(slot.events.all(), key=lambda event: event.pk, default=None)
    return last.comment if last and last.what == "undone" else ""


def anonymous_verdicts(item: StudyItem, known: Rubric) -> list[AnonymousVerdict]:
    """The judgments on an item without names, in an order (of random slot ids) that says nothing."""
    slots = sorted(seats_of(item), key=lambda slot: str(slot.pk))
    return [_anonymous(slot, known) for slot in slots]


def _anonymous(slot: JudgingSlot, known: Rubric) -> AnonymousVerdict:
    judgment = getattr(slot, "judgment", None)
    verdict = judgment.first_verdict if judgment and judgment.first_verdict else ""
    return AnonymousVerdict(
        verdict=verdict,
        label=known.label(verdict) if verdict else "No verdict",
        comment=judgment.comment if judgment else "",
        flag_note=slot.flag_note,
        flagged=slot.flagged,
        skip_reason=slot.skip_reason,
    )
