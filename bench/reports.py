"""Time and memory of a study's report for the first time, next to one pass over what it counts.

A study of --responses with two verdicts each, and one of --scored responses, of 12 models to 7 prompts, which a
protocol's scorer labels. Page and JSON are asked for in a new process each, so with the packages that a first report
loads and 10,000 resamples. The least reads each study's responses and verdicts once, and counts equal rows.
"""

import argparse
from collections import Counter
from pathlib import Path

from bench.common import apart, measured, print_next_to, run
from bench.world import answered, judged, some_minutes_later

KINDS = {"page": "/reports/{}/", "JSON": "/reports/{}.json"}


def main() -> None:
    run("reports", __doc__, measure, responses=20_000, scored=100_000)


def measure(options: argparse.Namespace, folder: Path) -> None:
    import config.urls  # noqa: F401 with every view, as a server has them

    judged_study, scored_study = apart(make, options.responses, options.scored)
    for name, n, study in (
        ("judged", options.responses, judged_study),
        ("scored", options.scored, scored_study),
    ):
        least = measured(one_pass, study)
        for kind, address in KINDS.items():
            print_next_to(least, f"{n} {name}: {kind}", measured(take, address.format(study)))


def make(responses: int, scored: int) -> tuple[int, int]:
    """The keys of both studies, closed."""
    from accounts.roles import Role
    from judging.studies import close_study
    from tests.evaluation.scored import CAUSES, scored_study
    from tests.evaluation.scored import answered as scored_run
    from tests.factories import person

    person("rosa", Role.RESEARCHER)
    study = judged(answered(responses))
    close_study(study)
    models = [f"model-{n}" for n in range(12)]
    prompts = ("no-evidence", "default", *CAUSES, "two-temporal", "two-semantic-shuffled")
    asked = scored_run(-(-scored // (len(models) * len(prompts))), models, prompts)
    both = study.pk, scored_study(asked).pk
    some_minutes_later()
    return both


def one_pass(study: int) -> None:
    from judging.models import StudyItem

    about = ("model", "prompt", "text", "finding", "instance__contradiction__title")
    fields = [f"response__{name}" for name in about]
    rows = StudyItem.objects.filter(study=study)
    assert Counter(rows.values_list(*fields, "slots__judge", "slots__judgment__first_verdict"))


def take(address: str) -> None:
    from django.test import Client

    from accounts.models import Person

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(Person.objects.get(username="rosa"))
    assert client.get(address).status_code == 200


if __name__ == "__main__":
    main()
