"""A collection of canals, models to ask about them, and runs; as plain functions."""

import hashlib

from datasets.models import Collection, Contradiction, Instance
from generation import prompting, registry, runs
from generation.models import LanguageModel, Run

OPTIONS = {"temperature": 0, "max_tokens": 250, "system_message": None}


def canals(questions: int = 3, *, name: str = "canals", **fields: object) -> Collection:
    """A collection with one question about each canal; `fields` go into every contradiction."""
    collection = Collection.objects.create(name=name)
    for n in range(1, questions + 1):
        canal(collection, n, **fields)
    return collection


def canal(collection: Collection, n: int, **fields: object) -> Instance:
    contradiction = Contradiction.objects.create(
        collection=collection,
        position=n,
        external_id=hashlib.sha256(f"{collection.name} {n}".encode()).hexdigest(),
        title=f"Canal {n}",
        validity="Valid",
        **{
            "passage_1_copied": f"It is {n} km long.",
            "passage_1_standalone": f"Canal {n} is {n} km long.",
            "passage_2_copied": f"Canal {n} is {n + 5} km long.",
            "same_passage": "Different",
            **fields,
        },
    )
    return Instance.objects.create(
        contradiction=contradiction,
        n=1,
        question=f"How long is canal {n}?",
        kind="wh",
        answer_1=f"{n} km",
        answer_2=f"{n + 5} km",
    )


def echo(service: str = "local", model_id: str = "echo-1", **options: object) -> LanguageModel:
    return registry.add(service, model_id, {**OPTIONS, **options})


def run(
    *, questions: int = 3, prompts: tuple[str, ...] = ("4",), started: bool = True, **options
) -> Run:
    """A run of one model over canals; needs the service `local` in the setting."""
    options.setdefault("models", [echo()])
    collection = options.pop("collection", None) or canals(questions)
    made, _ = runs.create(
        collection=collection, prompts=[prompting.find(name) for name in prompts], **options
    )
    if started:
        runs.start(made)
    return made
