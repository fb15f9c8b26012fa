"""From a request for approval to a recorded judgment: by which rules, in which places, and of exactly what (C10)."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rawr.approvals import Rules, Surroundings, digest_of, digest_of_changes, judge_changes, judge_command
from rawr.approvals.places import homes
from rawr.approvals.reach import reach_of
from rawr.core.real import Real
from rawr.core.text import head
from rawr.core.vocabulary.effects import JudgeApproval
from rawr.core.vocabulary.facts import ApprovalJudged
from rawr.errors import ConfigError

MAX_REASON = 300


class Approver:
    """Judges for one rawr. ``protected`` are folders that nothing may touch: rawr's home and Codex's.

    Those that the environment names are protected too, and those where both keep their homes by default: a run may have
    another Codex than the one that this rawr began with.
    """

    def __init__(self, protected: Sequence[Path] = ()) -> None:
        self._protected = tuple(protected)

    def protect(self, folder: Path) -> None:
        if folder not in self._protected:
            self._protected = (*self._protected, folder)

    def __call__(self, real: Real[JudgeApproval], /, *, env: Mapping[str, str] | None = None) -> ApprovalJudged:
        """``env``: the variables under which it would run; None: those of this process."""
        effect, around = real.thing, Surroundings.read(env) if env is not None else None
        try:
            rules = Rules(allow=effect.allow, deny=effect.deny, protect=effect.protect, not_secret=effect.not_secret)
        except ConfigError as error:
            # An unusable rule must not make anything safe, nor be ignored silently.
            return _unsafe(effect, f"the rules in the settings cannot be used: {error.message}")
        if not effect.workspace:
            return _unsafe(effect, "the workspace is not known")
        workspace = Path(effect.workspace)
        protected = (*self._protected, *homes(os.environ if env is None else env))
        reach = reach_of(effect.sandbox, workspace=workspace, profile=effect.profile, env=env)
        if effect.paths:
            paths = [path if Path(path).is_absolute() else str(workspace / path) for path in effect.paths]
            if effect.read_only:
                return _unsafe(effect, "it changes files, and writing is not allowed")
            judged = judge_changes(
                paths, workspace=workspace, protected=protected, rules=rules, around=around, reach=reach
            )
            digest = digest_of_changes([(path, "change") for path in paths])
        elif effect.command and effect.cwd:
            cwd = Path(effect.cwd)
            judged = judge_command(
                effect.command,
                cwd=cwd,
                workspace=workspace,
                rules=rules,
                protected=protected,
                around=around,
                read_only=effect.read_only,
                reach=reach,
            )
            digest = digest_of(effect.command, cwd)
        else:
            return _unsafe(effect, "it is not known what is to be approved")
        reasons = tuple(head(reason, MAX_REASON) for reason in judged.reasons)
        return ApprovalJudged(request=effect.request, safe=judged.safe, reasons=reasons, digest=digest)


def _unsafe(effect: JudgeApproval, why: str) -> ApprovalJudged:
    return ApprovalJudged(request=effect.request, safe=False, reasons=(why,))
