"""Memory and time of an import of 49 MB, and how long another process waits to write meanwhile.

A dataset whose records deviate from the form in everything, and a human evaluation. The file is imported by its command
in a program of its own; its memory is that at its peak, less that of the program before it. A bare write of another
process, every 20 ms, is compared with the same while nothing else goes on.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
MB = 1e6
WANTED = 49 * MB
PAUSE = 0.02


def main() -> None:
    wanted = float(sys.argv[1]) * MB if len(sys.argv) > 1 else WANTED
    with tempfile.TemporaryDirectory(prefix="sicetnon-importing-") as name:
        folder = Path(name)
        step(folder, "prepare")
        _, waits = waits_during(folder, partial(time.sleep, 5))
        print_line("nothing else", {"seconds": 5.0}, waits)
        for what, make in (("dataset", dataset), ("evaluation", evaluation)):
            path = folder / f"{what}.json"
            path.write_text(json.dumps(make(wanted)), encoding="utf-8")
            took, waits = waits_during(folder, partial(step, folder, what, path))
            print_line(f"{what}, {path.stat().st_size / MB:.0f} MB", took, waits)


def print_line(name: str, took: dict, waits: list[float]) -> None:
    memory = f"{took['mb']:5.0f} MB" if "mb" in took else ""
    usual = sorted(waits)
    print(
        f"{name:22} {took['seconds']:6.1f} s {memory:8}  another's write: median {usual[len(usual) // 2]:5.3f} s, "
        f"longest {usual[-1]:6.3f} s, n={len(usual)}"
    )


def waits_during(folder: Path, act: Callable[[], T]) -> tuple[T, list[float]]:
    """What `act` returns, and the seconds of each write that another process made meanwhile."""
    writer = subprocess.Popen(command("write"), env=env(folder), stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    writer.stdout.readline()
    result = act()
    writer.send_signal(signal.SIGINT)
    return result, json.loads(writer.communicate()[0])


def step(folder: Path, *arguments: object) -> dict:
    done = subprocess.run(
        command(*arguments), env=env(folder), stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "bench.importing", "step", *map(str, arguments)]


def env(folder: Path) -> dict[str, str]:
    mine = {"DATA_DIR": str(folder), "SECRET_KEY": "bench-" + "0" * 50, "LOG_LEVEL": "WARNING"}
    mine |= {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3"}
    return {**os.environ, **mine, "DJANGO_SETTINGS_MODULE": "config.settings"}


# ---------------------------------------------------------------- in programs of their own


def measure(what: str, *paths: str) -> None:
    import django
    from django.core.management import call_command

    django.setup()
    if what == "prepare":
        call_command("migrate", verbosity=0)
    if what == "write":
        print(json.dumps(writes()))
        return
    call_command("check", stdout=sys.stderr)  # loads what every program has
    before, start = peak(), time.perf_counter()
    if what == "dataset":
        call_command("import_dataset", "wikicontradict", *paths, collection="bench", stdout=sys.stderr)  # fmt: skip
    if what == "evaluation":
        call_command("import_human_evaluation", *paths, study="Bench", stdout=sys.stderr)
    print(json.dumps({"seconds": time.perf_counter() - start, "mb": peak() - before}))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def writes() -> list[float]:
    from django.db import OperationalError

    from wikifetch.models import Wiki

    wiki, _ = Wiki.objects.get_or_create(base_url="https://w.example/wiki/", defaults={"name": "W"})
    waits: list[float] = []
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a program in the background ignores it
    print("writing", flush=True)
    try:
        while True:
            start = time.perf_counter()
            with suppress(OperationalError):  # it waited as long as a program does, and is refused
                Wiki.objects.filter(pk=wiki.pk).update(name=f"W {len(waits)}")
            waits.append(time.perf_counter() - start)
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        return waits


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
    if sys.argv[1:2] == ["step"]:
        measure(*sys.argv[2:])
    else:
        main()
