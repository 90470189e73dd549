"""Writes the frozen files, unless they are there. Not collected as a test."""

import hashlib
import json

import pytest

from evaluation.sections.study import study_report
from judging.files.predictions import import_predictions
from tests.evaluation.factories import INSTANCES, SCALE, exclude, judged_study, resolve_all
from tests.evaluation.frozen import FILE
from tests.evaluation.frozen.whole import FILES, files_of, study_of_two_rounds
from tests.judging import factories as judging

SAYS = ("correct", "partially correct", "incorrect", "?")
WIDTH = 150

pytestmark = pytest.mark.django_db


def ten_articles():
    """A run over ten instances, each of an article of its own."""
    run = judging.run()
    for n in range(1, 11):
        about = judging.instance(n, **INSTANCES[n % len(INSTANCES)])
        for prompt in ("internal-knowledge", "both-passages"):
            for model_id in judging.MODEL_IDS:
                judging.response(run, about, prompt, judging.language_model(model_id))
    return run


def mixed(who, slot):
    """All three verdicts; bob differs on every fifth response."""
    place = slot.item.position
    return SCALE[(place + (who == "bob" and place % 5 == 0)) % 3]


def lines_of(value, indent=""):
    """JSON in lines that are filled as a text is, so that a part of the report can be seen as a whole."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + len(flat) <= WIDTH:
        return flat
    deeper = indent + " "
    if isinstance(value, list):
        parts = [lines_of(one, deeper) for one in value]
    else:
        parts = [f"{json.dumps(name)}: {lines_of(one, deeper)}" for name, one in value.items()]
    lines = [parts[0]]
    for part in parts[1:]:
        if "\n" in lines[-1] + part or len(deeper) + len(lines[-1]) + len(part) > WIDTH:
            lines.append(part)
        else:
            lines[-1] += f", {part}"
    first, last = ("[", "]") if isinstance(value, list) else ("{", "}")
    return f"{first}\n{deeper}" + f",\n{deeper}".join(lines) + f"\n{indent}{last}"


def test_write_the_frozen_report():
    if FILE.exists():
        pytest.skip("The report is written once.")
    study = judged_study("alice", "bob", drawn_from=ten_articles(), choose=mixed, name="Frozen")
    resolve_all(study)
    exclude(study, 2)
    replies = "".join(f"{n},evaluation: {SAYS[n % 4]}\n" for n in range(40))
    import_predictions(study, f"item,reply\n{replies}".encode(), "Elsewhere")
    FILE.write_text(lines_of(study_report(study)) + "\n", encoding="utf-8")


def test_write_the_hashes_of_all_files(settings):
    if FILES.exists():
        pytest.skip("The hashes are written once.")
    settings.VERSION = "frozen"
    hashes = {
        name: hashlib.sha256(text.encode("utf-8")).hexdigest()
        for name, text in files_of(study_of_two_rounds())
    }
    FILES.write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
