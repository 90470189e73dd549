"""Export for Label Studio: the tasks with their annotations, and the labelling configuration that they fit."""

import json
from collections.abc import Iterable, Iterator

from datasets.labelstudio.configuration import configuration
from datasets.labelstudio.tasks import data_of, results_of
from datasets.schema import ANNOTATION, QUESTION
from datasets.streaming import StreamedRow

FEWEST_QUESTIONS = 2  # the fields of the study's form


class LabelStudioJson:
    """A task with one annotation for each contradiction, in the collection's order."""

    name = "label-studio-json"
    label = "Label Studio tasks (JSON)"
    suffix = "-label-studio.json"
    holds = (
        "Each tag as a task with its annotation, to be imported into a project of Label Studio that has the labelling "
        "configuration below."
    )
    leaves_out = "excluded questions, where passages were copied from, and what links two records."
    loads = 'tasks = json.load(open("{name}", encoding="utf-8"))'
    content_type = "application/json; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a task at a time."""
        before = "[\n"
        for row in rows:
            results = {"result": results_of(row.record)}
            task = {"data": data_of(row.record), "annotations": [results]}
            yield before + json.dumps(task, ensure_ascii=False)
            before = ",\n"
        yield "[]\n" if before.startswith("[") else "\n]\n"


class LabelStudioConfiguration:
    """The form of the study as Label Studio's XML, with fields for as many questions as a record has."""

    name = "label-studio-xml"
    label = "Label Studio's labelling configuration (XML)"
    suffix = "-label-studio.xml"
    holds = (
        "The form of the study with its controls, for the settings of a project of Label Studio."
    )
    leaves_out = "the checks and hints of the six steps, which Label Studio does not have."
    loads = 'configuration = open("{name}", encoding="utf-8").read()'
    content_type = "application/xml; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        named = (QUESTION.fullmatch(key) for row in rows for key in row.record[ANNOTATION])
        numbers = (int(match[1]) for match in named if match)
        yield configuration(max([FEWEST_QUESTIONS, *numbers]))
