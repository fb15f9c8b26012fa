"""Limits in the app-server's words, and what it says is in force in ours (D11). Pure, and nothing here raises: a value
in a shape that rawr does not know is in no order, and so wider than anything."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from rawr.codex.native import THRESHOLD
from rawr.codex.wire import methods
from rawr.codex.wire.notifications import SettingsUpdated
from rawr.core.text import head
from rawr.core.vocabulary.limits import NOT_TOLD, InForce, Limits, Sandboxing

NEVER = 1_000_000_000
"""More tokens than any window has."""
MAX_VALUE = 500

_MODES = {
    "readOnly": "read-only",
    "workspaceWrite": "workspace-write",
    "externalSandbox": "external-sandbox",
    "dangerFullAccess": "danger-full-access",
}
_TYPES = {mode: name for name, mode in _MODES.items()}


class _Policy(Struct, rename="camel"):
    type: str
    network_access: bool | str = False
    writable_roots: list[str] = []
    exclude_slash_tmp: bool = False
    exclude_tmpdir_env_var: bool = False


class _Profile(Struct):
    id: str


def given(answer: methods.ThreadGiven) -> InForce:
    """What the answer to a start or a resume says."""
    more = [root for root in answer.runtime_workspace_roots if root != answer.cwd]
    return _in_force(
        cwd=answer.cwd,
        sandbox=sandboxing(answer.sandbox, more),
        approvals=answer.approval_policy,
        reviewer=answer.approvals_reviewer,
        profile=answer.active_permission_profile,
        model=answer.model,
    )


def updated(message: SettingsUpdated) -> InForce:
    told = message.thread_settings
    return _in_force(
        cwd=told.cwd,
        sandbox=sandboxing(told.sandbox_policy),
        approvals=told.approval_policy,
        reviewer=told.approvals_reviewer,
        profile=told.active_permission_profile,
        model=told.model,
    )


def _in_force(
    *, cwd: str, sandbox: Sandboxing, approvals: Raw, reviewer: str | None, profile: Raw, model: str
) -> InForce:
    return InForce(
        cwd=cwd,
        sandbox=sandbox,
        approvals=_approvals(approvals),
        reviewer=head(reviewer or "user", MAX_VALUE),
        profile=_profile(profile),
        model=model,
    )


def sandboxing(raw: Raw, more: list[str] | None = None) -> Sandboxing:
    try:
        policy = msgspec.json.decode(raw, type=_Policy)
    except (msgspec.DecodeError, RecursionError):
        return Sandboxing(NOT_TOLD)
    mode = _MODES.get(policy.type, head(policy.type, MAX_VALUE))
    if mode == "danger-full-access":
        return Sandboxing(mode)
    network = policy.network_access not in (False, "restricted")
    if mode != "workspace-write":
        return Sandboxing(mode, network=network)
    return Sandboxing(
        mode,
        network=network,
        roots=tuple(dict.fromkeys((*policy.writable_roots, *(more or ())))),
        slash_tmp=not policy.exclude_slash_tmp,
        tmpdir=not policy.exclude_tmpdir_env_var,
    )


def _approvals(raw: Raw) -> str:
    """The policy's name. A policy that is more than a name stays as it came, so that rawr can send it again."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return NOT_TOLD
    if isinstance(value, str):
        return head(value, MAX_VALUE)
    return NOT_TOLD if value is None else msgspec.json.encode(value, order="sorted").decode()


def _profile(raw: Raw) -> str:
    try:
        profile = msgspec.json.decode(raw, type=_Profile | None)
    except (msgspec.DecodeError, RecursionError):
        return NOT_TOLD
    return head(profile.id, MAX_VALUE) if profile is not None else ""


# -- what is sent -----------------------------------------------------------------------------------------------


def approval_policy(limits: Limits) -> Any | UnsetType:
    if not limits.approvals or limits.approvals == NOT_TOLD:
        return UNSET
    return msgspec.json.decode(limits.approvals) if limits.approvals.startswith("{") else limits.approvals


def mode(limits: Limits) -> str | UnsetType:
    """For a start or a resume: the mode alone; its details are in the user's own configuration."""
    known = limits.sandbox.mode in ("read-only", "workspace-write", "danger-full-access")
    return limits.sandbox.mode if known and not limits.profile else UNSET


def policy(limits: Limits) -> dict[str, Any] | UnsetType:
    """For a turn: the whole sandbox."""
    sandbox = limits.sandbox
    name = _TYPES.get(sandbox.mode)
    if name is None or limits.profile:
        return UNSET
    if sandbox.mode == "danger-full-access":
        return {"type": name}
    if sandbox.mode == "external-sandbox":
        return {"type": name, "networkAccess": "enabled" if sandbox.network else "restricted"}
    if sandbox.mode == "read-only":
        return {"type": name, "networkAccess": sandbox.network}
    return {
        "type": name,
        "writableRoots": list(sandbox.roots),
        "networkAccess": sandbox.network,
        "excludeSlashTmp": not sandbox.slash_tmp,
        "excludeTmpdirEnvVar": not sandbox.tmpdir,
    }


def config(limits: Limits, *, knows_threshold: bool = True) -> dict[str, object]:
    """What a thread that rawr drives needs, without touching the user's own config.

    Without the first, Codex offers the agent no plan tool, and rawr knows phases by plan steps. The other two
    together move Codex's own compaction to the very end of the window; either alone does not (measured). The last one
    keeps Codex from compacting at turns' ends, whatever the user's config says.
    """
    needed: dict[str, object] = {"tools.update_plan.enabled": True}
    if limits.native_last:
        needed["model_auto_compact_token_limit"] = NEVER
        needed["model_auto_compact_token_limit_scope"] = "body_after_prefix"  # noqa: S105
        if knows_threshold:
            needed[THRESHOLD] = 0
    return needed
