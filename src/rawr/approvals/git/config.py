"""Decides if a repository's configuration can make git run something (C10).

A hundred settings name programs: pagers, filters, diff drivers, hooks, file watchers, transports. The agent may have
written the file. So a repository's own configuration is safe only if every setting in it is on the list of those that
do nothing but choose. The user's own files are checked in ``git.helpers``.
"""

import os
import re
from pathlib import Path

from rawr.approvals.git.settings import HOOKS, LFS, MAX_CONFIG
from rawr.approvals.judgment import shown
from rawr.approvals.places import within
from rawr.observe.files import read_small

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\["\\])*)")?\s*\]\s*')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")

_HARMLESS_TEXT = """
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
    core.symlinks core.autocrlf core.eol core.safecrlf core.whitespace core.abbrev core.quotepath core.untrackedcache
    core.preloadindex core.splitindex core.sparsecheckout core.sparsecheckoutcone core.longpaths core.checkstat
    core.trustctime core.commentchar core.compression core.packedgitlimit core.multipackindex core.commitgraph
    core.protecthfs core.protectntfs core.sharedrepository core.editor
    extensions.worktreeconfig
    remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.mirror remote.*.prune remote.*.tagopt
    remote.*.gh-resolved remote.*.skipfetchall remote.pushdefault
    branch.autosetupmerge branch.autosetuprebase
    submodule.*.url submodule.*.active submodule.*.branch submodule.*.ignore submodule.*.fetchrecursesubmodules
    submodule.active submodule.recurse
    user.name user.email user.signingkey author.name author.email committer.name committer.email
    commit.gpgsign commit.template commit.verbose tag.gpgsign tag.sort gpg.format
    init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.prunetags
    merge.ff merge.conflictstyle merge.renamelimit rebase.autosquash rebase.autostash rerere.enabled rerere.autoupdate
    diff.renames diff.renamelimit diff.algorithm diff.colormoved diff.mnemonicprefix diff.noprefix diff.context
    status.showuntrackedfiles status.short status.branch log.date log.decorate log.abbrevcommit
    color.ui color.diff color.status color.branch advice.* gc.auto gc.autodetach maintenance.auto
    maintenance.strategy index.version index.threads feature.manyfiles pack.threads lfs.repositoryformatversion
    lfs.*.access url.*.insteadof url.*.pushinsteadof alias.* branch.*.* http.*.extraheader gitflow.* help.autocorrect
    """
_HARMLESS = frozenset(_HARMLESS_TEXT.split())
_PATHS = frozenset({"core.worktree", "core.hookspath", "blame.ignorerevsfile"})
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+@-][A-Za-z0-9_./+@ -]*[A-Za-z0-9_./+@-]|[A-Za-z0-9_./+@-]")
"""``help.autocorrect`` and ``alias.*`` matter only to commands that are not git's own, and none of those is safe."""


def unsafe_settings(file: Path, *, root: Path) -> list[str]:
    """Settings in a repository's own file that could make git run, or read, something else."""
    if not os.path.lexists(file):
        return []
    data = read_small(file, MAX_CONFIG)
    if data is None:
        return [f"{shown(str(file))} cannot be read."]
    try:
        lines = data.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        return [f"{shown(str(file))} is not text."]
    section = ""
    problems: list[str] = []
    for line in (one.strip(" \t") for one in lines):
        if not line or line.startswith(("#", ";")):
            continue
        if opened := _SECTION.fullmatch(line):
            section = opened[1].lower() + ("" if opened[2] is None else ".*")
            continue
        setting = _SETTING.fullmatch(line)
        # A backslash at the end makes the next line part of this one, whatever it looks like.
        if setting is None or not section or not line.isprintable() or line.endswith("\\"):
            problems.append(f"A line of {shown(str(file))} is not understood: {shown(line)}.")
        elif not _harmless(section, setting[1].lower(), setting[2] or "", file=file, root=root):
            problems.append(
                f"The repository sets {section}.{setting[1]}, which can make git run or read something else."
            )
    return problems


def _harmless(section: str, key: str, value: str, *, file: Path, root: Path) -> bool:
    name = f"{section}.{key}"
    if name in _PATHS and not _PLAIN_PATH.fullmatch(value):
        return False  # quotes, escapes and comments would make it another path
    if name == "core.worktree":  # every submodule has it, and it must lead here
        return os.path.realpath(file.parent / value) == str(root)
    if name == "core.hookspath":
        hooks = Path(os.path.realpath(root / value))
        return not any(os.path.lexists(hooks / hook) for hook in HOOKS)
    if name == "blame.ignorerevsfile":  # git shows every line in it that is not a commit
        return within(os.path.realpath(root / value), root)
    if name == "core.fsmonitor":
        return value.strip('"').lower() == "false"
    if section == "filter.*":
        return f"{key} {value}" in LFS
    return name in _HARMLESS or f"{section}.*" in _HARMLESS
