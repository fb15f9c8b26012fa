"""The git subcommands that move history, and how their options change them (B6).

One entry per subcommand: which options take a value, which mean "only show me", and what it intends. Pure tables and
small functions, which do not know where the repository is or what an alias means.
"""

from collections.abc import Callable

from msgspec import Struct

from rawr.observe.intents.intent import Kind
from rawr.observe.intents.options import Options, Read

Kinds = tuple[Kind, ...]
_NOTHING: Kinds = ()
_LEAVES = ("--abort", "--quit", "--show-current-patch", "--edit-todo")


def _never(read: Read) -> bool:
    return False


def _dry(*options: str) -> Callable[[Read], bool]:
    def asked(read: Read) -> bool:
        last = False
        for option, _ in read.given:
            if option in options:
                last = True
            elif option == "--no-dry-run":
                last = False
        return last

    return asked


class Command(Struct, frozen=True):
    kinds: Callable[[Read], Kinds]
    options: Options
    dry: Callable[[Read], bool] = _never


def _options(values: str, names: str = "") -> Options:
    attached = frozenset({"-S", "-u"})
    return Options(frozenset(values.split()), frozenset(names.split()), attached, anywhere=True)


def _commit(read: Read) -> Kinds:
    return ("amend",) if read.has("--amend") else ("commit",)


def _unless(kind: Kind, *options: str) -> Callable[[Read], Kinds]:
    """With one of these options it makes no commit: it undoes, or leaves the result uncommitted."""
    return lambda read: _NOTHING if read.has(*_LEAVES, *options) else (kind,)


def _pull(read: Read) -> Kinds:
    if read.has("-r") or (read.has("--rebase") and read.value("--rebase") != "false"):
        return ("rebase",)
    return _unless("merge", "--squash", "--no-commit")(read)


def _branch(read: Read) -> Kinds:
    shows = (
        "-d",
        "-D",
        "--delete",
        "-m",
        "-M",
        "--move",
        "-l",
        "--list",
        "-a",
        "--all",
        "-r",
        "--remotes",
        "-v",
        "-vv",
    )
    more = ("--show-current", "-u", "--set-upstream-to", "--unset-upstream", "--edit-description", "--contains")
    rest = ("--no-contains", "--merged", "--no-merged", "--points-at", "--verbose", "--sort", "--format")
    if read.has(*shows, *more, *rest) or not read.rest:
        return _NOTHING
    return ("branch_create",)


def _checkout(read: Read) -> Kinds:
    if read.has("-b", "-B", "--orphan", "-t", "--track"):
        return ("branch_create", "branch_switch")
    if read.has("-p", "--patch", "--ours", "--theirs", "--pathspec-from-file"):
        return _NOTHING
    if read.dashed is not None:
        return ("branch_switch",) if len(read.rest) == read.dashed == 1 else _NOTHING
    if len(read.rest) != 1:
        return _NOTHING
    return _NOTHING if _is_path(read.rest[0]) else ("branch_switch",)


def _is_path(word: str | None) -> bool:
    """Return True if it is certainly a path. A bare name may be a branch or a file; the repository will tell."""
    return word is not None and (word in (".", "..") or word.startswith(("./", "../", "/", ":")) or word.endswith("/"))


def _switch(read: Read) -> Kinds:
    if read.has("-c", "-C", "--create", "--force-create", "--orphan", "-t", "--track"):
        return ("branch_create", "branch_switch")
    return ("branch_switch",) if read.rest or read.has("-d", "--detach") else _NOTHING


def _worktree(read: Read) -> Kinds:
    if read.rest[:1] != ("add",):
        return _NOTHING
    # Without a commit to check out, git creates a branch named after the directory.
    implied = len(read.rest) == 2 and not read.has("--detach", "-d")
    return ("branch_create",) if implied or read.has("-b", "-B", "--orphan") else _NOTHING


def _stash(read: Read) -> Kinds:
    return ("branch_create", "branch_switch") if read.rest[:1] == ("branch",) and len(read.rest) > 1 else _NOTHING


def _subtree(read: Read) -> Kinds:
    return ("merge",) if read.rest[:1] in (("add",), ("merge",), ("pull",)) else _NOTHING


_COMMIT_OPTIONS = _options(
    "-m -F -C -c -t --message --file --author --date --reuse-message --reedit-message --fixup --squash --template"
    " --cleanup --trailer --pathspec-from-file",
    "--amend --all --allow-empty --allow-empty-message --dry-run --short --porcelain --long --no-verify --no-edit"
    " --reset-author --signoff --verbose --quiet --interactive --patch --include --only --null --branch --status"
    " --no-status --no-post-rewrite --no-gpg-sign --no-dry-run --no-amend --ahead-behind --no-ahead-behind",
)
_PICK_OPTIONS = _options("-m -X -s --mainline --strategy --strategy-option --cleanup", "--no-commit --abort --quit")
_MERGE_OPTIONS = _options(
    "-m -F -X -s --message --file --strategy --strategy-option --cleanup --into-name",
    "--abort --quit --continue --no-commit --squash --no-squash",
)
# The letter -s takes a value in merge and is --signoff in the others; consuming a value there does no harm.
COMMANDS: dict[str, Command] = {
    "commit": Command(_commit, _COMMIT_OPTIONS, _dry("--dry-run", "--short", "--porcelain", "--long", "-z", "--null")),
    "merge": Command(_unless("merge", "--squash", "--no-commit"), _MERGE_OPTIONS),
    "pull": Command(_pull, _options("-X -s --strategy --strategy-option --depth", "--dry-run"), _dry("--dry-run")),
    "rebase": Command(
        _unless("rebase"),
        _options("-x -X -s -C --onto --exec --strategy --strategy-option --whitespace --empty", "--abort --quit"),
    ),
    "cherry-pick": Command(_unless("cherry_pick", "-n", "--no-commit"), _PICK_OPTIONS),
    "revert": Command(_unless("revert", "-n", "--no-commit"), _PICK_OPTIONS),
    "am": Command(_unless("commit"), _options("-C -p --directory --exclude --include --whitespace --patch-format")),
    "branch": Command(_branch, _options("--set-upstream-to --points-at --sort --format")),
    "checkout": Command(_checkout, _options("-b -B --orphan --conflict --pathspec-from-file")),
    "switch": Command(_switch, _options("-c -C --create --force-create --orphan --conflict")),
    "worktree": Command(_worktree, _options("-b -B --reason")),
    "stash": Command(_stash, _options("-m --message")),
    "subtree": Command(_subtree, _options("-P -m --prefix --message")),
    "push": Command(
        lambda read: ("push",),
        _options("-o --push-option --repo --receive-pack --exec", "--dry-run"),
        _dry("-n", "--dry-run"),
    ),
}

_NAMES = """
add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-
format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-
objects credential daemon describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch
fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui
hash-object help http-backend init init-db instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo
mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree mv name-rev notes
pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase receive-pack reflog remote repack
replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-ref
sparse-checkout stash status stripspace submodule subtree switch symbolic-ref tag unpack-objects update-index
update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version
whatchanged worktree write-tree
"""
BUILTINS = frozenset(_NAMES.split())
"""Git's own commands, which no alias can replace."""
