"""Time and memory of a backup, a restore and a move, compared with SQLite's own copy of its file (VACUUM INTO).

bin/bench keeping [ROWS [TABLES]]   (100,000 unless given; TABLES is a SQLite file with all tables, to start from)

Rows of the most frequent and largest kinds: responses with their texts and attempts. Each step runs in a process of
its own, to measure its peak memory.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 100_000
WORDS = (
    "mill",
    "river",
    "year",
    "finished",
    "passage",
    "built",
    "bridge",
    "village",
    "contradicts",
    "however",
)


def main(wanted: int = ROWS, tables: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="sicetnon-keeping-") as folder:
        here, there, moved = (Path(folder) / name for name in ("here", "there", "moved.sqlite3"))
        here.mkdir()
        there.mkdir()
        for empty in (here / "db.sqlite3", there / "db.sqlite3", moved) if tables else ():
            shutil.copy(tables, empty)
        made = apart(here, "fill", wanted)
        size = (here / "db.sqlite3").stat().st_size
        print(f"{made['rows']} rows, database of {size / 1e6:.0f} MB")
        raw = apart(here, "vacuum", Path(folder) / "raw.sqlite3")
        print_line("VACUUM INTO (the raw limit)", raw, raw)
        backup = apart(here, "backup", Path(folder) / "kept")
        print_line(f"backup, of {backup['bytes'] / 1e6:.0f} MB, read back", backup, raw)
        print_line("restore, compared", apart(there, "restore", backup["path"]), raw)
        moving = apart(here, "move", f"sqlite:///{moved}")
        print_line("move to another SQLite, compared", moving, raw)


def print_line(name: str, took: dict, raw: dict) -> None:
    ratio = took["seconds"] / raw["seconds"]
    print(f"{name:38} {took['seconds']:7.1f} s  {ratio:6.1f} times  peak {took['peak_mb']:5.0f} MB")


def apart(data_dir: Path, *arguments: object) -> dict:
    """One step in its own process, on the database in `data_dir`."""
    env = {**os.environ, "DATA_DIR": str(data_dir), "SECRET_KEY": "bench-" + "0" * 50}
    env |= {"DATABASE_URL": f"sqlite:///{data_dir}/db.sqlite3", "LOG_LEVEL": "WARNING"}
    env["DJANGO_SETTINGS_MODULE"] = "config.settings"
    command = [sys.executable, "-m", "bench.keeping", "measure", *map(str, arguments)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(what: str, given: str) -> None:
    import django

    django.setup()
    start = time.perf_counter()
    result = MEASURES[what](given)
    result["seconds"] = time.perf_counter() - start
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def text(words: random.Random, n: int) -> str:
    """About a thousand characters that compress about as well as real text."""
    return " ".join(f"{words.choice(WORDS)}{words.randrange(1000)}" for _ in range(100)) + f" {n}"


def fill(rows: str) -> dict:
    from django.core.management import call_command

    from datasets.models import Collection, Contradiction, Instance
    from generation.models import Attempt, LanguageModel, Response, Run

    call_command("migrate", verbosity=0)
    collection = Collection.objects.create(name="mills")
    contradiction = Contradiction.objects.create(
        collection=collection, position=0, external_id="0" * 64, title="Mill", validity="Valid"
    )
    instance = Instance.objects.create(
        contradiction=contradiction, n=1, question="When?", kind="wh"
    )
    model = LanguageModel.objects.create(model_id="m", options_hash="0" * 64)
    run = Run.objects.create(name="run", collection=collection)
    half, words = int(rows) // 2, random.Random(15116)
    for start in range(0, half, 5_000):
        responses = Response.objects.bulk_create(
            Response(
                run=run,
                instance=instance,
                model=model,
                prompt="1",
                prompt_hash="0" * 64,
                sample=n + 1,
                rendered=text(words, n),
                gold=["1801", "1820"],
                text=f"{n} It was finished in 1801, or in 1820.",
                state="done",
                request={"messages": [{"role": "user", "content": text(words, n)}]},
            )
            for n in range(start, min(start + 5_000, half))
        )
        Attempt.objects.bulk_create(
            Attempt(response=response, n=1, latency_ms=n, status=200)
            for n, response in enumerate(responses)
        )
    return {"rows": 2 * half + 5}


def vacuum(to: str) -> dict:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [to])
    with Path(to).open("rb") as file:  # as a backup is: on the disk before it counts
        os.fsync(file.fileno())
    return {}


def backup(to: str) -> dict:
    from operations import backups

    made = backups.make(Path(to))
    return {"path": str(made.path), "bytes": made.bytes}


def restore(path: str) -> dict:
    from operations import restoring

    return {"rows": restoring.restore(Path(path)).rows}


def move(url: str) -> dict:
    from operations import moving

    return {"tables": len(moving.move(url, lambda table: None))}


MEASURES = {"fill": fill, "vacuum": vacuum, "backup": backup, "restore": restore, "move": move}

if sys.argv[1:2] == ["measure"]:
    measure(*sys.argv[2:])
else:
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
