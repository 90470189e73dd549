"""The labels that scorers give to responses before a study has them: it can draw only those with one label."""

from collections.abc import Collection

from evaluation.counts.scored import as_sent, labels_in, of_questions
from evaluation.scorers import kinds
from evaluation.statistics.columns import columns
from generation.models import Response
from protocols.declaration import Declaration

# A statement names so many responses.
PIECE = 500
_READ = {
    "response": "pk",
    "instance": "instance_id",
    "prompt": "prompt",
    "text": "text",
    "check": "check_reply",
    "state": "finding",
}


def labels_known(declaration: Declaration) -> list[str]:
    """For judging.selections."""
    scorers = declaration.entries("scorer")
    return [
        f"{scorer.name}={label}"
        for scorer in scorers
        if not kinds.of(scorer.values).by_people
        for label in kinds.labels_of(declaration, scorer)
    ]


def with_label(declaration: Declaration, keys: Collection[int], label: str) -> set[int]:
    """For judging.selections."""
    name, _, wanted = label.partition("=")
    scorer = declaration.named("scorer")[name]
    ordered, found = sorted(keys), set[int]()
    for start in range(0, len(ordered), PIECE):
        rows = Response.objects.filter(pk__in=ordered[start : start + PIECE])
        read = columns(_READ, rows.values_list(*_READ.values()))
        prompts = as_sent(declaration, read["prompt"].values)
        _, fields = of_questions(declaration, read["instance"])
        labels, _ = labels_in(declaration, scorer, read, fields, prompts)
        given = zip(read["response"], labels, strict=True)
        found |= {response for response, one in given if one == wanted}
    return found
