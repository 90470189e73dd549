"""Freezing a large collection and downloading its bundle by four people at once, while somebody else reads and saves.

Of a tenth of the records and then of all, so that the memory shows that it does not grow with them. The freeze is that
of a worker, next to json.dumps of one query's rows; the downloads are those of the web server, next to one read of the
stored file; a page and a save stand next to the same with nothing else under way. Then a response to each record, made
elsewhere, comes in, next to json.loads of its line.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import requests

from bench import content
from bench.declared import loads
from bench.exporting import dump, run
from bench.machine import (
    T,
    apart,
    arguments,
    measured,
    measured_here,
    on_each,
    print_next_to,
    tree_memory,
)
from bench.web import Browser, Server, at_once, seconds_of, served

FEW = 100  # passages in memory, over and over


def main() -> None:
    on_each(measure, arguments("releasing", __doc__, records=100_000))


def measure(options: argparse.Namespace) -> None:
    session = apart(make_admin)
    with served() as server:
        browser = Browser(server.port, session)
        acts = (partial(browser.get, "/account/"), partial(save, browser))
        alone = [median(seconds_of(act, 10)) for act in acts]
        for n in (options.records // 10, options.records):
            key = apart(make, n)
            frozen, waits = meanwhile(partial(measured_here, partial(freeze, key)), acts)
            print_next_to(measured(partial(dump, partial(rows, n))), f"{n} records frozen", frozen)
            print_waits("freeze", waits, alone)
            before = tree_memory(server.pid)
            took, waits = meanwhile(partial(download_four, server, session, n), acts)
            size, least = apart(read_stored, n)
            print(
                f"  four downloads of {size / 1e6:.0f} MB in {took:.2f} s, one read of the file in {least:.2f} s  "
                f"ratio {took / least:.1f}, web processes grew by {tree_memory(server.pid) - before:.0f} MB",
                flush=True,
            )
            print_waits("downloads", waits, alone)
            answers = Path(os.environ["DATA_DIR"]) / "answers.jsonl"
            apart(answer, answers, n)
            command = ("import_responses", str(answers), "--release", f"of-{n}", "1.0")
            least = measured(partial(loads, answers))
            print_next_to(least, f"{n} responses in", measured(partial(run, *command)))


def meanwhile(
    work: Callable[[], T], acts: tuple[Callable[[], object], ...]
) -> tuple[T, list[list[float]]]:
    """What `work` returns, in a child of this process, and the seconds of each of the acts until then."""
    taken: list[list[float]] = [[] for _ in acts]
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        done = pool.submit(work)
        while not done.done() or not taken[0]:
            for seconds, act in zip(taken, acts, strict=True):
                seconds += seconds_of(act, 1)
            time.sleep(0.05)
        return done.result(), taken


def print_waits(during: str, waits: list[list[float]], alone: list[float]) -> None:
    for name, seconds, least in zip(("page", "save"), waits, alone, strict=True):
        print(
            f"    during the {during}, a {name}: {median(seconds) * 1e3:.0f} ms median, {max(seconds) * 1e3:.0f} most "
            f"(n = {len(seconds)}); alone {least * 1e3:.0f}  ratio {median(seconds) / least:.1f}",
            flush=True,
        )


def make_admin() -> str:
    from datasets.models import Collection
    from tests.annotation.factories import admin

    Collection.objects.create(name="small")
    return content.session_of(admin())


def save(browser: Browser) -> None:
    said = f"Saved at {time.time()}."
    browser.post("/collections/small/description/", [("description", said), ("language", "en")])


def make(n: int) -> int:
    """The key of the job that freezes a collection of n records with a question each."""
    from accounts.models import Person
    from datasets.models import Collection, Contradiction, Instance
    from datasets.releasing import freeze_jobs
    from leases.planner import learn_sizes

    made, drawn = Collection.objects.create(name=f"of-{n}"), random.Random(5)
    texts = [content.passages(drawn) for _ in range(FEW)]
    row = {"collection": made, "validity": "Valid", "same_passage": "Different", "title": "Mill"}
    Contradiction.objects.bulk_create(
        (
            Contradiction(
                position=k,
                external_id=hashlib.sha256(f"{n} {k}".encode()).hexdigest(),
                url="https://en.wikipedia.org/wiki/Mill",
                **row,
                **texts[k % FEW],
            )
            for k in range(n)
        ),
        batch_size=500,
    )
    keys = made.contradictions.values_list("pk", flat=True)
    asked = {"n": 1, "question": "When?", "answer_1": "Then", "answer_2": "Later", "kind": "wh"}
    questions = (Instance(contradiction_id=key, **asked) for key in keys)
    Instance.objects.bulk_create(questions, batch_size=500)
    learn_sizes()
    by = Person.objects.get()
    return freeze_jobs.begin(collection=made, version="1.0", notes="", by=by).pk


def freeze(key: int) -> None:
    from datasets.models import FreezeJob
    from datasets.releasing import freeze_jobs

    freeze_jobs.carry_out(key)
    assert FreezeJob.objects.get(pk=key).state == "done"


def answer(path: Path, n: int) -> None:
    """Write a response of 100 words to one prompt about each record."""
    from datasets.models import ReleaseFile
    from datasets.releasing.members import open_member

    drawn = random.Random(5)
    texts = [content.prose(drawn, 600) for _ in range(FEW)]
    bundle = ReleaseFile.objects.get(release__collection__name=f"of-{n}", format="bundle")
    with open_member(bundle, "data/prompts.jsonl") as lines, path.open("w") as file:
        for line in map(json.loads, lines):
            if line["prompt"] == "both-passages":
                given = {"row": line["id"], "prompt_sha256": line["prompt_sha256"]}
                given |= {"model": "lab/llm-7b", "text": drawn.choice(texts)}
                file.write(json.dumps(given) + "\n")


def rows(n: int):
    from datasets.models import Contradiction

    return Contradiction.objects.filter(collection__name=f"of-{n}").values().iterator()


def download_four(server: Server, session: str, n: int) -> float:
    began = time.perf_counter()
    sizes = at_once([partial(download, server, session, n)] * 4)
    assert len(set(sizes)) == 1
    return time.perf_counter() - began


def download(server: Server, session: str, n: int) -> int:
    address = f"http://127.0.0.1:{server.port}/collections/of-{n}/releases/1.0/files/bundle/"
    with requests.get(
        address, cookies={"sicetnon_session": session}, stream=True, timeout=600
    ) as answer:
        answer.raise_for_status()
        size = sum(map(len, answer.iter_content(1 << 16)))
        assert size == int(answer.headers["Content-Length"])
        return size


def read_stored(n: int) -> tuple[int, float]:
    """(bytes, seconds of one read) of the stored bundle."""
    from datasets.models import ReleaseFile
    from datasets.releasing.stored_files import opened

    file = ReleaseFile.objects.get(release__collection__name=f"of-{n}", format="bundle")
    began = time.perf_counter()
    with opened(file) as stored:
        while stored.read(1 << 16):
            pass
    return file.bytes, time.perf_counter() - began


if __name__ == "__main__":
    main()
