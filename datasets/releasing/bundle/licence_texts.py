"""LICENSES.md, and the licences of a release by how much of its text is under each. Pure."""

from collections import Counter

from datasets.releasing.bundle.facts import Facts
from datasets.releasing.bundle.licences import (
    BEFORE_LICENCE,
    EITHER,
    SINCE_LICENCE,
    spdx,
)
from datasets.releasing.bundle.texts import inline


def known_licences(facts: Facts) -> list[str]:
    """All licences as SPDX spells them, that of most of the text first; [] where one is not known by name."""
    letters = Counter[str]()
    if facts.protocol:
        # All text is the records', their answers and claims too; what was added are our numbers.
        letters[spdx(facts.protocol_licence)] += facts.counted.annotation_letters
        letters[spdx(facts.said("licence"))] += 0
    else:
        letters[spdx(facts.said("licence"))] += facts.counted.annotation_letters
    for host, licence in facts.wikis.items():
        for name in [SINCE_LICENCE, BEFORE_LICENCE] if licence == EITHER else [spdx(licence)]:
            letters[name] += facts.counted.passage_letters[host]
    return [] if "" in letters else [name for name, _ in letters.most_common()]


def licences(facts: Facts) -> str:
    """LICENSES.md."""
    chosen = inline(facts.said("licence"))
    if facts.protocol:
        return _DECLARED.format(
            title=inline(facts.title),
            protocol=inline(facts.protocol),
            licence=inline(facts.protocol_licence),
            source=inline(facts.protocol_source),
            chosen=chosen,
            canary=inline(facts.canary) if facts.canary else "The protocol declares none.",
        )
    passages = "\n".join(
        f"| Passages copied from {inline(host) if host else 'pages that are not named'} | {inline(licence)} |"
        for host, licence in facts.wikis.items()
    )
    return _WIKICONTRADICT.format(title=inline(facts.title), chosen=chosen, passages=passages)


_WIKICONTRADICT = """\
# Licences of {title}

| Part | Licence |
|---|---|
{passages}
| Stand-alone passages | adaptations of those passages, under the same licence |
| Annotations: claims, spans, types, questions, answers, comments | {chosen} |
| Words of the prompts, and the judge prompt | quoted from Hou et al. 2024, WikiContradict |
| Programs in `inspect/` and `lm_eval/` | Apache-2.0, as Sic et Non |

`attribution.csv` has the title, a permanent link and the licence of each passage. It also links the history of each
page, which names the authors. Where the source of a record names no revision, it says so. The licence of a wiki other
than Wikipedia is the one that it said when its pages were last fetched.
"""
_DECLARED = """\
# Licences of {title}

| Part | Licence |
|---|---|
| Records, as the protocol {protocol} says | {licence} |
| What was added here | {chosen} |

Source of the records: {source}

Canary: {canary}

The records name no page of a wiki, so there is no `attribution.csv`.
"""
