"""The core can do no input or output (B1): nothing that could is even loaded for it."""

import subprocess
import sys
from pathlib import Path

import rawr

LIST = """
import sys
sys.path.insert(0, {place!r})
{first}
before = set(sys.modules)
import pkgutil, importlib
import rawr.core
for module in pkgutil.walk_packages(rawr.core.__path__, "rawr.core."):
    importlib.import_module(module.name)
print(*sorted(set(sys.modules) - before))
"""
IO = {
    "asyncio",
    "http",
    "multiprocessing",
    "pathlib",
    "random",
    "secrets",
    "select",
    "selectors",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "urllib",
    "websockets",
    "yaml",
    "rich",
    "typer",
}


def loaded(first: str) -> set[str]:
    """What importing the whole core loads, on top of what ``first`` has loaded."""
    program = LIST.format(place=str(Path(rawr.__file__).parent.parent), first=first)
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(run.stdout.split())


def every_module() -> set[str]:
    """As the folders have them, those of sub-packages too."""
    root = Path(rawr.__file__).parent
    names = (".".join(("rawr", *file.relative_to(root).with_suffix("").parts)) for file in root.glob("core/**/*.py"))
    return {name.removesuffix(".__init__") for name in names}


def test_the_core_loads_nothing_that_could_do_io() -> None:
    """Beyond what msgspec and the modules that list this core load for themselves."""
    names = loaded("import msgspec, msgspec.json, pkgutil, importlib")
    ours = {name for name in names if name.partition(".")[0] == "rawr"}
    assert {name for name in ours if name.startswith("rawr.core")} == every_module()
    assert names & IO == set()
    assert {name for name in ours if not name.startswith("rawr.core")} <= {"rawr", "rawr.errors"}
