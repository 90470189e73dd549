"""Run by the lab's own Python in the folder of a bundle: read all data files by each library, print what was read."""

import csv
import json
import logging
import sys
from pathlib import Path

import mlcroissant
import pandas
import pyarrow.csv
import pyarrow.json

from datasets import load_dataset


class Kept(logging.Handler):
    """The messages from a level on."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def by_croissant() -> dict:
    kept = Kept()
    logging.getLogger().addHandler(kept)
    loaded = mlcroissant.Dataset(jsonld="croissant.json")
    counts = {
        record_set.id: sum(1 for _ in loaded.records(record_set=record_set.id))
        for record_set in loaded.metadata.record_sets
    }
    issues = loaded.metadata.ctx.issues
    return {
        "counts": counts,
        "problems": [*map(str, issues.errors), *map(str, issues.warnings), *kept.messages],
    }


def by_configuration(names: list) -> dict:
    return {name: load_dataset(str(Path.cwd()), name, split="test").num_rows for name in names}


def by_pandas(path: Path) -> int:
    if path.suffix == ".csv":
        return len(pandas.read_csv(path))
    return len(pandas.read_json(path, lines=path.suffix == ".jsonl"))


def by_pyarrow(path: Path) -> int:
    if path.suffix == ".csv":
        options = pyarrow.csv.ParseOptions(newlines_in_values=True)
        return pyarrow.csv.read_csv(path, parse_options=options).num_rows
    return pyarrow.json.read_json(path).num_rows


def by_datasets(path: Path) -> int:
    kind = "csv" if path.suffix == ".csv" else "json"
    return load_dataset(kind, data_files={"test": str(path)}, split="test").num_rows


def by_csv(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def main() -> None:
    files = sorted(Path("data").iterdir())
    # A list in one piece is no JSON Lines.
    lines = [path for path in files if path.suffix != ".json"]
    tables = [*(path for path in files if path.suffix == ".csv"), *Path().glob("*.csv")]
    found = {
        "croissant": by_croissant(),
        "configurations": by_configuration(sys.argv[1:]),
        "datasets": {path.name: by_datasets(path) for path in files},
        "pandas": {path.name: by_pandas(path) for path in files},
        "pyarrow": {path.name: by_pyarrow(path) for path in lines},
        "csv": {path.name: by_csv(path) for path in tables},
    }
    Path("read.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
