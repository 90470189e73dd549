"""What the intervals of a report resample: read from a request's query or a command's options."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.statistics import bootstrap
from evaluation.statistics.bootstrap import ResamplePlan
from judging.models import Study
from leases.refusal import Refusal


@dataclass(frozen=True)
class Clustering:
    """What is resampled as a whole, how often, and from which seed (the study's where None)."""

    by: str = "article"
    resamples: int = bootstrap.RESAMPLES
    seed: int | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Clustering":
        """From a request's query or a command's options; raises Refusal for what cannot be done."""
        by = query.get("cluster", "").strip() or cls.by
        if by not in CLUSTERS:
            raise Refusal(f"cluster={by} is not known. Use one of: {', '.join(CLUSTERS)}.")
        numbers = {}
        for name in ("resamples", "seed"):
            given = query.get(name, "").strip()
            if given and not (given.isascii() and given.isdecimal() and len(given) <= 18):
                raise Refusal(f"{name}={given[:40]} is no whole number.")
            numbers[name] = int(given) if given else None
        resamples = numbers["resamples"]
        clustering = cls(by, cls.resamples if resamples is None else resamples, numbers["seed"])
        try:
            ResamplePlan(clustering.seed or 0, clustering.resamples)
        except ValueError as error:
            raise Refusal(str(error)) from error
        return clustering

    def plan(self, study: Study) -> ResamplePlan:
        return ResamplePlan(abs(study.seed) if self.seed is None else self.seed, self.resamples)
