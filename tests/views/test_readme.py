"""The example for whoever writes the next surface, run as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import rawr.views
from rawr.testing import Say, Scenario, scripted_codex

README = Path(rawr.views.__file__).with_name("README.md")


def test_it_follows_a_turn(tmp_path: Path) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    with scripted_codex(Scenario.of("readme", [Say("A README.")]), tmp_path) as codex:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=codex.env(),
            cwd=codex.home.workspace,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.stdout, done.returncode) == ("A README.\nturn completed\n", 0), done.stderr


def test_it_names_every_module() -> None:
    """And none that is not there."""
    modules = {one.stem for one in README.parent.glob("*.py")} - {"__init__"}
    named = set(re.findall(r"`(\w+)(?:\.\w+)?`", README.read_text()))
    assert modules - named == set()
