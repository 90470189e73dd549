"""Judge models against people: accuracy, macro-F, precision, recall and F, and their verdicts on everything."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from .findings import Data, Findings
from .formulas import plain, ratio
from .resampling import Plan, intervals
from .rows import Rows
from .tables import Table, check_clustered, check_share, ends_of_lines, kept

UNPARSED = "unparsed"
HELD = ("one", "several", "none", "nothing")
STATES = ("waiting", "running", "judged", UNPARSED, "failed", "cancelled")
PEOPLE, JUDGE = "people", "judge"


def check_judge_models(report: Data, rows: Rows | None, findings: Findings) -> None:
    """The part "judge_models" of a report."""
    if rows is None or not rows.are_whole:
        findings.skip("judge models, without rows of format 2", len(report["judge_models"]))
        return
    for judge in report["judge_models"]:
        check_judge(report, judge, rows, findings)
    if "halves" in report:
        check_halves(report, rows, findings)


def check_halves(report: Data, rows: Rows, findings: Findings) -> None:
    """Two halves of the study's articles, as equal as they can be, and who was compared with people on the second."""
    held_out, every = rows.held_out, {item["article"] for item in rows.items}
    findings.compare("articles in halves", {"n": len(every)}, "n", len(rows.articles))
    development = len(every - held_out)
    uneven = len(held_out & every) - development
    findings.compare("how much the halves differ", {"n": len(every) % 2}, "n", uneven)
    resolved = {
        row["item"]
        for row in rows.verdicts
        if row["final_verdict"] is not None or row["round_verdict"] is not None
    }
    article = {item["item"]: item["article"] for item in rows.items}
    tried = {
        row["judge"]
        for row in rows.replies
        if row["holds"] and row["item"] in resolved and article[row["item"]] in held_out
    }
    found = {
        "development": development,
        "held_out": len(held_out & every),
        "tried": len(tried),
        "seed": report["halves"]["seed"],  # the rows have no titles, of which it draws the halves
    }
    findings.compare("halves of the articles", report, "halves", found)


def check_judge(report: Data, judge: Data, rows: Rows, findings: Findings) -> None:
    asked = [row for row in rows.replies if row["judge"] == judge["judge"]]
    mine = {row["item"]: row for row in asked if row.get("counts", True)}
    items = [item for item in kept(rows) if item["item"] in mine]
    if "replies" in judge:
        known = any(row["itself"] is not None for row in asked)
        check_replies(judge, [mine[item["item"]] for item in items], known, findings)
        left = {item["item"] for item in kept(rows)}
        others = [
            row for row in asked if row["holds"] and not row["counts"] and row["item"] in left
        ]
        where = f"replies of {judge['judge']} by other versions"
        findings.compare(where, judge, "other_versions", len(others))
    verdicts = [verdict["key"] for verdict in report["verdicts"]]
    spelt = Counter(row["spelling"] for row in mine.values() if row["spelling"])
    findings.compare(
        f"spellings of {judge['judge']}", judge, "spellings", dict(sorted(spelt.items()))
    )
    states = Counter(mine[item["item"]]["state"] for item in items)
    findings.compare(
        f"states of {judge['judge']}",
        judge,
        "states",
        {name: states[name] for name in STATES if name in states},
    )

    def reply_to(item: Data) -> str | None:
        row = mine[item["item"]]
        verdict: str | None = row["verdict"]
        return UNPARSED if row["state"] == UNPARSED else verdict

    Table(report, judge["table"], [*verdicts, UNPARSED], True).check(items, reply_to, findings)
    prompts = {prompt["label"]: prompt for prompt in report["prompts"]}
    plan = Plan.of(judge["table"])
    for scores in judge["prompts"]:
        prompt = prompts[scores["prompt"]]
        judged = [
            item
            for item in items
            if item["prompt"] == prompt["name"]
            and reply_to(item) is not None
            and not (prompt["one_passage"] and item["same_passage"] == "Same")
        ]
        both = [
            (item["article"], item["model"], item["final_verdict"], reply_to(item))
            for item in judged
            if item["final_verdict"] is not None
        ]
        where = f"{judge['judge']}, prompt {scores['prompt']}"
        without = len(judged) - len(both)
        findings.compare(f"without, {where}", scores, "without_final_verdict", without)
        check_scores(scores, both, verdicts, plan, where, findings)
        for half in scores.get("halves", []):
            held_out = half["half"] == "held_out"
            part = [one for one in both if (one[0] in rows.held_out) == held_out]
            check_scores(half, part, verdicts, plan, f"{where}, {half['half']}", findings)
        check_models(scores, both, verdicts, plan, where, findings)


def check_replies(judge: Data, replies: Sequence[Data], known: bool, findings: Findings) -> None:
    """What the replies hold, by which version they were asked, and how many judge the judge model, if `known`."""
    replied = [row for row in replies if row["holds"]]
    holds = Counter(row["holds"] for row in replied)
    versions = Counter(row["rubric"] for row in replied)
    found = {
        "replies": {kind: holds[kind] for kind in HELD},
        "versions": dict(sorted(versions.items())),
        "itself": sum(bool(row["itself"]) for row in replied) if known else None,
    }
    findings.compare_all(judge["judge"], judge, found)


def check_scores(
    scores: Data,
    both: list[tuple[Any, ...]],
    labels: Sequence[str],
    plan: Plan,
    where: str,
    findings: Findings,
) -> None:
    size, sums = len(labels), by_article(both, labels)
    counts = sums.sum(axis=0).reshape(size, size + 1).astype(int)
    found = {
        "table": counts[:, :size].tolist(),
        "unparsed_by_verdict": counts[:, size].tolist(),
        "n": int(counts.sum()),
        "unparsed": int(counts[:, size].sum()),
    }
    findings.compare_all(where, scores, found)
    ends = intervals(sums, lambda flat: numbers(flat, size), plan, lambda flat: given(flat, size))
    accuracy, macro, *each = ends
    hits, people = counts.diagonal(), counts.sum(axis=1)
    predicted = counts[:, :size].sum(axis=0)
    share = {"k": int(hits.sum()), "n": int(people.sum())}
    check_counted(scores["accuracy"], share, accuracy, f"accuracy, {where}", findings)
    values = numbers(sums.sum(axis=0), size)
    check_value(scores["macro_f"], values[1], macro, f"macro-F, {where}", findings)
    for i, one in enumerate(scores["classes"]):
        of = f"{one['label']}, {where}"
        precision = {"k": int(hits[i]), "n": int(predicted[i])}
        recall = {"k": int(hits[i]), "n": int(people[i])}
        check_counted(one["precision"], precision, each[i], f"precision of {of}", findings)
        check_counted(one["recall"], recall, each[size + i], f"recall of {of}", findings)
        f = values[2 + 2 * size + i]
        check_value(one["f"], f, each[2 * size + i], f"F of {of}", findings)


def by_article(both: list[tuple[Any, ...]], labels: Sequence[str]) -> Any:
    """Articles x (people's verdict x reply, the last column for replies without a verdict), flat."""
    columns = {label: place for place, label in enumerate([*labels, UNPARSED])}
    articles = {name: row for row, name in enumerate(dict.fromkeys(one[0] for one in both))}
    sums = np.zeros((len(articles), len(labels), len(columns)))
    for article, _, people, reply in both:
        sums[articles[article], columns[people], columns[reply]] += 1
    return sums.reshape(len(sums), len(labels) * len(columns))


def numbers(flat: Any, size: int) -> Any:
    """Accuracy, macro-F, then each label's precision, recall and F."""
    counts = flat.reshape(size, size + 1, *flat.shape[1:])
    hits = np.stack([counts[i, i] for i in range(size)])
    people, predicted = counts.sum(axis=1), counts[:, :size].sum(axis=0)
    f = ratio(2 * hits, people + predicted)
    accuracy = ratio(hits.sum(axis=0), people.sum(axis=0))
    each = [ratio(hits, predicted), ratio(hits, people), f]
    return np.concatenate([accuracy[None], f.mean(axis=0)[None], *each])


def given(flat: Any, size: int) -> Any:
    """Which articles hold any of what a score is a share of."""
    counts = flat.reshape(size, size + 1, *flat.shape[1:])
    people, predicted = counts.sum(axis=1) > 0, counts[:, :size].sum(axis=0) > 0
    every = np.ones((2, flat.shape[1]), dtype=bool)
    return np.concatenate([every, predicted, people, people | predicted])


def check_models(
    scores: Data,
    both: list[tuple[Any, ...]],
    labels: Sequence[str],
    plan: Plan,
    where: str,
    findings: Findings,
) -> None:
    """Each model's verdicts from people and from the judge model, over the same responses."""
    columns = {PEOPLE: [*labels], JUDGE: [*labels, UNPARSED]}
    lines = [(model, who) for model in sorted({one[1] for one in both}) for who in columns]
    counted = [
        (article, (model, who), verdict)
        for article, model, people, reply in both
        for who, verdict in ((PEOPLE, people), (JUDGE, reply))
    ]
    ends = ends_of_lines(counted, lines, columns[JUDGE], plan)
    times = Counter((line, verdict) for _, line, verdict in counted)
    for one in scores["models"]:
        model = one["model"]
        n = sum(times[(model, PEOPLE), label] for label in labels)
        findings.compare(f"n of {model}, {where}", one, "n", n)
        for who, verdicts in columns.items():
            found = {verdict: times[(model, who), verdict] for verdict in verdicts}
            findings.compare(f"{who}, {model}, {where}", one, who, found)
        for cell in one["shares"]:
            who, verdict = cell["whose"], cell["verdict"]
            share = {"k": times[(model, who), verdict], "n": n}
            of = f"{verdict}, {who}, {model}, {where}"
            check_counted(cell, share, ends[model, who, verdict], of, findings)


def check_counted(cell: Data, share: Data, ends: Data, where: str, findings: Findings) -> None:
    findings.compare_all(where, cell, share)
    check_share(cell, ends, where, findings)


def check_value(cell: Data, value: Any, ends: Data, where: str, findings: Findings) -> None:
    findings.compare(where, cell, "value", plain(value))
    check_clustered(cell, ends, where, findings)
