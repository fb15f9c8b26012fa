"""B6, the truth test: lines are really run by bash and git, and the verdict is compared with what HEAD really did.

The repository side must never be wrong. The command side can only guess; how well it does is printed (``-s``).
"""

from collections import Counter

import pytest

from rawr.observe.intents.reading import COMMITTING, Intent
from tests.soaking import soak

from .sandbox import Sandbox, Seen
from .truth_lines import generated, hand_picked

GENERATED = 240


def claims(intents: tuple[Intent, ...]) -> bool:
    return any(intent.kind in COMMITTING and not intent.dry_run for intent in intents)


def judge(sandbox: Sandbox, lines: list[str]) -> Counter[str]:
    """Run them all, and fail with every line that was judged wrongly."""
    assert len(set(lines)) == len(lines)
    wrong: list[Seen] = []
    count: Counter[str] = Counter(lines=len(lines))
    for line in lines:
        seen = sandbox.run(line)
        if len(seen.verdict.commits) != seen.new_commits:
            wrong.append(seen)
        count["committed"] += seen.truth
        count["not agreed"] += not seen.verdict.agreed
        claimed = claims(seen.intents) and seen.exit_code == 0
        count[f"claimed {seen.truth}"] += claimed
        count[f"silent {seen.truth}"] += not claimed
        assert seen.verdict.why
    assert not wrong, "\n".join(
        f"{seen.line!r}: {seen.new_commits} commits, judged {len(seen.verdict.commits)} from {seen.movements}"
        for seen in wrong
    )
    precision = count["claimed True"] / (count["claimed True"] + count["claimed False"])
    recall = count["claimed True"] / count["committed"]
    print(f"\n{dict(count)}\nthe command alone: precision {precision:.1%}, recall {recall:.1%}")
    assert precision > 0.8
    assert recall > 0.8
    return count


@pytest.mark.parametrize("part", [0, *map(soak, range(1, 6))])
def test_hand_picked_lines(sandbox: Sandbox, part: int) -> None:
    """B6: aliases, wrappers, hooks, heredocs, worktrees, submodules, plumbing, missing logs: zero disagreements."""
    assert len(hand_picked()) > 300
    judge(sandbox, hand_picked()[part::6])


@pytest.mark.parametrize("part", [0, soak(1)])
def test_generated_lines(sandbox: Sandbox, part: int) -> None:
    """B6: ways to commit in ways to run something: zero disagreements."""
    judge(sandbox, generated(GENERATED)[part::2])


@pytest.mark.parametrize(
    ("line", "agreed", "why"),
    [
        ("git commit -m x", True, "one commit"),
        ("git commit -m x; git commit --allow-empty -m y", True, "2 commits in one line (commit)"),
        ("./commit.sh", False, "without a command for it: a script or an unknown alias committed"),
        ("git commit --dry-run", True, "a dry run"),
        ("../bin/refuse pre-commit; git commit -m x", True, "a hook or a conflict stopped it"),
        ("../bin/refuse pre-commit; git commit -m x || true", False, "nothing to commit, or another repository"),
        ('cd /tmp && git -C "$NOWHERE/x" commit -m x; true', False, "a place that is not known), or not at all"),
        ("false && git commit -m x; true", True, "the part of the line"),
        ('git -C "$UP" status; echo git commit', True, "no commit was meant and none was made"),
        ("git stash -q; git merge ff", True, "a fast-forward"),
        ("git merge plain", True, "up to date already"),
        ("git commit --dry-run && ./commit.sh", False, "though only a dry run was asked for"),
        ("git commit --amend --no-edit", True, "one amend"),
    ],
)  # fmt: skip
def test_the_reason_in_words(sandbox: Sandbox, line: str, agreed: bool, why: str) -> None:
    verdict = sandbox.run(line).verdict
    assert why in verdict.why
    assert verdict.agreed is agreed
