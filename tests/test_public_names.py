"""The face of the package: the exact names, each of them there and described, and cheap until it is used."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rawr

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "library.md"
NAMES = [
    "CodexError",
    "ConfigError",
    "JournalError",
    "JournalReader",
    "PlanUpdated",
    "Policy",
    "RawrError",
    "RequestReceived",
    "StdioDialer",
    "Supervisor",
    "Taken",
    "TurnCompleted",
    "UnixDialer",
    "find_codex",
    "load_policy",
    "replay_journal",
]
HEAVY = (
    "asyncio",
    "importlib",
    "msgspec",
    "sqlite3",
    "subprocess",
    "tree_sitter",
    "typer",
    "typing",
    "websockets",
    "yaml",
    "rawr.core",
)


def test_the_names_are_these() -> None:
    assert rawr.__all__ == NAMES
    assert dir(rawr) == sorted([*NAMES, "__version__"])


@pytest.mark.parametrize("name", NAMES)
def test_each_is_there_and_described(name: str) -> None:
    found = getattr(rawr, name)
    assert found.__name__ == ("find" if name == "find_codex" else name)
    assert found.__module__.startswith("rawr.")
    assert found.__doc__
    assert re.search(rf"^    {name} {{3,}}\w|^    {name} {{3,}}\.\.\. \w", rawr.__doc__ or "", re.MULTILINE)
    assert f"`{name}`" in GUIDE.read_text("utf-8")


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'rawr' has no attribute 'Kernel'$"):
        _ = rawr.Kernel  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_heavy() -> None:
    code = f"import sys; sys.path[:0] = {sys.path}; import rawr; print([one for one in {HEAVY} if one in sys.modules])"
    run = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")
