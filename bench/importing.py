"""Memory and time of an import of 49 MB, and how long another process waits to write meanwhile.

A dataset whose records deviate from the form in everything, and a human evaluation. The file is imported by its command
in a program of its own; its memory is that at its peak, less that of the program before it. A bare write of another
process, every 20 ms, is compared with the same while nothing else goes on.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from bench.machine import apart, arguments, on_each, peak

PAUSE = 0.02


class Taken(NamedTuple):
    seconds: float
    mb: float


def main() -> None:
    on_each(measure, arguments("importing", __doc__, kb=49_000, idle=5), postgresql=False)


def measure(options: argparse.Namespace) -> None:
    print_line("nothing else", *waits_during(partial(time.sleep, options.idle)))
    for what, make, import_ in (
        ("dataset", dataset, import_dataset),
        ("evaluation", evaluation, import_evaluation),
    ):
        path = Path(os.environ["DATA_DIR"]) / f"{what}.json"
        path.write_text(json.dumps(make(options.kb * 1e3)), encoding="utf-8")
        taken, waits = waits_during(partial(import_, str(path)))
        print_line(f"{what}, {path.stat().st_size / 1e6:.1f} MB", taken, waits)


def print_line(name: str, taken: Taken, waits: list[float]) -> None:
    usual = sorted(waits)
    print(
        f"{name:22} {taken.seconds:6.1f} s {taken.mb:5.0f} MB  another's write: median "
        f"{usual[len(usual) // 2]:5.3f} s, longest {usual[-1]:6.3f} s, n={len(usual)}",
        flush=True,
    )


def waits_during(act: Callable[[], object]) -> tuple[Taken, list[float]]:
    """What `act` took in a process of its own, and the seconds of each write that another process made meanwhile."""
    here, there = multiprocessing.Pipe()
    writer = multiprocessing.get_context("fork").Process(target=writes, args=(there,))
    writer.start()
    here.recv()  # it writes
    taken = apart(timed, act)
    here.send("enough")
    waits = here.recv()
    writer.join()
    return taken, waits


# ---------------------------------------------------------------- in processes of their own


def timed(act: Callable[[], object]) -> Taken:
    from django.core.management import call_command

    call_command("check", stdout=sys.stderr)  # loads what every program has
    before, start = peak(), time.perf_counter()
    act()
    return Taken(time.perf_counter() - start, peak() - before)


def import_dataset(path: str) -> None:
    from django.core.management import call_command

    call_command("import_dataset", "wikicontradict", path, collection="bench", stdout=sys.stderr)


def import_evaluation(path: str) -> None:
    from django.core.management import call_command

    call_command("import_human_evaluation", path, study="Bench", stdout=sys.stderr)


def writes(ends: Connection) -> None:
    """Write until something is received; then send the seconds of each write."""
    from django.db import OperationalError

    from wikifetch.models import Wiki

    wiki, _ = Wiki.objects.get_or_create(base_url="https://w.example/wiki/", defaults={"name": "W"})
    waits: list[float] = []
    ends.send("writing")
    while not (waits and ends.poll()):
        start = time.perf_counter()
        with suppress(OperationalError):  # it waited as long as a program does, and is refused
            Wiki.objects.filter(pk=wiki.pk).update(name=f"W {len(waits)}")
        waits.append(time.perf_counter() - start)
        time.sleep(PAUSE)
    ends.send(waits)


def dataset(size: float) -> list[dict]:
    """Records of 1 kB, each with over 20 deviations."""
    annotation = {
        "wikitag_label_valid": "Valid",
        "paragraphA_article": "Mill",
        "paragraphA_information": "It was built in 1801. ",
        "paragraphB_article": "Mill",
        "paragraphB_information": "It was built in 1820. ",
        "wikitag_label_samepassage": "Same",
        "relevantInfo_comment_A_Span": "1791",
        "relevantInfo_comment_B_Span": "1792",
        "Contradict type I": "of no kind",
        "taxonomy": [["no dimension", "no option"]] * 10,
        "question1": "When was it built?",
        "question1_answer1": "1801",
        "question1_answer2": "1801",
        "confidence": "high",
    }
    keys = ("url", "paragraph_A", "paragraph_A_clean", "tag", "tagDate", "tagReason")
    made = [{"title": "Mill 0", **dict.fromkeys(keys, "x"), "annotationResult": annotation}]
    each = len(json.dumps(made[0])) + 8
    return [{**made[0], "title": f"Mill {n}"} for n in range(int(size / each))]


def evaluation(size: float) -> dict[str, list[dict]]:
    from tests.judging.humanfile import row

    each = len(json.dumps(row("quokka", 3))) + 2
    half = int(size / each / 2)
    return {
        model: [
            row(model, 3) | {"question_ID": n, "question1": f"When was {n} founded?"}
            for n in range(1, half + 1)
        ]
        for model in ("quokka-7b", "wombat-13b")
    }


if __name__ == "__main__":
    main()
