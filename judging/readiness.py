"""Whether responses can be judged by a rubric: criteria for their prompts, gold answers for their questions."""

from collections.abc import Iterable, Sequence

from generation import prompt_versions
from generation.models import Response
from judging.presenting import gold_shown
from judging.rules import rubric
from leases.refusal import Refusal

MOST_NAMED = 5


def check(known: rubric.ParsedRubric, responses: Sequence[Response]) -> None:
    """Raise Refusal with what is missing, or where nothing of it is judged.

    The responses come with their questions and contradictions.
    """
    judged = [response for response in responses if known.is_judged(response.prompt)]
    if responses and not judged:
        raise Refusal(
            f"The rubric {known.name} has criteria for none of these prompts. Choose another rubric, or others of them."
        )
    problems = rubric.gaps(known, {response.prompt for response in judged})
    problems = problems or list(_without_gold(known, judged))
    if problems:
        more = f" And {len(problems) - MOST_NAMED} more." if len(problems) > MOST_NAMED else ""
        raise Refusal(
            "Gold answers or criteria are missing. " + " ".join(problems[:MOST_NAMED]) + more
        )


def _without_gold(known: rubric.ParsedRubric, responses: Sequence[Response]) -> Iterable[str]:
    prompts = prompt_versions.known({response.prompt for response in responses})
    for response in responses:
        asked = response.instance
        try:
            gold_shown(response, known.prompts[response.prompt], prompts.get(response.prompt))
        except rubric.RubricError as error:
            yield f"{asked.contradiction.title}, question {asked.n} (prompt {response.prompt}): {error}"
