"""A comparison that a researcher asks for: read from a request's query, made into a family. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.compare.families import GAINS, KINDS, MODELS, PROMPTS, REASONING, Answered, Family
from leases.refusal import Refusal
from protocols.declaration import WIKICONTRADICT

KIND_LABELS = {
    PROMPTS: "Two prompts, within each model",
    MODELS: "Each two models, on one prompt",
    REASONING: "Explicit against implicit questions, within each model",
    GAINS: "The gain between two prompts, on explicit and on implicit questions",
}
TWO_PROMPTS = (PROMPTS, GAINS)


def kinds_for(protocol: str) -> list[tuple[str, str]]:
    """The kinds that can be asked of a protocol: kinds of reasoning are WikiContradict's."""
    kinds = KINDS if protocol == WIKICONTRADICT else (PROMPTS, MODELS)
    return [(kind, KIND_LABELS[kind]) for kind in kinds]


@dataclass(frozen=True)
class AskedComparison:
    """What was asked. `first` and `second` are prompts' names; `models` empty means all; `margin` a share."""

    kind: str
    first: str
    second: str
    verdict: str
    models: tuple[int, ...] = ()
    margin: float | None = None

    @property
    def family(self) -> Family:
        """The question as a family of its own, over which p-values are corrected."""
        prompts = (self.first, self.second) if self.kind in TWO_PROMPTS else (self.first,)
        return Family("asked", KIND_LABELS[self.kind], self.kind, (prompts,), self.margin)


def read_comparison(
    query: Mapping[str, str],
    models: Sequence[str],
    *,
    prompts: Sequence[str],
    verdicts: Sequence[str],
    known_models: Sequence[int],
) -> AskedComparison:
    """The query's question; `models` are its numbers of models. Raises Refusal with what to choose instead."""
    kind = _one_of("kind", query.get("kind", ""), KINDS)
    first = _one_of("first", query.get("first", ""), prompts)
    second = query.get("second", "")
    if kind in TWO_PROMPTS:
        second = _one_of("second", second, prompts)
        if first == second:
            raise Refusal("Choose two prompts that are not the same.")
    chosen = tuple(sorted({_model(number, known_models) for number in models}))
    if kind == MODELS and len(chosen) == 1:
        raise Refusal("Choose two models or more, or none to compare all.")
    verdict = _one_of("verdict", query.get("verdict", ""), verdicts)
    return AskedComparison(
        kind, first, second, verdict, chosen, _margin(query.get("margin", "").strip())
    )


def _one_of(name: str, given: str, allowed: Sequence[str]) -> str:
    if given not in allowed:
        raise Refusal(f"{name}={given[:60]} is not known here. Use one of: {', '.join(allowed)}.")
    return given


def _model(given: str, known: Sequence[int]) -> int:
    if not (given.isascii() and given.isdecimal() and len(given) <= 18 and int(given) in known):
        raise Refusal("This study has no responses of such a model. Choose among those shown.")
    return int(given)


def _margin(given: str) -> float | None:
    """Percentage points as a share; None where nothing was entered."""
    if not given:
        return None
    try:
        points = float(given.replace(",", "."))
    except ValueError:
        points = 0.0
    if not 0 < points < 100:
        raise Refusal(
            "A margin is a number of percentage points above 0 and below 100, such as 10."
        )
    return points / 100


def of_models(answered: Answered, names: Sequence[str]) -> Answered:
    """The responses of these models; of all where none is named."""
    return answered.where(answered.model.among(names)) if names else answered
