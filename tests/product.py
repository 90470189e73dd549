"""The product as syntax trees: each module of the rooms with its calls; a name is looked up in its module."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Source(NamedTuple):
    """A module of the product: its namespace, and its calls each with the functions around it."""

    module: ModuleType
    tree: ast.Module
    calls: list[tuple[ast.Call, tuple[ast.FunctionDef, ...]]]

    def value(self, node: ast.expr) -> object:
        """What a name such as `Study.Order.GROUPED` is; None where it is no name of the module."""
        if isinstance(node, ast.Name):
            return vars(self.module).get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self.value(node.value), node.attr, None)
        return None


def calls_in(node: ast.AST, around: tuple = ()) -> Iterator[tuple[ast.Call, tuple]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef) and child.name == "Meta":
            continue
        if isinstance(child, ast.Call):
            yield child, around
        yield from calls_in(
            child, (*around, child) if isinstance(child, ast.FunctionDef) else around
        )


def modules() -> dict[Path, ModuleType]:
    """Every module of the rooms, migrations left out."""
    rooms = [path.parent for path in ROOT.glob("*/apps.py")]
    return {
        path: import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        for path in sorted(path for room in rooms for path in room.rglob("*.py"))
        if "migrations" not in path.parts and path.name != "wsgi.py"
    }


@cache
def product() -> list[Source]:
    """The same as syntax trees. Takes a second: for tests, not for what is collected."""
    sources = []
    for path, module in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        sources.append(Source(module, tree, list(calls_in(tree))))
    return sources


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def body(function: object) -> ast.FunctionDef | ast.Pass:
    """The definition of a function of the product: a move may be the result of one."""
    definitions = (
        node
        for source in product()
        if source.module.__name__ == getattr(function, "__module__", "")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    )
    return next(definitions, ast.Pass())
