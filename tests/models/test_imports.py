"""Who does not ask a model pays nothing for it, and who does leaves no trace at home."""

import subprocess
import sys
from pathlib import Path

import pytest

from rawr.testing.network_guard import NetworkGuard
from tests.models.questions import GOOD, desk, question
from tests.models.servers import Say, model_server

HEAVY = "dspy", "litellm", "openai", "pydantic"


@pytest.mark.parametrize(
    "modules",
    ["rawr", "rawr.cli.main", "rawr.models.desk, rawr.models.probing, rawr.models.completion"],
)
def test_neither_dspy_nor_litellm_is_imported_before_a_model_is_asked(modules: str) -> None:
    code = f"import sys, {modules}; print(sorted({{name.partition('.')[0] for name in sys.modules}} & {set(HEAVY)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


ASKING = """
import asyncio, json, os, sys
from tests.models.questions import GOOD, desk, question
from tests.models.servers import Say, model_server

async def main():
    with model_server("ollama", Say(json.dumps(GOOD["planning"]))) as server:
        clerk = desk(server)
        await clerk.ask("e0", question("planning", "codex"))
        assert "dspy" not in sys.modules, "nobody could be asked"
        answer = await clerk.ask("e1", question("planning", server.model, seconds=60))
        assert answer.opinion is not None, answer
    assert "dspy" in sys.modules
    assert "litellm" not in sys.modules

asyncio.run(main())
"""


def test_asking_imports_no_litellm_and_leaves_nothing_at_home(own_home: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", ASKING], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(own_home.rglob("*")) == []


async def test_asking_reaches_nothing_but_the_models_address(no_network: NetworkGuard) -> None:
    import json

    with model_server("openai", Say(json.dumps(GOOD["planning"]))) as server:
        assert (await desk(server).ask("e1", question("planning", server.model))).opinion is not None
    assert no_network.attempts == []
