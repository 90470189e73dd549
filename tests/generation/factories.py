"""A collection of canals, models to ask about them, and runs; as plain functions."""

from datetime import timedelta

from django.db.models.functions import Now

from accounts.roles import Role
from datasets.models import Collection, Instance
from generation import prompt_versions, registry, runs
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.models import LanguageModel, Response, Run, ServiceStatus
from generation.states import ResponseState
from tests.datasets.factories import asked
from tests.factories import person

OPTIONS = {"temperature": 0, "max_tokens": 250, "system_message": None}


def canals(questions: int = 3, *, name: str = "canals", **fields: object) -> Collection:
    """A collection with one question about each canal; `fields` go into every contradiction."""
    collection = Collection.objects.create(name=name)
    for n in range(1, questions + 1):
        canal(collection, n, **fields)
    return collection


def canal(collection: Collection, n: int, **fields: object) -> Instance:
    texts = {
        "title": f"Canal {n}",
        "passage_1_copied": f"It is {n} km long.",
        "passage_1_standalone": f"Canal {n} is {n} km long.",
        "passage_2_copied": f"Canal {n} is {n + 5} km long.",
    }
    answers = (f"{n} km", f"{n + 5} km")
    return asked(collection, n, f"How long is canal {n}?", answers, **{**texts, **fields})


def two_turns() -> str:
    """The label of a prompt that asks again after the first reply."""
    given = {"name": "twice", "label": "T1", "title": "Twice", "template": "{question}"}
    author = person("theo", Role.RESEARCHER)
    return prompt_versions.add({**given, "second": "{reply}, really?"}, author).prompt.label


def spanned(**more: object) -> str:
    """The label of a prompt that asks up to three times for a span of passage 1."""
    given = {"name": "span", "label": "S1", "title": "A span", "form": "span", "times": 3}
    template = "{question} {context1}"
    author = person("sonia", Role.RESEARCHER)
    return prompt_versions.add({**given, "template": template, **more}, author).prompt.label


def lettered() -> str:
    """The label of a prompt whose options A and B are scored."""
    given = {"name": "letter", "label": "L1", "title": "A letter", "form": "scores"}
    author = person("lena", Role.RESEARCHER)
    template = "{question}\n(A) {context1}\n(B) {context2}\nAnswer: ("
    more = {"template": template, "options": ["A", "B"]}
    return prompt_versions.add({**given, **more}, author).prompt.label


def echo(service: str = "local", model_id: str = "echo-1", **options: object) -> LanguageModel:
    return registry.add(service, model_id, {**OPTIONS, **options})


def able(**options: object) -> LanguageModel:
    """A model whose service gives log-probabilities."""
    model = echo(**options)
    model.abilities = {"scores": "top", "alternatives": 20}
    model.save()
    return model


def run(
    *, questions: int = 3, prompts: tuple[str, ...] = ("4",), started: bool = True, **options
) -> Run:
    """A run of one model over canals; needs the service `local` in the setting."""
    options.setdefault("models", [echo()])
    collection = options.pop("collection", None) or canals(questions)
    made, _ = runs.create(
        collection=collection, prompts=[prompt_versions.find(name) for name in prompts], **options
    )
    if started:
        runs.start(made)
    return made


def answer_all(made: Run) -> int:
    """Ask until nothing more may be asked now; the number of calls."""
    calls = take_turn("local", [RunQueue(made)])
    made.refresh_from_db()
    return calls


def answer_one(made: Run) -> int:
    """Ask for the next response alone."""
    waiting = made.responses.filter(state=ResponseState.PENDING).order_by("attempts", "order")
    others = Response.objects.filter(pk__in=[row.pk for row in waiting[1:]])
    others.update(not_before=Now() + timedelta(hours=1))
    calls = answer_all(made)
    others.update(not_before=None)
    return calls


def ripen() -> None:
    """Let the pauses after faults be over."""
    Response.objects.update(not_before=None)
    ServiceStatus.objects.update(paused_until=None)


def expire() -> None:
    """Let the leases of turns and of their rows run out."""
    past = Now() - timedelta(seconds=1)
    Response.objects.filter(state=ResponseState.RUNNING).update(lease_until=past)
    ServiceStatus.objects.exclude(turn_holder="").update(turn_until=past)
