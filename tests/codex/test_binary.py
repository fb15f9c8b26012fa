"""Which Codex is used, and whether it will do: asked of real programs, the real Codex among them."""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from rawr.codex import binary
from rawr.codex.binary import Binary, Capabilities, CodexNotFound, NotCodex
from rawr.codex.versions import TESTED_VERSION
from rawr.codex.wire.methods import CALLS
from rawr.codex.wire.notifications import NOTIFICATIONS

Program = Callable[..., Path]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Writes a small shell program and gives its path."""

    def write(body: str, *, name: str = "codex", mode: int = 0o755) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(mode)
        return path

    return write


def says(version: str) -> str:
    return f"echo codex-cli {version}"


# -- the search -------------------------------------------------------------------------------------------------


def test_the_most_explicit_wins(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program(says("0.0.1"), name="elsewhere/codex").parent))
    named, configured = program(says("1.0.0"), name="a/codex"), program(says("2.0.0"), name="b/codex")
    on_path = program(says("3.0.0"), name="c/codex")
    env = {"PATH": str(on_path.parent)}
    assert binary.find(named, configured=configured, env=env) == Binary(named, "named", "1.0.0")
    assert binary.find(configured=configured, env=env) == Binary(configured, "config", "2.0.0")
    assert binary.find(env=env) == Binary(on_path, "PATH", "3.0.0")
    bundled = binary.bundled_path()
    assert bundled is not None
    for nothing_there in ({}, {"PATH": ""}, {"PATH": str(tmp_path)}):
        found = binary.find(env=nothing_there)
        assert (found.path, found.source) == (bundled, "bundled")


def test_by_default_the_path_is_that_of_this_process(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = program(says("3.0.0"))
    monkeypatch.setenv("PATH", str(on_path.parent), prepend=os.pathsep)
    assert binary.find() == Binary(on_path, "PATH", "3.0.0")


def test_no_codex_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "codex_cli_bin", None)  # As if the package were not installed.
    with pytest.raises(CodexNotFound) as caught:
        binary.find(env={"PATH": "/nonexistent"})
    assert str(caught.value) == (
        "No Codex found: there is no `codex` on PATH and no bundled one. "
        "Install Codex, or rawr's extra `codex` for the bundled one, or name it with --codex-bin."
    )


def test_a_link_is_followed_and_the_home_is_known(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = program(says("1.0.0"), name="real")
    (tmp_path / "link").symlink_to(real)
    assert binary.find(tmp_path / "link").path == real
    monkeypatch.setenv("HOME", str(tmp_path))
    assert binary.find(Path("~/real")).path == real


@pytest.mark.parametrize(("is_named", "said"), [(True, "named with --codex-bin"), (False, "named in rawr's config")])
def test_a_file_that_is_not_there(tmp_path: Path, is_named: bool, said: str) -> None:
    path = tmp_path / "codex"
    with pytest.raises(CodexNotFound) as caught:
        binary.find(path if is_named else None, configured=path)
    assert str(caught.value) == (
        f"There is no file {path}, which was {said}. Correct the path, or omit it to use the `codex` on PATH."
    )


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    with pytest.raises(CodexNotFound, match="There is no file"):
        binary.find(tmp_path)


def test_a_file_that_may_not_be_run(program: Program) -> None:
    path = program(says("1.0.0"), mode=0o644)
    with pytest.raises(NotCodex) as caught:
        binary.find(path)
    assert str(caught.value) == (
        f"{path}, which was named with --codex-bin, is not executable. Make it executable: chmod +x {path}"
    )


# -- the version ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("codex-cli 0.163.0", "0.163.0"),
        ("codex 0.34.0", "0.34.0"),
        ("codex-cli v1.2.3-alpha.4", "1.2.3-alpha.4"),
        ("WARNING: something\ncodex-cli 0.163.0", "0.163.0"),
    ],
)
def test_versions(program: Program, printed: str, version: str) -> None:
    assert binary.ask_version(program(f"printf '%s\\n' {shlex.quote(printed)}")) == version


@pytest.mark.parametrize(
    ("body", "heard"),
    [
        ("echo Python 3.11.7", 'it printed "Python 3.11.7" and exited with code 0'),
        (
            "echo 'unknown option: --version' >&2; exit 2",
            'it printed "unknown option: --version" and exited with code 2',
        ),
        ("echo codex-cli 0.163.0; exit 1", 'it printed "codex-cli 0.163.0" and exited with code 1'),
        ("exit 3", "it printed nothing and exited with code 3"),
        ("kill -9 $$", "it printed nothing and exited with code -9"),
        ("printf '\\377\\376\\n'", 'it printed "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}" and exited'),
        ("echo my-codex-cli 0.163.0 fork", 'it printed "my-codex-cli 0.163.0 fork" and exited with code 0'),
    ],
)
def test_a_program_that_is_no_codex(program: Program, body: str, heard: str) -> None:
    path = program(body)
    with pytest.raises(NotCodex) as caught:
        binary.find(path)
    assert caught.value.message.startswith(f"{path} is not Codex: asked for its version, {heard}")
    assert caught.value.way_out == "Name another Codex with --codex-bin."


def test_a_program_that_says_nothing_and_does_not_end(program: Program) -> None:
    path = program("exec sleep 60")
    with pytest.raises(NotCodex, match=r"did not print its version within 0\.2 seconds"):
        binary.find(path, deadline=0.2)


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "codex"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    with pytest.raises(NotCodex, match=r"could not be run: Exec format error"):
        binary.find(path)


# -- what it can do ---------------------------------------------------------------------------------------------


def test_the_real_codex_has_everything() -> None:
    bundled = binary.bundled_path()
    found = binary.find(bundled)
    assert found.version == TESTED_VERSION
    assert binary.probe(found) == Capabilities((), ())
    assert binary.probe(found).complete


def variants(methods: list[str]) -> bytes:
    """A schema of messages as Codex writes it, as far as the probe reads it."""
    return msgspec.json.encode({"oneOf": [{"properties": {"method": {"enum": [method]}}} for method in methods]})


def fake(program: Program, tmp_path: Path, *, calls: list[str], notifications: list[str]) -> Binary:
    """A Codex that describes these methods."""
    (tmp_path / "ClientRequest.json").write_bytes(variants(calls))
    (tmp_path / "ServerNotification.json").write_bytes(variants(notifications))
    path = program(f'test "$3" = --experimental -a "$4" = --out && cp {shlex.quote(str(tmp_path))}/*.json "$5"')
    return Binary(path, "named", "0.1.0")


def test_an_older_codex_lacks_some_of_it(program: Program, tmp_path: Path) -> None:
    calls = [call.method for call in CALLS if call.method != "thread/items/list"]
    notifications = [method for method in NOTIFICATIONS if method != "turn/plan/updated"]
    older = fake(program, tmp_path, calls=calls, notifications=[*notifications, "a/newer/one"])
    capabilities = binary.probe(older)
    assert capabilities == Capabilities(("thread/items/list",), ("turn/plan/updated",))
    assert not capabilities.complete


@pytest.mark.parametrize("written", [b"", b"[]", b"null", b'{"oneOf": [5]}', b'{"oneOf": [{"properties": {}}]}', None])
def test_schemas_that_cannot_be_read_offer_nothing(program: Program, tmp_path: Path, written: bytes | None) -> None:
    strange = fake(program, tmp_path, calls=[], notifications=list(NOTIFICATIONS))
    if written is None:
        (tmp_path / "ClientRequest.json").unlink()
    else:
        (tmp_path / "ClientRequest.json").write_bytes(written)
    assert binary.probe(strange) == Capabilities(tuple(call.method for call in CALLS), ())


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "echo 'first line' >&2; echo \"error: unrecognized subcommand 'app-server'\" >&2; exit 2",
            "has no app-server that rawr can use: error: unrecognized subcommand 'app-server'.",
        ),
        ("exit 2", "has no app-server that rawr can use: it printed nothing."),
        ("exec sleep 60", "could not describe its protocol: "),
    ],
)
def test_a_codex_without_an_app_server(program: Program, body: str, problem: str) -> None:
    path = program(body)
    with pytest.raises(NotCodex) as caught:
        binary.probe(Binary(path, "named", "0.1.0"), deadline=0.2)
    assert caught.value.message.startswith(f"{path} {problem}")
    assert TESTED_VERSION in caught.value.way_out
