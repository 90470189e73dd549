"""Lists of responses with their verdicts, and the choice that they follow, in words."""

from collections.abc import Iterable, Mapping

from django.db.models import BooleanField, ExpressionWrapper, Prefetch, Q, QuerySet

from evaluation.counts.machine_verdicts import REPLIES
from evaluation.counts.naming import model_names, models_of, prompt_entry
from evaluation.rows import scored_choice
from evaluation.rows.choice import LABELLED, NO, REPLIED, YES, ResponseChoice
from evaluation.shapes.verdict_tables import SLICE_LABELS
from evaluation.statistics import tables
from judging.machine.scope import COUNTS, ITSELF, by_version
from judging.models import Holds, JudgingSlot, MachineVerdict, Study, StudyItem
from judging.rules.halves import DEVELOPMENT, HELD_OUT
from judging.rules.resolution import CAUSES
from judging.settling import LACKS_VERDICTS

HALF_WORDS = {HELD_OUT: "in the held-out half", DEVELOPMENT: "in the development half"}
MATCHES = {YES: "the same as the final verdict", NO: "another than the final verdict, or none"}


def with_verdicts(items: QuerySet[StudyItem]) -> QuerySet[StudyItem]:
    """The items with all that a page of rows shows: first verdicts of closed slots, judge models' replies."""
    related = (
        "resolution__resolved_by", "response__model", "response__instance__contradiction__collection",
    )  # fmt: skip
    closed = JudgingSlot.objects.filter(judgment__first_verdict__isnull=False)
    slots = closed.select_related("judge", "judgment", "round").order_by(
        "round__n", "seat", "repeat"
    )
    machine_verdicts = MachineVerdict.objects.select_related("judge__model", "rubric")
    replied = machine_verdicts.prefetch_related("calls").filter(state__in=REPLIES)
    replied = by_version(replied).annotate(counts=COUNTS, itself=ITSELF)
    replied = replied.order_by("judge__pseudonym", "pk")
    lacks = ExpressionWrapper(LACKS_VERDICTS & Q(resolution=None), BooleanField())
    return (
        items.select_related(*related)
        .annotate(is_incomplete=lacks)
        .prefetch_related(
            Prefetch("slots", queryset=slots, to_attr="closed_slots"),
            Prefetch("machine_verdicts", queryset=replied, to_attr="replied"),
        )
    )


def with_prompts(
    study: Study, items: Iterable[StudyItem]
) -> list[tuple[StudyItem, str, dict[str, str]]]:
    """Each item with its prompt's label and title, and with its scores if it has any."""
    rows = list(items)
    words = {name: prompt_words(name) for name in {item.response.prompt for item in rows}}
    scores = scored_choice.scores_of(study, rows)
    return [(item, words[item.response.prompt], scores.get(item.position, {})) for item in rows]


def prompt_words(name: str) -> str:
    prompt = prompt_entry(name)
    return f"{prompt['label']}: {prompt['title']}"


def in_words(choice: ResponseChoice, study: Study) -> list[tuple[str, str]]:
    """The choice as (what, value) for the page's head."""
    names = model_names(models_of(study))
    labels = (study.judged_by.scale.labels if study.is_judged else {}) | {
        tables.UNLABELLED: "No final verdict",
        tables.INCOMPLETE: "None: the study closed before all its judges came to it",
        LABELLED: "Any final verdict",
        "": "any",
    }
    parts = [
        ("Prompt", prompt_words(choice.prompt) if choice.prompt else ""),
        ("Model", _model(choice.model, names)),
        ("Reasoning", SLICE_LABELS.get(choice.slice, "")),
        ("Final verdict", labels[choice.verdict] if choice.verdict else ""),
        (
            f"First verdict of {choice.judge_1 or 'one'}",
            _first(choice.judge_1, choice.first_1, labels),
        ),
        ("Judge model", _judge_model(choice, study)),
        ("Its reply", _reply(choice.said, labels)),
        ("Its reply holds", Holds(choice.holds).label if choice.holds else ""),
        ("Written by", "the judge model itself" if choice.itself else ""),
        ("Asked by", "a version of the rubric that no longer counts" if choice.other else ""),
        (study.declaration.cluster_word.capitalize(), HALF_WORDS.get(choice.half, "")),
        ("Also judged of model", _model(choice.with_model, names)),
        ("Also judged on prompt", prompt_words(choice.with_prompt) if choice.with_prompt else ""),
        ("Its verdict", MATCHES.get(choice.match, "")),
        ("Given by people or by it", labels[choice.either] if choice.either else ""),
        (
            f"First verdict of {choice.judge_2 or 'the other'}",
            _first(choice.judge_2, choice.first_2, labels),
        ),
        ("Round", choice.round),
        ("First verdicts", "not the same" if choice.differ == YES else ""),
        ("Judge", choice.judge),
        ("Cause of disagreement", CAUSES.get(choice.cause, "")),
        ("Words in comments", choice.words),
        ("Score", _pairs(choice.scored)),
        ("On the axes of tables", _pairs(choice.where)),
        ("Prompt tag", _pairs(choice.tag)),
        ("Population", choice.within),
    ]
    return [(what, value) for what, value in parts if value]


def _pairs(given: str) -> str:
    found = scored_choice.pairs(given).items()
    return "; ".join(f"{name}: {' or '.join(v or 'any' for v in values)}" for name, values in found)


def _model(given: str, names: Mapping[int, str]) -> str:
    return names.get(int(given), "none of this study's") if given else ""


def _judge_model(choice: ResponseChoice, study: Study) -> str:
    if not choice.judge_model:
        return ""
    judge = study.judges.filter(pk=int(choice.judge_model)).first()
    return judge.pseudonym if judge else "none of this study's"


def _reply(reply: str, labels: Mapping[str, str]) -> str:
    if reply in (tables.UNPARSED, REPLIED):
        return "No verdict in the reply" if reply == tables.UNPARSED else "Anything"
    return labels[reply] if reply else ""


def _first(judge: str, verdict: str, labels: Mapping[str, str]) -> str:
    return labels[verdict] if judge or verdict else ""
