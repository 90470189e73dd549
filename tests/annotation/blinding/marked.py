"""A world in which everything that others entered for two tags bears one mark, in rows of every kind."""

from django.db.models import TextField
from django.urls import reverse

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation, Question
from annotation.reviewing.publishing_tags import publish_campaign
from datasets import exclusions, revisions, subsets
from datasets.drawing import SubsetPlan
from datasets.models import Contradiction, Instance
from datasets.records import record_of
from datasets.releasing.freezing import freeze
from datasets.revisions import Texts
from evaluation.frozen import publishing, snapshots
from judging import settling, studies, verdicts
from judging.files.predictions import import_predictions
from judging.models import GoldItem, JudgingSlot
from tests.annotation import factories as make
from tests.datasets.factories import imported, record
from tests.factories import person
from tests.judging import factories as judging

MARK = "zqmark"
# Fields of an annotation that name rows or are data.
NOT_TEXT = {"span_1_at", "span_2_at"}


def world(reader: Person) -> dict[str, object]:
    """Ids by the names of the access table's addresses, as far as they lead to what bob and carol entered.

    Of one tag bob's annotation waits for review, of the other it is published, released, asked about and judged. Each
    has a place that is still free, and the reader has none of them.
    """
    people = {
        "olga": person("olga", Role.ADMIN),
        "rosa": person("rosa", Role.RESEARCHER),
        "bob": make.annotator("bob"),
        "carol": person("carol", Role.RESEARCHER),
    }
    campaign = make.campaign(by=people["olga"], tags=3, people=2)
    published, submitted = (make.submitted(people["bob"], within=campaign) for _ in range(2))
    draft = make.draft(people["bob"], within=campaign)
    for annotation in (published, submitted, draft):
        marked(annotation)
    published.refresh_from_db()
    decided = make.decide(published, people["olga"], "accept", f"Well {MARK} seen")
    publish_campaign(campaign, people["olga"])
    published.refresh_from_db()
    make.second_round(published)
    copied(published.contradiction, "copies")
    instance = Instance.objects.get(contradiction=published.contradiction_id)
    return {
        "campaign": campaign.pk,
        "submitted": submitted.sighting.tag_id,
        "own": submitted.sighting.tag_id,
        "begun": draft.sighting.tag_id,
        "decision": decided.pk,
        "draft": draft.pk,
        "place": submitted.assignment_id,
        "tag": submitted.sighting.tag_id,
        "person": people["bob"].pk,
        "aron": people["bob"].pk,
        "contradiction": published.contradiction_id,
        "tags": [published.sighting.tag_id, submitted.sighting.tag_id, draft.sighting.tag_id],
        **decided_on(instance, people),
        **judged(instance, people, reader),
    }


def marked(annotation: Annotation) -> None:
    """Put the mark into every text of the annotation, its questions, its history and its provenance."""
    texts = [f.name for f in Annotation._meta.get_fields() if isinstance(f, TextField)]
    for name in set(texts) - NOT_TEXT:
        setattr(annotation, name, f"{MARK} {name}")
    annotation.span_1_at = annotation.span_2_at = ""
    annotation.flagged = True
    annotation.provenance = {"1": [{"revision": 1, "start": 0, "end": 5, "text": MARK}]}
    annotation.save()
    rows = {"question": f"When was {MARK} built?", "answer_1": f"{MARK} 1", "answer_2": f"{MARK} 2"}
    if not Question.objects.filter(annotation=annotation).update(**rows):
        Question.objects.create(annotation=annotation, n=1, **rows)


def copied(record: Contradiction, into: str) -> None:
    """The record as another collection has it that its published file was imported into."""
    imported(record_of(record), into=into)


def decided_on(instance: Instance, people: dict[str, Person]) -> dict[str, object]:
    """A release, a subset, revised passages and an exclusion, in force and in a second release."""
    collection = instance.contradiction.collection
    # Another question: nothing is frozen where all are excluded.
    imported(record(title="Wend Mill"), into=collection.name)
    freeze(collection=collection, version="1.0")
    drawn = subsets.freeze("All", collection, subsets.Query(), SubsetPlan(7), by=None)
    agreeing = Texts(f"{MARK} passage", f"{MARK} passage", f"{MARK} answer")
    revision = revisions.write(instance=instance, texts=agreeing, by=people["bob"])
    reason = f"Not {MARK}"
    made = exclusions.exclude(instance=instance, reason=reason, by=people["carol"])
    freeze(collection=collection, version="2.0")
    key = instance.contradiction_id
    return dict.fromkeys(("excluded", "written", "to_check", "hidden_question"), key) | {
        "revision": revision.pk,
        "exclusion": made.pk,
        "subset": drawn.pk,
    }


def judged(instance: Instance, people: dict[str, Person], reader: Person) -> dict[str, object]:
    """A run about the question, a closed study over it with a frozen report, and an open one of another run."""
    model = judging.language_model()
    runs = [judging.run(name) for name in ("first", "second", "third")]
    for run in runs:
        text = f"In {MARK}, by {run}."  # who judges one text may read the others
        judging.response(run, instance, "passage-1", model, text=text, request={"prompt": MARK})
    # A second model, so that two can be read next to each other.
    other = judging.language_model(judging.MODEL_IDS[1])
    judging.response(runs[0], instance, "both-passages", other, text=f"By {MARK}.", state="failed")
    closed = judging.open_study("ivy", "joe", name="Closed", drawn_from=runs[0])
    for slot in JudgingSlot.objects.filter(round__study=closed):
        slot = verdicts.slot_of(slot.judge.person, slot.pk)
        verdict = "correct" if slot.judge.person.username == "ivy" else "incorrect"
        verdicts.give(slot, verdict, comment=f"As {MARK} says")
    studies.close_study(closed)
    judges = [reader if reader.has_role(Role.JUDGE) else judging.judge("ivy"), judging.judge("joe")]
    is_open = judging.draft("Open", drawn_from=runs[1])
    studies.open_study(is_open, judges)
    talk = judging.draft("Talk", drawn_from=runs[2], resolved_by="discussion")
    studies.open_study(talk, judges)
    for who, verdict in zip(judges, ("correct", "incorrect"), strict=True):
        [slot] = judging.slots(talk, who)
        verdicts.give(slot, verdict, comment=f"As {MARK} says")
        verdicts.hand_in(who, talk)
    gold = closed.items.get().response
    GoldItem.objects.create(study=is_open, response=gold, position=1, verdict="correct", note=MARK)
    frozen, _ = snapshots.freeze(closed, by=people["rosa"])
    shown, _ = snapshots.freeze(closed, by=people["rosa"], note="For all")
    shown = publishing.publish(shown, by=people["rosa"])
    return {
        "run": runs[0].pk,
        "hidden": runs[1].pk,
        "response": runs[0].responses.earliest("pk").pk,
        "hidden_response": runs[1].responses.get().pk,
        "closed": closed.pk,
        "open": is_open.pk,
        "rubric": closed.rubric_id,
        "judge": is_open.judges.earliest("pk").pk,
        "closed_judge": closed.judges.earliest("pk").pk,
        "machine": import_predictions(closed, b"item,reply\n0,evaluation: correct\n", "M").judge.pk,
        "snapshot": frozen.pk,
        "published": reverse("evaluation:published", args=[shown.pk, shown.token]),
        "shown": shown.pk,
        "item": settling.unresolved(closed).get().pk,
        "open_item": is_open.items.get().pk,
        "slot": judging.slots(is_open, judges[0])[0].pk,
        "discussed": judging.slots(talk, judges[0])[0].pk,
    }
