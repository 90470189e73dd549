"""Open studies of KNOT, of hypothetical statements and of the tutorial, in which all that is hidden bears a mark."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accounts.models import Person
from datasets.declared.records import parse_declared
from datasets.models import Collection, Instance
from datasets.records import add_contradiction, read_draft
from generation import protocol_prompts, runs
from generation.models import Run
from judging import rubric_versions, studies, verdicts
from judging.models import Study
from protocols.installed import install, use
from protocols.models import Protocol
from protocols.shipped import file_of
from tests.judging import declared
from tests.judging import factories as judging

CLAIMS = Path(__file__).resolve().parents[3] / "docs" / "own-study" / "claims.toml"
MODEL, RUN, SHOWN = "zqmodel-7b", "zqsecretrun", "zqshown"


@dataclass(frozen=True)
class Judged:
    """A study over one record: the rubric, the prompts of given texts and those that a model has answered."""

    protocol: str
    record: dict[str, Any]
    rubric: str
    given: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()


OTHERS = (
    Judged(
        "knot",
        {
            "id": "zq-id",
            "level": "explicit",
            "passage": f"{SHOWN} passage",
            "question": "zq-asked",
            "answer": "zq-answer",
            "answer_aliases": ["zq-answer", "zq-alias"],
            "memorised_aliases": ["zq-memorised"],
            "conflict": f"{SHOWN} fact",
            "prototype": "zq-prototype",
        },
        "knot-filter",
        given=("conflict-present",),
    ),
    Judged(
        "hypotheticals",
        {
            "base": "zq-base",
            "condition": "imaginary",
            "form": "modal",
            "context": f"{SHOWN} context",
            "question": f"{SHOWN} question",
            "golds": ["zq-gold"],
        },
        "hypotheticals-errors",
        answered=("basic-1-uncontrolled",),
    ),
    Judged(
        "claims",
        {
            "id": "zq-key",
            "claim": f"{SHOWN} claim",
            "source": "diary",
            "passage": f"{SHOWN} text",
        },
        "claims-stance",
        given=("people",),
        answered=("model",),
    ),
)
# The models' answers of a protocol in whose study people judge a text of the record alone.
UNJUDGED = "zq-unjudged"
MARKS = (
    *("zq-id", "zq-asked", "zq-answer", "zq-alias", "zq-memorised", "zq-prototype"),
    *("zq-base", "zq-gold", "zq-key", UNJUDGED),
)
AUTHORS = ("gpt-3.5-turbo", "authors of the passages")


def open_studies(judges: list[Person]) -> Iterator[str]:
    """Opens them, each judged in part by the last of the judges; gives further addresses to visit."""
    for other in OTHERS:
        study, run = _opened(other, judges)
        for slot in judging.slots(study, judges[-1])[:1]:
            verdicts.give(slot, study.rubric.body["verdicts"][0]["key"], comment="Own.")
        yield from (
            f"/protocols/{other.protocol}/1/",
            f"/protocols/{other.protocol}/1/file/",
            f"/collections/{other.protocol}/",
            f"/collections/{other.protocol}/export/{other.protocol}/",
            f"/collections/{other.protocol}/export/complete/",
            f"/runs/{run.pk}/",
            f"/runs/{run.pk}/responses/",
            f"/runs/{run.pk}/responses.csv",
            f"/reports/{study.pk}/",
            f"/studies/{study.pk}/",
        )


def _opened(other: Judged, judges: list[Person]) -> tuple[Study, Run]:
    about = _asked(protocol := _installed(other.protocol), other)
    prompts = protocol_prompts.of_protocol(protocol)
    model = judging.language_model(MODEL)
    collection = about.contradiction.collection
    if other.given:
        asked = [prompts[name] for name in other.given]
        run, _ = runs.create(collection=collection, models=[], prompts=asked)
    else:
        run = judging.run()
    keys = [prompts[name].name for name in (*other.given, *other.answered)]
    Run.objects.filter(pk=run.pk).update(name=RUN, collection=collection, prompts=keys)
    text = UNJUDGED if other.given else f"{SHOWN} reply"
    for name in other.answered:
        judging.response(run, about, prompts[name].name, model, text=text)
    rubrics = rubric_versions.versions(other.protocol)
    rubric = rubrics.get(name=other.rubric)
    study = declared.draft(
        Run.objects.get(pk=run.pk), name=f"Study of {other.protocol}", rubric=rubric
    )
    studies.open_study(study, judges)
    return study, run


def _installed(name: str) -> Protocol:
    data = CLAIMS.read_bytes() if name == "claims" else file_of(name)
    row = install(data, f"{name}.toml")[0]
    use(row)
    return row


def _asked(protocol: Protocol, other: Judged) -> Instance:
    collection = Collection.objects.create(name=other.protocol, protocol=protocol)
    draft = read_draft(parse_declared(protocol.declaration, other.record))
    add_contradiction(collection=collection, draft=draft)
    return Instance.objects.get(contradiction__collection=collection)
