"""Which commands are checks (A19)."""

import pytest

from rawr.core.compaction.checks import named


@pytest.mark.parametrize(
    ("command", "check"),
    [
        ("pytest -q", "pytest"),
        ("PYTHONPATH=. pytest tests/core", "pytest"),
        ("cd web && npm test", "npm test"),
        ("npm run lint -- --fix", "npm run lint"),
        ("npm run test:unit", "npm run test:unit"),
        ("pnpm --filter web build", "pnpm --filter web build"),
        ("make -C server test", "make -C server test"),
        ("python3 -m pytest -x", "python3 -m pytest"),
        ("cargo +nightly clippy --all", "cargo +nightly clippy"),
        ("GOCACHE=/tmp/c go test ./...", "go test"),
        ("./gradlew assembleDebug", "gradlew assembleDebug"),
        (".venv/bin/mypy src", "mypy"),
        ("npx tsc --noEmit", "tsc"),
        ("set -o pipefail; pytest -q | tail -3", "pytest"),
        ("cmake --build build -j", "cmake --build"),
    ],
)
def test_a_check_in_its_own_words(command: str, check: str) -> None:
    assert named(command) == check


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "cat tests/test_pytest.py",
        "rg 'npm test' docs",
        "echo 'run pytest'",
        'git commit -m "make test pass"',
        "vim pytest.ini",
        "npm install",
        "cargo new thing",
        "cat > ci.sh <<'EOF'\npytest -q\nEOF",
        "pytest -q || true",
        "pytest -q | tail -3",
        "npm test; echo done",
        "where.exe lua; where.exe luac",
        "$l = Get-Command luac -ErrorAction SilentlyContinue; if ($l) { luac -p a.lua }",
    ],
    ids=[
        "no program",
        "a file of that name",
        "it is looked for",
        "it is said",
        "in a message",
        "its settings",
        "another job",
        "another of its commands",
        "written into a file",
        "whatever comes of it",
        "the code is another program's",
        "the code is the last command's",
        "it is looked for as a program",
        "it may not run",
    ],
)
def test_what_is_none_or_hides_how_it_went(command: str) -> None:
    assert named(command) == ""
