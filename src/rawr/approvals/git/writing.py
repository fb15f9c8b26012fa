"""Which git commands write or remove files of the work tree (C10, D23).

git looks at a folder once and then writes through it. Outside of the sandbox, the agent's processes can put a link in
its place in between (tried: a plain ``git pull`` then wrote 1 400 files elsewhere). No look beforehand rules that out,
so these commands need a rule of their own beside the one that names them.
"""

from collections.abc import Sequence

from rawr.approvals.git.following import makes_branch

ACCEPTED = "git files"
"""The rule that accepts them. git has no such command."""
_ALWAYS_TEXT = """
    am archive bisect checkout-index cherry-pick clean clone filter-branch merge mv pull read-tree rebase revert
    sparse-checkout submodule
    """
_ALWAYS = frozenset(_ALWAYS_TEXT.split())
_ONLY_LOOK = frozenset({"--check", "--stat", "--numstat", "--summary"})


def writes_files(words: Sequence[str]) -> bool:
    """``words``: from the subcommand on."""
    name, *rest = words or ("",)
    given = frozenset(rest)
    match name:
        case "checkout" | "switch":
            return not makes_branch(words)
        case "restore":
            return not given & {"-S", "--staged"} or not given.isdisjoint({"-W", "--worktree"}) or _bundled(rest, "W")
        case "reset":
            return not given.isdisjoint({"--hard", "--merge", "--keep"})
        case "rm":
            return "--cached" not in given
        case "stash":
            return rest[:1] not in (["list"], ["show"], ["drop"])
        case "worktree":
            return rest[:1] not in (["list"], ["prune"])
        case "apply":
            return given.isdisjoint(_ONLY_LOOK)
        case _:
            return name in _ALWAYS


def _bundled(words: Sequence[str], letter: str) -> bool:
    return any(word.startswith("-") and not word.startswith("--") and letter in word for word in words)


def unaccepted(words: Sequence[str]) -> str:
    """Why a command that writes files is not approved."""
    return (
        f"`git {words[0]}` writes files outside of the sandbox, through folders that the agent can swap for links "
        f"meanwhile. The rule `{ACCEPTED}` accepts that: it can then write wherever you can."
    )
