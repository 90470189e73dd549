"""Nothing exists before its use: every move, enum value and model has a caller in the product.

The product is read as syntax trees; a name is looked up in its module.
"""

import ast
from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import pairwise

import pytest
from django.apps import apps
from django.db.models import NOT_PROVIDED, Model

from accounts.forms import InviteForm
from accounts.models import Person, Session
from accounts.roles import Role
from annotation.fields.entries import FIELDS
from annotation.models import Review
from datasets.models import Modality, SamePassage, Validity
from judging.forms.study_forms import StudyForm
from judging.models import Resolution, Study
from judging.rules import resolution
from leases.bulk import insert_values
from leases.states import StateTable
from leases.workflow_page import rooms_with_tables
from tests.product import ROOT, Source, body, calls_in, last_name, modules, product
from wikifetch.models import TagKind
from wikifetch.wikitext import KNOWN_NAMES

READERS = {"filter", "exclude", "get", "Q", "When"}  # calls that compare a column and write nothing
MAKERS = {"create", "get_or_create", "update_or_create"}
# Django makes these rows: its manager of people, its store of sessions.
MADE_BY_DJANGO = {Person, Session}


def offered(*fields: str) -> set[str]:
    return {choice.value for name in fields for choice in FIELDS[name].choices}


# Values that no code names, since a person or a file chooses them: what a form offers, what a file of ours lists.
CHOSEN = {
    Validity: offered("validity"),
    SamePassage: offered("same_passage"),
    Modality: offered("modality_1", "modality_2"),
    TagKind: set(KNOWN_NAMES.kinds.values()),
    Role: {value for value, _ in InviteForm.base_fields["roles"].choices},
    Study.ResolvedBy: set(resolution.WAYS),
    Study.Order: {value for value, _ in StudyForm.base_fields["order"].choices},
    # What `outcome` returns, which is pure, and the third person's decision.
    Resolution.How: {
        resolution.SINGLE,
        resolution.UNANIMOUS,
        resolution.MAJORITY,
        resolution.THIRD_PERSON,
    },
}
# Moves whose name is data: what a review makes of an annotation is the move.
MOVES_CHOSEN = {("Annotation", outcome.value) for outcome in Review.Decision}


# ---------------------------------------------------------------- moves


@cache
def moves_called() -> frozenset[tuple[str, str]]:
    """(table, move) for every call that moves a row: TABLE.move(rows, "verb"), claim(rows, TABLE, "verb"), …"""
    called = set(MOVES_CHOSEN)
    for source in product():
        for call, around in source.calls:
            for table, verb in moved(source, call):
                called |= {(table.name, text) for text in texts(source, verb, around)}
    return frozenset(called)


def moved(source: Source, call: ast.Call) -> Iterator[tuple[StateTable, ast.expr]]:
    """The table that a call moves rows by, with the expression of each move."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"move", "require"}:
        table = source.value(call.func.value)
        if isinstance(table, StateTable):
            yield table, call.args[1]
    for place, argument in enumerate(call.args):
        table = source.value(argument)
        if isinstance(table, StateTable):
            function = body(source.value(call.func))
            after = [each.arg for each in function.args.args][place:]
            if after[1:2] == ["verb"]:
                yield table, call.args[place + 1]
            else:
                yield from ((table, verb) for verb in moves_inside(function, after[0]))


def moves_inside(function: ast.FunctionDef, table: str) -> Iterator[ast.expr]:
    """The moves that a function makes by the table in its parameter of that name."""
    for call, _ in calls_in(function):
        for argument, verb in pairwise(call.args):
            if isinstance(argument, ast.Name) and argument.id == table:
                yield verb


def texts(source: Source, node: ast.expr, around: tuple[ast.FunctionDef, ...]) -> set[str]:
    """The strings that an expression may be: as written, as assigned in the module, as callers pass them."""
    if isinstance(node, ast.Constant):
        return {node.value}
    if isinstance(value := source.value(node), Enum):
        return {value.value}
    if not isinstance(node, ast.Name):
        return set()
    for function in reversed(around):
        names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        if node.id in names:
            return passed(function, node.id, names.index(node.id))
    values = [each.value for each in ast.walk(source.tree) if assigns(each, node.id)]
    values += [body(source.value(value.func)) for value in values if isinstance(value, ast.Call)]
    return {each.value for value in values for each in ast.walk(value) if is_text(each)}


def assigns(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(
        isinstance(each, ast.Name) and each.id == name for t in targets for each in ast.walk(t)
    )


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def passed(function: ast.FunctionDef, name: str, place: int) -> set[str]:
    """The strings that the product's calls of a function, and its addresses, pass for a parameter."""
    strings: set[str] = set()
    for source in product():
        for call, around in source.calls:
            if last_name(call.func) == function.name:
                given = [*call.args[place : place + 1]]
                given += [keyword.value for keyword in call.keywords if keyword.arg == name]
            elif len(call.args) > 1 and last_name(call.args[1]) == function.name:
                given = [
                    value
                    for extra in call.args[2:]
                    if isinstance(extra, ast.Dict)
                    for key, value in zip(extra.keys, extra.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == name
                ]
            else:
                continue
            inside = [each for each in around if each is not function]
            strings |= {text for node in given for text in texts(source, node, tuple(inside))}
    return strings


TABLES = [table for _, tables in rooms_with_tables() for table in tables]
MOVES = [(table.name, verb) for table in TABLES for verb in table.moves]


@pytest.mark.parametrize("move", MOVES, ids=": ".join)
def test_every_move_has_a_caller(move):
    assert move in moves_called()


# ---------------------------------------------------------------- models


@cache
def made() -> dict[type[Model], list[set[str]]]:
    """Model -> the keywords of each call that makes a row of it."""
    by_accessor = {
        relation.get_accessor_name(): relation.related_model
        for model in apps.get_models()
        for relation in model._meta.related_objects
    }
    models: dict[type[Model], list[set[str]]] = {}
    for source in product():
        for call, _ in source.calls:
            model = source.value(call.func)
            if isinstance(call.func, ast.Attribute) and call.func.attr in MAKERS:
                manager = call.func.value
                if isinstance(manager, ast.Attribute):
                    model = source.value(manager.value) or by_accessor.get(manager.attr)
            if model is insert_values:
                model = source.value(call.args[0])
            if isinstance(model, type) and issubclass(model, Model):
                keywords = {keyword.arg or "**" for keyword in call.keywords}
                models.setdefault(model, []).append(keywords)
    return models


MODELS = [
    model for model in apps.get_models() if (ROOT / model.__module__.partition(".")[0]).is_dir()
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_rows_of_every_model_are_made(model):
    assert model in made() or model in MADE_BY_DJANGO


# ---------------------------------------------------------------- values of enums


def enums() -> list[type[Enum]]:
    """Every enum that the product defines, those inside models too."""
    result = {}
    for module in modules().values():
        classes = [each for each in vars(module).values() if isinstance(each, type)]
        for each in [*classes, *(inner for outer in classes for inner in vars(outer).values())]:
            ours = isinstance(each, type) and each.__module__ == module.__name__
            if ours and issubclass(each, Enum):
                result[each.__module__, each.__qualname__] = each
    return list(result.values())


@cache
def named() -> frozenset[Enum]:
    """Every value that the product names outside of the models' own declarations."""
    return frozenset(
        value
        for source in product()
        for node in ast.walk(source.tree)
        if isinstance(
            value := source.value(node) if isinstance(node, ast.Attribute) else None, Enum
        )
    )


@cache
def entered() -> frozenset[tuple[str, str]]:
    """(table, state) for every state that rows get: by a move, by `state=…` where they are made, by default."""
    states = {
        (table.name, move.target)
        for table in TABLES
        for verb, move in table.parsed.items()
        if (table.name, verb) in moves_called()
    }
    by_enum = {table.states: table for table in TABLES}
    for source in product():
        for node in (part for whole in ast.walk(source.tree) for part in written(whole)):
            for each in ast.walk(node):
                value = source.value(each) if isinstance(each, ast.Attribute) else None
                if table := by_enum.get(type(value)):
                    states.add((table.name, value.value))
    return frozenset(states | set(defaults()))


def written(node: ast.AST) -> list[ast.expr]:
    """The expressions that a node writes into a column `state`: create(state=…), row.state = …, {"state": …}."""
    if isinstance(node, ast.Call) and last_name(node.func) not in READERS:
        return [keyword.value for keyword in node.keywords if keyword.arg == "state"]
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "attr", "") == "state":
        return [node.value]
    if isinstance(node, ast.Dict):
        keys = zip(node.keys, node.values, strict=True)
        return [
            value for key, value in keys if isinstance(key, ast.Constant) and key.value == "state"
        ]
    return []


def defaults() -> Iterator[tuple[str, str]]:
    """The state in which a row begins, where some call makes one and names no state."""
    by_enum = {tuple(table.states.choices): table for table in TABLES}
    for model, calls in made().items():
        for field in model._meta.fields:
            table = by_enum.get(tuple(field.choices or ()))
            if table and field.default is not NOT_PROVIDED and any("state" not in c for c in calls):
                yield table.name, str(field.default)


VALUES = [value for enum in enums() for value in enum]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_every_value_of_an_enum_is_used(value):
    of = type(value)
    tables = [table for table in TABLES if table.states is of]
    if tables:
        used = (tables[0].name, value.value) in entered()
    elif of in CHOSEN:
        used = value.value in CHOSEN[of] or value in named()
    else:
        used = value in named()
    assert used
