"""Programs that git runs because the user's own configuration says so (C10).

The user chose them, but not where they look: ``python3 -m tidy`` as a filter takes ``tidy`` from the folder that git
runs in, which is the agent's. So the list is closed here too. Of the settings that can make a reading git command run a
program or read another configuration, only those on a list are safe: Git LFS as it installs itself, and a few programs
that take nothing from the folder they run in. Everything else in the configuration is the user's business.
"""

import re
from pathlib import PurePath

from msgspec import Struct

from rawr.approvals.credentials import URL_WITH_PASSWORD
from rawr.approvals.git.formats import unsafe_format
from rawr.approvals.git.settings import HOOKS, LFS, MAX_CONFIG, Setting, settings
from rawr.approvals.judgment import shown
from rawr.approvals.places import Places
from rawr.approvals.shadows import shadowed

MAX_INCLUDED = 20

_READERS = frozenset({"difft", "xxd", "hexdump", "od", "cat"})
"""They read only what git passes to them, and nothing from the folder they run in. ``strings`` is not among them: it
takes options from a file called ``@…``."""
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z0-9][A-Za-z0-9=_-]*")
_OFF = frozenset({"false", "no", "off", "0", ""})
_ON = frozenset({"true", "yes", "on", "1"})
_LFS_CALL = re.compile(r"(?P<program>\S+)(?P<rest> .*)")

_WATCHED_TEXT = (
    "core diff filter merge gpg log format pretty extensions include includeif submodule lfs remote hook fsmonitor "
    "status"
)
_WATCHED = frozenset(_WATCHED_TEXT.split())
"""Sections in which a setting may name a program that a reading git command runs, or another settings file."""

_RUNS_NOTHING_TEXT = """
    core.editor core.pager core.askpass core.sshcommand core.gitproxy core.attributesfile core.excludesfile
    core.autocrlf core.eol core.safecrlf core.whitespace core.abbrev core.quotepath core.untrackedcache
    core.preloadindex core.longpaths core.filemode core.ignorecase core.precomposeunicode core.symlinks
    core.checkstat core.trustctime core.commentchar core.commentstring core.compression core.loosecompression
    core.packedgitlimit core.packedgitwindowsize core.multipackindex core.deltabasecachelimit
    core.bigfilethreshold core.commitgraph core.protecthfs core.protectntfs core.sharedrepository
    core.logallrefupdates core.notesref core.fsync core.fsyncmethod core.fsyncobjectfiles core.fscache
    core.autocrlf core.createobject core.warnambiguousrefs core.sparsecheckout core.sparsecheckoutcone
    core.repositoryformatversion core.bare core.restrictinheritedhandles core.unicodepaths
    core.useBuiltinFSMonitor core.maxtreedepth core.fsmonitorhookversion diff.renames diff.renamelimit
    diff.algorithm diff.colormoved diff.colormovedws diff.mnemonicprefix diff.noprefix diff.context
    diff.interhunkcontext diff.tool diff.guitool diff.relative diff.statgraphwidth diff.statnamewidth
    diff.wserrorhighlight diff.indentheuristic diff.ignoresubmodules diff.autorefreshindex
    diff.suppressblankempty diff.dirstat diff.srcprefix diff.dstprefix diff.wordregex diff.*.xfuncname
    diff.*.funcname diff.*.binary diff.*.wordregex diff.*.cachetextconv diff.*.algorithm diff.trustexitcode
    diff.*.trustexitcode merge.ff merge.conflictstyle merge.renamelimit merge.renames merge.tool merge.guitool
    merge.log merge.stat merge.branchdesc merge.suppressdest merge.verifysignatures merge.autostash
    merge.defaulttoupstream merge.autoedit merge.directoryrenames merge.renormalize merge.verbosity merge.*.name
    merge.*.recursive gpg.format gpg.mintrustlevel gpg.ssh.allowedsignersfile
    gpg.ssh.defaultkeycommand gpg.ssh.revocationfile gpg.*.allowedsignersfile gpg.*.defaultkeycommand
    gpg.*.revocationfile log.date log.decorate log.abbrevcommit log.follow log.mailmap log.graphcolors
    log.showroot log.excludedecoration log.initialdecorationset format.* submodule.recurse submodule.fetchjobs
    submodule.propagatebranches submodule.alternatelocation submodule.alternateerrorstrategy submodule.active
    submodule.*.url submodule.*.active submodule.*.ignore submodule.*.branch submodule.*.fetchrecursesubmodules
    submodule.*.update lfs.url lfs.pushurl lfs.fetchinclude lfs.fetchexclude lfs.fetchrecentrefsdays
    lfs.fetchrecentalways lfs.locksverify lfs.*.access lfs.*.locksverify lfs.concurrenttransfers
    lfs.activitytimeout lfs.dialtimeout lfs.tlstimeout lfs.batch lfs.basictransfersonly lfs.skipdownloaderrors
    lfs.allowincompletepush lfs.repositoryformatversion lfs.storage lfs.setlockablereadonly lfs.lockignoredfiles
    lfs.contenttype lfs.transfer.maxretries lfs.transfer.maxretrydelay remote.pushdefault remote.*.url
    remote.*.pushurl remote.*.fetch remote.*.push remote.*.prune remote.*.prunetags remote.*.tagopt
    remote.*.mirror remote.*.skipfetchall remote.*.skipdefaultupdate remote.*.proxy remote.*.receivepack
    remote.*.uploadpack remote.*.vcs remote.*.gh-resolved status.short status.branch status.showuntrackedfiles
    status.relativepaths status.aheadbehind status.renames status.renamelimit status.showstash
    status.displaycommentprefix
    """
_RUNS_NOTHING = frozenset(_RUNS_NOTHING_TEXT.lower().split())
"""Settings of those sections that only choose, or that name a program which only other commands run: pagers need a
terminal, editors and keys a commit, transports a remote."""


class _Given(Struct, frozen=True):
    settings: list[Setting]
    problems: list[str]
    files: list[str]
    """All files that were considered, there or not."""


def unsafe_user_settings(
    places: Places, *, shows_commits: bool, runs_helpers: bool, compares: bool = True, also: tuple[str, ...] = ()
) -> list[str]:
    """Settings of the user or the system that make git run something that may be in the workspace.

    ``runs_helpers``: the command may run filters and drivers. ``shows_commits``: a setting that shows each commit's
    signature matters too. ``compares``: so does how changes of submodules are shown. ``also``: more files of the
    system.
    """
    key = ("user settings", shows_commits, runs_helpers, compares, also)

    def find() -> list[str]:
        found = _unsafe(places, also, shows_commits=shows_commits, runs_helpers=runs_helpers, compares=compares)
        return list(dict.fromkeys(found))

    return places.look.once(key, find)


def settings_of_user(places: Places) -> list[Setting] | str:
    """All settings of the user and the system, or why they are unknown."""
    given = _read(places)
    return given.problems[0] if given.problems else given.settings


def files_of_user(places: Places) -> list[str]:
    """Every file that may hold such settings, and those that they include."""
    return _read(places).files


def _unsafe(
    places: Places, also: tuple[str, ...], *, shows_commits: bool, runs_helpers: bool, compares: bool
) -> list[str]:
    known = _read(places, also)
    given, problems = list(known.settings), list(known.problems)
    if program := places.around.variables.get("GIT_EXTERNAL_DIFF"):
        given.append(Setting("diff", "external", program))
    for setting in given:
        if setting.name == "diff.submodule" and not compares:
            continue
        problems += _problems(setting, places, shows_commits=shows_commits, runs_helpers=runs_helpers)
    return problems


def _read(places: Places, also: tuple[str, ...] = ()) -> _Given:
    """The settings in all files, with those that they include, and in the environment; and what cannot be known."""
    problems: list[str] = []
    waiting = [*_files(places), *also]
    seen: list[str] = []
    given = _of_environment(places)
    if given is None:
        return _Given([], ["GIT_CONFIG_PARAMETERS contains git settings that rawr does not read."], seen)
    while waiting:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.append(file)
        if len(seen) > MAX_INCLUDED:
            return _Given(given, [*problems, "Your git configuration includes too many files."], seen)
        if places.leads_inside(file):
            problems.append(f"Your own git configuration, {shown(file)}, is where the agent can write.")
            continue
        found = settings(file, places.look)
        if isinstance(found, str):
            problems.append(found)
            continue
        for setting in found:
            if setting.section.startswith("include"):
                path = _included(setting.value, file, places)
                if path is None:
                    problems.append(f"Your git configuration includes {shown(setting.value)}.")
                else:
                    waiting.append(path)
            else:
                given.append(setting)
    return _Given(given, problems, seen)


def _files(places: Places) -> list[str]:
    variables, home = places.around.variables, places.around.home
    config_home = variables.get("XDG_CONFIG_HOME") or f"{home}/.config"
    own = variables.get("GIT_CONFIG_GLOBAL")
    files = [own] if own else [f"{home}/.gitconfig", f"{config_home}/git/config"]
    if "GIT_CONFIG_SYSTEM" in variables:
        return [variables["GIT_CONFIG_SYSTEM"], *files]
    if variables.get("GIT_CONFIG_NOSYSTEM", "0").lower() not in _OFF:
        return files
    prefixes = ["/usr/local", "/opt/homebrew", "/opt/local"]
    programs = [f"{entry}/git" for entry in places.around.path if entry.startswith("/")]
    prefixes += [str(PurePath(places.look.real(git)).parent.parent) for git in programs if places.look.kind(git)]
    return ["/etc/gitconfig", *dict.fromkeys(f"{prefix}/etc/gitconfig" for prefix in prefixes), *files]


def _of_environment(places: Places) -> list[Setting] | None:
    """Settings that variables carry; None if they cannot be determined."""
    variables = places.around.variables
    if "GIT_CONFIG_PARAMETERS" in variables:
        return None
    count = variables.get("GIT_CONFIG_COUNT", "0")
    if not count.isdecimal() or len(count) > 3:
        return None
    found: list[Setting] = []
    for number in range(int(count)):
        name = variables.get(f"GIT_CONFIG_KEY_{number}", "")
        section, _, key = name.rpartition(".")
        first, dot, _ = section.partition(".")
        value = variables.get(f"GIT_CONFIG_VALUE_{number}", "")
        if first.lower().startswith("include"):
            return None
        found.append(Setting(first.lower() + (".*" if dot else ""), key.lower(), value))
    return found


def calls_with_password(places: Places) -> bool:
    """Return True if the user's configuration puts a password into remote addresses, which git then shows."""
    return any(URL_WITH_PASSWORD.search(places.look.read(file, MAX_CONFIG) or b"") for file in _files(places))


def _included(value: str, file: str, places: Places) -> str | None:
    """Relative to the folder of the including file. None if it begins in a way that only git understands."""
    expanded = _at_home(value, places)
    if expanded.startswith(("~", "%", "$")):
        return None
    return expanded if expanded.startswith("/") else str(PurePath(places.look.real(file)).parent / expanded)


def _at_home(value: str, places: Places) -> str:
    return re.sub(r"^(?:~|\$HOME)(?=/)", str(places.around.home), value)


def _problems(setting: Setting, places: Places, *, shows_commits: bool, runs_helpers: bool) -> list[str]:
    name, value = setting.name, setting.value
    if name == "log.showsignature":
        shows = shows_commits and value.lower() not in _OFF
        return ["Your git configuration shows signatures, which runs gpg."] if shows else []
    if name == "format.pretty" or setting.section == "pretty":
        return unsafe_format(value) if shows_commits else []
    if setting.section.partition(".")[0] not in _WATCHED or not runs_helpers:
        return []
    if name in _RUNS_NOTHING or f"{setting.section}.*" in _RUNS_NOTHING:
        return []
    return [] if _fine(setting, places) else [f"Your git configuration sets {name} to {shown(value)}."]


def _fine(setting: Setting, places: Places) -> bool:
    name, value = setting.name, setting.value
    match name:
        case "core.fsmonitor":
            return value.lower() in _OFF | _ON
        case "core.hookspath":
            folder = _at_home(value, places)
            return folder.startswith("/") and not places.leads_inside(folder) and not _hooked(folder, places)
        case "diff.submodule":
            return value == "short"  # otherwise git reads the submodule's commits, and may fetch them by its settings
        case "log.diffmerges":
            return value not in ("remerge", "r")
        case "status.submodulesummary" | "core.splitindex" | "diff.orderfile":
            return value.lower() in _OFF
        case "diff.external" | "diff.*.command" | "diff.*.textconv":
            return not value or _reader(value, places)
        case "gpg.program" | "gpg.*.program":
            return _program(value, places) is not None
        case "filter.*.required":
            return True
        case "filter.*.clean" | "filter.*.smudge" | "filter.*.process":
            return not value or _lfs(setting, places)
        case _:
            return False


def _hooked(folder: str, places: Places) -> bool:
    return any(places.look.kind(f"{places.look.real(folder)}/{hook}") for hook in HOOKS)


def _program(word: str, places: Places) -> str | None:
    """The name of a program that is certainly not in the workspace."""
    path = _at_home(word, places)
    name = PurePath(path).name
    if path.startswith("/"):
        return None if places.leads_inside(path) else name
    return name if path == name and not shadowed(name, places, external=True) else None


def _reader(value: str, places: Places) -> bool:
    words = value.split()
    return _program(words[0], places) in _READERS and all(map(_PLAIN_WORD.fullmatch, words[1:]))


def _lfs(setting: Setting, places: Places) -> bool:
    call = _LFS_CALL.fullmatch(setting.value)
    return (
        call is not None
        and _program(call["program"], places) == "git-lfs"
        and f"{setting.key} git-lfs{call['rest']}" in LFS
    )
