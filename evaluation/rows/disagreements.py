"""Looking at disagreements one by one: two judges' verdicts on a response, side by side."""

from collections.abc import Mapping

from django.db.models import F

from evaluation.counts.first_verdicts import first_judged
from evaluation.rows.choice import FIRST, NO, YES, ResponseChoice
from evaluation.rows.filters import RowsFilter, filter_of, of_responses, verdicts_of
from generation import prompt_versions
from judging.models import JudgingSlot, Study, StudyItem
from judging.presenting import Passage, contexts_given, passages_given


def read_choice(query: Mapping[str, str], study: Study) -> ResponseChoice:
    """The choice among first verdicts; without a named verdict, those that differ.

    `judges` names two people in one value (see filters); judge_1 and judge_2 may come in either order.
    """
    given = {name: query.get(name, "") for name in ResponseChoice.__dataclass_fields__}
    for both in pairs_of(study):
        if _value(both) == query.get("judges"):
            given["judge_1"], given["judge_2"] = both
    if given["judge_1"] and given["judge_2"] and given["judge_1"] > given["judge_2"]:
        given["judge_1"], given["judge_2"] = given["judge_2"], given["judge_1"]
        given["first_1"], given["first_2"] = given["first_2"], given["first_1"]
    given["of"] = FIRST
    if not (given["differ"] or given["first_1"] or given["first_2"]):
        given["differ"] = YES
    return ResponseChoice.from_query(given, study)


def pairs_of(study: Study) -> list[tuple[str, str]]:
    """Each two people who judged some response both in one round, in the order of their pseudonyms."""
    pairs = first_judged(study).filter(
        item__slots__round=F("round"),
        item__slots__repeat=1,
        item__slots__judge__pseudonym__gt=F("judge__pseudonym"),
        item__slots__judgment__first_verdict__isnull=False,
    )
    names = pairs.order_by().values_list("judge__pseudonym", "item__slots__judge__pseudonym")
    return sorted(names.distinct())


def _value(both: tuple[str, str]) -> str:
    return " | ".join(both)


def filters(study: Study, choice: ResponseChoice) -> list[RowsFilter]:
    """The lists above the responses, with what is chosen."""
    pairs = [(_value(both), " and ".join(both)) for both in pairs_of(study)]
    shown = [(YES, "Where they differ"), (NO, "Every pair of verdicts")]
    chosen = _value((choice.judge_1, choice.judge_2))
    first, second = choice.judge_1 or "one judge", choice.judge_2 or "the other"
    verdicts = verdicts_of(study)
    return [
        filter_of("judges", "Judges", "Any two", pairs, chosen),
        *_of_rounds(study, choice),
        *of_responses(study, choice),
        filter_of("first_1", f"First verdict of {first}", "Any", verdicts, choice.first_1),
        filter_of("first_2", f"First verdict of {second}", "Any", verdicts, choice.first_2),
        filter_of("differ", "Show", "", shown, choice.differ or NO),
    ]


def _of_rounds(study: Study, choice: ResponseChoice) -> list[RowsFilter]:
    rounds = [str(n) for n in study.rounds.order_by("n").values_list("n", flat=True)]
    if len(rounds) < 2:
        return []
    return [filter_of("round", "Round", "All", [(n, n) for n in rounds], choice.round)]


def passages(item: StudyItem) -> tuple[Passage, ...]:
    """What the model was given to read; both passages for a prompt that this project does not have."""
    if asked := prompt_versions.known([item.response.prompt]).get(item.response.prompt):
        return passages_given(item.response, asked)
    first, second = contexts_given(item.response)
    return Passage("1", first), Passage("2", second)


def side_by_side(slots: list[JudgingSlot], choice: ResponseChoice) -> list[JudgingSlot]:
    """The closed slots of a response, those of the two chosen judges first."""
    order = {choice.judge_1: 0, choice.judge_2: 1}

    def place(slot: JudgingSlot) -> tuple[int, str]:
        pseudonym = slot.judge.pseudonym if slot.judge else ""
        return order.get(pseudonym, 2), pseudonym

    return sorted(slots, key=place)
