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
            wanted = imported(path.read_text(), name if path.name == "__init__.py" else name.rpartition(".")[0])
            drawn[name] = {one for one in _nearest(wanted, known) if one.startswith(below)}
    return drawn


def imported(text: str, package: str) -> set[str]:
    """Everything that is named in an import, in whatever form; of a name in a module, with the module before it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join((*above, *filter(None, (node.module,))))
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def _nearest(names: set[str], known: dict[str, Path]) -> set[str]:
    """The modules that are loaded for them: the named one, or the one that holds the name."""
    return {one if one in known else one.rpartition(".")[0] for one in names} & known.keys()


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


def test_every_form_of_an_import_is_seen() -> None:
    text = "import a.b\nimport c as d\nfrom . import near\nfrom ..up import f\nfrom x.y import z\n"
    assert imported(text, "rawr.core") == {"a.b", "c", "rawr.core.near", "rawr.up.f", "x.y.z"}
    inside = "def later() -> None:\n    import rawr.core.step\n"
    assert imported(inside, "rawr.core") == {"rawr.core.step"}
