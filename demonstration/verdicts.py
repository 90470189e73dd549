"""Two readings of the demonstration's responses by the rubric, and what a third person decided (verdicts.json).

A verdict is kept with the sha256 of the response it was given on: where responses were recorded anew, loading
stops instead of pairing a verdict with another text.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accounts.models import Person
from demonstration.people import ADJUDICATOR, ADMIN, JUDGES
from demonstration.responses import sha256
from generation.models import Response, Run
from judging import adjudication, studies, verdicts
from judging.models import Study
from judging.settling import unresolved
from judging.studies import Design, Selection
from leases.refusal import Refusal

VERDICTS = Path(__file__).parent / "verdicts.json"
STUDY = "Demonstration"
SEED = 1121

Key = tuple[str, str, str]


def load_study(run: Run, people: Mapping[str, Person]) -> Study:
    """A closed study over the run: judged by two, handed in, resolved by a third person, as it is done in use."""
    given = _given(run)
    study = studies.create(STUDY, Selection([run]), Design(seed=SEED), by=people[ADMIN])
    studies.open_study(study, [people[name] for name in JUDGES])
    for name in JUDGES:
        _judge(study, people[name], {key: entry[name] for key, entry in given.items()})
    for item in unresolved(study).select_related("response__instance__contradiction"):
        decided = given[key_of(item.response)]["resolution"]
        adjudication.decide(item, by=people[ADJUDICATOR], **decided)
    studies.close_study(study)
    return study


def _judge(study: Study, judge: Person, given: Mapping[Key, Mapping[str, str]]) -> None:
    related = ("item__response__instance__contradiction", "round__study__rubric")
    mine = verdicts.slots_of(judge).filter(round__study=study).select_related(*related)
    for slot in mine.order_by("order"):
        entry = given[key_of(slot.item.response)]
        verdicts.give(slot, entry["verdict"], comment=entry["comment"])
    verdicts.hand_in(judge, study)


def _given(run: Run) -> dict[Key, dict[str, Any]]:
    """The verdicts by response. Raises Refusal unless they are on exactly the run's responses."""
    kept = json.loads(VERDICTS.read_text(encoding="utf-8"))["verdicts"]
    given = {(entry["title"], entry["question"], entry["prompt"]): entry for entry in kept}
    responses = run.responses.select_related("instance__contradiction")
    texts = {key_of(response): sha256(response.text) for response in responses}
    if texts != {key: entry["text_sha256"] for key, entry in given.items()}:
        raise Refusal(
            "The verdicts in demonstration/verdicts.json are on other responses than those recorded. "
            "Give them anew, by the rubric."
        )
    return given


def key_of(response: Response) -> Key:
    instance = response.instance
    return instance.contradiction.title, instance.question, response.prompt
