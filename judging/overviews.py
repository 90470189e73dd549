"""What a study's page lists beside its counts: for those who do not judge in it."""

from dataclasses import dataclass

from judging import rubric
from judging.models import JudgingSlot, Study, StudyItem
from judging.settling import first_verdicts, unresolved


@dataclass(frozen=True)
class UnresolvedRow:
    """A response that waits for a third person, with what its judges said."""

    item: StudyItem
    prompt_label: str
    verdicts: tuple[str, ...]


def unresolved_rows(study: Study) -> list[UnresolvedRow]:
    known = rubric.parse(study.rubric.body)
    items = unresolved(study).select_related("response__instance__contradiction", "response__model")
    return [
        UnresolvedRow(
            item,
            known.prompts[item.response.prompt].label,
            tuple(known.label(given) if given else "No verdict" for given in first_verdicts(item)),
        )
        for item in items
    ]


def naming(study: Study) -> list[StudyItem]:
    """The responses that give their own model away, so that their judges were not blind."""
    found = study.items.filter(names_its_model=True)
    return list(found.select_related("response__instance", "response__model"))


def flagged(study: Study) -> list[JudgingSlot]:
    """What judges flagged or skipped, with their words."""
    slots = JudgingSlot.objects.filter(round__study=study)
    marked = slots.filter(flagged=True) | slots.exclude(skip_reason="")
    return list(marked.select_related("judge", "item__response__instance"))
