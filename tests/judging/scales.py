"""Rubrics of two and of six verdicts, in the folder of the program's rubrics."""

import json

import pytest

from judging.rules import rubric

SCALES = {
    "yes-no": [{"key": "no", "label": "Not entailed"}, {"key": "yes", "label": "Entailed"}],
    "six": [
        {"key": "useless", "label": "Useless", "tone": "bad"},
        {"key": "poor", "label": "Poor", "tone": "bad"},
        {"key": "fair", "label": "Fair", "tone": "middling"},
        {"key": "usable", "label": "Usable", "tone": "middling"},
        {"key": "good", "label": "Good", "tone": "good"},
        {"key": "excellent", "label": "Excellent", "tone": "good"},
    ],
}


def keys_of(name: str) -> list[str]:
    """The verdicts, worst first."""
    return [verdict["key"] for verdict in SCALES[name]]


def body_of(name: str) -> dict[str, object]:
    """The prompts and gold answers of the program's rubric, with other verdicts."""
    known, keys = rubric.content("wikicontradict"), keys_of(name)
    criteria = {key: [f"It is {key}."] for key in keys}
    said = {"proposed": keys[::-1], "unusual": {}, "criteria": criteria}
    prompts = {prompt: {**entry, **said} for prompt, entry in known["prompts"].items()}
    return {**known, "name": name, "verdicts": SCALES[name], "prompts": prompts}


@pytest.fixture
def scales(tmp_path, monkeypatch):
    """The folder with the program's rubric and these."""
    bodies = [rubric.content("wikicontradict"), *map(body_of, SCALES)]
    for body in bodies:
        (tmp_path / f"{body['name']}.json").write_text(json.dumps(body), encoding="utf-8")
    monkeypatch.setattr(rubric, "FOLDER", tmp_path)
