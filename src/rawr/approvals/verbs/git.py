"""git's verbs (C10). What git runs by itself in a repository, such as hooks and filters, is judged in ``git.allowed``.

Nowhere on these lists: ``--exec``, ``--receive-pack``, ``--upload-pack``, ``-c``, ``--template`` and strategies by name
(they name programs or settings); ``-i``, ``-p``, ``-e`` (editors, and a person to choose); ``-S``, ``-s`` of ``tag``
(gpg); ``-F`` of a path elsewhere. A verb that is not here, such as ``am``, ``apply``, ``bisect``, ``filter-branch`` or
``clean``, is opened by its own words only: a patch of the agent's may write where its sandbox does not let it, such as
in ``.codex``.
"""

import re

from rawr.approvals.git.helpers import settings_of_user
from rawr.approvals.git.settings import settings
from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Read
from rawr.approvals.verbs.kinds import CHANGED, FILE, NUMBER, TEXT, checked, one_of
from rawr.approvals.verbs.remotes import remotes_of, wrong_address, wrong_all, wrong_default, wrong_remote
from rawr.approvals.verbs.staging import taken_along, wrong_to_add
from rawr.approvals.verbs.verb import Verb, unless, verb, with_words

_REVISION = re.compile(r"(?!.*::)[A-Za-z0-9_@][A-Za-z0-9_./@{}~^+#-]*", re.ASCII)
_REFSPEC = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./@{}~^#-]*(?::[A-Za-z0-9_][A-Za-z0-9_./@#+-]*)?", re.ASCII)
_NAME = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./@#+-]*", re.ASCII)


def _revision(text: str, call: Call) -> list[str]:
    if text == "-" or _REVISION.fullmatch(text):
        return []
    return [f"{shown(text)} is not a plain revision."]


def _refspec(text: str, call: Call) -> list[str]:
    if text.startswith("+"):
        return [f"{shown(text)} overwrites what the other side has: only a rule that has it opens it."]
    if text.startswith(":"):
        return [f"{shown(text)} deletes a branch of the other side: only a rule that has it opens it."]
    return [] if _REFSPEC.fullmatch(text) else [f"{shown(text)} is not a plain branch or tag."]


def _writable(text: str, call: Call) -> list[str]:
    """What git may overwrite: not what the sandbox keeps from the agent. ``.`` is everything that is tracked."""
    if text.startswith(":"):
        return [f"{shown(text)} is a pattern of git's own."]
    return call.places.unwritable(text, call.folders)


REVISION = checked("a revision", _revision)
REFSPEC = checked("a branch or a tag, plain or as `from:to`", _refspec)
BRANCH = checked(
    "a branch or a tag", lambda text, call: [] if _NAME.fullmatch(text) else [f"{shown(text)} is no name."]
)
PATH = checked("a path of the workspace", _writable, files=True)
PLACE = checked("a revision or a path of the workspace", _writable, files=True)
REMOTE = checked("a configured remote", wrong_remote)
ADDRESS = checked("a configured remote, or an address at its host or at a public one", wrong_address)
ADDED = checked("a path of the workspace without credentials", wrong_to_add, files=True)
_STRATEGY = one_of("ort recursive resolve octopus ours")
_PREFERENCE = one_of("ours theirs ignore-space-change ignore-all-space ignore-space-at-eol renormalize patience")
_CLEANUP = one_of("strip whitespace verbatim scissors default")


_MERGING_VALUES = frozenset({"false", "no", "off", "0", "interactive", "i"})


def _pull_edits(read: Read) -> bool:
    """Only a merge may. git goes by the last of contrary options, so none may stand beside the ones that rule it out;
    without any, git refuses to choose, unless the settings do (``_merges``)."""
    rebases = _plain(read, "--rebase", "-r")
    contrary = read.has("--no-rebase", "--ff", "--no-ff", "--squash", "--no-squash", "--no-commit", "--commit")
    if read.has("--no-edit") or (rebases and not contrary):
        return False
    return contrary or (read.has("--rebase", "-r") and not rebases)


def _plain(read: Read, *names: str) -> bool:
    """Return True if one of these options is given, and always without a value."""
    values = [value for option, value in read.given if option in names]
    return bool(values) and not any(value is not None for value in values)


def _merge_edits(read: Read) -> bool:
    if read.has("--no-edit", "-m", "--message", "-F", "--file", "--abort", "--quit"):
        return False
    never = (("--ff-only", ("--ff", "--no-ff")), ("--squash", ("--no-squash",)), ("--no-commit", ("--commit",)))
    return not any(read.has(one) and not read.has(*contrary) for one, contrary in never)


def _commits(read: Read, call: Call) -> list[str]:
    """What a commit stages by itself may be a repository of the agent's by then. It looks into it where it shows the
    state of the work tree: in an editor, for a trial, and if there is nothing to commit."""
    stages = read.has("-a", "--all", "-i", "--include", "-o", "--only") or bool(read.operands)
    shows = read.has("--dry-run", "--short", "--porcelain", "--status", "-v", "--verbose", "--amend", "--fixup")
    if stages and (shows or not read.has("-m", "--message", "-F", "--file")):
        return ["`git commit` looks at the work tree after it has staged files: stage them first, or give `-m` alone."]
    return []


def _pushes_elsewhere(read: Read, call: Call) -> list[str]:
    """Settings of the user's by which a push goes through submodules."""
    if ("--recurse-submodules", "no") in {(option, value.text if value else None) for option, value in read.given}:
        return []
    given = settings_of_user(call.places)
    found = [] if isinstance(given, str) else given
    return [
        f"Your setting {one.name} makes `git push` look into submodules: add `--recurse-submodules=no`."
        for one in found
        if one.name in ("push.recursesubmodules", "submodule.recurse")
        and one.value.lower() not in ("no", "false", "off", "0")
    ]


def _tag_edits(read: Read) -> bool:
    return read.has("-a", "--annotate") and not read.has("-m", "--message", "-F", "--file")


def _continues(read: Read) -> bool:
    return read.has("--continue")


def _adds(read: Read, call: Call) -> list[str]:
    return taken_along(call, "") if read.has("-A", "--all", "--no-ignore-removal") else []


def _pushes(read: Read, call: Call) -> list[str]:
    return _to(read, call, pushes=True) + _pushes_elsewhere(read, call)


def _pulls(read: Read, call: Call) -> list[str]:
    chosen = read.has("--rebase", "-r", "--no-rebase", "--ff-only", "--no-edit", "--squash")
    return _fetches(read, call) + ([] if chosen else _merges(call))


def _merges(call: Call) -> list[str]:
    """Settings by which a plain pull merges, or rebases interactively, and so may open an editor."""
    files = [str(root / ".git" / "config") for root, _ in remotes_of(call)]
    known = [settings(file, call.places.look) for file in files] + [settings_of_user(call.places)]
    found = [one for several in known if not isinstance(several, str) for one in several]
    merging = [
        one.name
        for one in found
        if one.name in ("pull.rebase", "pull.ff", "branch.*.rebase") and one.value.lower() in _MERGING_VALUES
    ]
    return [f"The setting {one} may make `git pull` open an editor: add `--no-edit`." for one in merging]


def _fetches(read: Read, call: Call) -> list[str]:
    return wrong_all(call) if read.has("--all", "--multiple") else _to(read, call, pushes=False)


def _to(read: Read, call: Call, *, pushes: bool) -> list[str]:
    """The rule may name the remote: then it may be anything but what the agent could have made."""
    if not read.operands:
        return wrong_default(call, pushes=pushes)
    text = read.operands[0].text
    return [] if text is None else wrong_remote(text, call, meant=True)


def _all_remotes(read: Read, call: Call) -> list[str]:
    return wrong_all(call)


def _clones(read: Read, call: Call) -> list[str]:
    """Without a folder, git makes one with the last name of the address."""
    texts = [operand.text or "" for operand in read.operands]
    if texts and not re.search(r"[:/]", texts[0]):
        # git clones a folder of that name, if there is one, and not the remote.
        return [f"{shown(texts[0])} is no address."]
    if len(texts) != 1:
        return []
    name = re.split(r"[/:]", texts[0].rstrip("/").removesuffix("/.git").removesuffix(".git"))[-1]
    return call.places.unwritable(name or ".", call.folders)


_QUIET = "-qv --quiet --verbose --progress --no-progress"
_ADD = verb(
    "git add",
    "-AunvN --all --no-all --update --verbose --dry-run --intent-to-add --ignore-errors --refresh --renormalize "
    "--ignore-removal --no-ignore-removal --sparse",
    values={one_of("+x -x"): "--chmod"},
    named="-f --force",
    operands=ADDED,
    git=True,
    further=_adds,
)
_MERGING = "--ff --no-ff --ff-only --squash --no-squash --no-edit --stat --no-stat -n --no-autostash"
_SEQUENCE = "--continue --abort --quit --skip"
_PUSH_FLAGS = (
    f"{_QUIET} -un --set-upstream --dry-run --tags --follow-tags --no-follow-tags --all --branches --atomic "
    "--no-atomic --porcelain --thin --no-thin --verify --no-verify --no-signed -46 --ipv4 --ipv6"
)
_FETCH_FLAGS = (
    f"{_QUIET} -aptn --all --multiple --append --atomic --prune --prune-tags --tags --no-tags --dry-run --unshallow "
    "--update-shallow --keep --no-recurse-submodules --write-fetch-head --no-auto-gc --no-auto-maintenance "
    "--show-forced-updates --no-show-forced-updates -46 --ipv4 --ipv6"
)
_FETCH_VALUES = {NUMBER: "-j --jobs --depth --deepen", TEXT: "--shallow-since"}
_STASHED = "-aukSq --all --include-untracked --keep-index --no-keep-index --staged --quiet"
_PICK = verb(
    "git cherry-pick",
    f"-nxs --no-commit --signoff --ff --allow-empty --keep-redundant-commits {_SEQUENCE}",
    values={
        NUMBER: "-m --mainline",
        _STRATEGY: "--strategy",
        _PREFERENCE: "-X --strategy-option",
        _CLEANUP: "--cleanup",
    },
    operands=REVISION,
    edits=_continues,
    git=True,
)

GIT: tuple[Verb, ...] = (
    _ADD,
    with_words("git stage", _ADD),
    verb(
        "git commit",
        "-aqnvsio --all --quiet --no-verify --verify --verbose --allow-empty --allow-empty-message --amend --no-edit "
        "--signoff --no-signoff --include --only --dry-run --short --porcelain --reset-author --no-gpg-sign --status "
        "--no-status --no-post-rewrite",
        values={
            TEXT: "-m --message --author --date",
            REVISION: "-C --reuse-message --fixup",
            _CLEANUP: "--cleanup",
            FILE: "-F --file",
        },
        operands=PATH,
        git=True,
        edits=unless("-m", "--message", "--no-edit", "-C", "--reuse-message", "--fixup", "-F", "--file", "--dry-run"),
        further=_commits,
    ),
    verb(
        "git push",
        _PUSH_FLAGS,
        named="-fd --force --force-with-lease --force-if-includes --delete --mirror --prune",
        values={TEXT: "-o --push-option"},
        optional={one_of("no"): "--recurse-submodules"},
        first=(REMOTE,),
        operands=REFSPEC,
        git=True,
        further=_pushes,
    ),
    verb(
        "git fetch",
        _FETCH_FLAGS,
        named="-fPu --force --update-head-ok",
        values=_FETCH_VALUES,
        first=(REMOTE,),
        operands=REFSPEC,
        git=True,
        further=_fetches,
    ),
    verb(
        "git pull",
        f"{_FETCH_FLAGS} {_MERGING} --no-rebase --signoff --allow-unrelated-histories -r",
        values={**_FETCH_VALUES, _STRATEGY: "-s --strategy", _PREFERENCE: "-X --strategy-option"},
        optional={one_of("true false merges"): "--rebase"},
        named="-f --force",
        first=(REMOTE,),
        operands=REFSPEC,
        git=True,
        edits=_pull_edits,
        further=_pulls,
    ),
    verb(
        "git clone",
        f"{_QUIET} -n --no-checkout --single-branch --no-single-branch --no-tags --sparse "
        "--no-hardlinks -46 --ipv4 --ipv6",
        values={
            NUMBER: "--depth -j --jobs",
            BRANCH: "-b --branch -o --origin",
            TEXT: "--shallow-since",
            one_of("blob:none tree:0"): "--filter",
        },
        first=(ADDRESS, CHANGED),
        further=_clones,
    ),
    verb(
        "git ls-remote",
        "-htq --heads --branches --tags --refs --quiet --symref --get-url --exit-code",
        values={TEXT: "--sort"},
        first=(ADDRESS,),
        operands=TEXT,
        git=True,
        further=lambda read, call: _fetches(read, call) if not read.operands else [],
    ),
    verb("git remote update", "-p --prune", git=True, further=_all_remotes),
    verb("git remote prune", "-n --dry-run", operands=REMOTE, git=True),
    verb("git remote show", "-n", operands=REMOTE, git=True),
    verb(
        "git merge",
        f"{_QUIET} {_MERGING} --commit --no-commit --signoff --allow-unrelated-histories --no-verify --verify "
        "--log --no-log --abort --continue --quit --no-gpg-sign --rerere-autoupdate --no-rerere-autoupdate",
        values={
            TEXT: "-m --message --into-name",
            FILE: "-F --file",
            _STRATEGY: "-s --strategy",
            _PREFERENCE: "-X --strategy-option",
            _CLEANUP: "--cleanup",
        },
        operands=REVISION,
        edits=_merge_edits,
        git=True,
    ),
    verb(
        "git rebase",
        f"{_QUIET} -kfmn --keep-base --no-keep-empty --keep-empty --force-rebase --no-ff --merge --stat --no-stat "
        "--root "
        "--no-autostash --no-autosquash --fork-point --no-fork-point --signoff --verify "
        "--no-verify --committer-date-is-author-date --ignore-whitespace --reapply-cherry-picks --update-refs "
        f"--no-update-refs --show-current-patch --no-gpg-sign --reset-author-date {_SEQUENCE}",
        values={
            REVISION: "--onto",
            _STRATEGY: "-s --strategy",
            _PREFERENCE: "-X --strategy-option",
            one_of("drop keep ask stop"): "--empty",
        },
        optional={one_of("rebase-cousins no-rebase-cousins"): "-r --rebase-merges"},
        operands=REVISION,
        edits=_continues,
        git=True,
    ),
    verb(
        "git checkout",
        "-qfdlmt --quiet --force --detach --guess --no-guess --merge --ours --theirs --track --no-track "
        "--progress --no-progress --overwrite-ignore --no-overwrite-ignore --ignore-skip-worktree-bits "
        "--overlay --no-overlay",
        values={BRANCH: "-bB --orphan", one_of("merge diff3 zdiff3"): "--conflict"},
        operands=PLACE,
        git=True,
    ),
    verb(
        "git switch",
        "-qfdmt --quiet --force --discard-changes --detach --guess --no-guess --merge --track --no-track",
        values={BRANCH: "-cC --create --force-create --orphan"},
        operands=REVISION,
        git=True,
    ),
    verb(
        "git restore",
        "-qSWm --quiet --staged --worktree --ours --theirs --merge --ignore-unmerged --overlay --no-overlay",
        values={REVISION: "-s --source"},
        operands=PATH,
        git=True,
    ),
    verb(
        "git branch",
        "-adrvqlimctD --all --delete --remotes --verbose --quiet --list --ignore-case --move --copy "
        "--show-current --track "
        "--no-track --unset-upstream --create-reflog --no-color --no-column",
        values={REVISION: "-u --set-upstream-to", TEXT: "--sort"},
        optional={REVISION: "--contains --no-contains --merged --no-merged --points-at"},
        named="-fMC --force",
        first=(BRANCH,),
        operands=REVISION,
        git=True,
    ),
    verb(
        "git tag",
        "-adl --annotate --delete --list --no-sign --create-reflog --no-column -i --ignore-case",
        values={TEXT: "-m --message --sort", FILE: "-F --file", _CLEANUP: "--cleanup"},
        optional={NUMBER: "-n"},
        named="-f --force",
        operands=REVISION,
        edits=_tag_edits,
        git=True,
    ),
    verb("git stash", _STASHED, git=True),
    verb("git stash push", _STASHED, values={TEXT: "-m --message"}, operands=PATH, git=True),
    verb("git stash save", _STASHED, operands=TEXT, git=True),
    *(verb(f"git stash {one}", "-q --index --quiet", operands=REVISION, git=True) for one in ("pop", "apply", "drop")),
    verb("git stash list", git=True),
    verb("git stash branch", first=(BRANCH, REVISION), git=True),
    _PICK,
    with_words(
        "git revert",
        _PICK,
        flags=_PICK.flags | {"--no-edit"},
        edits=unless("--no-edit", "-n", "--no-commit", "--abort", "--quit", "--skip"),
    ),
    verb(
        "git reset",
        "-qN --quiet --no-quiet --hard --soft --mixed --merge --keep --intent-to-add --no-refresh --refresh",
        operands=PLACE,
        git=True,
    ),
    verb("git rm", "-rnqf --cached --dry-run --quiet --force --ignore-unmatch --sparse", operands=PATH, git=True),
    verb("git mv", "-fknv --force --dry-run --verbose --sparse", operands=PATH, git=True),
    verb(
        "git worktree add",
        "-fdq --force --detach --checkout --no-checkout --quiet --track --no-track --guess-remote",
        values={BRANCH: "-bB"},
        first=(CHANGED, REVISION),
        git=True,
    ),
    verb("git worktree list", "-v --porcelain --verbose", git=True),
    verb("git worktree prune", "-nv --dry-run --verbose", git=True),
    verb("git worktree remove", "-f --force", operands=CHANGED, git=True),
    verb("git submodule status", "-q --cached --recursive", operands=PATH, git=True),
    verb(
        "git submodule update",
        "-q --no-fetch --checkout --recommend-shallow",
        values={NUMBER: "--depth -j --jobs"},
        operands=PATH,
        git=True,
        further=_all_remotes,
    ),
    verb("git am", f"{_SEQUENCE} --show-current-patch", git=True),
    verb(
        "git apply",
        "--check --stat --numstat --summary -R -v --reverse --verbose --3way",
        values={NUMBER: "-p"},
        operands=FILE,
        git=True,
        further=lambda read, call: _only_looks(read),
    ),
    verb("git gc", "-q --quiet --auto --aggressive --no-prune --keep-largest-pack", git=True),
    verb("git init", "-q --quiet", values={BRANCH: "-b --initial-branch"}),
    verb(
        "git config",
        "-l --local --get --get-all --list",
        first=(
            one_of(
                "user.name user.email push.default push.autosetupremote fetch.prune color.ui "
                "rebase.autostash merge.conflictstyle core.autocrlf"
            ),
            TEXT,
        ),
        git=True,
    ),
    verb("git notes add", values={TEXT: "-m --message"}, operands=REVISION, edits=unless("-m", "--message"), git=True),
)


def _only_looks(read: Read) -> list[str]:
    if read.has("--check", "--stat", "--numstat", "--summary"):
        return []
    return ["`git apply` writes what the patch says, perhaps where the sandbox does not let the agent write."]


FILES = frozenset(one.words[1] for one in GIT if one.git)
"""The commands that look at the work tree or at a remote, so everything that git may run there counts."""
