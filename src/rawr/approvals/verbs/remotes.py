"""The remotes of a repository, and which of them git reaches over the network and with nothing else (C10).

They are read from the repository's own configuration, as strictly as ``git.config`` reads it: a line that is not
understood makes all of them unknown. The agent cannot write that file (``git.allowed`` sees to it). A remote that is a
path is not harmless: its hooks run here, and the agent may have made it.
"""

import re
from functools import partial
from pathlib import Path

from msgspec import Struct

from rawr.approvals.git.repository import repository_at
from rawr.approvals.judgment import shown
from rawr.approvals.places import within
from rawr.approvals.programs.arguments import Call

MAX_CONFIG = 256 * 1024
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"([^"\\]*)")?\s*\]\s*')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")
_HOST = r"(?:[A-Za-z0-9_.~%!$&*+,;=-]+(?::[^/@\s]*)?@)?(?P<{name}>[A-Za-z0-9_][A-Za-z0-9_.-]*)"
_ADDRESS = re.compile(
    rf"(?:https?|ssh|git|git\+ssh|ssh\+git)://{_HOST.format(name='url')}(?::\d+)?(?:/[^\s?#\\]*)?", re.ASCII
)
_SHORT = re.compile(r"(?:[A-Za-z0-9_.-]+@)(?P<short>[A-Za-z0-9_][A-Za-z0-9_.-]*):(?!:)[^\s\\]*", re.ASCII)
_PUBLIC = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""What is read there says nothing to anybody else."""
_HARMLESS_TEXT = "fetch push mirror prune prunetags tagopt gh-resolved skipfetchall skipdefaultupdate"
_HARMLESS = frozenset(_HARMLESS_TEXT.split())


class Remote(Struct, frozen=True):
    name: str
    addresses: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Settings of it that may name a program or another way to reach it."""


class Remotes(Struct, frozen=True):
    known: dict[str, Remote] = {}
    defaults: tuple[str, ...] = ()
    """Where git may go if the line names no remote."""
    fetches_from: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def remotes_of(call: Call) -> list[tuple[Path, Remotes]]:
    """For each folder that the command may run in; none where there is no repository."""
    found: list[tuple[Path, Remotes]] = []
    for folder in sorted(call.folders):
        repository = repository_at(folder, call.places.look)
        if repository is not None:
            files = (repository.common_dir / "config", repository.git_dir / "config.worktree")
            known = call.places.look.once(("remotes", *map(str, files)), partial(_read, files, call))
            found.append((repository.root, known))
    return found


class _Setting(Struct, frozen=True):
    section: str
    name: str
    """The subsection, such as a remote's name."""
    key: str
    value: str


def _read(files: tuple[Path, ...], call: Call) -> Remotes:
    look = call.places.look
    data = [look.read(file, MAX_CONFIG) for file in files if look.kind(look.real(file))]
    if None in data or not data:
        return Remotes(problems=("The configuration of the repository cannot be read.",))
    settings, problems = _settings("\n".join(one.decode("utf-8", "replace") for one in data if one is not None))
    urls: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    defaults: list[str] = []
    fetches: list[str] = []
    for one in settings:
        match one.section, one.key:
            case ("remote", "pushdefault") if not one.name:
                defaults.append(one.value)
            case ("remote", "url" | "pushurl"):
                urls.setdefault(one.name, []).append(one.value)
            case ("remote", key) if key in _HARMLESS:
                urls.setdefault(one.name, [])
            case ("remote", key):
                others.setdefault(one.name, []).append(key)
            case ("branch", "pushremote"):
                defaults.append(one.value)
            case ("branch", "remote"):
                fetches.append(one.value)
            case _:
                problems += _misleading(one)
    known = {one: Remote(one, tuple(urls.get(one, ())), tuple(others.get(one, ()))) for one in {*urls, *others}}
    return Remotes(known, tuple(defaults), tuple(fetches), tuple(problems))


def _settings(text: str) -> tuple[list[_Setting], list[str]]:
    found: list[_Setting] = []
    problems: list[str] = []
    section, name = "", ""
    for line in (one.strip() for one in text.replace("\r\n", "\n").split("\n")):
        if not line or line.startswith(("#", ";")):
            continue
        if opened := _SECTION.fullmatch(line):
            section, _, dotted = opened[1].lower().partition(".")
            name = opened[2] if opened[2] is not None else dotted
            continue
        setting = _SETTING.fullmatch(line)
        if setting is None or line.endswith("\\"):
            problems.append(f"A line of the repository's configuration is not understood: {shown(line)}.")
        else:
            found.append(_Setting(section, name, setting[1].lower(), setting[2] or ""))
    return found, problems


def _misleading(one: _Setting) -> list[str]:
    """Settings that would send git elsewhere, or more along."""
    if one.section == "url" and host_of(one.name) is None:
        return [f"The repository sets url.{one.name}.{one.key}, which may send git elsewhere."]
    if one.section in ("include", "includeif"):
        return ["The repository's configuration includes another file, which may name other remotes."]
    if one.section == "push" and one.key in ("pushoption", "recursesubmodules", "gpgsign"):
        return [f"The repository sets push.{one.key}."]
    return []


def host_of(address: str) -> str | None:
    """The host of an address that git reaches by itself or by ssh; None for a path, a program, and anything unclear."""
    found = _ADDRESS.fullmatch(address) or _SHORT.fullmatch(address)
    if found is None or "::" in address:
        return None
    return next(host for host in found.groupdict().values() if host is not None).lower()


def unreachable(remote: Remote, call: Call, *, meant: bool) -> list[str]:
    """Why a configured remote is not harmless. ``meant``: the rule itself names it, so it may be a path elsewhere."""
    problems = [f"The remote {shown(remote.name)} has the setting {one}." for one in remote.others]
    if not remote.addresses:
        problems.append(f"The remote {shown(remote.name)} has no address.")
    for address in remote.addresses:
        if host_of(address) is not None:
            continue
        elsewhere = _elsewhere(address, call)
        if not elsewhere:
            problems.append(
                f"The remote {shown(remote.name)} is {shown(address)}, which git does not reach by network."
            )
        elif not meant:
            problems.append(
                f"The remote {shown(remote.name)} is {shown(address)}, a path: only a rule that names it opens it."
            )
    return problems


def _elsewhere(address: str, call: Call) -> bool:
    """Return True for a path where the sandbox does not let the agent write, and that it cannot lead elsewhere."""
    path = address.removeprefix("file://")
    if not path.startswith("/") or "::" in path or not path.isprintable():
        return False
    real = call.places.look.real(path)
    places = call.places
    if places.holds(real) or within(places.workspace, real):
        return False
    return not places.reach.fills(real) and not places.reach.sways(path)


def wrong_remote(text: str, call: Call, *, meant: bool = False) -> list[str]:
    """Why a word is not a remote that is opened."""
    unknown = [f"{shown(text)} is not a configured remote of the repository."]
    problems: list[str] = []
    found = remotes_of(call)
    for _, remotes in found:
        problems += remotes.problems
        known = remotes.known.get(text)
        if known is None:
            if meant and (host_of(text) is not None or _elsewhere(text, call)):
                continue
            return unknown
        problems += unreachable(known, call, meant=meant)
    return problems if found else unknown


def wrong_default(call: Call, *, pushes: bool) -> list[str]:
    """Why the remote that git takes by itself is not one that is opened."""
    problems: list[str] = []
    for _, remotes in remotes_of(call):
        problems += remotes.problems
        taken = {*(remotes.defaults if pushes else ()), *remotes.fetches_from}
        if "origin" in remotes.known or len(remotes.known) != 1:
            taken |= {"origin"} & remotes.known.keys()
        else:
            taken |= set(remotes.known)
        for name in sorted(taken):
            if name in remotes.known:
                problems += unreachable(remotes.known[name], call, meant=False)
            elif pushes or (name != "." and host_of(name) is None):
                problems.append(f"A branch has the remote {shown(name)}, which is not a configured one.")
    return problems


def wrong_all(call: Call) -> list[str]:
    return [
        problem
        for _, remotes in remotes_of(call)
        for one in remotes.known.values()
        for problem in (*remotes.problems, *unreachable(one, call, meant=False))
    ]


def wrong_address(text: str, call: Call) -> list[str]:
    """For what is read from the network: a configured remote, or an address at the host of one or at a public one."""
    if not wrong_remote(text, call):
        return []
    host = host_of(text)
    if host is None:
        return [f"{shown(text)} is not an address that git reaches by network."]
    own = {host_of(address) for _, remotes in remotes_of(call) for one in remotes.known.values()
           for address in one.addresses}  # fmt: skip
    if host in own or (host in _PUBLIC and text.startswith(("https://", "git@", "ssh://git@"))):
        return []
    return [f"{shown(host)} is not the host of a configured remote."]
