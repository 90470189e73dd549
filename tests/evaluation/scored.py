"""Studies of scored responses over invented records of ConflictBank."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from datasets.models import Instance
from generation.models import OptionScore, Response, Run
from generation.prompts.prompting import Prompt
from generation.states import ResponseState, RunState
from judging import rubric_versions, studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from tests import conflictbank
from tests.evaluation.factories import judge_all
from tests.factories import person
from tests.judging.declared import open_study, prompts
from tests.judging.factories import judge, language_model

FIELDS = {
    "original": "correct_option",
    "counter": "replace_option",
    "uncertain": "uncertain_option",
}
CAUSES = ("misinformation", "temporal", "semantic")
# Prompts without evidence, with the default one, with one conflicting piece, and with two in random order.
PROMPTS = ("no-evidence", "default", *CAUSES, "two-misinformation-shuffled")
# Of a prompt and the number of a record, from 0: the label of the answer, or a state of the response.
Answers = Callable[[str, int], str]


def usual(prompt: str, n: int) -> str:
    """Original without evidence but for every sixth, and with the default one; on the others by the record."""
    if prompt == "no-evidence":
        return "other" if n % 6 == 5 else "original"
    if prompt == "default":
        return "original"
    return ("counter", "original", "counter", "undecided", "uncertain")[(n + len(prompt)) % 5]


def answered(
    n: int = 12,
    models: Iterable[str] = ("quokka", "wombat"),
    asked: Iterable[str] = PROMPTS,
    answers: Answers = usual,
    name: str = "Scored",
    into: str = "conflicts",
) -> Run:
    """A run over n records; a state in place of a label is that of the response."""
    collection = conflictbank.collection(n, into)
    run = Run.objects.create(name=name, collection=collection, state=RunState.DONE)
    questions = list(
        Instance.objects.filter(contradiction__collection=collection)
        .select_related("contradiction")
        .order_by("contradiction__position")
    )
    known = prompts()
    rows = [
        _response(run, question, model, known[prompt], answers(prompt, place), place)
        for model in models
        for prompt in asked
        for place, question in enumerate(questions)
    ]
    Response.objects.bulk_create(rows)
    _store_masses(run)
    return run


def _response(run: Run, about: Instance, model: str, known: Prompt, label: str, n: int) -> Response:
    record: Mapping[str, Any] = about.contradiction.fields
    states = {"failed": ResponseState.FAILED, "waiting": ResponseState.PENDING}
    conflict = "misinformation_conflict_evidence_evidence"
    order = ["default_evidence", conflict][:: 1 if n % 3 else -1]
    return Response(
        run=run,
        instance=about,
        model=language_model(model),
        prompt=known.name,
        prompt_hash=known.sha256,
        rendered="Q",
        scored=["A", "B", "C", "D"],
        state=states.get(label, ResponseState.DONE),
        finding=label if label in ("undecided", "skipped") else "",
        text=record[FIELDS[label]] if label in FIELDS else _other(record, label),
        drawn={"order": order} if known.shuffle else None,
    )


def _other(record: Mapping[str, Any], label: str) -> str:
    """The letter that no label names; none of a response without a choice."""
    taken = {record[field] for field in FIELDS.values()}
    return next(letter for letter in "ABCD" if letter not in taken) if label == "other" else ""


def _store_masses(run: Run) -> None:
    """All options of most responses; of every seventh one was not returned."""
    rows = Response.objects.filter(run=run, state=ResponseState.DONE).order_by("pk")
    OptionScore.objects.bulk_create(
        OptionScore(
            response=response,
            option=option,
            mass=None if n % 7 == 6 and option == "D" else 0.6 if option == response.text else 0.1,
        )
        for n, response in enumerate(rows)
        for option in "ABCD"
    )


def scored_study(run: Run | None = None, name: str = "Scored", **design: Any) -> Study:
    """A study without judges, which is closed."""
    admin = person(f"admin-of-{name}".lower())
    made = studies.create(
        name,
        Selection([run or answered()]),
        StudyDesign(**{"judges_per_response": 0, "seed": 7, **design}),
        by=admin,
    )
    studies.open_study(made, [])
    return Study.objects.get(pk=made.pk)


def judged_study(into: str = "conflicts") -> Study:
    """A closed study of the same kind that two people have judged."""
    run = answered(asked=("no-evidence", "default", "misinformation"), into=into)
    version = rubric_versions.current("conflictbank")
    one = next(iter(version.body["prompts"].values()))
    known = prompts()
    asked = {known[name].name: one for name in ("no-evidence", "default", "misinformation")}
    body = {**version.body, "prompts": {**version.body["prompts"], **asked}}
    rubric = rubric_versions.save(body, newest=version.version, by=judge("rubi"))
    study = judge_all(
        open_study("alice", "bob", run=run, rubric=rubric),
        lambda who, slot: "no" if slot.item.position % (3 if who == "bob" else 4) == 0 else "yes",
    )
    studies.close_study(study)
    return Study.objects.get(pk=study.pk)
