"""What a report's page says of a study: who judged, and how its questions were drawn."""

import pytest

from evaluation.report.study_facts import resolution_in_words, study_facts

PLAIN = {
    "is_imported": False,
    "judges": 3,
    "judges_per_response": 1,
    "double_percent": 0,
    "without_own": False,
    "own_verdicts": [0, 40],
    "excluded_instances": 0,
}
DRAWN = {"name": "Few", "query": "All questions", "by": "", "drawn": 1, "frame": 4, "seed": 7}


def facts(**changed):
    body = {
        "study": {**PLAIN, **changed},
        "models": [{"name": "a"}, {"name": "b"}],
        "prompts": [{"label": "1", "title": "Alone"}, {"label": "2", "title": "Passage 1"}],
    }
    return dict(study_facts(body))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "3 in all, 1 for each response"),
        ({"double_percent": 20}, "3 in all, 1 for each response, two for 20 %"),
        (
            {"without_own": True, "own_verdicts": [2, 40]},
            "3 in all, 1 for each response; nobody judged responses to their own questions",
        ),
        (
            {"own_verdicts": [2, 40]},
            "3 in all, 1 for each response; 2 of 40 first verdicts are on questions that their judge "
            "wrote or annotated",
        ),
        (
            {"judges_per_response": 2, "short_rounds": {"1": [1200, 1, 0, 9]}},
            "3 in all, 2 planned for each response; verdicts by 3 people on 9, by 1 person on 1, none on 1,200",
        ),
        ({"is_imported": True}, "Not in the file, which has one verdict for each response"),
    ],
)
def test_who_judged_is_said_with_how_many_judged_each_response(changed, words):
    assert facts(**changed)["Judges"] == words


@pytest.mark.parametrize(
    ("subset", "words"),
    [
        (DRAWN, "Few: 1 of 4 questions (all questions), drawn with seed 7"),
        (
            {**DRAWN, "frame": 1, "by": "Reasoning"},
            "Few: 1 of 1 question (all questions), drawn with seed 7, strata by Reasoning",
        ),
    ],
)
def test_a_subset_is_said_with_how_it_was_drawn(subset, words):
    assert facts(subset=subset)["Subset"] == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0, 0, "no question"),
        (3, 2, "3 questions before results existed, 2 after"),
        (1, 0, "1 question before results existed"),
        (0, 1200, "1,200 questions after results existed"),
    ],
)
def test_exclusions_before_and_after_results_are_counted_apart(before, after, words):
    counts = {"excluded_before_results": before, "excluded_after_results": after}
    assert facts(**counts)["Excluded"] == words


def test_models_and_prompts_are_listed_and_no_subset_is_where_none_was_drawn():
    listed = facts()
    assert (listed["Models"], listed["Prompts"]) == ("a, b", "1: Alone; 2: Passage 1")
    assert "Subset" not in listed


def test_final_verdicts_are_counted_by_how_they_came_about():
    ways = [{"label": "Unanimous", "count": 95}, {"label": "Third person", "count": 3}]
    assert resolution_in_words({"resolution": ways}) == "Unanimous 95; Third person 3"
