"""Under what a thread works: what was ordered, what Codex says is in force, and whether that is wider (D11).

Each dimension has an order of its own, and what is not on it counts as wider. Values only: what follows from them is in
``limiting``.
"""

from msgspec import Struct
from msgspec.structs import replace

NOT_TOLD = "not told"
"""In place of a value that Codex should have told and did not. It is on no order, so it is wider than anything."""

_SANDBOXES = ("read-only", "workspace-write", "external-sandbox", "danger-full-access")
_APPROVALS = ("untrusted", "on-request", "on-failure", "never")
"""By how much happens without a question."""
_REVIEWERS = ("user",)
"""Whoever else looks at a request may say yes before rawr has seen it."""
_BUILT_IN = ":"
"""Codex's own permission profiles begin with this. They are no more than the sandbox that is told beside them."""


class Sandboxing(Struct, frozen=True, gc=False, omit_defaults=True):
    mode: str = ""
    """Empty: nobody ordered one, and the thread keeps what it has."""
    network: bool = False
    roots: tuple[str, ...] = ()
    """Folders that may be written beside the workspace."""
    slash_tmp: bool = True
    tmpdir: bool = True
    """In ``workspace-write`` the two folders for temporary files may be written, unless they are left out."""


class InForce(Struct, frozen=True, gc=False, omit_defaults=True):
    """What Codex says of itself."""

    cwd: str = ""
    sandbox: Sandboxing = Sandboxing(NOT_TOLD)
    approvals: str = NOT_TOLD
    reviewer: str = "user"
    profile: str = ""
    """The permission profile that the sandbox comes from, where it is a named one."""
    model: str = ""


class Limits(Struct, frozen=True, gc=False, omit_defaults=True):
    """What was ordered. An empty value means that nobody did: then it is what the thread has when it is first told."""

    cwd: str = ""
    sandbox: Sandboxing = Sandboxing()
    exact: bool = False
    """The sandbox is known with its details, which only the user's own configuration of Codex has."""
    approvals: str = ""
    reviewer: str = ""
    profile: str = ""
    model: str = ""
    native_last: bool = False
    """Codex's own compaction is moved to the end of the window (A19)."""

    @property
    def read_only(self) -> bool:
        return self.sandbox.mode == "read-only"


def settled(limits: Limits, told: InForce) -> Limits:
    """The limits with what nobody ordered filled in, once: from then on it is part of them."""
    asked = limits.sandbox.mode
    known = not limits.exact and asked in ("", told.sandbox.mode)
    # Beside read-only there is nothing to be filled in: no network, and no folder to write.
    sandbox = told.sandbox if known and asked != "read-only" else limits.sandbox
    return replace(
        limits,
        cwd=limits.cwd or told.cwd,
        sandbox=sandbox,
        exact=limits.exact or known,
        approvals=limits.approvals or told.approvals,
        reviewer=limits.reviewer or told.reviewer,
        profile=told.profile if known and not asked else limits.profile,
    )


def wider(limits: Limits, told: InForce) -> tuple[str, ...]:
    """In what more is allowed than was ordered, in words; empty if in nothing."""
    found: list[str] = []
    if limits.sandbox.mode:
        found += _sandbox(limits, told)
    if limits.approvals and _above(_APPROVALS, limits.approvals, told.approvals):
        found.append(f"approvals {told.approvals} (ordered: {limits.approvals})")
    if limits.reviewer and _above(_REVIEWERS, limits.reviewer, told.reviewer):
        found.append(f"approvals are given by {told.reviewer} (ordered: {limits.reviewer})")
    return tuple(found)


def _sandbox(limits: Limits, told: InForce) -> list[str]:
    ordered, given = limits.sandbox, told.sandbox
    if ordered.mode == "danger-full-access":
        return []
    if _above(_SANDBOXES, ordered.mode, given.mode):
        return [f"sandbox {spelled(given)} (ordered: {spelled(ordered)})"]
    found: list[str] = []
    if limits.profile and not limits.profile.startswith(_BUILT_IN) and told.profile != limits.profile:
        found.append(f"permission profile {told.profile or 'none'} (ordered: {limits.profile})")
    if given.network and not ordered.network:
        found.append("network access (ordered: none)")
    if given.mode == "workspace-write":
        found += [f"{folder} may be written" for folder in _more_folders(limits, told)]
    return found


def _more_folders(limits: Limits, told: InForce) -> list[str]:
    ordered, given = limits.sandbox, told.sandbox
    allowed = (*filter(None, (limits.cwd,)), *ordered.roots)
    asked_for = (*filter(None, (told.cwd,)), *given.roots)
    more = [folder for folder in asked_for if not any(_within(folder, place) for place in allowed)]
    more += ["/tmp"] if given.slash_tmp and not ordered.slash_tmp else []  # noqa: S108 - a name, nothing is put there
    more += ["$TMPDIR"] if given.tmpdir and not ordered.tmpdir else []
    return more


def _within(path: str, folder: str) -> bool:
    inner, outer = path.rstrip("/") or "/", folder.rstrip("/")
    return ".." not in inner.split("/") and (inner == (outer or "/") or inner.startswith(f"{outer}/"))


def _above(order: tuple[str, ...], ordered: str, given: str) -> bool:
    if given == ordered and given != NOT_TOLD:
        return False
    if given not in order or ordered not in order:
        return True
    return order.index(given) > order.index(ordered)


def spelled(sandbox: Sandboxing) -> str:
    """A sandbox in a few words."""
    more = [*(["network"] if sandbox.network else []), *sandbox.roots]
    return f"{sandbox.mode or 'of the thread'}{' with ' if more else ''}{', '.join(more)}"


def in_words(limits: Limits | InForce) -> str:
    """One short line for a person."""
    parts = [f"sandbox {spelled(limits.sandbox)}", f"approvals {limits.approvals or 'of the thread'}"]
    if isinstance(limits, InForce) and limits.profile and not limits.profile.startswith(_BUILT_IN):
        parts.append(f"profile {limits.profile}")
    if limits.reviewer not in ("", "user"):
        parts.append(f"given by {limits.reviewer}")
    return ", ".join(parts)
