"""The lines of a release's data/prompts.jsonl by their ids, made again from its records, a batch at a time."""

from collections.abc import Collection, Iterable, Set
from typing import NamedTuple

from datasets.models import Instance, Release
from generation import protocol_prompts, response_planning
from generation.prompts import prompting
from generation.prompts.bundling import is_bundled
from generation.prompts.prompting import Prompt
from generation.response_planning import Rendered


class Named(NamedTuple):
    """What the id of a line names."""

    record: str
    n: int
    prompt: str


class ReleaseRows:
    """Finds the lines of a release. `prompts` are those of its bundle, by their names there.

    `hidden`: the keys of questions of whose exclusion nothing is said.
    """

    def __init__(self, release: Release, hidden: Set[int] = frozenset()) -> None:
        self.release, self._hidden = release, hidden
        of = release.collection
        every = protocol_prompts.of_protocol(of.protocol) if of.protocol else prompting.prompts()
        self.prompts = {one.base: one for one in every.values() if is_bundled(one)}

    def found(self, rows: Collection[str]) -> dict[str, Rendered | str]:
        """Each of these ids with its prompt about its question, or why no response can be to it."""
        named = {row: self._named(row) for row in rows}
        questions = self._questions({one.record for one in named.values() if one})
        fit = {key for key, why in questions.values() if not why}
        prompts = [
            self.prompts[name]
            for name in dict.fromkeys(one.prompt for one in named.values() if one)
        ]
        rendered = self._rendered(fit, prompts)
        return {row: self._one(row, one, questions, rendered) for row, one in named.items()}

    def _named(self, row: str) -> Named | None:
        record, _, rest = row.partition(":")
        n, _, prompt = rest.partition(":")
        if prompt in self.prompts and n.isascii() and n.isdecimal() and len(n) < 10:
            return Named(record, int(n), prompt)
        return None

    def _questions(self, records: Collection[str]) -> dict[tuple[str, int], tuple[int, str]]:
        """The release's questions of these records, each with its key, and why it cannot have responses."""
        in_release = self.release.rows.filter(contradiction__external_id__in=records)
        rows = Instance.objects.filter(
            contradiction__in=in_release.order_by().values("contradiction")
        )
        left_out = dict(
            self.release.left_out.filter(instance__in=rows.order_by().values("pk"))
            .order_by()
            .values_list("instance", "reason")
        )
        found = rows.order_by().values_list(
            "contradiction__external_id", "n", "pk", "exclusion__excluded_by"
        )
        return {
            (record, n): (key, self._why_not(key, left_out.get(key), excluded is not None))
            for record, n, key, excluded in found
            if not (key in self._hidden and key in left_out)
        }

    def _why_not(self, key: int, left_out: str | None, is_excluded: bool) -> str:
        if left_out is not None:
            return f"is of a question that the release leaves out: {left_out[:200]}"
        if is_excluded and key not in self._hidden:
            return "is of a question that was excluded after the release. Remove its lines"
        return ""

    def _rendered(
        self, keys: Collection[int], prompts: list[Prompt]
    ) -> dict[tuple[int, str], Rendered]:
        asked = Instance.objects.filter(pk__in=keys).select_related("contradiction").order_by()
        rows: Iterable[Rendered] = response_planning.rendered(asked, prompts) if prompts else ()
        return {(row.instance.pk, row.prompt.name): row for row in rows if not row.problem}

    def _one(
        self,
        row: str,
        named: Named | None,
        questions: dict[tuple[str, int], tuple[int, str]],
        rendered: dict[tuple[int, str], Rendered],
    ) -> Rendered | str:
        key, why = questions.get((named.record, named.n), (0, "")) if named else (0, "")
        if why:
            return f"row {row[:120]} {why}"
        found = rendered.get((key, self.prompts[named.prompt].name)) if named else None
        return found or (
            f"{self.release} has no row {row[:120]}. Take the ids of data/prompts.jsonl in its bundle"
        )
