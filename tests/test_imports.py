"""Who may import whom: between rooms, between the layers of a room, and what pure modules may touch."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BASE = {"leases", "accounts", "pages"}
MAY_IMPORT = {
    "leases": set(),
    # Accounts uses the shared paging; the navigation of every page depends on the person's roles.
    "accounts": {"leases", "pages"},
    "pages": {"leases", "accounts"},
    "wikifetch": BASE,
    "protocols": BASE,
    "datasets": BASE | {"protocols"},
    "annotation": BASE | {"wikifetch", "protocols", "datasets"},
    "generation": BASE | {"protocols", "datasets"},
    "judging": BASE | {"protocols", "datasets", "generation"},
    # The steps of its forms, how they are read and shown, are those of annotation.
    "writing": BASE | {"protocols", "datasets", "annotation"},
    # The report's flow from tags to tables begins at the tags.
    "evaluation": BASE
    | {"wikifetch", "protocols", "datasets", "generation", "judging", "annotation"},
    # Backups, metrics and forgetting a person concern rows of every room.
    "operations": BASE
    | {
        "wikifetch",
        "protocols",
        "datasets",
        "annotation",
        "generation",
        "judging",
        "writing",
        "evaluation",
    },
    # The demonstration set is made by the functions of every room.
    "demonstration": BASE
    | {
        "wikifetch",
        "protocols",
        "datasets",
        "annotation",
        "generation",
        "judging",
        "writing",
        "evaluation",
    },
}
ROOMS = set(MAY_IMPORT)

# Modules that answer a request, a message or a command; nothing below may import them.
EDGE = {"views", "api", "urls", "forms", "tasks", "management"}
# Modules that models may import, besides pure ones.
BELOW_MODELS = {"models", "states", "roles", "clock"}

# Logic that needs neither Django nor a network; a package stands for all its modules.
PURE = {
    "leases.extension",
    "leases.refusal",
    "leases.retry",
    "leases.fair_queue",
    "pages.controls",
    "pages.counting",
    "pages.latex",
    "pages.memory",
    "pages.worddiff",
    "accounts.addresses",
    "accounts.browsers",
    "accounts.rates",
    "wikifetch.row_columns",
    "wikifetch.history",
    "wikifetch.source.answers",
    "wikifetch.source.api_refusals",
    "wikifetch.source.categories",
    "wikifetch.source.dump",
    "wikifetch.source.dump_files",
    "wikifetch.source.dump_processes",
    "wikifetch.source.dump_streams",
    "wikifetch.source.dump_wanted",
    "wikifetch.source.dumpreader",
    "wikifetch.source.manners",
    "wikifetch.source.shapes",
    "wikifetch.source.tag_search",
    "wikifetch.source.dump_unpacking",
    "wikifetch.source.wanted",
    "wikifetch.wikihtml",
    "wikifetch.wikitext",
    "protocols.checking",
    "protocols.declaration",
    "protocols.entry_keys",
    "protocols.example_record",
    "protocols.faults",
    "protocols.new_file",
    "protocols.reading",
    "protocols.reference",
    "protocols.shipped",
    "protocols.shown_parts",
    "protocols.toml_lines",
    "datasets.drawing",
    "datasets.contexts",
    "datasets.declared",
    "datasets.description",
    "datasets.deviations",
    "datasets.identity",
    "datasets.importers.checked_records",
    "datasets.importers.comparing",
    "datasets.importers.complete_extra",
    "datasets.importers.complete_form",
    "datasets.importers.complete_records",
    "datasets.importers.csv_files.columns",
    "datasets.importers.csv_files.questions",
    "datasets.importers.declared_records",
    "datasets.importers.labelstudio_tasks",
    "datasets.importers.same_tag",
    "datasets.importers.wikicontradict_records",
    "datasets.labelstudio",
    "datasets.question_table",
    "datasets.readers",
    "datasets.releasing.bundle.asked",
    "datasets.releasing.bundle.card",
    "datasets.releasing.bundle.composition",
    "datasets.releasing.bundle.counted",
    "datasets.releasing.bundle.croissant",
    "datasets.releasing.bundle.datasheet",
    "datasets.releasing.bundle.facts",
    "datasets.releasing.bundle.fields",
    "datasets.releasing.bundle.licence_texts",
    "datasets.releasing.bundle.licences",
    "datasets.releasing.bundle.schemas",
    "datasets.releasing.bundle.source",
    "datasets.releasing.bundle.texts",
    "datasets.releasing.bundle.zipping",
    "datasets.schema",
    "datasets.taxonomy",
    "annotation.campaigns.tag_drawing",
    "annotation.blinding.rules",
    "annotation.fields.checks",
    "annotation.fields.matching",
    "annotation.fields.number_words",
    "annotation.fields.form_input",
    "annotation.fields.shown_steps",
    "annotation.guideline_text",
    "annotation.evidence.provenance",
    "annotation.evidence.article_text",
    "annotation.evidence.copied_words",
    "annotation.evidence.copying",
    "annotation.evidence.html_tree",
    "annotation.evidence.table_names",
    "annotation.fields.span_ranges",
    "annotation.fields.suggesting",
    "annotation.fields.steps",
    "annotation.monitoring.pace",
    "annotation.workflow.retention",
    "annotation.reviewing.comparing",
    "annotation.reviewing.joining",
    "annotation.reviewing.merging",
    "annotation.fields.walker",
    "generation.elsewhere.lines",
    "generation.excerpts",
    "generation.inference.chat",
    "generation.inference.faults",
    "generation.inference.markup",
    "generation.inference.request_fields",
    "generation.inference.scoring",
    "generation.inference.service_entries",
    "generation.inference.service_errors",
    "generation.inference.shapes",
    "generation.inference.streams",
    "generation.prompts",
    "judging.files.predictionfile",
    "judging.files.wikicontradict",
    "judging.machine.prompt",
    "judging.rules",
    "writing.declared",
    "writing.notes",
    "evaluation.annotators.stage_agreement",
    "evaluation.annotators.measures",
    "evaluation.annotators.overlap",
    "evaluation.annotators.compared_rows",
    "evaluation.archive",
    "evaluation.charts",
    "evaluation.compare",
    "evaluation.frozen.second_kappa",
    "evaluation.labels",
    "evaluation.paper",
    "evaluation.report",
    "evaluation.scorers",
    "evaluation.shapes",
    "evaluation.statistics",
    "evaluation.tables",
    "operations.bundle",
    "operations.checksums",
    "operations.fixed_columns",
    "operations.in_words",
    "operations.monitoring.exposition",
    "operations.monitoring.findings",
    "operations.names",
    "pages.name_words",
    "demonstration.annotations",
}
IMPURE_LIBRARIES = {
    "celery",
    "django",
    "django_htmx",
    "http",
    "kombu",
    "psycopg",
    "redis",
    "requests",
    "rest_framework",
    "socket",
    "sqlite3",
    "structlog",
    "urllib3",
}


@cache
def modules() -> dict[str, Path]:
    """Dotted name -> file, of every module of every room except migrations."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    named = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
    return {
        name.removesuffix(".__init__"): file
        for name, file in named.items()
        if ".migrations" not in name
    }


def imports(name: str, *, at_import_time: bool = False) -> Iterator[str]:
    """Dotted names that module `name` imports, with modules of the project in full."""
    tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
    for node in _when_loaded(tree) if at_import_time else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(name, node)
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if inner in modules() else module


def absolute(name: str, node: ast.ImportFrom) -> str:
    """The module in full; only the script of a zip, a package of its own there, imports its parts by a dot."""
    if not node.level:
        return str(node.module)
    package = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
    return f"{package}.{node.module}" if node.module else package


def _when_loaded(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is loaded: not in functions, not under TYPE_CHECKING."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _when_loaded(child)


def room_of(name: str) -> str:
    return name.split(".")[0]


def is_pure(name: str) -> bool:
    return any(name == pure or name.startswith(f"{pure}.") for pure in PURE)


def part_of(name: str) -> str:
    """The second part of a dotted name: the module or package within its room."""
    return name.partition(".")[2].partition(".")[0]


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_imports_only_the_rooms_below_it(room):
    trespasses = {
        f"{name} imports {imported}"
        for name in modules()
        if room_of(name) == room
        for imported in imports(name)
        if room_of(imported) in (ROOMS | {"config", "tests"}) - MAY_IMPORT[room] - {room}
    }
    assert trespasses == set()


@pytest.mark.parametrize("name", sorted(name for name in modules() if part_of(name) not in EDGE))
def test_nothing_below_imports_views_tasks_or_commands(name):
    assert [i for i in imports(name) if room_of(i) in ROOMS and part_of(i) in EDGE] == []


def test_no_room_imports_the_views_tasks_or_commands_of_another():
    trespasses = {
        f"{name} imports {imported}"
        for name in modules()
        for imported in imports(name)
        if room_of(imported) in ROOMS - {room_of(name)} and part_of(imported) in EDGE
    }
    assert trespasses == set()


@pytest.mark.parametrize("name", sorted(n for n in modules() if part_of(n) in {"models", "states"}))
def test_models_import_only_states_and_pure_modules(name):
    assert [
        imported
        for imported in imports(name)
        if room_of(imported) in ROOMS
        and part_of(imported) not in BELOW_MODELS
        and not is_pure(imported)
    ] == []


@pytest.mark.parametrize("name", sorted(name for name in modules() if is_pure(name)))
def test_a_pure_module_touches_neither_django_nor_the_network(name):
    assert [
        imported
        for imported in imports(name)
        if room_of(imported) in IMPURE_LIBRARIES
        or (room_of(imported) in ROOMS and not is_pure(imported))
    ] == []


@pytest.mark.parametrize("pure", sorted(PURE))
def test_the_table_of_pure_modules_names_modules_that_exist(pure):
    assert pure in modules()


def test_there_is_no_import_cycle():
    graph = {
        name: {i for i in imports(name, at_import_time=True) if i in modules()} - {name}
        for name in modules()
    }
    check_without_cycle(graph)


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_no_packages_of_a_room_import_each_other_in_a_circle(room):
    """Imports within functions and under TYPE_CHECKING count; a module in the room's own folder is a node too."""
    graph = defaultdict(set)
    for name in modules():
        if room_of(name) == room:
            graph[node_of(name)] |= {node_of(i) for i in imports(name) if room_of(i) == room}
    check_without_cycle({node: reached - {node} for node, reached in graph.items()})


def node_of(name: str) -> str:
    return ".".join(name.split(".")[:2])


def check_without_cycle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]), pytrace=False)


def test_a_folder_has_at_most_25_modules():
    """What belongs together becomes a package with a name from the field."""
    sizes = Counter(file.parent for file in modules().values() if file.name != "__init__.py")
    assert {str(folder.relative_to(ROOT)): n for folder, n in sizes.items() if n > 25} == {}
