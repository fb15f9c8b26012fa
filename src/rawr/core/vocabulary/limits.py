"""The limits of a thread: what was ordered, what Codex says is in force, and whether that is wider (D11).

Each dimension has its own order, and a value that is not in it counts as wider. Values only: ``limiting`` knows what
follows from them.
"""

from msgspec import Struct
from msgspec.structs import replace

NOT_TOLD = "not told"
"""Replaces a value that Codex should have sent and did not. It is in no order, so it is wider than anything."""

_SANDBOXES = ("read-only", "workspace-write", "external-sandbox", "danger-full-access")
_APPROVALS = ("untrusted", "on-request", "on-failure", "never")
"""By how much happens without a question."""
_REVIEWERS = ("user",)
"""Any other reviewer may approve a request before rawr has seen it."""
_BUILT_IN = ":"
"""Codex's own permission profiles begin with this. They grant no more than the sandbox that comes with them."""


class Sandboxing(Struct, frozen=True, gc=False, omit_defaults=True):
    mode: str = ""
    """Empty: nobody ordered one, and the thread keeps what it has."""
    network: bool = False
    roots: tuple[str, ...] = ()
    """Writable folders besides the workspace."""
    slash_tmp: bool = True
    tmpdir: bool = True
    """In ``workspace-write``, the two folders for temporary files are writable, unless excluded."""


class InForce(Struct, frozen=True, gc=False, omit_defaults=True):
    """What Codex reports as in force."""

    cwd: str = ""
    sandbox: Sandboxing = Sandboxing(NOT_TOLD)
    approvals: str = NOT_TOLD
    reviewer: str = "user"
    profile: str = ""
    """The permission profile behind the sandbox, if it is a named one."""
    model: str = ""
    reaches: str = ""
    """What rawr obeys and the agent could change there, in words for a person; empty: nothing."""


class Limits(Struct, frozen=True, gc=False, omit_defaults=True):
    """What was ordered. An empty value was not ordered: then the first value that Codex reports applies."""

    cwd: str = ""
    sandbox: Sandboxing = Sandboxing()
    exact: bool = False
    """The details of the sandbox are known, which only the user's own Codex configuration has."""
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
    """The limits, with values that nobody ordered filled in once: from then on they are part of the limits."""
    asked = limits.sandbox.mode
    known = not limits.exact and asked in ("", told.sandbox.mode)
    # Read-only needs nothing filled in: no network, and no writable folder.
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
    """In what respects more is allowed than was ordered, in words; empty if in none."""
    found: list[str] = [told.reaches] if told.reaches else []
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


def confining(limits: Limits | None, told: InForce | None, *, workspace: str) -> Sandboxing:
    """The sandbox around the agent's own processes: the one that Codex reports, with every folder that either names."""
    known = [one for one in (told, limits) if one is not None]
    if not known:
        return Sandboxing()
    folders = [folder for one in known for folder in (one.cwd, *one.sandbox.roots) if folder and folder != workspace]
    return replace(known[0].sandbox, roots=tuple(dict.fromkeys(folders)))


def in_words(limits: Limits | InForce) -> str:
    """One short line for a person."""
    parts = [f"sandbox {spelled(limits.sandbox)}", f"approvals {limits.approvals or 'of the thread'}"]
    if isinstance(limits, InForce) and limits.profile and not limits.profile.startswith(_BUILT_IN):
        parts.append(f"profile {limits.profile}")
    if limits.reviewer not in ("", "user"):
        parts.append(f"given by {limits.reviewer}")
    return ", ".join(parts)
