"""Studies for tests, from the passage to the slot, as plain functions."""

import hashlib
from collections.abc import Sequence
from itertools import product

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Collection, Contradiction, Instance
from generation import prompt_versions
from generation.models import LanguageModel, Response, Run
from generation.prompts.prompting import Prompt
from generation.states import ResponseState, RunState
from judging import adjudication, studies, verdicts
from judging.models import JudgingSlot, Study, StudyItem
from judging.selections import Selection
from judging.settling import unresolved
from judging.studies import StudyDesign
from tests.datasets.factories import asked
from tests.factories import person

MODEL_IDS = ("quokka-7b-secret", "wombat-13b-secret")
SERVICE = "hidden-service"
PROMPTS = ("internal-knowledge", "passage-1", "both-passages")


def language_model(model_id: str = MODEL_IDS[0]) -> LanguageModel:
    return LanguageModel.objects.get_or_create(
        service=SERVICE, model_id=model_id, options_hash="0" * 64
    )[0]


def instance(n: int = 1, **fields: object) -> Instance:
    collection, _ = Collection.objects.get_or_create(name="abbeys")
    texts = {
        "external_id": hashlib.sha256(str(n).encode()).hexdigest(),
        "title": f"Abbey {n}",
        "passage_1_copied": f"It was founded in 11{n:02}.",
        "passage_1_standalone": f"Abbey {n} was founded in 11{n:02}.",
        "passage_2_copied": f"Abbey {n} was founded in 12{n:02}.",
    }
    answers = (f"11{n:02}", f"12{n:02}")
    return asked(collection, n, f"When was abbey {n} founded?", answers, **{**texts, **fields})


def run(name: str = "secret-run", **fields: object) -> Run:
    collection, _ = Collection.objects.get_or_create(name="abbeys")
    return Run.objects.create(
        name=name, collection=collection, state=RunState.DONE, prompts=list(PROMPTS), **fields
    )


def response(
    asked_in: Run, about: Instance, prompt: str, model: LanguageModel, **fields: object
) -> Response:
    made = _response(asked_in, about, prompt_versions.find(prompt), model, **fields)
    made.save(force_insert=True)
    return made


def responses(
    asked_in: Run,
    instances: Sequence[Instance],
    prompts: Sequence[str] = PROMPTS,
    models: Sequence[str] = MODEL_IDS,
    **fields: object,
) -> None:
    """A response for each instance, prompt and model, stored at once."""
    known = [prompt_versions.find(name) for name in prompts]
    asked = [language_model(model_id) for model_id in models]
    each = product(instances, known, asked)
    Response.objects.bulk_create(_response(asked_in, *one, **fields) for one in each)


def _response(
    asked_in: Run, about: Instance, prompt: Prompt, model: LanguageModel, **fields: object
) -> Response:
    return Response(
        run=asked_in,
        instance=about,
        model=model,
        prompt=prompt.name,
        prompt_hash=prompt.sha256,
        **{
            "rendered": f"Q: {about.question}",
            "text": f"It was founded in {about.answer_1}, some say.",
            "state": ResponseState.DONE,
            "answered_by": model.model_id,
            "prompt_tokens": 98761,
            "completion_tokens": 98762,
            "latency_ms": 98763,
            "finish_reason": "stop",
            **fields,
        },
    )


def finished_run(instances: int = 2, prompts=PROMPTS, models=MODEL_IDS, **fields: object) -> Run:
    """A run with a response for each instance, prompt and model."""
    asked_in = run()
    abouts = [instance(n) for n in range(1, instances + 1)]
    responses(asked_in, abouts, prompts, models, **fields)
    return asked_in


def later_run(models=("later-model",)) -> Run:
    """A run of another model over the questions that there are."""
    asked_in = run("later-run")
    for about in Instance.objects.all():
        for prompt in PROMPTS:
            for model_id in models:
                text = f"It was founded in {about.answer_2}, as some say."
                response(asked_in, about, prompt, language_model(model_id), text=text)
    return asked_in


def copy_of(first: Run) -> Run:
    """Another run of the file of this one, which gets a file: with the same responses."""
    first.file_sha256 = "5e" * 32
    first.save(update_fields=["file_sha256"])
    again = run(f"{first.name} again", file_sha256=first.file_sha256)
    for order, row in enumerate(first.responses.order_by("pk")):
        Response.objects.filter(pk=row.pk).update(order=order)
        row.pk, row.run, row.order, row._state.adding = None, again, order, True
        row.save(force_insert=True)
    return again


def draft(name: str = "Pilot", *, drawn_from: Run | None = None, **design: object) -> Study:
    """A study in draft over a run (by default of 2 instances x 3 prompts x 2 models = 12 responses)."""
    asked_in = drawn_from or finished_run()
    admin = Person.objects.filter(username="admin").first() or person("admin", Role.ADMIN)
    return studies.create(
        name, Selection([asked_in]), StudyDesign(**{"seed": 7, **design}), by=admin
    )


def written_by(username: str, run: Run, n: int) -> None:
    """Let this person have annotated the contradiction of abbey n, and written its question."""
    asked = Instance.objects.filter(contradiction__title=f"Abbey {n}", responses__run=run)
    key = judge(username).pk
    Contradiction.objects.filter(instances__in=asked).update(author=key)
    asked.update(author=key)


def judge(username: str) -> Person:
    return Person.objects.filter(username=username).first() or person(username, Role.JUDGE)


def open_study(*usernames: str, **options: object) -> Study:
    """An open study with these judges (alice and bob by default)."""
    study = draft(**options)
    studies.open_study(study, [judge(name) for name in usernames or ("alice", "bob")])
    study.refresh_from_db()
    return study


def slots(study: Study, who: Person) -> list[JudgingSlot]:
    """The person's slots, in the order of rounds and of the person."""
    mine = JudgingSlot.objects.filter(round__study=study, judge__person=who)
    return list(mine.select_related("item__response").order_by("round__n", "order"))


def give_all(study: Study, username: str, verdict: str = "correct", **details: object) -> Person:
    """Let this judge give one verdict on all their slots; returns the judge."""
    who = judge(username)
    for slot in slots(study, who):
        verdicts.give(slot, verdict, **details)
    return who


def hand_in(study: Study, username: str, verdict: str = "correct", **details: object) -> Person:
    """Let this judge give one verdict on all their slots, and hand in; returns the judge."""
    who = give_all(study, username, verdict, **details)
    verdicts.hand_in(who, study)
    return who


def unresolved_for(who: Person) -> list[StudyItem]:
    """All responses that wait for a third person and that this one may decide, study by study."""
    return [item for study in adjudication.studies_for(who) for item in unresolved(study)]


def one_disputed() -> tuple[Study, StudyItem]:
    """A study of two responses that alice and bob have judged, and the one on which they agree."""
    study = open_study(drawn_from=finished_run(instances=1, prompts=["passage-1"]))
    give_all(study, "alice")
    agreed, disputed = slots(study, judge("bob"))
    verdicts.give(agreed, "correct")
    verdicts.give(disputed, "incorrect")
    return study, agreed.item


def closed_early() -> tuple[Study, StudyItem, set[StudyItem]]:
    """A study of six responses, closed before bob came to two more of them, and before anybody came to the last.

    And the one on which alice and bob agree, and the two that wait for a third person: a disputed and a skipped one.
    """
    study = open_study(drawn_from=finished_run(instances=3, prompts=["passage-1"]))
    of_alice = slots(study, judge("alice"))[:5]
    of_bob = {slot.item_id: slot for slot in slots(study, judge("bob"))}
    agreed, disputed, skipped = of_alice[:3]
    for slot in of_alice:
        verdicts.give(slot, "correct")
    verdicts.give(of_bob[agreed.item_id], "correct")
    verdicts.give(of_bob[disputed.item_id], "incorrect")
    verdicts.skip(of_bob[skipped.item_id], "Unreadable.")
    studies.close_study(study)
    return study, agreed.item, {disputed.item, skipped.item}


def those_marked_final() -> set[int]:
    """The keys of the responses that are marked to have a final verdict."""
    return set(StudyItem.objects.filter(is_settled=True).values_list("pk", flat=True))
