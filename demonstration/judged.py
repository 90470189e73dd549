"""Two judges' verdicts on the demonstration's responses, and a third person's decisions (verdicts.json).

A verdict is stored with the sha256 of its response: if responses were recorded again, loading stops instead of
pairing a verdict with another text.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from accounts.models import Person
from demonstration.people import ADJUDICATOR, ADMIN, JUDGES
from generation.models import Response, Run
from judging import adjudication, studies, verdicts
from judging.models import JudgingSlot, Study
from judging.selections import Selection
from judging.settling import unresolved
from judging.studies import StudyDesign
from leases.refusal import Refusal

VERDICTS = Path(__file__).parent / "verdicts.json"
SEED = 1121

STUDY = "Demonstration"
OPEN_STUDY = "Demonstration: do the passages conflict?"
DRAFT_STUDY = "Demonstration: yours to judge"
# Disagreements of the closed study that are left to decide, for people who try the app.
LEFT_TO_DECIDE = 2
# In the open study, the number of items that each judge has judged; the next one is skipped, the rest wait.
JUDGED_SO_FAR = {"carys": 6, "dmitri": 4}
SKIPPED = "I want to read the two articles first; later."
FLAGGED_QUESTION = "Were the first settlers of Corvay Halmish or Vendrish?"
FLAGGED = "It says neither yes nor no. Is that incorrect, or should it be left out?"

Key = tuple[str, str, str]
People = Mapping[str, Person]
Verdicts = Mapping[Key, Mapping[str, Any]]


def load_studies(run: Run, control: Run, yours: Run, people: People) -> Study:
    """A closed study, an open one and a draft, each on a run of its own. Returns the closed one."""
    given = verdicts_on([run, control])
    closed = _closed(run, people, given)
    _open(control, people, given)
    # One judge for each response, so that a person who tries the app can be its only judge.
    _study(DRAFT_STUDY, yours, people, judges=1)
    return closed


def _study(name: str, run: Run, people: People, judges: int = 2) -> Study:
    design = StudyDesign(judges_per_response=judges, seed=SEED)
    return studies.create(name, Selection([run]), design, by=people[ADMIN])


def _closed(run: Run, people: People, given: Verdicts) -> Study:
    """A study judged by two people, and resolved by a third except for the last disagreements."""
    study = _study(STUDY, run, people)
    studies.open_study(study, [people[name] for name in JUDGES])
    for name in JUDGES:
        _judge(_slots(people[name], study), name, given)
        verdicts.hand_in(people[name], study)
    apart = list(unresolved(study).select_related("response__instance__contradiction"))
    for item in apart[:-LEFT_TO_DECIDE]:
        decided = given[_key(item.response)]["resolution"]
        adjudication.decide(item, by=people[ADJUDICATOR], **decided)
    studies.close_study(study)
    return study


def _open(run: Run, people: People, given: Verdicts) -> None:
    """A study of the control prompt with items left to judge, one skipped and one flagged."""
    study = _study(OPEN_STUDY, run, people)
    studies.open_study(study, [people[name] for name in JUDGES])
    for name, number in JUDGED_SO_FAR.items():
        mine = _slots(people[name], study)
        _judge(mine[:number], name, given)
        verdicts.skip(mine[number], SKIPPED)
        if name == JUDGES[0]:
            [odd] = [slot for slot in mine if _key(slot.item.response)[1] == FLAGGED_QUESTION]
            verdicts.flag(odd, True, FLAGGED)


def _slots(judge: Person, study: Study) -> list[JudgingSlot]:
    related = ("item__response__instance__contradiction", "round__study__rubric")
    mine = verdicts.slots_of(judge).filter(round__study=study)
    return list(mine.select_related(*related).order_by("order"))


def _judge(slots: Iterable[JudgingSlot], name: str, given: Verdicts) -> None:
    for slot in slots:
        entry = given[_key(slot.item.response)][name]
        verdicts.give(slot, entry["verdict"], comment=entry["comment"])


def verdicts_on(runs: Iterable[Run]) -> Verdicts:
    """The verdicts by response. Raises Refusal unless they are on exactly the runs' responses."""
    kept = json.loads(VERDICTS.read_text(encoding="utf-8"))["verdicts"]
    given = {(entry["title"], entry["question"], entry["prompt"]): entry for entry in kept}
    responses = Response.objects.filter(run__in=runs).select_related("instance__contradiction")
    texts = {_key(of): sha256(of.text.encode()).hexdigest() for of in responses}
    if texts != {key: entry["text_sha256"] for key, entry in given.items()}:
        raise Refusal(
            "The verdicts in demonstration/verdicts.json are on other responses than those recorded. "
            "Give them anew, by the rubric."
        )
    return given


def _key(response: Response) -> Key:
    instance = response.instance
    return instance.contradiction.title, instance.question, response.prompt
