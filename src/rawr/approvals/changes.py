"""May these files be changed without asking? (C10)

Only inside the workspace, after following symlinks, and not where git, Codex or rawr keep what controls later commands.
``.gitattributes`` and ``.gitmodules`` belong to the project: they choose among programs that a configuration names, and
a repository whose own configuration names any is not safe to query (``git.repository``).
"""

import os
from collections.abc import Iterable
from pathlib import Path

from rawr.approvals.judgment import Judgment, shown, unsafe
from rawr.approvals.looking import Exhausted
from rawr.approvals.places import Places
from rawr.approvals.reach import Reach, reach_of
from rawr.approvals.reading.characters import strange
from rawr.approvals.rules import Rules
from rawr.approvals.surroundings import Surroundings
from rawr.core.vocabulary.limits import Sandboxing

MAX_CHANGES = 1_000
MAX_REASONS = 20


def judge_changes(
    paths: Iterable[str | Path],
    *,
    workspace: Path,
    protected: tuple[Path, ...] = (),
    rules: Rules | None = None,
    around: Surroundings | None = None,
    reach: Reach | None = None,
) -> Judgment:
    """Judge whether changing these files is provably safe. A moved file counts under both names. Never raises.

    ``reach``: what the agent may write meanwhile; None: what Codex's default allows.
    """
    try:
        return _judge(
            [str(path) for path in paths],
            workspace=workspace,
            protected=protected,
            rules=rules or Rules(),
            around=around or Surroundings.read(),
            reach=reach,
        )
    except Exhausted as bound:
        return unsafe(str(bound))
    except Exception as error:  # whatever went wrong, nothing is proved
        return unsafe(f"rawr could not judge it: {type(error).__name__}.")


def _judge(
    paths: list[str],
    *,
    workspace: Path,
    protected: tuple[Path, ...],
    rules: Rules,
    around: Surroundings,
    reach: Reach | None,
) -> Judgment:
    if not paths:
        return unsafe("It is not known which files would change.")
    if len(paths) > MAX_CHANGES:
        return unsafe(f"More than {MAX_CHANGES} files would change.")
    places = Places(
        workspace=Path(os.path.realpath(workspace)),
        around=around,
        protected=protected,
        guarded=rules.protect,
        not_secret=rules.not_secret,
        reach=reach or reach_of(Sandboxing(), workspace=workspace, env=around.variables),
    )
    if places.reach.everywhere:
        return unsafe(places.reach.everywhere)
    if problems := places.unusable():
        return unsafe(*problems)
    folders = frozenset({places.workspace})
    reasons: list[str] = []
    for path in paths:
        if not path.isprintable():
            reasons += strange(path) or [f"The name {shown(path)} has more than one line."]
            continue
        reasons += places.unwritable(path, folders)
        if places.look.real(path, within=places.workspace) == str(places.workspace):
            reasons.append(f"{shown(path)} is the workspace itself.")
    if reasons:
        return unsafe(*list(dict.fromkeys(reasons))[:MAX_REASONS])
    return Judgment(safe=True, reasons=("All files are in the workspace, and none belongs to git, Codex or rawr.",))
