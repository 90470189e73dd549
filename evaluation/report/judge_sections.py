"""The judge models of a report, laid out for its page. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.charts.confusion import confusion_matrix
from evaluation.report.judge_sentences import ceiling_sentence, held_out_sentence, judge_sentence
from evaluation.shapes.judge_models import JudgeModel
from evaluation.shapes.study_report import Report
from evaluation.statistics.tables import YES
from evaluation.tables import judges
from evaluation.tables.judges import Compared
from evaluation.tables.report_words import cluster_word, query
from evaluation.tables.table import Cell, Table, count
from evaluation.tables.verdicts import verdict_table
from evaluation.tables.words import counted

STATES = {
    "waiting": "waiting",
    "running": "being asked",
    "judged": "judged",
    "unparsed": "without a verdict in the reply",
    "failed": "failed",
    "cancelled": "cancelled",
}
# What a reply can hold instead of one verdict, in the report's order.
REPLIES = {
    "nothing": "empty",
    "none": "with words but no verdict",
    "several": "with verdicts that differ, of which the last one counts",
}


@dataclass(frozen=True)
class AgainstPeople:
    """How a judge model matches people on the responses to one prompt; `tables` have one group each."""

    title: str
    sentences: tuple[str, ...]
    wrong: Cell
    halves: Table
    classes: Table
    models: Table
    matrix: Table
    svg: str
    without_final_verdict: int


@dataclass(frozen=True)
class JudgeSection:
    """One judge model: how far it is, how it matches people, and what it says of everything (table 6)."""

    id: int
    judge: str
    facts: tuple[str, ...]
    replies: tuple[tuple[str, Cell], ...]
    population: str
    prompts: tuple[AgainstPeople, ...]
    everything: Table
    everything_population: str
    resampled: JudgeModel


def judge_sections(report: Report) -> list[JudgeSection]:
    """The report's judge models."""
    return [_section(report, judge) for judge in report["judge_models"]]


def _section(report: Report, judge: JudgeModel) -> JudgeSection:
    return JudgeSection(
        judge["id"],
        judge["judge"],
        tuple(_facts(judge)),
        tuple(_replies(judge)),
        judge["population"],
        tuple(_against_people(report, judge)),
        verdict_table(report, judge),
        judge["table"]["population"],
        judge,
    )


def _facts(judge: JudgeModel) -> Iterator[str]:
    if judge["from_file"]:
        yield "Replies from a file"
    else:
        yield f"{judge['judge_prompt']} with hash {judge['prompt_sha256'][:12]}"
    if judge["states"]:
        states = (f"{n:,} {STATES[state]}" for state, n in judge["states"].items())
        yield f"Responses: {', '.join(states)}"
    if judge["spellings"]:
        spelt = (f"{spelling} {n:,}" for spelling, n in judge["spellings"].items())
        yield f"Verdicts as the replies spell them: {'; '.join(spelt)}"
    if judge["versions"]:
        of = (f"{name} ({counted(n, 'reply', 'replies')})" for name, n in judge["versions"].items())
        yield f"Gold answers by version of the rubric: {', '.join(of)}"


def _replies(judge: JudgeModel) -> Iterator[tuple[str, Cell]]:
    """How many replies are odd, and in which way; each number leads to them."""
    found = [
        (f"Replies {words}", judge["replies"][kind], {"holds": kind})
        for kind, words in REPLIES.items()
    ]
    found.append(
        ("Replies on responses of this model itself", judge["itself"] or 0, {"itself": YES})
    )
    found.append(
        (
            "Replies by a version of the rubric that no longer counts on the response, in no number here",
            judge["other_versions"],
            {"other": YES},
        )
    )
    for words, n, chosen in found:
        if n:
            yield words, count(n, rows=query(of="kept", judge_model=judge["id"], **chosen))


def _against_people(report: Report, judge: JudgeModel) -> Iterator[AgainstPeople]:
    made = (judges.halves_table, judges.classes_table, judges.by_model_table)
    halves, classes, models = (make(report, judge) for make in made)
    cluster = cluster_word(report)
    for of in judges.compared(report, judge):
        scores, matrix = of.scores, judges.matrix_of(of)
        yield AgainstPeople(
            of.title,
            (
                held_out_sentence(judge["judge"], scores, cluster),
                judge_sentence(judge["judge"], scores, cluster),
                ceiling_sentence(report, scores["prompt"]),
            ),
            judges.wrong(of),
            halves.only(of.prompt["label"]),
            classes.only(of.prompt["label"]),
            models.only(of.prompt["label"]),
            matrix,
            _chart(of, matrix),
            scores["without_final_verdict"],
        )


def _chart(of: Compared, matrix: Table) -> str:
    labels = [words for (words,) in matrix.columns[:-1]]
    table = [[cell.k or 0 for cell in line.cells[:-1]] for line in matrix.groups[0].lines]
    right = sum(table[i][i] for i in range(len(table)))
    return confusion_matrix(
        table,
        labels,
        sides=("People", of.called),
        title=f"Final verdicts and those of {of.called} on prompt {of.prompt['label']}",
        describe=f"{counted(of.scores['n'], 'response')}, {right} on the diagonal, "
        f"{counted(of.scores['unparsed'], 'reply', 'replies')} without a verdict.",
        key=matrix.key,
    )
