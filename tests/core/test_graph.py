"""The core's modules import each other in one direction only: none of them can be reached from itself."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import rawr

SOURCE = Path(rawr.__file__).parent


def modules() -> dict[str, Path]:
    found = {".".join(("rawr", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in found.items()}


def graph(below: str) -> dict[str, set[str]]:
    """Who imports whom, by what is written in the files."""
    known = modules()
    drawn: dict[str, set[str]] = {}
    for name, path in known.items():
        if name.startswith(below):
            nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
            wanted = {
                full if full in known else node.module
                for node in nodes
                for full in (f"{node.module}.{alias.name}" for alias in node.names)
                if node.module in known
            }
            drawn[name] = {one for one in wanted if one.startswith(below)}
    return drawn


def cycle(drawn: dict[str, set[str]]) -> list[str]:
    """A way round, if there is one."""
    try:
        TopologicalSorter(drawn).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_core_has_no_cycle() -> None:
    """B1: every module can be read alone, and then those above it."""
    drawn = graph("rawr.core")
    assert drawn["rawr.core.step"] >= {"rawr.core.routing", "rawr.core.draft"}
    assert cycle(drawn) == []


def test_nothing_else_has_one_either() -> None:
    assert cycle(graph("rawr")) == []


def test_a_cycle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "c", "b", "a"]
    assert cycle({"a": {"b"}, "b": set()}) == []
