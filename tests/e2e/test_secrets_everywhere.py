"""Secrets of seven kinds go through a run: in a message, a command, its output and a file. None is on the disk (D12).

On the real Codex, in a host with an empty config.
"""

import json
import uuid
from pathlib import Path
from random import Random

import pytest

from rawr.journal.kept import FILE as KEPT
from tests.e2e.test_host import hosted, over
from tests.e2e.test_run_program import DONE, FREE, ended
from tests.journal.on_disk import everything
from tests.journal.secret_shapes import ALNUM, BASE64, some

pytestmark = pytest.mark.mission("D12")


def seven(chance: Random) -> dict[str, tuple[str, str]]:
    """By kind: the secret, and a line with it."""
    aws, word = some(BASE64, 40)(chance), some(ALNUM, 12)(chance)
    token = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    secrets = {
        "AWS, behind its id": (aws, "AKIA" + some("ABCDEFGH234567", 16)(chance) + " {}"),
        "npm": (token, "//registry.npmjs.org/:_authToken={}"),
        "a bundle of flags": (f"k{word}", "curl -su bob:{} https://127.0.0.1:9/"),
        "net use": (f"n{word}", r"net use Z: \\srv\share {} /user:bob"),
        "in German": (f"Q7{word}!", "Das Passwort lautet {}."),
        "an old token of Vault": (f"s.{some(ALNUM, 24)(chance)}", "VAULT_TOKEN={}"),
        "begins with a slash": (f"/x9{word}", "DB_PASSWORD='{}'"),
        "begins with a dollar": (f"$x9k{word}", "DB_PASSWORD='{}'"),
    }
    return {kind: (secret, line.format(secret)) for kind, (secret, line) in secrets.items()}


async def test_none_is_on_the_disk(tmp_path: Path) -> None:
    made = seven(Random())  # noqa: S311 - new ones in every run
    text = "\n".join(line for _, line in made.values())
    print_them = {"run": f"cat <<'EOF'\n{text}\nEOF", "usage": 9000}
    lines = "\n".join(f"+{line}" for line in text.split("\n"))
    patch = {"patch": f"*** Begin Patch\n*** Add File: notes.md\n{lines}\n*** End Patch"}
    says = {"say": f"I used these:\n{text}"}
    script = "".join(f"- {json.dumps(one)}\n" for one in (print_them, patch, says)) + DONE
    async with hosted(script, tmp_path) as it:
        done = await ended(await it.run(f"Build it. You need:\n{text}", *FREE))
        assert done.code == 0, done.err
        assert (it.workspace / "notes.md").read_text().strip() == text
        await over(it.home)
        left = everything(it.home, but=(KEPT,))
        assert "notes.md" in left
        assert [kind for kind, (secret, _) in made.items() if secret in left] == []
