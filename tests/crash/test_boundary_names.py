"""The list of boundaries and the code agree: nothing is named that isn't passed, nothing passed that isn't named."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import boundary as boundaries
from outlast.boundary import BOUNDARIES

SOURCE = Path(boundaries.__file__).parent
MOMENTS = ("before_commit", "after_commit")
WRITES = {"Write", "_settlement"}
"""The calls whose first argument is the name under which the writer passes its two boundaries."""
ENCLOSED = {
    "stage": ("stage.before_chunk", "stage.after_chunk"),
    "chunks": ("sweep.before_delete", "sweep.after_delete"),
    "deleted": ("sweep.before_delete", "sweep.after_delete"),
}
"""Writes that lie between other boundaries."""
BESIDE = {
    "count": "a figure for operators",
    "worker": "a sign of life: the next one follows, and no job depends on it",
    "token": "its maker sees the token only after the commit, and without it makes another",
}
"""Writes on which no job depends, and why nothing can go wrong between their commit and its answer."""


def calls(*names: str) -> Iterator[ast.Call]:
    for path in sorted(SOURCE.rglob("*.py")):
        if SOURCE / "testing" in path.parents:  # its writes are the tests' own
            continue
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.Call) and _name(node.func) in names:
                yield node


def _name(function: ast.expr) -> str | None:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def texts(call: ast.Call) -> list[str]:
    """The texts that the first argument may be."""
    argument = call.args[0]
    either = (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,)
    return [part.value for part in either if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def passed() -> set[str]:
    """The boundaries that are named where they are passed."""
    return {name for call in calls("boundary") for name in texts(call)}


def writes() -> set[str]:
    return {name for call in calls(*WRITES) for name in texts(call)}


def test_only_known_boundaries_are_passed() -> None:
    assert passed() <= BOUNDARIES.keys()


def test_every_boundary_is_passed_somewhere() -> None:
    by_the_writer = {f"{name}.{moment}" for name in writes() for moment in MOMENTS}
    assert passed() | by_the_writer >= BOUNDARIES.keys()


def test_every_write_has_boundaries_around_it() -> None:
    for name in writes() - BESIDE.keys():
        around = ENCLOSED.get(name, tuple(f"{name}.{moment}" for moment in MOMENTS))
        assert set(around) <= BOUNDARIES.keys(), f"the write {name!r} has no boundary around it"
    assert ENCLOSED.keys() | BESIDE.keys() <= writes()


def test_an_unknown_boundary_is_refused_where_a_fault_is_armed() -> None:
    boundaries.arm(lambda _name: None)
    try:
        with pytest.raises(LookupError, match="no such boundary"):
            boundaries.boundary("complete.before_lunch")
    finally:
        boundaries.arm(None)
