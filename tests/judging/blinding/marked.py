"""Open studies in which everything that a blind person must not know, or not know together, bears a mark."""

import hashlib
from datetime import UTC, datetime
from uuid import uuid4

from accounts.models import Person
from accounts.roles import Role
from datasets.models import ImportJob
from datasets.states import ImportState
from evaluation.frozen import snapshots
from generation.models import LanguageModel, Run
from judging import discussing, studies, verdicts
from judging.files.predictions import import_predictions
from judging.models import GoldItem, JudgingSlot, Study
from tests import conflictbank
from tests.factories import person
from tests.judging import declared
from tests.judging import factories as judging
from tests.judging.blinding import other_protocols
from tests.judging.blinding.other_protocols import SHOWN

# Of runs, of the other judges, of what judge models and others said before it is locked: they are shown nowhere.
# Long: "zqrun" comes about in one of thousands of crawls by chance, in a token; six digits in the fraction of a second.
RUN, JUDGE, REPLY, UNLOCKED = "zqsecretrun", "zqjudge", "zqreply", "zqunlocked"
LOCKED, DISCUSSED, SHARED = "zqlocked", "zqdiscussed", "zqshared"
# Who wrote a text, by name or number: shown, but not on a page or in a file with any of TEXTS.
MODELS = ("zqmodel-7b", "zqmodel-13b")
KEYS = {name: 846_201_357_900 + n for n, name in enumerate(MODELS)}
SERVICE, RUN_KEY = "zqservice", 555_012_339_100
AUTHORS = (
    "zqmodel",
    SERVICE,
    "846201357",
    "555012339",
    declared.AUTHOR.lower(),
    *other_protocols.AUTHORS,
)
# A text by its words, hash, number, order, length, latency, cost or time.
WORDS, NUMBER, ORDER, COST = "zqwords of the text", 739_104_600_100, 736_251_840, 7.313131
TOKENS, AT = 1_918_273_645, datetime(2031, 7, 19, 3, 33, 41, tzinfo=UTC)
TEXTS = (
    *("zqwords", hashlib.sha256(WORDS.encode()).hexdigest(), "739104600", str(ORDER), "7.3131"),
    *(str(TOKENS), f"{TOKENS:,}", "2031-07-19", "19 july 2031", "19 jul 2031", SHOWN),
)
HIDDEN_FROM_JUDGES = (RUN, JUDGE, REPLY, UNLOCKED, LOCKED, SHARED)
HIDDEN_FROM_ADJUDICATORS = (RUN, JUDGE, REPLY, UNLOCKED)


def world(reader: Person) -> dict[str, object]:
    """Ids by the names of the access table's addresses.

    A reader with the role judges in the open study "Pilot", next to two who have judged, of whom one has handed in.
    With one of them the reader discusses "Talk", and has begun to discuss "Earlier", which is over the run of "Pilot".
    "Of its file" is over another run of that run's file.
    For a reader without the role both have handed in; then there is also the open study "Second", in which nobody has.
    """
    rosa = person("rosa", Role.RESEARCHER)
    models = [
        LanguageModel.objects.create(pk=key, service=SERVICE, model_id=name, options_hash="0" * 64)
        for name, key in KEYS.items()
    ]
    others = [person(f"{JUDGE}{n}", Role.JUDGE, pseudonym=f"{JUDGE}-{n}") for n in (1, 2)]
    is_judge = reader.has_role(Role.JUDGE)
    run = asked(RUN, models, 1)
    if is_judge:
        studies.close_study(discussed(run, "Earlier", [reader, others[0]], SHARED))
        studies.close_study(discussed(judging.copy_of(run), "Of its file", others, SHARED))
    pilot = judged(run, "Pilot", [reader, *others] if is_judge else others)
    for n, (who, verdict) in enumerate(zip(others, ("correct", "incorrect"), strict=True)):
        is_locked = not (is_judge and n)
        give(pilot, who, verdict, LOCKED if is_locked else UNLOCKED)
        if is_locked:
            verdicts.hand_in(who, pilot)
    second = pilot
    if not is_judge:
        second = judged(asked(f"{RUN} 2", models, 3), "Second", others)
        for who in others:
            give(second, who, "correct", UNLOCKED)
    talk = second
    if is_judge:
        talk = discussed(asked(f"{RUN} 3", models, 5), "Talk", [reader, others[0]], DISCUSSED)
    earlier = judging.run("earlier", pk=1)
    plain = judging.language_model("plain")
    known = judging.response(earlier, judging.instance(9), "both-passages", plain, pk=1)
    GoldItem.objects.create(study=pilot, response=known, position=1, verdict="correct")
    frozen, _ = snapshots.freeze(pilot, by=rosa)
    return {
        "import": imported(run, reader).pk,
        "run": second.items.first().response.run_id,
        "hidden": run.pk,
        "response": second.items.first().response_id,
        "hidden_response": run.responses.first().pk,
        "open": pilot.pk,
        "closed": second.pk,
        "draft_study": second.pk,
        "rubric": pilot.rubric_id,
        "judge": pilot.judges.get(person=others[0]).pk,
        "closed_judge": second.judges.get(person=others[0]).pk,
        "machine": pilot.judges.get(external=JUDGE).pk,
        "model": models[0].pk,
        "local_model": models[0].pk,
        "snapshot": frozen.pk,
        "item": pilot.items.first().pk,
        "open_item": second.items.first().pk,
        "slot": first_slot(pilot, reader),
        "discussed": first_slot(talk, reader),
        "contradiction": pilot.items.first().response.instance.contradiction_id,
    }


def asked(name: str, models: list[LanguageModel], first: int) -> Run:
    """A run of these models about two questions, with a mark in what only a run's pages show."""
    run = judging.run(name, pk=RUN_KEY + first)
    of_call = dict.fromkeys(("prompt_tokens", "completion_tokens", "latency_ms"), TOKENS)
    marks = {**of_call, "order": ORDER, "cost": COST, "answered_at": AT, "text": WORDS}
    for n, about in enumerate((judging.instance(first), judging.instance(first + 1))):
        for model in models:
            number = NUMBER + 100 * first + 10 * n + models.index(model)
            judging.response(run, about, "both-passages", model, pk=number, **marks)
    return run


def imported(run: Run, by: Person) -> ImportJob:
    """The import that brought a run, as its sender finds it, and one of the same file after it."""
    of = {
        "kind": "responses",
        "collection": run.collection.name,
        "created_by": by,
        "bytes": 1,
        "sha256": "5e" * 32,
    }
    report = dict.fromkeys(("responses", "questions", "not_verified", "held", "empty"), 0)
    report |= {"prompts": [], "models": [{"model": MODELS[0], "options": {}, "responses": 4}]}
    options = {"release": "1.0", "name": run.name}
    ImportJob.objects.create(
        **of, upload=uuid4(), state=ImportState.CHECKED, is_confirmed=False, file_name="later.jsonl",
        options={"release": "1.0"}, report={**report, "earlier_runs": [run.pk]},
    )  # fmt: skip
    return ImportJob.objects.create(
        **of, upload=uuid4(), state=ImportState.DONE, file_name="responses.jsonl", made={"run": run.pk},
        options=options, report={**report, "earlier_runs": []},
    )  # fmt: skip


def judged(run: Run, name: str, judges: list[Person]) -> Study:
    """An open study of these judges, and of a judge model whose replies are from a file."""
    study = judging.draft(name, drawn_from=run, judges_per_response=len(judges))
    studies.open_study(study, judges)
    import_predictions(study, f"item,reply\n0,{REPLY} evaluation: correct\n".encode(), JUDGE)
    return study


def discussed(run: Run, name: str, judges: list[Person], mark: str) -> Study:
    """An open study on whose responses these two differ, with a proposal of the second."""
    study = judging.draft(name, drawn_from=run, resolved_by="discussion")
    studies.open_study(study, judges)
    for who, verdict in zip(judges, ("correct", "incorrect"), strict=True):
        give(study, who, verdict, mark if who != judges[0] else "own")
        verdicts.hand_in(who, study)
    theirs = judging.slots(study, judges[1])[0]
    discussing.remark(theirs, f"Look again, {mark}.")
    discussing.propose(theirs, version=0, verdict="incorrect", cause="slip")
    return study


def give(study: Study, who: Person, verdict: str, mark: str) -> None:
    for slot in judging.slots(study, who):
        verdicts.give(slot, verdict, comment=f"As {mark} says")


def first_slot(study: Study, reader: Person) -> object:
    slot = JudgingSlot.objects.filter(round__study=study, judge__person=reader).first()
    return slot.pk if slot else "00000000-0000-0000-0000-000000000000"


# Of a record that is judged in part: its fields with a mark each, but for the two that judges are shown.
MARKED = {
    name: f"zq-{name.replace('_', '-')}"
    for name in (
        "subject", "subject_description", "object", "object_description", "replaced_object",
        "replaced_description", "semantic_description", "misinformation_conflict_claim",
        "misinformation_conflict_evidence_evidence", "temporal_conflict_claim",
        "temporal_conflict_evidence", "semantic_conflict_claim", "semantic_conflict_evidence", "question",
    )
}  # fmt: skip
OF_THE_RECORD = (*MARKED.values(), "zqoption", RUN, *other_protocols.MARKS)
# The access table names the export of another protocol.
OF_RECORDS = (
    "/collections/mills/export/conflictbank/",
    "/collections/mills/export/complete/",
    "/collections/?search=zq",
    "/protocols/conflictbank/1/",
    "/protocols/conflictbank/1/file/",
)


def declared_world(reader: Person) -> tuple[dict[str, object], list[str]]:
    """The same of an open study of given texts, in which a reader with the role judges next to another.

    And further addresses: such a study of each other protocol is among what they lead to.
    """
    records = [
        conflictbank.record(
            n,
            **{name: f"{mark}-{n}" for name, mark in MARKED.items()},
            options=[f"zqoption {letter}" for letter in "ABC"] + ["uncertain"],
            default_claim=f"{SHOWN} claim {n}",
            default_evidence=f"{SHOWN} evidence {n}",
        )
        for n in (1, 2)
    ]
    of = conflictbank.imported(conflictbank.file_of_records(*records), "mills").collection
    run = declared.run_over(of, ["entails-default"])
    again = declared.run_over(of, ["entails-default"])
    Run.objects.filter(pk__in=[run.pk, again.pk]).update(name=RUN)
    others = [*Person.objects.filter(username__startswith=JUDGE).order_by("username")]
    others = others or [person(f"{JUDGE}{n}", Role.JUDGE) for n in (1, 2)]
    judges = [reader, others[0]] if reader.has_role(Role.JUDGE) else others
    study = declared.draft(run, name="Check of texts")
    studies.open_study(study, judges)
    for slot in judging.slots(study, judges[0])[:1]:
        verdicts.give(slot, "yes", comment="Own.")
    runs = [f"/runs/{one.pk}/{page}" for one in (run, again) for page in ("", "responses/")]
    further = [*OF_RECORDS, *runs, *other_protocols.open_studies(judges)]
    first = study.items.first()
    return {
        "run": run.pk,
        "hidden": run.pk,
        "response": first.response_id,
        "hidden_response": first.response_id,
        "open": study.pk,
        "rubric": study.rubric_id,
        "item": first.pk,
        "open_item": first.pk,
        "slot": first_slot(study, reader),
        "contradiction": first.response.instance.contradiction_id,
        "hidden_question": first.response.instance.contradiction_id,
        "model": first.response.model_id,
    }, further
