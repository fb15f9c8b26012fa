"""The package's face: every name is there, examples in docstrings hold, and importing it is cheap."""

import doctest
import subprocess
import sys

import rawr.testing
from rawr.testing import responses, scenario, toml_text

NAMES = [
    "Ask",
    "Call",
    "CodexHome",
    "Cut",
    "Fail",
    "Garbage",
    "Hang",
    "HttpError",
    "ModelRequest",
    "NetworkGuard",
    "Option",
    "OutsideNetwork",
    "Patch",
    "Plan",
    "PlanStep",
    "Question",
    "Raw",
    "Reply",
    "Run",
    "Say",
    "Scenario",
    "ScenarioMismatch",
    "ScriptedCodex",
    "ScriptedModel",
    "Think",
    "ToolOutput",
    "Usage",
    "VirtualClock",
    "When",
    "end_daemons",
    "find_codex",
    "load_scenario",
    "parse_scenario",
    "scripted_codex",
]
HEAVY = ("http.server", "yaml", "subprocess", "asyncio", "msgspec", "codex_cli_bin")


def test_every_name_is_there() -> None:
    assert rawr.testing.__all__ == NAMES
    assert dir(rawr.testing) == sorted(NAMES)
    for name in rawr.testing.__all__:
        assert getattr(rawr.testing, name).__name__ == name


def test_importing_it_loads_nothing_heavy() -> None:
    code = f"import sys, rawr.testing; print([name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_the_examples_hold() -> None:
    for module in (responses, scenario, toml_text):
        outcome = doctest.testmod(module)
        assert (outcome.failed, outcome.attempted > 0) == (0, True)
