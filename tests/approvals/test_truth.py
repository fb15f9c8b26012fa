"""C10: what was approved is run for real, and the world is looked at afterwards."""

import random

import pytest

from .corpus import HARMLESS
from .world import SECRET, World

DANGEROUS_PARTS = (
    "; rm x", "&& curl x", "| tee x", "|| evil", "& evil", "\nevil", "$(evil)", "`evil`", " > x", " >> ../x",
    " > ../outside/x",
    " 2> x", "<(evil)", " -exec evil {} +", " -delete", " -i", " --output=x", " -o x", "'", '"', "\\", "\\\n",
    "$", "{", "}",
    "(", ")", ";", "&", "|", "<", ">", "!", "*", "?", "[", "~", "#", " ..", "/..", " ../outside", " ~",
    " /etc", "=", " -e",
    " --", " -", "e", "w x", "\t", "\n", "  ", "é", "\u200b", "\x00", "\r", "$x", "${x}", "$((1))",
    "<<E\nx\nE", "<<<x", "%n",
    " $f", ' "$f"', "for f in ../outside/secret.txt; do ", "for f in evil -delete; do ", "; done", " done", "do ",
    "if ", "; then evil", "; fi", "f=evil; ", "f=../outside/secret.txt\n", "${f}", "[l]ink-secret", "[a-z]", "[", "]",
    "link-*", " -R", " +n", " -n", " --help", "in ", "$f:h", "linked", "continue; ", "cd ..; ",
    " -c", " -C ..", "--exec-path=.", " --pre=evil", "s/a/b/e", "1e evil",
)  # fmt: skip
ROUNDS = 6_000

pytestmark = pytest.mark.machine


@pytest.mark.mission("C10")
def test_what_is_approved_does_no_harm(world: World) -> None:
    world.restore()
    for line in HARMLESS:
        if not world.judge(line).safe:
            continue
        assert SECRET not in world.run(line), line
        assert world.harm() == [], line
        if world.touched:
            world.restore()


def test_the_traps_snap(world: World) -> None:
    """Otherwise the tests here prove nothing."""
    world.restore()
    for line, harm in (
        ("ls; rm x", ["trap: rm x"]),
        ("echo x > ../outside/x", ["changed: outside/x"]),
        ("git rm -q --cached src/app.py", ["changed: workspace/.git/index"]),
        ("git tag v2", ["changed: workspace/.git/refs/tags/v2"]),
        ("echo x > README.md", ["changed: workspace/README.md"]),
        ("echo x | xargs curl", ["trap: xargs curl"]),
    ):
        world.run(line)
        assert world.harm() == harm, line
        world.restore()


@pytest.mark.mission("C10")
def test_broken_lines_do_no_harm(world: World) -> None:
    """Harmless lines with dangerous parts put in, and with letters changed at random: whatever is still approved is
    run, and must touch nothing."""
    world.restore()
    chance = random.Random(10)  # noqa: S311 - the same lines each time
    tried: set[str] = set()
    approved = 0
    for _ in range(ROUNDS):
        line = _broken(chance)
        if line in tried:
            continue
        tried.add(line)
        if not world.judge(line).safe:
            continue
        approved += 1
        if "sleep" in line or approved % 3:  # each third is enough, and nobody waits
            continue
        assert SECRET not in world.run(line), line
        assert world.harm() == [], line
        if world.touched:
            world.restore()
    assert approved > 100


def _broken(chance: random.Random) -> str:
    line = chance.choice(HARMLESS)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(line) + 1)
        kind = chance.random()
        if kind < 0.6:
            line = line[:at] + chance.choice(DANGEROUS_PARTS) + line[at:]
        elif kind < 0.8:
            line = line[:at] + line[at + 1 :]
        else:
            line = line[:at] + chr(chance.randrange(1, 128)) + line[at + 1 :]
    return line
