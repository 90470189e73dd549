"""A campaign's frame and drawing in words, for its pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.opening import fingerprint
from annotation.campaigns.tag_drawing import PILOT, CampaignDrawing, DrawnTag, first_drawn
from annotation.models import Campaign
from wikifetch.models import FetchRun, Tag, TagKind

FIRST = 10  # tags listed of a drawing


@dataclass(frozen=True)
class ShownStratum:
    """A row of the table of strata; `wanted` is None where all tags were wanted."""

    label: str
    frame: int
    wanted: int | None
    drawn: int
    reserve: int

    @property
    def is_short(self) -> bool:
        return self.wanted is not None and self.drawn < self.wanted


@dataclass(frozen=True)
class ShownDrawing:
    """What a dry run shows; `first` are the first tags to be given out, with the drawing of each."""

    drawing: CampaignDrawing
    strata: list[ShownStratum]
    first: list[tuple[Tag, DrawnTag]]
    fingerprint: str

    @property
    def by_kind(self) -> bool:
        """Whether each kind is drawn on its own."""
        return any(stratum.kind for stratum in self.drawing.strata)

    @property
    def has_pilot(self) -> bool:
        return self.drawing.drawn[-1].round > PILOT

    @property
    def frame(self) -> int:
        return sum(stratum.frame for stratum in self.strata)


def shown_drawing(drawing: CampaignDrawing) -> ShownDrawing:
    first = first_drawn(drawing, FIRST)
    tags = Tag.objects.select_related("article", "latest")
    by_key = tags.in_bulk([drawn.tag.tag for drawn in first])
    strata = shown_strata([vars(stratum) for stratum in drawing.strata])
    listed = [(by_key[drawn.tag.tag], drawn) for drawn in first]
    return ShownDrawing(drawing, strata, listed, fingerprint(drawing))


def shown_strata(strata: Sequence[Mapping[str, Any]]) -> list[ShownStratum]:
    return [
        ShownStratum(
            TagKind(stratum["kind"]).label if stratum["kind"] else "All",
            stratum["frame"],
            stratum["wanted"] or None,
            stratum["drawn"],
            stratum["reserve"],
        )
        for stratum in strata
    ]


def frame_in_words(campaign: Campaign) -> str:
    """Such as "Inconsistent (inline), dated since 2010, from Fetch 3: Category:Mills"."""
    return ", ".join(_frame_words(campaign.frame_query)) or "all live tags"


def _frame_words(query: Mapping[str, Any]) -> Iterator[str]:
    if kinds := query.get("kinds"):
        yield " and ".join(TagKind(kind).label for kind in kinds)
    if since := query.get("since"):
        yield f"dated since {since}"
    if until := query.get("until"):
        yield f"dated until {until}"
    if words := query.get("words"):
        yield f"with the words “{words}”"
    if fetch := query.get("fetch"):
        run = FetchRun.objects.filter(pk=fetch).only("label").first()
        yield f"from {run or f'fetch {fetch}'}"
    if category := query.get("category"):
        yield f"from the category “{category}”"
