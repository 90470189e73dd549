"""Code that nothing calls: vulture over the product, without its tests. bin/test runs it next to the lint.

Code is also called by name: from the tags of a template and from dotted paths in strings. A column or another
attribute is also named by a keyword, a string or a script, since queries, forms and JSON do so. ALLOWED is the rest.
"""

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("run", "test", "bench", "try_wikipedia")
# What a library calls or reads by its name, by library; and what is kept for people, by reason.
ALLOWED = {
    "Django: commands, migrations, addresses": "*Config Command add_arguments requires_system_checks epilog "
    "app_name urlpatterns handler400 handler403 handler404 handler500",
    "Django: models": "ordering constraints indexes USERNAME_FIELD get_by_natural_key get_model_class pre_save",
    "Django: a database's cursors": "create_cursor",
    "Django: a query's compiler": "execute_sql as_sqlite as_postgresql",
    "Django: forms and views": "widgets help_texts field_order clean_* label_from_instance form_class "
    "redirect_authenticated_user form_valid form_invalid key_salt",
    "Django: middleware and sessions": "process_exception _get_session_from_db _session_key",
    "Django: static files": "support_js_module_import_aggregation manifest_name",
    "Django: checks are given the apps": "app_configs",
    "Django REST framework": "allow_request authenticate_header "
    "check_permissions parser_classes get_questions get_record get_deviations get_progress get_url "
    "get_records get_invalid get_facets get_of get_strata get_superseded get_uses get_is_new get_warnings",
    "drf-spectacular": "BearerScheme target_class get_security_definition auto_schema",
    "Celery": "PlainScheduler apply_entry",
    "gunicorn and waitress": "WaitressWorker parser_class channel_class accepting",
    "kombu: a broker's own methods": "_put _put_fanout _get _queue_bind get_table drain_events",
    "expat": "buffer_text buffer_size StartElementHandler EndElementHandler CharacterDataHandler "
    "StartDoctypeDeclHandler EntityDeclHandler XmlDeclHandler",
    "requests": "trust_env",
    "zipfile": "create_system",
    "Django: the body of a streamed answer": "streaming_content",
    "llama.cpp's options": "model_alias hostnames n_ctx n_parallel cache_prompt cache_ram_mib cache_idle_slots "
    "n_threads endpoint_slots cors_origins",
    "The time when a row was written, for people who read the database": "granted_at",
    "Values that a form or a file chooses (tests/test_in_use.py)": "INFOBOX",
}
SETTINGS = ROOT / "config" / "settings.py"
REVIEWED = set(" ".join(ALLOWED.values()).split())


def main() -> None:
    folders = [*(path.parent for path in ROOT.glob("*/apps.py")), ROOT / "bin", ROOT / "bench"]
    files = [path for folder in folders for path in folder.rglob("*.py")]
    files = [path for path in files if "migrations" not in path.parts]
    files += [ROOT / "manage.py", *(ROOT / "bin" / program for program in PROGRAMS)]
    vulture = Vulture(ignore_decorators=["@shared_task*", "@register.*", "@connect*", "@*.connect"])
    for path in files:
        vulture.scan(path.read_text(encoding="utf-8"), filename=path)
    called, named = calls_by_name(files), names(files)
    allowed, complaints = set(), []
    for item in vulture.get_unused_code():
        of_row = item.typ in {"variable", "attribute"} and item.name in named
        if item.name in called or of_row or (item.filename == SETTINGS and item.name.isupper()):
            continue
        if fitting := {pattern for pattern in REVIEWED if fnmatch(item.name, pattern)}:
            allowed |= fitting
        else:
            where = f"{item.filename.relative_to(ROOT)}:{item.first_lineno}"
            complaints.append(f"{where}: nothing calls the {item.typ} {item.name}")
    complaints += [f"bin/unused.py: {name} is not unused any more" for name in REVIEWED - allowed]
    sys.exit("\n".join(sorted(complaints)) or None)


def calls_by_name(files: list[Path]) -> set[str]:
    """The words in the tags of templates, and the last of each dotted path in a string."""
    words = {
        path.rpartition(".")[2] for path in strings(files) if re.fullmatch(r"\w+(\.\w+)+", path)
    }
    for template in ROOT.glob("templates/**/*.*"):
        for tag in re.findall(r"\{[{%].*?[}%]\}", template.read_text(encoding="utf-8")):
            words |= set(re.findall(r"\w+", tag))
    return words


def names(files: list[Path]) -> set[str]:
    """The words by which a column or an attribute may be meant: of scripts, strings and keywords."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("static/js/**/*.js")]
    return {word for text in (*texts, *strings(files)) for word in re.split(r"__|\W+", text)}


def strings(files: list[Path]) -> Iterator[str]:
    for path in set(files) - {Path(__file__).resolve()}:  # this one names all that is unused
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.keyword):
                yield node.arg or ""
            elif id(node) in docstrings:
                continue
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


if __name__ == "__main__":
    main()
