"""May this command run without asking? (C10)

Safe means proved: two readers understand the line in the same way, and every program in it is on a list, with arguments
that keep it reading, or writing something new, inside the workspace. Everything else is not safe, and an error on the
way proves nothing.
"""

import os
from pathlib import Path

from rawr.approvals.judgment import Judgment, shown, unsafe
from rawr.approvals.line import Line
from rawr.approvals.looking import Exhausted
from rawr.approvals.places import Places
from rawr.approvals.reach import Reach, reach_of
from rawr.approvals.reading.characters import strange
from rawr.approvals.rules import Rules
from rawr.approvals.surroundings import Surroundings
from rawr.core.vocabulary.limits import Sandboxing

MAX_LENGTH = 15_000
"""Characters. Shorter than the length at which rawr cuts the text of an approval, so a cut text is never judged."""
MAX_REASONS = 20


def judge_command(
    command: str,
    *,
    cwd: Path,
    workspace: Path,
    rules: Rules | None = None,
    protected: tuple[Path, ...] = (),
    around: Surroundings | None = None,
    read_only: bool = False,
    reach: Reach | None = None,
) -> Judgment:
    """Judge whether a command line is provably safe, with reasons. Runs nothing of it, never raises.

    ``read_only``: the command must be proved to write nothing, anywhere. ``reach``: what the agent may write meanwhile;
    None: what Codex's default allows.
    """
    try:
        return _judge(
            command,
            cwd=cwd,
            workspace=workspace,
            rules=rules or Rules(),
            protected=protected,
            around=around or Surroundings.read(),
            read_only=read_only,
            reach=reach,
        )
    except Exhausted as bound:
        return unsafe(str(bound))
    except Exception as error:  # whatever went wrong, nothing is proved
        return unsafe(f"rawr could not judge it: {type(error).__name__}.")


def _judge(
    command: str,
    *,
    cwd: Path,
    workspace: Path,
    rules: Rules,
    protected: tuple[Path, ...],
    around: Surroundings,
    read_only: bool,
    reach: Reach | None,
) -> Judgment:
    if len(command) > MAX_LENGTH:
        return unsafe(f"It is longer than {MAX_LENGTH} characters.")
    if hidden := strange(command):
        return unsafe(*hidden)
    if not command.strip():
        return unsafe("There is no command.")
    places = Places(
        workspace=Path(os.path.realpath(workspace)),
        around=around,
        protected=protected,
        guarded=rules.protect,
        read_only=read_only,
        not_secret=rules.not_secret,
        reach=reach or reach_of(Sandboxing(), workspace=workspace, env=around.variables),
    )
    if problems := places.unusable():
        return unsafe(*problems)
    given = workspace / cwd
    folder = Path(places.look.real(given))
    if not places.holds(folder):
        return unsafe(f"It runs in {shown(str(cwd))}, outside the workspace.")
    if places.reach.sways(given) and not places.reach.writes(folder):
        return unsafe(f"It runs in {shown(str(cwd))}, where the agent can change the way.")
    line = Line(places, rules, moved=os.path.normpath(given) != str(folder))
    try:
        line.code(command, frozenset({folder}))
    except Exhausted as bound:
        line.found.problem(str(bound))
    line.found.finish()
    if line.found.problems:
        return unsafe(*list(dict.fromkeys(line.found.problems))[:MAX_REASONS])
    return Judgment(safe=True, reasons=tuple(dict.fromkeys(line.found.grounds)))
