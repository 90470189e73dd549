"""Which finished responses a study draws."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from datasets.models import Subset
from datasets.subsets import superseded_in
from generation.elsewhere.undoing import gone
from generation.models import LONG, LanguageModel, Response, Run
from generation.states import ResponseState
from leases.extension import ExtensionPoint
from leases.refusal import Refusal
from pages.counting import how_many
from protocols.declaration import Declaration
from protocols.models import Protocol
from protocols.shipped import wikicontradict

# The labels that the scorers of a protocol can give before people judge, as "SCORER=LABEL"; and which of the responses
# with these keys have such a label.
labels_known: ExtensionPoint[[Declaration], list[str]] = ExtensionPoint(
    "judging.selections.labels_known"
)
with_label: ExtensionPoint[[Declaration, Collection[int], str], set[int]] = ExtensionPoint(
    "judging.selections.with_label"
)


@dataclass(frozen=True)
class Selection:
    """Which responses a study draws: those of the runs to these prompts, by these models, to a subset's questions.

    Empty means all; `instances` are keys of questions. `superseded` takes a subset's questions also where their
    contradiction has a newer version. `label` ("SCORER=LABEL") takes only responses with this label.
    """

    runs: Collection[Run]
    prompts: Collection[str] = ()
    models: Collection[LanguageModel] = ()
    subset: Subset | None = None
    superseded: bool = False
    instances: Collection[int] = ()
    label: str = ""

    def responses(self) -> QuerySet[Response]:
        chosen = Response.objects.filter(run__in=self.runs)
        if self.subset:
            asked = self.subset.instances.order_by().values("pk")
            chosen = chosen.filter(instance__in=asked)
        if self.instances:
            chosen = chosen.filter(instance__in=self.instances)
        if self.prompts:
            chosen = chosen.filter(prompt__in=self.prompts)
        return chosen.filter(model__in=self.models) if self.models else chosen

    def done(self) -> QuerySet[Response]:
        return self.responses().filter(state=ResponseState.DONE).exclude(held=True)

    def held(self) -> int:
        """How many selected responses may have markup in their text, and are left out until an admin chooses."""
        return self.responses().filter(state=ResponseState.DONE, held=True).count()

    def chosen(self) -> list[Response]:
        """The finished responses with their questions and models; raises Refusal where they cannot be judged."""
        self.check_subset()
        responses = list(
            self.done()
            .select_related("instance__contradiction", "model")
            .defer(*LONG, "instance__contradiction__fields")
        )
        declaration = self.declaration() if responses else None
        if declaration and self.label:
            keys = _labelled(declaration, {response.pk for response in responses}, self.label)
            responses = [response for response in responses if response.pk in keys]
        if not responses and (held := self.held()):
            raise Refusal(
                f"{how_many(held, 'finished response')} may have markup or reasoning in the text, and no other "
                "matches. Choose on the page of models, under Markup, how these models are read."
            )
        if not declaration or not responses:
            raise Refusal(
                "No finished response matches. Choose runs with finished responses, or other prompts, models and "
                "questions."
            )
        check_once(declaration, responses)
        return responses

    def protocol(self) -> Protocol | None:
        """That of the runs' records; raises Refusal where they have two."""
        keys = [run.pk for run in self.runs]
        rows = Run.objects.filter(pk__in=keys).select_related("collection__protocol")
        if not (found := list(rows.order_by("pk"))):
            raise gone()
        first, *others = found
        for run in others:
            if run.collection.protocol_id != first.collection.protocol_id:
                raise Refusal(
                    f"A study is over one protocol. The run “{first.name}” asks about records of "
                    f"{first.collection.declaration}, the run “{run.name}” about records of "
                    f"{run.collection.declaration}. Choose runs of one of them."
                )
        return first.collection.protocol

    def declaration(self) -> Declaration:
        """The same as it was read."""
        protocol = self.protocol()
        return protocol.declaration if protocol else wikicontradict()

    def left_out(self) -> int:
        """How many selected responses have no text yet, and are left out."""
        return self.responses().exclude(state=ResponseState.DONE).count()

    def unanswered(self) -> int:
        """How many of the subset's questions have no finished response here."""
        if self.subset is None:
            return 0
        answered = self.done().order_by().values("instance")
        return self.subset.instances.exclude(pk__in=answered).count()

    def check_subset(self) -> None:
        """Raise Refusal where the subset has changed since it was drawn, unless that is accepted."""
        if self.subset is None or self.superseded:
            return
        titles = [row.title for row in superseded_in(self.subset)]
        if titles:
            more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
            raise Refusal(
                f"Since the subset {self.subset} was drawn, newer versions were made of: "
                f"{', '.join(titles[:3])}{more}. Responses to its questions answer the older versions. "
                "Tick that these are judged, or draw another subset."
            )


def labels_of(declaration: Declaration) -> list[str]:
    return [label for labels in labels_known(declaration) for label in labels]


def _labelled(declaration: Declaration, keys: Collection[int], label: str) -> set[int]:
    """Those of the responses that have the label; raises Refusal for one that no scorer gives."""
    if label not in (known := labels_of(declaration)):
        there = f"There are {', '.join(known)}" if known else "There is none"
        raise Refusal(f"{label[:100]} is no label of a scorer of {declaration}. {there}.")
    return set().union(*with_label(declaration, keys, label))


def check_once(declaration: Declaration, responses: Iterable[Response]) -> None:
    """Raise Refusal where two runs have a response of one model to one question, prompt and sample, and it is scored.

    Shares would count it twice.
    """
    if not declaration.is_scored:
        return
    first: dict[tuple[int, int, str, int], Response] = {}
    for response in responses:
        key = (response.model_id, response.instance_id, response.prompt, response.sample)
        other = first.setdefault(key, response)
        if other is not response:
            runs = Run.objects.filter(pk__in=[other.run_id, response.run_id]).order_by("pk")
            raise Refusal(
                f"The runs {' and '.join(f'“{run.name}”' for run in runs)} both have a response of {response.model} "
                f"to the same question and prompt ({response.prompt}). Scores count one of each. Choose one of these "
                "runs, or other prompts or models."
            )
